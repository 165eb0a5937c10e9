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
from abl_cards.games.types import LEADING, Indices, copy_rows, save_rows

if TYPE_CHECKING:
    from abl_cards.games.tables.events import EventRules
    from abl_cards.games.tables.view import PlayerView


HISTORY_ACTS = 64
"""Acts that are kept, passes included: most of an episode."""
_MAX_POSITIONS = 1 << 14  # positions that are reconstructed together, which bounds the memory


class PastDecisions(NamedTuple):
    """Positions before acts of other seats, with hypothetical hands."""

    rows: Indices  # [m] indices into the rows of the query
    state: TableState  # m tables
    label: NDArray[np.int16]  # [m] label that was played


class PastActs(NamedTuple):
    """Acts of other seats in an episode, the last ones first: what an observer saw of k acts."""

    seat: NDArray[np.int8]  # [k]
    other: Indices  # [k] index of the seat among the others of the observer
    label: NDArray[np.int16]  # [k] label that was played
    played: NDArray[np.uint8]  # [k, kinds] cards that the seat has played from this act on
    unplayed: NDArray[np.uint8]  # [k, kinds] cards that had not been played before
    sizes: Indices  # [k, seats] cards of each hand before
    sides: NDArray[np.int8]  # [k, seats] side of each seat
    context: NDArray[np.int16]  # [k]
    to_beat: NDArray[np.int16]  # [k] form to beat, or LEADING
    label_to_beat: NDArray[np.int16]  # [k] its label, -1 when leading
    owner: NDArray[np.int8]  # [k] seat that made the play to beat
    passed: NDArray[np.uint16]  # [k] bits of the seats that had passed


class PlayHistory:
    """States before the last acts of an episode at n tables."""

    def __init__(self, rules: CompiledGame, num_tables: int, num_acts: int) -> None:
        """Allocate an empty history of the last ``num_acts`` acts of any seats."""
        self._rules, self._num_tables, self._num_acts = rules, num_tables, num_acts
        self._states = rules.create_state(num_acts * num_tables)  # in the rows of `_rows_of`
        self._labels = np.full(num_acts * num_tables, -1, np.int16)

    def record(self, state: TableState, table_rows: Indices, form: NDArray[np.int16]) -> None:
        """Record the states before an act.

        Args:
            state: State of all tables.
            table_rows: int64 [n], tables where a seat is about to act.
            form: int16 [n], forms about to be played.
        """
        rows = self._rows_of(state.num_acts[table_rows], table_rows)
        save_rows(state, table_rows, self._states, rows)
        self._labels[rows] = self._rules.forms.label_of[form]

    def past_decisions(
        self, view: PlayerView, rows: Indices, hands: NDArray[np.uint8], num_acts: int
    ) -> Iterator[PastDecisions]:
        """Reconstruct the positions before the last acts of other seats, given hypothetical hands.

        Args:
            view: View of the observers.
            rows: int64 [m], indices into the view.
            hands: uint8 [m, others, kinds], hypothetical hands of the other seats now.
            num_acts: How many acts of any seats are looked at, the last ones.

        Yields:
            The positions of some rows, the last acts first. Those are omitted where the earlier hands do not follow
            from the hypothetical hands and the cards played since.
        """
        size = max(1, _MAX_POSITIONS // num_acts)
        for first in range(0, len(rows), size):
            part = slice(first, first + size)
            past = self._reconstruct(view, rows[part], hands[part], min(num_acts, self._num_acts))
            if len(past.rows):
                yield past._replace(rows=past.rows + first)

    def past_acts(self, view: PlayerView, row: int, event_rules: EventRules) -> PastActs:
        """Return what an observer has seen of the acts of others.

        Args:
            view: View of the observers.
            row: Index into the view.
            event_rules: Course of play, which says who is on whose side.

        Returns:
            The acts that are kept, without those of hands that have changed otherwise than by plays since.
        """
        rows, past, now = np.array([row]), self._states, view.state
        stored, _ = self._find_acts(view, rows, self._num_acts)
        others = self._rules.seating.others[view.seats[row]].astype(np.int64)
        seat, table = past.seat[stored].astype(np.int64), view.rows[row]
        played = now.played[table, seat] - past.played[stored, seat]
        sizes = past.hands[stored].sum(axis=2, dtype=np.int64)
        sizes_now = now.hands[table].sum(axis=1, dtype=np.int64)
        fits = np.flatnonzero(sizes_now[seat] + played.sum(axis=1, dtype=np.int64) == sizes[np.arange(len(seat)), seat])
        stored, seat = stored[fits], seat[fits]
        to_beat = past.to_beat[stored]
        label_to_beat = np.where(to_beat < 0, np.int16(LEADING), self._rules.forms.label_of[to_beat])
        unplayed = past.hands[stored].sum(axis=1, dtype=np.uint8) + past.aside[stored]
        return PastActs(
            past.seat[stored], (others == seat[:, None]).argmax(axis=1), self._labels[stored], played[fits], unplayed,
            sizes[fits], event_rules.sides_at(past, stored), past.context[stored], to_beat, label_to_beat,
            past.owner[stored], past.passed[stored],
        )  # fmt: skip

    def _rows_of(self, acts: NDArray[np.integer], table_rows: Indices) -> Indices:
        """Return where acts of tables are stored: act k at k % num_acts."""
        rows: Indices = acts % self._num_acts * np.int64(self._num_tables) + table_rows
        return rows

    def _reconstruct(self, view: PlayerView, rows: Indices, hands: NDArray[np.uint8], num_acts: int) -> PastDecisions:
        """Find the last acts of the others, and put hypothetical hands into the states before them."""
        stored, indices = self._find_acts(view, rows, num_acts)
        return self._determinize(view.state, stored, view.rows[rows[indices]], view.seats[rows[indices]], indices,
                                 hands[indices])  # fmt: skip

    def _find_acts(self, view: PlayerView, rows: Indices, num_acts: int) -> tuple[Indices, Indices]:
        """Return where the last acts of others are stored [k], and of which of the rows they are [k]."""
        table_rows, seats = view.rows[rows], view.seats[rows]
        acts = view.state.num_acts[table_rows] - np.arange(1, num_acts + 1)[:, None]
        stored = self._rows_of(acts, table_rows)
        is_recorded = (acts >= 0) & (self._states.num_acts[stored] == acts) & (self._labels[stored] >= 0)
        age, indices = np.nonzero(is_recorded & (self._states.seat[stored] != seats))
        return stored[age, indices], indices

    def _determinize(
        self, now: TableState, stored: Indices, table_rows: Indices, seats: NDArray[np.int8], indices: Indices,
        hands: NDArray[np.uint8],
    ) -> PastDecisions:  # fmt: skip
        """Replace the hidden hands of recorded states by those that lead to the hypothetical hands."""
        rules, past, others = self._rules, self._states, self._rules.seating.others[seats]
        before = past.hands[stored[:, None], others]
        imagined = hands + now.played[table_rows[:, None], others] - past.played[stored[:, None], others]
        unseen = before.sum(axis=1, dtype=np.int16) + past.aside[stored]
        aside = unseen - imagined.sum(axis=1, dtype=np.int16)
        has_same_size = imagined.sum(axis=2, dtype=np.int16) == before.sum(axis=2, dtype=np.int16)
        fits = np.flatnonzero(has_same_size.all(axis=1) & (aside >= 0).all(axis=1))
        state, rows = rules.create_state(len(fits)), np.arange(len(fits))[:, None]
        copy_rows(past, stored[fits], state)
        state.hands[rows, others[fits]] = imagined[fits]
        state.aside[:] = aside[fits]
        if rules.has_draws:
            real_hands, none = past.hands[stored[fits]], np.zeros_like(state.aside)
            hidden = stock.HiddenCards(
                real_hands, past.aside[stored[fits]], seats[fits], none, np.zeros_like(real_hands), none
            )
            stock.determinize_stock(rules, state, hidden)
        if len(rules.fluents.private_slots):
            state.fluents[:] = rules.fluents.mask_private(state.fluents, seats[fits])
        return PastDecisions(indices[fits], state, self._labels[stored[fits]])
