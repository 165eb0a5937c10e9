"""Vectorised simulation of many tables of a game, each of which plays whole matches.

The state is stored in arrays and changed in place, because a step touches every table. The course of play follows the
knowledge base.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import (
    MIN_LIGHT_ITEMS_PER_THREAD,
    ErrorCode,
    GameError,
    map_ranges,
    scale_to_range_array,
    splitmix64_array,
)
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

_DEAL_STREAM, _LOTS_STREAM = 1, 2  # random streams of an episode's deal and of a match's random numbers
_DRAW_SHARE = 8  # with batch_rare_steps, draw when at least 1 in 8 tables is to draw, or no other can act
_END_SHARE = 24  # with batch_rare_steps, end episodes when at least 1 in 24 is over, or no table can act
_NO_ROWS: Indices = np.zeros(0, np.int64)


class DealtEpisodes(NamedTuple):
    """States at the start of n episodes, before the updates of the event ``deal``."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds] the kitty, cards of the stock included
    fluents: NDArray[np.int16]  # [n, slots]
    lots: NDArray[np.int16]  # [n, lots] random numbers of the match
    total_points: NDArray[np.int64]  # [n, seats] points so far in the match
    episode_index: NDArray[np.int32]  # [n] episodes before this one in the match
    stock: NDArray[np.uint8] | None = None  # [n, cards] in the order of drawing; None in games without draws


class FixedDeals(NamedTuple):
    """Given deals, before the updates of the event ``deal``."""

    hands: NDArray[np.uint8]  # [n, seats, kinds]
    aside: NDArray[np.uint8]  # [n, kinds] the kitty, cards of the stock included
    stock: NDArray[np.uint8] | None = None  # [n, cards] in the order of drawing; None in games without draws


class Tables:
    """State of n tables, and the steps that change it."""

    @cached_property
    def event_rules(self) -> EventRules:
        """Rules for the course of play, compiled when first read because views of a state do not need them."""
        return EventRules.from_rules(self.rules)

    def __init__(
        self,
        rules: CompiledGame,
        num_tables: int,
        listener: Listener | None = None,
        fixed_deals: FixedDeals | None = None,
    ) -> None:
        """Make tables without matches; ``begin`` also deals.

        Args:
            rules: Compiled rules.
            num_tables: Number of tables.
            listener: Notified of events, None for none.
            fixed_deals: Deals to use instead of shuffled cards; keys of matches are then indices of deals.
        """
        self.rules, self.listener, self.fixed_deals = rules, listener, fixed_deals
        self.auto_next_episode = True  # deal the next episode when one is over
        self.batch_rare_steps = False  # delay draws and ends of episodes until enough tables are due
        self.keys = np.zeros(num_tables, np.uint64)  # [n] random key of each match
        self.num_episodes = np.zeros(num_tables, np.int32)  # [n] episodes finished in the match
        self.num_deals = np.zeros(num_tables, np.int32)  # [n] deals so far in the match
        self.winner = np.full(num_tables, -1, np.int8)  # [n] a team, DRAW, or -1 while the match runs
        self.points = np.zeros((num_tables, rules.seating.seats), np.int32)  # [n, seats] points of the last episode
        self.total_points = np.zeros((num_tables, rules.seating.seats), np.int64)  # [n, seats] points of the match
        self.decided_by_points = np.zeros(num_tables, np.bool_)  # [n] points decided the match, not won/1 or drawn/0
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
        """Start a match at each of n tables.

        Args:
            rules: Compiled rules.
            keys: uint64 [n], random keys that decide all cards of a match; indices of deals if these are given.
            listener: Notified of events, None for none.
            fixed_deals: Deals to use instead of shuffled cards.

        Returns:
            Tables at their first decisions.

        Raises:
            TableError: If the rules name no or several seats to act, or deal again without end.
        """
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
        """Make a table for each of n dealt episodes.

        Args:
            rules: Compiled rules.
            dealt: Episodes just dealt.
            listener: Notified of events, None for none.
            keys: uint64 [n], random keys of later episodes; None to stop after the episode.

        Returns:
            Tables at the first decisions of the episodes.

        Raises:
            GameError: If the game has draws and ``dealt`` does not give the order of the stock.
            TableError: If the rules name no or several seats to act.
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
        """Return the whole state as arrays by name, not copied, to save and to restore it."""
        names = ("keys", "num_episodes", "num_deals", "winner", "points", "total_points", "decided_by_points")
        return named_arrays({name: getattr(self, name) for name in names}, state=self.state)

    @property
    def seat(self) -> NDArray[np.int8]:
        """Seat to decide, int8 [n]."""
        return self.state.seat

    @property
    def num_decisions(self) -> NDArray[np.int32]:
        """Decisions so far in the match, int32 [n]."""
        return self.state.num_decisions

    def record_history(self) -> None:
        """Record states before acts from now on; ignored in games with plays of several parts."""
        if not self.rules.has_composed_plays:
            self.history = PlayHistory(self.rules, len(self), self.rules.seating.seats - 1)

    def rows_to_play(self) -> Indices:
        """Return the tables where a seat is to play or pass."""
        return np.flatnonzero(self.state.stage == PLAY)

    def rows_to_choose(self) -> Indices:
        """Return the tables where a seat is to choose an option."""
        return np.flatnonzero(self.state.stage == CHOICE)

    def decisions(self, rows: Indices) -> Decisions:
        """Return the decisions about plays at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_play``.

        Returns:
            n decisions, valid until a move is made at one of the tables.
        """
        return Decisions(PlayerView(self.rules, self.state, rows, self.state.seat[rows], history=self.history))

    @classmethod
    def determinize(cls, decisions: Decisions | Choices, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Copy the tables of decisions with hypothetical hidden hands.

        Args:
            decisions: Decisions or choices.
            rows: int64 [m], indices of decisions.
            hands: uint8 [m, others, kinds], hypothetical hands of the other seats, from the next one.

        Returns:
            m tables that stop after the episode.

        Raises:
            GameError: If the state does not give the hand sizes of the other seats.
        """
        view = decisions.view
        if not view.has_hand_sizes:
            raise GameError(HAND_SIZES_MISSING, ErrorCode.INCOMPLETE_STATE)
        tables, origin = cls(view.rules, len(rows)), view.rows[rows]
        tables.auto_next_episode = False
        copy_rows(view.state, origin, tables.state)
        others = view.rules.seating.others[tables.state.seat]
        tables.state.hands[np.arange(len(tables))[:, None], others] = hands
        stock.determinize_stock(view.rules, tables.state, view.unseen[rows] - hands.sum(axis=1, dtype=np.uint8))
        if len(view.rules.fluents.private_slots):
            tables.state.fluents[:] = view.rules.fluents.mask_private(tables.state.fluents, tables.state.seat)
        return tables

    # --- views --------------------------------------------------------------------------------------------------------

    def view(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> PlayerView:
        """Return the view of tables.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            View of n observers.
        """
        return PlayerView(self.rules, self.state, rows, self.state.seat[rows] if seats is None else seats)

    def observe(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Return observations.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            uint8 [n, features], as ``build_feature_table`` describes.
        """
        return observe(self.view(rows, seats))

    def information_set(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> InformationSet:
        """Return the constraints on hidden hands.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            Constraints for n observers.
        """
        return compute_constraints(self.rules, self.view(rows, seats))

    def belief_log_odds(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """Return the change of log odds that the beliefs of the rules give each copy of a card.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            float32 [n, others, kinds].
        """
        return compute_log_odds(self.rules, self.view(rows, seats))

    def open_hands(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Return all hands.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], seat that comes first; None for the seats to decide.

        Returns:
            uint8 [n, seats, kinds] in the order of play.
        """
        view = self.view(rows, seats)
        return np.concatenate([view.hand[:, None], view.hidden_hands], axis=1)

    def hidden_hands(self, rows: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Return the hands that observers do not see.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers; None for the seats to decide.

        Returns:
            uint8 [n, others, kinds] in the order of play, from the seat after the observer.
        """
        return self.view(rows, seats).hidden_hands

    def played_by_others(self, rows: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """Return the cards that other seats have played in the episode.

        Args:
            rows: int64 [n], tables.
            seats: int8 [n], observers.

        Returns:
            uint8 [n, others, kinds] in the order of play, from the seat after the observer.
        """
        return self.state.played[rows[:, None], self.rules.seating.others[seats]]

    # --- returns ------------------------------------------------------------------------------------------------------

    def match_returns(self, rows: Indices) -> NDArray[np.float64]:
        """Return the value of finished matches to each seat.

        If points decide, it is the points minus their mean. Otherwise winners get 1 each, and the others lose that in
        equal shares.

        Args:
            rows: int64 [n], tables with finished matches.

        Returns:
            float64 [n, seats]; rows sum up to 0.
        """
        total = self.total_points[rows].astype(np.float64)
        won = self.sides(rows) == self.winner[rows][:, None]
        shares = np.where(won, 1.0, -won.sum(axis=1, keepdims=True) / np.maximum(1, (~won).sum(axis=1, keepdims=True)))
        shares[self.winner[rows] < 0] = 0
        return np.where(self.decided_by_points[rows][:, None], total - total.mean(axis=1, keepdims=True), shares)

    def roles(self, rows: Indices) -> NDArray[np.int8]:
        """Return the role of each seat.

        Args:
            rows: int64 [n], tables.

        Returns:
            int8 [n, seats], index of ``EventRules.roles``.
        """
        return self.event_rules.roles_at(self.state, rows)

    def sides(self, rows: Indices) -> NDArray[np.int8]:
        """Return the side of each seat.

        Args:
            rows: int64 [n], tables.

        Returns:
            int8 [n, seats], ``side/2`` of the seat, else its team.
        """
        return self.event_rules.sides_at(self.state, rows)

    def point_value(
        self, table_rows: Indices, point_seats: NDArray[np.int8], value_seats: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """Return the value of a point of one seat to another seat.

        Args:
            table_rows: int64 [n], tables.
            point_seats: int8 [n], seats that get a point.
            value_seats: int8 [n], seats for which it is valued.

        Returns:
            float32 [n], 1 on the same side, else minus the ratio of the sizes of both sides.
        """
        sides, rows = self.sides(table_rows), np.arange(len(table_rows))
        side = sides[rows, point_seats]
        members = (sides == side[:, None]).sum(axis=1)
        cost = members / (sides.shape[1] - members)
        return np.where(sides[rows, value_seats] == side, 1.0, -cost).astype(np.float32)

    # --- steps -------------------------------------------------------------------------------------------------------

    def begin_match(self, rows: Indices, keys: NDArray[np.uint64]) -> None:
        """Start a match at some tables.

        Args:
            rows: int64 [n], tables.
            keys: uint64 [n], random keys that decide all cards; indices of deals if these are given.

        Raises:
            TableError: If the rules name no or several seats to act, or deal again without end.
        """
        state = self.state
        self.keys[rows], self.num_episodes[rows], self.num_deals[rows], self.winner[rows] = keys, 0, 0, -1
        self.points[rows], self.total_points[rows] = 0, 0
        state.num_decisions[rows] = 0
        state.fluents[rows] = self.rules.fluents.defaults
        for index, num_values in enumerate(self.event_rules.lot_sizes):
            state.lots[rows, index] = scale_to_range_array(
                splitmix64_array(self.keys[rows], _LOTS_STREAM + index), num_values
            )
        self.event_rules.init_fluents(state, rows)
        self.event_rules.apply_event("match", state, rows)
        self._deal(rows)

    def play(self, rows: Indices, moves: Moves) -> None:
        """Make a legal play or pass at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_play``.
            moves: n legal moves; legality is not checked.

        Raises:
            TableError: If the rules leave a table without a way on.
        """
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
            on_composed, on_shown = (
                self._notify_composed if self.listener else None,
                self._apply_shown if SHOWN_EVENT in self.event_rules.updates else None,
            )
            rows, stuck = tricks.apply_trick_plays(self.rules, self.state, rows, moves, on_composed, on_shown)
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
        """Return the tables where an episode is to be ended now; rows [n] are those of the last acts.

        Ending episodes at many tables costs little more than at one, so ``batch_rare_steps`` delays it.
        """
        stage = self.state.stage
        if not self.batch_rare_steps or self.listener or not self.auto_next_episode:
            return rows[stage[rows] == EPISODE_OVER]
        is_over = stage == EPISODE_OVER
        are_few = np.count_nonzero(is_over) * _END_SHARE < len(stage)
        return _NO_ROWS if are_few and ((stage == PLAY) | (stage == CHOICE)).any() else np.flatnonzero(is_over)

    def _advance_turns(self, rows: Indices) -> None:
        """Advance the turn at tables rows [n] where it depends on the updates of the acts."""
        entries, leftover = self.event_rules.turn_entries(self.state, rows), self.rules.turn_table.leftover_order
        self._raise_stuck([advance_turns(self.state, leftover, rows, entries, 0, len(rows))])

    def _close_after_trick(self, rows: Indices) -> None:
        """Close episodes that the updates at the end of a trick have ended."""
        state = self.state
        trick_rows = rows[(state.to_beat[rows] == LEADING) & (state.stage[rows] != EPISODE_OVER)]
        entries = self.event_rules.turn_entries(state, trick_rows)
        is_over = (entries != NO_NEXT_SEAT) & (entries & EPISODE_OVER_BIT > 0)
        close_episodes(state, self.rules.turn_table.leftover_order, trick_rows[is_over])

    def _raise_stuck(self, stuck: Sequence[int]) -> None:
        """Raise TableError for a table without next seat or with an empty play; ``stuck`` has one per thread, or -1."""
        for table in stuck:
            if table >= 0:
                raise TableError(int(table), self._no_turn_text(int(table)))
            if table <= EMPTY_PLAY_CODE:
                raise TableError(EMPTY_PLAY_CODE - int(table), self._empty_play_text(EMPTY_PLAY_CODE - int(table)))

    def _empty_play_text(self, table: int) -> str:
        """Describe a play without cards."""
        label = self.rules.label_texts[self.rules.forms.label_of[self.state.last_form[table]]]
        hint = source_hint(self.rules.kb, "needs/4", "form/2")
        return f"seat {self.state.last_actor[table]} plays {label} without cards, and only a pass has none{hint}"

    def _notify_composed(self, rows: Indices, moves: Moves) -> None:
        """Notify the listener of complete composed plays."""
        assert self.listener
        self.listener.on_play(self, rows, moves)

    def _apply_shown(self, rows: Indices) -> None:
        """Apply the updates of ``event(shown)`` at tables rows [n]."""
        self.event_rules.apply_event(SHOWN_EVENT, self.state, rows)

    def choose(self, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Choose an option at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_choose``.
            options: uint8 [n], indices of legal options; legality is not checked.

        Raises:
            TableError: If the rules leave a table without a way on.
        """
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
        """End matches during an episode, without notifying the listener of the end of the episode.

        Args:
            rows: int64 [n], tables.
            points: int [n, seats], points of the match.
        """
        self.points[rows] = self.total_points[rows] = points
        self.decided_by_points[rows] = True
        self.winner[rows] = self._best_sides(rows)
        self.state.stage[rows] = MATCH_OVER
        if self.listener:
            self.listener.on_match_end(self, rows)
        self._draw_all()

    def choices(self, rows: Indices) -> Choices:
        """Return the choices at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_choose``.

        Returns:
            n choices, valid until a move is made at one of the tables.
        """
        return Choices(PlayerView(self.rules, self.state, rows, self.state.seat[rows]))

    def _raise_idle(self, rows: Indices) -> None:
        """Raise TableError where too many decisions in a row have played no card."""

        def describe(row: int) -> str:
            table = rows[row]
            is_choosing = self.state.stage[table] == CHOICE
            stage = str(self.rules.schema.stages[int(self.state.choice[table])]) if is_choosing else None
            return stall_text(self.rules.kb, "over", stage)

        if self.state.idle_decisions.max(initial=0) > MAX_IDLE_DECISIONS:  # faster for all tables than for some
            raise_where(self.state.idle_decisions[rows] > MAX_IDLE_DECISIONS, rows, describe)

    def _no_turn_text(self, table: int) -> str:
        """Describe a table without a unique next seat."""
        state = self.state
        out_text, passed_text = (join_names(_bits(mask[table])) for mask in (state.seats_out, state.passed))
        return (
            f"`turn/1` names no seat, or several, after seat {state.last_actor[table]} has acted "
            f"(owner {state.owner[table]}, "
            f"passed {passed_text}, out {out_text}){source_hint(self.rules.kb, 'turn/1')}"
        )

    def _deal(self, rows: Indices) -> None:
        """Shuffle, deal, and advance to the next decisions."""
        self._deal_out(rows)
        self._advance(rows)

    def _deal_out(self, rows: Indices) -> None:
        """Shuffle and deal at tables rows [n]."""
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
            deal = (self.keys[rows] % np.uint64(len(self.fixed_deals.hands))).astype(np.int64)
            state.hands[rows], state.aside[rows] = self.fixed_deals.hands[deal], self.fixed_deals.aside[deal]
            self._set_stock(rows, None if self.fixed_deals.stock is None else self.fixed_deals.stock[deal])
        self.num_deals[rows] += 1
        self._begin_episode(rows)

    def _set_stock(self, rows: Indices, cards: NDArray[np.uint8] | None) -> None:
        """Set the stock of games with draws to cards [n, cards]; raise GameError if these are not given."""
        if not self.rules.has_draws:
            return
        if cards is None:
            raise GameError(
                "cards are drawn one by one here: the deal must give the order of the stock", ErrorCode.INCOMPLETE_STATE
            )
        self.state.stock[rows] = cards

    def _begin_episode(self, rows: Indices) -> None:
        """Reset the state of the previous episode at tables rows [n] with new cards, and apply the event ``deal``."""
        state = self.state
        reset_episodes(state, rows)
        if self.listener:  # before the event, as a record has the cards as dealt
            self.listener.on_episode_start(self, rows)
        self.event_rules.apply_event("deal", state, rows)

    def _advance(self, rows: Indices) -> None:
        """Advance tables rows [n] to the next decision, through draws and deals."""
        self._start_turns(rows)
        self._draw_all()

    def _draw_all(self) -> None:
        """Draw cards at all tables that are due until none is left."""
        while (drawing := self._rows_to_draw()).size:
            self._draw_cards(drawing)
            self._start_turns(drawing)

    def _start_turns(self, rows: Indices) -> None:
        """Set stage and seat of the next step at tables rows [n], with new deals where the rules require them."""
        while rows.size:
            step = self.event_rules.next_step(self.state, rows)
            is_drawing = step.drawer >= 0
            self.state.stage[rows[is_drawing]], self.state.seat[rows[is_drawing]] = DRAWING, step.drawer[is_drawing]
            rows = self._start_decisions(rows[~is_drawing], step.select(~is_drawing))
            if rows.size:
                self._deal_out(rows)

    def _rows_to_draw(self) -> Indices:
        """Return the tables where a card is to be drawn now; ``batch_rare_steps`` delays draws at few tables."""
        if not self.rules.has_draws:
            return _NO_ROWS
        stage = self.state.stage
        drawing = np.flatnonzero(stage == DRAWING)
        are_few = self.batch_rare_steps and len(drawing) * _DRAW_SHARE < len(stage)
        return _NO_ROWS if are_few and ((stage == PLAY) | (stage == CHOICE)).any() else drawing

    def _draw_cards(self, rows: Indices) -> None:
        """Draw a card for the seat to act at tables rows [n]; raise TableError where the stock is empty."""
        state, rules = self.state, self.rules
        raise_where(stock.cards_in_stock(rules, state, rows) < 1, rows, lambda _: empty_stock_text(rules.kb))
        state.choice[rows], state.chosen[rows] = -1, -1
        stock.draw_cards(state, rows, state.seat[rows])
        if self.listener:
            self.listener.on_draw(self, rows)
        self.event_rules.apply_event("draw", state, rows)

    def _start_decisions(self, rows: Indices, step: NextStep) -> Indices:
        """Start choices and plays at tables rows [n]; return the tables to deal again instead."""
        state = self.state
        redeal, stage, seat, leader, _ = step
        is_choosing = stage >= 0
        state.choice[rows], state.stage[rows] = stage, np.where(is_choosing, CHOICE, PLAY)
        state.seat[rows] = np.where(is_choosing, seat, leader)
        state.owner[rows] = state.last_actor[rows] = state.leader[rows] = state.seat[rows]
        state.context[rows] = self.rules.contexts.compute_index_at(state.fluents, rows)
        if redeal.any():
            kb, is_endless = self.rules.kb, self.num_deals[rows] - self.num_episodes[rows] > MAX_IDLE_DECISIONS
            raise_where(
                is_endless,
                rows,
                lambda _: (
                    f"dealt {MAX_IDLE_DECISIONS:,} times in a row: `deal_again/0`{source_hint(kb, 'deal_again/0')}"
                ),
            )
        return rows[redeal]

    def end_episodes(self, rows: Indices) -> None:
        """Score finished episodes, and deal the next ones if ``auto_next_episode`` is set.

        Args:
            rows: int64 [n], tables whose episode is over.

        Raises:
            TableError: If a match has too many episodes, or the rules leave a table without a way on.
        """
        self._end_episode(rows)

    def _end_episode(self, rows: Indices) -> None:
        """Score finished episodes; the winner of a match is set before the listener is notified."""
        points, is_over, winner = self.event_rules.score_episodes(self.state, rows)
        self.points[rows] = points
        self.total_points[rows] += points
        ended = rows[is_over]
        self.decided_by_points[ended] = winner[is_over] == -1
        self.winner[ended] = np.where(winner[is_over] == -1, self._best_sides(ended), winner[is_over])
        if self.listener:
            self.listener.on_episode_end(self, rows)
        self.event_rules.apply_event("end", self.state, rows)
        self.num_episodes[rows] += 1
        raise_endless(self.rules.kb, rows, self.num_episodes[rows], ~is_over, ("match_over/0", "won/1", "drawn/0"))
        self.state.stage[ended] = MATCH_OVER
        if self.listener and ended.size:
            self.listener.on_match_end(self, ended)
        if self.auto_next_episode and not is_over.all():
            self._deal(rows[~is_over])
        self._draw_all()

    def _best_sides(self, rows: Indices) -> NDArray[np.int8]:
        """Return the side with the most points [n], or ``DRAW``; teams after several episodes, as sides may change."""
        team = np.array(self.rules.seating.teams, np.int8)
        sides = np.where(self.num_episodes[rows][:, None] == 0, self.sides(rows), team)
        return best_sides(np.ascontiguousarray(sides), self.total_points[rows], np.int8(DRAW))


def _bits(mask: np.integer) -> list[int]:
    """Return the positions of the bits that are set."""
    return [position for position in range(int(mask).bit_length()) if int(mask) >> position & 1]
