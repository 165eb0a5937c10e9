"""Thousands of tables of a game at once, each playing whole matches.

The state is kept in arrays and changed in place: a step touches every table, and a new state each time would only be
copied. What happens follows the knowledge base; this module moves cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.play import state as kernels
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import EPISODE_OVER, LEADING, MATCH_OVER, NOBODY, PLAY, empty_state
from abl_cards.games.play.view import View
from abl_cards.games.play.walk import NO_CARD
from abl_cards.games.reading.rules import Rules
from abl_cards.games.snapshots import named_arrays
from abl_cards.games.tables import DRAW, Indices, Listener, Moves
from abl_cards.parallel import each_share
from abl_cards.streams import below_all, mix_all

_DEAL, _LOTS = 1, 2  # what the random numbers of an episode and of a match are for


class Tables:
    """The state of n tables."""

    def __init__(self, rules: Rules, n: int, listener: Listener | None = None) -> None:
        """Tables with nothing on them; see ``begin``."""
        self.rules, self.listener = rules, listener
        self.flow = Flow.of(rules)
        self.endless = True  # go on with the next episode when one is over
        self.keys = np.zeros(n, np.uint64)  # [n] what the cards of each match are dealt from
        self.episode = np.zeros(n, np.int32)  # [n] episodes finished in the match
        self.deals = np.zeros(n, np.int32)  # [n] how often cards were dealt in the match
        self.winner = np.full(n, -1, np.int8)  # [n] a team, DRAW, or -1 while the match runs
        self.points = np.zeros((n, rules.table.seats), np.int32)  # [n, seats] of the last episode
        self.total = np.zeros((n, rules.table.seats), np.int64)  # [n, seats] of the match
        book, words = rules.book, rules.words
        del book
        self.state = empty_state(
            n, rules.table.seats, len(rules.pack), rules.recent, rules.forms.most_cards, len(rules.fluents), len(words.lots)
        )

    @classmethod
    def begin(cls, rules: Rules, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Deal the first episode of a match at each table; keys [n] decide all its cards."""
        tables = cls(rules, len(keys), listener)
        tables.begin_match(np.arange(len(keys)), keys)
        return tables

    def __len__(self) -> int:
        return len(self.keys)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""
        names = ("keys", "episode", "deals", "winner", "points", "total")
        return named_arrays({name: getattr(self, name) for name in names}, state=self.state)

    @property
    def seat(self) -> NDArray[np.int8]:
        """[n] the seat to decide."""
        return self.state.seat

    @property
    def clock(self) -> NDArray[np.int32]:
        """[n] decisions so far in the match."""
        return self.state.clock

    def playing(self) -> Indices:
        """The tables where a seat is to play or pass."""
        return np.flatnonzero(self.state.stage == PLAY)

    def exchanging(self) -> Indices:
        """The tables where a seat is to choose something."""
        return np.flatnonzero(self.state.stage == kernels.CHOICE)

    def decisions(self, which: Indices) -> Decisions:
        """The plays to decide at these tables, which must all be playing."""
        return Decisions(View(self.rules, self.state, which, self.state.seat[which]))

    # --- what happens ------------------------------------------------------------------------------------------------

    def begin_match(self, which: Indices, keys: NDArray[np.uint64]) -> None:
        """Start a new match at these tables; keys [n] decide all its cards."""
        state = self.state
        self.keys[which], self.episode[which], self.deals[which], self.winner[which] = keys, 0, 0, -1
        self.points[which], self.total[which] = 0, 0
        state.clock[which] = 0
        state.fluents[which] = self.rules.fluents.nothing
        for number, sides in enumerate(self.flow.lots):
            state.lots[which, number] = below_all(mix_all(self.keys[which], _LOTS + number), sides)
        self.flow.init(state, which)
        self.flow.happens("match", state, which)
        self._deal(which)

    def play(self, which: Indices, moves: Moves) -> None:
        """Lay down a legal play or pass at each of these tables."""
        if self.listener:
            self.listener.played(self, which, moves)
        passing = self.rules.forms.passing
        stuck = each_share(
            len(which),
            lambda lo, hi: kernels.lay_down(self.state, self.rules.turns, passing, which, lo, hi, *moves),
        )
        for table in stuck:
            if table >= 0:
                raise GameError(self._no_turn(table))
        self.flow.played(self.state, which)
        ended = which[self.state.stage[which] == EPISODE_OVER]
        if ended.size:
            self._end_episode(ended)

    def give(self, which: Indices, options: NDArray[np.uint8]) -> None:
        """Choose one of the options at each of these tables: their numbers [n]."""
        if self.listener:
            self.listener.card_given(self, which, options)
        state = self.state
        state.clock[which] += 1
        state.chosen[which] = options
        self.flow.happens("choice", state, which)
        self._go_on(which)

    def exchanges(self, which: Indices) -> Choices:
        """What may be chosen at these tables, which must all be asking."""
        return Choices(View(self.rules, self.state, which, self.state.seat[which]))

    def _no_turn(self, table: int) -> str:
        state = self.state
        out = [seat for seat in range(self.rules.table.seats) if state.out[table] >> seat & 1]
        passed = [seat for seat in range(self.rules.table.seats) if state.passed[table] >> seat & 1]
        return (
            f"turn/1 names no seat, or several, after seat {state.acted[table]} has acted (owner {state.owner[table]}, "
            f"passed {passed}, out {out})"
        )

    def _deal(self, which: Indices) -> None:
        state, rules = self.state, self.rules
        state.fluents[which[:, None], rules.fluents.fleeting] = rules.fluents.nothing[rules.fluents.fleeting]
        state.passed[which], state.gone_by[which], state.out[which], state.order[which] = 0, 0, 0, NOBODY
        state.played[which], state.acts[which], state.plays[which] = 0, 0, 0
        state.recent[which], state.recent_seat[which], state.laid[which] = NO_CARD, NOBODY, -1
        state.to_beat[which] = LEADING
        keys = mix_all(mix_all(self.keys[which], self.deals[which]), _DEAL)
        kernels.deal(keys, which, rules.pack.deck, np.array(rules.table.dealt, np.int64), state.hands, state.aside)
        self.deals[which] += 1
        self.flow.happens("deal", state, which)
        if self.listener:
            self.listener.episode_began(self, which)
        self._go_on(which)

    def _go_on(self, which: Indices) -> None:
        """Ask whom to ask, or let the play begin."""
        state = self.state
        again, stage, seat, leader = self.flow.control(state, which)
        asked = stage >= 0
        state.choice[which], state.stage[which] = stage, np.where(asked, kernels.CHOICE, PLAY)
        state.seat[which] = np.where(asked, seat, leader)
        state.owner[which] = state.acted[which] = state.seat[which]
        state.context[which] = self.rules.contexts.of(state.fluents[which])
        if again.any():
            self._deal(which[again])

    def _end_episode(self, which: Indices) -> None:
        self.points[which] = self.flow.score(self.state, which)
        self.total[which] += self.points[which]
        if self.listener:
            self.listener.episode_ended(self, which)
        over, winner = self.flow.end(self.state, which)
        self.flow.happens("end", self.state, which)
        self.episode[which] += 1
        self.winner[which[over]] = np.where(winner[over] == -1, self._best(which[over]), winner[over])
        self.state.stage[which[over]] = MATCH_OVER
        if self.listener and over.any():
            self.listener.match_ended(self, which[over])
        if self.endless and not over.all():
            self._deal(which[~over])

    def _best(self, which: Indices) -> NDArray[np.int8]:
        """The team of most points, or a draw."""
        teams = np.array(self.rules.table.team)
        sums = np.stack([self.total[which][:, teams == team].sum(axis=1) for team in range(teams.max() + 1)], axis=1)
        best = sums.argmax(axis=1)
        shared = (sums == sums.max(axis=1, keepdims=True)).sum(axis=1) > 1
        return np.where(shared, DRAW, best).astype(np.int8)
