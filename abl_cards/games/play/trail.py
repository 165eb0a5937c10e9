"""What lay on tables before their last acts, for who asks what others would have done had they held other cards.

Only tables that are told to remember have a trail. It is copied as it lies, hidden hands and all; whoever looks back
puts hands of its own imagination into the place of those that it does not see.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play import stock
from abl_cards.games.play.state import State
from abl_cards.games.reading.rules import Rules
from abl_cards.games.snapshots import copy_rows, keep_rows
from abl_cards.games.tables import Indices

if TYPE_CHECKING:
    from abl_cards.games.play.view import View


class Past(NamedTuple):
    """Positions before an act of another seat, with imagined hands."""

    rows: Indices  # [m] which of those that were asked about
    state: State  # of m tables
    label: NDArray[np.int16]  # [m] what was played then


class Trail:
    """The last acts of an episode at n tables."""

    def __init__(self, rules: Rules, n: int, acts: int) -> None:
        """So many acts are kept, whoever made them."""
        self._rules = rules
        self._states = [rules.tables(n) for _ in range(acts)]  # before act k at k % acts
        self._labels = np.full((acts, n), -1, np.int16)

    def note(self, state: State, which: Indices, form: NDArray[np.int16]) -> None:
        """The seats to decide at these tables are about to play these forms [n]."""
        place, label = state.acts[which] % len(self._states), self._rules.forms.label_of[form]
        for number, kept in enumerate(self._states):
            mine = place == number
            rows = which[mine]
            if rows.size:
                keep_rows(state, rows, kept)
                self._labels[number, rows] = label[mine]

    def past(self, view: View, rows: Indices, hands: NDArray[np.uint8]) -> Iterator[Past]:
        """Act by act, the positions before those of others, as if they held hands [m, others, kinds] now.

        Rows [m] are of a view. Left out is where the hands of then cannot be told from what was laid since.
        """
        now, which, seats = view.state, view.which[rows], view.seats[rows]
        done = now.acts[which]
        for kept, labels in zip(self._states, self._labels, strict=True):
            acts = kept.acts[which]
            lately = (acts < done) & (acts >= done - len(self._states)) & (labels[which] >= 0)
            there = np.flatnonzero(lately & (kept.seat[which] != seats))
            if there.size:
                yield self._imagined(kept, labels, now, which[there], seats[there], there, hands[there])

    def _imagined(
        self, kept: State, labels: NDArray[np.int16], now: State, which: Indices, seats: NDArray[np.int8],
        there: Indices, hands: NDArray[np.uint8],
    ) -> Past:  # fmt: skip
        rules, others = self._rules, self._rules.table.others[seats]
        table = which[:, None]
        before = kept.hands[table, others]
        imagined = hands + now.played[table, others] - kept.played[table, others]
        unseen = before.sum(axis=1, dtype=np.int16) + kept.aside[which]
        aside = unseen - imagined.sum(axis=1, dtype=np.int16)
        as_many = imagined.sum(axis=2, dtype=np.int16) == before.sum(axis=2, dtype=np.int16)
        fits = np.flatnonzero(as_many.all(axis=1) & (aside >= 0).all(axis=1))
        state, rows = rules.tables(len(fits)), np.arange(len(fits))[:, None]
        copy_rows(kept, which[fits], state)
        state.hands[rows, others[fits]] = imagined[fits]
        stock.imagine(rules, state, aside[fits].astype(np.uint8))
        if len(rules.fluents.private):
            state.fluents[:] = rules.fluents.seen(state.fluents, seats[fits])
        return Past(there[fits], state, labels[which[fits]])
