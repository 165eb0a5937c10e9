"""What the seats to decide see at some tables, as the columns that circuits are told."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play.state import State
from abl_cards.games.reading.cells import NO_CELL
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices
from abl_cards.games.telling.writer import Fill
from abl_cards.parallel import each_share


class View:
    """Some tables from the eyes of a seat at each; what it sees is kept, so it may be asked as long as nobody moves."""

    def __init__(self, rules: Rules, state: State, which: Indices, seats: NDArray[np.int8]) -> None:
        """Look at tables [n] from the eyes of seats [n]."""
        self.rules, self.state, self.which, self.seats = rules, state, which, seats
        self.hand = state.hands[which, seats]  # [n, kinds]
        self.to_beat = state.to_beat[which]
        self.context = state.context[which]

    def __len__(self) -> int:
        return len(self.which)

    @cached_property
    def others(self) -> NDArray[np.int8]:
        """[n, others] the other seats in the order of play."""
        return others_of(self.rules, self.seats)

    @cached_property
    def hidden_hands(self) -> NDArray[np.uint8]:
        """[n, others, kinds] what the other seats hold."""
        return self.state.hands[self.which[:, None], self.others]

    @cached_property
    def unseen(self) -> NDArray[np.uint8]:
        """[n, kinds] the cards that the seats do not see: in the other hands, and aside."""
        unseen: NDArray[np.uint8] = self.hidden_hands.sum(axis=1, dtype=np.uint8) + self.state.aside[self.which]
        return unseen

    @cached_property
    def sizes(self) -> NDArray[np.int16]:
        """[n, others] how many cards the others hold."""
        return self.hidden_hands.sum(axis=2, dtype=np.int16)

    @cached_property
    def top(self) -> NDArray[np.int16]:
        """[n] whose play is to beat, as a number of the others; -1 when leading."""
        place = (self.others == self.state.owner[self.which][:, None]).argmax(axis=1).astype(np.int16)
        return np.where(self.to_beat >= 0, place, np.int16(-1))

    @cached_property
    def fills(self) -> Mapping[str, Fill]:
        """What fills each group of columns."""
        return {
            "hand": self._cells(lambda: self.hand),
            "size": lambda lo, hi, columns: _put(columns, lo, hi, self.hand[lo:hi].sum(axis=1)[None]),
            "unseen": self._cells(lambda: self.unseen),
            "gone": self._cells(lambda: self.state.played[self.which].sum(axis=1, dtype=np.uint8)),
            "sizes": lambda lo, hi, columns: _put(columns, lo, hi, self.sizes[lo:hi].T),
            "trick": lambda lo, hi, columns: _put(columns, lo, hi, np.stack([self.to_beat[lo:hi], self.top[lo:hi]])),
            "seat": lambda lo, hi, columns: _put(columns, lo, hi, self.seats[None, lo:hi]),
            "acts": lambda lo, hi, columns: _put(columns, lo, hi, self.state.acts[self.which[lo:hi]][None]),
            "fluents": lambda lo, hi, columns: _put(columns, lo, hi, self.state.fluents[self.which[lo:hi]].T),
            "act": self._fill_act,
        }

    def _cells(self, cards) -> Fill:
        acts, context = self.rules.cells.acts, self.context

        def fill(lo: int, hi: int, columns: NDArray[np.int16]) -> None:
            fold(cards(), context, acts, lo, hi, columns)

        return fill

    def _fill_act(self, lo: int, hi: int, columns: NDArray[np.int16]) -> None:
        state, which = self.state, self.which[lo:hi]
        for column, field in enumerate((state.acted, state.owner, state.passed, state.gone_by, state.out)):
            columns[column, lo:hi] = field[which]


def others_of(rules: Rules, seats: NDArray[np.int8]) -> NDArray[np.int8]:
    """[n, others] the other seats in the order of play from seats [n] on."""
    after = np.array(rules.table.after, np.int8)
    found, seat = [], seats
    for _ in range(rules.table.seats - 1):
        seat = after[seat]
        found.append(seat)
    return np.stack(found, axis=1)


def _put(columns: NDArray[np.int16], lo: int, hi: int, values: NDArray[np.integer]) -> None:
    columns[:, lo:hi] = values


@njit(cache=True, nogil=True)
def fold(cards, context, acts, lo, hi, columns):
    """Add up how many of cards [n, kinds] act as each cell: columns [cells, n], zero so far."""
    for kind in range(cards.shape[1]):
        for i in range(lo, hi):
            count = cards[i, kind]
            if count:
                for place in range(acts.shape[2]):
                    cell = acts[context[i], kind, place]
                    if cell == NO_CELL:
                        break
                    columns[cell, i] += count


def share(n: int, work) -> None:
    """On all cores."""
    each_share(n, work)
