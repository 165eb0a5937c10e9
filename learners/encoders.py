"""Encoders of observations: fully connected layers over the state, attention over the last acts (section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from abl_cards.games.types import FeatureTable
from abl_cards.learners.presets import EncoderConfig

CARDS_OF_ACTS = "recent"
HISTORY_FEATURES = (CARDS_OF_ACTS, "recent_seat")
"""Features with a row for each of the last acts, latest last: the cards of the acts, then who made them."""


class HistoryFeature(NamedTuple):
    """A feature with a row for each of the last acts."""

    columns: slice  # of the observation
    num_acts: int
    is_cards: bool  # whether its rows are the cards of the acts


@dataclass(frozen=True)
class ObservationLayout:
    """The features of an observation that are its state, and those that are steps of its history, in any order."""

    size: int
    history: tuple[HistoryFeature, ...]  # the cards of the acts first
    played_slice: slice  # cards played so far

    @classmethod
    def of(cls, table: FeatureTable) -> ObservationLayout:
        """Derive the layout from a table."""
        shapes = {feature.name: feature.shape for feature in table.features}
        history = tuple(
            HistoryFeature(table[name], shapes[name][0], name == CARDS_OF_ACTS)
            for name in HISTORY_FEATURES
            if name in shapes
        )
        return cls(table.size, history, table.slices.get("played", slice(0, 0)))

    @property
    def num_steps(self) -> int:
        """Number of acts of the history, 0 where the observation has none."""
        return max((feature.num_acts for feature in self.history), default=0)

    @cached_property
    def state_slices(self) -> tuple[slice, ...]:
        """Columns of the state."""
        return _complement([feature.columns for feature in self.history], self.size)

    @cached_property
    def current_slices(self) -> tuple[slice, ...]:
        """Columns of the state without the cards played."""
        return _complement([self.played_slice, *(feature.columns for feature in self.history)], self.size)

    @property
    def state_size(self) -> int:
        """Number of features of the state."""
        return sum(map(_width, self.state_slices))

    @property
    def step_size(self) -> int:
        """Number of features of a step."""
        return sum(_width(feature.columns) // feature.num_acts for feature in self.history)

    @property
    def current_size(self) -> int:
        """Number of features that ``current_features`` returns."""
        acts = sum(feature.num_acts if feature.is_cards else _width(feature.columns) for feature in self.history)
        return sum(map(_width, self.current_slices)) + acts

    def current_features(self, observation: Tensor) -> list[Tensor]:
        """Split [n, size] into parts of [n, current_size]: no cards played, but which of the last acts had none."""
        parts = [observation[:, part] for part in self.current_slices]
        for columns, num_acts, is_cards in self.history:
            acts = observation[:, columns]
            parts.append(torch.unflatten(acts, 1, (num_acts, -1)).sum(dim=2) > 0 if is_cards else acts)
        return parts

    def split_history(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Split [n, size] into the state [n, state] and the history [n, steps, step], zero where acts are missing."""
        steps = []
        for columns, num_acts, _ in self.history:
            acts = torch.unflatten(observation[:, columns], 1, (num_acts, -1))
            num_missing = self.num_steps - num_acts
            steps.append(nn.functional.pad(acts, (0, 0, num_missing, 0)) if num_missing else acts)
        state = [observation[:, part] for part in self.state_slices]
        return state[0] if len(state) == 1 else torch.cat(state, dim=1), torch.cat(steps, dim=2)


def _width(part: slice) -> int:
    width: int = part.stop - part.start
    return width


def _complement(parts: Sequence[slice], size: int) -> tuple[slice, ...]:
    """Return what the slices leave of 0..size-1, in order; empty ones divide nothing."""
    bounds = [0]
    for part in sorted(filter(_width, parts), key=lambda part: part.start):
        bounds += [part.start, part.stop]
    bounds.append(size)
    return tuple(slice(low, high) for low, high in zip(bounds[::2], bounds[1::2], strict=True) if low < high)


def mlp(sizes: tuple[int, ...]) -> nn.Sequential:
    """Return fully connected layers with a rectifier between each two."""
    layers: list[nn.Module] = []
    for number, (inner, outer) in enumerate(pairwise(sizes)):
        layers += [nn.ReLU()] * (number > 0) + [nn.Linear(inner, outer)]
    return nn.Sequential(*layers)


class HistoryEncoder(nn.Module):
    """Attention over the last acts."""

    def __init__(self, layout: ObservationLayout, shape: EncoderConfig) -> None:
        super().__init__()
        width = shape.history_width
        self.embed = nn.Linear(layout.step_size, width)
        self.place = nn.Parameter(torch.zeros(layout.num_steps, width))
        self.blocks = nn.ModuleList([_AttentionBlock(width, shape.history_heads) for _ in range(shape.history_layers)])
        self.out = nn.Linear(width * layout.num_steps, shape.history_out)

    def forward(self, history: Tensor) -> Tensor:
        """Map [n, steps, step] to [n, history_out]."""
        hidden = self.embed(history) + self.place
        for block in self.blocks:
            hidden = block(hidden)
        encoded: Tensor = self.out(hidden.flatten(1))
        return encoded


class _AttentionBlock(nn.Module):
    """Self-attention and a small network, each with a residual connection."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen = mlp((width, 2 * width, width))

    def forward(self, hidden: Tensor) -> Tensor:
        """Map [n, steps, width] to [n, steps, width]."""
        n, steps, width = hidden.shape
        mixed = self.mix(self.before(hidden)).view(n, steps, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        # Plain products: the fused kernel takes four times as long over so few steps.
        weights = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).softmax(dim=-1)
        attended = weights.to(value.dtype) @ value
        hidden = hidden + self.join(attended.transpose(1, 2).reshape(n, steps, width))
        wider: Tensor = hidden + self.widen(self.between(hidden))
        return wider


class Encoder(nn.Module):
    """The state and the history as one vector, h_o and h_tau side by side; without a history the state alone."""

    def __init__(self, layout: ObservationLayout, shape: EncoderConfig) -> None:
        super().__init__()
        self.layout = layout
        widths = (shape.state_width,) * (shape.state_layers - 1)
        history_out = shape.history_out if layout.num_steps else 0
        self.state = mlp((layout.state_size, *widths, shape.state_out + shape.history_out - history_out))
        self.history = HistoryEncoder(layout, shape) if layout.num_steps else None

    def forward(self, observation: Tensor) -> Tensor:
        """Map [n, size] to [n, state_out + history_out]."""
        if self.history is None:
            alone: Tensor = self.state(observation)
            return alone
        state, history = self.layout.split_history(observation)
        return torch.cat([self.state(state), self.history(history)], dim=1)
