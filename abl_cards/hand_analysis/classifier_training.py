"""Train the classifier of deals, in epochs with a checkpoint after each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from abl_cards.core import seed64
from abl_cards.learners import DealClassifier, StrengthPreset, fit_temperature
from abl_cards.training import load_checkpoint, save_checkpoint, translate_restore_errors

HELD_OUT_INTERVAL = 5
"""Every deal whose index is a multiple of this is held out from training."""
HIGH_CONFIDENCE = 0.9
"""Probability above which predictions are measured separately."""
_BATCH_SIZE = 4096  # deals of one forward call


@dataclass(frozen=True)
class DealDataset:
    """Deals with their classes, as tensors.

    Attributes:
        counts: int64[n, 3, 15] Copies of each kind in each hand.
        hand_features: float32[n, 6] Points and plays of the hands.
        labels: int64[n] Classes.
    """

    counts: Tensor
    hand_features: Tensor
    labels: Tensor

    def select(self, rows: NDArray[Any] | slice) -> DealDataset:
        """Return the deals with these indices."""
        return DealDataset(self.counts[rows], self.hand_features[rows], self.labels[rows])

    def split(self) -> tuple[DealDataset, DealDataset]:
        """Return the deals for training, and the held-out deals."""
        is_held_out = np.arange(len(self.labels)) % HELD_OUT_INTERVAL == 0
        return self.select(np.flatnonzero(~is_held_out)), self.select(np.flatnonzero(is_held_out))


@dataclass(frozen=True)
class EpochMetrics:
    """Results of one epoch.

    Attributes:
        epoch: Number of the epoch, from 1.
        loss: Mean training loss.
        tested: Loss on held-out deals.
        accuracy: Accuracy on held-out deals.
    """

    epoch: int
    loss: float
    tested: float
    accuracy: float

    def summary(self) -> str:
        """Return a text for a progress bar."""
        return f"loss {self.loss:.3f}, held out {self.tested:.3f}, right {self.accuracy:.1%}"


EpochCallback = Callable[[EpochMetrics], None]


def train_classifier(
    dataset: DealDataset, preset: StrengthPreset, num_classes: int, epochs: int, seed: int,
    checkpoint: str | Path | None = None, on_epoch: EpochCallback = lambda epoch: None,
) -> tuple[DealClassifier, list[EpochMetrics]]:  # fmt: skip
    """Train a classifier; an interrupted run resumes from its checkpoint, with an equal result.

    Args:
        dataset: Deals with their classes.
        preset: Sizes and hyper-parameters of the network.
        num_classes: Number of classes.
        epochs: Number of epochs.
        seed: Seed of the weights and of the order of the deals.
        checkpoint: File of the checkpoint; None for none.
        on_epoch: Called with the results of each epoch.

    Returns:
        The network of the epoch with the lowest held-out loss, with fitted temperature; and all epochs.
    """
    checkpoint = None if checkpoint is None else Path(checkpoint)
    training_data, held_out = dataset.split()
    network = DealClassifier(preset, num_classes, seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=preset.learning_rate)
    state = load_checkpoint(checkpoint) if checkpoint else None
    history: list[EpochMetrics] = []
    best: dict[str, Tensor] = {}
    if checkpoint and state is not None:
        with translate_restore_errors(checkpoint):
            network.load_state_dict(state["network"])
            optimiser.load_state_dict(state["optimiser"])
            history, best = [EpochMetrics(**epoch_values) for epoch_values in state["history"]], state["best"]
    for epoch_index in range(len(history), epochs):
        loss = _train_epoch(network, optimiser, training_data, epoch_index, epochs, seed)
        logits = predict_logits(network, held_out)
        history.append(_measure_epoch(epoch_index + 1, loss, logits, held_out.labels))
        if history[-1].tested == min(epoch.tested for epoch in history):
            best = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        if checkpoint:
            save_checkpoint(checkpoint, _checkpoint_state(network, optimiser, history, best))
        on_epoch(history[-1])
    network.load_state_dict(best)
    network.temperature.fill_(fit_temperature(predict_logits(network, held_out), held_out.labels))
    return network.eval(), history


def predict_logits(network: DealClassifier, dataset: DealDataset) -> Tensor:
    """Compute logits without gradients.

    Args:
        network: The classifier.
        dataset: n deals.

    Returns:
        float32[n, classes] Logits.
    """
    network.eval()
    with torch.no_grad():
        parts = [
            network(dataset.counts[start : start + _BATCH_SIZE], dataset.hand_features[start : start + _BATCH_SIZE])
            for start in range(0, len(dataset.labels), _BATCH_SIZE)
        ]
    return torch.cat(parts)


def compute_metrics(probabilities: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, Any]:
    """Compute metrics of predictions.

    Args:
        probabilities: float32[n, classes] Predicted probabilities.
        labels: int64[n] True classes.

    Returns:
        JSON object with accuracy, F1 scores and confusion matrix, also for predictions of high confidence.
    """
    predicted, confidence = probabilities.argmax(axis=1), probabilities.max(axis=1)
    classes = range(probabilities.shape[1])
    confusion = [[int(((labels == row) & (predicted == column)).sum()) for column in classes] for row in classes]
    f1: list[float | None] = []
    for deal_class in classes:
        num_correct = confusion[deal_class][deal_class]
        total = int((labels == deal_class).sum() + (predicted == deal_class).sum())
        f1.append(2 * num_correct / total if total else None)  # None for a class without deals
    confident = confidence >= HIGH_CONFIDENCE
    confident_accuracy = float((predicted == labels)[confident].mean()) if confident.any() else None
    return {
        "deals": len(labels),
        "accuracy": float((predicted == labels).mean()),
        "majority": float(np.bincount(labels, minlength=len(classes)).max() / len(labels)),
        "macro_f1": float(np.mean([score for score in f1 if score is not None])),
        "f1": f1,
        "confusion": confusion,
        "at_0.9": {"share": float(confident.mean()), "right": confident_accuracy},
    }


def _train_epoch(
    network: DealClassifier,
    optimiser: torch.optim.Optimizer,
    training_data: DealDataset,
    epoch_index: int,
    epochs: int,
    seed: int,
) -> float:
    """Train one epoch and return its mean loss; random numbers depend on seed and epoch alone."""
    order = np.random.default_rng([seed64(seed), epoch_index]).permutation(len(training_data.labels))
    batches = np.array_split(order, max(1, len(order) // network.preset.batch_size))
    losses = []
    network.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(hash((seed, epoch_index)) % 2**31)
        for batch_index, rows in enumerate(batches):
            progress = (epoch_index + batch_index / len(batches)) / epochs
            for group in optimiser.param_groups:
                group["lr"] = network.preset.learning_rate * (1 + cos(pi * progress)) / 2
            batch = training_data.select(rows)
            loss = nn.functional.cross_entropy(network(batch.counts, batch.hand_features), batch.labels)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
    return float(np.mean(losses))


def _measure_epoch(epoch: int, loss: float, logits: Tensor, label: Tensor) -> EpochMetrics:
    held_out_loss = float(nn.functional.cross_entropy(logits, label))
    return EpochMetrics(epoch, loss, held_out_loss, float((logits.argmax(dim=1) == label).float().mean()))


def _checkpoint_state(
    network: DealClassifier, optimiser: torch.optim.Optimizer, history: list[EpochMetrics], best: dict[str, Tensor]
) -> dict[str, Any]:
    return {
        "network": network.state_dict(),
        "optimiser": optimiser.state_dict(),
        "history": [vars(epoch) for epoch in history],
        "best": best,
    }
