"""Thousands of Big2 tables at once; a match is one game, and seat 0 leads.

The state is kept in arrays and changed in place. What happens follows the knowledge base; this module moves cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.decisions import Decisions, count_cards, open_hand
from abl_cards.games.big2.knowledge import AXES, MOST_CARDS, RANK_COUNT, SEATS
from abl_cards.games.big2.observations import observe
from abl_cards.games.big2.rulebook import EPISODE_END, LEADING, TRICK, Rules
from abl_cards.games.faults import blame, stop_where
from abl_cards.games.hidden import Constraints
from abl_cards.games.progress import MOST_IDLE, idle_for_ever
from abl_cards.games.questions import at_least
from abl_cards.games.tables import DRAW, Exchanges, Indices, Listener, Moves
from abl_cards.games.turns import NEXT_SEAT, OVER, TRICK_OVER, UNDECIDED, undecided
from abl_cards.streams import mix_all

_DEAL = 1  # what the random numbers of a game are for
_DECK = np.repeat(np.arange(RANK_COUNT), 4)


class Tables:
    """The state of n tables; see the fields for what each table knows."""

    def __init__(self, rules: Rules, n: int, listener: Listener | None = None) -> None:
        """Tables with nothing on them; see ``begin`` and ``resume``."""
        self.rules, self.listener = rules, listener
        self.keys = np.zeros(n, np.uint64)
        self.hands = np.zeros((n, 2, RANK_COUNT), np.uint8)  # copies of each rank
        self.seat = np.zeros(n, np.int8)  # to decide
        self.to_beat = np.full(n, LEADING, np.int16)  # label
        self.clock = np.zeros(n, np.int32)  # decisions so far
        self.idle = np.zeros(n, np.int32)  # since a card was laid
        self.episode = np.zeros(n, np.int32)
        self.winner = np.full(n, -1, np.int8)
        self.dealt = np.zeros_like(self.hands)

    @classmethod
    def begin(cls, rules: Rules, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """A match a key."""
        tables = cls(rules, len(keys), listener)
        tables.begin_match(np.arange(len(keys)), keys)
        return tables

    @classmethod
    def resume(cls, rules: Rules, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """A match with the cards of each of hands [n, 2, 13], which need not be equally many; seat 0 leads."""
        tables = cls(rules, len(hands), listener)
        tables.hands[:] = tables.dealt[:] = hands
        if listener:
            listener.episode_began(tables, np.arange(len(hands)))
        return tables

    @classmethod
    def imagine(cls, decisions: Decisions, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables as those of decisions rows [m], were the other to hold hands [m, 1, 13]; seat 0 decides."""
        tables = cls.resume(decisions.rules, np.stack([decisions.hand[rows], hands[:, 0]], axis=1))
        tables.to_beat[:] = decisions.to_beat[rows]
        return tables

    def __len__(self) -> int:
        return len(self.keys)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""
        names = ("keys", "hands", "dealt", "seat", "to_beat", "clock", "idle", "episode", "winner")
        return {name: getattr(self, name) for name in names}

    # --- decisions ---------------------------------------------------------------------------------------------------

    def playing(self) -> Indices:
        """The tables where a seat is to play or pass."""
        return np.flatnonzero(self.winner == -1)

    def exchanging(self) -> Indices:
        """There is nothing to exchange in this game."""
        return np.zeros(0, np.int64)

    def decisions(self, which: Indices) -> Decisions:
        """The plays to decide at these tables, which must all be playing."""
        seat = self.seat[which]
        own, other = self.hands[which, seat], self.hands[which, 1 - seat]
        return Decisions(self.rules, which, own, other, self.to_beat[which], seat)

    def exchanges(self, which: Indices) -> Exchanges:
        """There is nothing to exchange in this game."""
        raise ValueError("no table of Big2 exchanges cards")

    def observe(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, features] what seats [n] see at these tables, by default those to decide; see observations.py."""
        seat = self.seat[which] if seats is None else seats
        own, other = self.hands[which, seat], self.hands[which, 1 - seat]
        return observe(self.rules.layout, own, other, self.to_beat[which])

    def hidden(self, which: Indices, seats: NDArray[np.int8] | None = None) -> Constraints:
        """What seats [n] know of the other hand, by default those to decide: all of it."""
        return open_hand(self.others(which, seats)[:, 0])

    def hints(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """[n, 1, 13] zeros: nothing has to be guessed."""
        return np.zeros((len(which), 1, RANK_COUNT), np.float32)

    def open_hands(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, 2, 13] the hand of seats [n] and the other one."""
        seat = self.seat[which] if seats is None else seats
        return self.hands[which[:, None], np.column_stack([seat, 1 - seat])]

    def others(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, 1, 13] the other hand."""
        return self.open_hands(which, seats)[:, 1:]

    def laid_by_others(self, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n, 1, 13] what the other seat has laid down."""
        return (self.dealt - self.hands)[which, 1 - seats][:, None]

    # --- results -----------------------------------------------------------------------------------------------------

    def roles(self, which: Indices) -> NDArray[np.int8]:
        """[n, 2] all seats are alike."""
        return np.zeros((len(which), 2), np.int8)

    def rate(self, which: Indices, theirs: NDArray[np.int8], mine: NDArray[np.int8]) -> NDArray[np.float32]:
        """[n] what a point of one seat is worth to another."""
        sides = np.tile(np.array([1, -1], np.float32), (len(which), 1))
        row = np.arange(len(which))
        rate: NDArray[np.float32] = sides[row, mine] / sides[row, theirs]
        return rate

    def outcome(self, which: Indices) -> NDArray[np.float64]:
        """[n, 2] what finished games were worth to each seat: the cards that are left."""
        left = self.hands[which].sum(axis=2).T  # [2, n]
        answer = self.rules.points.ask(
            len(which), out=(left == 0).astype(np.uint8), stuck=at_least(left, MOST_CARDS).astype(np.uint8)
        )["points"]
        points: NDArray[np.float64] = (answer[:, 1].sum(axis=1, dtype=np.float64) - answer[:, 0].sum(axis=1)).T
        return points

    # --- what happens ------------------------------------------------------------------------------------------------

    def begin_match(self, which: Indices, keys: NDArray[np.uint64]) -> None:
        """Deal a new game at these tables; keys [n] decide all its cards."""
        self.keys[which], self.clock[which], self.idle[which], self.episode[which] = keys, 0, 0, 0
        lots = mix_all(np.repeat(mix_all(keys, _DEAL), len(_DECK)), np.tile(np.arange(len(_DECK)), len(keys)))
        shuffled = _DECK[lots.reshape(-1, len(_DECK)).argsort(axis=1)]
        for seat in SEATS:
            dealt = shuffled[:, MOST_CARDS * seat : MOST_CARDS * (seat + 1)]
            self.hands[which, seat] = (dealt[:, :, None] == np.arange(RANK_COUNT)).sum(axis=1)
        self.dealt[which] = self.hands[which]
        self.seat[which], self.to_beat[which], self.winner[which] = 0, LEADING, -1
        if self.listener:
            self.listener.episode_began(self, which)

    def play(self, which: Indices, moves: Moves) -> None:
        """Lay down a legal play or pass at each of these tables."""
        if self.listener:
            self.listener.played(self, which, moves)
        seat, passed = self.seat[which], moves.form == self.rules.passing
        self.hands[which, seat] -= count_cards(moves.cards)
        self.clock[which] += 1
        self.idle[which] = np.where(passed, self.idle[which] + 1, 0)
        self.to_beat[which] = np.where(passed, self.to_beat[which], moves.form)
        gone = self.hands[which].sum(axis=2) == 0
        trick = seat, passed.astype(np.int64) << seat, gone @ np.array([1, 2])
        code = self.rules.turns[trick]
        self._check_way_on(which, code, trick)
        self.seat[which] = code & NEXT_SEAT
        self.to_beat[which[(code & TRICK_OVER) > 0]] = LEADING
        over = (code & OVER) > 0
        if over.any():
            self._end(which[over])

    def _check_way_on(self, which: Indices, code: NDArray[np.uint8], trick: tuple[NDArray[Any], ...]) -> None:
        """Raise TableError where it is nobody's turn, or the game never ends."""
        kb = self.rules.kb

        def turn(row: int) -> str:
            state = {name: int(values[row]) for name, values in zip(TRICK, trick, strict=True)}
            return undecided(kb, AXES, EPISODE_END, state)

        stop_where((code & UNDECIDED) > 0, which, turn)
        stop_where(self.idle[which] > MOST_IDLE, which, lambda row: idle_for_ever(kb, EPISODE_END))

    def give(self, which: Indices, cards: NDArray[np.uint8]) -> None:
        """There is nothing to exchange in this game."""
        raise ValueError("no table of Big2 exchanges cards")

    def _end(self, which: Indices) -> None:
        points = self.outcome(which)
        stop_where(
            points.sum(axis=1) != 0,
            which,
            lambda row: (
                f"what one seat gains the other must lose: `points/3` gives {points[row, 0]:g} and {points[row, 1]:g}"
                f"{blame(self.rules.kb, 'points/3')}"
            ),
        )
        self.winner[which] = np.where(points.any(axis=1), points.argmax(axis=1), DRAW)
        self.episode[which] += 1
        if self.listener:
            self.listener.episode_ended(self, which)
            self.listener.match_ended(self, which)
