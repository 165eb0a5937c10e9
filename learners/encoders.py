"""Encoders of observations: fully connected layers over the state, attention over the last acts (section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from abl_cards.games.types import FeatureTable
from abl_cards.learners.presets import EncoderConfig


@dataclass(frozen=True)
class ObservationLayout:
    """The features of an observation that are its state, and those that are steps of its history."""

    size: int
    num_steps: int  # 0 where the observation has no history
    history_slices: tuple[slice, ...]  # features of shape [steps, ...], the cards of each act first
    played_slice: slice  # cards played so far

    @classmethod
    def of(cls, table: FeatureTable) -> ObservationLayout:
        """Derive the layout from a table: features whose name begins with ``recent`` have a row for each step."""
        recent = [feature for feature in table.features if feature.name.startswith("recent")]
        steps = recent[0].shape[0] if recent else 0
        played = table.slices.get("played", slice(0, 0))
        return cls(table.size, steps, tuple(table[feature.name] for feature in recent), played)

    @property
    def state_size(self) -> int:
        """Number of features of the state, which come first."""
        return self.history_slices[0].start if self.history_slices else self.size

    @property
    def step_size(self) -> int:
        """Number of features of a step."""
        return (self.size - self.state_size) // self.num_steps

    @property
    def current_size(self) -> int:
        """Number of features that ``current_features`` returns."""
        acts = self.history_slices[0].stop - self.history_slices[0].start if self.history_slices else 0
        return self.size - (self.played_slice.stop - self.played_slice.start) - acts + self.num_steps

    def current_features(self, observation: Tensor) -> list[Tensor]:
        """Split [n, size] into parts of [n, current_size]: no cards played, but which of the last acts had none."""
        parts = [observation[:, : self.played_slice.start], observation[:, self.played_slice.stop : self.state_size]]
        if self.history_slices:
            cards, *rest = self.history_slices
            acts = torch.unflatten(observation[:, cards], 1, (self.num_steps, -1))
            parts += [acts.sum(dim=2) > 0, *(observation[:, part] for part in rest)]
        return parts

    def split_history(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Split [n, size] into the state [n, state] and the history [n, steps, step]."""
        parts = [
            observation[:, part].reshape(len(observation), self.num_steps, (part.stop - part.start) // self.num_steps)
            for part in self.history_slices
        ]
        return observation[:, : self.state_size], torch.cat(parts, dim=2)


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
