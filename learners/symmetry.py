"""Orders of the cards under which a game is the same, applied to what learners see: more data from the same games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from abl_cards.games.types import FeatureTable


@dataclass(frozen=True)
class Symmetries:
    """The k orders of the cards, and what each does to an observation."""

    card_order: Tensor  # [k, cards] int64
    feature_order: Tensor  # [k, features] int64

    @classmethod
    def from_orders(cls, orders: NDArray[np.int64], table: FeatureTable) -> Symmetries:
        """From orders [k, cards] and the layout of the observation."""
        features = np.tile(np.arange(table.size), (len(orders), 1))
        for feature in table.features:
            if feature.has_card_axis:
                places = features[0, table[feature.name]].reshape(-1, orders.shape[1])
                features[:, table[feature.name]] = places[:, orders].swapaxes(0, 1).reshape(len(orders), -1)
        return cls(torch.from_numpy(orders.copy()), torch.from_numpy(features))

    def __len__(self) -> int:
        return len(self.card_order)

    def permute_observation(self, symmetry: int, rows: Tensor) -> Tensor:
        """Observations [n, features] with the cards in another order."""
        return rows[:, self.feature_order[symmetry]]

    def permute_hands(self, symmetry: int, rows: Tensor) -> Tensor:
        """Hands or estimates [..., cards] with the cards in another order."""
        return rows[..., self.card_order[symmetry]]
