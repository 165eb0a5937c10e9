"""Kernels that list the inputs of a position, and those that a play changes."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from abl_cards.core import device_function
from abl_cards.games.types import NO_CARD, Indices


class PositionCounts(NamedTuple):
    """Cards of n tables by kind and rank."""

    unplayed: Indices  # [n, kinds] cards in all hands and aside
    unplayed_ranks: Indices  # [n, ranks]
    held: Indices  # [n, seats, kinds] cards of each hand
    held_ranks: Indices  # [n, seats, ranks]
    sizes: Indices  # [n, seats] cards of each hand


@device_function
def new_position_counts(shape, n):
    """Return counts of 0 for n tables, by a PositionShape."""
    kinds, ranks, seats = shape.num_kinds, max(1, shape.num_ranks), shape.num_seats
    return PositionCounts(
        np.zeros((n, kinds), np.int64), np.zeros((n, ranks), np.int64), np.zeros((n, seats, kinds), np.int64),
        np.zeros((n, seats, ranks), np.int64), np.zeros((n, seats), np.int64),
    )  # fmt: skip


@device_function
def count_table_cards(shape, state, table, counts, place):
    """Count the cards of a table: PositionCounts, overwritten at a place."""
    for rank in range(counts.unplayed_ranks.shape[1]):
        counts.unplayed_ranks[place, rank] = 0
        for seat in range(shape.num_seats):
            counts.held_ranks[place, seat, rank] = 0
    for seat in range(shape.num_seats):
        counts.sizes[place, seat] = 0
    for kind in range(shape.num_kinds):
        rank, unplayed = shape.rank_of[kind] if shape.num_ranks else 0, np.int64(state.aside[table, kind])
        for seat in range(shape.num_seats):
            count = np.int64(state.hands[table, seat, kind])
            counts.held[place, seat, kind] = count
            counts.held_ranks[place, seat, rank] += count
            counts.sizes[place, seat] += count
            unplayed += count
        counts.unplayed[place, kind] = unplayed
        counts.unplayed_ranks[place, rank] += unplayed


@device_function
def list_counts(shape, counts, ranks, first, active, n):
    """Append the inputs of cards that are 1.

    Args:
        shape: PositionShape.
        counts: int64 [kinds].
        ranks: int64 [ranks].
        first: First input of these cards.
        active: int64 [inputs], indices of inputs.
        n: How many are listed.

    Returns:
        How many are listed then.
    """
    for kind in range(shape.num_kinds):
        if counts[kind]:
            active[n] = first + kind * shape.max_copies + min(counts[kind], shape.max_copies) - 1
            n += 1
    first += shape.num_kinds * shape.max_copies
    for rank in range(shape.num_ranks):
        if ranks[rank]:
            active[n] = first + rank * shape.max_rank_copies + min(ranks[rank], shape.max_rank_copies) - 1
            n += 1
    return n


@device_function
def list_count_changes(shape, counts, ranks, cards, first, changes):
    """Take cards off counts, and list the inputs that change.

    Args:
        shape: PositionShape.
        counts: int64 [kinds], which the cards are taken off.
        ranks: int64 [ranks], likewise.
        cards: uint8 [max_cards], as in Moves.
        first: First input of these counts.
        changes: int64 [n, 2], overwritten: the input that was 1, and the one that is; -1 for none.

    Returns:
        How many changes there are.
    """
    n, position, num_of_rank = 0, 0, 0
    first_rank = first + shape.num_kinds * shape.max_copies
    while position < len(cards) and cards[position] != NO_CARD:
        kind, taken = cards[position], 1
        while position + taken < len(cards) and cards[position + taken] == kind:
            taken += 1
        counts[kind] -= taken
        n = _list_change(
            counts[kind] + taken, counts[kind], shape.max_copies, first + kind * shape.max_copies, changes, n
        )
        position, num_of_rank = position + taken, num_of_rank + taken
        if shape.num_ranks:
            rank, following = shape.rank_of[kind], cards[position] if position < len(cards) else NO_CARD
            if following == NO_CARD or shape.rank_of[following] != rank:
                ranks[rank] -= num_of_rank
                start = first_rank + rank * shape.max_rank_copies
                n = _list_change(ranks[rank] + num_of_rank, ranks[rank], shape.max_rank_copies, start, changes, n)
                num_of_rank = 0
    return n


@device_function
def _list_change(before, after, most, first, changes, n):
    """Append the change of a count, if it changes an input; returns the number of changes."""
    before, after = min(before, most), min(after, most)
    if before == after:
        return n
    changes[n, 0], changes[n, 1] = first + before - 1, first + after - 1 if after else -1
    return n + 1


@device_function
def list_seat_inputs(shape, seat, owner, passed, sizes, sides, active, n):
    """Append the inputs of the seats that are 1: sizes of hands, owner of the play to beat, who passed, partners.

    Args:
        shape: PositionShape.
        seat: Seat to decide.
        owner: Owner of the play to beat; the seat itself when leading.
        passed: Bits of the seats that have passed.
        sizes: int64 [seats], cards of each hand.
        sides: int8 [seats], the side of each seat.
        active: int64 [inputs], indices of inputs.
        n: How many are listed.

    Returns:
        How many are listed then.
    """
    seats, first = shape.num_seats, shape.first_seat
    others = seats - 1
    for offset in range(1, seats):
        size = min(sizes[(seat + offset) % seats], shape.max_hand)
        active[n] = first + (offset - 1) * (shape.max_hand + 1) + size
        n += 1
    first += others * (shape.max_hand + 1)
    active[n] = first + (owner - seat) % seats
    n, first = n + 1, first + seats
    for offset in range(1, seats):
        other = (seat + offset) % seats
        if (passed >> other) & 1:
            active[n] = first + offset - 1
            n += 1
        if sides[other] == sides[seat]:
            active[n] = first + others + offset - 1
            n += 1
    return n
