"""What the end of an episode is worth to one of two parties, and all that it hangs on from a position on.

Whoever goes out takes the next place, and a play may change what is remembered (a bomb doubles the stake). Both are
numbered: a number and a seat, or a number and a form, give the next number. The points of every end that can come of a
position are asked of the circuit of ``points/3`` at once.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import SINGLE_VALUED
from abl_cards.games.state import EPISODE_OVER_BIT, NO_NEXT_SEAT, NO_SEAT, TableState
from abl_cards.games.tables import EventRules
from abl_cards.games.types import Indices

MAX_OUTCOMES, MAX_FINISH_ORDERS, MAX_FLUENT_STATES, MAX_COUNTED_PLAYS = 1 << 18, 1 << 13, 1 << 10, 15
"""Beyond these a position is not one of the end."""
MAX_CACHED_OUTCOMES = 1 << 22
"""Ends that are kept for other positions."""


@dataclass(frozen=True)
class OutcomeTable:
    """The ends that can come of a position."""

    party: NDArray[np.int8]  # [seats] 0 for the party of seat 0, which wants much; else 1
    next_finish: NDArray[np.int32]  # [orders, seats] who is out, in their order, after the seat goes out too; from 0
    out: NDArray[np.int64]  # [orders] who is out, as bits
    next_fluents: NDArray[np.int32]  # [memories, deeds] what is remembered after a deed; from 0
    effect: NDArray[np.int32]  # [forms] what is remembered of each
    values: NDArray[np.int64]  # [values] what the party of seat 0 may win, together, from bad to good
    value_index: NDArray[np.int32]  # flat: a place among the values, at the sum of numbers times strides
    strides: NDArray[np.int64]  # [2 + 2 * seats] of the order, the memory, plays and cards left by seat
    max_plays: int  # plays beyond that count as that many
    plays: NDArray[np.int64]  # [seats] so far, as far as they count
    min_value: NDArray[np.int32]  # [orders, memories] the worst that may still come
    max_value: NDArray[np.int32]  # [orders, memories] the best

    def points(self, value: int, seat: int) -> float:
        """What a place among the values is worth to a seat: its share of what its party wins."""
        mine = self.party == self.party[seat]
        won = float(self.values[value]) if self.party[seat] == 0 else -float(self.values[value])
        return won / int(mine.sum())


class TableOutcomes:
    """The ends that can come of tables [n]; what is found out once is kept beside the rules."""

    def __init__(self, rules: CompiledGame, state: TableState, rows: Indices) -> None:
        """Of these tables."""
        self._rules, self._state, self._rows = rules, state, rows
        self._parties, self._keys = EventRules.from_rules(rules).sides_at(state, rows), _cache_keys(rules, state, rows)
        self._cache = _outcome_cache(rules)

    def of_row(self, row: int) -> OutcomeTable:
        """Of one of them; raises GameError where there are not two parties."""
        key = self._keys[row].tobytes() + self._parties[row].tobytes()
        found = self._cache.get(key)
        if found is None:
            found = _OutcomeTableBuilder(self._rules, self._state, int(self._rows[row]), self._parties[row]).build()
            if sum(len(each.value_index) for each in list(self._cache.values())) > MAX_CACHED_OUTCOMES:
                self._cache.clear()
            self._cache[key] = found
        return found


@cache_per_game
def _outcome_cache(_: CompiledGame) -> dict[bytes, OutcomeTable]:
    return {}


@cache_per_game
def _relevant_slots(rules: CompiledGame) -> Indices:
    """What is remembered that the points hang on, or that plays change."""
    flow = EventRules.from_rules(rules)
    change, told = flow.updates.get("play"), _input_columns(rules)
    changed = {int(slot) for _, slot, _ in [*change.sets, *change.adds]} if change else set()
    return np.array(sorted(changed | told.get("fluents", set())), np.int64)


@cache_per_game
def _input_columns(rules: CompiledGame) -> dict[str, set[int]]:
    """By group, the columns that the points hang on."""
    told = EventRules.from_rules(rules).end_query
    return (
        {}
        if told is None
        else {name: set(used.tolist()) for name, used in zip(told.groups, told.used_columns, strict=True)}
    )


def _cache_keys(rules: CompiledGame, state: TableState, rows: Indices) -> NDArray[np.int32]:
    """[n, columns] all that the worth of tables hangs on, but for who plays with whom."""
    told, seats = _input_columns(rules), state.finish_order.shape[1]
    columns: list[NDArray[np.integer]] = [state.finish_order[rows], state.context[rows, None]]
    columns.append(state.fluents[rows][:, _relevant_slots(rules)])
    if "plays" in told:
        columns.append(state.num_plays[rows])
    if "play" in EventRules.from_rules(rules).updates or max(told.get("result", {0}), default=0) >= seats:
        columns.append(state.hands[rows].sum(axis=2, dtype=np.int32))
    columns += [each[rows] for name, each in (("aside", state.aside), ("lots", state.lots)) if name in told]
    return np.concatenate([each.astype(np.int32) for each in columns], axis=1)


class _OutcomeTableBuilder:
    """What is found out on the way."""

    def __init__(self, rules: CompiledGame, state: TableState, table: int, sides: NDArray[np.int8]) -> None:
        self.rules, self.flow, self.state, self.table = rules, EventRules.from_rules(rules), state, table
        self.seats = rules.seating.seats
        self.sizes: Indices = state.hands[table].sum(axis=1, dtype=np.int64)
        if len(np.unique(sides)) != 2:
            raise GameError(f"{rules.folder.name} has {len(np.unique(sides))} parties here, and not two")
        self.party = (sides != sides[0]).astype(np.int8)

    @cached_property
    def input_columns(self) -> dict[str, set[int]]:
        """By group, the columns that the points hang on."""
        if self.flow.end_query is None:
            raise GameError(f"{self.rules.folder.name} says of no end what it is worth (points/3)")
        return _input_columns(self.rules)

    def build(self) -> OutcomeTable:
        """All of it."""
        orders, next_order = self._finish_orders()
        memories, next_memory, deed = self._fluent_states()
        axes = [np.arange(len(orders)), np.arange(len(memories)), *self._play_axes, *self._size_axes]
        shape = [len(axis) for axis in axes]
        if prod(shape) > MAX_OUTCOMES:
            raise GameError(f"more than {MAX_OUTCOMES:,} ends can come of this position")
        strides = np.array([prod(shape[place + 1 :]) for place in range(len(shape))], np.int64)
        strides[[len(axis) == 1 for axis in axes]] = 0
        out = np.array([sum(1 << seat for seat in order) for order in orders], np.int64)
        over = np.repeat(_can_be_over(self.rules)[out], prod(shape[1:]))
        won = self._evaluate_points(orders, memories, axes, over)
        values = np.unique(won[over])
        if len(values) < 2:
            raise GameError(f"every end of this position is worth the same: {self._constant_reason()}")
        ends = np.where(over, np.searchsorted(values, won), -1)
        table, possible = (each.reshape(len(orders), len(memories), -1) for each in (ends, over))
        worst, best = np.where(possible, table, len(values)).min(axis=2), np.where(possible, table, -1).max(axis=2)
        return OutcomeTable(
            self.party, next_order, out, next_memory, deed, values.astype(np.int64), ends.ravel().astype(np.int32),
            strides, self._max_plays, np.minimum(self.state.num_plays[self.table], self._max_plays).astype(np.int64),
            _propagate_bound(worst, next_order, next_memory, np.minimum),
            _propagate_bound(best, next_order, next_memory, np.maximum),
        )  # fmt: skip

    def _constant_reason(self) -> str:
        """What the points hang on and nobody has said."""
        fluents, slots = self.rules.fluents, self.input_columns.get("fluents", set())
        open_ = [fluent for fluent in fluents.fluents
                 if slots & set(fluent.slots) and fluent.value_type == SINGLE_VALUED
                 and (self.state.fluents[self.table, list(fluent.slots)] == fluent.default).all()]  # fmt: skip
        return f"nobody says {', '.join(str(each.signature) for each in open_)}" if open_ else "nothing is at stake"

    # --- who goes out -------------------------------------------------------------------------------------------------

    def _finish_orders(self) -> tuple[list[tuple[int, ...]], NDArray[np.int32]]:
        """Who may be out in which order from here on, and what comes of each when a seat goes out."""
        begun = tuple(seat for seat in self.state.finish_order[self.table].tolist() if seat != NO_SEAT)
        orders, following = [begun], [[-1] * self.seats]
        for number in range(MAX_FINISH_ORDERS):
            if number == len(orders):
                return orders, np.array(following, np.int32)
            for seat in range(self.seats):
                if seat not in orders[number]:
                    following[number][seat] = len(orders)
                    orders.append((*orders[number], seat))
                    following.append([-1] * self.seats)
        raise GameError(f"{self.seats} seats can go out in too many orders")

    # --- what is remembered -------------------------------------------------------------------------------------------

    def _fluent_states(self) -> tuple[list[NDArray[np.int16]], NDArray[np.int32], NDArray[np.int32]]:
        """What may be remembered from here on, what comes of each after a deed, and the deed that each form is."""
        forms = len(self.rules.forms)
        begun = self.state.fluents[self.table].copy()
        change = self.flow.updates.get("play")
        if change is None or change.known_outputs is None:
            return [begun], np.zeros((1, 1), np.int32), np.zeros(forms, np.int32)
        kinds, deed = np.unique(change.known_outputs, axis=1, return_inverse=True)
        deed = deed.ravel().astype(np.int32)
        deed[~change.form_matters] = deed[self.rules.forms.pass_form]
        cards = np.full(kinds.shape[1], 1 << 20)
        np.minimum.at(cards, deed, self.rules.forms.num_cards.astype(np.int64))
        form_of = np.array([int(np.flatnonzero(deed == each)[0]) if (deed == each).any() else 0
                            for each in range(len(cards))])  # fmt: skip
        memories, following = self._enumerate_fluents(begun, form_of, cards)
        return memories, following, deed.astype(np.int32)

    def _enumerate_fluents(
        self, begun: NDArray[np.int16], form_of: Indices, cards: Indices
    ) -> tuple[list[NDArray[np.int16]], NDArray[np.int32]]:
        """All that can be remembered as long as there are cards for it; deeds are forms and the cards they take."""
        change, most = self.flow.updates["play"], int(self.sizes.sum())
        numbers, memories, spent, following = {begun.tobytes(): 0}, [begun], [0], []
        waiting = deque([0])
        while waiting:
            number, row = waiting.popleft(), []
            state = self.rules.create_state(len(form_of))
            state.fluents[:], state.last_form[:] = memories[number], form_of
            change.apply_known(state, np.arange(len(form_of)))
            for place, fluents in enumerate(state.fluents):
                cost = spent[number] + int(cards[place])
                key = fluents.tobytes()
                if key not in numbers and cost > most:
                    row.append(number)  # nobody has the cards
                    continue
                if key not in numbers:
                    numbers[key] = len(memories)
                    memories.append(fluents.copy())
                    spent.append(cost)
                    waiting.append(numbers[key])
                row.append(numbers[key])
            following.append(row)
            if len(memories) > MAX_FLUENT_STATES:
                raise GameError("plays change too much of what is remembered")
        return memories, np.array(following, np.int32)

    # --- plays, and cards left ----------------------------------------------------------------------------------------

    @cached_property
    def _max_plays(self) -> int:
        told = self.flow.end_query
        counted = [args[-1] for name, args in told.circuit.inputs if name == "laid_down"] if told else []
        return min(MAX_COUNTED_PLAYS, max((number for number in counted if isinstance(number, int)), default=0))

    @property
    def _play_axes(self) -> list[Indices]:
        """By seat, how often it may have laid down cards in the end; a single number where that does not matter."""
        used = self.input_columns.get("plays", set())
        return [np.arange(self._max_plays + 1) if seat in used else np.zeros(1, np.int64)
                for seat in range(self.seats)]  # fmt: skip

    @property
    def _size_axes(self) -> list[Indices]:
        """By seat, how many cards it may be left with; a single number where that does not matter."""
        used = self.input_columns.get("result", set())
        return [np.arange(self.sizes[seat] + 1) if self.seats + seat in used else np.zeros(1, np.int64)
                for seat in range(self.seats)]  # fmt: skip

    # --- the points ---------------------------------------------------------------------------------------------------

    def _evaluate_points(
        self, orders: list[tuple[int, ...]], memories: list[NDArray[np.int16]], axes: list[Indices],
        over: NDArray[np.bool_],
    ) -> NDArray[np.int64]:  # fmt: skip
        """[ends] what the party of seat 0 wins at each; raises GameError where the other does not lose as much."""
        grid = [each.ravel() for each in np.meshgrid(*axes, indexing="ij")]
        n, seats = len(grid[0]), self.seats
        state, kind = self.rules.create_state(n), int(self.rules.pack.copies.argmax())
        state.fluents[:] = np.array(memories)[grid[1]]
        state.context[:], state.lots[:] = self.state.context[self.table], self.state.lots[self.table]
        state.aside[:] = self.state.aside[self.table]
        full = [
            (*order, *(seat for seat in self.rules.seating.leftover_order if seat not in order)) for order in orders
        ]
        state.finish_order[:] = np.array(full, np.int8)[grid[0]]
        state.seats_out[:] = (1 << seats) - 1
        for seat in range(seats):
            state.num_plays[:, seat] = grid[2 + seat]
            gone = np.array([seat in order for order in orders])[grid[0]]
            state.hands[:, seat, kind] = np.where(gone, 0, grid[2 + seats + seat])
        points = self.flow.score_episodes(state, np.arange(n))[0].astype(np.int64)
        mine, theirs = (points[:, self.party == side].sum(axis=1) for side in (0, 1))
        if (mine + theirs)[over].any():
            raise GameError(f"{self.rules.folder.name}: what one party wins is not what the other loses (points/3)")
        return mine


@cache_per_game
def _can_be_over(rules: CompiledGame) -> NDArray[np.bool_]:
    """[seats as bits] whether the episode may be over when these are out."""
    turns, several = rules.turn_table, 1 << rules.seating.seats
    stride = turns.strides.seats_out
    ended = np.flatnonzero((turns.entries != NO_NEXT_SEAT) & (turns.entries & EPISODE_OVER_BIT > 0))
    if not stride:
        return np.full(several, len(ended) > 0)
    return np.bincount(ended // stride % several, minlength=several) > 0


def _propagate_bound(
    own: NDArray[np.integer], next_order: NDArray[np.int32], next_memory: NDArray[np.int32], better: np.ufunc
) -> NDArray[np.int32]:
    """[orders, memories] the least, or the most, of what is there and of all that can come of it."""
    found = own.astype(np.int32)
    for _ in range(len(next_memory)):
        before = found.copy()
        for column in next_memory.T:
            found = better(found, found[:, column])
        if (before == found).all():
            break
    for order in range(len(next_order) - 1, -1, -1):  # those that follow have larger numbers
        for following in next_order[order]:
            if following >= 0:
                found[order] = better(found[order], found[following])
    return found
