"""Symmetries of the cards, applied to observations and hands to augment training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from abl_cards.games.types import FeatureTable


@dataclass(frozen=True)
class Symmetries:
    """The k orders of the cards that change no rule, with the orders of features that they imply."""

    card_order: Tensor  # [k, cards] int64
    feature_order: Tensor  # [k, features] int64

    @classmethod
    def from_orders(cls, orders: NDArray[np.int64], table: FeatureTable) -> Symmetries:
        """Derive the symmetries.

        Args:
            orders: [k, cards] orders of the cards.
            table: Features of an observation.
        """
        features = np.tile(np.arange(table.size), (len(orders), 1))
        for feature in table.features:
            if feature.has_card_axis:
                places = features[0, table[feature.name]].reshape(-1, orders.shape[1])
                features[:, table[feature.name]] = places[:, orders].swapaxes(0, 1).reshape(len(orders), -1)
        return cls(torch.from_numpy(orders.copy()), torch.from_numpy(features))

    def __len__(self) -> int:
        return len(self.card_order)

    def permute_observation(self, symmetry: int, rows: Tensor) -> Tensor:
        """Return observations [n, features] with the cards in another order."""
        return rows[:, self.feature_order[symmetry]]

    def permute_hands(self, symmetry: int, rows: Tensor) -> Tensor:
        """Return hands or estimates [..., cards] with the cards in another order."""
        return rows[..., self.card_order[symmetry]]
