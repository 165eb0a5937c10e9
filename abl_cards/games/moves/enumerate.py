"""Kernels that enumerate the card sets of legal labels: of a block, a label, or all labels of decisions."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np

from abl_cards.core import borrow_arrays, device_function, kernel
from abl_cards.games.description import NO_INDEX
from abl_cards.games.moves.block_groups import enumerate_groups
from abl_cards.games.moves.kickers import choose_kickers, fill_own_max_groups
from abl_cards.games.moves.move_tables import (
    CARRYING,
    COUNT,
    FORM_ROW,
    JOKERS_APART,
    KICKERS,
    LABEL,
    MOST_AFTER,
    OWN_KICKERS,
    OutputWindow,
    load_hand,
)

ALL_LABELS = -1
"""Value of ``labels`` that stands for all legal labels of a decision."""


@device_function
def enumerate_block(move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards):
    """Enumerate the card sets of a block; arguments and result are those of ``enumerate_groups``.

    Kickers of a group's rank are chosen first, in their order. Cards of a rank are one combination then, whether they
    are of the group or its kickers. A wild card does not stand in for a group that has kickers of its rank.
    """
    if not move_tables.blocks[block, OWN_KICKERS]:
        return enumerate_groups(
            move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards
        )
    groups, apart = np.int64(move_tables.blocks[block, KICKERS]), move_tables.blocks[block, JOKERS_APART]
    if not allowed[move_tables.blocks[block, FORM_ROW], column]:
        return num_sets
    if fill_own_max_groups(move_tables, block, context, leading, scratch) < groups:
        return num_sets
    caps, counts, most_after, candidates = (
        scratch.max_groups, scratch.by_rank[COUNT], scratch.by_rank[MOST_AFTER], scratch.candidate_ranks,
    )  # fmt: skip
    bits, highest = (
        move_tables.allowed[move_tables.blocks[block, CARRYING], leading], np.int64(move_tables.slot_kind.shape[0] - 1),
    )  # fmt: skip
    num_candidates, below_highest = np.int64(0), np.int64(NO_INDEX)
    for index in range(len(move_tables.kicker_rank_order)):
        rank = np.int64(move_tables.kicker_rank_order[index])
        if caps[rank]:
            below_highest = num_candidates if rank == highest - 1 else below_highest
            candidates[num_candidates] = rank
            num_candidates += 1
    most_after[num_candidates] = 0
    for position in range(num_candidates - 1, -1, -1):
        most_after[position] = most_after[position + 1] + caps[candidates[position]]
    position, left = np.int64(0), groups
    counts[0] = min(caps[candidates[0]], left) + 1
    while position >= 0 and num_sets < window.stop:
        rank, count = candidates[position], counts[position] - 1
        while count > 0 and not (np.int64(bits[rank]) >> count) & 1:
            count -= 1
        if apart and rank == highest and count > 0 and below_highest >= 0 and counts[below_highest]:
            count = np.int64(0)
        if count < 0 or left - count > most_after[position + 1]:
            position -= 1
            left += counts[position] if position >= 0 else np.int64(0)
            continue
        counts[position] = count
        if count == left:
            choose_kickers(move_tables, block, scratch, position)
            num_sets = enumerate_groups(
                move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards
            )
            continue
        left -= count
        position += 1
        counts[position] = min(caps[candidates[position]], left) + 1
    return num_sets


@kernel
def enumerate_moves(
    move_tables, hands, context, leading, labels, legal, allowed, lo, hi, max_sets, one_per_rank, start, form, cards,
    scratch,
):  # fmt: skip
    """Enumerate the card sets of decisions lo..hi-1, in the order of move lists.

    Enumeration of a decision stops soon after ``max_sets`` card sets. Card sets for which ``form`` and ``cards``
    have no row are counted, but not written.

    Args:
        move_tables: Tables of the game.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        leading: int8 [n], 1 if the seat leads, 0 if it follows.
        labels: int16 [n], the label to enumerate, or ``ALL_LABELS``.
        legal: uint8 [labels, n], mask of legal labels.
        allowed: uint8 [rows, n], circuit outputs; ``move_tables.form_row`` gives the row of each form.
        lo: First decision.
        hi: Decision after the last.
        max_sets: Card sets of a decision to enumerate; one that has more ends with a larger number.
        one_per_rank: 1 to leave out card sets that differ from an earlier one in the cards of a rank only, such as in
            suits. Only for games without wild cards. Forms of suits and those that exclude others keep all.
        start: int64 [hi + 1]; ``start[lo]`` is read, ``start[lo + 1 : hi + 1]`` is filled as in ``MoveLists``.
        form: int16 [capacity], receives the form of each card set.
        cards: uint8 [capacity, max cards], receives the cards.
        scratch: Buffers of this thread.

    Returns:
        Number of card sets, which may exceed the capacity.
    """
    move_tables, scratch, allowed, form, cards = borrow_arrays((move_tables, scratch, allowed, form, cards))
    lists, bounds, blocks = move_tables.block_order, move_tables.label_blocks, move_tables.blocks
    num_sets = np.int64(start[lo])
    for i in range(lo, hi):
        window = OutputWindow(np.int64(0), np.int64(form.shape[0]), num_sets + max_sets + 1, np.int64(0), one_per_rank)
        load_hand(move_tables, np.int64(context[i]), hands[i], scratch)
        takes_all, first, end = labels[i] == ALL_LABELS, np.int64(0), np.int64(lists.shape[1])
        if not takes_all:
            first, end = np.int64(bounds[labels[i], 0]), np.int64(bounds[labels[i], 1])
        for position in range(first, end):
            block = np.int64(lists[context[i], position]) if takes_all else position
            if legal[blocks[block, LABEL], i]:
                num_sets = enumerate_block(
                    move_tables, block, np.int64(context[i]), np.int64(leading[i]), allowed, i, scratch, num_sets,
                    window, form, cards,
                )  # fmt: skip
        start[i + 1] = num_sets
    return num_sets


@device_function
def enumerate_label(move_tables, label, context, leading, allowed, column, scratch, num_sets, window, form, cards):
    """Enumerate the card sets of a label; arguments and result are those of ``enumerate_block``."""
    for block in range(np.int64(move_tables.label_blocks[label, 0]), np.int64(move_tables.label_blocks[label, 1])):
        num_sets = enumerate_block(
            move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards
        )
    return num_sets
