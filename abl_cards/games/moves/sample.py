"""Kernels that return one card set of a legal label: the first in the order of move lists, or a random one."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np

from abl_cards.core import borrow_arrays, device_function, kernel, scale_to_range, splitmix64
from abl_cards.games.description import NO_INDEX, PLAIN
from abl_cards.games.moves.enumerate import enumerate_label
from abl_cards.games.moves.move_tables import (
    CODE,
    EXCLUDED,
    EXCLUDED_END,
    FORM,
    FORM_ROW,
    GROUPS,
    KICKERS,
    MIN_WILDS,
    MODE,
    NO_LIMIT,
    ONLY,
    OWN_KICKERS,
    RANK,
    ROW,
    SIZE,
    OutputWindow,
    finish_row,
    load_hand,
    plain_block,
)
from abl_cards.games.moves.sample_kickers import sample_with_kickers, sample_with_own_kickers

_MIN_COUNTED_FORMS = 8
"""Forms of a label from which on counting the card sets of each form is faster than enumerating them."""


@kernel
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
    move_tables, scratch, allowed = borrow_arrays((move_tables, scratch, allowed))
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
                num_found[i] = sample_with_own_kickers(move_tables, block, ctx, lead, keys, row, scratch, form, cards)
                continue
        elif block >= 0:
            num_found[i] = sample_with_kickers(move_tables, block, ctx, lead, keys, row, scratch, form, cards)
            continue
        if _sample_plain_forms(move_tables, label, ctx, allowed, keys, row, scratch, form, cards, num_found):
            continue
        num_found[i] = _sample_enumerated(move_tables, label, ctx, lead, allowed, keys, row, scratch, form, cards)


@device_function
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


@device_function
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


@device_function
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


@device_function
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


@device_function
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
