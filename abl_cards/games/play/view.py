"""What the seats to decide see at some tables, as the columns that circuits are told."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play import stock
from abl_cards.games.play.state import State, count_cards
from abl_cards.games.play.trail import Trail
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, MoveLists
from abl_cards.games.telling.counted import Held, Laid
from abl_cards.games.telling.seeing import add_unseen
from abl_cards.games.telling.writer import Fill, by_share, lazily, rows_of, rows_seen

UNTOLD = 'nobody says how many cards the others hold: give "cards", or a record'
"""What is wrong with a state that says too little for who estimates hands."""

NO_EVENT = -1
"""What happens, what is asked for, what was chosen and by whom, as long as seats play."""


class View:
    """Some tables from the eyes of a seat at each; what it sees is kept, so it may be asked as long as nobody moves."""

    def __init__(
        self, rules: Rules, state: State, which: Indices, seats: NDArray[np.int8], at_table: bool = True,
        trail: Trail | None = None,
    ) -> None:  # fmt: skip
        """Look at tables [n] from the eyes of seats [n]; away from a table nobody knows how many cards others hold.

        The trail is what they remember of the last acts, if they do.
        """
        self.trail = trail
        self.rules, self.state, self.which, self.seats, self.at_table = rules, state, which, seats, at_table
        every = state.hands.reshape(-1, state.hands.shape[2])
        self.hand = every.take(which * state.hands.shape[1] + seats, axis=0)  # [n, kinds]
        self.to_beat = state.to_beat[which]
        self.context = state.context[which]
        self.counted: list[
            tuple[object, MoveLists, NDArray[np.uint8]]
        ] = []  # plays left, and by whom they were counted
        self.ending_plays: Callable[[], Sequence[int]] | None = None  # of a state in JSON, see words/inference.py

    def __len__(self) -> int:
        return len(self.which)

    def at(self, rows: NDArray[np.int64]) -> View:
        """Some of these."""
        some = View(self.rules, self.state, self.which[rows], self.seats[rows], self.at_table, self.trail)
        some.ending_plays = self.ending_plays
        return some

    @cached_property
    def others(self) -> NDArray[np.int8]:
        """[n, others] the other seats in the order of play."""
        return self.rules.table.others[self.seats]

    @cached_property
    def hidden_hands(self) -> NDArray[np.uint8]:
        """[n, others, kinds] what the other seats hold."""
        return self.state.hands[self.which[:, None], self.others]

    @cached_property
    def unseen(self) -> NDArray[np.uint8]:
        """[n, kinds] the cards that the seats do not see: in the other hands, and aside."""
        unseen = np.zeros_like(self.hand)
        add_unseen(self.state.hands, self.state.aside, self.which, self.seats, unseen)
        return unseen

    @cached_property
    def sizes(self) -> NDArray[np.int16]:
        """[n, others] how many cards the others hold."""
        hands = self.hidden_hands
        sizes: NDArray[np.int16] = count_cards(hands.reshape(-1, hands.shape[2])).reshape(hands.shape[:2])
        return sizes

    @cached_property
    def top(self) -> NDArray[np.int16]:
        """[n] whose play is to beat, as a number of the others; -1 when leading."""
        theirs = self.others == self.state.owner[self.which][:, None]
        place = theirs.argmax(axis=1).astype(np.int16)
        return np.where((self.to_beat >= 0) & theirs.any(axis=1), place, np.int16(-1))

    @property
    def fills(self) -> Mapping[str, Fill]:
        """What fills each group of columns; made anew, for what is kept would hold the view that holds it."""
        state, which = self.state, self.which
        return {
            "hand": self._counted(lambda: self.hand[:, None]),
            "size": by_share(lambda _, share: count_cards(self.hand[share])),
            "unseen": self._counted(lambda: self.unseen[:, None]),
            "gone": self._counted(lambda: self.gone[:, None]),
            "sizes": lazily(lambda other: self.sizes[:, other]),
            "trick": lazily(lambda column: self.top if column else self.to_beat),
            "seat": lazily(lambda _: self.seats),
            "acts": by_share(lambda _, share: state.acts[which[share]]),
            "fluents": self._fluents,
            "lies": Laid(self.rules.cells, state.lies, which, lambda: self.context),
            "laying": fill_laying(state.lies, which),
            "leader": by_share(lambda _, share: state.leader[which[share]]),
            "act": lazily(lambda column: act_column(state, which, column)),
            "face": self._counted(lambda: self.hidden_hands),
            "stock": lazily(lambda _: stock.left(self.rules, state, which)),
            "drew": lazily(lambda _: state.drew[which]),
            "drawn": lazily(lambda _: np.where(state.drew[which] == self.seats, stock.card_drawn(state, which), -1)),
            "event": lazily(lambda _: np.full(len(which), NO_EVENT, np.int16)),
        }

    @property
    def _fluents(self) -> Fill:
        """What is remembered, but for what is told to other seats alone."""
        fluents, state = self.rules.fluents, self.state.fluents
        if not len(fluents.private):
            return rows_of(state, self.which)
        return rows_seen(state, self.which, self.seats, fluents.whose, fluents.nothing)

    @cached_property
    def gone(self) -> NDArray[np.uint8]:
        """[n, kinds] the cards laid down in the episode."""
        gone: NDArray[np.uint8] = self.state.played[self.which].sum(axis=1, dtype=np.uint8)
        return gone

    def _counted(self, cards: Callable[[], NDArray[np.uint8]]) -> Fill:
        """How many of cards [n, blocks, kinds] act as each cell."""
        return Held(self.rules.cells, cards, None, lambda: self.context)


def fill_laying(lies: NDArray[np.uint8], which: Indices) -> Fill:
    """How many cards each seat has laid in the tricks lies [tables, seats, kinds] at tables which [n]."""
    return lambda lo, hi, columns, used: _laying(lies, which, used, lo, hi, columns)


@njit(cache=True, nogil=True)
def _laying(lies, which, used, lo, hi, columns):
    flat, seats, kinds = lies.reshape(lies.size), np.uint64(lies.shape[1]), np.uint64(lies.shape[2])
    for i in range(lo, hi):
        for place in range(len(used)):
            first, count = (np.uint64(which[i]) * seats + np.uint64(used[place])) * kinds, np.uint64(0)
            for kind in range(kinds):
                count += flat[first + kind]
            columns[place, i] = count


def act_column(state: State, which: Indices, column: int) -> NDArray[np.integer]:
    """Who acted, whose play is to beat, who has passed since, and in the trick, and who is out."""
    field: NDArray[np.integer] = (state.acted, state.owner, state.passed, state.gone_by, state.out)[column]
    return field[which]
