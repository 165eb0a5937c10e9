"""Cards that must be among those laid down: which card sets hold them, and which labels have such a card set."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import scale_to_range
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
)
from abl_cards.games.types import MoveLists


def label_reach(move_tables: MoveTables, num_kinds: int) -> NDArray[np.float32]:
    """[labels, kinds] 1 where a card set of the label can have such a card among its cards, by what its groups are."""
    found = np.zeros((len(move_tables.label_blocks), num_kinds), np.float32)
    stand_ins = move_tables.wild_cards[:, :, 0]
    for label, (first, last) in enumerate(move_tables.label_blocks):
        for block in range(first, last):
            if move_tables.blocks[block, KICKERS] or move_tables.blocks[block, MODE] != PLAIN:
                found[label] = 1
                continue
            found[label, stand_ins[stand_ins >= 0]] = 1
            for group in range(move_tables.blocks[block, GROUPS]):
                cards, slot = (
                    move_tables.slot_kind[move_tables.group_fields[block, RANK, group]],
                    move_tables.group_fields[block, ONLY, group],
                )
                cards = cards if slot < 0 else cards[slot : slot + 1]
                found[label, cards[cards >= 0]] = 1
    return found


def can_reach_all(reach: NDArray[np.float32], required: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[labels, n] whether a label can have all wanted cards [kinds, n] among its cards, if the hand allows it."""
    there: NDArray[np.bool_] = reach @ required.astype(np.float32) >= required.sum(axis=0)
    return there


def filter_labels(
    legal: NDArray[np.uint8], lists: MoveLists, label_of: NDArray[np.int16], required: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> None:  # fmt: skip
    """Of the legal labels [labels, n] of some rows [m], leave those with a card set of all wanted cards [kinds, m].

    The lists are those of these rows and hold every card set. A column of the mask is spread over memory: it is read
    where there are card sets, and nowhere else.
    """
    _filter_labels(legal, *lists, label_of, required, rows)


def filter_card_sets(lists: MoveLists, required: NDArray[np.uint8], rows: NDArray[np.int64]) -> MoveLists:
    """Of the card sets of some rows those with all wanted cards [kinds, n]; all card sets of the others."""
    kept = np.ones(len(lists.form), np.bool_)
    _filter_card_sets(lists.start, lists.cards, required, rows, kept)
    start = np.concatenate([[0], kept.cumsum()])[lists.start]
    return MoveLists(start, lists.form[kept], lists.cards[kept])


@njit(cache=True, nogil=True)
def _count_missing(cards, move, required, column):
    """Count the cards of a column of required [kinds, any] that a card set lacks."""
    lacking = 0
    for kind in range(required.shape[0]):
        if required[kind, column]:
            lacking += 1
            for place in range(cards.shape[1]):
                if cards[move, place] == kind:
                    lacking -= 1
                    break
    return lacking


@njit(cache=True, nogil=True)
def _filter_card_sets(start, cards, required, rows, kept):
    for row in rows:
        for move in range(start[row], start[row + 1]):
            kept[move] = _count_missing(cards, move, required, row) == 0


@njit(cache=True, nogil=True)
def _filter_labels(legal, start, form, cards, label_of, required, rows):
    there = np.zeros(legal.shape[0], np.bool_)
    for place in range(len(rows)):
        row, moves = rows[place], range(start[place], start[place + 1])
        for move in moves:
            label = label_of[form[move]]
            there[label] = there[label] or _count_missing(cards, move, required, place) == 0
        for move in moves:
            label = label_of[form[move]]
            if not there[label]:
                legal[label, row] = 0
        for move in moves:
            there[label_of[form[move]]] = False


SCRATCH_SETS, _FIRST_SETS = 64, 4
"""Card sets laid out before it is looked which of them hold the wanted cards; of the first few one mostly does."""
_MAX_SEARCHED_SETS = 1 << 12
"""Card sets of a label that are looked through so, each lot from the first on; of more a list is better."""


@njit(cache=True, nogil=True)
def drop_unreachable_labels(
    move_tables, hands, context, leading, answers, reach, rows, required, lo, hi, scratch, form, cards, is_unsure
):
    """Of the legal labels of decisions rows[lo:hi], leave those with a card set of all wanted cards [kinds, m].

    is_unsure [m] is set where a label has too many card sets to look through them here. Answers [any, n] begin with the
    labels; reach [labels, kinds] as in `label_reach`. Labels are walked no further than to the first such set; form and
    cards are room for some sets.
    """
    one, last, labels = np.int64(1), np.int64(-1), len(reach)
    width, base, label_blocks, blocks = (
        len(move_tables.slot_range),
        move_tables.pattern_base,
        move_tables.label_blocks,
        move_tables.blocks,
    )
    kind, acting, wild, start, counts = (
        move_tables.slot_kind,
        move_tables.slot_acts,
        move_tables.wild_cards,
        move_tables.pattern_start,
        move_tables.combination_counts,
    )
    stand_ins, codes, parts = move_tables.num_wild_kinds, scratch.walk_state[ROW], move_tables.group_fields
    mine, kept = np.empty(len(required), np.int64), np.empty((hi - lo, labels), np.uint8)
    for label in range(labels):  # label by label, as they lie in memory
        for place in range(lo, hi):
            kept[place - lo, label] = answers[label, rows[place]]
    for place in range(lo, hi):
        row, legal = np.int64(rows[place]), kept[place - lo]
        ctx, how, taken, count = (
            np.int64(context[row]),
            np.int64(leading[row]),
            last,
            _list_required(required, place, mine),
        )
        for each in range(labels):
            if not legal[each]:
                continue
            holds, label = True, np.int64(each)
            for nth in range(count):
                holds = holds and reach[label, mine[nth]] != 0
            if holds:
                block = _plain_block(label_blocks, blocks, parts, stand_ins, wild, ctx, hands, row, label)
                if block >= 0:
                    ways = _count_plain_sets(
                        width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, ctx, hands, row,
                        required, place, count, codes,
                    )  # fmt: skip
                    holds = answers[blocks[block, FORM_ROW], row] and ways > 0
                else:
                    if taken != row:
                        load_hand(move_tables, ctx, hands[row], scratch)
                        taken = row
                    found = _search_label(
                        move_tables, label, ctx, how, answers, row, mine, count, scratch, one, form, cards
                    )[0]
                    holds, is_unsure[place] = found != 0, is_unsure[place] or found < 0
            legal[label] = not holds
        for label in range(labels):
            if legal[label]:
                answers[label, row] = 0


@njit(cache=True, nogil=True)
def sample_required_sets(
    move_tables, hands, context, leading, labels, legal, allowed, keys, rows, required, lo, hi, scratch, form, cards,
    forms, sets, num_found
):  # fmt: skip
    """Lay down a card set with all wanted cards [kinds, m] of a label [m] each, for decisions rows[lo:hi].

    One by chance by keys [n], the first where there are none. It goes to forms [n] and sets [n, most]; num_found [n] is
    how many there are, none where the label is not legal, -1 where the label has too many card sets to look through
    them here. Form and cards are room for some sets.
    """
    every, mine = np.int64(NO_LIMIT), np.empty(len(required), np.int64)
    width, base, label_blocks, blocks = (
        len(move_tables.slot_range),
        move_tables.pattern_base,
        move_tables.label_blocks,
        move_tables.blocks,
    )
    kind, acting, wild, start, counts = (
        move_tables.slot_kind,
        move_tables.slot_acts,
        move_tables.wild_cards,
        move_tables.pattern_start,
        move_tables.combination_counts,
    )
    stand_ins, codes, parts, sorted_rows = (
        move_tables.num_wild_kinds,
        scratch.walk_state[ROW],
        move_tables.group_fields,
        move_tables.has_sorted_rows,
    )
    for place in range(lo, hi):
        row, label, many = np.int64(rows[place]), np.int64(labels[place]), _list_required(required, place, mine)
        ctx, how, laid = np.int64(context[row]), np.int64(leading[row]), np.int64(0)
        num_found[row] = 0
        if not 0 <= label < len(legal) or not legal[label, row]:
            continue
        block = _plain_block(label_blocks, blocks, parts, stand_ins, wild, ctx, hands, row, label)
        if block < 0:
            load_hand(move_tables, ctx, hands[row], scratch)
            count, _, laid = _search_label(
                move_tables, label, ctx, how, allowed, row, mine, many, scratch, every, form, cards
            )
        elif not allowed[blocks[block, FORM_ROW], row]:
            continue
        else:
            count = _count_plain_sets(
                width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, ctx, hands, row, required,
                place, many, codes,
            )  # fmt: skip
        num_found[row] = count
        if count <= 0:
            continue
        pick = np.int64(scale_to_range(keys[row], np.uint64(count))) if len(keys) > 0 else np.int64(0)
        if block < 0:
            if laid > 0:
                at = _nth_matching_set(cards, laid, mine, many, pick)
            else:
                at = _search_label(
                    move_tables, label, ctx, how, allowed, row, mine, many, scratch, pick + 1, form, cards
                )[1]
            forms[row] = form[at]
            sets[row] = cards[at]
        else:
            _write_nth_plain_set(
                width, sorted_rows, kind, start, counts, blocks, parts, block, required, place, codes, pick, count, row,
                forms, sets,
            )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _list_required(required, place, kinds):
    """Write down the cards wanted at a place; returns how many there are."""
    count = 0
    for kind in range(len(required)):
        if required[kind, place]:
            kinds[count] = kind
            count += 1
    return count


@njit(cache=True, nogil=True, inline="always")
def _has_all_required(cards, move, kinds, count):
    """Whether a card set has all of so many cards."""
    there = True
    for nth in range(count):
        found = False
        for place in range(cards.shape[1]):
            found = found or cards[move, place] == kinds[nth]
        there = there and found
    return there


@njit(cache=True, nogil=True)
def _nth_matching_set(cards, num_sets, kinds, count, number):
    """Which of so many card sets is the one of a number among those with all wanted cards."""
    for move in range(num_sets):
        if _has_all_required(cards, move, kinds, count):
            if number == 0:
                return np.int64(move)
            number -= 1
    return np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _plain_block(label_blocks, blocks, parts, stand_ins, wild, context, hands, row, label):
    """The block of a label whose card sets are all the ways to choose each group by itself, of ranks that differ.

    -1 for another label, and where a wild card is held.
    """
    block = np.int64(label_blocks[label, 0])
    plain = label_blocks[label, 1] - block == 1 and blocks[block, MODE] == PLAIN and not blocks[block, KICKERS]
    for place in range(stand_ins):
        plain = plain and (wild[context, place, 0] < 0 or hands[row, wild[context, place, 0]] == 0)
    if plain:
        for group in range(1, blocks[block, GROUPS]):
            plain = plain and parts[block, RANK, group] > parts[block, RANK, group - 1]
    return block if plain else np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _count_plain_sets(
    width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, context, hands, row, required, place,
    num_required, codes,
):  # fmt: skip
    """How many card sets of such a block hold all, so many, wanted cards; writes the pattern of each group to codes."""
    total, first, lacking = np.int64(1), np.int64(1), np.int64(num_required)
    for _ in range(stand_ins):
        first *= base
    for group in range(blocks[block, GROUPS]):
        rank, size, only = parts[block, RANK, group], parts[block, SIZE, group], parts[block, ONLY, group]
        code, weight = np.int64(0), first
        for slot in range(width):
            card = kind[rank, slot]
            if card >= 0:
                lacking -= required[card, place] != 0
                if only < 0 or only == slot:
                    code += weight * np.int64(hands[row, card] * acting[context, rank, slot])
            weight *= base
        codes[group], ways = code, np.int64(0)
        for each in range(start[code, size], start[code, size + 1]):
            ways += _has_required_of_rank(width, kind, counts, each, rank, required, place)
        total *= ways
    return total if lacking == 0 else np.int64(0)


@njit(cache=True, nogil=True, inline="always")
def _has_required_of_rank(width, kind, counts, row, rank, required, place):
    """Whether a combination of cards of a rank has those that are wanted of it."""
    holds = True
    for slot in range(width):
        card = kind[rank, slot]
        if card >= 0 and required[card, place] and counts[row, slot] == 0:
            holds = False
    return holds


@njit(cache=True, nogil=True, inline="always")
def _write_nth_plain_set(
    width, sorted_rows, kind, start, counts, blocks, parts, block, required, place, codes, number, left, row, forms,
    sets
):  # fmt: skip
    """Lay down the card set of a number, of so many; the last group changes first."""
    filled = np.int64(0)
    for group in range(blocks[block, GROUPS]):
        rank, size = parts[block, RANK, group], parts[block, SIZE, group]
        low, high, ways = np.int64(start[codes[group], size]), np.int64(start[codes[group], size + 1]), np.int64(0)
        for each in range(low, high):
            ways += _has_required_of_rank(width, kind, counts, each, rank, required, place)
        left //= ways
        nth, each = number // left, low - 1
        number %= left
        while nth >= 0:
            each += 1
            nth -= _has_required_of_rank(width, kind, counts, each, rank, required, place)
        for slot in range(width):
            for _ in range(counts[each, slot]):
                sets[row, filled] = kind[rank, slot]
                filled += 1
    finish_row(sorted_rows, filled, blocks[block, FORM], row, forms, sets)


@njit(cache=True, nogil=True)
def _search_label(move_tables, label, context, leading, allowed, row, kinds, num_required, scratch, most, form, cards):
    """How many card sets of a label hold so many wanted cards, up to a number, and where in cards the last of them is.

    -1 where too many would have to be looked through. At last how many card sets lie in cards, where that is all of
    them, else 0.
    """
    first, count, last = np.int64(0), np.int64(0), np.int64(-1)
    size = min(
        _FIRST_SETS * min(most, np.int64(len(form))), np.int64(len(form))
    )  # more are worth it where more are asked for
    while True:
        window = OutputWindow(first, first + size, first + size, np.int64(0))
        seen = enumerate_label(
            move_tables, label, context, leading, allowed, row, scratch, np.int64(0), window, form, cards
        )
        for move in range(min(seen - first, size)):
            if _has_all_required(cards, move, kinds, num_required):
                count, last = count + 1, np.int64(move)
                if count == most:
                    return count, last, np.int64(0)
        if seen < first + size:
            return count, last, seen if first == 0 else np.int64(0)
        first, size = first + size, np.int64(len(form))
        if first > _MAX_SEARCHED_SETS:
            return np.int64(-1), last, np.int64(0)
