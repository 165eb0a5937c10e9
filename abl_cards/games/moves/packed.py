"""The walk of games where each cell is one kind of card, no suits, no wild cards: the lists of enumerate.py, sooner.

A hand is packed into a number of four bits a cell, so that one subtraction says whether it holds the cards of a form.
Cards lie from low to high. Where the main cards of a form are one piece among its kickers, its sets may come in the
order of their texts: a walk from left to right that tries the letters in their order. Else they come in that of their
kickers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import scale_to_range, splitmix64
from abl_cards.games.description import NO_INDEX, PLAIN
from abl_cards.games.moves.enumerate import ALL_LABELS
from abl_cards.games.moves.move_tables import (
    CARRYING,
    FORM,
    FORM_ROW,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    LABEL,
    MAIN_RANK,
    MODE,
    MoveTables,
)
from abl_cards.games.types import MAX_CARD_SETS, NO_CARD

MAX_PACKED_RANKS, MAX_PACKED_COPIES = 16, 7
_RANK, _SIZE = 0, 1


class PackedTables(NamedTuple):
    """What these kernels know of the rules."""

    blocks: NDArray[np.int64]  # [blocks, fields] by the names below
    main_cards: NDArray[np.uint64]  # [blocks] the main cards as a packed hand
    rows: NDArray[np.uint8]  # [blocks, most] the main cards as in Moves
    allowed: NDArray[np.uint16]  # [carrying, 2, ranks] as in FormBlocks
    label_block: NDArray[np.int64]  # [labels] NO_INDEX for a label without a form
    lists: NDArray[np.int32]  # [contexts, blocks]
    alphabet: NDArray[np.int64]  # [ranks]
    rank_kind: NDArray[np.uint8]  # [ranks]
    guard_bits: np.uint64  # the highest bit of each rank


_LABEL, _FORM, _CARDS, _KICKERS, _KICKER_SIZE, _CARRYING, _JOKERS_APART, _FIRST, _ANSWER = range(9)
"""The last is the lowest rank of the main cards; NO_INDEX where these are no piece of the row."""


class PackedScratch(NamedTuple):
    """What the walks write into."""

    max_groups: NDArray[np.int64]  # [ranks] the most groups of each that can be kickers
    candidate_ranks: NDArray[np.int64]  # [ranks + 1] ranks that can come
    stack: NDArray[np.int64]  # [depth, 5]
    row: NDArray[np.uint8]  # [most] what lies on the table
    kickers: NDArray[np.int64]  # [ranks] cards of each that are carried
    ways: NDArray[np.int64]  # [ranks + 2, kickers + 1]


def build_packed_tables(move_tables: MoveTables, max_copies: int, max_cards: int) -> PackedTables | None:
    """Lay out a book for these kernels; so many copies of a card, cards of a play are the most. None for others."""
    ranks, slots = len(move_tables.slot_kind), int((move_tables.slot_kind >= 0).sum(axis=1).max(initial=0))
    blocks, carrying = move_tables.blocks, move_tables.blocks[:, KICKERS] > 0
    plain = (
        slots == 1
        and (move_tables.slot_acts[:, :, 0] == 1).all()
        and (move_tables.wild_cards[:, :, 0] < 0).all()
        and move_tables.has_sorted_rows
    )
    single = (move_tables.label_blocks[:, 1] - move_tables.label_blocks[:, 0] <= 1).all()
    if not plain or not single or (blocks[:, MODE] != PLAIN).any() or (blocks[:, FORM] < 0).any():
        return None
    kind, main = move_tables.slot_kind[:, 0].astype(np.uint8), _count_main_cards(move_tables)
    loose = (blocks[carrying, MAIN_RANK] == NO_INDEX).any()
    ascending = (kind[1:] > kind[:-1]).all() and (
        move_tables.kicker_rank_order[1:] > move_tables.kicker_rank_order[:-1]
    ).all()
    if ranks > MAX_PACKED_RANKS or max_copies > MAX_PACKED_COPIES or (loose and not ascending):
        return None
    if any(not _has_separate_kickers(move_tables, int(block), main[block]) for block in np.flatnonzero(carrying)):
        return None
    if main.max(initial=0) > MAX_PACKED_COPIES:  # four bits a rank, and the highest one is a guard
        return None
    rows = np.full((len(blocks), max_cards), NO_CARD, np.uint8)
    for block, counts in enumerate(main):
        cards = np.repeat(kind, counts)
        rows[block, : len(cards)] = cards
    first, last = move_tables.label_blocks[:, 0], move_tables.label_blocks[:, 1]
    fields = (
        blocks[:, LABEL], blocks[:, FORM], main.sum(axis=1), blocks[:, KICKERS], blocks[:, KICKER_SIZE],
        blocks[:, CARRYING], blocks[:, JOKERS_APART], np.where(carrying, blocks[:, MAIN_RANK], 0), blocks[:, FORM_ROW],
    )  # fmt: skip
    shifts = 4 * np.arange(ranks).astype(np.uint64)
    return PackedTables(
        np.stack(fields, axis=1).astype(np.int64), (main.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64),
        rows, move_tables.allowed, np.where(first < last, first, NO_INDEX).astype(np.int64), move_tables.block_order,
        move_tables.kicker_rank_order.astype(np.int64), kind, (np.uint64(8) << shifts).sum(dtype=np.uint64),
    )  # fmt: skip


def _count_main_cards(move_tables: MoveTables) -> NDArray[np.int64]:
    """[blocks, ranks] the main cards of each."""
    counts = np.zeros((len(move_tables.blocks), len(move_tables.slot_kind)), np.int64)
    for block, groups in enumerate(move_tables.blocks[:, GROUPS]):
        for place in range(groups):
            counts[block, move_tables.group_fields[block, _RANK, place]] += move_tables.group_fields[
                block, _SIZE, place
            ]
    return counts


def _has_separate_kickers(move_tables: MoveTables, block: int, main: NDArray[np.int64]) -> bool:
    """Whether no kicker lies among the main cards, or, where these are no piece of the row, is of their ranks."""
    own = np.flatnonzero(main)
    kickers = np.flatnonzero(move_tables.allowed[move_tables.blocks[block, CARRYING]].any(axis=0))
    if move_tables.blocks[block, MAIN_RANK] == NO_INDEX:
        return not np.isin(kickers, own).any()
    lowest = int(move_tables.blocks[block, MAIN_RANK]) == own.min()
    return lowest and not ((kickers >= own.min()) & (kickers <= own.max())).any()


@njit(cache=True, nogil=True)
def new_packed_scratch(ranks, max_cards, max_kickers):
    """Room for walks through the forms of a game."""
    return PackedScratch(
        np.zeros(ranks, np.int64), np.zeros(ranks + 1, np.int64), np.zeros((max_kickers + 3, 5), np.int64),
        np.full(max_cards, NO_CARD, np.uint8), np.zeros(ranks, np.int64),
        np.zeros((ranks + 2, max_kickers + 2), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _pack_hand(hands, i, kind):
    key = np.uint64(0)
    for rank in range(len(kind)):
        key |= np.uint64(hands[i, kind[rank]]) << np.uint64(4 * rank)
    return key


@njit(cache=True, nogil=True, inline="always")
def _fill_max_groups(allowed, carrying, leading, size, key, caps):
    """Fill caps [ranks] with the most groups of each rank that can be kickers; returns their sum."""
    total = np.int64(0)
    for rank in range(len(caps)):
        bits, caps[rank] = np.int64(allowed[carrying, leading, rank]), 0
        if bits:
            groups = np.int64((key >> np.uint64(4 * rank)) & np.uint64(15)) // size
            while groups > 0 and not (bits >> groups) & 1:
                groups -= 1
            caps[rank] = groups
            total += groups
    return total


@njit(cache=True, nogil=True, inline="always")
def _fill_candidate_ranks(alphabet, first, caps, letters):
    """The ranks that can come in the cards, in the order of their letters; returns how many there are."""
    count = np.int64(0)
    for place in range(len(alphabet)):
        rank = alphabet[place]
        if rank == first or caps[rank]:
            letters[count] = rank
            count += 1
    return count


@njit(cache=True, nogil=True, inline="always")
def _copy_main_cards(rows, block, cards, at):
    for place in range(cards.shape[1]):
        cards[at, place] = rows[block, place]


@njit(cache=True, nogil=True, inline="always")
def _write_with_one_kicker(rows, block, main, low, card, size, cards, at):
    """The main cards with one kicker before them, or behind."""
    for place in range(cards.shape[1]):
        cards[at, place] = NO_CARD
    for place in range(main):
        cards[at, place + (size if low else 0)] = rows[block, place]
    for place in range(size):
        cards[at, place + (0 if low else main)] = card


@njit(cache=True, nogil=True)
def _enumerate_one_kicker(packed, block, scratch, num_sets, form, cards):
    """The card sets of a form with one kicker: most of a list; returns the number after the last."""
    rows, caps, letters, kind = packed.rows, scratch.max_groups, scratch.candidate_ranks, packed.rank_kind
    fields = packed.blocks[block]
    main, size, first, index = fields[_CARDS], fields[_KICKER_SIZE], fields[_FIRST], fields[_FORM]
    count, end = _fill_candidate_ranks(packed.alphabet, first, caps, letters), len(form)
    for letter in range(count):
        rank = letters[letter]
        if rank < first:
            if num_sets < end:
                form[num_sets] = index
                _write_with_one_kicker(rows, block, main, True, kind[rank], size, cards, num_sets)
            num_sets += 1
        elif rank == first:
            for other in range(count):
                if letters[other] > first:
                    if num_sets < end:
                        form[num_sets] = index
                        _write_with_one_kicker(rows, block, main, False, kind[letters[other]], size, cards, num_sets)
                    num_sets += 1
    return num_sets


@njit(cache=True, nogil=True)
def _enumerate_block(packed, block, leading, scratch, num_sets, end, stop, form, cards):
    """Lay down the card sets of a form with kickers; returns the number after the last.

    Goes no further than to number stop; writes those that lie before row end.
    """
    rows, caps, letters, stack, laid, kind = (
        packed.rows,
        scratch.max_groups,
        scratch.candidate_ranks,
        scratch.stack,
        scratch.row,
        packed.rank_kind,
    )
    fields, allowed = packed.blocks[block], packed.allowed
    main, size, first, index = fields[_CARDS], fields[_KICKER_SIZE], fields[_FIRST], fields[_FORM]
    groups, apart, row, highest = fields[_KICKERS], fields[_JOKERS_APART], fields[_CARRYING], len(kind) - 1
    count = _fill_candidate_ranks(packed.alphabet, first, caps, letters)
    laid[:] = NO_CARD
    depth = np.int64(0)
    # By depth: next letter to try, rank of the last kicker, how often it came, whether the main cards lie, cards.
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, -1, 0, 0, 0
    while depth >= 0 and num_sets < stop:
        letter = stack[depth, 0]
        if letter == count:
            depth -= 1
            continue
        stack[depth, 0] = letter + 1
        rank, before, again, lies, filled = (
            letters[letter], stack[depth, 1], stack[depth, 2], stack[depth, 3], stack[depth, 4],
        )  # fmt: skip
        if rank == first:
            if lies or before > first:
                continue
            next_rank, next_again, next_lies = before, again, np.int64(1)
            for place in range(main):
                laid[filled + place] = rows[block, place]
            filled += main
        else:
            if rank < before or depth - lies == groups or (rank > first) != (lies == 1):
                continue
            next_again = again + 1 if rank == before else np.int64(1)
            if next_again > caps[rank] or (apart and rank == highest and before == highest - 1):
                continue
            if rank != before and before >= 0 and not (allowed[row, leading, before] >> again) & 1:
                continue
            next_rank, next_lies = rank, lies
            for place in range(size):
                laid[filled + place] = kind[rank]
            filled += size
        if depth < groups:
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 0, next_rank, next_again
            stack[depth, 3], stack[depth, 4] = next_lies, filled
        elif next_lies and (next_rank < 0 or (allowed[row, leading, next_rank] >> next_again) & 1):
            if num_sets < end:
                form[num_sets] = index
                for place in range(cards.shape[1]):
                    cards[num_sets, place] = laid[place]
            num_sets += 1
    return num_sets


@njit(cache=True, nogil=True)
def _enumerate_block_by_kickers(packed, block, leading, scratch, num_sets, end, stop, form, cards):
    """The same for kickers that lie wherever they belong among the main cards, in the order of the kickers."""
    caps, letters, stack, kind, carried = (
        scratch.max_groups,
        scratch.candidate_ranks,
        scratch.stack,
        packed.rank_kind,
        scratch.kickers,
    )
    fields, allowed, main = packed.blocks[block], packed.allowed, packed.main_cards[block]
    size, index, groups, apart = fields[_KICKER_SIZE], fields[_FORM], fields[_KICKERS], fields[_JOKERS_APART]
    row, highest = fields[_CARRYING], len(kind) - 1
    count, carried[:] = _fill_candidate_ranks(packed.alphabet, np.int64(NO_INDEX), caps, letters), 0
    depth = np.int64(0)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, -1, 0  # by depth: next letter to try, last kicker, how often it came
    while depth >= 0 and num_sets < stop:
        letter = stack[depth, 0]
        if letter == count:
            depth -= 1
            if depth >= 0:
                carried[letters[stack[depth, 0] - 1]] -= size
            continue
        stack[depth, 0] = letter + 1
        rank, before, again = letters[letter], stack[depth, 1], stack[depth, 2]
        next_again = again + 1 if rank == before else np.int64(1)
        if next_again > caps[rank] or (apart and rank == highest and before == highest - 1):
            continue
        if rank != before and before >= 0 and not (allowed[row, leading, before] >> again) & 1:
            continue
        if depth < groups - 1:
            carried[rank] += size
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = letter, rank, next_again
        elif (allowed[row, leading, rank] >> next_again) & 1:
            if num_sets < end:
                form[num_sets] = index
                carried[rank] += size
                _write_sorted_cards(main, carried, kind, cards, num_sets)
                carried[rank] -= size
            num_sets += 1
    return num_sets


@njit(cache=True, nogil=True, inline="always")
def _write_sorted_cards(main, carried, kind, cards, at):
    """Write main cards, packed, and so many kickers of each rank from low to high."""
    filled = 0
    for rank in range(len(kind)):
        for _ in range(np.int64((main >> np.uint64(4 * rank)) & np.uint64(15)) + carried[rank]):
            cards[at, filled] = kind[rank]
            filled += 1
    for place in range(filled, cards.shape[1]):
        cards[at, place] = NO_CARD


@njit(cache=True, nogil=True)
def enumerate_packed_moves(
    packed, hands, context, leading, labels, legal, allowed, lo, hi, start, form, cards, scratch
):
    """All card sets of decisions lo..hi-1 in the order of lists, or of a label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are. A decision of more than
    MAX_CARD_SETS is walked little further than that.
    """
    lists, blocks, main, rows, tops, kind = (
        packed.lists,
        packed.blocks,
        packed.main_cards,
        packed.rows,
        packed.guard_bits,
        packed.rank_kind,
    )
    carrying, caps, end = packed.allowed, scratch.max_groups, np.int64(form.shape[0])
    seen, count = np.int64(start[lo]), lists.shape[1]
    for i in range(lo, hi):
        stop = seen + MAX_CARD_SETS + 1
        key, wanted, ctx, how = (
            _pack_hand(hands, i, kind),
            np.int64(labels[i]),
            np.int64(context[i]),
            np.int64(leading[i]),
        )
        for place in range(count):
            block = np.int64(lists[ctx, place])
            label = blocks[block, _LABEL]
            if seen >= stop or not legal[label, i] or (wanted != ALL_LABELS and wanted != label):
                continue
            if not allowed[blocks[block, _ANSWER], i] or ((key | tops) - main[block]) & tops != tops:
                continue
            kickers = blocks[block, _KICKERS]
            if kickers == 0:
                if seen < end:
                    form[seen] = blocks[block, _FORM]
                    _copy_main_cards(rows, block, cards, seen)
                seen += 1
                continue
            total = _fill_max_groups(carrying, blocks[block, _CARRYING], how, blocks[block, _KICKER_SIZE], key, caps)
            if total < kickers:
                continue
            if blocks[block, _FIRST] < 0:
                seen = _enumerate_block_by_kickers(packed, block, how, scratch, seen, end, stop, form, cards)
            elif kickers == 1:
                seen = _enumerate_one_kicker(packed, block, scratch, seen, form, cards)
            else:
                seen = _enumerate_block(packed, block, how, scratch, seen, end, stop, form, cards)
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def sample_packed_moves(packed, hands, leading, labels, allowed, keys, lo, hi, form, cards, scratch, num_found):
    """One card set of one label a decision, for decisions lo..hi-1: a random one, or the first without keys.

    ``num_found`` [n] is how many there are to choose from; 0 where the label turns out to have none.
    """
    blocks, main, rows, tops, kind, block_of = (
        packed.blocks,
        packed.main_cards,
        packed.rows,
        packed.guard_bits,
        packed.rank_kind,
        packed.label_block,
    )
    carrying, caps, ways, carried = packed.allowed, scratch.max_groups, scratch.ways, scratch.kickers
    for i in range(lo, hi):
        num_found[i] = 0
        block = block_of[labels[i]] if 0 <= labels[i] < len(block_of) else np.int64(NO_INDEX)
        if block < 0 or not allowed[blocks[block, _ANSWER], i]:
            continue
        key = _pack_hand(hands, i, kind)
        if ((key | tops) - main[block]) & tops != tops:
            continue
        kickers, size, row = blocks[block, _KICKERS], blocks[block, _KICKER_SIZE], blocks[block, _CARRYING]
        form[i] = blocks[block, _FORM]
        if kickers == 0:
            num_found[i] = 1
            _copy_main_cards(rows, block, cards, i)
            continue
        total = _fill_max_groups(carrying, row, np.int64(leading[i]), size, key, caps)
        loose, here, how = blocks[block, _FIRST] < 0, np.int64(i), np.int64(leading[i])
        if len(keys) == 0:
            if loose:
                num_found[i] = (
                    _enumerate_block_by_kickers(packed, block, how, scratch, here, hi, here + 1, form, cards) - i
                )
            else:
                num_found[i] = _enumerate_block(packed, block, how, scratch, here, hi, here + 1, form, cards) - i
            continue
        apart = blocks[block, _JOKERS_APART] != 0
        if kickers > 1:
            total = _count_kickers(carrying, row, leading[i], kickers, apart, caps, ways)
        if total == 0:
            continue
        num_found[i] = total
        lot = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(total)))
        for rank in range(len(caps)):
            carried[rank] = 0
        if kickers == 1:
            carried[_nth_kicker_rank(caps, lot)] = size
        else:
            _fill_nth_kickers(carrying, row, leading[i], kickers, apart, size, caps, ways, lot, carried)
        if loose:
            _write_sorted_cards(main[block], carried, kind, cards, i)
        else:
            _write_merged_cards(rows, block, blocks[block, _CARDS], blocks[block, _FIRST], kind, carried, cards, i)


@njit(cache=True, nogil=True, inline="always")
def _nth_kicker_rank(caps, number):
    """The rank of the kicker of a number, from the low ranks on."""
    rank = 0
    while caps[rank] == 0 or number > 0:
        if caps[rank]:
            number -= 1
        rank += 1
    return rank


@njit(cache=True, nogil=True, inline="always")
def _write_merged_cards(rows, block, main, first, kind, kickers, cards, at):
    """Write the main cards and so many kickers of each rank from low to high."""
    filled = 0
    for rank in range(len(kind)):
        if rank == first:
            for place in range(main):
                cards[at, filled] = rows[block, place]
                filled += 1
        for _ in range(kickers[rank]):
            cards[at, filled] = kind[rank]
            filled += 1
    for place in range(filled, cards.shape[1]):
        cards[at, place] = NO_CARD


@njit(cache=True, nogil=True)
def _count_kickers(allowed, row, leading, groups, apart, caps, ways):
    """Fill ways [rank, n]: how many ways there are to take n groups of the ranks from this one on; returns all."""
    ranks = len(caps)
    for n in range(groups + 1):
        ways[ranks, n] = 0
    ways[ranks, 0] = 1
    for rank in range(ranks - 1, -1, -1):
        skip = 2 if apart and rank == ranks - 2 else 1  # the small joker takes no big one along
        for n in range(groups + 1):
            total = ways[rank + 1, n]
            for k in range(1, min(n, caps[rank]) + 1):
                if (allowed[row, leading, rank] >> k) & 1:
                    total += ways[rank + skip, n - k]
            ways[rank, n] = total
    return ways[0, groups]


@njit(cache=True, nogil=True)
def _fill_nth_kickers(allowed, row, leading, groups, apart, size, caps, ways, rest, kickers):
    """Fill kickers [ranks], zero so far, with the cards of a number."""
    rank, n, ranks = np.int64(0), groups, len(caps)
    while n > 0:
        if rest < ways[rank + 1, n]:
            rank += 1
            continue
        rest -= ways[rank + 1, n]
        skip = 2 if apart and rank == ranks - 2 else 1
        for k in range(1, min(n, caps[rank]) + 1):
            if (allowed[row, leading, rank] >> k) & 1:
                if rest < ways[rank + skip, n - k]:
                    kickers[rank] = k * size
                    n -= k
                    rank += skip
                    break
                rest -= ways[rank + skip, n - k]
