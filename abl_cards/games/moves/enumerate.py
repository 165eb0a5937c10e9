"""From legal labels to all their card sets: the kernels that walk through what can be laid down.

They read the same facts as the rules that decide legality (description/form_arrays.py) and nothing else. The groups of
a form come in their order, inside a group the natural cards in the order of vectors, wild cards standing in at its end,
then the kickers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.description import MIXED, NO_INDEX, SUITED, TAILED
from abl_cards.games.moves.move_tables import (
    CARRYING,
    END,
    FORM,
    FORM_ROW,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    LABEL,
    MAIN_RANK,
    MODE,
    NATURAL,
    NUM_CARDS,
    NUM_STATE_ROWS,
    ONLY,
    OWN_RANK_WILD,
    OWN_SLOTS,
    RANK,
    ROW,
    SECOND_WILD,
    SIZE,
    STAND_INS,
    SUIT,
    SUIT_BITS,
    TAIL_SIZE,
    WILD,
    WILD_GROUPS,
    WILD_SUIT,
    WILDS,
    OutputWindow,
    append_group,
    canonical_wild_groups,
    combination_range,
    group_pattern,
    load_hand,
    store_card_set,
)
from abl_cards.games.types import MAX_CARD_SETS

ALL_LABELS = -1
"""In the place of a label."""
_MAX_COMBINATIONS = 1 << 40
"""More ways to take kickers of some ranks are not told apart: the product would overflow."""


@njit(cache=True, nogil=True)
def enumerate_block(move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards):
    """Walk the card sets of a block, the first of which has the number ``num_sets``; returns the one after the last."""
    only_form = np.int64(move_tables.blocks[block, FORM])
    if only_form >= 0 and not allowed[move_tables.blocks[block, FORM_ROW], column]:
        return num_sets
    kind, suits, wild, start, counts = (
        move_tables.slot_kind,
        move_tables.slot_suit,
        move_tables.wild_cards,
        move_tables.pattern_start,
        move_tables.combination_counts,
    )
    natural, state, laid, base, sorted_rows = (
        scratch.natural,
        scratch.walk_state,
        scratch.row,
        move_tables.pattern_base,
        move_tables.has_sorted_rows,
    )
    mode, groups = move_tables.blocks[block, MODE], np.int64(move_tables.blocks[block, GROUPS])
    most, kickers = np.int64(move_tables.blocks[block, WILDS]), np.int64(move_tables.blocks[block, KICKERS])
    parts, suit_form = move_tables.group_fields[block], move_tables.suit_form[block]
    first, last, stop, shift = window.first, window.last, window.stop, window.first_row - window.first
    width, stand_ins, laying = len(move_tables.slot_range), move_tables.num_wild_kinds, last > first or kickers > 0
    for name in range(NUM_STATE_ROWS):
        state[name, 0] = 0
    state[WILD, 0], state[SECOND_WILD, 0], state[SUIT, 0] = scratch.wild_counts[0], scratch.wild_counts[1], -1
    depth, entering = np.int64(0), True
    while depth >= 0 and num_sets < stop:
        if depth == groups:
            if mode == TAILED:
                num_sets = _enumerate_tails(
                    move_tables, block, context, allowed, column, scratch, depth, num_sets, window, form, cards
                )
            elif kickers > 0:
                if mode != MIXED or state[SUIT_BITS, depth] & (state[SUIT_BITS, depth] - 1):
                    num_sets = enumerate_kickers(
                        move_tables, block, leading, scratch, depth, num_sets, window, form, cards
                    )
            else:
                index = only_form
                if mode == MIXED:
                    shown = state[SUIT_BITS, depth]
                    index = only_form if shown & (shown - 1) else np.int64(NO_INDEX)
                elif mode == SUITED:
                    index, suit = np.int64(NO_INDEX), state[SUIT, depth]
                    low, high = (suit, suit + 1) if suit >= 0 else (np.int64(0), np.int64(len(suit_form)))
                    for each in range(low, high):  # wild cards alone are of any suit
                        found = np.int64(suit_form[each])
                        if found < 0 or not allowed[move_tables.form_row[found], column]:
                            continue
                        if _count_substitutes(state, depth, wild, context, stand_ins, each) <= most:
                            if index >= 0:
                                if first <= num_sets < last:
                                    store_card_set(
                                        sorted_rows, laid, state[NUM_CARDS, depth], index, shift + num_sets, form, cards
                                    )
                                num_sets += 1
                            index = found
                if index >= 0:
                    if first <= num_sets < last:
                        store_card_set(sorted_rows, laid, state[NUM_CARDS, depth], index, shift + num_sets, form, cards)
                    num_sets += 1
            depth, entering = depth - 1, False
            continue
        rank, size = np.int64(parts[RANK, depth]), np.int64(parts[SIZE, depth])
        if entering:
            pattern = group_pattern(
                base,
                width,
                stand_ins,
                natural,
                rank,
                parts[ONLY, depth],
                wild,
                context,
                state[WILD, depth],
                state[SECOND_WILD, depth],
            )
            state[ROW, depth], state[END, depth] = start[pattern, size], start[pattern, size + 1]
        row = state[ROW, depth]
        if row == state[END, depth]:
            depth, entering = depth - 1, False
            continue
        state[ROW, depth], entering = row + 1, False
        standing, own, shown, only = np.int64(0), np.int64(0), state[SUIT_BITS, depth], parts[ONLY, depth]
        here, owners = np.int64(0), np.int64(0)
        for place in range(stand_ins):
            standing += counts[row, width + place]
        if standing > size - parts[NATURAL, depth] or state[STAND_INS, depth] + standing > most:
            continue
        state[WILD, depth + 1], state[SECOND_WILD, depth + 1] = state[WILD, depth], state[SECOND_WILD, depth]
        for place in range(stand_ins):
            used = np.int64(counts[row, width + place])
            slot = np.int64(wild[context, place, OWN_SLOTS + rank])
            if used and wild[context, place, WILD_SUIT] >= 0:
                shown |= np.int64(1) << np.int64(wild[context, place, WILD_SUIT])
            if slot >= 0:
                mine = np.int64(counts[row, slot])
                used += mine
                own += mine
                owners |= np.int64(only < 0 or only == slot) << place
                state[OWN_RANK_WILD + place, depth + 1] = state[OWN_RANK_WILD + place, depth] + mine
            else:
                state[OWN_RANK_WILD + place, depth + 1] = state[OWN_RANK_WILD + place, depth]
            here |= np.int64(used > 0) << place
            state[WILD + place, depth + 1] -= used
        if stand_ins > 1:
            state[WILD_GROUPS, depth + 1] = canonical_wild_groups(state[WILD_GROUPS, depth], here, owners)
            if state[WILD_GROUPS, depth + 1] < 0:
                continue
        suit = state[SUIT, depth]
        if mode == SUITED and own == 0:
            mine = suit
            for slot in range(width):
                if counts[row, slot] > 0:
                    mine = np.int64(suits[rank, slot])
            if suit >= 0 and mine != suit:
                continue
            suit = mine
        if mode == MIXED:
            for slot in range(width):
                if counts[row, slot] > 0 and suits[rank, slot] >= 0:
                    shown |= np.int64(1) << np.int64(suits[rank, slot])
        if laying:
            state[NUM_CARDS, depth + 1] = append_group(
                width, stand_ins, kind, wild, counts, row, context, rank, laid, state[NUM_CARDS, depth]
            )
        state[STAND_INS, depth + 1] = state[STAND_INS, depth] + standing
        state[SUIT_BITS, depth + 1] = shown
        state[SUIT, depth + 1] = suit
        depth, entering = depth + 1, True
    return num_sets


@njit(cache=True, nogil=True, inline="always")
def _count_substitutes(state, depth, wild, context, stand_ins, suit):
    """How many wild cards stand in for cards of a suit: those of this suit in their own rank do not."""
    strangers = state[STAND_INS, depth]
    for place in range(stand_ins):
        if wild[context, place, WILD_SUIT] != suit:
            strangers += state[OWN_RANK_WILD + place, depth]
    return strangers


@njit(cache=True, nogil=True)
def _enumerate_tails(move_tables, block, context, allowed, column, scratch, depth, num_sets, window, form, cards):
    """The last group in every rank it may have, weak ranks first."""
    start, counts, order, kind, wild = (
        move_tables.pattern_start,
        move_tables.combination_counts,
        move_tables.rank_order,
        move_tables.slot_kind,
        move_tables.wild_cards,
    )
    tails, base, sorted_rows = move_tables.tail_fields[block], move_tables.pattern_base, move_tables.has_sorted_rows
    state, laid, natural = scratch.walk_state, scratch.row, scratch.natural
    first, last, stop, shift = window.first, window.last, window.stop, window.first_row - window.first
    size, filled = np.int64(move_tables.blocks[block, TAIL_SIZE]), state[NUM_CARDS, depth]
    spare = move_tables.blocks[block, WILDS] - state[STAND_INS, depth]
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    for place in range(order.shape[1]):
        rank = np.int64(order[context, place])
        index = tails[0, rank]
        if index < 0 or not allowed[move_tables.form_row[index], column]:
            continue
        pattern = group_pattern(
            base,
            width,
            stand_ins,
            natural,
            rank,
            NO_INDEX,
            wild,
            context,
            state[WILD, depth],
            state[SECOND_WILD, depth],
        )
        most = min(size - tails[1, rank], spare)
        for row in range(start[pattern, size], start[pattern, size + 1]):
            standing, here, owners = 0, np.int64(0), np.int64(0)
            for stand_in in range(stand_ins):
                slot = np.int64(wild[context, stand_in, OWN_SLOTS + rank])
                own = np.int64(counts[row, slot]) if slot >= 0 else np.int64(0)
                standing += counts[row, width + stand_in]
                here |= np.int64(counts[row, width + stand_in] + own > 0) << stand_in
                owners |= np.int64(slot >= 0) << stand_in
            if stand_ins > 1 and canonical_wild_groups(state[WILD_GROUPS, depth], here, owners) < 0:
                continue
            if standing <= most and num_sets < stop:
                if first <= num_sets < last:
                    laying = append_group(width, stand_ins, kind, wild, counts, row, context, rank, laid, filled)
                    store_card_set(sorted_rows, laid, laying, index, shift + num_sets, form, cards)
                num_sets += 1
    return num_sets


@njit(cache=True, nogil=True)
def fill_max_groups(move_tables, block, leading, scratch):
    """Fill caps with the most groups of each rank that can be kickers; returns their sum."""
    allowed, natural, caps = move_tables.allowed, scratch.natural, scratch.max_groups
    row, size, total = (
        np.int64(move_tables.blocks[block, CARRYING]),
        np.int64(move_tables.blocks[block, KICKER_SIZE]),
        np.int64(0),
    )
    for rank in range(len(caps)):
        bits, caps[rank] = np.int64(allowed[row, leading, rank]), 0
        if bits:
            held = np.int64(0)
            for slot in range(len(move_tables.slot_range)):
                held += natural[rank, slot]
            groups = held // size
            while groups > 0 and not (bits >> groups) & 1:
                groups -= 1
            caps[rank] = groups
            total += groups
    return total


@njit(cache=True, nogil=True)
def enumerate_kickers(move_tables, block, leading, scratch, depth, num_sets, window, form, cards):
    """The kickers of a form in the order of their letters; see MAIN_RANK of move_tables."""
    row, groups = np.int64(move_tables.blocks[block, CARRYING]), np.int64(move_tables.blocks[block, KICKERS])
    apart, main = move_tables.blocks[block, JOKERS_APART], np.int64(move_tables.blocks[block, MAIN_RANK])
    if fill_max_groups(move_tables, block, leading, scratch) < groups:
        return num_sets
    caps, stack, letters, chosen = scratch.max_groups, scratch.stack, scratch.candidate_ranks, scratch.chosen
    allowed, alphabet, highest = (
        move_tables.allowed[row, leading],
        move_tables.kicker_rank_order,
        np.int64(move_tables.slot_kind.shape[0] - 1),
    )
    count = np.int64(0)
    for place in range(len(alphabet)):
        rank = np.int64(alphabet[place])
        if rank == main or caps[rank]:
            letters[count] = rank
            count += 1
    deepest = groups if main >= 0 else groups - 1
    level = np.int64(0)
    # By level: next letter to try, rank of the last kicker, how often it came, whether the main cards lie.
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, -1, 0, 0 if main >= 0 else 1
    while level >= 0 and num_sets < window.stop:
        letter = stack[level, 0]
        if letter == count:
            level -= 1
            continue
        stack[level, 0] = letter + 1
        rank, before, again, lies = letters[letter], stack[level, 1], stack[level, 2], stack[level, 3]
        if rank == main:
            if lies or before > main:
                continue
            next_rank, next_again, next_lies = before, again, np.int64(1)
        else:
            taken = level - lies if main >= 0 else level
            if rank < before or taken == groups or (main >= 0 and (rank > main) != (lies == 1)):
                continue
            next_again = again + 1 if rank == before else np.int64(1)
            if next_again > caps[rank] or (apart and rank == highest and before == highest - 1):
                continue
            if rank != before and before >= 0 and not (allowed[before] >> again) & 1:
                continue
            next_rank, next_lies = rank, lies
            chosen[taken, 0] = rank
        if level < deepest:
            level += 1
            stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3] = 0, next_rank, next_again, next_lies
        elif next_lies and (next_rank < 0 or (allowed[next_rank] >> next_again) & 1):
            num_sets = _write_kickers(move_tables, block, scratch, depth, groups, num_sets, window, form, cards)
    return num_sets


@njit(cache=True, nogil=True)
def _write_kickers(move_tables, block, scratch, depth, groups, num_sets, window, form, cards):
    """All the cards that kickers of chosen ranks can be."""
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    size, chosen, laid, stack = (
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
    natural = scratch.natural
    parts = np.int64(0)
    ways = np.int64(1)
    for place in range(groups):
        rank = chosen[place, 0]
        if parts > 0 and stack[parts - 1, 4] >> 32 == rank:
            stack[parts - 1, 4] += 1
        else:
            stack[parts, 4] = (rank << 32) | 1
            parts += 1
    for part in range(parts):
        low, high = combination_range(
            width, stand_ins, start, base, natural, stack[part, 4] >> 32, (stack[part, 4] & 255) * size
        )
        ways = min(ways * (high - low), _MAX_COMBINATIONS)
    for number in range(max(np.int64(0), window.first - num_sets), min(ways, window.last - num_sets)):
        rest, filled = number, scratch.walk_state[NUM_CARDS, depth]
        for part in range(parts - 1, -1, -1):
            rank = stack[part, 4] >> 32
            low, high = combination_range(width, stand_ins, start, base, natural, rank, (stack[part, 4] & 255) * size)
            chosen[part, 2] = low + rest % (high - low)
            rest //= high - low
        for part in range(parts):
            rank = stack[part, 4] >> 32
            filled = append_group(
                width, stand_ins, kind, wild, counts, chosen[part, 2], np.int64(0), rank, laid, filled
            )
        store_card_set(sorted_rows, laid, filled, index, shift + num_sets + number, form, cards)
    return num_sets + ways


@njit(cache=True, nogil=True)
def enumerate_moves(move_tables, hands, context, leading, labels, legal, allowed, lo, hi, start, form, cards, scratch):
    """All card sets of decisions lo..hi-1 in the order of lists, or of a label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are. A decision of more than
    MAX_CARD_SETS is walked little further than that.
    """
    lists, blocks = move_tables.block_order, move_tables.blocks
    seen = np.int64(start[lo])
    for i in range(lo, hi):
        everything = OutputWindow(np.int64(0), np.int64(form.shape[0]), seen + MAX_CARD_SETS + 1, np.int64(0))
        load_hand(move_tables, np.int64(context[i]), hands[i], scratch)
        if labels[i] == ALL_LABELS:
            for block in lists[context[i]]:
                if legal[blocks[block, LABEL], i]:
                    seen = enumerate_block(
                        move_tables, np.int64(block), np.int64(context[i]), np.int64(leading[i]), allowed, i, scratch,
                        seen, everything, form, cards,
                    )  # fmt: skip
        elif legal[labels[i], i]:
            seen = enumerate_label(
                move_tables, np.int64(labels[i]), np.int64(context[i]), np.int64(leading[i]), allowed, i, scratch, seen,
                everything, form, cards,
            )  # fmt: skip
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def enumerate_label(move_tables, label, context, leading, allowed, column, scratch, num_sets, window, form, cards):
    """Walk the card sets of a label."""
    blocks = move_tables.label_blocks
    for block in range(np.int64(blocks[label, 0]), np.int64(blocks[label, 1])):
        num_sets = enumerate_block(
            move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards
        )
    return num_sets
