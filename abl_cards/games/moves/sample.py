"""From a legal label to one of its card sets: the first in the order of the walk, or one by chance."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.core import scale_to_range, splitmix64
from abl_cards.games.description import NO_INDEX, PLAIN
from abl_cards.games.moves.enumerate import enumerate_kickers, enumerate_label, fill_max_groups
from abl_cards.games.moves.move_tables import (
    CARRYING,
    FORM,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    MODE,
    NO_LIMIT,
    NUM_CARDS,
    ONLY,
    RANK,
    ROW,
    SIZE,
    OutputWindow,
    append_group,
    combination_range,
    group_pattern,
    load_hand,
    store_card_set,
)
from abl_cards.games.types import NO_CARD


@njit(cache=True, nogil=True)
def sample_card_sets(
    move_tables, hands, context, leading, labels, allowed, keys, lo, hi, form, cards, scratch, num_found
):
    """One card set of one label a decision, for decisions lo..hi-1: a random one, or the first without keys.

    ``num_found`` [n] is how many there are to choose from; 0 where the label turns out to have none.
    """
    label_blocks, blocks, parts = move_tables.label_blocks, move_tables.blocks, move_tables.group_fields
    kind, acting, wild, start, counts = (
        move_tables.slot_kind,
        move_tables.slot_acts,
        move_tables.wild_cards,
        move_tables.pattern_start,
        move_tables.combination_counts,
    )
    codes, width, stand_ins, base, sorted_rows = (
        scratch.walk_state[ROW], len(move_tables.slot_range), move_tables.num_wild_kinds, move_tables.pattern_base,
        move_tables.has_sorted_rows,
    )  # fmt: skip
    first = np.int64(1)
    for _ in range(stand_ins):
        first *= base
    for i in range(lo, hi):
        label, ctx, how, here = np.int64(labels[i]), np.int64(context[i]), np.int64(leading[i]), np.int64(i)
        if not 0 <= label < len(label_blocks):
            num_found[i] = 0
            continue
        block = np.int64(label_blocks[label, 0])
        plain = label_blocks[label, 1] - block == 1 and blocks[block, MODE] == PLAIN
        for place in range(stand_ins):
            plain = plain and (wild[ctx, place, 0] < 0 or hands[i, wild[ctx, place, 0]] == 0)
        if plain and not blocks[block, KICKERS]:
            # All the ways to choose each group by itself are equally likely. This is no function of its own, for each
            # array that it were given would cost a counted reference, at every decision.
            groups, total = np.int64(blocks[block, GROUPS]), np.int64(1)
            for group in range(groups):
                rank, size, only = parts[block, RANK, group], parts[block, SIZE, group], parts[block, ONLY, group]
                code, weight = np.int64(0), first
                for slot in range(width):
                    card = kind[rank, slot]
                    if card >= 0 and (only < 0 or only == slot):
                        code += weight * np.int64(hands[i, card] * acting[ctx, rank, slot])
                    weight *= base
                codes[group] = code
                total *= np.int64(start[code, size + 1] - start[code, size])
            num_found[i] = total
            if total == 0:
                continue
            number, filled, left = np.int64(0), np.int64(0), total
            if len(keys) > 0 and total > 1:
                number = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(total)))
            for group in range(groups):
                rank, size = parts[block, RANK, group], parts[block, SIZE, group]
                low, row = np.int64(start[codes[group], size]), np.int64(start[codes[group], size])
                if left > 1:
                    left //= np.int64(start[codes[group], size + 1]) - low
                    row += number // left
                    number %= left
                for slot in range(width):
                    for _ in range(counts[row, slot]):
                        cards[i, filled] = kind[rank, slot]
                        filled += 1
            form[i] = blocks[block, FORM]
            for place in range(filled, cards.shape[1]):
                cards[i, place] = NO_CARD
            if sorted_rows:
                for place in range(1, filled):
                    card, back = cards[i, place], place
                    while back > 0 and cards[i, back - 1] > card:
                        cards[i, back] = cards[i, back - 1]
                        back -= 1
                    cards[i, back] = card
            continue
        load_hand(move_tables, ctx, hands[i], scratch)
        if plain:
            num_found[i] = _sample_with_kickers(move_tables, block, ctx, how, keys, here, scratch, form, cards)
            continue
        pick = np.int64(0)
        if len(keys) > 0:
            counting = OutputWindow(np.int64(0), np.int64(0), np.int64(NO_LIMIT), here)
            count = enumerate_label(
                move_tables, label, ctx, how, allowed, here, scratch, np.int64(0), counting, form, cards
            )
            num_found[i] = count
            if count == 0:
                continue
            pick = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(count)))
        seen = enumerate_label(
            move_tables,
            label,
            ctx,
            how,
            allowed,
            here,
            scratch,
            np.int64(0),
            OutputWindow(pick, pick + 1, pick + 1, here),
            form,
            cards,
        )
        if len(keys) == 0:
            num_found[i] = seen


@njit(cache=True, nogil=True)
def _sample_with_kickers(move_tables, block, context, leading, keys, i, scratch, form, cards):
    """A card set of a plain block with kickers, which are chosen after the groups."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    natural, laid, base, sorted_rows = (
        scratch.natural,
        scratch.row,
        move_tables.pattern_base,
        move_tables.has_sorted_rows,
    )
    kind, wild, start, counts, parts = (
        move_tables.slot_kind,
        move_tables.wild_cards,
        move_tables.pattern_start,
        move_tables.combination_counts,
        move_tables.group_fields[block],
    )
    groups, kickers = np.int64(move_tables.blocks[block, GROUPS]), np.int64(move_tables.blocks[block, KICKERS])
    if len(keys) == 0:
        window = OutputWindow(np.int64(0), np.int64(1), np.int64(1), np.int64(i))
        return _first_with_kickers(move_tables, block, context, leading, scratch, window, form, cards)
    total = np.int64(1)
    for group in range(groups):
        size = parts[SIZE, group]
        pattern = group_pattern(
            base, width, stand_ins, natural, parts[RANK, group], parts[ONLY, group], wild, context, 0, 0
        )
        total *= np.int64(start[pattern, size + 1] - start[pattern, size])
    fill_max_groups(move_tables, block, leading, scratch)
    one = kickers == 1
    none = np.int64(NO_INDEX)  # for a literal numba would compile another kernel
    carried = (
        _count_or_choose_kicker(move_tables, block, scratch, none)
        if one
        else _count_kickers(move_tables, block, leading, kickers, scratch)
    )
    if total * carried == 0:
        return np.int64(0)
    lot = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(total * carried)))
    which, rest, filled, left = lot // carried, lot % carried, np.int64(0), total
    for group in range(groups):
        rank, size = np.int64(parts[RANK, group]), parts[SIZE, group]
        pattern = group_pattern(base, width, stand_ins, natural, rank, parts[ONLY, group], wild, context, 0, 0)
        low, high = np.int64(start[pattern, size]), np.int64(start[pattern, size + 1])
        left //= high - low
        filled = append_group(width, stand_ins, kind, wild, counts, low + which // left, context, rank, laid, filled)
        which %= left
    if one:
        _count_or_choose_kicker(move_tables, block, scratch, rest)
        low = scratch.chosen[0, 1]
        filled = append_group(
            width, stand_ins, kind, wild, counts, low, np.int64(0), scratch.chosen[0, 0], laid, filled
        )
    else:
        filled = _write_nth_kickers(move_tables, block, leading, kickers, rest, scratch, filled)
    store_card_set(sorted_rows, laid, filled, move_tables.blocks[block, FORM], i, form, cards)
    return total * carried


@njit(cache=True, nogil=True)
def _first_with_kickers(move_tables, block, context, leading, scratch, window, form, cards):
    """The first card set of a plain block with kickers."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    filled, base, parts = np.int64(0), move_tables.pattern_base, move_tables.group_fields[block]
    for group in range(move_tables.blocks[block, GROUPS]):
        rank, size = np.int64(parts[RANK, group]), parts[SIZE, group]
        pattern = group_pattern(
            base, width, stand_ins, scratch.natural, rank, parts[ONLY, group], move_tables.wild_cards, context, 0, 0
        )
        low, high = (
            np.int64(move_tables.pattern_start[pattern, size]),
            np.int64(move_tables.pattern_start[pattern, size + 1]),
        )
        if low == high:
            return np.int64(0)
        filled = append_group(
            width,
            stand_ins,
            move_tables.slot_kind,
            move_tables.wild_cards,
            move_tables.combination_counts,
            low,
            context,
            rank,
            scratch.row,
            filled,
        )
    scratch.walk_state[NUM_CARDS, 0] = filled
    return enumerate_kickers(move_tables, block, leading, scratch, np.int64(0), np.int64(0), window, form, cards)


@njit(cache=True, nogil=True)
def _count_or_choose_kicker(move_tables, block, scratch, number):
    """How many ways there are to carry a single kicker; or choose the one of a number, by its rank and combination."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    caps, natural, start, base = (
        scratch.max_groups,
        scratch.natural,
        move_tables.pattern_start,
        move_tables.pattern_base,
    )
    size, seen = np.int64(move_tables.blocks[block, KICKER_SIZE]), np.int64(0)
    for rank in range(len(caps)):
        if caps[rank]:
            low, high = combination_range(width, stand_ins, start, base, natural, rank, size)
            if seen <= number < seen + high - low:
                scratch.chosen[0, 0], scratch.chosen[0, 1] = rank, low + number - seen
            seen += high - low
    return seen


@njit(cache=True, nogil=True)
def _count_kickers(move_tables, block, leading, kickers, scratch):
    """Fill ways [rank, n]: how many ways there are to take n groups of the ranks from this one on; all of them."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    ways, caps, natural, start, base = (
        scratch.ways,
        scratch.max_groups,
        scratch.natural,
        move_tables.pattern_start,
        move_tables.pattern_base,
    )
    row, size, apart = (
        np.int64(move_tables.blocks[block, CARRYING]),
        np.int64(move_tables.blocks[block, KICKER_SIZE]),
        move_tables.blocks[block, JOKERS_APART],
    )
    ranks, allowed = len(caps), move_tables.allowed[row, leading]
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
def _write_nth_kickers(move_tables, block, leading, kickers, rest, scratch, filled):
    """Lay down the kickers of a number, from the low ranks on; returns how many cards lie there then."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    ways, caps, natural, start, base = (
        scratch.ways,
        scratch.max_groups,
        scratch.natural,
        move_tables.pattern_start,
        move_tables.pattern_base,
    )
    carried, size, apart = (
        np.int64(move_tables.blocks[block, CARRYING]),
        np.int64(move_tables.blocks[block, KICKER_SIZE]),
        move_tables.blocks[block, JOKERS_APART],
    )
    allowed, ranks = move_tables.allowed[carried, leading], len(caps)
    rank, n = np.int64(0), kickers
    while n > 0:
        if rest < ways[rank + 1, n]:
            rank += 1
            continue
        rest -= ways[rank + 1, n]
        skip = 2 if apart and rank == ranks - 2 else 1
        for k in range(1, min(n, caps[rank]) + 1):
            if (allowed[rank] >> k) & 1:
                low, high = combination_range(width, stand_ins, start, base, natural, rank, k * size)
                here = (high - low) * ways[rank + skip, n - k]
                if rest < here:
                    row = low + rest // ways[rank + skip, n - k]
                    filled = append_group(
                        width,
                        stand_ins,
                        move_tables.slot_kind,
                        move_tables.wild_cards,
                        move_tables.combination_counts,
                        row,
                        np.int64(0),
                        rank,
                        scratch.row,
                        filled,
                    )
                    rest %= ways[rank + skip, n - k]
                    n -= k
                    rank += skip
                    break
                rest -= here
    return filled
