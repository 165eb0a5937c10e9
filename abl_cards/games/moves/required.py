"""Required cards: filter labels and card sets by cards that a play must contain."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import borrow_arrays, device_function, kernel, scale_to_range
from abl_cards.games.description import PLAIN
from abl_cards.games.moves.enumerate import enumerate_label
from abl_cards.games.moves.move_tables import (
    FORM,
    FORM_ROW,
    GROUPS,
    KICKERS,
    MODE,
    NO_LIMIT,
    ONLY,
    RANK,
    ROW,
    SIZE,
    MoveTables,
    OutputWindow,
    finish_row,
    load_hand,
    plain_block,
)
from abl_cards.games.types import MoveLists


def label_reach(move_tables: MoveTables, num_kinds: int) -> NDArray[np.float32]:
    """Return which cards the groups of a label can contain.

    Args:
        move_tables: Tables of the game.
        num_kinds: Kinds of cards in the pack.

    Returns:
        float32 [labels, kinds], 1 where some card set of the label may contain a card of this kind. All ones for
        labels with kickers, or with a block that is not plain.
    """
    reach = np.zeros((len(move_tables.label_blocks), num_kinds), np.float32)
    stand_ins = move_tables.wild_cards[:, :, 0]
    for label, (first, last) in enumerate(move_tables.label_blocks):
        for block in range(first, last):
            if move_tables.blocks[block, KICKERS] or move_tables.blocks[block, MODE] != PLAIN:
                reach[label] = 1
                continue
            reach[label, stand_ins[stand_ins >= 0]] = 1
            for group in range(move_tables.blocks[block, GROUPS]):
                cards, slot = (
                    move_tables.slot_kind[move_tables.group_fields[block, RANK, group]],
                    move_tables.group_fields[block, ONLY, group],
                )
                cards = cards if slot < 0 else cards[slot : slot + 1]
                reach[label, cards[cards >= 0]] = 1
    return reach


def can_reach_all(reach: NDArray[np.float32], required: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which labels can contain all required cards, for some hand.

    Args:
        reach: float32 [labels, kinds], as ``label_reach`` returns it.
        required: uint8 [kinds, n], 1 for a required card.

    Returns:
        bool [labels, n].
    """
    can_reach: NDArray[np.bool_] = reach @ required.astype(np.float32) >= required.sum(axis=0)
    return can_reach


def filter_labels(
    legal: NDArray[np.uint8], lists: MoveLists, label_of: NDArray[np.int16], required: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> None:  # fmt: skip
    """Clear the legal labels that have no card set with all required cards.

    Args:
        legal: uint8 [labels, n], mask of legal labels; changed in place.
        lists: All card sets of the m decisions.
        label_of: int16 [forms], label of each form.
        required: uint8 [kinds, m], 1 for a required card.
        rows: int64 [m], columns of ``legal`` of the decisions.
    """
    # Columns of the mask are strided in memory, so only entries of labels with card sets are read.
    _filter_labels(legal, *lists, label_of, required, rows)


def filter_card_sets(lists: MoveLists, required: NDArray[np.uint8], rows: NDArray[np.int64]) -> MoveLists:
    """Return move lists without the card sets that lack a required card.

    Args:
        lists: Card sets of n decisions.
        required: uint8 [kinds, n], 1 for a required card.
        rows: int64 [m], decisions to filter; all card sets of others remain.

    Returns:
        The card sets that remain, in the same order.
    """
    keep = np.ones(len(lists.form), np.bool_)
    _filter_card_sets(lists.start, lists.cards, required, rows, keep)
    start = np.concatenate([[0], keep.cumsum()])[lists.start]
    return MoveLists(start, lists.form[keep], lists.cards[keep])


@kernel
def _count_missing(cards, move, required, column):
    """Count the cards of a column of ``required`` [kinds, any] that a card set lacks."""
    num_missing = 0
    for kind in range(required.shape[0]):
        if required[kind, column]:
            num_missing += 1
            for position in range(cards.shape[1]):
                if cards[move, position] == kind:
                    num_missing -= 1
                    break
    return num_missing


@kernel
def _filter_card_sets(start, cards, required, rows, keep):
    """Clear ``kept`` [card sets] where a card set of one of the rows lacks a required card."""
    for row in rows:
        for move in range(start[row], start[row + 1]):
            keep[move] = _count_missing(cards, move, required, row) == 0


@kernel
def _filter_labels(legal, start, form, cards, label_of, required, rows):
    """Implement ``filter_labels`` for arrays."""
    has_set = np.zeros(legal.shape[0], np.bool_)
    for index in range(len(rows)):
        row, moves = rows[index], range(start[index], start[index + 1])
        for move in moves:
            label = label_of[form[move]]
            has_set[label] = has_set[label] or _count_missing(cards, move, required, index) == 0
        for move in moves:
            label = label_of[form[move]]
            if not has_set[label]:
                legal[label, row] = 0
        for move in moves:
            has_set[label_of[form[move]]] = False


SCRATCH_SETS, _FIRST_SETS = 64, 4
"""Card sets enumerated at a time when searching for required cards; one of the first few mostly has them."""
_MAX_SEARCHED_SETS = 1 << 12
"""Most card sets of a label to search this way, as each batch enumerates from the first one; beyond it, list them."""


@kernel
def drop_unreachable_labels(
    move_tables, hands, context, leading, answers, reach, rows, required, lo, hi, scratch, form, cards, is_unsure
):
    """Clear the legal labels of decisions ``rows[lo:hi]`` that have no card set with all required cards.

    The card sets of a label are enumerated up to the first that has them.

    Args:
        move_tables: Tables of the game.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        leading: int8 [n], 1 if the seat leads, 0 if it follows.
        answers: uint8 [rows, n], circuit outputs, the first rows of which are the label mask; changed in place.
        reach: float32 [labels, kinds], as ``label_reach`` returns it.
        rows: int64 [m], decisions with required cards.
        required: uint8 [kinds, m], 1 for a required card.
        lo: First index in ``rows``.
        hi: Index after the last.
        scratch: Buffers of this thread.
        form: int16 [sets], buffer.
        cards: uint8 [sets, max cards], buffer.
        is_unsure: bool [m], set where a label has too many card sets to search.
    """
    first_match, last, labels = np.int64(1), np.int64(-1), len(reach)
    width, base = len(move_tables.slot_range), move_tables.pattern_base
    label_blocks, blocks = move_tables.label_blocks, move_tables.blocks
    kind, slot_acts, wild = move_tables.slot_kind, move_tables.slot_acts, move_tables.wild_cards
    start, counts = move_tables.pattern_start, move_tables.combination_counts
    stand_ins, codes, group_fields = move_tables.num_wild_kinds, scratch.walk_state[ROW], move_tables.group_fields
    kinds, mask = np.empty(len(required), np.int64), np.empty((hi - lo, labels), np.uint8)
    for label in range(labels):  # label by label, as they lie in memory
        for index in range(lo, hi):
            mask[index - lo, label] = answers[label, rows[index]]
    for index in range(lo, hi):
        row, legal = np.int64(rows[index]), mask[index - lo]
        ctx, lead, loaded_row = np.int64(context[row]), np.int64(leading[row]), last
        count = _list_required(required, index, kinds)
        for candidate in range(labels):
            if not legal[candidate]:
                continue
            is_reachable, label = True, np.int64(candidate)
            for position in range(count):
                is_reachable = is_reachable and reach[label, kinds[position]] != 0
            if is_reachable:
                block = _simple_block(label_blocks, blocks, group_fields, stand_ins, wild, ctx, hands, row, label)
                if block >= 0:
                    ways = _count_plain_sets(
                        width, stand_ins, base, kind, slot_acts, start, counts, blocks, group_fields, block, ctx, hands,
                        row, required, index, count, codes,
                    )  # fmt: skip
                    is_reachable = answers[blocks[block, FORM_ROW], row] and ways > 0
                else:
                    if loaded_row != row:
                        load_hand(move_tables, ctx, hands[row], scratch)
                        loaded_row = row
                    num_matches = _search_label(
                        move_tables, label, ctx, lead, answers, row, kinds, count, scratch, first_match, form, cards
                    )[0]
                    is_reachable, is_unsure[index] = num_matches != 0, is_unsure[index] or num_matches < 0
            legal[label] = not is_reachable
        for label in range(labels):
            if legal[label]:
                answers[label, row] = 0


@kernel
def sample_required_sets(
    move_tables, hands, context, leading, labels, legal, allowed, keys, rows, required, lo, hi, scratch, form, cards,
    forms, sets, num_found
):  # fmt: skip
    """Draw a card set with all required cards of one label, for each of decisions ``rows[lo:hi]``.

    Args:
        move_tables: Tables of the game.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        leading: int8 [n], 1 if the seat leads, 0 if it follows.
        labels: int16 [m], the label of each decision.
        legal: uint8 [labels, n], mask of legal labels.
        allowed: uint8 [rows, n], circuit outputs.
        keys: uint64 [n], random keys; empty to take the first card set.
        rows: int64 [m], decisions with required cards.
        required: uint8 [kinds, m], 1 for a required card.
        lo: First index in ``rows``.
        hi: Index after the last.
        scratch: Buffers of this thread.
        form: int16 [sets], buffer.
        cards: uint8 [sets, max cards], buffer.
        forms: int16 [n], receives the form.
        sets: uint8 [n, max cards], receives the cards.
        num_found: int64 [n], receives the number of card sets: 0 if the label is not legal, -1 if it has too many to
            search.
    """
    move_tables, scratch = borrow_arrays((move_tables, scratch))
    no_limit, kinds = np.int64(NO_LIMIT), np.empty(len(required), np.int64)
    width, base = len(move_tables.slot_range), move_tables.pattern_base
    label_blocks, blocks = move_tables.label_blocks, move_tables.blocks
    kind, slot_acts, wild = move_tables.slot_kind, move_tables.slot_acts, move_tables.wild_cards
    start, counts = move_tables.pattern_start, move_tables.combination_counts
    stand_ins, codes = move_tables.num_wild_kinds, scratch.walk_state[ROW]
    group_fields, sorted_rows = move_tables.group_fields, move_tables.has_sorted_rows
    for index in range(lo, hi):
        row, label = np.int64(rows[index]), np.int64(labels[index])
        num_required = _list_required(required, index, kinds)
        ctx, lead, num_sets = np.int64(context[row]), np.int64(leading[row]), np.int64(0)
        num_found[row] = 0
        if not 0 <= label < len(legal) or not legal[label, row]:
            continue
        block = _simple_block(label_blocks, blocks, group_fields, stand_ins, wild, ctx, hands, row, label)
        if block < 0:
            load_hand(move_tables, ctx, hands[row], scratch)
            count, _, num_sets = _search_label(
                move_tables, label, ctx, lead, allowed, row, kinds, num_required, scratch, no_limit, form, cards
            )
        elif not allowed[blocks[block, FORM_ROW], row]:
            continue
        else:
            count = _count_plain_sets(
                width, stand_ins, base, kind, slot_acts, start, counts, blocks, group_fields, block, ctx, hands, row,
                required, index, num_required, codes,
            )  # fmt: skip
        num_found[row] = count
        if count <= 0:
            continue
        chosen = np.int64(scale_to_range(keys[row], np.uint64(count))) if len(keys) > 0 else np.int64(0)
        if block < 0:
            if num_sets > 0:
                set_row = _nth_matching_set(cards, num_sets, kinds, num_required, chosen)
            else:
                set_row = _search_label(
                    move_tables, label, ctx, lead, allowed, row, kinds, num_required, scratch, chosen + 1, form, cards
                )[1]
            forms[row] = form[set_row]
            sets[row] = cards[set_row]
        else:
            _write_nth_plain_set(
                width, sorted_rows, kind, start, counts, blocks, group_fields, block, required, index, codes, chosen,
                count, row, forms, sets,
            )  # fmt: skip


@device_function
def _list_required(required, column, kinds):
    """Fill ``kinds`` with the required cards of a column; return their number."""
    count = np.int64(0)
    for kind in range(len(required)):
        if required[kind, column]:
            kinds[count] = kind
            count += 1
    return count


@device_function
def _has_all_required(cards, move, kinds, count):
    """Return True if a card set has the first ``count`` of ``kinds``."""
    has_all = True
    for index in range(count):
        is_present = False
        for position in range(cards.shape[1]):
            is_present = is_present or cards[move, position] == kinds[index]
        has_all = has_all and is_present
    return has_all


@device_function
def _nth_matching_set(cards, num_sets, kinds, count, index):
    """Return the index of the card set that is number ``number`` among those with all required cards, or -1."""
    for move in range(num_sets):
        if _has_all_required(cards, move, kinds, count):
            if index == 0:
                return np.int64(move)
            index -= 1
    return np.int64(-1)


@device_function
def _simple_block(label_blocks, blocks, group_fields, stand_ins, wild, context, hands, row, label):
    """Return the plain block of a label that has no kickers and groups of different ranks, else -1."""
    block = plain_block(label_blocks, blocks, stand_ins, wild, context, hands, row, label)
    is_simple = block >= 0 and not blocks[block, KICKERS]
    if is_simple:
        for group in range(1, blocks[block, GROUPS]):
            is_simple = is_simple and group_fields[block, RANK, group] > group_fields[block, RANK, group - 1]
    return block if is_simple else np.int64(-1)


@device_function
def _count_plain_sets(
    width, stand_ins, base, kind, acting, start, counts, blocks, group_fields, block, context, hands, row, required,
    column, num_required, codes,
):  # fmt: skip
    """Count the card sets of a plain block with all required cards; fill ``codes`` with the pattern of each group."""
    total, first, num_missing = np.int64(1), np.int64(1), np.int64(num_required)
    for _ in range(stand_ins):
        first *= base
    for group in range(blocks[block, GROUPS]):
        rank, size, only = (
            group_fields[block, RANK, group],
            group_fields[block, SIZE, group],
            group_fields[block, ONLY, group],
        )
        code, weight = np.int64(0), first
        for slot in range(width):
            card = kind[rank, slot]
            if card >= 0:
                num_missing -= required[card, column] != 0
                if only < 0 or only == slot:
                    code += weight * np.int64(hands[row, card] * acting[context, rank, slot])
            weight *= base
        codes[group], ways = code, np.int64(0)
        for combination in range(start[code, size], start[code, size + 1]):
            ways += _has_required_of_rank(width, kind, counts, combination, rank, required, column)
        total *= ways
    return total if num_missing == 0 else np.int64(0)


@device_function
def _has_required_of_rank(width, kind, counts, row, rank, required, column):
    """Return True if a combination of cards of a rank has all required cards of the rank."""
    has_required = True
    for slot in range(width):
        card = kind[rank, slot]
        if card >= 0 and required[card, column] and counts[row, slot] == 0:
            has_required = False
    return has_required


@device_function
def _write_nth_plain_set(
    width, sorted_rows, kind, start, counts, blocks, group_fields, block, required, column, codes, index, num_sets, row,
    forms, sets
):  # fmt: skip
    """Write card set ``number`` of ``left`` of a plain block; the last group changes first."""
    num_cards = np.int64(0)
    for group in range(blocks[block, GROUPS]):
        rank, size = group_fields[block, RANK, group], group_fields[block, SIZE, group]
        low, high, ways = np.int64(start[codes[group], size]), np.int64(start[codes[group], size + 1]), np.int64(0)
        for combination in range(low, high):
            ways += _has_required_of_rank(width, kind, counts, combination, rank, required, column)
        num_sets //= ways
        remaining, combination = index // num_sets, low - 1
        index %= num_sets
        while remaining >= 0:
            combination += 1
            remaining -= _has_required_of_rank(width, kind, counts, combination, rank, required, column)
        for slot in range(width):
            for _ in range(counts[combination, slot]):
                sets[row, num_cards] = kind[rank, slot]
                num_cards += 1
    finish_row(sorted_rows, num_cards, blocks[block, FORM], row, forms, sets)


@device_function
def _search_label(
    move_tables, label, context, leading, allowed, row, kinds, num_required, scratch, max_matches, form, cards
):
    """Search the card sets of a label for those with all required cards.

    Returns:
        Number of such card sets, at most ``most``, or -1 if there are too many card sets to search; row in ``cards`` of
        the last one found; number of card sets in ``cards`` if these are all of the label, else 0.
    """
    first, count, last = np.int64(0), np.int64(0), np.int64(-1)
    size = min(_FIRST_SETS * min(max_matches, np.int64(len(form))), np.int64(len(form)))
    while True:
        window = OutputWindow(first, first + size, first + size, np.int64(0), np.int64(0))
        num_sets = enumerate_label(
            move_tables, label, context, leading, allowed, row, scratch, np.int64(0), window, form, cards
        )
        for move in range(min(num_sets - first, size)):
            if _has_all_required(cards, move, kinds, num_required):
                count, last = count + 1, np.int64(move)
                if count == max_matches:
                    return count, last, np.int64(0)
        if num_sets < first + size:
            return count, last, num_sets if first == 0 else np.int64(0)
        first, size = first + size, np.int64(len(form))
        if first > _MAX_SEARCHED_SETS:
            return np.int64(-1), last, np.int64(0)
