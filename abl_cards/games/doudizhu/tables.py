"""Thousands of Dou dizhu tables at once; a match is one game.

The state is kept in arrays and changed in place: a step touches every table, and a new state each time would only be
copied. What happens follows the knowledge base; this module moves cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu import course
from abl_cards.games.doudizhu.course import BID, GAME_OVER, LEADING, NO_BID, PLAY, RECENT, STUCK, Play
from abl_cards.games.doudizhu.decisions import CHOICES, Decisions, Exchanges, Situation, look_around
from abl_cards.games.doudizhu.hidden import constraints, laid_by_others, no_hints, open_hands
from abl_cards.games.doudizhu.knowledge import AXES
from abl_cards.games.doudizhu.observations import observe
from abl_cards.games.doudizhu.rulebook import GAME_END, NOT_YET, REDEAL, TRICK, Rules
from abl_cards.games.faults import blame, stop_where
from abl_cards.games.game import GameError
from abl_cards.games.hidden import Constraints
from abl_cards.games.progress import MOST_IDLE, idle_for_ever
from abl_cards.games.questions import at_least
from abl_cards.games.snapshots import copy_rows, named_arrays
from abl_cards.games.tables import Indices, Listener, Moves
from abl_cards.games.turns import undecided
from abl_cards.parallel import each_share
from abl_cards.streams import mix_all

_DEAL = 1  # what the random numbers of a game are for
SEATS = 3


@dataclass(frozen=True)
class Deal:
    """Cards that are known, and who is the landlord; one row a table."""

    hands: NDArray[np.uint64]  # [n, 3] keys, the bottom cards in the landlord's
    bottom: NDArray[np.uint64]  # [n]
    landlord: NDArray[np.int8]  # [n]
    stake: NDArray[np.int8]  # [n]
    bids: NDArray[np.int8]  # [n, 3] NO_BID where nobody bid


class Tables:
    """The state of n tables; see the fields for what each table knows."""

    def __init__(self, rules: Rules, n: int, listener: Listener | None = None, deck: Deal | None = None) -> None:
        """Tables with nothing on them; see ``begin`` and ``resume``."""
        self.rules = rules
        self.deck = deck  # what is dealt by the number of the match's key; None to shuffle
        self.listener = listener
        self.keys = np.zeros(n, np.uint64)  # [n] what the cards of each match are dealt from
        self.episode = np.zeros(n, np.int32)  # [n] games finished: one at the end
        self.winner = np.full(n, -1, np.int8)  # [n] 0 the landlord, 1 the peasants, -1 while the game runs
        self.deals = np.zeros(n, np.int32)  # [n] how often the cards were dealt
        self.course = Play(
            hands=np.zeros((n, SEATS), np.uint64), bottom=np.zeros(n, np.uint64), landlord=np.full(n, -1, np.int8),
            bids=np.full((n, SEATS), NO_BID, np.int8), stake=np.ones(n, np.int8), doublings=np.zeros(n, np.int8),
            seat=np.zeros(n, np.int8), to_beat=np.full(n, LEADING, np.int16), owner=np.zeros(n, np.int8),
            passed=np.zeros(n, np.uint8), stage=np.full(n, GAME_OVER, np.int8), clock=np.zeros(n, np.int32),
            played=np.zeros((n, SEATS), np.uint64), plays=np.zeros((n, SEATS), np.int8), acts=np.zeros(n, np.int32),
            idle=np.zeros(n, np.int32), recent=np.zeros((n, RECENT), np.uint64),
            recent_seat=np.full((n, RECENT), -1, np.int8),
        )  # fmt: skip

    @classmethod
    def begin(
        cls, rules: Rules, keys: NDArray[np.uint64], listener: Listener | None = None, deck: Deal | None = None
    ) -> Tables:
        """Deal a game at each table; keys [n] decide all its cards, or are numbers of the deals of a deck."""
        tables = cls(rules, len(keys), listener, deck)
        tables.begin_match(np.arange(len(keys)), keys)
        return tables

    @classmethod
    def resume(cls, rules: Rules, deal: Deal, listener: Listener | None = None) -> Tables:
        """Sit down where the cards are known and the landlord leads."""
        tables = cls(rules, len(deal.hands), listener)
        everywhere = np.arange(len(tables))
        tables._clear(everywhere)
        tables.course.hands[:], tables.course.bottom[:], tables.course.bids[:] = deal.hands, deal.bottom, deal.bids
        tables.course.landlord[:], tables.course.stake[:] = deal.landlord, deal.stake
        tables._lead(everywhere)
        if listener:
            listener.episode_began(tables, everywhere)
        return tables

    @classmethod
    def imagine(cls, decisions: Decisions, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables as those of decisions rows [m], were the others to hold hands [m, 2, 15].

        Raises GameError away from a table.
        """
        if decisions.course is None:
            raise GameError(
                "there is nothing to imagine away from a table: a state does not tell what was played, a record does"
            )
        tables, origin = cls(decisions.rules, len(rows)), decisions.which[rows]
        copy_rows(decisions.course, origin, tables.course)
        others = (tables.course.seat[:, None] + np.arange(1, SEATS)) % SEATS
        tables.course.hands[np.arange(len(tables))[:, None], others] = course.keys_of(hands)
        return tables

    def __len__(self) -> int:
        return len(self.keys)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""
        single = {"keys": self.keys, "episode": self.episode, "winner": self.winner, "deals": self.deals}
        return named_arrays(single, course=self.course)

    @property
    def seat(self) -> NDArray[np.int8]:
        """[n] the seat to decide."""
        return self.course.seat

    @property
    def clock(self) -> NDArray[np.int32]:
        """[n] decisions so far in the match."""
        return self.course.clock

    # --- decisions ---------------------------------------------------------------------------------------------------

    def playing(self) -> Indices:
        """The tables where a seat is to play or pass."""
        return np.flatnonzero(self.course.stage == PLAY)

    def exchanging(self) -> Indices:
        """The tables where a seat is to bid."""
        return np.flatnonzero(self.course.stage == BID)

    def decisions(self, which: Indices) -> Decisions:
        """The plays to decide at these tables, which must all be playing."""
        return Decisions(self.rules, which, self.course.to_beat[which], self.situation(which), self.course)

    def exchanges(self, which: Indices) -> Exchanges:
        """The bids to make at these tables, which must all be bidding."""
        return Exchanges(self.rules, which, self.situation(which), self.course.bids[which])

    def situation(self, which: Indices) -> Situation:
        """What the seats to decide can see."""
        return look_around(self.course, which)

    def observe(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, features] what seats [n] see at these tables, by default those to decide; see observations.py."""
        return observe(self.course, which, self.course.seat[which] if seats is None else seats)

    def hidden(self, which: Indices, seats: NDArray[np.int8] | None = None) -> Constraints:
        """What seats [n] know of the other hands at these tables, which must all be playing."""
        return constraints(self.course, which, self.course.seat[which] if seats is None else seats)

    def hints(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """[n, 2, 15] zeros: the knowledge base has no hints for this game."""
        return no_hints(len(which))

    def open_hands(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, 3, 15] every hand: that of seats [n], of the next, of the previous."""
        return open_hands(self.course, which, self.course.seat[which] if seats is None else seats)

    def others(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, 2, 15] what the next and the previous seat hold."""
        return self.open_hands(which, seats)[:, 1:]

    def laid_by_others(self, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n, 2, 15] what the next and the previous seat have laid down."""
        return laid_by_others(self.course, which, seats)

    # --- results -----------------------------------------------------------------------------------------------------

    def roles(self, which: Indices) -> NDArray[np.int8]:
        """[n, 3] 0 for the landlord, 1 for a peasant."""
        return (self.course.landlord[which][:, None] != np.arange(SEATS)).astype(np.int8)

    def parts(self, which: Indices) -> NDArray[np.int8]:
        """[n, 3] landlord, down, up as 0, 1, 2."""
        return (np.arange(SEATS) - self.course.landlord[which][:, None]).astype(np.int8) % 3

    def rate(self, which: Indices, theirs: NDArray[np.int8], mine: NDArray[np.int8]) -> NDArray[np.float32]:
        """[n] what a point of one seat is worth to another."""
        parts = self.parts(which)
        sides = np.where(parts == 0, 1, -1).astype(np.float32) * self.rules.worth[parts].astype(np.float32)
        row = np.arange(len(which))
        rate: NDArray[np.float32] = sides[row, mine] / sides[row, theirs]
        return rate

    def outcome(self, which: Indices) -> NDArray[np.float64]:
        """[n, 3] the points of games that are over: the stake, doubled by bombs and by a spring."""
        play, parts = self.course, self.parts(which)
        won = (self.winner[which] == 0).astype(np.uint8)
        plays = np.take_along_axis(play.plays[which].astype(np.int64), np.argsort(parts, axis=1), axis=1)
        doubled = self.rules.score.ask(
            len(which),
            landlord_won=won,
            landlord_acts=at_least(plays[:, 0], 2),
            peasant_acts=at_least(plays[:, 1] + plays[:, 2], 1),
        )["doubled"].sum(axis=0)
        unit = play.stake[which] * 2.0 ** (play.doublings[which] + doubled)
        sign = np.where((parts == 0) == (won == 1)[:, None], 1.0, -1.0)
        return sign * unit[:, None] * self.rules.worth[parts]

    # --- what happens ------------------------------------------------------------------------------------------------

    def begin_match(self, which: Indices, keys: NDArray[np.uint64]) -> None:
        """Deal a new game at these tables; keys [n] decide all its cards."""
        self.keys[which], self.episode[which], self.deals[which] = keys, 0, 0
        self.course.clock[which], self.course.idle[which] = 0, 0
        self._deal(which)

    def play(self, which: Indices, moves: Moves) -> None:
        """Lay down a legal play or pass at each of these tables."""
        if self.listener:
            self.listener.played(self, which, moves)
        rules, state = self.rules, self.course
        each_share(
            len(which),
            lambda lo, hi: course.lay_down(
                state, rules.turns, rules.doubling, rules.passing, which, lo, hi, moves.form, moves.cards
            ),
        )
        stopped = which[state.stage[which] != PLAY]
        if stopped.size:
            stop_where(state.stage[stopped] == STUCK, stopped, lambda row: self._stuck(int(stopped[row])))
            self._end(stopped)

    def _stuck(self, table: int) -> str:
        """Why there is no way on from a trick."""
        state = self.course
        if state.idle[table] > MOST_IDLE:
            return idle_for_ever(self.rules.kb, GAME_END)
        out = int((state.hands[table] == 0) @ (1 << np.arange(SEATS)))
        trick = state.seat[table], state.owner[table], state.passed[table], out
        return undecided(self.rules.kb, AXES, GAME_END, dict(zip(TRICK, map(int, trick), strict=True)))

    def give(self, which: Indices, cards: NDArray[np.uint8]) -> None:
        """Bid at each of these tables: numbers of CHOICES [n]."""
        if self.listener:
            self.listener.card_given(self, which, cards)
        state = self.course
        state.clock[which] += 1
        state.idle[which] += 1
        self._check_deals(which)
        state.bids[which, state.seat[which]] = np.array(CHOICES, np.int8)[cards]
        landlord = self.rules.auction.landlord[tuple(state.bids[which].T)]
        state.seat[which[landlord == NOT_YET]] += 1
        sold = which[landlord >= 0]
        state.landlord[sold] = landlord[landlord >= 0]
        state.stake[sold] = self.rules.auction.stake[tuple(state.bids[sold].T)]
        self._take_bottom(sold)
        again = which[landlord == REDEAL]
        if again.size:
            self._deal(again)

    def _check_deals(self, which: Indices) -> None:
        """Raise TableError where nobody becomes the landlord, however often the cards are dealt."""
        stop_where(
            self.course.idle[which] > MOST_IDLE,
            which,
            lambda row: (
                f"{MOST_IDLE:,} bids in {self.deals[which[row]]} deals and no landlord: `landlord/2`, `redeal/0`"
                f"{blame(self.rules.kb, 'landlord/2', 'redeal/0')}"
            ),
        )

    # --- a game's beginning and end ----------------------------------------------------------------------------------

    def _deal(self, which: Indices) -> None:
        self._clear(which)
        self._hand_out(which)
        self.deals[which] += 1
        state = self.course
        if self.rules.bid_for:
            state.stage[which], state.seat[which], state.landlord[which] = BID, 0, -1
        else:
            state.landlord[which] = self.rules.auction.landlord[NO_BID, NO_BID, NO_BID]
            state.stake[which] = self.rules.auction.stake[NO_BID, NO_BID, NO_BID]
            self._take_bottom(which)
        if self.listener:
            self.listener.episode_began(self, which)

    def _hand_out(self, which: Indices) -> None:
        """Cards for every seat, those at the bottom aside."""
        state = self.course
        if self.deck is None:
            keys = mix_all(mix_all(self.keys[which], self.deals[which]), _DEAL)
            course.deal(keys, which, state.hands, state.bottom)
            return
        number = (self.keys[which] % np.uint64(len(self.deck.hands))).astype(np.int64)
        state.hands[which], state.bottom[which] = self.deck.hands[number], self.deck.bottom[number]
        state.hands[which, self.deck.landlord[number]] -= self.deck.bottom[number]

    def _clear(self, which: Indices) -> None:
        state = self.course
        state.bids[which], state.stake[which], state.doublings[which] = NO_BID, 1, 0
        state.passed[which], state.played[which], state.plays[which] = 0, 0, 0
        state.acts[which], state.recent[which], state.recent_seat[which] = 0, 0, -1
        state.to_beat[which], self.winner[which] = LEADING, -1

    def _take_bottom(self, which: Indices) -> None:
        self.course.hands[which, self.course.landlord[which]] += self.course.bottom[which]
        self._lead(which)

    def _lead(self, which: Indices) -> None:
        state = self.course
        state.stage[which], state.to_beat[which] = PLAY, LEADING
        state.seat[which] = state.owner[which] = state.landlord[which]

    def _end(self, which: Indices) -> None:
        state = self.course
        empty = state.hands[which] == 0
        stop_where(
            ~empty.any(axis=1),
            which,
            lambda row: (
                f"the game is over and every seat has cards: `{GAME_END}/0`{blame(self.rules.kb, f'{GAME_END}/0')}"
            ),
        )
        first = empty.argmax(axis=1)
        self.winner[which] = first != state.landlord[which]
        self.episode[which] += 1
        if self.listener:
            self.listener.episode_ended(self, which)
            self.listener.match_ended(self, which)
