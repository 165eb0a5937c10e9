"""Training of the network that tells the class of a deal, in epochs with a checkpoint after each."""

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
"""One deal in so many is never learned from: every fifth."""
HIGH_CONFIDENCE = 0.9
"""A probability that is worth a look of its own."""


@dataclass(frozen=True)
class DealDataset:
    """Deals with their classes, as tensors."""

    counts: Tensor  # [n, 3, 15] int64
    hand_features: Tensor  # [n, 6] float
    labels: Tensor  # [n] int64

    def select(self, rows: NDArray[Any] | slice) -> DealDataset:
        """Some of them."""
        return DealDataset(self.counts[rows], self.hand_features[rows], self.labels[rows])

    def split(self) -> tuple[DealDataset, DealDataset]:
        """Those to learn from, and those to be tested on."""
        held = np.arange(len(self.labels)) % HELD_OUT_INTERVAL == 0
        return self.select(np.flatnonzero(~held)), self.select(np.flatnonzero(held))


@dataclass(frozen=True)
class EpochMetrics:
    """What an epoch came to."""

    epoch: int  # from 1
    loss: float  # on what is learned from
    tested: float  # loss on held-out deals
    accuracy: float  # there

    def summary(self) -> str:
        """For a progress bar."""
        return f"loss {self.loss:.3f}, held out {self.tested:.3f}, right {self.accuracy:.1%}"


EpochCallback = Callable[[EpochMetrics], None]


def train_classifier(
    dataset: DealDataset, preset: StrengthPreset, num_classes: int, epochs: int, seed: int,
    checkpoint: Path | None = None, on_epoch: EpochCallback = lambda epoch: None,
) -> tuple[DealClassifier, list[EpochMetrics]]:  # fmt: skip
    """Learn; the network of the epoch with the lowest held-out loss, its temperature fitted, and all epochs.

    A run that was stopped goes on from its checkpoint, with the same result.
    """
    learned, tested = dataset.split()
    network = DealClassifier(preset, num_classes, seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=preset.learning_rate)
    state = load_checkpoint(checkpoint) if checkpoint else None
    history: list[EpochMetrics] = []
    best: dict[str, Tensor] = {}
    if checkpoint and state is not None:
        with translate_restore_errors(checkpoint):
            network.load_state_dict(state["network"])
            optimiser.load_state_dict(state["optimiser"])
            history, best = [EpochMetrics(**each) for each in state["history"]], state["best"]
    for number in range(len(history), epochs):
        loss = _train_epoch(network, optimiser, learned, number, epochs, seed)
        logits = predict_logits(network, tested)
        history.append(_measure_epoch(number + 1, loss, logits, tested.labels))
        if history[-1].tested == min(epoch.tested for epoch in history):
            best = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        if checkpoint:
            save_checkpoint(checkpoint, _checkpoint_state(network, optimiser, history, best))
        on_epoch(history[-1])
    network.load_state_dict(best)
    network.temperature.fill_(fit_temperature(predict_logits(network, tested), tested.labels))
    return network.eval(), history


def predict_logits(network: DealClassifier, dataset: DealDataset, batch_size: int = 4096) -> Tensor:
    """[n, classes] what the network says of deals."""
    network.eval()
    with torch.no_grad():
        parts = [
            network(dataset.counts[lo : lo + batch_size], dataset.hand_features[lo : lo + batch_size])
            for lo in range(0, len(dataset.labels), batch_size)
        ]
    return torch.cat(parts)


def compute_metrics(probabilities: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, Any]:
    """What probabilities [n, classes] of held-out deals say of their classes [n]."""
    told, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
    numbers = range(probabilities.shape[1])
    confusion = [[int(((labels == row) & (told == column)).sum()) for column in numbers] for row in numbers]
    f1: list[float | None] = []
    for number in numbers:
        both = confusion[number][number]
        either = int((labels == number).sum() + (told == number).sum())
        f1.append(2 * both / either if either else None)  # of a class that there is none of
    confident = sure >= HIGH_CONFIDENCE
    right = float((told == labels)[confident].mean()) if confident.any() else None
    return {
        "deals": len(labels),
        "accuracy": float((told == labels).mean()),
        "majority": float(np.bincount(labels, minlength=len(numbers)).max() / len(labels)),
        "macro_f1": float(np.mean([each for each in f1 if each is not None])),
        "f1": f1,
        "confusion": confusion,
        "at_0.9": {"share": float(confident.mean()), "right": right},
    }


def _train_epoch(
    network: DealClassifier, optimiser: torch.optim.Optimizer, lessons: DealDataset, number: int, epochs: int, seed: int
) -> float:
    """Once through all lessons; returns the mean loss. Chance is decided by the seed and the number of the epoch."""
    order = np.random.default_rng([seed64(seed), number]).permutation(len(lessons.labels))
    batches = np.array_split(order, max(1, len(order) // network.preset.batch_size))
    losses = []
    network.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(hash((seed, number)) % 2**31)
        for place, rows in enumerate(batches):
            passed = (number + place / len(batches)) / epochs
            for group in optimiser.param_groups:
                group["lr"] = network.preset.learning_rate * (1 + cos(pi * passed)) / 2
            batch = lessons.select(rows)
            loss = nn.functional.cross_entropy(network(batch.counts, batch.hand_features), batch.labels)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
    return float(np.mean(losses))


def _measure_epoch(number: int, loss: float, logits: Tensor, label: Tensor) -> EpochMetrics:
    tested = float(nn.functional.cross_entropy(logits, label))
    return EpochMetrics(number, loss, tested, float((logits.argmax(dim=1) == label).float().mean()))


def _checkpoint_state(
    network: DealClassifier, optimiser: torch.optim.Optimizer, history: list[EpochMetrics], best: dict[str, Tensor]
) -> dict[str, Any]:
    return {
        "network": network.state_dict(),
        "optimiser": optimiser.state_dict(),
        "history": [vars(epoch) for epoch in history],
        "best": best,
    }
