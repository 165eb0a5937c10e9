"""Values of the possible ends of an episode to one of two parties, from a position on.

The order of finish and the fluents decide the value: a play may change a fluent (a bomb doubles the stake). Orders and
fluent states are numbered, with tables of their successors after a seat goes out or a form is played. The circuit of
``points/3`` is evaluated once for all ends that can follow from a position.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import SINGLE_VALUED
from abl_cards.games.state import EPISODE_OVER_BIT, NO_NEXT_SEAT, NO_SEAT, TableState
from abl_cards.games.tables import EventRules
from abl_cards.games.types import Indices

_UNSUPPORTED = ErrorCode.UNSUPPORTED_POSITION
MAX_OUTCOMES, MAX_FINISH_ORDERS, MAX_FLUENT_STATES, MAX_COUNTED_PLAYS = 1 << 18, 1 << 13, 1 << 10, 15
"""Largest number of ends, orders of finish, fluent states and plays of a seat that the solver represents."""
MAX_CACHED_OUTCOMES = 1 << 22
"""Ends that are cached for other positions."""


class OutcomeTable(NamedTuple):
    """Ends that can follow from a position, and their values; kernels read it."""

    party: NDArray[np.int8]  # [seats] 0 for the party of seat 0, which maximises; else 1
    next_finish: NDArray[np.int32]  # [orders, seats] order of finish after the seat goes out, -1 if it is out; 0 is now
    out: NDArray[np.int64]  # [orders] seats that are out, as bits
    next_fluents: NDArray[np.int32]  # [fluent states, effects] fluent state after an effect; 0 is now
    effect: NDArray[np.int32]  # [forms] effect of each form on fluents
    values: NDArray[np.int64]  # [values] sum of points of the party of seat 0, ascending
    value_index: NDArray[np.int32]  # [ends] index in values, -1 if no end, at the sum of coordinates times strides
    strides: NDArray[np.int64]  # [2 + 2 * seats] of order, fluent state, plays of each seat, cards left of each seat
    max_plays: int  # plays of a seat are clipped at this number
    plays: NDArray[np.int64]  # [seats] plays so far, clipped
    min_value: NDArray[np.int32]  # [orders, fluent states] least index of values that can still be reached
    max_value: NDArray[np.int32]  # [orders, fluent states] largest index of values that can still be reached

    def points(self, value: int, seat: int) -> float:
        """Return the points of a seat: its equal share of the points of its party.

        Args:
            value: Index of ``values``.
            seat: Seat.

        Returns:
            Points.
        """
        is_own = self.party == self.party[seat]
        won = float(self.values[value]) if self.party[seat] == 0 else -float(self.values[value])
        return won / int(is_own.sum())


class TableOutcomes:
    """Outcome tables of the positions at tables [n], cached for each game."""

    def __init__(self, rules: CompiledGame, state: TableState, rows: Indices) -> None:
        """Compute the cache keys of tables rows [n]."""
        self._rules, self._state, self._rows = rules, state, rows
        self._parties, self._keys = EventRules.from_rules(rules).sides_at(state, rows), _cache_keys(rules, state, rows)
        self._cache = _outcome_cache(rules)

    def of_row(self, row: int) -> OutcomeTable:
        """Return the outcome table of a position.

        Args:
            row: Index in the rows.

        Returns:
            Its outcome table.

        Raises:
            GameError: If there are not two parties with opposite points, or the position has no or too many ends.
        """
        key = self._keys[row].tobytes() + self._parties[row].tobytes()
        outcomes = self._cache.get(key)
        if outcomes is None:
            outcomes = _OutcomeTableBuilder(self._rules, self._state, int(self._rows[row]), self._parties[row]).build()
            if sum(len(table.value_index) for table in list(self._cache.values())) > MAX_CACHED_OUTCOMES:
                self._cache.clear()
            self._cache[key] = outcomes
        return outcomes


@cache_per_game
def _outcome_cache(_: CompiledGame) -> dict[bytes, OutcomeTable]:
    """Return the cache of outcome tables of a game."""
    return {}


@cache_per_game
def _relevant_slots(rules: CompiledGame) -> Indices:
    """Return the fluent slots that points depend on or that plays change."""
    event_rules = EventRules.from_rules(rules)
    update, input_columns = event_rules.updates.get("play"), _input_columns(rules)
    changed = {int(slot) for _, slot, _ in [*update.sets, *update.adds]} if update else set()
    return np.array(sorted(changed | input_columns.get("fluents", set())), np.int64)


@cache_per_game
def _input_columns(rules: CompiledGame) -> dict[str, set[int]]:
    """Return the columns that points depend on, by input group."""
    query = EventRules.from_rules(rules).end_query
    return (
        {}
        if query is None
        else {name: set(columns.tolist()) for name, columns in zip(query.groups, query.used_columns, strict=True)}
    )


def _cache_keys(rules: CompiledGame, state: TableState, rows: Indices) -> NDArray[np.int32]:
    """Return everything that the outcome tables of positions depend on, except for sides, int32 [n, columns]."""
    input_columns, seats = _input_columns(rules), state.finish_order.shape[1]
    columns: list[NDArray[np.integer]] = [state.finish_order[rows], state.context[rows, None]]
    columns.append(state.fluents[rows][:, _relevant_slots(rules)])
    if "plays" in input_columns:
        columns.append(state.num_plays[rows])
    if "play" in EventRules.from_rules(rules).updates or max(input_columns.get("result", {0}), default=0) >= seats:
        columns.append(state.hands[rows].sum(axis=2, dtype=np.int32))
    columns += [array[rows] for name, array in (("aside", state.aside), ("lots", state.lots)) if name in input_columns]
    return np.concatenate([array.astype(np.int32) for array in columns], axis=1)


class _OutcomeTableBuilder:
    """Builder of the outcome table of one position."""

    def __init__(self, rules: CompiledGame, state: TableState, table: int, sides: NDArray[np.int8]) -> None:
        """Make a builder; raise GameError if there are not two parties."""
        self.rules, self.event_rules, self.state, self.table = rules, EventRules.from_rules(rules), state, table
        self.seats = rules.seating.seats
        self.sizes: Indices = state.hands[table].sum(axis=1, dtype=np.int64)
        if len(np.unique(sides)) != 2:
            raise GameError(
                f"{rules.folder.name} has {len(np.unique(sides))} parties here, and not two", ErrorCode.UNSUPPORTED_GAME
            )
        self.party = (sides != sides[0]).astype(np.int8)

    @cached_property
    def input_columns(self) -> dict[str, set[int]]:
        """Columns that points depend on, by input group."""
        if self.event_rules.end_query is None:
            raise GameError(f"{self.rules.folder.name}: no rule derives points/3", ErrorCode.UNSUPPORTED_GAME)
        return _input_columns(self.rules)

    def build(self) -> OutcomeTable:
        """Build the table; raise GameError for positions with too many ends, or with only one value."""
        orders, next_order = self._finish_orders()
        fluent_states, next_fluents, effect = self._fluent_states()
        axes = [np.arange(len(orders)), np.arange(len(fluent_states)), *self._play_axes, *self._size_axes]
        shape = [len(axis) for axis in axes]
        if prod(shape) > MAX_OUTCOMES:
            raise GameError(f"more than {MAX_OUTCOMES:,} ends can follow from this position", _UNSUPPORTED)
        strides = np.array([prod(shape[axis_index + 1 :]) for axis_index in range(len(shape))], np.int64)
        strides[[len(axis) == 1 for axis in axes]] = 0
        out = np.array([sum(1 << seat for seat in order) for order in orders], np.int64)
        is_over = np.repeat(_can_be_over(self.rules)[out], prod(shape[1:]))
        points = self._evaluate_points(orders, fluent_states, axes, is_over)
        values = np.unique(points[is_over])
        if len(values) < 2:
            raise GameError(f"every end of this position is worth the same: {self._constant_reason()}", _UNSUPPORTED)
        ends = np.where(is_over, np.searchsorted(values, points), -1)
        table, is_possible = (array.reshape(len(orders), len(fluent_states), -1) for array in (ends, is_over))
        min_value, max_value = (
            np.where(is_possible, table, len(values)).min(axis=2),
            np.where(is_possible, table, -1).max(axis=2),
        )
        return OutcomeTable(
            self.party, next_order, out, next_fluents, effect, values.astype(np.int64), ends.ravel().astype(np.int32),
            strides, self._max_plays, np.minimum(self.state.num_plays[self.table], self._max_plays).astype(np.int64),
            _propagate_bound(min_value, next_order, next_fluents, np.minimum),
            _propagate_bound(max_value, next_order, next_fluents, np.maximum),
        )  # fmt: skip

    def _constant_reason(self) -> str:
        """Explain why all ends have the same value: single-valued fluents without value, if points depend on some."""
        fluents, slots = self.rules.fluents, self.input_columns.get("fluents", set())
        unset = [fluent for fluent in fluents.fluents
                 if slots & set(fluent.slots) and fluent.value_type == SINGLE_VALUED
                 and (self.state.fluents[self.table, list(fluent.slots)] == fluent.default).all()]  # fmt: skip
        names = ", ".join(str(fluent.signature) for fluent in unset)
        return f"no value of {names} is given" if unset else "nothing is at stake"

    # --- orders of finish ---------------------------------------------------------------------------------------------

    def _finish_orders(self) -> tuple[list[tuple[int, ...]], NDArray[np.int32]]:
        """Return the orders of finish from now on, and the next order when a seat goes out [orders, seats]."""
        start = tuple(seat for seat in self.state.finish_order[self.table].tolist() if seat != NO_SEAT)
        orders, successors = [start], [[-1] * self.seats]
        for index in range(MAX_FINISH_ORDERS):
            if index == len(orders):
                return orders, np.array(successors, np.int32)
            for seat in range(self.seats):
                if seat not in orders[index]:
                    successors[index][seat] = len(orders)
                    orders.append((*orders[index], seat))
                    successors.append([-1] * self.seats)
        raise GameError(f"{self.seats} seats can go out in too many orders", _UNSUPPORTED)

    # --- fluents ------------------------------------------------------------------------------------------------------

    def _fluent_states(self) -> tuple[list[NDArray[np.int16]], NDArray[np.int32], NDArray[np.int32]]:
        """Return the reachable fluent states, the next state after an effect, and the effect of each form."""
        forms = len(self.rules.forms)
        start = self.state.fluents[self.table].copy()
        update = self.event_rules.updates.get("play")
        if update is None or update.known_outputs is None:
            return [start], np.zeros((1, 1), np.int32), np.zeros(forms, np.int32)
        effects, effect = np.unique(update.known_outputs, axis=1, return_inverse=True)
        effect = effect.ravel().astype(np.int32)
        effect[~update.form_matters] = effect[self.rules.forms.pass_form]
        min_cards = np.full(effects.shape[1], 1 << 20)
        np.minimum.at(min_cards, effect, self.rules.forms.num_cards.astype(np.int64))
        form_of = np.array([int(np.flatnonzero(effect == index)[0]) if (effect == index).any() else 0
                            for index in range(len(min_cards))])  # fmt: skip
        fluent_states, successors = self._enumerate_fluents(start, form_of, min_cards)
        return fluent_states, successors, effect.astype(np.int32)

    def _enumerate_fluents(
        self, start: NDArray[np.int16], form_of: Indices, cards: Indices
    ) -> tuple[list[NDArray[np.int16]], NDArray[np.int32]]:
        """Enumerate the fluent states that the cards left can reach, by effects with a form and a number of cards."""
        update, max_cards = self.event_rules.updates["play"], int(self.sizes.sum())
        state_index, fluent_states, spent, successors = {start.tobytes(): 0}, [start], [0], []
        queue = deque([0])
        while queue:
            index, row = queue.popleft(), []
            state = self.rules.create_state(len(form_of))
            state.fluents[:], state.last_form[:] = fluent_states[index], form_of
            update.apply_known(state, np.arange(len(form_of)))
            for effect, fluents in enumerate(state.fluents):
                cost = spent[index] + int(cards[effect])
                key = fluents.tobytes()
                if key not in state_index and cost > max_cards:
                    row.append(index)  # unreachable with the cards left
                    continue
                if key not in state_index:
                    state_index[key] = len(fluent_states)
                    fluent_states.append(fluents.copy())
                    spent.append(cost)
                    queue.append(state_index[key])
                row.append(state_index[key])
            successors.append(row)
            if len(fluent_states) > MAX_FLUENT_STATES:
                raise GameError(f"plays can lead to more than {MAX_FLUENT_STATES:,} states of fluents", _UNSUPPORTED)
        return fluent_states, np.array(successors, np.int32)

    # --- plays, and cards left ----------------------------------------------------------------------------------------

    @cached_property
    def _max_plays(self) -> int:
        """Largest number of plays of a seat that points depend on."""
        query = self.event_rules.end_query
        counts = [args[-1] for name, args in query.circuit.inputs if name == "laid_down"] if query else []
        return min(MAX_COUNTED_PLAYS, max((number for number in counts if isinstance(number, int)), default=0))

    @property
    def _play_axes(self) -> list[Indices]:
        """Possible numbers of plays of each seat at the end; a single 0 if points do not depend on them."""
        columns = self.input_columns.get("plays", set())
        return [np.arange(self._max_plays + 1) if seat in columns else np.zeros(1, np.int64)
                for seat in range(self.seats)]  # fmt: skip

    @property
    def _size_axes(self) -> list[Indices]:
        """Possible numbers of cards left of each seat at the end; a single 0 if points do not depend on them."""
        columns = self.input_columns.get("result", set())
        return [np.arange(self.sizes[seat] + 1) if self.seats + seat in columns else np.zeros(1, np.int64)
                for seat in range(self.seats)]  # fmt: skip

    # --- the points ---------------------------------------------------------------------------------------------------

    def _evaluate_points(
        self, orders: list[tuple[int, ...]], fluent_states: list[NDArray[np.int16]], axes: list[Indices],
        is_over: NDArray[np.bool_],
    ) -> NDArray[np.int64]:  # fmt: skip
        """Return the points of the party of seat 0 at each end; raise GameError if the sum of points is not 0."""
        grid = [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]
        n, seats = len(grid[0]), self.seats
        state, kind = self.rules.create_state(n), int(self.rules.pack.copies.argmax())
        state.fluents[:] = np.array(fluent_states)[grid[1]]
        state.context[:], state.lots[:] = self.state.context[self.table], self.state.lots[self.table]
        state.aside[:] = self.state.aside[self.table]
        full_orders = [
            (*order, *(seat for seat in self.rules.seating.leftover_order if seat not in order)) for order in orders
        ]
        state.finish_order[:] = np.array(full_orders, np.int8)[grid[0]]
        state.seats_out[:] = (1 << seats) - 1
        for seat in range(seats):
            state.num_plays[:, seat] = grid[2 + seat]
            is_out = np.array([seat in order for order in orders])[grid[0]]
            state.hands[:, seat, kind] = np.where(is_out, 0, grid[2 + seats + seat])
        points = self.event_rules.score_episodes(state, np.arange(n))[0].astype(np.int64)
        own_points, other_points = (points[:, self.party == side].sum(axis=1) for side in (0, 1))
        if (own_points + other_points)[is_over].any():
            raise GameError(
                f"{self.rules.folder.name}: what one party wins is not what the other loses (points/3)",
                ErrorCode.UNSUPPORTED_GAME,
            )
        return own_points


@cache_per_game
def _can_be_over(rules: CompiledGame) -> NDArray[np.bool_]:
    """Return whether the episode can be over, by the set of seats that are out as bits."""
    turns, num_sets = rules.turn_table, 1 << rules.seating.seats
    stride = turns.strides.seats_out
    end_entries = np.flatnonzero((turns.entries != NO_NEXT_SEAT) & (turns.entries & EPISODE_OVER_BIT > 0))
    if not stride:
        return np.full(num_sets, len(end_entries) > 0)
    return np.bincount(end_entries // stride % num_sets, minlength=num_sets) > 0


def _propagate_bound(
    own: NDArray[np.integer], next_order: NDArray[np.int32], next_fluents: NDArray[np.int32], better: np.ufunc
) -> NDArray[np.int32]:
    """Return the least or largest of a state's own value and those of all its successors [orders, fluent states]."""
    bound = own.astype(np.int32)
    for _ in range(len(next_fluents)):
        before = bound.copy()
        for column in next_fluents.T:
            bound = better(bound, bound[:, column])
        if (before == bound).all():
            break
    for order in range(len(next_order) - 1, -1, -1):  # successors have larger indices
        for successor in next_order[order]:
            if successor >= 0:
                bound[order] = better(bound[order], bound[successor])
    return bound
