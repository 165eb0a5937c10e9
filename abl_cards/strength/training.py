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

from abl_cards.loop.checkpoint import load_checkpoint, save_checkpoint, taken_up
from abl_cards.seeds import seed64
from learners.strength import DealStrength, StrengthPreset, fit_temperature

HELD_OUT = 5
"""One deal in so many is never learned from: every fifth."""
SURE = 0.9
"""A probability that is worth a look of its own."""


@dataclass(frozen=True)
class Lessons:
    """Deals with their classes, as tensors."""

    counts: Tensor  # [n, 3, 15] int64
    told: Tensor  # [n, 6] float
    label: Tensor  # [n] int64

    def at(self, rows: NDArray[Any] | slice) -> Lessons:
        """Some of them."""
        return Lessons(self.counts[rows], self.told[rows], self.label[rows])

    def split(self) -> tuple[Lessons, Lessons]:
        """Those to learn from, and those to be tested on."""
        held = np.arange(len(self.label)) % HELD_OUT == 0
        return self.at(np.flatnonzero(~held)), self.at(np.flatnonzero(held))


@dataclass(frozen=True)
class Epoch:
    """What an epoch came to."""

    epoch: int  # from 1
    loss: float  # on what is learned from
    tested: float  # loss on held-out deals
    accuracy: float  # there

    def remark(self) -> str:
        """For a progress bar."""
        return f"loss {self.loss:.3f}, held out {self.tested:.3f}, right {self.accuracy:.1%}"


Watch = Callable[[Epoch], None]


def train(
    lessons: Lessons, preset: StrengthPreset, classes: int, epochs: int, seed: int, checkpoint: Path | None = None,
    watch: Watch = lambda epoch: None,
) -> tuple[DealStrength, list[Epoch]]:  # fmt: skip
    """Learn; the network of the epoch with the lowest held-out loss, its temperature fitted, and all epochs.

    A run that was stopped goes on from its checkpoint, with the same result.
    """
    learned, tested = lessons.split()
    network = DealStrength(preset, classes, seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=preset.rate)
    state = load_checkpoint(checkpoint) if checkpoint else None
    history: list[Epoch] = []
    best: dict[str, Tensor] = {}
    if checkpoint and state is not None:
        with taken_up(checkpoint):
            network.load_state_dict(state["network"])
            optimiser.load_state_dict(state["optimiser"])
            history, best = [Epoch(**each) for each in state["history"]], state["best"]
    for number in range(len(history), epochs):
        loss = _epoch(network, optimiser, learned, number, epochs, seed)
        logits = judged(network, tested)
        history.append(_tell(number + 1, loss, logits, tested.label))
        if history[-1].tested == min(epoch.tested for epoch in history):
            best = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        if checkpoint:
            save_checkpoint(checkpoint, _state(network, optimiser, history, best))
        watch(history[-1])
    network.load_state_dict(best)
    network.temperature.fill_(fit_temperature(judged(network, tested), tested.label))
    return network.eval(), history


def judged(network: DealStrength, lessons: Lessons, at_once: int = 4096) -> Tensor:
    """[n, classes] what the network says of deals."""
    network.eval()
    with torch.no_grad():
        parts = [
            network(lessons.counts[lo : lo + at_once], lessons.told[lo : lo + at_once])
            for lo in range(0, len(lessons.label), at_once)
        ]
    return torch.cat(parts)


def held_out(odds: NDArray[np.float32], label: NDArray[np.int64]) -> dict[str, Any]:
    """What probabilities [n, classes] of held-out deals say of their classes [n]."""
    told, sure = odds.argmax(axis=1), odds.max(axis=1)
    numbers = range(odds.shape[1])
    confusion = [[int(((label == row) & (told == column)).sum()) for column in numbers] for row in numbers]
    f1: list[float | None] = []
    for number in numbers:
        both = confusion[number][number]
        either = int((label == number).sum() + (told == number).sum())
        f1.append(2 * both / either if either else None)  # of a class that there is none of
    confident = sure >= SURE
    right = float((told == label)[confident].mean()) if confident.any() else None
    return {
        "deals": len(label),
        "accuracy": float((told == label).mean()),
        "majority": float(np.bincount(label, minlength=len(numbers)).max() / len(label)),
        "macro_f1": float(np.mean([each for each in f1 if each is not None])),
        "f1": f1,
        "confusion": confusion,
        "at_0.9": {"share": float(confident.mean()), "right": right},
    }


def _epoch(
    network: DealStrength, optimiser: torch.optim.Optimizer, lessons: Lessons, number: int, epochs: int, seed: int
) -> float:
    """Once through all lessons; returns the mean loss. Chance is decided by the seed and the number of the epoch."""
    order = np.random.default_rng([seed64(seed), number]).permutation(len(lessons.label))
    batches = np.array_split(order, max(1, len(order) // network.preset.batch))
    losses = []
    network.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(hash((seed, number)) % 2**31)
        for place, rows in enumerate(batches):
            passed = (number + place / len(batches)) / epochs
            for group in optimiser.param_groups:
                group["lr"] = network.preset.rate * (1 + cos(pi * passed)) / 2
            batch = lessons.at(rows)
            loss = nn.functional.cross_entropy(network(batch.counts, batch.told), batch.label)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
    return float(np.mean(losses))


def _tell(number: int, loss: float, logits: Tensor, label: Tensor) -> Epoch:
    tested = float(nn.functional.cross_entropy(logits, label))
    return Epoch(number, loss, tested, float((logits.argmax(dim=1) == label).float().mean()))


def _state(
    network: DealStrength, optimiser: torch.optim.Optimizer, history: list[Epoch], best: dict[str, Tensor]
) -> dict[str, Any]:
    return {
        "network": network.state_dict(),
        "optimiser": optimiser.state_dict(),
        "history": [vars(epoch) for epoch in history],
        "best": best,
    }
