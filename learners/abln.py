"""ABLN, the network that estimates the hands of the other seats (Chen et al. 2025, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from abl_cards.learners.encoders import Encoder, ObservationLayout, mlp
from abl_cards.learners.presets import Preset

_PRIOR_EPS = 1e-3  # priors are clipped to this distance from 0 and 1


class ABLN(nn.Module):
    """Estimate of the copies of each card in each other hand, as ``copies * sigmoid`` of a deep network."""

    copies: Tensor

    def __init__(self, layout: ObservationLayout, preset: Preset, num_others: int, copies: Sequence[int]) -> None:
        """Create the network.

        Args:
            layout: Parts of the observation.
            preset: Sizes.
            num_others: Seats besides the observer's.
            copies: Copies of each card in the pack, the greatest values of an estimate.
        """
        super().__init__()
        cards = len(copies)
        self.register_buffer("copies", torch.tensor(copies, dtype=torch.float32), persistent=False)
        self.shape, self.uses_prior = (num_others, cards), preset.abln_uses_prior
        self.encoder = Encoder(layout, preset.encoder)
        in_size = preset.encoder.out_size + self.uses_prior * num_others * cards
        self.estimate = mlp((in_size, *preset.abln_hidden, num_others * cards))
        if self.uses_prior:
            nn.init.zeros_(self.estimate[-1].weight)  # type: ignore[arg-type]
            nn.init.zeros_(self.estimate[-1].bias)  # type: ignore[arg-type]

    def forward(self, observation: Tensor, prior: Tensor) -> Tensor:
        """Estimate hidden hands.

        Args:
            observation: [n, features] observations.
            prior: [n, others, cards] estimate without learning; unused by some presets.

        Returns:
            [n, others, cards] expected copies.
        """
        hidden = torch.relu(self.encoder(observation))
        if not self.uses_prior:
            return self.copies * torch.sigmoid(self.estimate(hidden)).view(-1, *self.shape)
        change = self.estimate(torch.cat([hidden, prior.flatten(1)], dim=1)).view(-1, *self.shape)
        estimate: Tensor = self.copies * torch.sigmoid(torch.logit(prior / self.copies, eps=_PRIOR_EPS) + change)
        return estimate


def hands_loss(estimate: Tensor, hands: Tensor) -> Tensor:
    """Return the mean squared error (algorithm 1).

    Args:
        estimate: [n, others, cards] estimated copies.
        hands: [n, others, cards] true copies.
    """
    return nn.functional.mse_loss(estimate, hands)
