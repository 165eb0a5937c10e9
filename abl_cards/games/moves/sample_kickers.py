"""Kernels that draw card sets with kickers: count the ways to choose kickers, and write the way that is drawn."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function, kernel, scale_to_range, splitmix64
from abl_cards.games.description import NO_INDEX
from abl_cards.games.moves.kickers import enumerate_kickers, fill_max_groups, fill_own_max_groups
from abl_cards.games.moves.move_tables import (
    CARRYING,
    CODE,
    COMBINATION,
    COUNT,
    FORM,
    GROUP_OF,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    NEEDED,
    NUM_CARDS,
    ONLY,
    RANK,
    SIZE,
    OutputWindow,
    append_group,
    combination_range,
    group_pattern,
    store_card_set,
)


@device_function
def sample_with_kickers(move_tables, block, context, leading, keys, i, scratch, form, cards):
    """Draw a card set of a plain block with kickers, main groups first; return the number of card sets."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    base, sorted_rows = move_tables.pattern_base, move_tables.has_sorted_rows
    natural, card_row, group_fields = scratch.natural, scratch.row, move_tables.group_fields[block]
    kind, wild = move_tables.slot_kind, move_tables.wild_cards
    start, counts = move_tables.pattern_start, move_tables.combination_counts
    groups, kickers = np.int64(move_tables.blocks[block, GROUPS]), np.int64(move_tables.blocks[block, KICKERS])
    if len(keys) == 0:
        window = OutputWindow(np.int64(0), np.int64(1), np.int64(1), np.int64(i), np.int64(0))
        return _first_with_kickers(move_tables, block, context, leading, scratch, window, form, cards)
    total = np.int64(1)
    for group in range(groups):
        size = group_fields[SIZE, group]
        pattern = group_pattern(
            base, width, stand_ins, natural, group_fields[RANK, group], group_fields[ONLY, group], wild, context, 0, 0
        )
        total *= np.int64(start[pattern, size + 1] - start[pattern, size])
    fill_max_groups(move_tables, block, leading, scratch)
    has_one_kicker = kickers == 1
    none = np.int64(NO_INDEX)  # numba compiles another kernel for a literal
    num_kicker_sets = (
        _count_or_choose_kicker(move_tables, block, scratch, none)
        if has_one_kicker
        else _count_kickers(move_tables, block, leading, kickers, scratch)
    )
    if total * num_kicker_sets == 0:
        return np.int64(0)
    index = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(total * num_kicker_sets)))
    main_index, kicker_index = index // num_kicker_sets, index % num_kicker_sets
    num_cards, remaining = np.int64(0), total
    for group in range(groups):
        rank, size = np.int64(group_fields[RANK, group]), group_fields[SIZE, group]
        pattern = group_pattern(base, width, stand_ins, natural, rank, group_fields[ONLY, group], wild, context, 0, 0)
        low, high = np.int64(start[pattern, size]), np.int64(start[pattern, size + 1])
        remaining //= high - low
        num_cards = append_group(
            width, stand_ins, kind, wild, counts, low + main_index // remaining, context, rank, card_row, num_cards
        )
        main_index %= remaining
    if has_one_kicker:
        _count_or_choose_kicker(move_tables, block, scratch, kicker_index)
        low = scratch.chosen[0, 1]
        num_cards = append_group(
            width, stand_ins, kind, wild, counts, low, np.int64(0), scratch.chosen[0, 0], card_row, num_cards
        )
    else:
        num_cards = _write_nth_kickers(move_tables, block, leading, kickers, kicker_index, scratch, num_cards)
    store_card_set(sorted_rows, card_row, num_cards, move_tables.blocks[block, FORM], i, form, cards)
    return total * num_kicker_sets


@device_function
def sample_with_own_kickers(move_tables, block, context, leading, keys, i, scratch, form, cards):
    """Draw a card set of a plain block with kickers of a group's rank; return the number of card sets."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    counts, kind, wild_cards = move_tables.combination_counts, move_tables.slot_kind, move_tables.wild_cards
    ways, group_of, rows, card_row = scratch.ways, scratch.by_rank[GROUP_OF], scratch.by_rank[COMBINATION], scratch.row
    fields, ranks = move_tables.group_fields[block], len(scratch.max_groups)
    kickers = np.int64(move_tables.blocks[block, KICKERS])
    if fill_own_max_groups(move_tables, block, context, leading, scratch) < kickers:
        return np.int64(0)
    total = np.int64(1)
    for group in range(move_tables.blocks[block, GROUPS]):
        if group_of[fields[RANK, group]] != group:
            low, high = _group_range(move_tables, fields, context, group, scratch)
            total *= high - low
    _count_own_kickers(move_tables, block, leading, kickers, scratch)
    num_sets = total * ways[0, kickers]
    if num_sets == 0:
        return num_sets
    index, n = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(num_sets))), kickers
    main_index, index, num_cards = index // ways[0, kickers], index % ways[0, kickers], np.int64(0)
    allowed, apart = (
        move_tables.allowed[move_tables.blocks[block, CARRYING], leading], move_tables.blocks[block, JOKERS_APART]
    )  # fmt: skip
    start, codes, needed = move_tables.pattern_start, scratch.by_rank[CODE], scratch.by_rank[NEEDED]
    size = np.int64(move_tables.blocks[block, KICKER_SIZE])
    for rank in range(ranks):
        if scratch.max_groups[rank] == 0 and needed[rank] == 0:
            scratch.by_rank[COUNT, rank] = 0
            continue
        count = np.int64(0)
        num_ways = _own_ways(start, codes, needed, ways, allowed, apart, size, rank, count, n)
        while index >= num_ways:
            index -= num_ways
            count += 1
            num_ways = _own_ways(start, codes, needed, ways, allowed, apart, size, rank, count, n)
        num_taken = needed[rank] + count * size
        low, high = np.int64(start[codes[rank], num_taken]), np.int64(start[codes[rank], num_taken + 1])
        rows[rank] = low + index % (high - low)
        index //= high - low
        scratch.by_rank[COUNT, rank], n = count, n - count
    for group in range(move_tables.blocks[block, GROUPS]):
        rank = np.int64(fields[RANK, group])
        row = rows[rank]
        if group_of[rank] != group:
            low, high = _group_range(move_tables, fields, context, group, scratch)
            row = low + main_index % (high - low)
            main_index //= high - low
        num_cards = append_group(width, stand_ins, kind, wild_cards, counts, row, context, rank, card_row, num_cards)
    for position in range(ranks):
        rank = np.int64(move_tables.kicker_rank_order[position])
        if group_of[rank] < 0 and scratch.by_rank[COUNT, rank]:
            num_cards = append_group(
                width, stand_ins, kind, wild_cards, counts, rows[rank], context, rank, card_row, num_cards
            )
    store_card_set(move_tables.has_sorted_rows, card_row, num_cards, move_tables.blocks[block, FORM], i, form, cards)
    return num_sets


@device_function
def _count_own_kickers(move_tables, block, leading, kickers, scratch):
    """Count the ways to take the groups that may have kickers of their rank, and these and the other kickers.

    ``scratch.ways`` [rank, n] receives the ways for the ranks from this one on with n groups of kickers, the rows
    ``CODE`` and ``NEEDED`` of ``scratch.by_rank`` the pattern of each rank and the cards of its group.
    """
    ways, caps, group_of = scratch.ways, scratch.max_groups, scratch.by_rank[GROUP_OF]
    codes, needed, natural, base = (
        scratch.by_rank[CODE],
        scratch.by_rank[NEEDED],
        scratch.natural,
        move_tables.pattern_base,
    )
    allowed, apart = (
        move_tables.allowed[move_tables.blocks[block, CARRYING], leading], move_tables.blocks[block, JOKERS_APART]
    )  # fmt: skip
    size, ranks, first = np.int64(move_tables.blocks[block, KICKER_SIZE]), len(caps), np.int64(1)
    for _ in range(move_tables.num_wild_kinds):
        first *= base
    for rank in range(ranks):
        code, weight = np.int64(0), first
        for slot in range(len(move_tables.slot_range)):
            code += weight * natural[rank, slot]
            weight *= base
        codes[rank], needed[rank] = code, 0
        if group_of[rank] >= 0:
            needed[rank] = move_tables.group_fields[block, SIZE, group_of[rank]]
    for n in range(kickers + 1):
        ways[ranks, n] = 0
    ways[ranks, 0] = 1
    start = move_tables.pattern_start
    for rank in range(ranks - 1, -1, -1):
        if caps[rank] == 0 and needed[rank] == 0:
            for n in range(kickers + 1):
                ways[rank, n] = ways[rank + 1, n]
            continue
        for n in range(kickers + 1):
            ways[rank, n] = 0
            for k in range(min(n, caps[rank]) + 1):
                ways[rank, n] += _own_ways(start, codes, needed, ways, allowed, apart, size, rank, k, n)


@device_function
def _own_ways(start, codes, needed, ways, allowed, apart, size, rank, count, n):
    """Return the ways to take ``count`` kickers of a rank, and n of the ranks from this one on."""
    if count > 0 and not (np.int64(allowed[rank]) >> count) & 1:
        return np.int64(0)
    num_cards, last = needed[rank] + count * size, len(codes) - 2
    own = np.int64(start[codes[rank], num_cards + 1]) - np.int64(start[codes[rank], num_cards])
    if not (apart and rank == last - 1 and count > 0):
        return own * ways[rank + 1, n - count]
    of_last = np.int64(start[codes[last], needed[last] + 1]) - np.int64(start[codes[last], needed[last]])
    return own * of_last if n == count else np.int64(0)


@device_function
def _group_range(move_tables, fields, context, group, scratch):
    """Return the range of the combinations of a group, for a hand without wild cards."""
    pattern = group_pattern(
        move_tables.pattern_base, len(move_tables.slot_range), move_tables.num_wild_kinds, scratch.natural,
        np.int64(fields[RANK, group]), fields[ONLY, group], move_tables.wild_cards, context, 0, 0,
    )  # fmt: skip
    size = np.int64(fields[SIZE, group])
    return np.int64(move_tables.pattern_start[pattern, size]), np.int64(move_tables.pattern_start[pattern, size + 1])


@device_function
def _first_with_kickers(move_tables, block, context, leading, scratch, window, form, cards):
    """Write the first card set of a plain block with kickers; return 0 if there is none."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    num_cards, base, group_fields = np.int64(0), move_tables.pattern_base, move_tables.group_fields[block]
    for group in range(move_tables.blocks[block, GROUPS]):
        rank, size = np.int64(group_fields[RANK, group]), group_fields[SIZE, group]
        pattern = group_pattern(
            base,
            width,
            stand_ins,
            scratch.natural,
            rank,
            group_fields[ONLY, group],
            move_tables.wild_cards,
            context,
            0,
            0,
        )
        low, high = (
            np.int64(move_tables.pattern_start[pattern, size]),
            np.int64(move_tables.pattern_start[pattern, size + 1]),
        )
        if low == high:
            return np.int64(0)
        num_cards = append_group(
            width,
            stand_ins,
            move_tables.slot_kind,
            move_tables.wild_cards,
            move_tables.combination_counts,
            low,
            context,
            rank,
            scratch.row,
            num_cards,
        )
    scratch.walk_state[NUM_CARDS, 0] = num_cards
    return enumerate_kickers(move_tables, block, leading, scratch, np.int64(0), np.int64(0), window, form, cards)


@device_function
def _count_or_choose_kicker(move_tables, block, scratch, index):
    """Count the single kickers, and write rank and combination of kicker ``number`` to ``scratch.chosen``, if any."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    caps, natural, start, base = (
        scratch.max_groups,
        scratch.natural,
        move_tables.pattern_start,
        move_tables.pattern_base,
    )
    size, count = np.int64(move_tables.blocks[block, KICKER_SIZE]), np.int64(0)
    for rank in range(len(caps)):
        if caps[rank]:
            low, high = combination_range(width, stand_ins, start, base, natural, rank, size)
            if count <= index < count + high - low:
                scratch.chosen[0, 0], scratch.chosen[0, 1] = rank, low + index - count
            count += high - low
    return count


@kernel
def _count_kickers(move_tables, block, leading, kickers, scratch):
    """Fill ``scratch.ways`` [rank, n] with the number of ways to take n groups of the ranks from this one on.

    Returns the number of ways to take all kickers.
    """
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    ways, caps, natural = scratch.ways, scratch.max_groups, scratch.natural
    start, base, apart = move_tables.pattern_start, move_tables.pattern_base, move_tables.blocks[block, JOKERS_APART]
    kicker_row, size = np.int64(move_tables.blocks[block, CARRYING]), np.int64(move_tables.blocks[block, KICKER_SIZE])
    ranks, allowed = len(caps), move_tables.allowed[kicker_row, leading]
    for n in range(kickers + 1):
        ways[ranks, n] = 0
    ways[ranks, 0] = 1
    for rank in range(ranks - 1, -1, -1):
        for n in range(kickers + 1):
            total = ways[rank + 1, n]
            for k in range(1, min(n, caps[rank]) + 1):
                if (allowed[rank] >> k) & 1:
                    low, high = combination_range(width, stand_ins, start, base, natural, rank, k * size)
                    skip = 2 if apart and rank == ranks - 2 else 1
                    total += (high - low) * ways[rank + skip, n - k]
            ways[rank, n] = total
    return ways[0, kickers]


@device_function
def _write_nth_kickers(move_tables, block, leading, kickers, index, scratch, num_cards):
    """Append the kickers with an index to ``scratch.row``, low ranks first; return the new number of cards."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    ways, caps, natural = scratch.ways, scratch.max_groups, scratch.natural
    start, base, apart = move_tables.pattern_start, move_tables.pattern_base, move_tables.blocks[block, JOKERS_APART]
    kicker_row, size = np.int64(move_tables.blocks[block, CARRYING]), np.int64(move_tables.blocks[block, KICKER_SIZE])
    allowed, ranks = move_tables.allowed[kicker_row, leading], len(caps)
    rank, n = np.int64(0), kickers
    while n > 0:
        if index < ways[rank + 1, n]:
            rank += 1
            continue
        index -= ways[rank + 1, n]
        skip = 2 if apart and rank == ranks - 2 else 1
        for k in range(1, min(n, caps[rank]) + 1):
            if (allowed[rank] >> k) & 1:
                low, high = combination_range(width, stand_ins, start, base, natural, rank, k * size)
                num_ways = (high - low) * ways[rank + skip, n - k]
                if index < num_ways:
                    row = low + index // ways[rank + skip, n - k]
                    num_cards = append_group(
                        width,
                        stand_ins,
                        move_tables.slot_kind,
                        move_tables.wild_cards,
                        move_tables.combination_counts,
                        row,
                        np.int64(0),
                        rank,
                        scratch.row,
                        num_cards,
                    )
                    index %= ways[rank + skip, n - k]
                    n -= k
                    rank += skip
                    break
                index -= num_ways
    return num_cards
