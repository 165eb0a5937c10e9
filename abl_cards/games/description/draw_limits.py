"""Reject forms with more card sets than sampling can count in 64 bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.forms import Form, Forms, Kickers
from abl_cards.games.description.pack import Pack

MAX_WAYS = 1 << 62
"""Maximum number of card sets of a form in one hand."""


def require_countable(forms: Forms, cells: Cells, pack: Pack, get_max_hand_size: Callable[[], int]) -> None:
    """Check that the card sets of each form can be counted.

    A hand of h cards has at most "h choose k" sets of k cards. The size of hands is only computed if the whole pack has
    too many sets, as it takes play to find it.

    Args:
        forms: Forms of the game.
        cells: Cells of the game.
        pack: Pack of the game.
        get_max_hand_size: Returns the maximum number of cards in a hand.

    Raises:
        KBError: A form may have more than MAX_WAYS card sets.
    """
    ways = _WayCounter(cells, pack)
    for form in forms.forms:
        if (
            ways.count_form(form) > MAX_WAYS
            and comb(hand := get_max_hand_size(), min(form.num_cards, hand // 2)) > MAX_WAYS
        ):
            fact = (
                f"kickers({form.name},{form.kickers.num_groups},{form.kickers.group_size})"
                if form.kickers
                else "needs/4"
            )
            raise make_kb_error(
                f"{fact}: form {form.name} may have more than {float(MAX_WAYS):.0e} card sets",
                "let it take fewer cards, or cells of fewer kinds of cards",
                ErrorCode.GAME_TOO_LARGE,
            )


class _WayCounter:
    """Counter of the card sets of forms if the whole pack were one hand."""

    def __init__(self, cells: Cells, pack: Pack) -> None:
        self._copies, self._acts_as = pack.copies.astype(np.int64), cells.acts_as
        self._ways_by_cell: dict[int, list[int]] = {}
        self._kicker_cache: dict[object, int] = {}

    def count_form(self, form: Form) -> int:
        """Return an upper bound of the number of card sets of a form."""
        num_ways = 1 if form.kickers is None else self._count_kickers(form.kickers)
        for group in form.groups:
            num_ways *= self._count_cell(group.cell, group.count)
        return num_ways

    def _count_cell(self, cell: int, count: int) -> int:
        """Count the sets of ``count`` cards of the kinds that act as a cell in any context."""
        if cell not in self._ways_by_cell:
            kinds = np.flatnonzero((self._acts_as == cell).any(axis=(0, 2)))
            self._ways_by_cell[cell] = _count_sets(self._copies[kinds])
        ways = self._ways_by_cell[cell]
        return ways[count] if count < len(ways) else 0

    def _count_kickers(self, kickers: Kickers) -> int:
        """Count the ways to take the groups of kickers."""
        key = kickers.num_groups, kickers.group_size, tuple(sorted(kickers.allowed.items()))
        if key not in self._kicker_cache:
            self._kicker_cache[key] = self._count_kicker_groups(kickers.allowed, kickers.num_groups, kickers.group_size)
        return self._kicker_cache[key]

    def _count_kicker_groups(self, allowed: Mapping[int, int], groups: int, size: int) -> int:
        ways = [1] + [0] * groups
        for cell, bits in allowed.items():
            takes = [1, *(self._count_cell(cell, k * size) if bits >> k & 1 else 0 for k in range(1, groups + 1))]
            ways = [sum(ways[n - k] * takes[k] for k in range(n + 1)) for n in range(groups + 1)]
        return ways[groups]


def _count_sets(copies: NDArray[np.int64]) -> list[int]:
    """Count the sets of 0, 1, 2, … cards of kinds with the given numbers of copies."""
    ways = [1]
    for max_copies in copies.tolist():
        extended = [0] * (len(ways) + max_copies)
        for (n, count), k in product(enumerate(ways), range(max_copies + 1)):
            extended[n + k] += count
        ways = extended
    return ways
