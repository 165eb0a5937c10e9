"""Decisions and options as planes of cards: the observation of EasyTractor (380 × 4 × 14).

A card set has one plane per copy: cards held once, twice, … Order: planes of the folder (``plane/2``), the hand, the
trick by seat, all played cards by seat, and the options.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from abl_cards.games.tables import CardPlanes
from abl_cards.games.types import FeatureTable
from abl_cards.learners.decision import InputTensors

MAX_OPTIONS = 180
"""Options that a decision shows; of more those that cost least by the preferences."""
_CARD_FEATURES = ("hand", "trick", "played")


class Options(NamedTuple):
    """The m options of n decisions, decision by decision in the order of the labels."""

    row: Tensor  # [m] int64 the decision
    slot: Tensor  # [m] int64 its place among those of its decision
    label: Tensor  # [m] int64


def find_options(inputs: InputTensors) -> Options:
    """Find the legal labels, at most ``MAX_OPTIONS`` of a decision."""
    legal = inputs.legal
    if len(legal) and legal.shape[1] > MAX_OPTIONS and int(legal.sum(dim=1).max()) > MAX_OPTIONS:
        costs = inputs.regret if inputs.regret.shape[1] else legal.new_zeros(legal.shape, dtype=torch.float32)
        costs = torch.where(legal, costs, torch.full((), torch.inf))
        legal = legal & (costs.argsort(dim=1, stable=True).argsort(dim=1) < MAX_OPTIONS)
    row, label = legal.nonzero(as_tuple=True)
    return Options(row, (legal.cumsum(dim=1) - 1)[row, label], label)


class PlaneFeatures(nn.Module):
    """Encoder of observations as planes, from fixed features of the game without learned weights."""

    _place: Tensor
    _context: Tensor
    _named: Tensor
    _labels: Tensor

    def __init__(self, planes: CardPlanes, table: FeatureTable) -> None:
        super().__init__()
        self.rows, self.columns, self.copies = planes.rows, planes.columns, planes.max_copies
        self.feature_slices = [table[name] for name in _CARD_FEATURES if name in table.slices]
        self._other_slices = [table[feature.name] for feature in table.features if not feature.has_card_axis]
        self.num_kinds = len(planes.cell_index)
        cards = sum(part.stop - part.start for part in self.feature_slices) // self.num_kinds
        self.num_state_planes = self.copies * (planes.named_planes.shape[1] + cards)
        for name, array in (
            ("_place", planes.cell_index),
            ("_context", planes.context_weights),
            ("_named", planes.named_planes),
            ("_labels", planes.label_cards),
        ):
            self.register_buffer(name, torch.from_numpy(array), persistent=False)

    @property
    def plane_size(self) -> int:
        """Number of cells of a plane."""
        return self.rows * self.columns

    @property
    def num_other_features(self) -> int:
        """Number of features that are not counts of cards, such as fluents and seats."""
        return sum(part.stop - part.start for part in self._other_slices)

    def other_features(self, observation: Tensor) -> Tensor:
        """Return the features that are not counts of cards, [n, num_other_features]."""
        return torch.cat([observation[:, part] for part in self._other_slices], dim=1)

    def to_count_planes(self, cards: Tensor) -> Tensor:
        """Encode copies of each kind [n, sets, kinds] as planes [n, sets * copies, size] of the same dtype."""
        steps = torch.arange(1, self.copies + 1, device=cards.device)
        planes = (cards.unsqueeze(2) >= steps[:, None]).to(cards.dtype)
        return self.scatter_to_planes(planes.flatten(1, 2))

    def scatter_to_planes(self, values: Tensor) -> Tensor:
        """Arrange a number for each kind [n, sets, kinds] as planes [n, sets, size]."""
        planes = values.new_zeros((*values.shape[:2], self.plane_size))
        planes[..., self._place] = values
        return planes

    def compute_context(self, observation: Tensor) -> Tensor:
        """Compute the index of the context [n] from observations [n, features]."""
        return (observation.float() @ self._context.float()).round().long()

    def encode_state(self, observation: Tensor) -> Tensor:
        """Encode observations [n, features] as planes [n, num_state_planes, size]."""
        named = self._named[self.compute_context(observation)].to(observation.dtype) * self.copies
        sets = [torch.unflatten(observation[:, part], 1, (-1, self.num_kinds)) for part in self.feature_slices]
        return self.to_count_planes(torch.cat([named, *sets], dim=1))

    def encode_first_plane(self, observation: Tensor) -> Tensor:
        """Encode the cards of the folder's first plane [n, size]; zeros for a folder without one."""
        named = self._named[self.compute_context(observation)].to(observation.dtype)
        if not named.shape[1]:
            return observation.new_zeros((len(observation), self.plane_size))
        return self.scatter_to_planes(named[:, :1]).squeeze(1)

    def encode_options(self, observation: Tensor, options: Options) -> Tensor:
        """Encode options as planes [m, copies * size] of the cards that would be played from the hand."""
        cards = self._labels[self.compute_context(observation)[options.row], options.label].to(observation.dtype)
        held = observation[:, self.feature_slices[0]][options.row]
        return self.to_count_planes(torch.minimum(cards, held).unsqueeze(1)).flatten(1)
