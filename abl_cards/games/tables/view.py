"""What the seats to decide see at some tables, as the columns that circuits are told."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.binding import (
    ColumnWriter,
    HandCardCounts,
    TrickCardCounts,
    make_gather_writer,
    make_lazy_writer,
    make_masked_writer,
    make_sliced_writer,
)
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import TableState, count_cards
from abl_cards.games.tables import stock
from abl_cards.games.tables.history import PlayHistory
from abl_cards.games.tables.observation_kernels import count_unseen
from abl_cards.games.types import Indices, MoveLists

HAND_SIZES_MISSING = 'nobody says how many cards the others hold: give "cards", or a record'
"""What is wrong with a state that says too little for who estimates hands."""

NO_EVENT = -1
"""What happens, what is asked for, what was chosen and by whom, as long as seats play."""


class PlayerView:
    """Some tables from the eyes of a seat at each; what it sees is kept, so it may be asked as long as nobody moves."""

    def __init__(
        self, rules: CompiledGame, state: TableState, rows: Indices, seats: NDArray[np.int8],
        has_hand_sizes: bool = True, history: PlayHistory | None = None,
    ) -> None:  # fmt: skip
        """Look at tables [n] from the eyes of seats [n]; away from a table nobody knows how many cards others hold.

        The trail is what they remember of the last acts, if they do.
        """
        self.history = history
        self.rules, self.state, self.rows, self.seats, self.has_hand_sizes = rules, state, rows, seats, has_hand_sizes
        every = state.hands.reshape(-1, state.hands.shape[2])
        self.hand = every.take(rows * state.hands.shape[1] + seats, axis=0)  # [n, kinds]
        self.to_beat = state.to_beat[rows]
        self.context = state.context[rows]
        self.plays_left_cache: list[
            tuple[object, MoveLists, NDArray[np.uint8]]
        ] = []  # plays left, and by whom they were counted
        self.play_counts: Callable[[], Sequence[int]] | None = None  # of a state in JSON, see notation/inference.py

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, rows: NDArray[np.int64]) -> PlayerView:
        """Some of these."""
        some = PlayerView(self.rules, self.state, self.rows[rows], self.seats[rows], self.has_hand_sizes, self.history)
        some.play_counts = self.play_counts
        return some

    @cached_property
    def other_seats(self) -> NDArray[np.int8]:
        """[n, others] the other seats in the order of play."""
        return self.rules.seating.others[self.seats]

    @cached_property
    def hidden_hands(self) -> NDArray[np.uint8]:
        """[n, others, kinds] what the other seats hold."""
        return self.state.hands[self.rows[:, None], self.other_seats]

    @cached_property
    def unseen(self) -> NDArray[np.uint8]:
        """[n, kinds] the cards that the seats do not see: in the other hands, and aside."""
        unseen = np.zeros_like(self.hand)
        count_unseen(self.state.hands, self.state.aside, self.rows, self.seats, unseen)
        return unseen

    @cached_property
    def hidden_hand_sizes(self) -> NDArray[np.int16]:
        """[n, others] how many cards the others hold."""
        hands = self.hidden_hands
        sizes: NDArray[np.int16] = count_cards(hands.reshape(-1, hands.shape[2])).reshape(hands.shape[:2])
        return sizes

    @cached_property
    def top_other(self) -> NDArray[np.int16]:
        """[n] whose play is to beat, as a number of the others; -1 when leading."""
        theirs = self.other_seats == self.state.owner[self.rows][:, None]
        place = theirs.argmax(axis=1).astype(np.int16)
        return np.where((self.to_beat >= 0) & theirs.any(axis=1), place, np.int16(-1))

    @property
    def column_writers(self) -> Mapping[str, ColumnWriter]:
        """What fills each group of columns; made anew, for what is kept would hold the view that holds it."""
        state, which = self.state, self.rows
        return {
            "hand": self._cell_counts(lambda: self.hand[:, None]),
            "size": make_sliced_writer(lambda _, share: count_cards(self.hand[share])),
            "unseen": self._cell_counts(lambda: self.unseen[:, None]),
            "gone": self._cell_counts(lambda: self.played_cards[:, None]),
            "sizes": make_lazy_writer(lambda other: self.hidden_hand_sizes[:, other]),
            "trick": make_lazy_writer(lambda column: self.top_other if column else self.to_beat),
            "seat": make_lazy_writer(lambda _: self.seats),
            "acts": make_sliced_writer(lambda _, share: state.num_acts[which[share]]),
            "fluents": self._fluents,
            "lies": TrickCardCounts(self.rules.cells, state.trick_cards, which, lambda: self.context),
            "laying": trick_count_columns(state.trick_cards, which),
            "leader": make_sliced_writer(lambda _, share: state.leader[which[share]]),
            "act": make_lazy_writer(lambda column: act_column(state, which, column)),
            "face": self._cell_counts(lambda: self.hidden_hands),
            "stock": make_lazy_writer(lambda _: stock.cards_in_stock(self.rules, state, which)),
            "drew": make_lazy_writer(lambda _: state.last_drawer[which]),
            "drawn": make_lazy_writer(
                lambda _: np.where(state.last_drawer[which] == self.seats, stock.card_drawn(state, which), -1)
            ),
            "event": make_lazy_writer(lambda _: np.full(len(which), NO_EVENT, np.int16)),
        }

    @property
    def _fluents(self) -> ColumnWriter:
        """What is remembered, but for what is told to other seats alone."""
        fluents, state = self.rules.fluents, self.state.fluents
        if not len(fluents.private_slots):
            return make_gather_writer(state, self.rows)
        return make_masked_writer(state, self.rows, self.seats, fluents.slot_owner, fluents.defaults)

    @cached_property
    def played_cards(self) -> NDArray[np.uint8]:
        """[n, kinds] the cards laid down in the episode."""
        gone: NDArray[np.uint8] = self.state.played[self.rows].sum(axis=1, dtype=np.uint8)
        return gone

    def _cell_counts(self, cards: Callable[[], NDArray[np.uint8]]) -> ColumnWriter:
        """How many of cards [n, blocks, kinds] act as each cell."""
        return HandCardCounts(self.rules.cells, cards, None, lambda: self.context)


def trick_count_columns(trick_cards: NDArray[np.uint8], rows: Indices) -> ColumnWriter:
    """How many cards each seat has laid in the tricks trick_cards [tables, seats, kinds] at tables rows [n]."""
    return lambda lo, hi, columns, used: _fill_trick_counts(trick_cards, rows, used, lo, hi, columns)


@njit(cache=True, nogil=True)
def _fill_trick_counts(trick_cards, rows, used, lo, hi, columns):
    flat, seats, kinds = (
        trick_cards.reshape(trick_cards.size),
        np.uint64(trick_cards.shape[1]),
        np.uint64(trick_cards.shape[2]),
    )
    for i in range(lo, hi):
        for place in range(len(used)):
            first, count = (np.uint64(rows[i]) * seats + np.uint64(used[place])) * kinds, np.uint64(0)
            for kind in range(kinds):
                count += flat[first + kind]
            columns[place, i] = count


def act_column(state: TableState, rows: Indices, column: int) -> NDArray[np.integer]:
    """Who acted, whose play is to beat, who has passed since, and in the trick, and who is out."""
    field: NDArray[np.integer] = (state.last_actor, state.owner, state.passed, state.passed_in_trick, state.seats_out)[
        column
    ]
    return field[rows]
