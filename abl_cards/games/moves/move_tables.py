"""Tables and buffers of the kernels that enumerate and sample card sets, and the helper kernels they share."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function
from abl_cards.games.description import MAX_GROUPS, NO_INDEX, PLAIN, TAILED, FormArrays
from abl_cards.games.types import NO_CARD

NO_LIMIT = np.iinfo(np.int64).max


class MoveTables(NamedTuple):
    """Forms and cards of a game as arrays for the kernels that enumerate and sample card sets.

    Related fields share an array, because each array passed to a kernel costs a counted reference.
    """

    blocks: NDArray[np.int32]  # [blocks, fields] indexed by LABEL, FORM, ...
    form_row: NDArray[np.int32]  # [forms] row of the circuit outputs that holds whether a form is allowed
    # [blocks + excluded forms, fields, groups] indexed by RANK, SIZE, NATURAL (SUIT_OF of excluded forms), ONLY
    group_fields: NDArray[np.int16]
    tail_fields: NDArray[np.int16]  # [blocks or 1, 2, ranks] form and natural cards of the last group, by its rank
    suit_form: NDArray[np.int16]  # [blocks, suits] as in FormBlocks
    allowed: NDArray[np.uint16]  # [carrying, 2, ranks] as in FormBlocks
    label_blocks: NDArray[np.int32]  # [labels, 2] first block of a label, and the block after its last
    slot_kind: NDArray[np.int16]  # [ranks, slots] as in RankSlots, padded to a multiple of _SLOT_MULTIPLE slots
    slot_acts: NDArray[np.uint8]  # [contexts, ranks, slots] 1 if the kind acts as the rank there, and is not wild
    slot_suit: NDArray[np.int16]  # [ranks, slots] suit of each kind, NO_INDEX for none
    wild_cards: NDArray[np.int16]  # [contexts, wilds, 2 + ranks] kind, suit, and slot in each rank that it is of
    pattern_start: NDArray[np.int32]  # [patterns, cards + 2] as in CombinationTable; stand-ins are the last digits
    combination_counts: NDArray[np.uint8]  # [combinations, slots + stand-ins] copies of each
    rank_order: NDArray[np.int16]  # [contexts, ranks] ranks from weak to strong, for last groups
    block_order: NDArray[np.int32]  # [contexts, blocks] blocks in the order of move lists
    kicker_rank_order: NDArray[np.int16]  # [ranks] order in which kickers are tried
    slot_range: tuple[int, ...]  # its length is the number of slots, a constant to the compiler
    num_wild_kinds: int  # kinds of wild cards; no constant, which would cost a minute of compilation for each value
    pattern_base: int  # base of pattern numbers: the most copies of a kind, plus 1
    has_sorted_rows: bool  # cards are stored low to high, kickers among the main cards
    max_kickers: int  # most groups of kickers of a form, 0 in games without kickers

    @classmethod
    def from_catalogue(
        cls, catalogue: FormArrays, rank_order: NDArray[np.int16], block_order: NDArray[np.int32],
        kicker_rank_order: NDArray[np.int16], main_rank: NDArray[np.int16], num_forms: int, has_sorted_rows: bool,
    ) -> MoveTables:  # fmt: skip
        """Build the tables from the form arrays of a game.

        Args:
            catalogue: Form arrays of the game.
            rank_order: int16 [contexts, ranks], ranks from weak to strong.
            block_order: int32 [contexts, blocks], blocks in the order of move lists.
            kicker_rank_order: int16 [ranks], order in which kickers are tried.
            main_rank: int16 [blocks], the field ``MAIN_RANK``.
            num_forms: Number of forms of the game.
            has_sorted_rows: Store cards low to high instead of main cards before kickers.

        Returns:
            Tables in which form K is allowed by row K of the circuit outputs.
        """
        layout, slots, table = catalogue
        num_padding = -slots.kind.shape[1] % _SLOT_MULTIPLE
        slot_padding = ((0, 0), (0, num_padding))
        fields = (
            layout.label, layout.form, layout.mode, layout.num_groups, layout.max_wilds, layout.tail_size,
            layout.num_kickers, layout.kicker_size, layout.kicker_row, layout.kickers_apart, main_rank, layout.form,
            layout.has_own_kickers, *(len(layout.label) + layout.excluded_rows.T), layout.min_wilds,
        )  # fmt: skip
        return cls(
            np.stack(fields, axis=1).astype(np.int32), np.arange(num_forms, dtype=np.int32),
            np.concatenate([np.stack([layout.rank, layout.size, layout.min_natural, layout.only_slot], axis=1),
                            layout.excluded.transpose(0, 2, 1)]),
            np.stack([layout.tail_form, layout.tail_min_natural], axis=1), layout.suit_form, layout.allowed,
            layout.label_blocks, np.pad(slots.kind, slot_padding, constant_values=NO_INDEX),
            np.pad(slots.natural, ((0, 0), *slot_padding)), np.pad(slots.suit, slot_padding, constant_values=NO_INDEX),
            np.concatenate([slots.wild[:, :, None], slots.wild_suit[:, :, None], slots.natural_slot], axis=2),
            *_combinations(catalogue, num_padding), rank_order, block_order, kicker_rank_order,
            (0,) * (slots.kind.shape[1] + num_padding), slots.wild.shape[1], int(table.base), has_sorted_rows,
            int(layout.num_kickers.max(initial=0)),
        )  # fmt: skip


_SLOT_MULTIPLE = 4
"""The number of slots is padded to a multiple of this: kernels for each number of slots compile for half a minute."""


def _combinations(catalogue: FormArrays, num_padding: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return starts and counts with ``num_padding`` empty slots, whose pattern digits come first and are 0."""
    table, num_slots, num_wilds = catalogue.combinations, catalogue.slots.kind.shape[1], catalogue.slots.wild.shape[1]
    digits = table.offsets.reshape(*(table.base,) * (num_wilds + num_slots), -1)
    by_pattern = digits.transpose(*range(num_wilds, num_wilds + num_slots), *range(num_wilds), num_wilds + num_slots)
    counts = np.insert(table.counts, [num_slots] * num_padding, 0, axis=1)
    return np.ascontiguousarray(by_pattern.reshape(-1, by_pattern.shape[-1])), np.ascontiguousarray(counts)


(
    LABEL, FORM, MODE, GROUPS, WILDS, TAIL_SIZE, KICKERS, KICKER_SIZE, CARRYING, JOKERS_APART, MAIN_RANK, FORM_ROW,
    OWN_KICKERS, EXCLUDED, EXCLUDED_END, MIN_WILDS,
) = range(16)  # fmt: skip
"""Fields of ``MoveTables.blocks``.

``OWN_KICKERS``: 1 if kickers may be of the rank of a group.
``EXCLUDED``, ``EXCLUDED_END``: first row of ``MoveTables.group_fields`` with an excluded form, and the end of the rows.
``MAIN_RANK``: rank whose position among the kickers the main cards take, NO_INDEX if they come before all kickers.
``FORM_ROW``: row of ``FORM`` in the circuit outputs.
``MIN_WILDS``: least number of wild cards that stand in for others.
"""
RANK, SIZE, NATURAL, ONLY = range(4)  # fields of MoveTables.group_fields
SUIT_OF = NATURAL  # suit of all cards, in the rows of excluded forms
WILD_SUIT, OWN_SLOTS = 1, 2  # columns of MoveTables.wild_cards: the suit, the first of the slots


def with_form_rows(move_tables: MoveTables, form_row: NDArray[np.int32]) -> MoveTables:
    """Return move tables that read whether forms are allowed from other rows of the circuit outputs.

    Args:
        move_tables: Tables of the game.
        form_row: int32 [forms], row of the circuit outputs for each form.

    Returns:
        A copy with these rows.
    """
    blocks = move_tables.blocks.copy()
    blocks[:, FORM_ROW] = np.where(blocks[:, FORM] >= 0, form_row[blocks[:, FORM]], blocks[:, FORM])
    return move_tables._replace(blocks=blocks, form_row=form_row)


class MoveScratch(NamedTuple):
    """Buffers of one enumeration; a thread needs its own."""

    natural: NDArray[np.uint8]  # [ranks, slots] natural cards of the hand
    wild_counts: NDArray[np.int64]  # [2] wild cards of each kind
    walk_state: NDArray[np.int64]  # [NUM_STATE_ROWS, depth] rows ROW, END, ... after each group
    row: NDArray[np.uint8]  # [max cards + 1] cards of the current card set
    candidate_ranks: NDArray[np.int64]  # [ranks + 1] ranks that can be kickers
    max_groups: NDArray[np.int64]  # [ranks] the most groups of each rank that can be kickers
    stack: NDArray[np.int64]  # [depth, 5] search state of the kickers
    chosen: NDArray[np.int64]  # [depth, 3] rank, groups, row of combination_counts
    ways: NDArray[np.int64]  # [ranks + 1, kickers + 2] ways to take kickers of the ranks from one on
    group_fields: NDArray[np.int16]  # [fields, groups] groups with their own kickers, as in MoveTables.group_fields
    by_rank: NDArray[np.int64]  # [7, ranks + 1] state of kickers of a group's rank: rows GROUP_OF, COUNT, ...


GROUP_OF = 0  # group that may have kickers of the rank, NO_INDEX for none
COUNT = 1  # groups of kickers of each candidate rank
MOST_AFTER = 2  # the most groups of kickers of the candidates from one on
NUM_RANKS = 3  # first entry: ranks of kickers in ``stack``
COMBINATION, CODE, NEEDED = 4, 5, 6  # combination of the rank, pattern of its natural cards, cards of its group
ROW, END = 0, 1  # combinations of the next group still to try
WILD, SECOND_WILD = 2, 3  # wild cards left of each kind
STAND_INS = 4  # wild cards that stand for others
NUM_CARDS = 5  # cards placed
SUIT_BITS = 6  # their suits as bits
SUIT = 7  # suit of the natural cards in a SUITED block, -1 if there is none yet
OWN_RANK_WILD, OWN_RANK_SECOND_WILD = 8, 9  # wild cards of each kind in their own rank
WILD_GROUPS = 10  # classes of groups that hold wild cards, see canonical_wild_groups
NUM_STATE_ROWS = 11


class OutputWindow(NamedTuple):
    """Range of card set numbers to write; number k goes to row ``first_row + k - first``."""

    first: int  # number of the first card set to write
    last: int  # number after the last
    stop: int  # number at which enumeration ends
    first_row: int  # row of the first card set
    one_per_rank: int  # 1 to leave out card sets that differ from an earlier one in the cards of a rank only


def has_suited_forms(move_tables: MoveTables) -> bool:
    """Return whether forms take suits or named cards, or exclude others.

    Args:
        move_tables: Tables of the game.

    Returns:
        True if cards of one rank are not equivalent for the forms of the game.
    """
    blocks, only = move_tables.blocks, move_tables.group_fields[:, ONLY]
    is_suited = ~np.isin(blocks[:, MODE], (PLAIN, TAILED)) | (blocks[:, EXCLUDED] < blocks[:, EXCLUDED_END])
    return bool(is_suited.any() or (only >= 0).any())


class _ScratchCache(local):
    """Buffers by size; thread-local, because one enumeration at a time writes into a buffer."""

    def __init__(self) -> None:
        """Start without buffers."""
        self.by_size: dict[tuple[int, int, int, int], MoveScratch] = {}


_scratch_cache = _ScratchCache()


def scratch_for(move_tables: MoveTables, max_cards: int) -> MoveScratch:
    """Return the buffers of this thread for the forms of a game.

    Args:
        move_tables: Tables of the game.
        max_cards: Most cards of a form.

    Returns:
        Buffers, reused by later calls of this thread with the same sizes.
    """
    ranks, slots = move_tables.slot_kind.shape
    size = ranks, slots, max_cards, move_tables.max_kickers
    if size not in _scratch_cache.by_size:
        _scratch_cache.by_size[size] = new_scratch(*size)
    return _scratch_cache.by_size[size]


def new_scratch(ranks: int, slots: int, max_cards: int, max_kickers: int) -> MoveScratch:
    """Allocate buffers for a number of ranks and slots, cards of a form and groups of kickers."""
    return MoveScratch(
        np.zeros((ranks, slots), np.uint8), np.zeros(2, np.int64), np.zeros((NUM_STATE_ROWS, MAX_GROUPS + 2), np.int64),
        np.zeros(max_cards + 1, np.uint8), np.zeros(ranks + 1, np.int64), np.zeros(ranks, np.int64),
        np.zeros((max_kickers + 3, 5), np.int64), np.zeros((max_kickers + 2, 3), np.int64),
        np.zeros((ranks + 1, max_kickers + 2), np.int64), np.zeros((4, MAX_GROUPS), np.int16),
        np.zeros((7, ranks + 1), np.int64),
    )  # fmt: skip


@device_function
def load_hand(move_tables, context, hand, scratch):
    """Fill ``natural`` and ``wild_counts`` of the buffers from a hand [kinds] in an order context."""
    kind, slot_acts, wild, natural, wilds = (
        move_tables.slot_kind,
        move_tables.slot_acts,
        move_tables.wild_cards,
        scratch.natural,
        scratch.wild_counts,
    )
    for rank in range(kind.shape[0]):
        for slot in range(len(move_tables.slot_range)):
            card = kind[rank, slot]
            natural[rank, slot] = hand[card] * slot_acts[context, rank, slot] if card >= 0 else 0
    wilds[0] = wilds[1] = 0
    for wild_kind in range(move_tables.num_wild_kinds):
        card = wild[context, wild_kind, 0]
        wilds[wild_kind] = hand[card] if card >= 0 else 0


# Each array that is passed to a call or read from a tuple in an inner loop costs a counted reference. Kernels called
# there take single arrays, and enumerations read theirs into local names first.


@device_function
def group_pattern(base, width, num_wild_kinds, natural, rank, only, wild, context, first_wilds, second_wilds):
    """Return the pattern number of the cards that a group can use; a wild card of its own rank counts as natural."""
    code, first = np.int64(0), np.int64(1)
    for _ in range(num_wild_kinds):
        first *= base
    weight = first
    for slot in range(width):
        if only < 0 or only == slot:
            code += weight * natural[rank, slot]
        weight *= base
    weight = np.int64(1)
    for wild_kind in range(num_wild_kinds):
        count = first_wilds if wild_kind == 0 else second_wilds
        if count:
            slot = np.int64(wild[context, wild_kind, OWN_SLOTS + rank])
            if slot >= 0 and (only < 0 or only == slot):
                weight_of_slot = first
                for _ in range(slot):
                    weight_of_slot *= base
                code += count * weight_of_slot
            else:
                code += count * weight
        weight *= base
    return code


@device_function
def plain_block(label_blocks, blocks, num_wild_kinds, wild, context, hands, row, label):
    """Return the only block of a label if its groups are drawn independently and the hand has no wild card, else -1.

    Kickers of the rank of a group are drawn with it.
    """
    block = np.int64(label_blocks[label, 0])
    is_plain = label_blocks[label, 1] - block == 1 and blocks[block, MODE] == PLAIN and blocks[block, MIN_WILDS] == 0
    is_plain = is_plain and blocks[block, EXCLUDED] == blocks[block, EXCLUDED_END]
    for wild_kind in range(num_wild_kinds):
        is_plain = is_plain and (wild[context, wild_kind, 0] < 0 or hands[row, wild[context, wild_kind, 0]] == 0)
    return block if is_plain else np.int64(-1)


@device_function
def canonical_wild_groups(wild_groups, group_bits, own_rank_bits):
    """Return the classes of groups that hold wild cards after one more group, as bits.

    Wild cards of the first kind fill groups of their own rank first, then groups of neither or both kinds' rank, then
    groups of the second kind's rank, each from left to right. So each set of cards is enumerated once.

    Args:
        wild_groups: Bits before this group: 0 to 2 for the first kind by class, 3 to 5 for the second.
        group_bits: Bit K is set if the group holds wild cards of kind K.
        own_rank_bits: Bit K is set if the group has the rank of wild cards of kind K.

    Returns:
        The bits with this group, or -1 if another order has the same cards.
    """
    priority = np.int64(1) + ((own_rank_bits >> 1) & 1) - (own_rank_bits & 1)
    not_later = (np.int64(2) << priority) - 1
    if (group_bits & 1 and (wild_groups >> 3) & not_later) or (group_bits & 2 and wild_groups & 7 & ~not_later):
        return np.int64(-1)
    return wild_groups | (group_bits & 1) << priority | ((group_bits >> 1) & 1) << (3 + priority)


@device_function
def append_group(width, num_wild_kinds, kind, wild, counts, row, context, rank, cards, num_cards):
    """Append the cards of a group to ``cards``; return the new number of cards."""
    for slot in range(width):
        for _ in range(counts[row, slot]):
            cards[num_cards] = kind[rank, slot]
            num_cards += 1
    for wild_kind in range(num_wild_kinds):
        for _ in range(counts[row, width + wild_kind]):
            cards[num_cards] = wild[context, wild_kind, 0]
            num_cards += 1
    return num_cards


@device_function
def store_card_set(sorted_rows, card_row, num_cards, index, row, form, cards):
    """Write the first ``num_cards`` of ``card_row`` and the form ``index`` to a row of the output."""
    for position in range(num_cards):
        cards[row, position] = card_row[position]
    finish_row(sorted_rows, num_cards, index, row, form, cards)


@device_function
def finish_row(sorted_rows, num_cards, index, row, form, cards):
    """Write the form and the fill value after ``num_cards`` cards of a row, and sort the cards if ``sorted_rows``."""
    form[row] = index
    for position in range(num_cards, cards.shape[1]):
        cards[row, position] = NO_CARD
    if sorted_rows:
        for position in range(1, num_cards):
            card, back = cards[row, position], position
            while back > 0 and cards[row, back - 1] > card:
                cards[row, back] = cards[row, back - 1]
                back -= 1
            cards[row, back] = card


@device_function
def combination_range(width, num_wild_kinds, start, base, natural, rank, count):
    """Return the first combination of ``count`` natural cards of a rank, and the combination after the last."""
    code, weight = np.int64(0), np.int64(1)
    for _ in range(num_wild_kinds):
        weight *= base
    for slot in range(width):
        code += weight * natural[rank, slot]
        weight *= base
    return np.int64(start[code, count]), np.int64(start[code, count + 1])
