"""ABLN, the network that estimates the hands of the other seats (Chen et al. 2025, section 2.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from learners.encoders import Encoder, Layout, multilayer
from learners.presets import Preset

COPIES = 2
"""No card exists more often, so estimates end there."""
_NEVER = 1e-3  # a prior is never surer than this


class ABLN(nn.Module):
    """How many copies of each card each of the other seats holds, as ``2 * sigmoid`` of a deep network."""

    def __init__(self, layout: Layout, preset: Preset, others: int, cards: int) -> None:
        """For a game with so many other seats, and hands as vectors of so many cards."""
        super().__init__()
        self.shape, self.from_prior = (others, cards), preset.abln_prior
        self.encoder = Encoder(layout, preset.encoder)
        told = preset.encoder.out + self.from_prior * others * cards
        self.estimate = multilayer((told, *preset.abln_hidden, others * cards))
        if self.from_prior:
            nn.init.zeros_(self.estimate[-1].weight)  # type: ignore[arg-type]
            nn.init.zeros_(self.estimate[-1].bias)  # type: ignore[arg-type]

    def forward(self, observation: Tensor, prior: Tensor) -> Tensor:
        """Observations [n, features] to [n, others, cards], each number in 0..2.

        The prior [n, others, cards] is what can be said without learning; a preset may leave it aside.
        """
        hidden = torch.relu(self.encoder(observation))
        if not self.from_prior:
            return COPIES * torch.sigmoid(self.estimate(hidden)).view(-1, *self.shape)
        change = self.estimate(torch.cat([hidden, prior.flatten(1)], dim=1)).view(-1, *self.shape)
        estimate: Tensor = COPIES * torch.sigmoid(torch.logit(prior / COPIES, eps=_NEVER) + change)
        return estimate


def hands_loss(estimate: Tensor, hands: Tensor) -> Tensor:
    """The mean squared error of algorithm 1: estimate and true hands [n, others, cards]."""
    return nn.functional.mse_loss(estimate, hands)
