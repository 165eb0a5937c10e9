"""Vectorised simulation of many tables of a game, each of which plays whole matches.

The state is stored in arrays and changed in place, because a step touches every table. The course of play follows the
knowledge base.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import (
    MIN_LIGHT_ITEMS_PER_THREAD,
    ErrorCode,
    GameError,
    check_integer,
    map_ranges,
    scale_to_range_array,
    splitmix64_array,
)
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import CHOICE, MATCH_OVER, PLAY, apply_plays
from abl_cards.games.tables import dealing, ending, stock, tricks, turns
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.fluent_updates import SHOWN_EVENT
from abl_cards.games.tables.history import HISTORY_ACTS, PlayHistory
from abl_cards.games.tables.listeners import Listener, RetractionListener
from abl_cards.games.tables.play_stats import record_acts
from abl_cards.games.tables.table_views import TableViews
from abl_cards.games.tables.view import HAND_SIZES_MISSING
from abl_cards.games.types import (
    NO_CARD,
    Indices,
    Moves,
    check_distinct_rows,
    check_integers,
    check_moves,
    check_rows,
    check_rows_in_stage,
    copy_rows,
    named_arrays,
)

_UNKNOWN_COPIES = 255  # copies of each card in a kitty of which a state gives the size alone
_LOTS_STREAM = 2  # random stream of a match's random numbers


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


class Tables(TableViews):
    """State of n tables, and the steps that change it."""

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
        dealing.set_stock(tables, np.arange(len(tables)), dealt.stock)
        dealing.begin_episode(tables, np.arange(len(tables)))
        dealing.advance(tables, np.arange(len(tables)))
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

    def record_history(self, num_acts: int = HISTORY_ACTS) -> None:
        """Record states before acts from now on; ignored in games with plays of several parts.

        Args:
            num_acts: How many acts are kept, passes included; at least one of each other seat is.
        """
        if not self.rules.has_composed_plays:
            num_acts = max(check_integer("num_acts", num_acts, 1), self.rules.seating.seats - 1)
            self.history = PlayHistory(self.rules, len(self), num_acts)

    def copy(self, rows: Indices) -> Tables:
        """Copy tables with all hands, without the listener and the history.

        Args:
            rows: int64 [n], tables.

        Returns:
            n tables that stop after the episode.

        Raises:
            GameError: A table is out of range.
        """
        rows = check_rows(rows, len(self))
        tables = Tables(self.rules, len(rows))
        tables.auto_next_episode = False
        copy_rows(self.arrays().values(), rows, tables.arrays().values())
        return tables

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
            GameError: If the state lacks the hand sizes of the other seats, or ``rows`` or ``hands`` are invalid.
        """
        view = decisions.view
        if not view.has_hand_sizes:
            raise GameError(HAND_SIZES_MISSING, ErrorCode.INCOMPLETE_STATE)
        rows = check_rows(rows, len(view))
        check_integers("hands", hands, (len(rows), *view.hidden_hands.shape[1:]), NO_CARD + 1)
        tables = cls(view.rules, len(rows))
        tables.auto_next_episode = False
        copy_rows(view.state, view.rows[rows], tables.state)
        tables.state.hands[np.arange(len(rows))[:, None], view.other_seats[rows]] = hands
        tables.state.aside[:] = view.unseen[rows] - hands.sum(axis=1, dtype=np.uint8)
        if view.rules.has_draws:
            stock.determinize_stock(view.rules, tables.state, _hidden_cards(decisions, rows))
        if len(view.rules.fluents.private_slots):
            tables.state.fluents[:] = view.rules.fluents.mask_private(tables.state.fluents, tables.state.seat)
        return tables

    # --- steps -------------------------------------------------------------------------------------------------------

    def begin_match(self, rows: Indices, keys: NDArray[np.uint64]) -> None:
        """Start a match at some tables.

        Args:
            rows: int64 [n], tables.
            keys: uint64 [n], random keys that decide all cards; indices of deals if these are given.

        Raises:
            GameError: If these are not different tables with a key each, the rules name no or several seats to act, or
                deal again without end.
        """
        rows, state = check_distinct_rows(rows, len(self), keys), self.state
        self.keys[rows], self.num_episodes[rows], self.num_deals[rows], self.winner[rows] = keys, 0, 0, -1
        self.points[rows], self.total_points[rows], state.num_decisions[rows] = 0, 0, 0
        state.fluents[rows] = self.rules.fluents.defaults
        for index, num_values in enumerate(self.event_rules.lot_sizes):
            state.lots[rows, index] = scale_to_range_array(
                splitmix64_array(self.keys[rows], _LOTS_STREAM + index), num_values
            )
        self.event_rules.init_fluents(state, rows)
        self.event_rules.apply_event("match", state, rows)
        dealing.deal(self, rows)

    def play(self, rows: Indices, moves: Moves) -> None:
        """Make a legal play or pass at some tables.

        Args:
            rows: int64 [n], tables in ``rows_to_play``.
            moves: n legal moves. Only the existence of their forms and cards is checked, not legality.

        Raises:
            GameError: If the tables are not distinct, a table has no move or no play is due there, or the rules leave a
                table without a next decision.
        """
        rows = check_rows_in_stage(rows, self.state.stage, PLAY, moves.form, moves.cards)
        check_moves(moves, len(self.rules.forms.forms), self.state.hands.shape[2])
        if self.listener and rows.size and not self.rules.has_composed_plays:
            self.listener.on_play(self, rows, moves)
        if self.history is not None:
            self.history.record(self.state, rows, moves.form)
        record_acts(self.rules, self.state, rows, moves.form)
        tricks.add_to_tricks(self.rules, self.state, rows, moves)
        if self.rules.trick_query is None:
            form, cards, passing = moves.form, np.ascontiguousarray(moves.cards), self.rules.forms.pass_form
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
            listener: object = self.listener
            on_retracted = partial(listener.on_retraction, self) if isinstance(listener, RetractionListener) else None
            rows, stuck = tricks.apply_trick_plays(
                self.rules, self.state, rows, moves, on_composed, on_shown, on_retracted
            )
        turns.raise_stuck(self, stuck)
        turns.raise_idle(self, rows)
        self.event_rules.apply_acts(self.state, rows)
        if self.rules.turn_query is not None:
            turns.advance_table_turns(self, rows)
        self.event_rules.apply_trick_end(self.state, rows)
        if self.rules.turn_query is not None and "trick" in self.event_rules.updates:
            turns.close_after_trick(self, rows)
        tricks.clear_ended_tricks(self.rules, self.state, rows)
        dealing.advance_after_tricks(self, rows)
        ended = ending.rows_to_end(self, rows)
        if ended.size:
            ending.end_episodes(self, ended)

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
            options: uint8 [n], indices of legal options. Only their range is checked, not legality.

        Raises:
            GameError: If the tables are not distinct, a table has no option or no choice is due there, or the rules
                leave a table without a next decision.
        """
        rows = check_rows_in_stage(rows, self.state.stage, CHOICE, options)
        options = check_integers("options", options, (len(rows),), len(self.rules.schema.options))
        if self.listener and rows.size:
            self.listener.on_choice(self, rows, options)
        state = self.state
        state.num_decisions[rows] += 1
        state.idle_decisions[rows] += 1
        turns.raise_idle(self, rows)
        state.chosen[rows] = options
        self.event_rules.apply_event("choice", state, rows)
        state.is_just_drawn[rows] = False
        dealing.advance(self, rows)

    def abort_matches(self, rows: Indices, points: NDArray[np.integer]) -> None:
        """End matches during an episode, without notifying the listener of the end of the episode.

        Args:
            rows: int64 [n], tables.
            points: int [n, seats], points of the match.

        Raises:
            GameError: If these are not different tables with points each.
        """
        rows = check_distinct_rows(rows, len(self), points)
        self.points[rows] = self.total_points[rows] = points
        self.decided_by_points[rows] = True
        self.winner[rows] = ending.find_best_sides(self, rows)
        self.state.stage[rows] = MATCH_OVER
        if self.listener:
            self.listener.on_match_end(self, rows)
        dealing.draw_all(self)

    def end_episodes(self, rows: Indices) -> None:
        """Score finished episodes, and deal the next ones if ``auto_next_episode`` is set.

        Args:
            rows: int64 [n], tables whose episode is over.

        Raises:
            GameError: If these are not different tables, a match has too many episodes, or the rules leave a table
                without a way on.
        """
        ending.end_episodes(self, check_distinct_rows(rows, len(self)))


def _hidden_cards(decisions: Decisions | Choices, rows: Indices) -> stock.HiddenCards:
    """Return where the cards of some decisions are, and what the seats to decide know of it."""
    view, knowledge = decisions.view, decisions.information_set().select(rows)
    hands, others = view.state.hands[view.rows[rows]], view.other_seats[rows]
    known_hands = np.zeros_like(hands)
    known_hands[np.arange(len(rows))[:, None], others] = knowledge.min_copies
    possible = knowledge.max_copies.sum(axis=1, dtype=np.int64)
    return stock.HiddenCards(
        hands,
        view.state.aside[view.rows[rows]] if view.has_aside_cards else np.full_like(view.unseen[rows], _UNKNOWN_COPIES),
        view.seats[rows],
        view.unseen[rows] - knowledge.unseen,
        known_hands,
        np.maximum(knowledge.unseen - possible, 0).astype(np.uint8),
    )
