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

from abl_cards.core import MIN_LIGHT_ITEMS_PER_THREAD, GameError, map_ranges, scale_to_range_array, splitmix64_array
from abl_cards.games.compiled import (
    MAX_IDLE_DECISIONS,
    CompiledGame,
    TableError,
    empty_stock_text,
    join_names,
    raise_endless,
    raise_where,
    source_hint,
    stall_text,
)
from abl_cards.games.state import (
    CHOICE,
    DRAWING,
    EMPTY_PLAY_CODE,
    EPISODE_OVER,
    EPISODE_OVER_BIT,
    MATCH_OVER,
    NO_NEXT_SEAT,
    PLAY,
    advance_turns,
    apply_plays,
    best_sides,
    close_episodes,
    deal_cards,
    reset_episodes,
)
from abl_cards.games.tables import stock, tricks
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.events import EventRules, NextStep
from abl_cards.games.tables.fluent_updates import SHOWN_EVENT
from abl_cards.games.tables.history import PlayHistory
from abl_cards.games.tables.knowledge import compute_constraints, compute_log_odds
from abl_cards.games.tables.listeners import Listener
from abl_cards.games.tables.observations import observe
from abl_cards.games.tables.play_stats import record_acts
from abl_cards.games.tables.view import HAND_SIZES_MISSING, PlayerView
from abl_cards.games.types import DRAW, LEADING, Indices, InformationSet, Moves, copy_rows, named_arrays

_DEAL_STREAM, _LOTS_STREAM = 1, 2  # what the random numbers of an episode and of a match are for
_DRAW_SHARE = 8  # patient tables draw when they are one of so many, or when there is nobody else
_END_SHARE = 24  # the same of episodes that are over and of which nobody wants to hear at once
_NO_ROWS: Indices = np.zeros(0, np.int64)


class DealtEpisodes(NamedTuple):
    """Where episodes begin: what `deal` has not changed yet."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds]
    fluents: NDArray[np.int16]  # [n, slots] what the match remembers
    lots: NDArray[np.int16]  # [n, lots]
    total_points: NDArray[np.int64]  # [n, seats] points so far in the match
    episode_index: NDArray[np.int32]  # [n] episodes before this one
    stock: NDArray[np.uint8] | None = None  # [n, cards] in the order in which they are drawn, where they are


class FixedDeals(NamedTuple):
    """Deals that somebody has written down, as they are before ``deal`` changes anything."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds]
    stock: NDArray[np.uint8] | None = None  # [n, cards] see DealtEpisodes


class Tables:
    """The state of n tables."""

    @cached_property
    def event_rules(self) -> EventRules:
        """What happens between plays; compiled when it is asked, for who looks at a state does without."""
        return EventRules.from_rules(self.rules)

    def __init__(
        self,
        rules: CompiledGame,
        num_tables: int,
        listener: Listener | None = None,
        fixed_deals: FixedDeals | None = None,
    ) -> None:
        """Tables with nothing on them; see ``begin``."""
        self.rules, self.listener, self.fixed_deals = rules, listener, fixed_deals
        self.auto_next_episode = True  # go on with the next episode when one is over
        self.batch_rare_steps = False  # see _COMPANY: for who plays at all tables step by step
        self.keys = np.zeros(num_tables, np.uint64)  # [n] what the cards of each match are dealt from
        self.num_episodes = np.zeros(num_tables, np.int32)  # [n] episodes finished in the match
        self.num_deals = np.zeros(num_tables, np.int32)  # [n] how often cards were dealt in the match
        self.winner = np.full(num_tables, -1, np.int8)  # [n] a team, DRAW, or -1 while the match runs
        self.points = np.zeros((num_tables, rules.seating.seats), np.int32)  # [n, seats] of the last episode
        self.total_points = np.zeros((num_tables, rules.seating.seats), np.int64)  # [n, seats] of the match
        self.decided_by_points = np.zeros(num_tables, np.bool_)  # [n] whether points decided the match
        self.state = rules.create_state(num_tables)
        self.history: PlayHistory | None = None

    @classmethod
    def begin(
        cls,
        rules: CompiledGame,
        keys: NDArray[np.uint64],
        listener: Listener | None = None,
        fixed_deals: FixedDeals | None = None,
    ) -> Tables:
        """Deal the first episode of a match at each table; keys [n] decide all its cards, or are numbers of deals."""
        tables = cls(rules, len(keys), listener, fixed_deals)
        tables.begin_match(np.arange(len(keys)), keys)
        return tables

    @classmethod
    def resume(
        cls,
        rules: CompiledGame,
        dealt: DealtEpisodes,
        listener: Listener | None = None,
        keys: NDArray[np.uint64] | None = None,
    ) -> Tables:
        """A table for each episode whose cards have just been dealt; it stops when the episode is over.

        With keys [n] it goes on instead, with cards that they decide.
        """
        tables = cls(rules, len(dealt.hands), listener)
        tables.auto_next_episode = keys is not None
        tables.keys[:] = 0 if keys is None else keys
        tables.num_episodes[:], tables.total_points[:] = dealt.episode_index, dealt.total_points
        state = tables.state
        state.hands[:], state.aside[:], state.fluents[:], state.lots[:] = dealt[:4]
        tables._set_stock(np.arange(len(tables)), dealt.stock)
        tables._begin_episode(np.arange(len(tables)))
        tables._advance(np.arange(len(tables)))
        return tables

    def __len__(self) -> int:
        return len(self.keys)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the event rules, which are derived from the rules."""
        return {name: value for name, value in self.__dict__.items() if name != "event_rules"}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""
        names = ("keys", "num_episodes", "num_deals", "winner", "points", "total_points", "decided_by_points")
        return named_arrays({name: getattr(self, name) for name in names}, state=self.state)

    @property
    def seat(self) -> NDArray[np.int8]:
        """[n] the seat to decide."""
        return self.state.seat

    @property
    def num_decisions(self) -> NDArray[np.int32]:
        """[n] decisions so far in the match."""
        return self.state.num_decisions

    def record_history(self) -> None:
        """From now on keep what lies there before the last acts, for who looks back; not of plays of several parts."""
        if not self.rules.has_composed_plays:
            self.history = PlayHistory(self.rules, len(self), self.rules.seating.seats - 1)

    def rows_to_play(self) -> Indices:
        """The tables where a seat is to play or pass."""
        return np.flatnonzero(self.state.stage == PLAY)

    def rows_to_choose(self) -> Indices:
        """The tables where a seat is to choose something."""
        return np.flatnonzero(self.state.stage == CHOICE)

    def decisions(self, rows: Indices) -> Decisions:
        """The plays to decide at these tables, which must all be playing."""
        return Decisions(PlayerView(self.rules, self.state, rows, self.state.seat[rows], history=self.history))

    @classmethod
    def determinize(cls, decisions: Decisions | Choices, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables as those of decisions or choices rows [m], were the others to hold hands [m, others, kinds].

        They stop with the episode. Raises GameError away from a table.
        """
        view = decisions.view
        if not view.has_hand_sizes:
            raise GameError(HAND_SIZES_MISSING)
        tables, origin = cls(view.rules, len(rows)), view.rows[rows]
        tables.auto_next_episode = False
        copy_rows(view.state, origin, tables.state)
        others = view.rules.seating.others[tables.state.seat]
        tables.state.hands[np.arange(len(tables))[:, None], others] = hands
        stock.determinize_stock(view.rules, tables.state, view.unseen[rows] - hands.sum(axis=1, dtype=np.uint8))
        if len(view.rules.fluents.private_slots):
            tables.state.fluents[:] = view.rules.fluents.mask_private(tables.state.fluents, tables.state.seat)
        return tables

    # --- what seats see -----------------------------------------------------------------------------------------------

    def view(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> PlayerView:
        """These tables from the eyes of seats [n], by default of those to decide."""
        return PlayerView(self.rules, self.state, rows, self.state.seat[rows] if seats is None else seats)

    def observe(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, features] what seats [n] see at these tables, by default those to decide; see observations.py."""
        return observe(self.view(rows, seats))

    def information_set(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> InformationSet:
        """What seats [n] know of the hands they do not see at these tables, by default those to decide."""
        return compute_constraints(self.rules, self.view(rows, seats))

    def belief_log_odds(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """[n, others, kinds] how what the others did changes the odds of a copy for seats [n]."""
        return compute_log_odds(self.rules, self.view(rows, seats))

    def open_hands(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, seats, kinds] every hand in the order of play, that of seats [n] first, by default of those to decide."""
        view = self.view(rows, seats)
        return np.concatenate([view.hand[:, None], view.hidden_hands], axis=1)

    def hidden_hands(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, others, kinds] the hands that seats [n] do not see, likewise."""
        return self.view(rows, seats).hidden_hands

    def played_by_others(self, rows: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n, others, kinds] what these others have laid down in the episode."""
        return self.state.played[rows[:, None], self.rules.seating.others[seats]]

    # --- what it is worth ---------------------------------------------------------------------------------------------

    def match_returns(self, rows: Indices) -> NDArray[np.float64]:
        """[n, seats] what finished matches were worth to each seat; they add up to nothing.

        Points less their mean where points decide; else 1 for those who have won, and what that costs the others.
        """
        total = self.total_points[rows].astype(np.float64)
        won = self.sides(rows) == self.winner[rows][:, None]
        shares = np.where(won, 1.0, -won.sum(axis=1, keepdims=True) / np.maximum(1, (~won).sum(axis=1, keepdims=True)))
        shares[self.winner[rows] < 0] = 0
        return np.where(self.decided_by_points[rows][:, None], total - total.mean(axis=1, keepdims=True), shares)

    def roles(self, rows: Indices) -> NDArray[np.int8]:
        """[n, seats] the part of each seat in the match, a number of ``EventRules.roles``."""
        return self.event_rules.roles_at(self.state, rows)

    def sides(self, rows: Indices) -> NDArray[np.int8]:
        """[n, seats] who plays with whom: the teams, where ``side/2`` says nothing else."""
        return self.event_rules.sides_at(self.state, rows)

    def point_value(
        self, table_rows: Indices, point_seats: NDArray[np.int8], value_seats: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """[n] what a point of one seat is worth to another: to its side as much, to the others what they pay for it."""
        sides, rows = self.sides(table_rows), np.arange(len(table_rows))
        side = sides[rows, point_seats]
        members = (sides == side[:, None]).sum(axis=1)
        cost = members / (sides.shape[1] - members)
        return np.where(sides[rows, value_seats] == side, 1.0, -cost).astype(np.float32)

    # --- what happens ------------------------------------------------------------------------------------------------

    def begin_match(self, rows: Indices, keys: NDArray[np.uint64]) -> None:
        """Start a new match at these tables; keys [n] decide all its cards."""
        state = self.state
        self.keys[rows], self.num_episodes[rows], self.num_deals[rows], self.winner[rows] = keys, 0, 0, -1
        self.points[rows], self.total_points[rows] = 0, 0
        state.num_decisions[rows] = 0
        state.fluents[rows] = self.rules.fluents.defaults
        for number, sides in enumerate(self.event_rules.lot_sizes):
            state.lots[rows, number] = scale_to_range_array(
                splitmix64_array(self.keys[rows], _LOTS_STREAM + number), sides
            )
        self.event_rules.init_fluents(state, rows)
        self.event_rules.apply_event("match", state, rows)
        self._deal(rows)

    def play(self, rows: Indices, moves: Moves) -> None:
        """Lay down a legal play or pass at each of these tables."""
        if self.listener and not self.rules.has_composed_plays:
            self.listener.on_play(self, rows, moves)
        if self.history is not None:
            self.history.record(self.state, rows, moves.form)
        passing = self.rules.forms.pass_form
        record_acts(self.rules, self.state, rows, moves.form)
        if self.rules.trick_query is None:
            form, cards = moves.form, np.ascontiguousarray(moves.cards)
            stuck = map_ranges(
                len(rows),
                lambda lo, hi: apply_plays(self.state, self.rules.turn_table, passing, rows, lo, hi, form, cards),
                min_size=MIN_LIGHT_ITEMS_PER_THREAD,
            )
        else:
            tell, happen = (
                self._notify_composed if self.listener else None,
                self._apply_shown if SHOWN_EVENT in self.event_rules.updates else None,
            )
            rows, stuck = tricks.apply_trick_plays(self.rules, self.state, rows, moves, tell, happen)
        self._raise_stuck(stuck)
        self._raise_idle(rows)
        self.event_rules.apply_acts(self.state, rows)
        if self.rules.turn_query is not None:
            self._advance_turns(rows)
        self.event_rules.apply_trick_end(self.state, rows)
        if self.rules.turn_query is not None and "trick" in self.event_rules.updates:
            self._close_after_trick(rows)
        if self.rules.trick_query is not None:
            tricks.clear_tricks(self.state, rows[self.state.to_beat[rows] == LEADING])
        ended = self._rows_to_end(rows)
        if ended.size:
            self._end_episode(ended)

    def _rows_to_end(self, rows: Indices) -> Indices:
        """The tables where an episode is to be ended now; which are those where somebody has just acted.

        To end one at many tables costs little more than at one, so who is patient and does not listen waits for some.
        """
        stage = self.state.stage
        if not self.batch_rare_steps or self.listener or not self.auto_next_episode:
            return rows[stage[rows] == EPISODE_OVER]
        over = stage == EPISODE_OVER
        few = np.count_nonzero(over) * _END_SHARE < len(stage)
        return _NO_ROWS if few and ((stage == PLAY) | (stage == CHOICE)).any() else np.flatnonzero(over)

    def _advance_turns(self, rows: Indices) -> None:
        """Say whose turn it is where that depends on what these acts have changed."""
        entries, leftover = self.event_rules.turn_entries(self.state, rows), self.rules.turn_table.leftover_order
        self._raise_stuck([advance_turns(self.state, leftover, rows, entries, 0, len(rows))])

    def _close_after_trick(self, rows: Indices) -> None:
        """Say whether episodes are over by what the end of a trick has changed."""
        state = self.state
        some = rows[(state.to_beat[rows] == LEADING) & (state.stage[rows] != EPISODE_OVER)]
        entries = self.event_rules.turn_entries(state, some)
        over = (entries != NO_NEXT_SEAT) & (entries & EPISODE_OVER_BIT > 0)
        close_episodes(state, self.rules.turn_table.leftover_order, some[over])

    def _raise_stuck(self, stuck: Sequence[int]) -> None:
        """Stop where the turn is nobody's, or a play has no cards: tables by share, or -1; raises TableError."""
        for table in stuck:
            if table >= 0:
                raise TableError(int(table), self._no_turn_text(int(table)))
            if table <= EMPTY_PLAY_CODE:
                raise TableError(EMPTY_PLAY_CODE - int(table), self._empty_play_text(EMPTY_PLAY_CODE - int(table)))

    def _empty_play_text(self, table: int) -> str:
        label = self.rules.label_texts[self.rules.forms.label_of[self.state.last_form[table]]]
        where = source_hint(self.rules.kb, "needs/4", "form/2")
        return f"seat {self.state.last_actor[table]} plays {label} without cards, and only a pass has none{where}"

    def _notify_composed(self, rows: Indices, moves: Moves) -> None:
        """Tell who listens of plays that were composed."""
        assert self.listener
        self.listener.on_play(self, rows, moves)

    def _apply_shown(self, rows: Indices) -> None:
        """Plays of several parts have been shown, and nothing has come of them."""
        self.event_rules.apply_event(SHOWN_EVENT, self.state, rows)

    def choose(self, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Choose one of the options at each of these tables: their numbers [n]."""
        if self.listener:
            self.listener.on_choice(self, rows, options)
        state = self.state
        state.num_decisions[rows] += 1
        state.idle_decisions[rows] += 1
        self._raise_idle(rows)
        state.chosen[rows] = options
        self.event_rules.apply_event("choice", state, rows)
        state.is_just_drawn[rows] = False
        self._advance(rows)

    def abort_matches(self, rows: Indices, points: NDArray[np.integer]) -> None:
        """End matches in the middle of an episode, which nobody hears end; they are worth points [n, seats]."""
        self.points[rows] = self.total_points[rows] = points
        self.decided_by_points[rows] = True
        self.winner[rows] = self._best_sides(rows)
        self.state.stage[rows] = MATCH_OVER
        if self.listener:
            self.listener.on_match_end(self, rows)
        self._draw_all()

    def choices(self, rows: Indices) -> Choices:
        """What may be chosen at these tables, which must all be asking."""
        return Choices(PlayerView(self.rules, self.state, rows, self.state.seat[rows]))

    def _raise_idle(self, rows: Indices) -> None:
        """Stop where nobody lays a card any more; raises TableError."""

        def say(row: int) -> str:
            table = rows[row]
            asking = self.state.stage[table] == CHOICE
            stage = str(self.rules.schema.stages[int(self.state.choice[table])]) if asking else None
            return stall_text(self.rules.kb, "over", stage)

        if (
            self.state.idle_decisions.max(initial=0) > MAX_IDLE_DECISIONS
        ):  # of all tables, which is sooner seen than of some
            raise_where(self.state.idle_decisions[rows] > MAX_IDLE_DECISIONS, rows, say)

    def _no_turn_text(self, table: int) -> str:
        state = self.state
        out, passed = (join_names(_bits(mask[table])) for mask in (state.seats_out, state.passed))
        return (
            f"`turn/1` names no seat, or several, after seat {state.last_actor[table]} has acted "
            f"(owner {state.owner[table]}, "
            f"passed {passed}, out {out}){source_hint(self.rules.kb, 'turn/1')}"
        )

    def _deal(self, rows: Indices) -> None:
        """Shuffle, deal, and go on to where somebody is to act."""
        self._deal_out(rows)
        self._advance(rows)

    def _deal_out(self, rows: Indices) -> None:
        state, rules = self.state, self.rules
        state.fluents[rows[:, None], rules.fluents.episode_slots] = rules.fluents.defaults[rules.fluents.episode_slots]
        if self.fixed_deals is None:
            keys = splitmix64_array(splitmix64_array(self.keys[rows], self.num_deals[rows]), _DEAL_STREAM)
            if rules.has_draws:
                stock.shuffle_stock(keys, rows, rules.pack.deck, state)
            else:
                sizes = np.array(rules.seating.num_dealt, np.int64)
                deal_cards(keys, rows, rules.pack.deck, sizes, state.hands, state.aside)
        else:
            number = (self.keys[rows] % np.uint64(len(self.fixed_deals.hands))).astype(np.int64)
            state.hands[rows], state.aside[rows] = self.fixed_deals.hands[number], self.fixed_deals.aside[number]
            self._set_stock(rows, None if self.fixed_deals.stock is None else self.fixed_deals.stock[number])
        self.num_deals[rows] += 1
        self._begin_episode(rows)

    def _set_stock(self, rows: Indices, cards: NDArray[np.uint8] | None) -> None:
        """Lay down the cards as they are drawn; raises GameError where that is not known."""
        if not self.rules.has_draws:
            return
        if cards is None:
            raise GameError("cards are drawn one by one here: the deal must tell in which order they lie")
        self.state.stock[rows] = cards

    def _begin_episode(self, rows: Indices) -> None:
        """Cards are dealt at these tables: forget the episode before, and begin."""
        state = self.state
        reset_episodes(state, rows)
        if self.listener:  # first: a record has the cards as they were dealt
            self.listener.on_episode_start(self, rows)
        self.event_rules.apply_event("deal", state, rows)

    def _advance(self, rows: Indices) -> None:
        """Ask whom to ask, let the play begin, or let seats draw as long as they do."""
        self._start_turns(rows)
        self._draw_all()

    def _draw_all(self) -> None:
        """Draw cards wherever it is time to."""
        while (drawing := self._rows_to_draw()).size:
            self._draw_cards(drawing)
            self._start_turns(drawing)

    def _start_turns(self, rows: Indices) -> None:
        """Whose turn it is now at these tables, and what for; cards are dealt again as often as it takes."""
        while rows.size:
            control = self.event_rules.next_step(self.state, rows)
            drawing = control.drawer >= 0
            self.state.stage[rows[drawing]], self.state.seat[rows[drawing]] = DRAWING, control.drawer[drawing]
            rows = self._start_decisions(rows[~drawing], control.select(~drawing))
            if rows.size:
                self._deal_out(rows)

    def _rows_to_draw(self) -> Indices:
        """The tables where a card is to be drawn now: none while they are few, and others are waited for."""
        if not self.rules.has_draws:
            return _NO_ROWS
        stage = self.state.stage
        drawing = np.flatnonzero(stage == DRAWING)
        few = self.batch_rare_steps and len(drawing) * _DRAW_SHARE < len(stage)
        return _NO_ROWS if few and ((stage == PLAY) | (stage == CHOICE)).any() else drawing

    def _draw_cards(self, rows: Indices) -> None:
        """The seats whose turn it is draw a card each; raises TableError where there is none left."""
        state, rules = self.state, self.rules
        raise_where(stock.cards_in_stock(rules, state, rows) < 1, rows, lambda _: empty_stock_text(rules.kb))
        state.choice[rows], state.chosen[rows] = -1, -1
        stock.draw_cards(state, rows, state.seat[rows])
        if self.listener:
            self.listener.on_draw(self, rows)
        self.event_rules.apply_event("draw", state, rows)

    def _start_decisions(self, rows: Indices, control: NextStep) -> Indices:
        """Ask a choice, or let the play begin; the tables where cards are to be dealt again instead."""
        state = self.state
        again, stage, seat, leader, _ = control
        asked = stage >= 0
        state.choice[rows], state.stage[rows] = stage, np.where(asked, CHOICE, PLAY)
        state.seat[rows] = np.where(asked, seat, leader)
        state.owner[rows] = state.last_actor[rows] = state.leader[rows] = state.seat[rows]
        state.context[rows] = self.rules.contexts.compute_index_at(state.fluents, rows)
        if again.any():
            kb, often = self.rules.kb, self.num_deals[rows] - self.num_episodes[rows] > MAX_IDLE_DECISIONS
            raise_where(
                often,
                rows,
                lambda _: (
                    f"dealt {MAX_IDLE_DECISIONS:,} times in a row: `deal_again/0`{source_hint(kb, 'deal_again/0')}"
                ),
            )
        return rows[again]

    def end_episodes(self, rows: Indices) -> None:
        """Score episodes that are over, and deal the next ones."""
        self._end_episode(rows)

    def _end_episode(self, rows: Indices) -> None:
        """Score it; whoever listens to its end knows already whether the match is won."""
        points, over, winner = self.event_rules.score_episodes(self.state, rows)
        self.points[rows] = points
        self.total_points[rows] += points
        ended = rows[over]
        self.decided_by_points[ended] = winner[over] == -1
        self.winner[ended] = np.where(winner[over] == -1, self._best_sides(ended), winner[over])
        if self.listener:
            self.listener.on_episode_end(self, rows)
        self.event_rules.apply_event("end", self.state, rows)
        self.num_episodes[rows] += 1
        raise_endless(self.rules.kb, rows, self.num_episodes[rows], ~over, ("match_over/0", "won/1", "drawn/0"))
        self.state.stage[ended] = MATCH_OVER
        if self.listener and ended.size:
            self.listener.on_match_end(self, ended)
        if self.auto_next_episode and not over.all():
            self._deal(rows[~over])
        self._draw_all()

    def _best_sides(self, rows: Indices) -> NDArray[np.int8]:
        """The side of most points, or a draw; in a match of several episodes sides change, and teams count."""
        team = np.array(self.rules.seating.teams, np.int8)
        sides = np.where(self.num_episodes[rows][:, None] == 0, self.sides(rows), team)
        return best_sides(np.ascontiguousarray(sides), self.total_points[rows], np.int8(DRAW))


def _bits(mask: np.integer) -> list[int]:
    """The places of the bits that are set."""
    return [place for place in range(int(mask).bit_length()) if int(mask) >> place & 1]
