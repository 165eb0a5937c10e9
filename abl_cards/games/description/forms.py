"""Forms of plays: the groups of cards, wild cards and kickers that realise a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term

PASS_TERM = "pass"
"""Label and form of a pass."""
NO_PASS_REMEDY = "write label(pass). form(pass,pass). kind(pass,pass)."
"""Remedy where a pass has no form."""
MAX_FORMS = 32_000
"""Maximum numbers of forms and of labels."""
MAX_KICKERS = 15
"""Maximum number of groups of kickers of one rank, as they are bits of a word."""
MAX_GROUPS = 32
"""Maximum number of groups of a form, by the size of scratch arrays in the kernels."""
MAX_CARDS = 120
"""Maximum number of cards of a form, kickers included."""

BitMask = int
"""Integer whose bits are flags."""


@dataclass(frozen=True)
class CardGroup:
    """Cards of a form that act as one cell."""

    cell: int  # index of the cell
    count: int  # number of cards
    min_natural: int  # number of these that must not be wild
    only_kind: int | None  # kind that all of the cards must be, None for any


@dataclass(frozen=True)
class Kickers:
    """Kickers of a form: groups of cards that act as one cell, chosen among several cells."""

    num_groups: int  # number of groups
    group_size: int  # cards in each group
    allowed: Mapping[int, BitMask]  # by cell: bit K if K groups may be of it
    misread: Mapping[int, BitMask]  # by cell: bit K if a lead with K groups of it is a play of another form


@dataclass(frozen=True)
class Form:
    """Form of a play: the groups of cards that realise a label."""

    name: Term
    label: int  # index of the label
    kind: Term  # kind of play; only plays of one kind are compared
    groups: tuple[CardGroup, ...]
    max_wilds: int  # number of wild cards that may substitute
    min_wilds: int  # number of these that must
    suit: Term | None  # suit of all cards, None for any
    has_mixed_suits: bool  # the cards must be of at least two suits
    kickers: Kickers | None
    has_kickers_apart: bool  # the two kinds of jokers may not be kickers together
    excluded_forms: tuple[Term, ...] = ()  # forms whose card sets are not of this form

    @property
    def has_own_kickers(self) -> bool:
        """True if kickers may act as the cell of a group."""
        return self.kickers is not None and any(group.cell in self.kickers.allowed for group in self.groups)

    @property
    def wild_range(self) -> tuple[int, int]:
        """Least and greatest number of wild cards that substitute."""
        return self.min_wilds, self.max_wilds

    @property
    def num_cards(self) -> int:
        """Number of cards, kickers included."""
        num_kicker_cards = self.kickers.num_groups * self.kickers.group_size if self.kickers else 0
        return sum(group.count for group in self.groups) + num_kicker_cards


@dataclass(frozen=True)
class Forms:
    """Labels and forms of a game.

    Attributes:
        labels: Labels in the order of masks and policies.
        forms: Forms sorted by label, then by number of cards.
    """

    labels: tuple[Term, ...]
    forms: tuple[Form, ...]

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def index(self) -> dict[Term, int]:
        """Index of each form by its name."""
        return {form.name: index for index, form in enumerate(self.forms)}

    @cached_property
    def label_index(self) -> dict[Term, int]:
        """Index of each label."""
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def label_of(self) -> NDArray[np.int16]:
        """[forms] index of the label of each form."""
        return np.array([form.label for form in self.forms], np.int16)

    @cached_property
    def num_cards(self) -> NDArray[np.int64]:
        """[forms] number of cards of each form."""
        return np.array([form.num_cards for form in self.forms], np.int64)

    @cached_property
    def group_cells(self) -> tuple[int, ...]:
        """Indices of the cells that groups of cards take, kickers excluded, in ascending order."""
        return tuple(sorted({group.cell for form in self.forms for group in form.groups}))

    @cached_property
    def group_counts(self) -> NDArray[np.int16]:
        """[forms, group_cells] number of cards that the groups of each form take of each cell."""
        columns = {cell: column for column, cell in enumerate(self.group_cells)}
        counts = np.zeros((len(self.forms), len(columns)), np.int16)
        for row, form in enumerate(self.forms):
            for group in form.groups:
                counts[row, columns[group.cell]] += group.count
        return counts

    @cached_property
    def label_min_cards(self) -> NDArray[np.int16]:
        """[labels] number of cards of the smallest form of each label; 0 for a label without a form."""
        cards = np.full(len(self.labels), np.iinfo(np.int16).max, np.int16)
        np.minimum.at(cards, self.label_of, np.array([form.num_cards for form in self.forms], np.int16))
        return np.where(cards == np.iinfo(np.int16).max, 0, cards).astype(np.int16)

    @cached_property
    def pass_form(self) -> int:
        """Index of the form of a pass."""
        return self.index[PASS_TERM]

    @cached_property
    def max_cards(self) -> int:
        """Number of cards of the largest form; 1 without any, the width of an option in lists of moves."""
        return max(1, *(form.num_cards for form in self.forms))
