"""History of the last acts at tables, to evaluate the plays of other seats for hypothetical hands.

Only tables with ``record_history`` keep one. States are copied in full, hidden hands included; ``past_decisions``
replaces the hidden hands by hypothetical ones.
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
    """Positions before acts of other seats, with hypothetical hands."""

    rows: Indices  # [m] indices into the rows of the query
    state: TableState  # m tables
    label: NDArray[np.int16]  # [m] label that was played


class PlayHistory:
    """States before the last acts of an episode at n tables."""

    def __init__(self, rules: CompiledGame, num_tables: int, num_acts: int) -> None:
        """Allocate an empty history of the last ``num_acts`` acts of any seats."""
        self._rules = rules
        self._states = [rules.create_state(num_tables) for _ in range(num_acts)]  # state before act k at k % num_acts
        self._labels = np.full((num_acts, num_tables), -1, np.int16)

    def record(self, state: TableState, table_rows: Indices, form: NDArray[np.int16]) -> None:
        """Record the states before an act.

        Args:
            state: State of all tables.
            table_rows: int64 [n], tables where a seat is about to act.
            form: int16 [n], forms about to be played.
        """
        indices, label = state.num_acts[table_rows] % len(self._states), self._rules.forms.label_of[form]
        for index, past in enumerate(self._states):
            is_here = indices == index
            rows = table_rows[is_here]
            if rows.size:
                save_rows(state, rows, past)
                self._labels[index, rows] = label[is_here]

    def past_decisions(self, view: PlayerView, rows: Indices, hands: NDArray[np.uint8]) -> Iterator[PastDecisions]:
        """Reconstruct the positions before the last acts of other seats, given hypothetical hands.

        Args:
            view: View of the observers.
            rows: int64 [m], indices into the view.
            hands: uint8 [m, others, kinds], hypothetical hands of the other seats now.

        Yields:
            The positions of each act. Rows are omitted where the earlier hands do not follow from the hypothetical
            hands and the cards played since.
        """
        now, table_rows, seats = view.state, view.rows[rows], view.seats[rows]
        num_acts = now.num_acts[table_rows]
        for past, labels in zip(self._states, self._labels, strict=True):
            acts = past.num_acts[table_rows]
            is_recent = (acts < num_acts) & (acts >= num_acts - len(self._states)) & (labels[table_rows] >= 0)
            indices = np.flatnonzero(is_recent & (past.seat[table_rows] != seats))
            if indices.size:
                yield self._determinized(
                    past, labels, now, table_rows[indices], seats[indices], indices, hands[indices]
                )

    def _determinized(
        self, past: TableState, labels: NDArray[np.int16], now: TableState, table_rows: Indices,
        seats: NDArray[np.int8], indices: Indices, hands: NDArray[np.uint8],
    ) -> PastDecisions:  # fmt: skip
        """Replace the hidden hands of recorded states by those that lead to the hypothetical hands."""
        rules, others = self._rules, self._rules.seating.others[seats]
        table = table_rows[:, None]
        before = past.hands[table, others]
        imagined = hands + now.played[table, others] - past.played[table, others]
        unseen = before.sum(axis=1, dtype=np.int16) + past.aside[table_rows]
        aside = unseen - imagined.sum(axis=1, dtype=np.int16)
        has_same_size = imagined.sum(axis=2, dtype=np.int16) == before.sum(axis=2, dtype=np.int16)
        fits = np.flatnonzero(has_same_size.all(axis=1) & (aside >= 0).all(axis=1))
        state, rows = rules.create_state(len(fits)), np.arange(len(fits))[:, None]
        copy_rows(past, table_rows[fits], state)
        state.hands[rows, others[fits]] = imagined[fits]
        state.aside[:] = aside[fits]
        if rules.has_draws:
            hands, none = past.hands[table_rows[fits]], np.zeros_like(state.aside)
            hidden = stock.HiddenCards(
                hands, past.aside[table_rows[fits]], seats[fits], none, np.zeros_like(hands), none
            )
            stock.determinize_stock(rules, state, hidden)
        if len(rules.fluents.private_slots):
            state.fluents[:] = rules.fluents.mask_private(state.fluents, seats[fits])
        return PastDecisions(indices[fits], state, labels[table_rows[fits]])
