"""ABLN, the network that estimates the hands of the other seats (Chen et al. 2025, section 2.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from learners.encoders import Encoder, Layout, multilayer
from learners.presets import Preset

COPIES = 2
"""No card exists more often, so estimates end there."""


class ABLN(nn.Module):
    """How many copies of each card each of the other seats holds, as ``2 * sigmoid`` of a deep network."""

    def __init__(self, layout: Layout, preset: Preset, others: int, cards: int) -> None:
        """For a game with so many other seats, and hands as vectors of so many cards."""
        super().__init__()
        self.shape = (others, cards)
        self.encoder = Encoder(layout, preset.encoder)
        self.estimate = multilayer((preset.encoder.out, *preset.abln_hidden, others * cards))

    def forward(self, observation: Tensor) -> Tensor:
        """[n, features] to [n, others, cards], each number in 0..2."""
        hidden = torch.relu(self.encoder(observation))
        estimate: Tensor = COPIES * torch.sigmoid(self.estimate(hidden)).view(-1, *self.shape)
        return estimate


def hands_loss(estimate: Tensor, hands: Tensor) -> Tensor:
    """The mean squared error of algorithm 1: estimate and true hands [n, others, cards]."""
    return nn.functional.mse_loss(estimate, hands)
