"""Random cards for the forms of a game, and the forms that have too many card sets to list."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import WILD, CardGroup, Form, parse_rank_and_suit
from abl_cards.games.types import MAX_CARD_SETS


def find_large_forms(rules: CompiledGame) -> NDArray[np.bool_]:
    """Find the forms of which the whole pack may have more card sets than are enumerated in a moment.

    One is drawn by enumerating all of them where cards are wild, a label has several forms, or a form excludes others.

    Args:
        rules: Compiled rules.

    Returns:
        bool [forms], where that is so.
    """
    acts_as, names, forms = rules.cells.acts_as, rules.cells.names, rules.forms.forms
    copies = [int(((acts_as == cell).any(axis=2) @ rules.pack.copies).max()) for cell in range(len(names))]
    num_wilds = copies[rules.cells.index[WILD]] if WILD in rules.cells.index else 0
    num_forms = np.bincount(rules.forms.label_of, minlength=len(rules.labels))

    def count_sets(form: Form) -> int:
        count = prod(comb(copies[group.cell] + min(num_wilds, form.max_wilds), group.count) for group in form.groups)
        if form.kickers is None or not form.kickers.allowed:
            return count
        cells, size = form.kickers.allowed, form.kickers.group_size
        sets_of_cell = max(comb(copies[cell], size) for cell in cells)
        return count * comb(len(cells), form.kickers.num_groups) * sets_of_cell**form.kickers.num_groups

    return np.array([
        (num_wilds > 0 or num_forms[form.label] > 1 or len(form.excluded_forms) > 0)
        and count_sets(form) > MAX_CARD_SETS
        for form in forms
    ], np.bool_)  # fmt: skip


class FormCardSampler:
    """Sampler of cards that make up a form."""

    def __init__(self, rules: CompiledGame, rng: np.random.Generator) -> None:
        """Make a sampler for a game."""
        self._rules, self._rng = rules, rng
        self._kind_cache: dict[tuple[int, int], list[int]] = {}
        self._suits = [parts[1] if (parts := parse_rank_and_suit(kind)) else None for kind in rules.pack.kinds]
        self._vacant = {cell for (cell,) in rules.kb.facts("vacant", 1)}
        self._wild_kinds = [rules.cells.find_kinds(WILD, context) for context in range(len(rules.cells.acts_as))]

    def add_form(self, form: Form, context: int, hand: NDArray[np.uint8]) -> None:
        """Add the cards of a form to a hand [kinds], some of them wild."""
        wilds = min(form.max_wilds, len(self._wild_kinds[context])) if self._rng.random() < 0.3 else 0
        vacant = {group.cell: group.count for group in form.groups if self._is_vacant(group.cell)}
        wilds = max(wilds, form.min_wilds) - sum(vacant.values())
        for group in form.groups:
            kinds = self._find_group_kinds(form, group, context)
            stand_ins = min(wilds, group.count - group.min_natural)
            wilds -= max(0, stand_ins)
            stand_ins = vacant.get(group.cell, stand_ins)
            self._add_cards(self._wild_kinds[context], stand_ins, hand)
            self._add_cards(kinds, group.count - max(0, stand_ins), hand)
        if form.kickers:
            cells = list(form.kickers.allowed)
            for cell in self._rng.choice(cells, min(form.kickers.num_groups, len(cells)), replace=False):
                self._add_cards(self._find_kinds(int(cell), context), form.kickers.group_size, hand)

    def choose_cards(self, form: Form, context: int, available: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Choose few of the available cards [kinds], with a card set of a form among them if there is one."""
        chosen = np.zeros_like(available)
        self._add_cards(self._wild_kinds[context], form.max_wilds, chosen, available)
        for group in form.groups:
            self._add_cards(self._find_group_kinds(form, group, context), group.count, chosen, available - chosen)
        if form.kickers:
            by_cell = [self._find_kinds(cell, context) for cell in form.kickers.allowed]
            many = [kinds for kinds in by_cell if int((available - chosen)[kinds].sum()) >= form.kickers.group_size]
            for index in self._rng.permutation(len(many))[: form.kickers.num_groups]:
                self._add_cards(many[index], form.kickers.group_size, chosen, available - chosen)
        return chosen

    def _add_cards(
        self, kinds: Sequence[int], count: int, hand: NDArray[np.uint8], available: NDArray[np.integer] | None = None
    ) -> None:
        """Add random copies of some kinds to a hand, from the available cards [kinds] or else the whole pack."""
        left = self._rules.pack.copies if available is None else available
        copies = [kind for kind in kinds for _ in range(int(left[kind]))]
        if count > 0 and copies:
            chosen = self._rng.permutation(len(copies))[:count]
            np.add.at(hand, [copies[index] for index in chosen], 1)

    def _find_group_kinds(self, form: Form, group: CardGroup, context: int) -> Sequence[int]:
        """Return the kinds of natural cards that a group of a form may take."""
        kinds = self._find_kinds(group.cell, context) if group.only_kind is None else [group.only_kind]
        return kinds if form.suit is None else [kind for kind in kinds if self._suits[kind] == form.suit]

    def _is_vacant(self, cell: int) -> bool:
        """Return True if no card acts as a cell, so that wild cards alone lie there."""
        return self._rules.cells.names[cell] in self._vacant

    def _find_kinds(self, cell: int, context: int) -> list[int]:
        """Return the kinds of cards that act as a cell."""
        if (cell, context) not in self._kind_cache:
            acts = self._rules.cells.acts_as[context]
            self._kind_cache[cell, context] = np.flatnonzero((acts == cell).any(axis=1)).tolist()
        return self._kind_cache[cell, context]
