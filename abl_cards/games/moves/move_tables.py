"""What the kernels know that lay down cards, what they write into, and their smallest parts."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

from threading import local
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.description import MAX_GROUPS, NO_INDEX, FormArrays
from abl_cards.games.types import NO_CARD

NO_LIMIT = np.iinfo(np.int64).max


class MoveTables(NamedTuple):
    """What the kernels know of the rules: few arrays, as each that crosses a call costs a counted reference."""

    blocks: NDArray[np.int32]  # [blocks, fields] by the names below
    form_row: NDArray[np.int32]  # [forms] which row of what circuits answer says whether a form is allowed
    group_fields: NDArray[
        np.int16
    ]  # [blocks, parts, groups] the rank, cards, natural cards and only slot of each group
    tail_fields: NDArray[
        np.int16
    ]  # [blocks or 1, 2, ranks] the form of the last group, and its natural cards, by its rank
    suit_form: NDArray[np.int16]  # [blocks, suits]
    allowed: NDArray[np.uint16]  # [carrying, 2, ranks] see FormBlocks
    label_blocks: NDArray[np.int32]  # [labels, 2]
    slot_kind: NDArray[np.int16]  # [ranks, slots] see RankSlots; as many slots as kernels are made for
    slot_acts: NDArray[np.uint8]  # [contexts, ranks, slots]
    slot_suit: NDArray[np.int16]  # [ranks, slots]
    wild_cards: NDArray[
        np.int16
    ]  # [contexts, wilds, 2 + ranks] kinds that stand in, their suits, their slots in own ranks
    pattern_start: NDArray[
        np.int32
    ]  # [patterns, cards + 2] see CombinationTable; the stand-ins are a pattern's last digits
    combination_counts: NDArray[np.uint8]  # [combinations, slots + stand-ins]
    rank_order: NDArray[np.int16]  # [contexts, ranks] the ranks from weak to strong, for last groups
    block_order: NDArray[np.int32]  # [contexts, blocks] the blocks in the order of lists
    kicker_rank_order: NDArray[np.int16]  # [ranks] in the order in which kickers are tried
    slot_range: tuple[int, ...]  # as long as there are slots
    num_wild_kinds: int  # kinds of wild cards: a number, as kernels for each would be a minute of compilation more
    pattern_base: int  # how many numbers of copies there are, none among them
    has_sorted_rows: bool  # cards lie low to high, kickers among the others

    @classmethod
    def from_catalogue(
        cls, catalogue: FormArrays, rank_order: NDArray[np.int16], block_order: NDArray[np.int32],
        kicker_rank_order: NDArray[np.int16], main_rank: NDArray[np.int16], num_forms: int, has_sorted_rows: bool,
    ) -> MoveTables:  # fmt: skip
        """Lay out a catalogue of so many forms for the kernels; main_rank [blocks] as ``MAIN_RANK``."""
        layout, slots, table = catalogue
        more = -slots.kind.shape[1] % _SLOT_MULTIPLE
        beside = ((0, 0), (0, more))
        fields = (
            layout.label, layout.form, layout.mode, layout.num_groups, layout.max_wilds, layout.tail_size,
            layout.num_kickers, layout.kicker_size, layout.kicker_row, layout.kickers_apart, main_rank, layout.form,
        )  # fmt: skip
        return cls(
            np.stack(fields, axis=1).astype(np.int32), np.arange(num_forms, dtype=np.int32),
            np.stack([layout.rank, layout.size, layout.min_natural, layout.only_slot], axis=1),
            np.stack([layout.tail_form, layout.tail_min_natural], axis=1), layout.suit_form, layout.allowed,
            layout.label_blocks, np.pad(slots.kind, beside, constant_values=NO_INDEX),
            np.pad(slots.natural, ((0, 0), *beside)), np.pad(slots.suit, beside, constant_values=NO_INDEX),
            np.concatenate([slots.wild[:, :, None], slots.wild_suit[:, :, None], slots.natural_slot], axis=2),
            *_combinations(catalogue, more), rank_order, block_order, kicker_rank_order,
            (0,) * (slots.kind.shape[1] + more), slots.wild.shape[1], int(table.base), has_sorted_rows,
        )  # fmt: skip


_SLOT_MULTIPLE = 4
"""Kernels are made for so many slots, or a multiple: each takes half a minute to compile. Suits are four, of cards with
suits there are one or two, or none."""


def _combinations(catalogue: FormArrays, more: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Starts and counts with so many empty slots more, which are the first digits of a pattern: always 0."""
    table, slots, wilds = catalogue.combinations, catalogue.slots.kind.shape[1], catalogue.slots.wild.shape[1]
    digits = table.offsets.reshape(*(table.base,) * (wilds + slots), -1)
    turned = digits.transpose(*range(wilds, wilds + slots), *range(wilds), wilds + slots)
    counts = np.insert(table.counts, [slots] * more, 0, axis=1)
    return np.ascontiguousarray(turned.reshape(-1, turned.shape[-1])), np.ascontiguousarray(counts)


LABEL, FORM, MODE, GROUPS, WILDS, TAIL_SIZE, KICKERS, KICKER_SIZE, CARRYING, JOKERS_APART, MAIN_RANK, FORM_ROW = range(
    12
)
"""Fields of a block; where the main cards come among the letters, NO_INDEX before all kickers; form_row of FORM."""
RANK, SIZE, NATURAL, ONLY = range(4)  # parts of a group
WILD_SUIT, OWN_SLOTS = 1, 2  # of MoveTables.wild_cards


def with_form_rows(move_tables: MoveTables, form_row: NDArray[np.int32]) -> MoveTables:
    """The same book, where whether forms are allowed stands in these rows [forms] of the answers."""
    blocks = move_tables.blocks.copy()
    blocks[:, FORM_ROW] = np.where(blocks[:, FORM] >= 0, form_row[blocks[:, FORM]], blocks[:, FORM])
    return move_tables._replace(blocks=blocks, form_row=form_row)


class MoveScratch(NamedTuple):
    """What the walks write into."""

    natural: NDArray[np.uint8]  # [ranks, slots] natural cards of the hand
    wild_counts: NDArray[np.int64]  # [2] wild cards of each kind
    walk_state: NDArray[np.int64]  # [names, depth] see below
    row: NDArray[np.uint8]  # [most cards] what lies on the table
    candidate_ranks: NDArray[np.int64]  # [ranks + 1] ranks that can come as kickers
    max_groups: NDArray[np.int64]  # [ranks] the most groups of each that can be kickers
    stack: NDArray[np.int64]  # [depth, 5]
    chosen: NDArray[np.int64]  # [depth, 3] rank, groups, row of combinations
    ways: NDArray[np.int64]  # [ranks + 1, kickers + 1]


ROW, END = 0, 1  # combinations of the next group still to try
WILD, SECOND_WILD = 2, 3  # wild cards left of each kind
STAND_INS = 4  # wild cards that stand for others
NUM_CARDS = 5  # cards on the table
SUIT_BITS = 6  # their suits as bits
SUIT = 7  # of the natural cards where all have one; -1 as long as there is none
OWN_RANK_WILD, OWN_RANK_SECOND_WILD = 8, 9  # wild cards of each kind in their own rank
WILD_GROUPS = 10  # in which groups wild cards of both kinds lie, see canonical_wild_groups
NUM_STATE_ROWS = 11


class OutputWindow(NamedTuple):
    """Which of the card sets are wanted: number k goes to row ``at + k - first`` of the moves."""

    first: int
    last: int
    stop: int  # walk no further
    first_row: int


def max_kickers(move_tables: MoveTables) -> int:
    """The most groups of kickers that a form carries."""
    return int(move_tables.blocks[:, KICKERS].max())


class _ScratchCache(local):
    """By thread, for a room is written into by one walk at a time."""

    def __init__(self) -> None:
        self.by_size: dict[tuple[int, int, int, int], MoveScratch] = {}


_scratch_cache = _ScratchCache()


def scratch_for(move_tables: MoveTables, max_cards: int) -> MoveScratch:
    """Room for walks through the forms of a game, which have so many cards at most: the thread's own, kept by size."""
    ranks, slots = move_tables.slot_kind.shape
    size = ranks, slots, max_cards, max_kickers(move_tables)
    if size not in _scratch_cache.by_size:
        _scratch_cache.by_size[size] = new_scratch(*size)
    return _scratch_cache.by_size[size]


def new_scratch(ranks: int, slots: int, max_cards: int, max_kickers: int) -> MoveScratch:
    """Of such a size."""
    return MoveScratch(
        np.zeros((ranks, slots), np.uint8), np.zeros(2, np.int64), np.zeros((NUM_STATE_ROWS, MAX_GROUPS + 2), np.int64),
        np.zeros(max_cards + 1, np.uint8), np.zeros(ranks + 1, np.int64), np.zeros(ranks, np.int64),
        np.zeros((max_kickers + 3, 5), np.int64), np.zeros((max_kickers + 2, 3), np.int64),
        np.zeros((ranks + 1, max_kickers + 2), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def load_hand(move_tables, context, hand, scratch):
    """Sort a hand into ranks, slots and wild cards."""
    kind, acting, wild, natural, wilds = (
        move_tables.slot_kind,
        move_tables.slot_acts,
        move_tables.wild_cards,
        scratch.natural,
        scratch.wild_counts,
    )
    for rank in range(kind.shape[0]):
        for slot in range(len(move_tables.slot_range)):
            card = kind[rank, slot]
            natural[rank, slot] = hand[card] * acting[context, rank, slot] if card >= 0 else 0
    wilds[0] = wilds[1] = 0
    for place in range(move_tables.num_wild_kinds):
        card = wild[context, place, 0]
        wilds[place] = hand[card] if card >= 0 else 0


# Arrays that cross a call or leave a tuple in an inner loop cost a counted reference each, so what is called there
# takes
# single arrays, and the walks have theirs in local names.


@njit(cache=True, nogil=True, inline="always")
def group_pattern(base, width, num_wild_kinds, natural, rank, only, wild, context, first_wilds, second_wilds):
    """The candidates for a group; in its own rank a wild card lies among the natural ones."""
    code, first = np.int64(0), np.int64(1)
    for _ in range(num_wild_kinds):
        first *= base
    weight = first
    for slot in range(width):
        if only < 0 or only == slot:
            code += weight * natural[rank, slot]
        weight *= base
    weight = np.int64(1)
    for place in range(num_wild_kinds):
        count = first_wilds if place == 0 else second_wilds
        if count:
            slot = np.int64(wild[context, place, OWN_SLOTS + rank])
            if slot >= 0 and (only < 0 or only == slot):
                mine = first
                for _ in range(slot):
                    mine *= base
                code += count * mine
            else:
                code += count * weight
        weight *= base
    return code


@njit(cache=True, nogil=True, inline="always")
def canonical_wild_groups(wild_groups, group_bits, own_rank_bits):
    """The groups taken by wild cards with one group more, as bits; -1 where another order has the same cards.

    Here and owners have bit K where wild cards of kind K lie in the group, and where they are of its rank. Wild cards
    of the first kind go to groups of their own rank first, then to groups of no kind's, or of both, then to those of
    the second kind; among these from left to right. So of all ways to share out the same cards one is walked.
    """
    turn = np.int64(1) + ((own_rank_bits >> 1) & 1) - (own_rank_bits & 1)
    before = (np.int64(2) << turn) - 1
    if (group_bits & 1 and (wild_groups >> 3) & before) or (group_bits & 2 and wild_groups & 7 & ~before):
        return np.int64(-1)
    return wild_groups | (group_bits & 1) << turn | ((group_bits >> 1) & 1) << (3 + turn)


@njit(cache=True, nogil=True, inline="always")
def append_group(width, num_wild_kinds, kind, wild, counts, row, context, rank, cards, num_cards):
    """Put one group's cards behind the others; returns how many cards lie there now."""
    for slot in range(width):
        for _ in range(counts[row, slot]):
            cards[num_cards] = kind[rank, slot]
            num_cards += 1
    for place in range(num_wild_kinds):
        for _ in range(counts[row, width + place]):
            cards[num_cards] = wild[context, place, 0]
            num_cards += 1
    return num_cards


@njit(cache=True, nogil=True, inline="always")
def store_card_set(sorted_rows, card_row, num_cards, index, row, form, cards):
    """Keep a card set."""
    for place in range(num_cards):
        cards[row, place] = card_row[place]
    finish_row(sorted_rows, num_cards, index, row, form, cards)


@njit(cache=True, nogil=True, inline="always")
def finish_row(sorted_rows, num_cards, index, row, form, cards):
    """So many cards lie in the row of a card set: end it."""
    form[row] = index
    for place in range(num_cards, cards.shape[1]):
        cards[row, place] = NO_CARD
    if sorted_rows:
        for place in range(1, num_cards):
            card, back = cards[row, place], place
            while back > 0 and cards[row, back - 1] > card:
                cards[row, back] = cards[row, back - 1]
                back -= 1
            cards[row, back] = card


@njit(cache=True, nogil=True, inline="always")
def combination_range(width, num_wild_kinds, start, base, natural, rank, count):
    """The first of the combinations of so many natural cards of a rank, and the one after the last."""
    code, weight = np.int64(0), np.int64(1)
    for _ in range(num_wild_kinds):
        weight *= base
    for slot in range(width):
        code += weight * natural[rank, slot]
        weight *= base
    return np.int64(start[code, count]), np.int64(start[code, count + 1])
