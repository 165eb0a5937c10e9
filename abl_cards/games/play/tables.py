"""Thousands of tables of a game at once, each playing whole matches.

The state is kept in arrays and changed in place: a step touches every table, and a new state each time would only be
copied. What happens follows the knowledge base; this module moves cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.faults import TableError, blame, several, stop_where
from abl_cards.games.hidden import Constraints
from abl_cards.games.play import state as kernels
from abl_cards.games.play import stock, tricks
from abl_cards.games.play.changes import SHOWN
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.flow import Control, Flow
from abl_cards.games.play.habits import note_acts
from abl_cards.games.play.state import CHOICE, DRAWING, EPISODE_OVER, MATCH_OVER, PLAY
from abl_cards.games.play.trail import Trail
from abl_cards.games.play.view import UNTOLD, View
from abl_cards.games.progress import MOST_IDLE, idle_for_ever, no_card_left, stop_endless
from abl_cards.games.reading.rules import Rules
from abl_cards.games.snapshots import copy_rows, named_arrays
from abl_cards.games.tables import DRAW, LEADING, Indices, Listener, Moves
from abl_cards.games.telling.knowledge import hidden, hints
from abl_cards.games.telling.observations import observe
from abl_cards.parallel import LIGHT, each_share
from abl_cards.streams import below_all, mix_all

_DEAL, _LOTS = 1, 2  # what the random numbers of an episode and of a match are for
_COMPANY = 8  # patient tables draw when they are one of so many, or when there is nobody else
_ENDINGS = 24  # the same of episodes that are over and of which nobody wants to hear at once
_NOWHERE: Indices = np.zeros(0, np.int64)


class Dealt(NamedTuple):
    """Where episodes begin: what `deal` has not changed yet."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds]
    fluents: NDArray[np.int16]  # [n, slots] what the match remembers
    lots: NDArray[np.int16]  # [n, lots]
    total: NDArray[np.int64]  # [n, seats] points so far in the match
    episode: NDArray[np.int32]  # [n] episodes before this one
    stock: NDArray[np.uint8] | None = None  # [n, cards] in the order in which they are drawn, where they are


class Given(NamedTuple):
    """Deals that somebody has written down, as they are before ``deal`` changes anything."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds]
    stock: NDArray[np.uint8] | None = None  # [n, cards] see Dealt


class Tables:
    """The state of n tables."""

    @cached_property
    def flow(self) -> Flow:
        """What happens between plays; compiled when it is asked, for who looks at a state does without."""
        return Flow.of(self.rules)

    def __init__(self, rules: Rules, n: int, listener: Listener | None = None, given: Given | None = None) -> None:
        """Tables with nothing on them; see ``begin``."""
        self.rules, self.listener, self.given = rules, listener, given
        self.endless = True  # go on with the next episode when one is over
        self.patient = False  # see _COMPANY: for who plays at all tables step by step
        self.keys = np.zeros(n, np.uint64)  # [n] what the cards of each match are dealt from
        self.episode = np.zeros(n, np.int32)  # [n] episodes finished in the match
        self.deals = np.zeros(n, np.int32)  # [n] how often cards were dealt in the match
        self.winner = np.full(n, -1, np.int8)  # [n] a team, DRAW, or -1 while the match runs
        self.points = np.zeros((n, rules.table.seats), np.int32)  # [n, seats] of the last episode
        self.total = np.zeros((n, rules.table.seats), np.int64)  # [n, seats] of the match
        self.by_points = np.zeros(n, np.bool_)  # [n] whether points decided the match
        self.state = rules.tables(n)
        self.trail: Trail | None = None

    @classmethod
    def begin(
        cls, rules: Rules, keys: NDArray[np.uint64], listener: Listener | None = None, given: Given | None = None
    ) -> Tables:
        """Deal the first episode of a match at each table; keys [n] decide all its cards, or are numbers of deals."""
        tables = cls(rules, len(keys), listener, given)
        tables.begin_match(np.arange(len(keys)), keys)
        return tables

    @classmethod
    def resume(
        cls, rules: Rules, dealt: Dealt, listener: Listener | None = None, keys: NDArray[np.uint64] | None = None
    ) -> Tables:
        """A table for each episode whose cards have just been dealt; it stops when the episode is over.

        With keys [n] it goes on instead, with cards that they decide.
        """
        tables = cls(rules, len(dealt.hands), listener)
        tables.endless = keys is not None
        tables.keys[:] = 0 if keys is None else keys
        tables.episode[:], tables.total[:] = dealt.episode, dealt.total
        state = tables.state
        state.hands[:], state.aside[:], state.fluents[:], state.lots[:] = dealt[:4]
        tables._lay_stock(np.arange(len(tables)), dealt.stock)
        tables._begin_episode(np.arange(len(tables)))
        tables._go_on(np.arange(len(tables)))
        return tables

    def __len__(self) -> int:
        return len(self.keys)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""
        names = ("keys", "episode", "deals", "winner", "points", "total", "by_points")
        return named_arrays({name: getattr(self, name) for name in names}, state=self.state)

    @property
    def seat(self) -> NDArray[np.int8]:
        """[n] the seat to decide."""
        return self.state.seat

    @property
    def clock(self) -> NDArray[np.int32]:
        """[n] decisions so far in the match."""
        return self.state.clock

    def remember(self) -> None:
        """From now on keep what lies there before the last acts, for who looks back; not of plays of several parts."""
        if not self.rules.composing:
            self.trail = Trail(self.rules, len(self), self.rules.table.seats - 1)

    def playing(self) -> Indices:
        """The tables where a seat is to play or pass."""
        return np.flatnonzero(self.state.stage == PLAY)

    def choosing(self) -> Indices:
        """The tables where a seat is to choose something."""
        return np.flatnonzero(self.state.stage == CHOICE)

    def decisions(self, which: Indices) -> Decisions:
        """The plays to decide at these tables, which must all be playing."""
        return Decisions(View(self.rules, self.state, which, self.state.seat[which], trail=self.trail))

    @classmethod
    def imagine(cls, decisions: Decisions | Choices, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables as those of decisions or choices rows [m], were the others to hold hands [m, others, kinds].

        They stop with the episode. Raises GameError away from a table.
        """
        view = decisions.view
        if not view.at_table:
            raise GameError(UNTOLD)
        tables, origin = cls(view.rules, len(rows)), view.which[rows]
        tables.endless = False
        copy_rows(view.state, origin, tables.state)
        others = view.rules.table.others[tables.state.seat]
        tables.state.hands[np.arange(len(tables))[:, None], others] = hands
        stock.imagine(view.rules, tables.state, view.unseen[rows] - hands.sum(axis=1, dtype=np.uint8))
        if len(view.rules.fluents.private):
            tables.state.fluents[:] = view.rules.fluents.seen(tables.state.fluents, tables.state.seat)
        return tables

    # --- what seats see -----------------------------------------------------------------------------------------------

    def view(self, which: Indices, seats: NDArray[np.int8] | None = None) -> View:
        """These tables from the eyes of seats [n], by default of those to decide."""
        return View(self.rules, self.state, which, self.state.seat[which] if seats is None else seats)

    def observe(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, features] what seats [n] see at these tables, by default those to decide; see telling/observations.py."""
        return observe(self.view(which, seats))

    def hidden(self, which: Indices, seats: NDArray[np.int8] | None = None) -> Constraints:
        """What seats [n] know of the hands they do not see at these tables, by default those to decide."""
        return hidden(self.rules, self.view(which, seats))

    def hints(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """[n, others, kinds] how what the others did changes the odds of a copy for seats [n]."""
        return hints(self.rules, self.view(which, seats))

    def open_hands(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, seats, kinds] every hand in the order of play, that of seats [n] first, by default of those to decide."""
        view = self.view(which, seats)
        return np.concatenate([view.hand[:, None], view.hidden_hands], axis=1)

    def others(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, others, kinds] the hands that seats [n] do not see, likewise."""
        return self.view(which, seats).hidden_hands

    def laid_by_others(self, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n, others, kinds] what these others have laid down in the episode."""
        return self.state.played[which[:, None], self.rules.table.others[seats]]

    # --- what it is worth ---------------------------------------------------------------------------------------------

    def outcome(self, which: Indices) -> NDArray[np.float64]:
        """[n, seats] what finished matches were worth to each seat; they add up to nothing.

        Points less their mean where points decide; else 1 for those who have won, and what that costs the others.
        """
        total = self.total[which].astype(np.float64)
        won = self.sides(which) == self.winner[which][:, None]
        shares = np.where(won, 1.0, -won.sum(axis=1, keepdims=True) / np.maximum(1, (~won).sum(axis=1, keepdims=True)))
        shares[self.winner[which] < 0] = 0
        return np.where(self.by_points[which][:, None], total - total.mean(axis=1, keepdims=True), shares)

    def roles(self, which: Indices) -> NDArray[np.int8]:
        """[n, seats] the part of each seat in the match, a number of ``Flow.roles``."""
        return self.flow.roles_at(self.state, which)

    def sides(self, which: Indices) -> NDArray[np.int8]:
        """[n, seats] who plays with whom: the teams, where ``side/2`` says nothing else."""
        return self.flow.sides_at(self.state, which)

    def rate(self, which: Indices, theirs: NDArray[np.int8], mine: NDArray[np.int8]) -> NDArray[np.float32]:
        """[n] what a point of one seat is worth to another: to its side as much, to the others what they pay for it."""
        sides, rows = self.sides(which), np.arange(len(which))
        side = sides[rows, theirs]
        members = (sides == side[:, None]).sum(axis=1)
        cost = members / (sides.shape[1] - members)
        return np.where(sides[rows, mine] == side, 1.0, -cost).astype(np.float32)

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
        if self.listener and not self.rules.composing:
            self.listener.played(self, which, moves)
        if self.trail is not None:
            self.trail.note(self.state, which, moves.form)
        passing = self.rules.forms.passing
        note_acts(self.rules, self.state, which, moves.form)
        if self.rules.taking is None:
            form, cards = moves.form, np.ascontiguousarray(moves.cards)
            stuck = each_share(
                len(which),
                lambda lo, hi: kernels.lay_down(self.state, self.rules.turns, passing, which, lo, hi, form, cards),
                least=LIGHT,
            )
        else:
            tell, happen = self._tell if self.listener else None, self._shown if SHOWN in self.flow.changes else None
            which, stuck = tricks.lay(self.rules, self.state, which, moves, tell, happen)
        self._stop_stuck(stuck)
        self._stop_idle(which)
        self.flow.acted(self.state, which)
        if self.rules.course is not None:
            self._hand_on(which)
        self.flow.settled(self.state, which)
        if self.rules.course is not None and "trick" in self.flow.changes:
            self._look_over(which)
        if self.rules.taking is not None:
            tricks.clear(self.state, which[self.state.to_beat[which] == LEADING])
        ended = self._ended(which)
        if ended.size:
            self._end_episode(ended)

    def _ended(self, which: Indices) -> Indices:
        """The tables where an episode is to be ended now; which are those where somebody has just acted.

        To end one at many tables costs little more than at one, so who is patient and does not listen waits for some.
        """
        stage = self.state.stage
        if not self.patient or self.listener or not self.endless:
            return which[stage[which] == EPISODE_OVER]
        over = stage == EPISODE_OVER
        few = np.count_nonzero(over) * _ENDINGS < len(stage)
        return _NOWHERE if few and ((stage == PLAY) | (stage == CHOICE)).any() else np.flatnonzero(over)

    def _hand_on(self, which: Indices) -> None:
        """Say whose turn it is where that depends on what these acts have changed."""
        entries, leftover = self.flow.turns(self.state, which), self.rules.turns.leftover
        self._stop_stuck([kernels.hand_on_all(self.state, leftover, which, entries, 0, len(which))])

    def _look_over(self, which: Indices) -> None:
        """Say whether episodes are over by what the end of a trick has changed."""
        state = self.state
        some = which[(state.to_beat[which] == LEADING) & (state.stage[which] != EPISODE_OVER)]
        entries = self.flow.turns(state, some)
        over = (entries != kernels.NO_TURN) & (entries & kernels.OVER > 0)
        kernels.close_all(state, self.rules.turns.leftover, some[over])

    def _stop_stuck(self, stuck: Sequence[int]) -> None:
        """Stop where the turn is nobody's, or a play has no cards: tables by share, or -1; raises TableError."""
        for table in stuck:
            if table >= 0:
                raise TableError(int(table), self._no_turn(int(table)))
            if table <= kernels.EMPTY_PLAY:
                raise TableError(kernels.EMPTY_PLAY - int(table), self._empty_play(kernels.EMPTY_PLAY - int(table)))

    def _empty_play(self, table: int) -> str:
        label = self.rules.label_texts[self.rules.forms.label_of[self.state.laid[table]]]
        where = blame(self.rules.kb, "needs/4", "form/2")
        return f"seat {self.state.acted[table]} plays {label} without cards, and only a pass has none{where}"

    def _tell(self, which: Indices, moves: Moves) -> None:
        """Tell who listens of plays that were composed."""
        assert self.listener
        self.listener.played(self, which, moves)

    def _shown(self, which: Indices) -> None:
        """Plays of several parts have been shown, and nothing has come of them."""
        self.flow.happens(SHOWN, self.state, which)

    def choose(self, which: Indices, options: NDArray[np.uint8]) -> None:
        """Choose one of the options at each of these tables: their numbers [n]."""
        if self.listener:
            self.listener.chosen(self, which, options)
        state = self.state
        state.clock[which] += 1
        state.idle[which] += 1
        self._stop_idle(which)
        state.chosen[which] = options
        self.flow.happens("choice", state, which)
        state.fresh[which] = False
        self._go_on(which)

    def give_up(self, which: Indices, points: NDArray[np.integer]) -> None:
        """End matches in the middle of an episode, which nobody hears end; they are worth points [n, seats]."""
        self.points[which] = self.total[which] = points
        self.by_points[which] = True
        self.winner[which] = self._best(which)
        self.state.stage[which] = MATCH_OVER
        if self.listener:
            self.listener.match_ended(self, which)
        self._draw_on()

    def choices(self, which: Indices) -> Choices:
        """What may be chosen at these tables, which must all be asking."""
        return Choices(View(self.rules, self.state, which, self.state.seat[which]))

    def _stop_idle(self, which: Indices) -> None:
        """Stop where nobody lays a card any more; raises TableError."""

        def say(row: int) -> str:
            table = which[row]
            asking = self.state.stage[table] == CHOICE
            stage = str(self.rules.words.stages[int(self.state.choice[table])]) if asking else None
            return idle_for_ever(self.rules.kb, "over", stage)

        if self.state.idle.max(initial=0) > MOST_IDLE:  # of all tables, which is sooner seen than of some
            stop_where(self.state.idle[which] > MOST_IDLE, which, say)

    def _no_turn(self, table: int) -> str:
        state = self.state
        out, passed = (several(_bits(mask[table])) for mask in (state.out, state.passed))
        return (
            f"`turn/1` names no seat, or several, after seat {state.acted[table]} has acted "
            f"(owner {state.owner[table]}, "
            f"passed {passed}, out {out}){blame(self.rules.kb, 'turn/1')}"
        )

    def _deal(self, which: Indices) -> None:
        """Shuffle, deal, and go on to where somebody is to act."""
        self._deal_out(which)
        self._go_on(which)

    def _deal_out(self, which: Indices) -> None:
        state, rules = self.state, self.rules
        state.fluents[which[:, None], rules.fluents.fleeting] = rules.fluents.nothing[rules.fluents.fleeting]
        if self.given is None:
            keys = mix_all(mix_all(self.keys[which], self.deals[which]), _DEAL)
            if rules.draws:
                stock.shuffle(keys, which, rules.pack.deck, state)
            else:
                sizes = np.array(rules.table.dealt, np.int64)
                kernels.deal(keys, which, rules.pack.deck, sizes, state.hands, state.aside)
        else:
            number = (self.keys[which] % np.uint64(len(self.given.hands))).astype(np.int64)
            state.hands[which], state.aside[which] = self.given.hands[number], self.given.aside[number]
            self._lay_stock(which, None if self.given.stock is None else self.given.stock[number])
        self.deals[which] += 1
        self._begin_episode(which)

    def _lay_stock(self, which: Indices, given: NDArray[np.uint8] | None) -> None:
        """Lay down the cards as they are drawn; raises GameError where that is not known."""
        if not self.rules.draws:
            return
        if given is None:
            raise GameError("cards are drawn one by one here: the deal must tell in which order they lie")
        self.state.stock[which] = given

    def _begin_episode(self, which: Indices) -> None:
        """Cards are dealt at these tables: forget the episode before, and begin."""
        state = self.state
        kernels.forget(state, which)
        if self.listener:  # first: a record has the cards as they were dealt
            self.listener.episode_began(self, which)
        self.flow.happens("deal", state, which)

    def _go_on(self, which: Indices) -> None:
        """Ask whom to ask, let the play begin, or let seats draw as long as they do."""
        self._turn_to(which)
        self._draw_on()

    def _draw_on(self) -> None:
        """Draw cards wherever it is time to."""
        while (drawing := self._drawing()).size:
            self._draw(drawing)
            self._turn_to(drawing)

    def _turn_to(self, which: Indices) -> None:
        """Whose turn it is now at these tables, and what for; cards are dealt again as often as it takes."""
        while which.size:
            control = self.flow.control(self.state, which)
            drawing = control.drawer >= 0
            self.state.stage[which[drawing]], self.state.seat[which[drawing]] = DRAWING, control.drawer[drawing]
            which = self._ask(which[~drawing], control.at(~drawing))
            if which.size:
                self._deal_out(which)

    def _drawing(self) -> Indices:
        """The tables where a card is to be drawn now: none while they are few, and others are waited for."""
        if not self.rules.draws:
            return _NOWHERE
        stage = self.state.stage
        drawing = np.flatnonzero(stage == DRAWING)
        few = self.patient and len(drawing) * _COMPANY < len(stage)
        return _NOWHERE if few and ((stage == PLAY) | (stage == CHOICE)).any() else drawing

    def _draw(self, which: Indices) -> None:
        """The seats whose turn it is draw a card each; raises TableError where there is none left."""
        state, rules = self.state, self.rules
        stop_where(stock.left(rules, state, which) < 1, which, lambda _: no_card_left(rules.kb))
        state.choice[which], state.chosen[which] = -1, -1
        stock.draw(state, which, state.seat[which])
        if self.listener:
            self.listener.drew(self, which)
        self.flow.happens("draw", state, which)

    def _ask(self, which: Indices, control: Control) -> Indices:
        """Ask a choice, or let the play begin; the tables where cards are to be dealt again instead."""
        state = self.state
        again, stage, seat, leader, _ = control
        asked = stage >= 0
        state.choice[which], state.stage[which] = stage, np.where(asked, CHOICE, PLAY)
        state.seat[which] = np.where(asked, seat, leader)
        state.owner[which] = state.acted[which] = state.leader[which] = state.seat[which]
        state.context[which] = self.rules.contexts.at(state.fluents, which)
        if again.any():
            kb, often = self.rules.kb, self.deals[which] - self.episode[which] > MOST_IDLE
            stop_where(
                often, which, lambda _: f"dealt {MOST_IDLE:,} times in a row: `deal_again/0`{blame(kb, 'deal_again/0')}"
            )
        return which[again]

    def end_episodes(self, which: Indices) -> None:
        """Score episodes that are over, and deal the next ones."""
        self._end_episode(which)

    def _end_episode(self, which: Indices) -> None:
        """Score it; whoever listens to its end knows already whether the match is won."""
        points, over, winner = self.flow.end(self.state, which)
        self.points[which] = points
        self.total[which] += points
        ended = which[over]
        self.by_points[ended] = winner[over] == -1
        self.winner[ended] = np.where(winner[over] == -1, self._best(ended), winner[over])
        if self.listener:
            self.listener.episode_ended(self, which)
        self.flow.happens("end", self.state, which)
        self.episode[which] += 1
        stop_endless(self.rules.kb, which, self.episode[which], ~over, ("match_over/0", "won/1", "drawn/0"))
        self.state.stage[ended] = MATCH_OVER
        if self.listener and ended.size:
            self.listener.match_ended(self, ended)
        if self.endless and not over.all():
            self._deal(which[~over])
        self._draw_on()

    def _best(self, which: Indices) -> NDArray[np.int8]:
        """The side of most points, or a draw; in a match of several episodes sides change, and teams count."""
        team = np.array(self.rules.table.team, np.int8)
        sides = np.where(self.episode[which][:, None] == 0, self.sides(which), team)
        return kernels.best(np.ascontiguousarray(sides), self.total[which], np.int8(DRAW))


def _bits(mask: np.integer) -> list[int]:
    """The places of the bits that are set."""
    return [place for place in range(int(mask).bit_length()) if int(mask) >> place & 1]
