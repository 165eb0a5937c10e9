"""An LSTM with attention that classifies deals (Xin and Li 2023, section 2.3 and table 6).

Attention as in Zhou et al. 2016: the weighted states of all steps are summed. ``paper`` reads 54 cards, by hand, each
an embedded rank. ``small`` reads 15 ranks from low to high, each a vector of 15 numbers that one-hot encodes the copies
in each of the three hands. It also reads the hand values of the knowledge base.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from abl_cards.core import seed64

DEAL_RANKS, HANDS_PER_DEAL, MAX_COPIES, NUM_HAND_FEATURES = 15, 3, 4, 6
"""Ranks, hands, and copies of a rank in a deal; numbers of hand values: points and plays of each hand's split."""
_POINTS_UNIT, _PLAYS_UNIT = 20.0, 8.0  # units of the inputs, about the values of a hand


@dataclass(frozen=True)
class StrengthPreset:
    """Sizes and settings by name; those of table 6 unless noted."""

    name: str
    by_rank: bool = False  # a step a rank, not a step a card
    hand_features: bool = False  # points and plays of the hands as inputs
    embedding: int = 15
    hidden: int = 128
    joint_width: int = 0  # a layer between attention and classes; 0 for none
    dropout: float = 0.5
    batch_size: int = 500
    learning_rate: float = 0.01  # the first one; it falls to nothing along a cosine


STRENGTH_PRESETS = {
    "paper": StrengthPreset("paper"),
    "small": StrengthPreset(
        "small", by_rank=True, hand_features=True, hidden=96, joint_width=64, dropout=0.3, learning_rate=0.004
    ),
}
"""The presets by name."""


@dataclass(frozen=True)
class StrengthCard:
    """Card of the weights of a classifier."""

    game: str
    preset: str
    seed: int
    data: str = ""
    epochs: int = 0
    hours: float = 0.0
    command: str = ""
    results: dict[str, Any] = field(default_factory=dict)


class DealEmbedding(nn.Module):
    """Deals [n, 3, 15] as steps: cards low to high in each hand, or ranks."""

    def __init__(self, preset: StrengthPreset) -> None:
        super().__init__()
        self.by_rank = preset.by_rank
        self.width = HANDS_PER_DEAL * (MAX_COPIES + 1) if self.by_rank else preset.embedding
        self.rank = None if self.by_rank else nn.Embedding(DEAL_RANKS, preset.embedding)

    def forward(self, counts: Tensor) -> Tensor:
        """Embed copies of each rank in each hand, int64, as [n, steps, width]."""
        if self.rank is None:
            hot = nn.functional.one_hot(counts, MAX_COPIES + 1).float()  # [n, 3, 15, 5]
            return hot.permute(0, 2, 1, 3).flatten(2)
        ranks = torch.arange(DEAL_RANKS).repeat(HANDS_PER_DEAL).expand(len(counts), -1)
        cards = torch.repeat_interleave(ranks.flatten(), counts.flatten()).view(len(counts), -1)
        return cast(Tensor, self.rank(cards))


class DealClassifier(nn.Module):
    """Network made from a preset and a seed; returns class logits divided by a temperature."""

    def __init__(self, preset: StrengthPreset, num_classes: int, seed: int = 0) -> None:
        super().__init__()
        self.preset, self.num_classes = preset, num_classes
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed64(seed))
            self.cards = DealEmbedding(preset)
            self.lstm = nn.LSTM(self.cards.width, preset.hidden, batch_first=True)
            self.attention = nn.Linear(preset.hidden, 1, bias=False)
            seen = preset.hidden + NUM_HAND_FEATURES * preset.hand_features
            layers = [nn.Linear(seen, preset.joint_width), nn.ReLU()] if preset.joint_width else []
            self.judge = nn.Sequential(
                nn.Dropout(preset.dropout), *layers, nn.Linear(preset.joint_width or seen, num_classes)
            )
        self.temperature: Tensor
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, counts: Tensor, hand_features: Tensor) -> Tensor:
        """Classify copies [n, 3, 15] int64 with points and plays [n, 6]; returns logits [n, classes]."""
        states, _ = self.lstm(self.cards(counts))  # [n, steps, hidden]
        weights = torch.softmax(self.attention(torch.tanh(states)), dim=1)
        seen = torch.tanh((weights * states).sum(dim=1))
        if self.preset.hand_features:
            seen = torch.cat([seen, hand_features], dim=1)
        return cast(Tensor, self.judge(seen) / self.temperature)


def compute_hand_features(points: NDArray[np.float32], plays: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the hand values [n, 6] from points and plays [n, 3]."""
    return np.concatenate([points / _POINTS_UNIT - 1, plays / _PLAYS_UNIT - 1], axis=1).astype(np.float32)


def fit_temperature(logits: Tensor, classes: Tensor) -> float:
    """Find the divisor of logits [n, classes] that calibrates the probabilities.

    It is fitted on examples outside the training data (Guo et al. 2017).
    """
    scale = torch.zeros((), requires_grad=True)
    optimiser = torch.optim.LBFGS([scale], max_iter=50)

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(logits * torch.exp(-scale), classes)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    return float(torch.exp(scale.detach()))
