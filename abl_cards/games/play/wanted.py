"""Cards that must be among those laid down: which card sets hold them, and which labels have such a card set."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.play.book import (
    ANSWER,
    FORM,
    GROUPS,
    KICKERS,
    MODE,
    ONLY,
    RANK,
    ROOM_FOR_ALL,
    ROW,
    SIZE,
    Book,
    Window,
    close_row,
    take_hand,
)
from abl_cards.games.play.walk import walk_label
from abl_cards.games.reading.layout import PLAIN
from abl_cards.games.tables import MoveLists
from abl_cards.streams import below


def reach_of(book: Book, kinds: int) -> NDArray[np.float32]:
    """[labels, kinds] 1 where a card set of the label can have such a card among its cards, by what its groups are."""
    found = np.zeros((len(book.label_blocks), kinds), np.float32)
    stand_ins = book.wild[:, :, 0]
    for label, (first, last) in enumerate(book.label_blocks):
        for block in range(first, last):
            if book.blocks[block, KICKERS] or book.blocks[block, MODE] != PLAIN:
                found[label] = 1
                continue
            found[label, stand_ins[stand_ins >= 0]] = 1
            for group in range(book.blocks[block, GROUPS]):
                cards, slot = book.kind[book.groups[block, RANK, group]], book.groups[block, ONLY, group]
                cards = cards if slot < 0 else cards[slot : slot + 1]
                found[label, cards[cards >= 0]] = 1
    return found


def reaching(reach: NDArray[np.float32], wanted: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """[labels, n] whether a label can have all wanted cards [kinds, n] among its cards, if the hand allows it."""
    there: NDArray[np.bool_] = reach @ wanted.astype(np.float32) >= wanted.sum(axis=0)
    return there


def keep_labels(
    legal: NDArray[np.uint8], lists: MoveLists, label_of: NDArray[np.int16], wanted: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> None:  # fmt: skip
    """Of the legal labels [labels, n] of some rows, leave those that have a card set with all wanted cards [kinds, n].

    The lists are those of these rows and hold every card set. A column of the mask is spread over memory: it is read
    where there are card sets, and nowhere else.
    """
    _keep_labels(legal, *lists, label_of, wanted, rows)


def keep_sets(lists: MoveLists, wanted: NDArray[np.uint8], rows: NDArray[np.int64]) -> MoveLists:
    """Of the card sets of some rows those with all wanted cards [kinds, n]; all card sets of the others."""
    kept = np.ones(len(lists.form), np.bool_)
    _keep_sets(lists.start, lists.cards, wanted, rows, kept)
    start = np.concatenate([[0], kept.cumsum()])[lists.start]
    return MoveLists(start, lists.form[kept], lists.cards[kept])


@njit(cache=True, nogil=True)
def _lacking(cards, move, wanted, row):
    """How many of the wanted cards of a row a card set lacks."""
    lacking = 0
    for kind in range(wanted.shape[0]):
        if wanted[kind, row]:
            lacking += 1
            for place in range(cards.shape[1]):
                if cards[move, place] == kind:
                    lacking -= 1
                    break
    return lacking


@njit(cache=True, nogil=True)
def _keep_sets(start, cards, wanted, rows, kept):
    for row in rows:
        for move in range(start[row], start[row + 1]):
            kept[move] = _lacking(cards, move, wanted, row) == 0


@njit(cache=True, nogil=True)
def _keep_labels(legal, start, form, cards, label_of, wanted, rows):
    there = np.zeros(legal.shape[0], np.bool_)
    for place in range(len(rows)):
        row, moves = rows[place], range(start[place], start[place + 1])
        for move in moves:
            label = label_of[form[move]]
            there[label] = there[label] or _lacking(cards, move, wanted, row) == 0
        for move in moves:
            label = label_of[form[move]]
            if not there[label]:
                legal[label, row] = 0
        for move in moves:
            there[label_of[form[move]]] = False


AT_ONCE, _FEW = 64, 4
"""Card sets laid out before it is looked which of them hold the wanted cards; of the first few one mostly does."""


@njit(cache=True, nogil=True)
def hold(book, hands, context, way, allowed, rows, wanted, lo, hi, room, form, cards, kept):
    """Of the labels kept [labels, m] of decisions rows[lo:hi], leave those with a card set of all wanted [kinds, m].

    Labels are walked no further than to the first such set; form and cards are room for some sets.
    """
    one, last = np.int64(1), np.int64(-1)
    width, base, label_blocks, blocks = len(book.width), book.base, book.label_blocks, book.blocks
    kind, acting, wild, start, counts = book.kind, book.acting, book.wild, book.start, book.counts
    stand_ins, codes, parts = book.stand_ins, room.state[ROW], book.groups
    for place in range(lo, hi):
        row = np.int64(rows[place])
        ctx, how, taken = np.int64(context[row]), np.int64(way[row]), last
        for each in range(len(kept)):
            label = np.int64(each)
            if not kept[label, place]:
                continue
            block = _plain_block(label_blocks, blocks, parts, stand_ins, wild, ctx, hands, row, label)
            if block >= 0:
                ways = _ways(
                    width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, ctx, hands, row, wanted,
                    place, codes,
                )  # fmt: skip
                kept[label, place] = allowed[blocks[block, ANSWER], row] and ways > 0
                continue
            if taken != row:
                take_hand(book, ctx, hands[row], room)
                taken = row
            kept[label, place] = _seek(
                book, label, ctx, how, allowed, row, wanted, place, room, one, form, cards
            )[0]  # fmt: skip


@njit(cache=True, nogil=True)
def draw(
    book, hands, context, way, labels, legal, allowed, keys, rows, wanted, lo, hi, room, form, cards, forms, sets, found
):  # fmt: skip
    """Lay down a card set with all wanted cards [kinds, m] of a label [m] each, for decisions rows[lo:hi].

    One by chance by keys [n], the first where there are none. It goes to forms [n] and sets [n, most]; found [n] is how
    many there are, none where the label is not legal. Form and cards are room for some sets.
    """
    every = np.int64(ROOM_FOR_ALL)
    width, base, label_blocks, blocks = len(book.width), book.base, book.label_blocks, book.blocks
    kind, acting, wild, start, counts = book.kind, book.acting, book.wild, book.start, book.counts
    stand_ins, codes, parts, sorted_rows = book.stand_ins, room.state[ROW], book.groups, book.sorted_rows
    for place in range(lo, hi):
        row, label = np.int64(rows[place]), np.int64(labels[place])
        ctx, how = np.int64(context[row]), np.int64(way[row])
        found[row] = 0
        if not 0 <= label < len(legal) or not legal[label, row]:
            continue
        block = _plain_block(label_blocks, blocks, parts, stand_ins, wild, ctx, hands, row, label)
        if block < 0:
            take_hand(book, ctx, hands[row], room)
            count = _seek(book, label, ctx, how, allowed, row, wanted, place, room, every, form, cards)[0]
        elif not allowed[blocks[block, ANSWER], row]:
            continue
        else:
            count = _ways(
                width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, ctx, hands, row, wanted,
                place, codes,
            )  # fmt: skip
        found[row] = count
        if count == 0:
            continue
        pick = np.int64(below(keys[row], np.uint64(count))) if len(keys) > 0 else np.int64(0)
        if block < 0:
            at = _seek(book, label, ctx, how, allowed, row, wanted, place, room, pick + 1, form, cards)[1]
            forms[row] = form[at]
            sets[row] = cards[at]
        else:
            _lay_way(
                width, sorted_rows, kind, start, counts, blocks, parts, block, wanted, place, codes, pick, count, row,
                forms, sets,
            )  # fmt: skip


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
def _ways(
    width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, context, hands, row, wanted, place, codes
):  # fmt: skip
    """How many card sets of such a block hold all wanted cards; writes the pattern of each of its groups into codes."""
    total, first, lacking = np.int64(1), np.int64(1), np.int64(0)
    for _ in range(stand_ins):
        first *= base
    for card in range(len(wanted)):
        lacking += wanted[card, place] != 0
    for group in range(blocks[block, GROUPS]):
        rank, size, only = parts[block, RANK, group], parts[block, SIZE, group], parts[block, ONLY, group]
        code, weight = np.int64(0), first
        for slot in range(width):
            card = kind[rank, slot]
            if card >= 0:
                lacking -= wanted[card, place] != 0
                if only < 0 or only == slot:
                    code += weight * np.int64(hands[row, card] * acting[context, rank, slot])
            weight *= base
        codes[group], ways = code, np.int64(0)
        for each in range(start[code, size], start[code, size + 1]):
            ways += _holds(width, kind, counts, each, rank, wanted, place)
        total *= ways
    return total if lacking == 0 else np.int64(0)


@njit(cache=True, nogil=True, inline="always")
def _holds(width, kind, counts, row, rank, wanted, place):
    """Whether a combination of cards of a rank has those that are wanted of it."""
    holds = True
    for slot in range(width):
        card = kind[rank, slot]
        if card >= 0 and wanted[card, place] and counts[row, slot] == 0:
            holds = False
    return holds


@njit(cache=True, nogil=True, inline="always")
def _lay_way(
    width, sorted_rows, kind, start, counts, blocks, parts, block, wanted, place, codes, number, left, row, forms, sets
):  # fmt: skip
    """Lay down the card set of a number, of so many; the last group changes first."""
    filled = np.int64(0)
    for group in range(blocks[block, GROUPS]):
        rank, size = parts[block, RANK, group], parts[block, SIZE, group]
        low, high, ways = np.int64(start[codes[group], size]), np.int64(start[codes[group], size + 1]), np.int64(0)
        for each in range(low, high):
            ways += _holds(width, kind, counts, each, rank, wanted, place)
        left //= ways
        nth, each = number // left, low - 1
        number %= left
        while nth >= 0:
            each += 1
            nth -= _holds(width, kind, counts, each, rank, wanted, place)
        for slot in range(width):
            for _ in range(counts[each, slot]):
                sets[row, filled] = kind[rank, slot]
                filled += 1
    close_row(sorted_rows, filled, blocks[block, FORM], row, forms, sets)


@njit(cache=True, nogil=True)
def _seek(book, label, context, way, allowed, row, wanted, place, room, most, form, cards):
    """How many card sets of a label hold the wanted cards, up to so many; and where in cards the last of these lies."""
    first, count, last = np.int64(0), np.int64(0), np.int64(-1)
    size = min(_FEW * min(most, np.int64(len(form))), np.int64(len(form)))  # more are worth it where more are asked for
    while True:
        window = Window(first, first + size, first + size, np.int64(0))
        seen = walk_label(book, label, context, way, allowed, row, room, np.int64(0), window, form, cards)
        for move in range(min(seen - first, size)):
            if _lacking(cards, move, wanted, place) == 0:
                count, last = count + 1, np.int64(move)
                if count == most:
                    return count, last
        if seen < first + size:
            return count, last
        first, size = first + size, np.int64(len(form))
