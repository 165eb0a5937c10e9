"""ABLN, the network that estimates the hands of the other seats (Chen et al. 2025, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from abl_cards.learners.encoders import Encoder, ObservationLayout, mlp
from abl_cards.learners.presets import Preset

_PRIOR_EPS = 1e-3  # a prior is never surer than this


class ABLN(nn.Module):
    """How many copies of each card each of the other seats holds, as ``copies * sigmoid`` of a deep network."""

    copies: Tensor

    def __init__(self, layout: ObservationLayout, preset: Preset, num_others: int, copies: Sequence[int]) -> None:
        """For a game with so many other seats, and so many copies of each card: no estimate is greater."""
        super().__init__()
        cards = len(copies)
        self.register_buffer("copies", torch.tensor(copies, dtype=torch.float32), persistent=False)
        self.shape, self.uses_prior = (num_others, cards), preset.abln_uses_prior
        self.encoder = Encoder(layout, preset.encoder)
        told = preset.encoder.out_size + self.uses_prior * num_others * cards
        self.estimate = mlp((told, *preset.abln_hidden, num_others * cards))
        if self.uses_prior:
            nn.init.zeros_(self.estimate[-1].weight)  # type: ignore[arg-type]
            nn.init.zeros_(self.estimate[-1].bias)  # type: ignore[arg-type]

    def forward(self, observation: Tensor, prior: Tensor) -> Tensor:
        """Observations [n, features] to [n, others, cards], each number from 0 to the copies there are.

        The prior [n, others, cards] is what can be said without learning; a preset may leave it aside.
        """
        hidden = torch.relu(self.encoder(observation))
        if not self.uses_prior:
            return self.copies * torch.sigmoid(self.estimate(hidden)).view(-1, *self.shape)
        change = self.estimate(torch.cat([hidden, prior.flatten(1)], dim=1)).view(-1, *self.shape)
        estimate: Tensor = self.copies * torch.sigmoid(torch.logit(prior / self.copies, eps=_PRIOR_EPS) + change)
        return estimate


def hands_loss(estimate: Tensor, hands: Tensor) -> Tensor:
    """The mean squared error of algorithm 1: estimate and true hands [n, others, cards]."""
    return nn.functional.mse_loss(estimate, hands)
