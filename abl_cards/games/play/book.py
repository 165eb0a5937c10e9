"""What the kernels know that lay down cards, what they write into, and their smallest parts."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

from threading import local
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.reading.forms import MOST_GROUPS
from abl_cards.games.reading.layout import NONE, Catalogue
from abl_cards.games.tables import NO_CARD

ROOM_FOR_ALL = np.iinfo(np.int64).max


class Book(NamedTuple):
    """What the kernels know of the rules: few arrays, as each that crosses a call costs a counted reference."""

    blocks: NDArray[np.int32]  # [blocks, fields] by the names below
    answer: NDArray[np.int32]  # [forms] which row of what circuits answer says whether a form is allowed
    groups: NDArray[np.int16]  # [blocks, parts, groups] the rank, cards, natural cards and only slot of each group
    tails: NDArray[np.int16]  # [blocks or 1, 2, ranks] the form of the last group, and its natural cards, by its rank
    suit_form: NDArray[np.int16]  # [blocks, suits]
    allowed: NDArray[np.uint16]  # [carrying, 2, ranks] see Layout
    label_blocks: NDArray[np.int32]  # [labels, 2]
    kind: NDArray[np.int16]  # [ranks, slots] see Slots; as many slots as kernels are made for
    acting: NDArray[np.uint8]  # [contexts, ranks, slots]
    suit: NDArray[np.int16]  # [ranks, slots]
    wild: NDArray[np.int16]  # [contexts, wilds, 2 + ranks] kinds that stand in, their suits, their slots in own ranks
    start: NDArray[np.int32]  # [patterns, cards + 2] see Combinations; the stand-ins are a pattern's last digits
    counts: NDArray[np.uint8]  # [combinations, slots + stand-ins]
    order: NDArray[np.int16]  # [contexts, ranks] the ranks from weak to strong, for last groups
    lists: NDArray[np.int32]  # [contexts, blocks] the blocks in the order of lists
    alphabet: NDArray[np.int16]  # [ranks] in the order in which kickers are tried
    width: tuple[int, ...]  # as long as there are slots
    stand_ins: int  # kinds of wild cards: a number, as kernels for each would be a minute of compilation more
    base: int  # how many numbers of copies there are, none among them
    sorted_rows: bool  # cards lie low to high, kickers among the others

    @classmethod
    def of(
        cls, catalogue: Catalogue, order: NDArray[np.int16], lists: NDArray[np.int32], alphabet: NDArray[np.int16],
        main_letter: NDArray[np.int16], forms: int, sorted_rows: bool,
    ) -> Book:  # fmt: skip
        """Lay out a catalogue of so many forms for the kernels; main_letter [blocks] as ``MAIN_LETTER``."""
        layout, slots, table = catalogue
        more = -slots.kind.shape[1] % _SLOTS
        beside = ((0, 0), (0, more))
        fields = (
            layout.label, layout.form, layout.mode, layout.groups, layout.wilds, layout.tail_size, layout.kickers,
            layout.kicker_size, layout.carrying, layout.apart, main_letter, layout.form,
        )  # fmt: skip
        return cls(
            np.stack(fields, axis=1).astype(np.int32), np.arange(forms, dtype=np.int32),
            np.stack([layout.rank, layout.size, layout.natural, layout.only], axis=1),
            np.stack([layout.tail_form, layout.tail_natural], axis=1), layout.suit_form, layout.allowed,
            layout.label_blocks, np.pad(slots.kind, beside, constant_values=NONE),
            np.pad(slots.natural, ((0, 0), *beside)), np.pad(slots.suit, beside, constant_values=NONE),
            np.concatenate([slots.wild[:, :, None], slots.wild_suit[:, :, None], slots.own_slot], axis=2),
            *_combinations(catalogue, more), order, lists, alphabet, (0,) * (slots.kind.shape[1] + more),
            slots.wild.shape[1], int(table.base), sorted_rows,
        )  # fmt: skip


_SLOTS = 4
"""Kernels are made for so many slots, or a multiple: each takes half a minute to compile. Suits are four, of cards with
suits there are one or two, or none."""


def _combinations(catalogue: Catalogue, more: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Starts and counts with so many empty slots more, which are the first digits of a pattern: always 0."""
    table, slots, wilds = catalogue.combinations, catalogue.slots.kind.shape[1], catalogue.slots.wild.shape[1]
    digits = table.start.reshape(*(table.base,) * (wilds + slots), -1)
    turned = digits.transpose(*range(wilds, wilds + slots), *range(wilds), wilds + slots)
    counts = np.insert(table.counts, [slots] * more, 0, axis=1)
    return np.ascontiguousarray(turned.reshape(-1, turned.shape[-1])), np.ascontiguousarray(counts)


LABEL, FORM, MODE, GROUPS, WILDS, TAIL_SIZE, KICKERS, KICKER_SIZE, CARRYING, APART, MAIN_LETTER, ANSWER = range(12)
"""Fields of a block; where the main cards come among the letters, NONE for before all kickers; Book.answer of FORM."""
RANK, SIZE, REAL, ONLY = range(4)  # parts of a group
WILD_SUIT, OWN_SLOTS = 1, 2  # of Book.wild


def answered_by(book: Book, answer: NDArray[np.int32]) -> Book:
    """The same book, where whether forms are allowed stands in these rows [forms] of the answers."""
    blocks = book.blocks.copy()
    blocks[:, ANSWER] = np.where(blocks[:, FORM] >= 0, answer[blocks[:, FORM]], blocks[:, FORM])
    return book._replace(blocks=blocks, answer=answer)


class Room(NamedTuple):
    """What the walks write into."""

    natural: NDArray[np.uint8]  # [ranks, slots] natural cards of the hand
    wilds: NDArray[np.int64]  # [2] wild cards of each kind
    state: NDArray[np.int64]  # [names, depth] see below
    laid: NDArray[np.uint8]  # [most cards] what lies on the table
    letters: NDArray[np.int64]  # [ranks + 1] ranks that can come as kickers
    caps: NDArray[np.int64]  # [ranks] the most groups of each that can be kickers
    stack: NDArray[np.int64]  # [depth, 5]
    chosen: NDArray[np.int64]  # [depth, 3] rank, groups, row of combinations
    ways: NDArray[np.int64]  # [ranks + 1, kickers + 1]


ROW, END = 0, 1  # combinations of the next group still to try
WILD, OTHER_WILD = 2, 3  # wild cards left of each kind
STAND_INS = 4  # wild cards that stand for others
LAID = 5  # cards on the table
SHOWN = 6  # their suits as bits
SUIT = 7  # of the natural cards where all have one; -1 as long as there is none
OWN, OTHER_OWN = 8, 9  # wild cards of each kind in their own rank
TAKEN = 10  # in which groups wild cards of both kinds lie, see in_order
NAMES = 11


class Window(NamedTuple):
    """Which of the card sets are wanted: number k goes to row ``at + k - first`` of the moves."""

    first: int
    last: int
    stop: int  # walk no further
    at: int


def most_kickers(book: Book) -> int:
    """The most groups of kickers that a form carries."""
    return int(book.blocks[:, KICKERS].max())


class _Rooms(local):
    """By thread, for a room is written into by one walk at a time."""

    def __init__(self) -> None:
        self.by_size: dict[tuple[int, int, int, int], Room] = {}


_rooms = _Rooms()


def room_for(book: Book, most: int) -> Room:
    """Room for walks through the forms of a game, which have so many cards at most: the thread's own, kept by size."""
    ranks, slots = book.kind.shape
    size = ranks, slots, most, most_kickers(book)
    if size not in _rooms.by_size:
        _rooms.by_size[size] = new_room(*size)
    return _rooms.by_size[size]


def new_room(ranks: int, slots: int, most: int, kickers: int) -> Room:
    """Of such a size."""
    return Room(
        np.zeros((ranks, slots), np.uint8), np.zeros(2, np.int64), np.zeros((NAMES, MOST_GROUPS + 2), np.int64),
        np.zeros(most + 1, np.uint8), np.zeros(ranks + 1, np.int64), np.zeros(ranks, np.int64),
        np.zeros((kickers + 3, 5), np.int64), np.zeros((kickers + 2, 3), np.int64),
        np.zeros((ranks + 1, kickers + 2), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def take_hand(book, context, hand, room):
    """Sort a hand into ranks, slots and wild cards."""
    kind, acting, wild, natural, wilds = book.kind, book.acting, book.wild, room.natural, room.wilds
    for rank in range(kind.shape[0]):
        for slot in range(len(book.width)):
            card = kind[rank, slot]
            natural[rank, slot] = hand[card] * acting[context, rank, slot] if card >= 0 else 0
    wilds[0] = wilds[1] = 0
    for place in range(book.stand_ins):
        card = wild[context, place, 0]
        wilds[place] = hand[card] if card >= 0 else 0


# Arrays that cross a call or leave a tuple in an inner loop cost a counted reference each, so what is called there
# takes
# single arrays, and the walks have theirs in local names.


@njit(cache=True, nogil=True, inline="always")
def pattern_of(base, width, stand_ins, natural, rank, only, wild, context, first_wilds, second_wilds):
    """The candidates for a group; in its own rank a wild card lies among the natural ones."""
    code, first = np.int64(0), np.int64(1)
    for _ in range(stand_ins):
        first *= base
    weight = first
    for slot in range(width):
        if only < 0 or only == slot:
            code += weight * natural[rank, slot]
        weight *= base
    weight = np.int64(1)
    for place in range(stand_ins):
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
def in_order(taken, here, owners):
    """The groups taken by wild cards with one group more, as bits; -1 where another order has the same cards.

    Here and owners have bit K where wild cards of kind K lie in the group, and where they are of its rank. Wild cards
    of the first kind go to groups of their own rank first, then to groups of no kind's, or of both, then to those of
    the second kind; among these from left to right. So of all ways to share out the same cards one is walked.
    """
    turn = np.int64(1) + ((owners >> 1) & 1) - (owners & 1)
    before = (np.int64(2) << turn) - 1
    if (here & 1 and (taken >> 3) & before) or (here & 2 and taken & 7 & ~before):
        return np.int64(-1)
    return taken | (here & 1) << turn | ((here >> 1) & 1) << (3 + turn)


@njit(cache=True, nogil=True, inline="always")
def lay_group(width, stand_ins, kind, wild, counts, row, context, rank, laid, filled):
    """Put one group's cards behind the others; returns how many cards lie there now."""
    for slot in range(width):
        for _ in range(counts[row, slot]):
            laid[filled] = kind[rank, slot]
            filled += 1
    for place in range(stand_ins):
        for _ in range(counts[row, width + place]):
            laid[filled] = wild[context, place, 0]
            filled += 1
    return filled


@njit(cache=True, nogil=True, inline="always")
def keep(sorted_rows, laid, filled, index, row, form, cards):
    """Keep a card set."""
    for place in range(filled):
        cards[row, place] = laid[place]
    close_row(sorted_rows, filled, index, row, form, cards)


@njit(cache=True, nogil=True, inline="always")
def close_row(sorted_rows, filled, index, row, form, cards):
    """So many cards lie in the row of a card set: end it."""
    form[row] = index
    for place in range(filled, cards.shape[1]):
        cards[row, place] = NO_CARD
    if sorted_rows:
        for place in range(1, filled):
            card, back = cards[row, place], place
            while back > 0 and cards[row, back - 1] > card:
                cards[row, back] = cards[row, back - 1]
                back -= 1
            cards[row, back] = card


@njit(cache=True, nogil=True, inline="always")
def ways_of(width, stand_ins, start, base, natural, rank, count):
    """The first of the combinations of so many natural cards of a rank, and the one after the last."""
    code, weight = np.int64(0), np.int64(1)
    for _ in range(stand_ins):
        weight *= base
    for slot in range(width):
        code += weight * natural[rank, slot]
        weight *= base
    return np.int64(start[code, count]), np.int64(start[code, count + 1])
