"""Kernels that choose and write the kickers of card sets."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function
from abl_cards.games.description import NO_INDEX
from abl_cards.games.moves.move_tables import (
    CARRYING,
    COUNT,
    FORM,
    GROUP_OF,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    MAIN_RANK,
    NATURAL,
    NUM_CARDS,
    NUM_RANKS,
    OWN_SLOTS,
    RANK,
    SIZE,
    append_group,
    combination_range,
    store_card_set,
)

_MAX_COMBINATIONS = 1 << 40
"""Upper bound of a count of kicker combinations, so that the product does not overflow."""


@device_function
def fill_max_groups(move_tables, block, leading, scratch):
    """Fill ``scratch.max_groups`` [ranks] with the most groups of each rank that can be kickers; return their sum."""
    allowed, natural, caps = move_tables.allowed, scratch.natural, scratch.max_groups
    row, size, total = (
        np.int64(move_tables.blocks[block, CARRYING]),
        np.int64(move_tables.blocks[block, KICKER_SIZE]),
        np.int64(0),
    )
    for rank in range(len(caps)):
        bits, caps[rank] = np.int64(allowed[row, leading, rank]), 0
        if bits:
            num_held = np.int64(0)
            for slot in range(len(move_tables.slot_range)):
                num_held += natural[rank, slot]
            groups = num_held // size
            while groups > 0 and not (bits >> groups) & 1:
                groups -= 1
            caps[rank] = groups
            total += groups
    return total


@device_function
def fill_own_max_groups(move_tables, block, context, leading, scratch):
    """Fill ``max_groups`` and the row ``GROUP_OF`` of the buffers for a block with kickers of a group's rank.

    The cards that the group itself takes are left out. Returns the sum of ``max_groups``.
    """
    allowed, natural, caps, group_of = (
        move_tables.allowed[move_tables.blocks[block, CARRYING], leading],
        scratch.natural,
        scratch.max_groups,
        scratch.by_rank[GROUP_OF],
    )
    fields, wild, wild_counts = move_tables.group_fields[block], move_tables.wild_cards, scratch.wild_counts
    group_of[:] = NO_INDEX
    for group in range(move_tables.blocks[block, GROUPS]):
        if allowed[fields[RANK, group]]:
            group_of[fields[RANK, group]] = group
    size, total = np.int64(move_tables.blocks[block, KICKER_SIZE]), np.int64(0)
    for rank in range(len(caps)):
        bits, caps[rank] = np.int64(allowed[rank]), 0
        if bits:
            num_held = np.int64(0)
            for slot in range(len(move_tables.slot_range)):
                num_held += natural[rank, slot]
            if group_of[rank] >= 0:
                num_held -= fields[SIZE, group_of[rank]]
                for kind in range(move_tables.num_wild_kinds):  # wild cards in a group of their own rank are real
                    if wild[context, kind, OWN_SLOTS + rank] >= 0:
                        num_held += wild_counts[kind]
            groups = max(num_held, np.int64(0)) // size
            while groups > 0 and not (bits >> groups) & 1:
                groups -= 1
            caps[rank] = groups
            total += groups
    return total


@device_function
def choose_kickers(move_tables, block, scratch, last):
    """Add the counts up to position ``last`` to ``group_fields`` of the buffers, or else write them to ``stack``."""
    fields, size, num_ranks = scratch.group_fields, move_tables.blocks[block, KICKER_SIZE], np.int64(0)
    own_fields = move_tables.group_fields[block]
    for field in range(own_fields.shape[0]):
        for group in range(own_fields.shape[1]):
            fields[field, group] = own_fields[field, group]
    for position in range(last + 1):
        rank = scratch.candidate_ranks[position]
        group, count = scratch.by_rank[GROUP_OF, rank], scratch.by_rank[COUNT, position]
        if group >= 0 and count > 0:
            fields[SIZE, group] += count * size
            fields[NATURAL, group] = fields[SIZE, group]
        elif group < 0 and count > 0:
            scratch.stack[num_ranks, 4] = (rank << 32) | count
            num_ranks += 1
    scratch.by_rank[NUM_RANKS, 0] = num_ranks


@device_function
def enumerate_kickers(move_tables, block, leading, scratch, depth, num_sets, window, form, cards):
    """Enumerate the kickers of a form in the order of ``kicker_rank_order``.

    The main cards take the position of ``MAIN_RANK`` among the ranks. Arguments and result are those of
    ``enumerate_block``; ``depth`` is the number of main groups in ``scratch.walk_state``.
    """
    row, groups = np.int64(move_tables.blocks[block, CARRYING]), np.int64(move_tables.blocks[block, KICKERS])
    apart, main = move_tables.blocks[block, JOKERS_APART], np.int64(move_tables.blocks[block, MAIN_RANK])
    if fill_max_groups(move_tables, block, leading, scratch) < groups:
        return num_sets
    caps, stack, candidates, chosen = scratch.max_groups, scratch.stack, scratch.candidate_ranks, scratch.chosen
    allowed, rank_order, highest = (
        move_tables.allowed[row, leading],
        move_tables.kicker_rank_order,
        np.int64(move_tables.slot_kind.shape[0] - 1),
    )
    count = np.int64(0)
    for position in range(len(rank_order)):
        rank = np.int64(rank_order[position])
        if rank == main or caps[rank]:
            candidates[count] = rank
            count += 1
    deepest = groups if main >= 0 else groups - 1
    level = np.int64(0)
    # Columns by level: next candidate, rank of the last kicker, its repeats, whether the main cards are placed.
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, -1, 0, 0 if main >= 0 else 1
    while level >= 0 and num_sets < window.stop:
        candidate = stack[level, 0]
        if candidate == count:
            level -= 1
            continue
        stack[level, 0] = candidate + 1
        rank, last_rank, repeats, main_placed = candidates[candidate], stack[level, 1], stack[level, 2], stack[level, 3]
        if rank == main:
            if main_placed or last_rank > main:
                continue
            next_rank, next_repeats, next_placed = last_rank, repeats, np.int64(1)
        else:
            num_chosen = level - main_placed if main >= 0 else level
            if rank < last_rank or num_chosen == groups or (main >= 0 and (rank > main) != (main_placed == 1)):
                continue
            next_repeats = repeats + 1 if rank == last_rank else np.int64(1)
            if next_repeats > caps[rank] or (apart and rank == highest and last_rank == highest - 1):
                continue
            if rank != last_rank and last_rank >= 0 and not (allowed[last_rank] >> repeats) & 1:
                continue
            next_rank, next_placed = rank, main_placed
            chosen[num_chosen, 0] = rank
        if level < deepest:
            level += 1
            stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3] = 0, next_rank, next_repeats, next_placed
        elif next_placed and (next_rank < 0 or (allowed[next_rank] >> next_repeats) & 1):
            num_sets = _write_kickers(move_tables, block, scratch, depth, groups, num_sets, window, form, cards)
    return num_sets


@device_function
def _write_kickers(move_tables, block, scratch, depth, groups, num_sets, window, form, cards):
    """Write all card sets whose kickers have the ranks in ``scratch.chosen``."""
    chosen, stack, num_ranks = scratch.chosen, scratch.stack, np.int64(0)
    for group in range(groups):
        rank = chosen[group, 0]
        if num_ranks > 0 and stack[num_ranks - 1, 4] >> 32 == rank:
            stack[num_ranks - 1, 4] += 1
        else:
            stack[num_ranks, 4] = (rank << 32) | 1
            num_ranks += 1
    return _write_combinations(move_tables, block, scratch, depth, num_ranks, num_sets, window, form, cards)


@device_function
def write_beside_own_kickers(move_tables, block, scratch, depth, num_sets, window, form, cards):
    """Write all card sets with the kickers that ``choose_kickers`` left beside those of the groups."""
    num_ranks = scratch.by_rank[NUM_RANKS, 0]
    return _write_combinations(move_tables, block, scratch, depth, num_ranks, num_sets, window, form, cards)


@device_function
def _write_combinations(move_tables, block, scratch, depth, num_ranks, num_sets, window, form, cards):
    """Write all card sets with the kickers in the last column of ``scratch.stack``: rank << 32 | groups."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    size, chosen, card_row, stack = (
        np.int64(move_tables.blocks[block, KICKER_SIZE]),
        scratch.chosen,
        scratch.row,
        scratch.stack,
    )
    shift, index, sorted_rows = (
        window.first_row - window.first,
        np.int64(move_tables.blocks[block, FORM]),
        move_tables.has_sorted_rows,
    )
    kind, wild, start, counts, base = (
        move_tables.slot_kind,
        move_tables.wild_cards,
        move_tables.pattern_start,
        move_tables.combination_counts,
        move_tables.pattern_base,
    )
    natural, ways = scratch.natural, np.int64(1)
    for position in range(num_ranks):
        low, high = combination_range(
            width, stand_ins, start, base, natural, stack[position, 4] >> 32, (stack[position, 4] & 255) * size
        )
        ways = min(ways * (min(high - low, 1) if window.one_per_rank else high - low), _MAX_COMBINATIONS)
    for combination in range(max(np.int64(0), window.first - num_sets), min(ways, window.last - num_sets)):
        remainder, num_cards = combination, scratch.walk_state[NUM_CARDS, depth]
        for position in range(num_ranks - 1, -1, -1):
            rank = stack[position, 4] >> 32
            low, high = combination_range(
                width, stand_ins, start, base, natural, rank, (stack[position, 4] & 255) * size
            )
            chosen[position, 2] = low + remainder % (high - low)
            remainder //= high - low
        for position in range(num_ranks):
            rank = stack[position, 4] >> 32
            num_cards = append_group(
                width, stand_ins, kind, wild, counts, chosen[position, 2], np.int64(0), rank, card_row, num_cards
            )
        store_card_set(sorted_rows, card_row, num_cards, index, shift + num_sets + combination, form, cards)
    return num_sets + ways
