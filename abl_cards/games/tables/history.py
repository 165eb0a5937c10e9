"""What lay on tables before their last acts, for who asks what others would have done had they held other cards.

Only tables that are told to remember have a trail. It is copied as it lies, hidden hands and all; whoever looks back
puts hands of its own imagination into the place of those that it does not see.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import TableState
from abl_cards.games.tables import stock
from abl_cards.games.types import Indices, copy_rows, save_rows

if TYPE_CHECKING:
    from abl_cards.games.tables.view import PlayerView


class PastDecisions(NamedTuple):
    """Positions before an act of another seat, with imagined hands."""

    rows: Indices  # [m] which of those that were asked about
    state: TableState  # of m tables
    label: NDArray[np.int16]  # [m] what was played then


class PlayHistory:
    """The last acts of an episode at n tables."""

    def __init__(self, rules: CompiledGame, num_tables: int, num_acts: int) -> None:
        """So many acts are kept, whoever made them."""
        self._rules = rules
        self._states = [rules.create_state(num_tables) for _ in range(num_acts)]  # before act k at k % acts
        self._labels = np.full((num_acts, num_tables), -1, np.int16)

    def record(self, state: TableState, table_rows: Indices, form: NDArray[np.int16]) -> None:
        """The seats to decide at these tables are about to play these forms [n]."""
        place, label = state.num_acts[table_rows] % len(self._states), self._rules.forms.label_of[form]
        for number, kept in enumerate(self._states):
            mine = place == number
            rows = table_rows[mine]
            if rows.size:
                save_rows(state, rows, kept)
                self._labels[number, rows] = label[mine]

    def past_decisions(self, view: PlayerView, rows: Indices, hands: NDArray[np.uint8]) -> Iterator[PastDecisions]:
        """Act by act, the positions before those of others, as if they held hands [m, others, kinds] now.

        Rows [m] are of a view. Left out is where the hands of then cannot be told from what was laid since.
        """
        now, which, seats = view.state, view.rows[rows], view.seats[rows]
        done = now.num_acts[which]
        for kept, labels in zip(self._states, self._labels, strict=True):
            acts = kept.num_acts[which]
            lately = (acts < done) & (acts >= done - len(self._states)) & (labels[which] >= 0)
            there = np.flatnonzero(lately & (kept.seat[which] != seats))
            if there.size:
                yield self._determinized(kept, labels, now, which[there], seats[there], there, hands[there])

    def _determinized(
        self, kept: TableState, labels: NDArray[np.int16], now: TableState, table_rows: Indices,
        seats: NDArray[np.int8], there: Indices, hands: NDArray[np.uint8],
    ) -> PastDecisions:  # fmt: skip
        rules, others = self._rules, self._rules.seating.others[seats]
        table = table_rows[:, None]
        before = kept.hands[table, others]
        imagined = hands + now.played[table, others] - kept.played[table, others]
        unseen = before.sum(axis=1, dtype=np.int16) + kept.aside[table_rows]
        aside = unseen - imagined.sum(axis=1, dtype=np.int16)
        as_many = imagined.sum(axis=2, dtype=np.int16) == before.sum(axis=2, dtype=np.int16)
        fits = np.flatnonzero(as_many.all(axis=1) & (aside >= 0).all(axis=1))
        state, rows = rules.create_state(len(fits)), np.arange(len(fits))[:, None]
        copy_rows(kept, table_rows[fits], state)
        state.hands[rows, others[fits]] = imagined[fits]
        stock.determinize_stock(rules, state, aside[fits].astype(np.uint8))
        if len(rules.fluents.private_slots):
            state.fluents[:] = rules.fluents.mask_private(state.fluents, seats[fits])
        return PastDecisions(there[fits], state, labels[table_rows[fits]])
