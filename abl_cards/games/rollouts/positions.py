"""Inputs of a network that plays compiled rollouts: what the seat to decide sees, without the history."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.moves import rank_of_cards
from abl_cards.games.tables import Tables, largest_hand
from abl_cards.games.types import LEADING, Indices

_MAX_COPIES, _MAX_RANK_COPIES = 4, 8  # more copies of a kind, or cards of a rank, count as so many


class PositionShape(NamedTuple):
    """Sizes of a position. Its inputs are one-hot: the context, then the cards, then the seats, then the ranks.

    Attributes:
        num_contexts: Order contexts.
        num_kinds: Kinds of cards.
        max_copies: Copies of a kind that are told apart.
        num_seats: Seats.
        max_hand: Cards of the largest hand.
        num_ranks: Ranks; 0 where each has one kind of card.
        max_rank_copies: Cards of a rank that are told apart.
        rank_of: int64 [kinds] rank of each kind.
    """

    num_contexts: int
    num_kinds: int
    max_copies: int
    num_seats: int
    max_hand: int
    num_ranks: int
    max_rank_copies: int
    rank_of: Indices

    @property
    def num_inputs(self) -> int:
        """Number of inputs."""
        others = self.num_seats - 1
        cards = 2 * (self.num_kinds * self.max_copies + self.num_ranks * self.max_rank_copies)
        return self.num_contexts + cards + others * (self.max_hand + 1) + self.num_seats + 2 * others


@cache_per_game
def position_shape(rules: CompiledGame) -> PositionShape:
    """Return the sizes of the positions of a game."""
    copies = rules.pack.copies.astype(np.int64)
    _, rank_of = np.unique(rank_of_cards(rules.move_tables, len(copies)), return_inverse=True)
    sizes = np.bincount(rank_of, weights=copies)
    is_by_rank = len(sizes) < len(copies)
    return PositionShape(
        len(rules.contexts), len(copies), min(int(copies.max()), _MAX_COPIES), rules.seating.seats,
        largest_hand(rules), len(sizes) if is_by_rank else 0, min(int(sizes.max()), _MAX_RANK_COPIES), rank_of,
    )  # fmt: skip


def position_inputs(tables: Tables, rows: Indices) -> NDArray[np.uint8]:
    """Compute the inputs of positions, from the view of the seats to decide.

    Args:
        tables: Tables of a game.
        rows: int64 [n], tables where a play is due.

    Returns:
        uint8 [n, inputs], 0 or 1.
    """
    shape = position_shape(tables.rules)
    inputs = np.zeros((len(rows), shape.num_inputs), np.uint8)
    _write_inputs(shape, tables.state, rows, tables.sides(rows), inputs)
    return inputs


@kernel
def _write_inputs(shape, state, rows, sides, inputs):
    """Set the inputs of tables rows [n] to 1."""
    active, sums = np.zeros(inputs.shape[1], np.int64), np.zeros(max(1, shape.num_ranks), np.int64)
    left = np.zeros(shape.num_kinds, np.int64)
    for i in range(len(rows)):
        count_unplayed(state, rows[i], left)
        for k in range(list_position_inputs(shape, state, rows[i], sides[i], left, sums, active)):
            inputs[i, active[k]] = 1


@device_function
def count_unplayed(state, table, left):
    """Count the cards in all hands and aside: int64 [kinds], overwritten."""
    for kind in range(len(left)):
        left[kind] = state.aside[table, kind]
        for seat in range(state.hands.shape[1]):
            left[kind] += state.hands[table, seat, kind]


@device_function
def list_position_inputs(shape, state, table, sides, left, sums, active):
    """Write the indices of the inputs that are 1 to ``active``.

    Args:
        shape: PositionShape.
        state: TableState.
        table: Index of the table.
        sides: int8 [seats], the side of each seat.
        left: int64 [kinds], the cards that have not been played, as ``count_unplayed`` counts them.
        sums: int64 [ranks], a buffer.
        active: int64 [inputs], overwritten.

    Returns:
        How many they are.
    """
    seat, seats, kinds, copies = np.int64(state.seat[table]), shape.num_seats, shape.num_kinds, shape.max_copies
    others = seats - 1
    active[0] = state.context[table]
    n, first = 1, shape.num_contexts
    rank_first = first + 2 * kinds * copies + others * (shape.max_hand + 1) + seats + 2 * others
    for is_unseen in range(2):
        for rank in range(shape.num_ranks):
            sums[rank] = 0
        for kind in range(kinds):
            count = np.int64(state.hands[table, seat, kind])
            if is_unseen:
                count = left[kind] - count
            if count:
                active[n] = first + kind * copies + min(count, copies) - 1
                n += 1
                if shape.num_ranks:
                    sums[shape.rank_of[kind]] += count
        for rank in range(shape.num_ranks):
            if sums[rank]:
                active[n] = rank_first + rank * shape.max_rank_copies + min(sums[rank], shape.max_rank_copies) - 1
                n += 1
        first += kinds * copies
        rank_first += shape.num_ranks * shape.max_rank_copies
    for offset in range(1, seats):
        other, size = (seat + offset) % seats, np.int64(0)
        for kind in range(kinds):
            size += state.hands[table, other, kind]
        active[n] = first + (offset - 1) * (shape.max_hand + 1) + min(size, shape.max_hand)
        n += 1
    first += others * (shape.max_hand + 1)
    active[n] = first
    if state.to_beat[table] != LEADING:
        active[n] += (state.owner[table] - seat) % seats
    n, first = n + 1, first + seats
    for offset in range(1, seats):
        other = (seat + offset) % seats
        if (state.passed[table] >> other) & 1:
            active[n] = first + offset - 1
            n += 1
        if sides[other] == sides[seat]:
            active[n] = first + others + offset - 1
            n += 1
    return n
