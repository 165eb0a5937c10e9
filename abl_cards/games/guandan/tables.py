"""Thousands of Guandan tables at once, each playing whole matches.

The state is kept in arrays and changed in place: a step touches every table, and a new state each time would only be
copied. What happens follows the knowledge base; this module moves cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.faults import stop_where
from abl_cards.games.game import GameError
from abl_cards.games.guandan import course
from abl_cards.games.guandan.course import (
    BACK,
    LEADING,
    MATCH_OVER,
    PLAY,
    RECENT,
    STUCK,
    TRIBUTE,
    Play,
)
from abl_cards.games.guandan.decisions import Decisions, Exchanges, Situation, decide_exchange, look_around, read_hands
from abl_cards.games.guandan.exchange import Exchange
from abl_cards.games.guandan.expansion import MOST_CARDS, NO_CARD
from abl_cards.games.guandan.habits import forget, no_habits, note_acts
from abl_cards.games.guandan.hidden import constraints, learn, nothing_known, open_hands
from abl_cards.games.guandan.hints import lean
from abl_cards.games.guandan.knowledge import AXES
from abl_cards.games.guandan.ladder import Ladder, bottom, level_of, promote
from abl_cards.games.guandan.observations import observe
from abl_cards.games.guandan.rulebook import EPISODE_END, TRICK, Rules
from abl_cards.games.guandan.tribute import Tribute
from abl_cards.games.hidden import Constraints
from abl_cards.games.progress import MOST_IDLE, idle_for_ever, stop_endless
from abl_cards.games.snapshots import copy_rows, named_arrays
from abl_cards.games.tables import Indices, Listener, Moves
from abl_cards.games.turns import undecided
from abl_cards.parallel import each_share
from abl_cards.streams import below_all, mix_all

_DEAL, _LEADER = 1, 2  # what the random numbers of an episode are for


@dataclass(frozen=True)
class EpisodeStart:
    """Where some matches stand before an episode, and its cards; one row a table."""

    hands: NDArray[np.uint8]  # [n, 4, 54] as dealt
    ladder: Ladder
    previous: NDArray[np.int8]  # [n, 4] order of finish before, -1 in the first episode
    leader: NDArray[np.int8]  # [n] of a first episode; elsewhere the rules say who leads


class Tables:
    """The state of n tables; see the fields for what each table knows."""

    def __init__(self, rules: Rules, n: int, listener: Listener | None = None) -> None:
        """Tables with nothing on them; see ``begin`` and ``resume``."""
        self.rules = rules
        self.listener = listener
        self.endless = True  # go on with the next episode when one is over
        self.keys = np.zeros(n, np.uint64)  # [n] what the cards of each match are dealt from
        self.course = Play(
            hands=np.zeros((n, 4, 54), np.uint8), level=np.zeros(n, np.int8), seat=np.zeros(n, np.int8),
            to_beat=np.zeros(n, np.int16), owner=np.zeros(n, np.int8), passed=np.zeros(n, np.uint8),
            out=np.zeros(n, np.uint8), order=np.zeros((n, 4), np.int8), stage=np.full(n, MATCH_OVER, np.int8),
            clock=np.zeros(n, np.int32), played=np.zeros((n, 4, 54), np.uint8), acts=np.zeros(n, np.int32),
            idle=np.zeros(n, np.int32),
            recent=np.full((n, RECENT, MOST_CARDS), NO_CARD, np.uint8), recent_seat=np.full((n, RECENT), -1, np.int8),
        )  # fmt: skip
        self.exchange = Exchange(
            payer=np.zeros((n, 2), np.int8), paid=np.zeros((n, 2), np.uint8), receiver=np.zeros((n, 2), np.int8),
            returned=np.zeros((n, 2), np.uint8), refused=np.zeros(n, np.uint8), leader=np.zeros(n, np.int8),
        )  # fmt: skip
        self.known = nothing_known(n)
        self.habits = no_habits(n)
        self.ladder = bottom(rules, n)
        self.episode = np.zeros(n, np.int32)  # [n] episodes finished in the match
        self.previous = np.full((n, 4), -1, np.int8)  # [n, 4] order of finish of the episode before

    @classmethod
    def begin(cls, rules: Rules, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Deal the first episode of a match at each table; keys [n] decide all its cards."""
        tables = cls(rules, len(keys), listener)
        tables.begin_match(np.arange(len(keys)), keys)
        return tables

    @classmethod
    def resume(cls, rules: Rules, start: EpisodeStart, listener: Listener | None = None) -> Tables:
        """Sit down before an episode whose cards are known; the tables stop when it is over."""
        tables = cls(rules, len(start.hands), listener)
        tables.endless = False
        everywhere = np.arange(len(tables))
        tables.ladder.put(everywhere, start.ladder)
        tables.previous[:], tables.course.hands[:] = start.previous, start.hands
        tables._open_episode(everywhere, start.leader)
        return tables

    @classmethod
    def imagine(cls, decisions: Decisions, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables as those of decisions rows [m], were the others to hold hands [m, 3, 54]; they stop with the episode.

        It stands alone: the match that it belongs to is not looked at. Raises GameError away from a table.
        """
        if decisions.course is None or decisions.known is None or decisions.habits is None:
            raise GameError(
                "there is nothing to imagine away from a table: a state does not tell what was played, a record does"
            )
        tables, origin = cls(decisions.rules, len(rows)), decisions.which[rows]
        tables.endless = False
        copy_rows(decisions.course, origin, tables.course)
        copy_rows(decisions.known, origin, tables.known)
        copy_rows(decisions.habits, origin, tables.habits)
        others = (tables.course.seat[:, None] + np.arange(1, 4)) % 4
        tables.course.hands[np.arange(len(tables))[:, None], others] = hands
        return tables

    def __len__(self) -> int:
        return len(self.keys)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""
        single = {"keys": self.keys, "episode": self.episode, "previous": self.previous}
        return named_arrays(
            single,
            course=self.course,
            exchange=self.exchange,
            ladder=self.ladder,
            known=self.known,
            habits=self.habits,
        )

    @property
    def winner(self) -> NDArray[np.int8]:
        """[n] a team, DRAW, or -1 while the match runs."""
        return self.ladder.winner

    @property
    def seat(self) -> NDArray[np.int8]:
        """[n] the seat to decide."""
        return self.course.seat

    @property
    def clock(self) -> NDArray[np.int32]:
        """[n] decisions so far in the match."""
        return self.course.clock

    def outcome(self, which: Indices) -> NDArray[np.float64]:
        """[n, 4] 1 for the seats of the team that won, -1 for the others, 0 in a draw."""
        winner = self.winner[which][:, None]
        return np.where(winner < 0, 0.0, np.where(np.arange(4) % 2 == winner, 1.0, -1.0))

    def roles(self, which: Indices) -> NDArray[np.int8]:
        """[n, 4] all seats are alike."""
        return np.zeros((len(which), 4), np.int8)

    def rate(self, which: Indices, theirs: NDArray[np.int8], mine: NDArray[np.int8]) -> NDArray[np.float32]:
        """[n] what a point of one seat is worth to another."""
        sides = np.tile(np.array([1, -1, 1, -1], np.float32), (len(which), 1))
        row = np.arange(len(which))
        rate: NDArray[np.float32] = sides[row, mine] / sides[row, theirs]
        return rate

    # --- decisions ---------------------------------------------------------------------------------------------------

    def playing(self) -> Indices:
        """The tables where a seat is to play or pass."""
        return np.flatnonzero(self.course.stage == PLAY)

    def exchanging(self) -> Indices:
        """The tables where a seat is to choose a tribute or a return."""
        stage = self.course.stage
        return np.flatnonzero((stage == TRIBUTE) | (stage == BACK))

    def decisions(self, which: Indices) -> Decisions:
        """The plays to decide at these tables, which must all be playing."""
        situation = self.situation(which)
        hands = read_hands(self.rules, situation.hand, self.course.level[which])
        seen = self.course, self.known, self.habits
        return Decisions(self.rules, which, hands, self.course.to_beat[which], situation, *seen)

    def observe(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, features] what seats [n] see at these tables, by default those to decide; see observations.py."""
        observers = self.course.seat[which] if seats is None else seats
        return observe(self.course, self.rules.book.wild_suit, which, observers)

    def hidden(self, which: Indices, seats: NDArray[np.int8] | None = None) -> Constraints:
        """What seats [n] know of the other hands at these tables, by default those to decide."""
        return constraints(self.known, self.course, which, self.course.seat[which] if seats is None else seats)

    def hints(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """[n, 3, 54] how the habits of the others change the odds of seats [n], see hints.py."""
        observers = self.course.seat[which] if seats is None else seats
        return lean(self.rules.hints, self.habits, self.course, which, observers)

    def open_hands(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, 4, 54] every hand: that of seats [n], of the next, the partner, the previous."""
        return open_hands(self.course, which, self.course.seat[which] if seats is None else seats)

    def others(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, 3, 54] the hands that seats [n] do not see: next, partner, previous."""
        return self.open_hands(which, seats)[:, 1:]

    def laid_by_others(self, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n, 3, 54] what the others of seats [n] have laid down in the episode: next, partner, previous."""
        return self.course.played[which[:, None], (seats[:, None] + np.arange(1, 4)) % 4]

    def situation(self, which: Indices) -> Situation:
        """What the seats to decide can see: their cards, and of the others' how many and which in all."""
        return look_around(self.course, which)

    def exchanges(self, which: Indices) -> Exchanges:
        """The cards to pay or to return at these tables, which must all be exchanging."""
        situation, stage = self.situation(which), self.course.stage[which]
        asked = decide_exchange(self.rules, which, self.course.level[which], situation, stage)
        self._tribute.check_options(asked)
        return asked

    @property
    def _tribute(self) -> Tribute:
        return Tribute(self.rules, self.course, self.exchange, self.previous)

    def be_told(self, which: Indices, exchange: Exchange) -> None:
        """Take over what is known of the exchange where the cards were dealt as they were after it."""
        for field, told in zip(self.exchange, exchange, strict=True):
            field[which] = told
        learn(self.rules, self.known, which, self.exchange, self.course.level)

    # --- what happens ------------------------------------------------------------------------------------------------

    def begin_match(self, which: Indices, keys: NDArray[np.uint64]) -> None:
        """Start a new match at these tables; keys [n] decide all its cards."""
        self.keys[which], self.previous[which] = keys, -1
        self.episode[which], self.course.clock[which] = 0, 0
        self.ladder.put(which, bottom(self.rules, len(which)))
        self._begin_episode(which)

    def play(self, which: Indices, moves: Moves) -> None:
        """Lay down a legal play or pass at each of these tables."""
        if self.listener:
            self.listener.played(self, which, moves)
        each_share(len(which), lambda lo, hi: self._lay_down(which, moves, lo, hi))
        stopped = which[self.course.stage[which] != PLAY]
        if stopped.size:
            stop_where(self.course.stage[stopped] == STUCK, stopped, lambda row: self._stuck(int(stopped[row])))
            self._end_episode(stopped)

    def _stuck(self, table: int) -> str:
        """Why there is no way on from a trick."""
        if self.course.idle[table] > MOST_IDLE:
            return idle_for_ever(self.rules.kb, EPISODE_END)
        state = self.course
        trick = state.seat[table], state.owner[table], state.passed[table], state.out[table]
        return undecided(self.rules.kb, AXES, EPISODE_END, dict(zip(TRICK, map(int, trick), strict=True)))

    def _lay_down(self, which: Indices, moves: Moves, lo: int, hi: int) -> None:
        rules = self.rules
        note_acts(self.habits, rules.play_traits, self.course, rules.pass_form, which, lo, hi, moves.form)
        course.lay_down(self.course, rules.turns, rules.pass_form, which, lo, hi, *moves)

    def give(self, which: Indices, cards: NDArray[np.uint8]) -> None:
        """Pay or return one legal card at each of these tables: cards [n]."""
        if self.listener:
            self.listener.card_given(self, which, cards)
        self.course.clock[which] += 1
        returning = self.course.stage[which] == BACK
        self._tribute.pay(which[~returning], cards[~returning])
        self._lead(self._tribute.give_back(which[returning], cards[returning]))

    # --- an episode's beginning and end ------------------------------------------------------------------------------

    def _begin_episode(self, which: Indices) -> None:
        keys = mix_all(mix_all(self.keys[which], self.episode[which]), _DEAL)
        course.deal(keys, which, self.course.hands)
        self._open_episode(which, below_all(mix_all(self.keys[which], _LEADER), 4).astype(np.int8))

    def _open_episode(self, which: Indices, leader: NDArray[np.int8]) -> None:
        """From the dealt hands to the first decision; leader [n] leads where there was no episode before."""
        self._clear(which)
        first = self.previous[which, 0] < 0
        self.exchange.leader[which[first]] = leader[first]
        if not first.all():
            self._tribute.ask(which[~first])
        if self.listener:
            self.listener.episode_began(self, which)
        self._lead(which[self.exchange.payer[which, 0] < 0])

    def _clear(self, which: Indices) -> None:
        state, exchange = self.course, self.exchange
        state.level[which] = level_of(self.rules, self.ladder.at(which))
        state.passed[which], state.out[which], state.order[which] = 0, 0, -1
        state.played[which], state.acts[which], state.idle[which] = 0, 0, 0
        state.recent[which], state.recent_seat[which] = NO_CARD, -1
        forget(self.habits, which)
        exchange.payer[which], exchange.receiver[which], exchange.leader[which] = -1, -1, -1
        exchange.paid[which], exchange.returned[which], exchange.refused[which] = NO_CARD, NO_CARD, 0

    def _lead(self, which: Indices) -> None:
        state = self.course
        learn(self.rules, self.known, which, self.exchange, state.level)
        state.stage[which], state.to_beat[which] = PLAY, LEADING
        state.seat[which] = state.owner[which] = self.exchange.leader[which]

    def _end_episode(self, which: Indices) -> None:
        if self.listener:
            self.listener.episode_ended(self, which)
        self.previous[which] = self.course.order[which]
        self.ladder.put(which, promote(self.rules, self.ladder.at(which), self.previous[which], which))
        self.episode[which] += 1
        over = self.winner[which] != -1
        stop_endless(self.rules.kb, which, self.episode[which], ~over)
        self.course.stage[which[over]] = MATCH_OVER
        if self.listener and over.any():
            self.listener.match_ended(self, which[over])
        if self.endless and not over.all():
            self._begin_episode(which[~over])
