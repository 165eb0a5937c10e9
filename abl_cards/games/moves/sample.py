"""Kernels that return one card set of a legal label: the first in the order of move lists, or a random one."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.core import scale_to_range, splitmix64
from abl_cards.games.description import NO_INDEX, PLAIN
from abl_cards.games.moves.enumerate import enumerate_label
from abl_cards.games.moves.kickers import enumerate_kickers, fill_max_groups, fill_own_max_groups
from abl_cards.games.moves.move_tables import (
    CARRYING,
    CODE,
    COMBINATION,
    COUNT,
    EXCLUDED,
    EXCLUDED_END,
    FORM,
    FORM_ROW,
    GROUP_OF,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    MIN_WILDS,
    MODE,
    NEEDED,
    NO_LIMIT,
    NUM_CARDS,
    ONLY,
    OWN_KICKERS,
    RANK,
    ROW,
    SIZE,
    OutputWindow,
    append_group,
    combination_range,
    finish_row,
    group_pattern,
    load_hand,
    plain_block,
    store_card_set,
)

_MIN_COUNTED_FORMS = 8
"""Forms of a label from which on counting the card sets of each form is faster than enumerating them."""


@njit(cache=True, nogil=True)
def sample_card_sets(
    move_tables, hands, context, leading, labels, allowed, keys, lo, hi, form, cards, scratch, num_found
):
    """Draw a card set of one label for each of decisions lo..hi-1, uniformly.

    Args:
        move_tables: Tables of the game.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        leading: int8 [n], 1 if the seat leads, 0 if it follows.
        labels: int16 [n], the label of each decision; a negative one has no card set.
        allowed: uint8 [rows, n], circuit outputs; ``move_tables.form_row`` gives the row of each form.
        keys: uint64 [n], random keys; empty to take the first card set.
        lo: First decision.
        hi: Decision after the last.
        form: int16 [n], receives the form.
        cards: uint8 [n, max cards], receives the cards.
        scratch: Buffers of this thread.
        num_found: int64 [n], receives the number of card sets of the label, 0 if there is none. Without keys, any
            positive number stands for at least one.
    """
    label_blocks, blocks, group_fields = move_tables.label_blocks, move_tables.blocks, move_tables.group_fields
    kind, slot_acts, wild = move_tables.slot_kind, move_tables.slot_acts, move_tables.wild_cards
    start, counts, codes = move_tables.pattern_start, move_tables.combination_counts, scratch.walk_state[ROW]
    width, num_wild_kinds = len(move_tables.slot_range), move_tables.num_wild_kinds
    base, sorted_rows = move_tables.pattern_base, move_tables.has_sorted_rows
    for i in range(lo, hi):
        label, ctx, lead, row = np.int64(labels[i]), np.int64(context[i]), np.int64(leading[i]), np.int64(i)
        if not 0 <= label < len(label_blocks):
            num_found[i] = 0
            continue
        block = plain_block(label_blocks, blocks, num_wild_kinds, wild, ctx, hands, row, label)
        if block >= 0 and not allowed[blocks[block, FORM_ROW], i]:
            num_found[i] = 0
            continue
        if block >= 0 and not blocks[block, KICKERS]:
            total = _count_plain_sets(
                width, num_wild_kinds, base, kind, slot_acts, start, blocks, group_fields, block, ctx, hands, row, codes
            )
            num_found[i] = total
            if total > 0:
                index = np.int64(0)
                if len(keys) > 0 and total > 1:
                    index = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(total)))
                _write_plain_set(
                    width, sorted_rows, kind, start, counts, blocks, group_fields, block, codes, index, total, row,
                    form, cards,
                )  # fmt: skip
            continue
        load_hand(move_tables, ctx, hands[i], scratch)
        if block >= 0 and blocks[block, OWN_KICKERS]:
            if len(keys) > 0:
                num_found[i] = _sample_with_own_kickers(move_tables, block, ctx, lead, keys, row, scratch, form, cards)
                continue
        elif block >= 0:
            num_found[i] = _sample_with_kickers(move_tables, block, ctx, lead, keys, row, scratch, form, cards)
            continue
        if _sample_plain_forms(move_tables, label, ctx, allowed, keys, row, scratch, form, cards, num_found):
            continue
        num_found[i] = _sample_enumerated(move_tables, label, ctx, lead, allowed, keys, row, scratch, form, cards)


@njit(cache=True, nogil=True)
def _sample_plain_forms(move_tables, label, context, allowed, keys, i, scratch, form, cards, num_found):
    """Draw a card set of a label of several forms by counting those of each form.

    Returns:
        Whether the groups of all allowed forms are drawn independently, and no form has kickers; else nothing is done.
    """
    blocks, fields, start = move_tables.blocks, move_tables.group_fields, move_tables.pattern_start
    first, end = np.int64(move_tables.label_blocks[label, 0]), np.int64(move_tables.label_blocks[label, 1])
    if end - first < _MIN_COUNTED_FORMS or scratch.wild_counts[0] or scratch.wild_counts[1]:
        return False
    for block in range(first, end):
        if blocks[block, MODE] != PLAIN:
            return False
        is_plain = blocks[block, KICKERS] == 0 and blocks[block, MIN_WILDS] == 0
        is_plain = is_plain and blocks[block, EXCLUDED] == blocks[block, EXCLUDED_END]
        if not is_plain and allowed[blocks[block, FORM_ROW], i]:
            return False
    width, num_wild_kinds, codes = len(move_tables.slot_range), move_tables.num_wild_kinds, scratch.by_rank[CODE]
    base, natural, total = move_tables.pattern_base, scratch.natural, np.int64(0)
    for rank in range(len(natural)):
        codes[rank] = np.int64(NO_INDEX)
    for block in range(first, end):
        if allowed[blocks[block, FORM_ROW], i]:
            total += _count_group_sets(
                width, num_wild_kinds, base, natural, start, blocks, fields, block, codes, scratch.walk_state[ROW]
            )
    num_found[i] = total
    chosen, block = np.int64(0), first
    if total == 0:
        return True
    if len(keys) > 0:
        chosen = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(total)))
    while True:
        count = np.int64(0)
        if allowed[blocks[block, FORM_ROW], i]:
            count = _count_group_sets(
                width, num_wild_kinds, base, natural, start, blocks, fields, block, codes, scratch.walk_state[ROW]
            )
        if chosen < count:
            break
        chosen -= count
        block += 1
    _write_plain_set(
        width, move_tables.has_sorted_rows, move_tables.slot_kind, start, move_tables.combination_counts, blocks,
        fields, block, scratch.walk_state[ROW], chosen, count, i, form, cards,
    )  # fmt: skip
    return True


@njit(cache=True, nogil=True, inline="always")
def _count_group_sets(
    width, num_wild_kinds, base, natural, start, blocks, group_fields, block, codes, group_codes
):  # fmt: skip
    """Count the card sets of a plain block for a loaded hand without wild cards.

    ``codes`` [ranks] keeps the patterns of ranks, NO_INDEX for those not computed yet; ``group_codes`` [groups]
    receives the pattern of each group.
    """
    total = np.int64(1)
    for group in range(blocks[block, GROUPS]):
        rank, size = np.int64(group_fields[block, RANK, group]), np.int64(group_fields[block, SIZE, group])
        only = np.int64(group_fields[block, ONLY, group])
        code = codes[rank]
        if code < 0 or only >= 0:
            code, weight = np.int64(0), np.int64(1)
            for _ in range(num_wild_kinds):
                weight *= base
            for slot in range(width):
                if only < 0 or only == slot:
                    code += weight * natural[rank, slot]
                weight *= base
            if only < 0:
                codes[rank] = code
        group_codes[group] = code
        total *= np.int64(start[code, size + 1]) - np.int64(start[code, size])
    return total


@njit(cache=True, nogil=True, inline="always")
def _count_plain_sets(
    width, num_wild_kinds, base, kind, slot_acts, start, blocks, group_fields, block, context, hands, row, codes
):
    """Count the card sets of a plain block without kickers; fill ``codes`` with the pattern of each group."""
    total, first = np.int64(1), np.int64(1)
    for _ in range(num_wild_kinds):
        first *= base
    for group in range(blocks[block, GROUPS]):
        rank, size = group_fields[block, RANK, group], group_fields[block, SIZE, group]
        only = group_fields[block, ONLY, group]
        code, weight = np.int64(0), first
        for slot in range(width):
            card = kind[rank, slot]
            if card >= 0 and (only < 0 or only == slot):
                code += weight * np.int64(hands[row, card] * slot_acts[context, rank, slot])
            weight *= base
        codes[group] = code
        total *= np.int64(start[code, size + 1] - start[code, size])
    return total


@njit(cache=True, nogil=True, inline="always")
def _write_plain_set(
    width, sorted_rows, kind, start, counts, blocks, group_fields, block, codes, index, remaining, row, form, cards
):
    """Write card set ``index`` of ``remaining`` of a plain block; the last group changes first."""
    num_cards = np.int64(0)
    for group in range(blocks[block, GROUPS]):
        rank, size = group_fields[block, RANK, group], group_fields[block, SIZE, group]
        low, combination = np.int64(start[codes[group], size]), np.int64(start[codes[group], size])
        if remaining > 1:
            remaining //= np.int64(start[codes[group], size + 1]) - low
            combination += index // remaining
            index %= remaining
        for slot in range(width):
            for _ in range(counts[combination, slot]):
                cards[row, num_cards] = kind[rank, slot]
                num_cards += 1
    finish_row(sorted_rows, num_cards, blocks[block, FORM], row, form, cards)


@njit(cache=True, nogil=True)
def _sample_enumerated(move_tables, label, context, leading, allowed, keys, i, scratch, form, cards):
    """Draw a card set of any label by enumerating all; return the number of card sets."""
    chosen, count = np.int64(0), np.int64(0)
    if len(keys) > 0:
        counting = OutputWindow(np.int64(0), np.int64(0), np.int64(NO_LIMIT), i, np.int64(0))
        count = enumerate_label(
            move_tables, label, context, leading, allowed, i, scratch, np.int64(0), counting, form, cards
        )
        if count == 0:
            return count
        chosen = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(count)))
    window = OutputWindow(chosen, chosen + 1, chosen + 1, i, np.int64(0))
    num_sets = enumerate_label(
        move_tables, label, context, leading, allowed, i, scratch, np.int64(0), window, form, cards
    )
    return count if len(keys) > 0 else num_sets


@njit(cache=True, nogil=True)
def _sample_with_kickers(move_tables, block, context, leading, keys, i, scratch, form, cards):
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


@njit(cache=True, nogil=True)
def _sample_with_own_kickers(move_tables, block, context, leading, keys, i, scratch, form, cards):
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True, inline="always")
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


@njit(cache=True, nogil=True, inline="always")
def _group_range(move_tables, fields, context, group, scratch):
    """Return the range of the combinations of a group, for a hand without wild cards."""
    pattern = group_pattern(
        move_tables.pattern_base, len(move_tables.slot_range), move_tables.num_wild_kinds, scratch.natural,
        np.int64(fields[RANK, group]), fields[ONLY, group], move_tables.wild_cards, context, 0, 0,
    )  # fmt: skip
    size = np.int64(fields[SIZE, group])
    return np.int64(move_tables.pattern_start[pattern, size]), np.int64(move_tables.pattern_start[pattern, size + 1])


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
