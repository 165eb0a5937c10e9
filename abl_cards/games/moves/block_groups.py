"""Kernel that walks through the groups of a block of forms, and writes each card set that it finds.

It reads the forms as arrays (``description/form_arrays.py``), which come from the facts that decide legality. A card
set holds the groups of its form in their order. In a group, natural cards come in the order of hand vectors, then the
wild cards that stand in. Kickers come last.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function
from abl_cards.games.description import MIXED, NO_INDEX, PLAIN, SUITED, TAILED
from abl_cards.games.moves.kickers import enumerate_kickers, write_beside_own_kickers
from abl_cards.games.moves.move_tables import (
    END,
    EXCLUDED,
    EXCLUDED_END,
    FORM,
    FORM_ROW,
    GROUPS,
    KICKERS,
    MIN_WILDS,
    MODE,
    NATURAL,
    NUM_CARDS,
    NUM_STATE_ROWS,
    ONLY,
    OWN_KICKERS,
    OWN_RANK_WILD,
    OWN_SLOTS,
    RANK,
    ROW,
    SECOND_WILD,
    SIZE,
    STAND_INS,
    SUIT,
    SUIT_BITS,
    SUIT_OF,
    TAIL_SIZE,
    WILD,
    WILD_GROUPS,
    WILD_SUIT,
    WILDS,
    append_group,
    canonical_wild_groups,
    group_pattern,
    store_card_set,
)


@device_function
def enumerate_groups(move_tables, block, context, leading, allowed, column, scratch, num_sets, window, form, cards):
    """Enumerate the card sets of a block; kickers of a group's rank are those that ``scratch`` holds.

    Args:
        move_tables: Tables of the game.
        block: Index of the block.
        context: Index of the order context of the decision.
        leading: 1 if the seat leads, 0 if it follows.
        allowed: uint8 [rows, decisions], nonzero where a form is allowed.
        column: Column of the decision in ``allowed``.
        scratch: Buffers that hold the hand (``load_hand``).
        num_sets: Number of card sets enumerated so far, which is the number of the first one found here.
        window: Numbers of the card sets to write.
        form: int16 [rows], receives the form of each card set.
        cards: uint8 [rows, max cards], receives the cards.

    Returns:
        Number of card sets enumerated so far, those of this block included.
    """
    # Longer than other functions: further parts as inlined functions make lists of Guandan 1.3 to 1.9 times as slow.
    only_form = np.int64(move_tables.blocks[block, FORM])
    if only_form >= 0 and not allowed[move_tables.blocks[block, FORM_ROW], column]:
        return num_sets
    mode, groups = move_tables.blocks[block, MODE], np.int64(move_tables.blocks[block, GROUPS])
    max_wilds, kickers = np.int64(move_tables.blocks[block, WILDS]), np.int64(move_tables.blocks[block, KICKERS])
    min_wilds = np.int64(move_tables.blocks[block, MIN_WILDS])
    kind, suits, wild_cards = move_tables.slot_kind, move_tables.slot_suit, move_tables.wild_cards
    start, counts, own = (
        move_tables.pattern_start,
        move_tables.combination_counts,
        move_tables.blocks[block, OWN_KICKERS],
    )
    fields = scratch.group_fields if own else move_tables.group_fields[block]
    natural, state, card_row = scratch.natural, scratch.walk_state, scratch.row
    base, sorted_rows, suit_form = move_tables.pattern_base, move_tables.has_sorted_rows, move_tables.suit_form[block]
    first, last, stop, shift = window.first, window.last, window.stop, window.first_row - window.first
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    excluded, excluded_end = move_tables.blocks[block, EXCLUDED], move_tables.blocks[block, EXCLUDED_END]
    stores_cards = last > first or kickers > 0 or excluded_end > excluded
    one_per_rank = window.one_per_rank and mode in (PLAIN, TAILED) and excluded_end == excluded
    for name in range(NUM_STATE_ROWS):
        state[name, 0] = 0
    state[WILD, 0], state[SECOND_WILD, 0], state[SUIT, 0] = scratch.wild_counts[0], scratch.wild_counts[1], -1
    depth, entering = np.int64(0), True
    while depth >= 0 and num_sets < stop:
        if depth == groups:
            if only_form >= 0 and state[STAND_INS, depth] < min_wilds:
                pass
            elif mode == TAILED:
                num_sets = _enumerate_tails(
                    move_tables, block, context, allowed, column, scratch, depth, num_sets, window, form, cards
                )
            elif own:
                num_sets = write_beside_own_kickers(move_tables, block, scratch, depth, num_sets, window, form, cards)
            elif kickers > 0:
                if mode != MIXED or state[SUIT_BITS, depth] & (state[SUIT_BITS, depth] - 1):
                    num_sets = enumerate_kickers(
                        move_tables, block, leading, scratch, depth, num_sets, window, form, cards
                    )
            else:
                index = only_form
                if mode == MIXED:
                    suit_bits = state[SUIT_BITS, depth]
                    index = only_form if suit_bits & (suit_bits - 1) else np.int64(NO_INDEX)
                elif mode == SUITED:
                    num_sets, index = _write_suits(
                        suit_form, move_tables.form_row, allowed, column, wild_cards, context, stand_ins, min_wilds,
                        max_wilds, state, depth, card_row, sorted_rows, first, last, shift, num_sets, form, cards,
                    )  # fmt: skip
                if excluded_end > excluded and _is_excluded(
                    move_tables, excluded, excluded_end, context, card_row, state[NUM_CARDS, depth]
                ):
                    index = np.int64(NO_INDEX)
                if index >= 0:
                    if first <= num_sets < last:
                        num_cards = state[NUM_CARDS, depth]
                        store_card_set(sorted_rows, card_row, num_cards, index, shift + num_sets, form, cards)
                    num_sets += 1
            depth, entering = depth - 1, False
            continue
        rank, size = np.int64(fields[RANK, depth]), np.int64(fields[SIZE, depth])
        if entering:
            pattern = group_pattern(
                base, width, stand_ins, natural, rank, fields[ONLY, depth], wild_cards, context, state[WILD, depth],
                state[SECOND_WILD, depth],
            )  # fmt: skip
            state[ROW, depth], state[END, depth] = start[pattern, size], start[pattern, size + 1]
            if one_per_rank:
                state[END, depth] = min(state[END, depth], state[ROW, depth] + 1)
        row = state[ROW, depth]
        if row == state[END, depth]:
            depth, entering = depth - 1, False
            continue
        state[ROW, depth], entering, num_substitutes = row + 1, False, np.int64(0)
        for wild in range(stand_ins):
            num_substitutes += counts[row, width + wild]
        if num_substitutes > size - fields[NATURAL, depth] or state[STAND_INS, depth] + num_substitutes > max_wilds:
            continue
        num_own_rank, suit_bits, wild_groups = _use_wild_cards(
            width, stand_ins, wild_cards, counts, context, rank, fields[ONLY, depth], row, state, depth
        )
        if wild_groups < 0:
            continue
        suit = state[SUIT, depth]
        if mode == SUITED and num_own_rank == 0:
            group_suit = suit
            for slot in range(width):
                if counts[row, slot] > 0:
                    group_suit = np.int64(suits[rank, slot])
            if suit >= 0 and group_suit != suit:
                continue
            suit = group_suit
        if mode == MIXED:
            for slot in range(width):
                if counts[row, slot] > 0 and suits[rank, slot] >= 0:
                    suit_bits |= np.int64(1) << np.int64(suits[rank, slot])
        depth, entering = depth + 1, True
        if stores_cards:
            state[NUM_CARDS, depth] = append_group(
                width, stand_ins, kind, wild_cards, counts, row, context, rank, card_row, state[NUM_CARDS, depth - 1]
            )
        state[STAND_INS, depth] = state[STAND_INS, depth - 1] + num_substitutes
        state[SUIT_BITS, depth], state[SUIT, depth] = suit_bits, suit
    return num_sets


@device_function
def _is_excluded(move_tables, first, last, context, card_row, num_cards):
    """Return True if some excluded form among rows first..last-1 takes the first ``num_cards`` of ``card_row``."""
    excluded, slot_kind, slot_suit = move_tables.group_fields, move_tables.slot_kind, move_tables.slot_suit
    acts, wild_cards = move_tables.slot_acts, move_tables.wild_cards
    for row in range(first, last):
        is_excluded, total = True, np.int64(0)
        for group in range(excluded.shape[2]):
            rank, size = np.int64(excluded[row, RANK, group]), np.int64(excluded[row, SIZE, group])
            only, suit = excluded[row, ONLY, group], excluded[row, SUIT_OF, group]
            if rank < 0:
                break
            count, total = np.int64(0), total + size
            for position in range(num_cards):
                for slot in range(slot_kind.shape[1]):
                    if card_row[position] == slot_kind[rank, slot] and (only < 0 or only == slot):
                        is_real = acts[context, rank, slot] != 0
                        for kind in range(move_tables.num_wild_kinds):  # a wild card lies in its own rank
                            is_real = is_real or wild_cards[context, kind, 0] == slot_kind[rank, slot]
                        count += is_real and (suit < 0 or slot_suit[rank, slot] == suit)
            is_excluded = is_excluded and count == size
        if is_excluded and total == num_cards:
            return True
    return False


@device_function
def _use_wild_cards(width, stand_ins, wild_cards, counts, context, rank, only, row, state, depth):
    """Write the wild cards that are left after a combination, and the groups that they are in, to the next column.

    Returns:
        Number of wild cards of their own rank, suits so far, and the groups as ``canonical_wild_groups`` returns them.
    """
    num_own_rank, suit_bits, wild_groups = np.int64(0), state[SUIT_BITS, depth], np.int64(0)
    group_bits, own_rank_bits = np.int64(0), np.int64(0)
    state[WILD, depth + 1], state[SECOND_WILD, depth + 1] = state[WILD, depth], state[SECOND_WILD, depth]
    for wild in range(stand_ins):
        used = np.int64(counts[row, width + wild])
        slot = np.int64(wild_cards[context, wild, OWN_SLOTS + rank])
        if used and wild_cards[context, wild, WILD_SUIT] >= 0:
            suit_bits |= np.int64(1) << np.int64(wild_cards[context, wild, WILD_SUIT])
        if slot >= 0:
            own_count = np.int64(counts[row, slot])
            used += own_count
            num_own_rank += own_count
            own_rank_bits |= np.int64(only < 0 or only == slot) << wild
            state[OWN_RANK_WILD + wild, depth + 1] = state[OWN_RANK_WILD + wild, depth] + own_count
        else:
            state[OWN_RANK_WILD + wild, depth + 1] = state[OWN_RANK_WILD + wild, depth]
        group_bits |= np.int64(used > 0) << wild
        state[WILD + wild, depth + 1] -= used
    if stand_ins > 1:
        wild_groups = canonical_wild_groups(state[WILD_GROUPS, depth], group_bits, own_rank_bits)
        state[WILD_GROUPS, depth + 1] = wild_groups
    return num_own_rank, suit_bits, wild_groups


@device_function
def _write_suits(
    suit_form, form_row, allowed, column, wild_cards, context, stand_ins, min_wilds, max_wilds, state, depth, card_row,
    sorted_rows, first, last, shift, num_sets, form, cards,
):  # fmt: skip
    """Write complete groups of one suit for each allowed form but the last.

    Returns:
        Number of card sets so far, and the last form or NO_INDEX.
    """
    index, suit = np.int64(NO_INDEX), state[SUIT, depth]
    low, high = (suit, suit + 1) if suit >= 0 else (np.int64(0), np.int64(len(suit_form)))
    for form_suit in range(low, high):  # a group of wild cards alone fits any suit
        suited_form = np.int64(suit_form[form_suit])
        if suited_form < 0 or not allowed[form_row[suited_form], column]:
            continue
        if min_wilds <= _count_substitutes(state, depth, wild_cards, context, stand_ins, form_suit) <= max_wilds:
            if index >= 0:
                if first <= num_sets < last:
                    num_cards = state[NUM_CARDS, depth]
                    store_card_set(sorted_rows, card_row, num_cards, index, shift + num_sets, form, cards)
                num_sets += 1
            index = suited_form
    return num_sets, index


@device_function
def _count_substitutes(state, depth, wild_cards, context, stand_ins, suit):
    """Count the wild cards that stand in for other cards; those of this suit in their own rank do not."""
    count = state[STAND_INS, depth]
    for kind in range(stand_ins):
        if wild_cards[context, kind, WILD_SUIT] != suit:
            count += state[OWN_RANK_WILD + kind, depth]
    return count


@device_function
def _enumerate_tails(move_tables, block, context, allowed, column, scratch, depth, num_sets, window, form, cards):
    """Enumerate the last group of a tailed block in every rank it may have, weak ranks first."""
    start, counts, order, slot_kind, wild_cards = (
        move_tables.pattern_start,
        move_tables.combination_counts,
        move_tables.rank_order,
        move_tables.slot_kind,
        move_tables.wild_cards,
    )
    tails, base, sorted_rows = move_tables.tail_fields[block], move_tables.pattern_base, move_tables.has_sorted_rows
    state, card_row, natural = scratch.walk_state, scratch.row, scratch.natural
    first, last, stop, shift = window.first, window.last, window.stop, window.first_row - window.first
    size, num_main_cards = np.int64(move_tables.blocks[block, TAIL_SIZE]), state[NUM_CARDS, depth]
    wilds_left = move_tables.blocks[block, WILDS] - state[STAND_INS, depth]
    min_substitutes = move_tables.blocks[block, MIN_WILDS] - state[STAND_INS, depth]
    width, stand_ins = len(move_tables.slot_range), move_tables.num_wild_kinds
    for position in range(order.shape[1]):
        rank = np.int64(order[context, position])
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
            wild_cards,
            context,
            state[WILD, depth],
            state[SECOND_WILD, depth],
        )
        max_substitutes = min(size - tails[1, rank], wilds_left)
        end = np.int64(start[pattern, size + 1])
        if window.one_per_rank:
            end = min(end, np.int64(start[pattern, size]) + 1)
        for row in range(start[pattern, size], end):
            num_substitutes, group_bits, own_rank_bits = 0, np.int64(0), np.int64(0)
            for kind in range(stand_ins):
                slot = np.int64(wild_cards[context, kind, OWN_SLOTS + rank])
                num_own_rank = np.int64(counts[row, slot]) if slot >= 0 else np.int64(0)
                num_substitutes += counts[row, width + kind]
                group_bits |= np.int64(counts[row, width + kind] + num_own_rank > 0) << kind
                own_rank_bits |= np.int64(slot >= 0) << kind
            if stand_ins > 1 and canonical_wild_groups(state[WILD_GROUPS, depth], group_bits, own_rank_bits) < 0:
                continue
            if min_substitutes <= num_substitutes <= max_substitutes and num_sets < stop:
                if first <= num_sets < last:
                    num_cards = append_group(
                        width, stand_ins, slot_kind, wild_cards, counts, row, context, rank, card_row, num_main_cards
                    )
                    store_card_set(sorted_rows, card_row, num_cards, index, shift + num_sets, form, cards)
                num_sets += 1
    return num_sets
