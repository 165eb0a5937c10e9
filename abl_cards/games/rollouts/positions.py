"""Inputs of a network that plays compiled rollouts: what the seat to decide sees, without the history."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.moves import rank_of_cards
from abl_cards.games.rollouts.position_kernels import (
    count_table_cards,
    list_counts,
    list_seat_inputs,
    new_position_counts,
)
from abl_cards.games.tables import Tables, compute_lead_mask, largest_hand
from abl_cards.games.types import LEADING, Indices

_MAX_COPIES, _MAX_RANK_COPIES = 4, 8  # more copies of a kind, or cards of a rank, count as so many


class PositionShape(NamedTuple):
    """Sizes of a position, and where its inputs begin.

    Inputs are one-hot: the order context; the cards that have not been played, then those of the hand, by kind and
    rank; the seats; the labels that the hand may lead. All but the seats change with plays alone, and by few inputs.

    Attributes:
        num_kinds: Kinds of cards.
        max_copies: Copies of a kind that are told apart.
        num_ranks: Ranks; 0 where each has one kind of card.
        max_rank_copies: Cards of a rank that are told apart.
        rank_of: int64 [kinds] rank of each kind.
        num_seats: Seats.
        max_hand: Cards of the largest hand.
        first_unplayed: First input of the cards that have not been played.
        first_hand: First input of the cards of the hand.
        first_seat: First input of the seats: sizes of hands, owner of the play to beat, who passed, partners.
        first_lead: First input of the labels that the hand may lead.
        num_inputs: Number of inputs.
    """

    num_kinds: int
    max_copies: int
    num_ranks: int
    max_rank_copies: int
    rank_of: Indices
    num_seats: int
    max_hand: int
    first_unplayed: int
    first_hand: int
    first_seat: int
    first_lead: int
    num_inputs: int


@cache_per_game
def position_shape(rules: CompiledGame) -> PositionShape:
    """Return the sizes of the positions of a game."""
    copies = rules.pack.copies.astype(np.int64)
    _, rank_of = np.unique(rank_of_cards(rules.move_tables, len(copies)), return_inverse=True)
    sizes = np.bincount(rank_of, weights=copies)
    num_ranks = len(sizes) if len(sizes) < len(copies) else 0
    max_copies, max_rank_copies = min(int(copies.max()), _MAX_COPIES), min(int(sizes.max()), _MAX_RANK_COPIES)
    seats, max_hand = rules.seating.seats, largest_hand(rules)
    num_counts = len(copies) * max_copies + num_ranks * max_rank_copies
    blocks = len(rules.contexts), num_counts, num_counts, (seats - 1) * (max_hand + 3) + seats, len(rules.labels)
    starts = np.cumsum(blocks).tolist()
    return PositionShape(
        len(copies), max_copies, num_ranks, max_rank_copies, rank_of, seats, max_hand, *starts
    )  # fmt: skip


def position_inputs(tables: Tables, rows: Indices) -> NDArray[np.uint8]:
    """Compute the inputs of positions, from the view of the seats to decide.

    Args:
        tables: Tables of a game.
        rows: int64 [n], tables where a play is due.

    Returns:
        uint8 [n, inputs], 0 or 1.
    """
    rules, state, shape = tables.rules, tables.state, position_shape(tables.rules)
    inputs = np.zeros((len(rows), shape.num_inputs), np.uint8)
    _write_inputs(shape, state, rows, tables.sides(rows), inputs)
    inputs[:, shape.first_lead :] = compute_lead_mask(rules, state.context[rows], state.hands[rows, state.seat[rows]]).T
    return inputs


@kernel
def _write_inputs(shape, state, rows, sides, inputs):
    """Set the inputs of tables rows [n] to 1, but for the labels that may be led."""
    counts, active = new_position_counts(shape, 1), np.zeros(inputs.shape[1], np.int64)
    for i in range(len(rows)):
        seat = np.int64(state.seat[rows[i]])
        count_table_cards(shape, state, rows[i], counts, 0)
        inputs[i, state.context[rows[i]]] = 1
        n = list_counts(shape, counts.unplayed[0], counts.unplayed_ranks[0], shape.first_unplayed, active, 0)
        n = list_counts(shape, counts.held[0, seat], counts.held_ranks[0, seat], shape.first_hand, active, n)
        owner = seat if state.to_beat[rows[i]] == LEADING else np.int64(state.owner[rows[i]])
        passed = np.int64(state.passed[rows[i]])
        for k in range(list_seat_inputs(shape, seat, owner, passed, counts.sizes[0], sides[i], active, n)):
            inputs[i, active[k]] = 1
