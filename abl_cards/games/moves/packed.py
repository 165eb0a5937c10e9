"""Faster move generation for games in which each cell is one kind of card, without suits and wild cards.

The lists are those of ``enumerate.py``. A hand is packed into a number with four bits for each rank, so that one
subtraction decides whether it holds the cards of a form. Cards are sorted from low to high. If the main cards of a form
are contiguous in a card set with kickers, card sets come in lexicographic order of ``kicker_rank_order``; otherwise in
the order of their kickers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel
from abl_cards.games.description import NO_INDEX, PLAIN
from abl_cards.games.moves.enumerate import ALL_LABELS
from abl_cards.games.moves.move_tables import (
    CARRYING,
    EXCLUDED,
    EXCLUDED_END,
    FORM,
    FORM_ROW,
    GROUPS,
    JOKERS_APART,
    KICKER_SIZE,
    KICKERS,
    LABEL,
    MAIN_RANK,
    MODE,
    OWN_KICKERS,
    MoveTables,
)
from abl_cards.games.types import NO_CARD

MAX_PACKED_RANKS, MAX_PACKED_COPIES = 16, 7
_RANK, _SIZE = 0, 1


class PackedTables(NamedTuple):
    """Forms and cards of a game as arrays for the packed kernels."""

    blocks: NDArray[np.int64]  # [blocks, fields] indexed by _LABEL, _FORM, ...
    main_cards: NDArray[np.uint64]  # [blocks] the main cards as a packed hand
    rows: NDArray[np.uint8]  # [blocks, max cards] the main cards as in Moves
    allowed: NDArray[np.uint16]  # [carrying, 2, ranks] as in FormBlocks
    block_order: NDArray[np.int32]  # [contexts, blocks] blocks in the order of move lists
    kicker_rank_order: NDArray[np.int64]  # [ranks] order in which ranks are tried
    rank_kind: NDArray[np.uint8]  # [ranks] kind of card of each rank
    guard_bits: np.uint64  # highest bit of each rank


_LABEL, _FORM, _CARDS, _KICKERS, _KICKER_SIZE, _CARRYING, _JOKERS_APART, _FIRST, _OUTPUT_ROW = range(9)
"""Fields of ``PackedTables.blocks``.

``_FIRST``: lowest rank of the main cards, NO_INDEX if these are not contiguous in a card set with kickers.
``_OUTPUT_ROW``: row of the circuit outputs that holds whether the form is allowed.
"""


class PackedScratch(NamedTuple):
    """Buffers of the packed kernels; a thread needs its own."""

    max_groups: NDArray[np.int64]  # [ranks] the most groups of each rank that can be kickers
    candidate_ranks: NDArray[np.int64]  # [ranks + 1] ranks that can occur
    stack: NDArray[np.int64]  # [depth, 5] search state
    row: NDArray[np.uint8]  # [max cards] cards of the current card set
    kickers: NDArray[np.int64]  # [ranks] kicker cards of each rank


def build_packed_tables(move_tables: MoveTables, max_copies: int, max_cards: int) -> PackedTables | None:
    """Build the tables of the packed kernels.

    Args:
        move_tables: Tables of the game.
        max_copies: Most copies of a kind of card.
        max_cards: Most cards of a form.

    Returns:
        The tables; None if the game has suits, wild cards or other forms that these kernels cannot enumerate.
    """
    ranks, slots = len(move_tables.slot_kind), int((move_tables.slot_kind >= 0).sum(axis=1).max(initial=0))
    blocks, has_kickers = move_tables.blocks, move_tables.blocks[:, KICKERS] > 0
    is_plain = (
        slots == 1
        and (move_tables.slot_acts[:, :, 0] == 1).all()
        and (move_tables.wild_cards[:, :, 0] < 0).all()
        and move_tables.has_sorted_rows
    )
    has_single_blocks = (move_tables.label_blocks[:, 1] - move_tables.label_blocks[:, 0] <= 1).all()
    excludes_none = blocks[:, EXCLUDED] == blocks[:, EXCLUDED_END]
    has_single_sets = (blocks[:, MODE] == PLAIN) & (blocks[:, FORM] >= 0) & excludes_none
    if not is_plain or not has_single_blocks or not has_single_sets.all():
        return None
    rank_kind, main_counts = move_tables.slot_kind[:, 0].astype(np.uint8), _count_main_cards(move_tables)
    has_split_main = (blocks[has_kickers, MAIN_RANK] == NO_INDEX).any()
    ascending = (rank_kind[1:] > rank_kind[:-1]).all() and (
        move_tables.kicker_rank_order[1:] > move_tables.kicker_rank_order[:-1]
    ).all()
    if ranks > MAX_PACKED_RANKS or max_copies > MAX_PACKED_COPIES or (has_split_main and not ascending):
        return None
    if any(
        not _has_separate_kickers(move_tables, int(block), main_counts[block]) for block in np.flatnonzero(has_kickers)
    ):
        return None
    if main_counts.max(initial=0) > MAX_PACKED_COPIES:  # four bits a rank, and the highest one is a guard
        return None
    rows = np.full((len(blocks), max_cards), NO_CARD, np.uint8)
    for block, counts in enumerate(main_counts):
        cards = np.repeat(rank_kind, counts)
        rows[block, : len(cards)] = cards
    fields = (
        blocks[:, LABEL], blocks[:, FORM], main_counts.sum(axis=1), blocks[:, KICKERS], blocks[:, KICKER_SIZE],
        blocks[:, CARRYING], blocks[:, JOKERS_APART], np.where(has_kickers, blocks[:, MAIN_RANK], 0),
        blocks[:, FORM_ROW],
    )  # fmt: skip
    shifts = 4 * np.arange(ranks).astype(np.uint64)
    return PackedTables(
        np.stack(fields, axis=1).astype(np.int64),
        (main_counts.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64), rows, move_tables.allowed,
        move_tables.block_order,
        move_tables.kicker_rank_order.astype(np.int64), rank_kind, (np.uint64(8) << shifts).sum(dtype=np.uint64),
    )  # fmt: skip


def _count_main_cards(move_tables: MoveTables) -> NDArray[np.int64]:
    """Count the main cards [blocks, ranks] of each block."""
    counts = np.zeros((len(move_tables.blocks), len(move_tables.slot_kind)), np.int64)
    for block, groups in enumerate(move_tables.blocks[:, GROUPS]):
        for group in range(groups):
            counts[block, move_tables.group_fields[block, _RANK, group]] += move_tables.group_fields[
                block, _SIZE, group
            ]
    return counts


def _has_separate_kickers(move_tables: MoveTables, block: int, main: NDArray[np.int64]) -> bool:
    """Return True if the ranks of kickers suit these kernels.

    Contiguous main cards need kickers of lower or higher ranks only; other main cards need kickers of other ranks,
    unless each rank has one group and its kickers are counted with it.
    """
    if move_tables.blocks[block, OWN_KICKERS]:
        return True
    main_ranks = np.flatnonzero(main)
    kickers = np.flatnonzero(move_tables.allowed[move_tables.blocks[block, CARRYING]].any(axis=0))
    if move_tables.blocks[block, MAIN_RANK] == NO_INDEX:
        return not np.isin(kickers, main_ranks).any()
    lowest = int(move_tables.blocks[block, MAIN_RANK]) == main_ranks.min()
    return lowest and not ((kickers >= main_ranks.min()) & (kickers <= main_ranks.max())).any()


@kernel
def new_packed_scratch(ranks, max_cards, max_kickers):
    """Allocate buffers.

    Args:
        ranks: Number of ranks of the game.
        max_cards: Most cards of a form.
        max_kickers: Most groups of kickers of a form.

    Returns:
        A ``PackedScratch``.
    """
    return PackedScratch(
        np.zeros(ranks, np.int64), np.zeros(ranks + 1, np.int64), np.zeros((max_kickers + 3, 5), np.int64),
        np.full(max_cards, NO_CARD, np.uint8), np.zeros(ranks, np.int64),
    )  # fmt: skip


@device_function
def _pack_hand(hands, i, kind):
    """Return hand i as a number with four bits for each rank."""
    key = np.uint64(0)
    for rank in range(len(kind)):
        key |= np.uint64(hands[i, kind[rank]]) << np.uint64(4 * rank)
    return key


@device_function
def _fill_max_groups(allowed, carrying, leading, size, key, caps):
    """Fill ``caps`` [ranks] with the most groups of each rank of a hand that can be kickers; return their sum."""
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


@device_function
def _fill_candidate_ranks(alphabet, first, caps, letters):
    """Fill ``letters`` with the ranks that can occur, in the order of ``alphabet``; return their number."""
    count = np.int64(0)
    for position in range(len(alphabet)):
        rank = alphabet[position]
        if rank == first or caps[rank]:
            letters[count] = rank
            count += 1
    return count


@device_function
def _copy_main_cards(rows, block, cards, row):
    """Write the main cards of a block to a row of the output."""
    for position in range(cards.shape[1]):
        cards[row, position] = rows[block, position]


@device_function
def _write_with_one_kicker(rows, block, main, is_low, card, size, cards, row):
    """Write the main cards with one kicker before them (``low``) or after them."""
    for position in range(cards.shape[1]):
        cards[row, position] = NO_CARD
    for position in range(main):
        cards[row, position + (size if is_low else 0)] = rows[block, position]
    for position in range(size):
        cards[row, position + (0 if is_low else main)] = card


@device_function
def _enumerate_one_kicker(packed, block, scratch, num_sets, form, cards):
    """Enumerate the card sets of a form with one kicker, the most frequent case; return the new number of sets."""
    rows, caps, candidates, kind = packed.rows, scratch.max_groups, scratch.candidate_ranks, packed.rank_kind
    fields = packed.blocks[block]
    main, size, first, index = fields[_CARDS], fields[_KICKER_SIZE], fields[_FIRST], fields[_FORM]
    count, end = _fill_candidate_ranks(packed.kicker_rank_order, first, caps, candidates), len(form)
    for candidate in range(count):
        rank = candidates[candidate]
        if rank < first:
            if num_sets < end:
                form[num_sets] = index
                _write_with_one_kicker(rows, block, main, True, kind[rank], size, cards, num_sets)
            num_sets += 1
        elif rank == first:
            for other in range(count):
                if candidates[other] > first:
                    if num_sets < end:
                        form[num_sets] = index
                        _write_with_one_kicker(rows, block, main, False, kind[candidates[other]], size, cards, num_sets)
                    num_sets += 1
    return num_sets


@device_function
def _enumerate_block(packed, block, leading, scratch, num_sets, end, stop, form, cards):
    """Enumerate the card sets of a form with kickers; return the new number of sets.

    Stops at number ``stop``; writes card sets with numbers below ``end``.
    """
    rows, caps, candidates, stack, card_row, kind = (
        packed.rows,
        scratch.max_groups,
        scratch.candidate_ranks,
        scratch.stack,
        scratch.row,
        packed.rank_kind,
    )
    fields, allowed = packed.blocks[block], packed.allowed
    main, size, first, index = fields[_CARDS], fields[_KICKER_SIZE], fields[_FIRST], fields[_FORM]
    groups, apart, kicker_row, highest = fields[_KICKERS], fields[_JOKERS_APART], fields[_CARRYING], len(kind) - 1
    count = _fill_candidate_ranks(packed.kicker_rank_order, first, caps, candidates)
    card_row[:] = NO_CARD
    depth = np.int64(0)
    # Columns by depth: next candidate, rank of the last kicker, its repeats, whether main cards are placed, cards.
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, -1, 0, 0, 0
    while depth >= 0 and num_sets < stop:
        candidate = stack[depth, 0]
        if candidate == count:
            depth -= 1
            continue
        stack[depth, 0] = candidate + 1
        rank, last_rank, repeats, main_placed, num_cards = (
            candidates[candidate], stack[depth, 1], stack[depth, 2], stack[depth, 3], stack[depth, 4],
        )  # fmt: skip
        if rank == first:
            if main_placed or last_rank > first:
                continue
            next_rank, next_repeats, next_placed = last_rank, repeats, np.int64(1)
            for position in range(main):
                card_row[num_cards + position] = rows[block, position]
            num_cards += main
        else:
            if rank < last_rank or depth - main_placed == groups or (rank > first) != (main_placed == 1):
                continue
            next_repeats = repeats + 1 if rank == last_rank else np.int64(1)
            if next_repeats > caps[rank] or (apart and rank == highest and last_rank == highest - 1):
                continue
            if rank != last_rank and last_rank >= 0 and not (allowed[kicker_row, leading, last_rank] >> repeats) & 1:
                continue
            next_rank, next_placed = rank, main_placed
            for position in range(size):
                card_row[num_cards + position] = kind[rank]
            num_cards += size
        if depth < groups:
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 0, next_rank, next_repeats
            stack[depth, 3], stack[depth, 4] = next_placed, num_cards
        elif next_placed and (next_rank < 0 or (allowed[kicker_row, leading, next_rank] >> next_repeats) & 1):
            if num_sets < end:
                form[num_sets] = index
                for position in range(cards.shape[1]):
                    cards[num_sets, position] = card_row[position]
            num_sets += 1
    return num_sets


@device_function
def _enumerate_block_by_kickers(packed, block, leading, scratch, num_sets, end, stop, form, cards):
    """Enumerate the card sets of a form whose kickers may lie among the main cards, in the order of the kickers.

    Arguments and result are those of ``_enumerate_block``.
    """
    caps, candidates, stack, kind, carried = (
        scratch.max_groups,
        scratch.candidate_ranks,
        scratch.stack,
        packed.rank_kind,
        scratch.kickers,
    )
    fields, allowed, main = packed.blocks[block], packed.allowed, packed.main_cards[block]
    size, index, groups, apart = fields[_KICKER_SIZE], fields[_FORM], fields[_KICKERS], fields[_JOKERS_APART]
    kicker_row, highest = fields[_CARRYING], len(kind) - 1
    count, carried[:] = _fill_candidate_ranks(packed.kicker_rank_order, np.int64(NO_INDEX), caps, candidates), 0
    depth = np.int64(0)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, -1, 0  # columns: next candidate, rank of the last kicker, its repeats
    while depth >= 0 and num_sets < stop:
        candidate = stack[depth, 0]
        if candidate == count:
            depth -= 1
            if depth >= 0:
                carried[candidates[stack[depth, 0] - 1]] -= size
            continue
        stack[depth, 0] = candidate + 1
        rank, last_rank, repeats = candidates[candidate], stack[depth, 1], stack[depth, 2]
        next_repeats = repeats + 1 if rank == last_rank else np.int64(1)
        if next_repeats > caps[rank] or (apart and rank == highest and last_rank == highest - 1):
            continue
        if rank != last_rank and last_rank >= 0 and not (allowed[kicker_row, leading, last_rank] >> repeats) & 1:
            continue
        if depth < groups - 1:
            carried[rank] += size
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = candidate, rank, next_repeats
        elif (allowed[kicker_row, leading, rank] >> next_repeats) & 1:
            if num_sets < end:
                form[num_sets] = index
                carried[rank] += size
                _write_sorted_cards(main, carried, kind, cards, num_sets)
                carried[rank] -= size
            num_sets += 1
    return num_sets


@device_function
def _write_sorted_cards(main, carried, kind, cards, row):
    """Write packed main cards and ``carried`` kickers [ranks] from low to high."""
    num_cards = 0
    for rank in range(len(kind)):
        for _ in range(np.int64((main >> np.uint64(4 * rank)) & np.uint64(15)) + carried[rank]):
            cards[row, num_cards] = kind[rank]
            num_cards += 1
    for position in range(num_cards, cards.shape[1]):
        cards[row, position] = NO_CARD


@kernel
def enumerate_packed_moves(
    packed, hands, context, leading, labels, legal, allowed, lo, hi, max_sets, start, form, cards, scratch
):
    """Enumerate the card sets of decisions lo..hi-1, in the order of move lists.

    Enumeration of a decision stops soon after ``max_sets`` card sets. Card sets for which ``form`` and ``cards``
    have no row are counted, but not written.

    Args:
        packed: Tables of the game.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        leading: int8 [n], 1 if the seat leads, 0 if it follows.
        labels: int16 [n], the label to enumerate, or ``ALL_LABELS``.
        legal: uint8 [labels, n], mask of legal labels.
        allowed: uint8 [rows, n], circuit outputs.
        lo: First decision.
        hi: Decision after the last.
        max_sets: Card sets of a decision to enumerate; one that has more ends with a larger number.
        start: int64 [hi + 1]; ``start[lo]`` is read, ``start[lo + 1 : hi + 1]`` is filled as in ``MoveLists``.
        form: int16 [capacity], receives the form of each card set.
        cards: uint8 [capacity, max cards], receives the cards.
        scratch: Buffers of this thread.

    Returns:
        Number of card sets, which may exceed the capacity.
    """
    block_order, blocks, main, rows, guard_bits, kind = (
        packed.block_order,
        packed.blocks,
        packed.main_cards,
        packed.rows,
        packed.guard_bits,
        packed.rank_kind,
    )
    carrying, caps, end = packed.allowed, scratch.max_groups, np.int64(form.shape[0])
    num_sets, num_blocks = np.int64(start[lo]), block_order.shape[1]
    for i in range(lo, hi):
        stop = num_sets + max_sets + 1
        key, wanted_label, ctx, lead = (
            _pack_hand(hands, i, kind),
            np.int64(labels[i]),
            np.int64(context[i]),
            np.int64(leading[i]),
        )
        for position in range(num_blocks):
            block = np.int64(block_order[ctx, position])
            label = blocks[block, _LABEL]
            if num_sets >= stop or not legal[label, i] or (wanted_label != ALL_LABELS and wanted_label != label):
                continue
            if (
                not allowed[blocks[block, _OUTPUT_ROW], i]
                or ((key | guard_bits) - main[block]) & guard_bits != guard_bits
            ):
                continue
            kickers = blocks[block, _KICKERS]
            if kickers == 0:
                if num_sets < end:
                    form[num_sets] = blocks[block, _FORM]
                    _copy_main_cards(rows, block, cards, num_sets)
                num_sets += 1
                continue
            total = _fill_max_groups(
                carrying, blocks[block, _CARRYING], lead, blocks[block, _KICKER_SIZE], key - main[block], caps
            )
            if total < kickers:
                continue
            if blocks[block, _FIRST] < 0:
                num_sets = _enumerate_block_by_kickers(packed, block, lead, scratch, num_sets, end, stop, form, cards)
            elif kickers == 1:
                num_sets = _enumerate_one_kicker(packed, block, scratch, num_sets, form, cards)
            else:
                num_sets = _enumerate_block(packed, block, lead, scratch, num_sets, end, stop, form, cards)
        start[i + 1] = num_sets
    return num_sets
