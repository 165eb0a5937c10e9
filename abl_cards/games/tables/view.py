"""Views of tables by seats, and the circuit inputs that follow from them."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.binding import (
    HandCardCounts,
    TrickCardCounts,
    make_gather_writer,
    make_lazy_writer,
    make_masked_writer,
    make_sliced_writer,
)
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import GROUPS, ColumnWriter, cards_from_counts
from abl_cards.games.state import TableState, count_cards
from abl_cards.games.tables import stock
from abl_cards.games.tables.history import PlayHistory
from abl_cards.games.tables.observation_kernels import count_unseen
from abl_cards.games.types import Indices, MoveLists

HAND_SIZES_MISSING = 'the state does not say how many cards the others hold: give "cards", or a record'
"""Message for states without the hand sizes of the other seats."""

NO_EVENT = -1
"""Value of the columns of ``event`` while seats play."""


class ColumnSource(ABC):
    """Tables whose columns are written, see ``TableColumns``."""

    rules: CompiledGame
    state: TableState
    rows: Indices

    @property
    def total_dealt(self) -> int:
        """Number of cards that the seats are dealt or draw."""
        return self.rules.num_from_stock

    @abstractmethod
    def get_context(self) -> NDArray[np.integer]:
        """Return the order context of each table [n]."""

    def each(self, values: Callable[[int, Indices], NDArray[np.integer]]) -> ColumnWriter:
        """Return a writer of the array that a column and some of the tables give."""
        rows = self.rows
        return make_sliced_writer(lambda column, share: values(column, rows[share]))

    def trick_cells(self) -> ColumnWriter:
        """Return a writer of how many cards of the trick of each seat act as each cell."""
        return TrickCardCounts(self.rules.cells, self.state.trick_cards, self.rows, self.get_context)

    def trick_sizes(self) -> ColumnWriter:
        """Return a writer of how many cards each seat has played to the trick."""
        return trick_count_columns(self.state.trick_cards, self.rows)

    def drawn_card(self, rows: Indices) -> NDArray[np.int16]:
        """Return the kind of the card just drawn at some tables, -1 for none."""
        return stock.card_drawn(self.state, rows)


class PlayerView(ColumnSource):
    """View of n tables by one seat each; values are cached, so it is valid until a move is made."""

    def __init__(
        self, rules: CompiledGame, state: TableState, rows: Indices, seats: NDArray[np.int8],
        has_hand_sizes: bool = True, history: PlayHistory | None = None,
    ) -> None:  # fmt: skip
        """Make a view.

        Args:
            rules: Compiled rules.
            state: State of all tables.
            rows: int64 [n], tables.
            seats: int8 [n], observer at each table.
            has_hand_sizes: The state gives the hand sizes of the other seats, and so the values that follow from them.
            history: Last acts at the tables, None if not recorded.
        """
        self.history = history
        self.rules, self.state, self.rows, self.seats, self.has_hand_sizes = rules, state, rows, seats, has_hand_sizes
        all_hands = state.hands.reshape(-1, state.hands.shape[2])
        self.hand = all_hands.take(rows * state.hands.shape[1] + seats, axis=0)  # [n, kinds]
        self.to_beat = state.to_beat[rows]
        self.context = state.context[rows]
        # counter, moves, and plays left after each move
        self.plays_left_cache: list[tuple[object, MoveLists, NDArray[np.uint8]]] = []
        # Set for JSON states, see notation/decision_points.py.
        self.play_counts: Callable[[], Sequence[int]] | None = None
        self.has_aside_cards = True  # the state gives the cards that lie aside, if the seat knows them

    def __len__(self) -> int:
        return len(self.rows)

    def seat_text(self, row: int) -> str:
        """Name the observer at a table, for messages."""
        return f"seat {self.seats[row]}" if self.has_hand_sizes else "a seat"

    def state_text(self, row: int) -> str:
        """Describe the hand and the play to beat at a table, for messages."""
        form = int(self.to_beat[row])
        turn = "leads" if form < 0 else f"to beat {self.rules.forms.forms[form].name}"
        return f"{turn}, hand {self.rules.card_codes.to_text(cards_from_counts(self.hand[row])) or 'empty'}"

    def get_context(self) -> NDArray[np.integer]:
        """Return the order context of each table [n]."""
        return self.context

    def select(self, rows: NDArray[np.int64]) -> PlayerView:
        """Return the view of some of the tables.

        Args:
            rows: int64 [m], indices of observers.

        Returns:
            View of m observers.
        """
        selected = PlayerView(
            self.rules, self.state, self.rows[rows], self.seats[rows], self.has_hand_sizes, self.history
        )
        selected.play_counts, selected.has_aside_cards = self.play_counts, self.has_aside_cards
        return selected

    @cached_property
    def other_seats(self) -> NDArray[np.int8]:
        """Other seats in the order of play, from the next one, int8 [n, others]."""
        return self.rules.seating.others[self.seats]

    @cached_property
    def hidden_hands(self) -> NDArray[np.uint8]:
        """Hands of the other seats, uint8 [n, others, kinds]."""
        return self.state.hands[self.rows[:, None], self.other_seats]

    @cached_property
    def unseen(self) -> NDArray[np.uint8]:
        """Cards that the observer does not see, in the other hands and the kitty, uint8 [n, kinds]."""
        unseen = np.zeros_like(self.hand)
        count_unseen(self.state.hands, self.state.aside, self.rows, self.seats, unseen)
        return unseen

    @cached_property
    def hidden_hand_sizes(self) -> NDArray[np.int16]:
        """Hand sizes of the other seats, int16 [n, others]."""
        hands = self.hidden_hands
        sizes: NDArray[np.int16] = count_cards(hands.reshape(-1, hands.shape[2])).reshape(hands.shape[:2])
        return sizes

    @cached_property
    def top_other(self) -> NDArray[np.int16]:
        """Owner of the play to beat as an index of the other seats, int16 [n]; -1 when leading."""
        is_owner = self.other_seats == self.state.owner[self.rows][:, None]
        index = is_owner.argmax(axis=1).astype(np.int16)
        return np.where((self.to_beat >= 0) & is_owner.any(axis=1), index, np.int16(-1))

    @property
    def column_writers(self) -> Mapping[str, ColumnWriter]:
        """Writers of circuit inputs by input group; not cached, because that would be a reference cycle."""
        no_event = self.all(lambda _: np.full(len(self.rows), NO_EVENT, np.int16))
        return {"event": no_event} | {name: group.seat(self) for name, group in GROUPS.items() if group.seat}

    def all(self, values: Callable[[int], NDArray[np.integer]]) -> ColumnWriter:
        """Return a writer of columns [n] of all tables."""
        return make_lazy_writer(values)

    def cells(self, cards: Callable[[], NDArray[np.uint8]]) -> ColumnWriter:
        """Return a writer of the number of cards [n, blocks, kinds] that act as each cell."""
        return HandCardCounts(self.rules.cells, cards, None, self.get_context)

    def hand_size(self) -> ColumnWriter:
        """Return a writer of the number of cards in the hand."""
        return make_sliced_writer(lambda _, share: count_cards(self.hand[share]))

    def fluent_values(self) -> ColumnWriter:
        """Return a writer of the fluents that the observer sees."""
        fluents, state = self.rules.fluents, self.state.fluents
        if not len(fluents.private_slots):
            return make_gather_writer(state, self.rows)
        return make_masked_writer(state, self.rows, self.seats, fluents.slot_owner, fluents.defaults)

    @cached_property
    def played_cards(self) -> NDArray[np.uint8]:
        """Cards played in the episode, uint8 [n, kinds]."""
        cards: NDArray[np.uint8] = self.state.played[self.rows].sum(axis=1, dtype=np.uint8)
        return cards


def trick_count_columns(trick_cards: NDArray[np.uint8], rows: Indices) -> ColumnWriter:
    """Return a writer of the number of cards that each seat has played to the trick.

    Args:
        trick_cards: uint8 [tables, seats, kinds].
        rows: int64 [n], tables.

    Returns:
        Writer of n columns, one row for each seat.
    """
    return lambda lo, hi, columns, used: _fill_trick_counts(trick_cards, rows, used, lo, hi, columns)


@kernel
def _fill_trick_counts(trick_cards, rows, used, lo, hi, columns):
    """Fill columns [used, n] from lo to hi - 1 with the number of trick cards of seats used."""
    flat, seats, kinds = (
        trick_cards.reshape(trick_cards.size),
        np.uint64(trick_cards.shape[1]),
        np.uint64(trick_cards.shape[2]),
    )
    for i in range(lo, hi):
        for index in range(len(used)):
            first, count = (np.uint64(rows[i]) * seats + np.uint64(used[index])) * kinds, np.uint64(0)
            for kind in range(kinds):
                count += flat[first + kind]
            columns[index, i] = count
