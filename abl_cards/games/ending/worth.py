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

from abl_cards.errors import GameError
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import NO_TURN, NOBODY, OVER, State
from abl_cards.games.reading.fluents import ONE
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices
from abl_cards.games.words.once import once

MOST_ENDS, MOST_ORDERS, MOST_MEMORIES, MOST_PLAYS = 1 << 18, 1 << 13, 1 << 10, 15
"""Beyond these a position is not one of the end."""
MOST_KEPT = 1 << 22
"""Ends that are kept for other positions."""


@dataclass(frozen=True)
class Worth:
    """The ends that can come of a position."""

    side: NDArray[np.int8]  # [seats] 0 for the party of seat 0, which wants much; else 1
    next_order: NDArray[np.int32]  # [orders, seats] who is out, in their order, after the seat goes out too; from 0
    out: NDArray[np.int64]  # [orders] who is out, as bits
    next_memory: NDArray[np.int32]  # [memories, deeds] what is remembered after a deed; from 0
    deed: NDArray[np.int32]  # [forms] what is remembered of each
    values: NDArray[np.int64]  # [values] what the party of seat 0 may win, together, from bad to good
    ends: NDArray[np.int32]  # flat: a place among the values, at the sum of numbers times strides
    strides: NDArray[np.int64]  # [2 + 2 * seats] of the order, the memory, plays and cards left by seat
    most_plays: int  # plays beyond that count as that many
    plays: NDArray[np.int64]  # [seats] so far, as far as they count
    low: NDArray[np.int32]  # [orders, memories] the worst that may still come
    high: NDArray[np.int32]  # [orders, memories] the best

    def points(self, value: int, seat: int) -> float:
        """What a place among the values is worth to a seat: its share of what its party wins."""
        mine = self.side == self.side[seat]
        won = float(self.values[value]) if self.side[seat] == 0 else -float(self.values[value])
        return won / int(mine.sum())


class Worths:
    """The ends that can come of tables [n]; what is found out once is kept beside the rules."""

    def __init__(self, rules: Rules, state: State, which: Indices) -> None:
        """Of these tables."""
        self._rules, self._state, self._which = rules, state, which
        self._sides, self._keys = Flow.of(rules).sides_at(state, which), _keys(rules, state, which)
        self._known = _known(rules)

    def of(self, row: int) -> Worth:
        """Of one of them; raises GameError where there are not two parties."""
        key = self._keys[row].tobytes() + self._sides[row].tobytes()
        found = self._known.get(key)
        if found is None:
            found = _Ends(self._rules, self._state, int(self._which[row]), self._sides[row]).worth()
            if sum(len(each.ends) for each in list(self._known.values())) > MOST_KEPT:
                self._known.clear()
            self._known[key] = found
        return found


@once
def _known(_: Rules) -> dict[bytes, Worth]:
    return {}


@once
def _slots(rules: Rules) -> Indices:
    """What is remembered that the points hang on, or that plays change."""
    flow = Flow.of(rules)
    change, told = flow.changes.get("play"), _told(rules)
    changed = {int(slot) for _, slot, _ in [*change.sets, *change.adds]} if change else set()
    return np.array(sorted(changed | told.get("fluents", set())), np.int64)


@once
def _told(rules: Rules) -> dict[str, set[int]]:
    """By group, the columns that the points hang on."""
    told = Flow.of(rules).ended
    return {} if told is None else {name: set(used.tolist()) for name, used in zip(told.groups, told.used, strict=True)}


def _keys(rules: Rules, state: State, which: Indices) -> NDArray[np.int32]:
    """[n, columns] all that the worth of tables hangs on, but for who plays with whom."""
    told, seats = _told(rules), state.order.shape[1]
    columns: list[NDArray[np.integer]] = [state.order[which], state.context[which, None]]
    columns.append(state.fluents[which][:, _slots(rules)])
    if "plays" in told:
        columns.append(state.plays[which])
    if "play" in Flow.of(rules).changes or max(told.get("result", {0}), default=0) >= seats:
        columns.append(state.hands[which].sum(axis=2, dtype=np.int32))
    columns += [each[which] for name, each in (("aside", state.aside), ("lots", state.lots)) if name in told]
    return np.concatenate([each.astype(np.int32) for each in columns], axis=1)


class _Ends:
    """What is found out on the way."""

    def __init__(self, rules: Rules, state: State, table: int, sides: NDArray[np.int8]) -> None:
        self.rules, self.flow, self.state, self.table = rules, Flow.of(rules), state, table
        self.seats = rules.table.seats
        self.sizes: Indices = state.hands[table].sum(axis=1, dtype=np.int64)
        if len(np.unique(sides)) != 2:
            raise GameError(f"{rules.folder.name} has {len(np.unique(sides))} parties here, and not two")
        self.side = (sides != sides[0]).astype(np.int8)

    @cached_property
    def told(self) -> dict[str, set[int]]:
        """By group, the columns that the points hang on."""
        if self.flow.ended is None:
            raise GameError(f"{self.rules.folder.name} says of no end what it is worth (points/3)")
        return _told(self.rules)

    def worth(self) -> Worth:
        """All of it."""
        orders, next_order = self._orders()
        memories, next_memory, deed = self._memories()
        axes = [np.arange(len(orders)), np.arange(len(memories)), *self._plays, *self._sizes]
        shape = [len(axis) for axis in axes]
        if prod(shape) > MOST_ENDS:
            raise GameError(f"more than {MOST_ENDS:,} ends can come of this position")
        strides = np.array([prod(shape[place + 1 :]) for place in range(len(shape))], np.int64)
        strides[[len(axis) == 1 for axis in axes]] = 0
        out = np.array([sum(1 << seat for seat in order) for order in orders], np.int64)
        over = np.repeat(_may_be_over(self.rules)[out], prod(shape[1:]))
        won = self._ask(orders, memories, axes, over)
        values = np.unique(won[over])
        if len(values) < 2:
            raise GameError(f"every end of this position is worth the same: {self._untold()}")
        ends = np.where(over, np.searchsorted(values, won), -1)
        table, possible = (each.reshape(len(orders), len(memories), -1) for each in (ends, over))
        worst, best = np.where(possible, table, len(values)).min(axis=2), np.where(possible, table, -1).max(axis=2)
        return Worth(
            self.side, next_order, out, next_memory, deed, values.astype(np.int64), ends.ravel().astype(np.int32),
            strides, self._most_plays, np.minimum(self.state.plays[self.table], self._most_plays).astype(np.int64),
            _reached(worst, next_order, next_memory, np.minimum), _reached(best, next_order, next_memory, np.maximum),
        )  # fmt: skip

    def _untold(self) -> str:
        """What the points hang on and nobody has said."""
        fluents, slots = self.rules.fluents, self.told.get("fluents", set())
        open_ = [fluent for fluent in fluents.fluents if slots & set(fluent.slots) and fluent.manner == ONE
                 and (self.state.fluents[self.table, list(fluent.slots)] == fluent.nothing).all()]  # fmt: skip
        return f"nobody says {', '.join(str(each.signature) for each in open_)}" if open_ else "nothing is at stake"

    # --- who goes out -------------------------------------------------------------------------------------------------

    def _orders(self) -> tuple[list[tuple[int, ...]], NDArray[np.int32]]:
        """Who may be out in which order from here on, and what comes of each when a seat goes out."""
        begun = tuple(seat for seat in self.state.order[self.table].tolist() if seat != NOBODY)
        orders, following = [begun], [[-1] * self.seats]
        for number in range(MOST_ORDERS):
            if number == len(orders):
                return orders, np.array(following, np.int32)
            for seat in range(self.seats):
                if seat not in orders[number]:
                    following[number][seat] = len(orders)
                    orders.append((*orders[number], seat))
                    following.append([-1] * self.seats)
        raise GameError(f"{self.seats} seats can go out in too many orders")

    # --- what is remembered -------------------------------------------------------------------------------------------

    def _memories(self) -> tuple[list[NDArray[np.int16]], NDArray[np.int32], NDArray[np.int32]]:
        """What may be remembered from here on, what comes of each after a deed, and the deed that each form is."""
        forms = len(self.rules.forms)
        begun = self.state.fluents[self.table].copy()
        change = self.flow.changes.get("play")
        if change is None or change.known is None:
            return [begun], np.zeros((1, 1), np.int32), np.zeros(forms, np.int32)
        kinds, deed = np.unique(change.known, axis=1, return_inverse=True)
        deed = deed.ravel().astype(np.int32)
        deed[~change.matters] = deed[self.rules.forms.passing]
        cards = np.full(kinds.shape[1], 1 << 20)
        np.minimum.at(cards, deed, self.rules.forms.cards_of.astype(np.int64))
        form_of = np.array([int(np.flatnonzero(deed == each)[0]) if (deed == each).any() else 0
                            for each in range(len(cards))])  # fmt: skip
        memories, following = self._close(begun, form_of, cards)
        return memories, following, deed.astype(np.int32)

    def _close(
        self, begun: NDArray[np.int16], form_of: Indices, cards: Indices
    ) -> tuple[list[NDArray[np.int16]], NDArray[np.int32]]:
        """All that can be remembered as long as there are cards for it; deeds are forms and the cards they take."""
        change, most = self.flow.changes["play"], int(self.sizes.sum())
        numbers, memories, spent, following = {begun.tobytes(): 0}, [begun], [0], []
        waiting = deque([0])
        while waiting:
            number, row = waiting.popleft(), []
            state = self.rules.tables(len(form_of))
            state.fluents[:], state.laid[:] = memories[number], form_of
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
            if len(memories) > MOST_MEMORIES:
                raise GameError("plays change too much of what is remembered")
        return memories, np.array(following, np.int32)

    # --- plays, and cards left ----------------------------------------------------------------------------------------

    @cached_property
    def _most_plays(self) -> int:
        told = self.flow.ended
        counted = [args[-1] for name, args in told.circuit.inputs if name == "laid_down"] if told else []
        return min(MOST_PLAYS, max((number for number in counted if isinstance(number, int)), default=0))

    @property
    def _plays(self) -> list[Indices]:
        """By seat, how often it may have laid down cards in the end; a single number where that does not matter."""
        used = self.told.get("plays", set())
        return [np.arange(self._most_plays + 1) if seat in used else np.zeros(1, np.int64)
                for seat in range(self.seats)]  # fmt: skip

    @property
    def _sizes(self) -> list[Indices]:
        """By seat, how many cards it may be left with; a single number where that does not matter."""
        used = self.told.get("result", set())
        return [np.arange(self.sizes[seat] + 1) if self.seats + seat in used else np.zeros(1, np.int64)
                for seat in range(self.seats)]  # fmt: skip

    # --- the points ---------------------------------------------------------------------------------------------------

    def _ask(
        self, orders: list[tuple[int, ...]], memories: list[NDArray[np.int16]], axes: list[Indices],
        over: NDArray[np.bool_],
    ) -> NDArray[np.int64]:  # fmt: skip
        """[ends] what the party of seat 0 wins at each; raises GameError where the other does not lose as much."""
        grid = [each.ravel() for each in np.meshgrid(*axes, indexing="ij")]
        n, seats = len(grid[0]), self.seats
        state, kind = self.rules.tables(n), int(self.rules.pack.copies.argmax())
        state.fluents[:] = np.array(memories)[grid[1]]
        state.context[:], state.lots[:] = self.state.context[self.table], self.state.lots[self.table]
        state.aside[:] = self.state.aside[self.table]
        full = [(*order, *(seat for seat in self.rules.table.leftover if seat not in order)) for order in orders]
        state.order[:] = np.array(full, np.int8)[grid[0]]
        state.out[:] = (1 << seats) - 1
        for seat in range(seats):
            state.plays[:, seat] = grid[2 + seat]
            gone = np.array([seat in order for order in orders])[grid[0]]
            state.hands[:, seat, kind] = np.where(gone, 0, grid[2 + seats + seat])
        points = self.flow.end(state, np.arange(n))[0].astype(np.int64)
        mine, theirs = (points[:, self.side == side].sum(axis=1) for side in (0, 1))
        if (mine + theirs)[over].any():
            raise GameError(f"{self.rules.folder.name}: what one party wins is not what the other loses (points/3)")
        return mine


@once
def _may_be_over(rules: Rules) -> NDArray[np.bool_]:
    """[seats as bits] whether the episode may be over when these are out."""
    turns, several = rules.turns, 1 << rules.table.seats
    stride = turns.strides.out
    ended = np.flatnonzero((turns.table != NO_TURN) & (turns.table & OVER > 0))
    if not stride:
        return np.full(several, len(ended) > 0)
    return np.bincount(ended // stride % several, minlength=several) > 0


def _reached(
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
