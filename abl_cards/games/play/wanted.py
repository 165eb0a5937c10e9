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
    """Of the legal labels [labels, n] of some rows [m], leave those with a card set of all wanted cards [kinds, m].

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
def _lacking(cards, move, wanted, column):
    """Count the cards of a column of wanted [kinds, any] that a card set lacks."""
    lacking = 0
    for kind in range(wanted.shape[0]):
        if wanted[kind, column]:
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
            there[label] = there[label] or _lacking(cards, move, wanted, place) == 0
        for move in moves:
            label = label_of[form[move]]
            if not there[label]:
                legal[label, row] = 0
        for move in moves:
            there[label_of[form[move]]] = False


AT_ONCE, _FEW = 64, 4
"""Card sets laid out before it is looked which of them hold the wanted cards; of the first few one mostly does."""
_MOST_SOUGHT = 1 << 12
"""Card sets of a label that are looked through so, each lot from the first on; of more a list is better."""


@njit(cache=True, nogil=True)
def hold(book, hands, context, way, answers, reach, rows, wanted, lo, hi, room, form, cards, unsure):
    """Of the legal labels of decisions rows[lo:hi], leave those with a card set of all wanted cards [kinds, m].

    Unsure [m] is set where a label has too many card sets to look through them here. Answers [any, n] begin with the
    labels; reach [labels, kinds] as in `reach_of`. Labels are walked no further than to the first such set; form and
    cards are room for some sets.
    """
    one, last, labels = np.int64(1), np.int64(-1), len(reach)
    width, base, label_blocks, blocks = len(book.width), book.base, book.label_blocks, book.blocks
    kind, acting, wild, start, counts = book.kind, book.acting, book.wild, book.start, book.counts
    stand_ins, codes, parts = book.stand_ins, room.state[ROW], book.groups
    mine, kept = np.empty(len(wanted), np.int64), np.empty((hi - lo, labels), np.uint8)
    for label in range(labels):  # label by label, as they lie in memory
        for place in range(lo, hi):
            kept[place - lo, label] = answers[label, rows[place]]
    for place in range(lo, hi):
        row, legal = np.int64(rows[place]), kept[place - lo]
        ctx, how, taken, count = np.int64(context[row]), np.int64(way[row]), last, _mine(wanted, place, mine)
        for each in range(labels):
            if not legal[each]:
                continue
            holds, label = True, np.int64(each)
            for nth in range(count):
                holds = holds and reach[label, mine[nth]] != 0
            if holds:
                block = _plain_block(label_blocks, blocks, parts, stand_ins, wild, ctx, hands, row, label)
                if block >= 0:
                    ways = _ways(
                        width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, ctx, hands, row,
                        wanted, place, count, codes,
                    )  # fmt: skip
                    holds = answers[blocks[block, ANSWER], row] and ways > 0
                else:
                    if taken != row:
                        take_hand(book, ctx, hands[row], room)
                        taken = row
                    found = _seek(book, label, ctx, how, answers, row, mine, count, room, one, form, cards)[0]
                    holds, unsure[place] = found != 0, unsure[place] or found < 0
            legal[label] = not holds
        for label in range(labels):
            if legal[label]:
                answers[label, row] = 0


@njit(cache=True, nogil=True)
def draw(
    book, hands, context, way, labels, legal, allowed, keys, rows, wanted, lo, hi, room, form, cards, forms, sets, found
):  # fmt: skip
    """Lay down a card set with all wanted cards [kinds, m] of a label [m] each, for decisions rows[lo:hi].

    One by chance by keys [n], the first where there are none. It goes to forms [n] and sets [n, most]; found [n] is how
    many there are, none where the label is not legal, -1 where the label has too many card sets to look through them
    here. Form and cards are room for some sets.
    """
    every, mine = np.int64(ROOM_FOR_ALL), np.empty(len(wanted), np.int64)
    width, base, label_blocks, blocks = len(book.width), book.base, book.label_blocks, book.blocks
    kind, acting, wild, start, counts = book.kind, book.acting, book.wild, book.start, book.counts
    stand_ins, codes, parts, sorted_rows = book.stand_ins, room.state[ROW], book.groups, book.sorted_rows
    for place in range(lo, hi):
        row, label, many = np.int64(rows[place]), np.int64(labels[place]), _mine(wanted, place, mine)
        ctx, how, laid = np.int64(context[row]), np.int64(way[row]), np.int64(0)
        found[row] = 0
        if not 0 <= label < len(legal) or not legal[label, row]:
            continue
        block = _plain_block(label_blocks, blocks, parts, stand_ins, wild, ctx, hands, row, label)
        if block < 0:
            take_hand(book, ctx, hands[row], room)
            count, _, laid = _seek(book, label, ctx, how, allowed, row, mine, many, room, every, form, cards)
        elif not allowed[blocks[block, ANSWER], row]:
            continue
        else:
            count = _ways(
                width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, ctx, hands, row, wanted,
                place, many, codes,
            )  # fmt: skip
        found[row] = count
        if count <= 0:
            continue
        pick = np.int64(below(keys[row], np.uint64(count))) if len(keys) > 0 else np.int64(0)
        if block < 0:
            if laid > 0:
                at = _nth(cards, laid, mine, many, pick)
            else:
                at = _seek(book, label, ctx, how, allowed, row, mine, many, room, pick + 1, form, cards)[1]
            forms[row] = form[at]
            sets[row] = cards[at]
        else:
            _lay_way(
                width, sorted_rows, kind, start, counts, blocks, parts, block, wanted, place, codes, pick, count, row,
                forms, sets,
            )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _mine(wanted, place, mine):
    """Write down the cards wanted at a place; returns how many there are."""
    count = 0
    for kind in range(len(wanted)):
        if wanted[kind, place]:
            mine[count] = kind
            count += 1
    return count


@njit(cache=True, nogil=True, inline="always")
def _all_there(cards, move, mine, count):
    """Whether a card set has all of so many cards."""
    there = True
    for nth in range(count):
        found = False
        for place in range(cards.shape[1]):
            found = found or cards[move, place] == mine[nth]
        there = there and found
    return there


@njit(cache=True, nogil=True)
def _nth(cards, sets, mine, count, number):
    """Which of so many card sets is the one of a number among those with all wanted cards."""
    for move in range(sets):
        if _all_there(cards, move, mine, count):
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
def _ways(
    width, stand_ins, base, kind, acting, start, counts, blocks, parts, block, context, hands, row, wanted, place, many,
    codes,
):  # fmt: skip
    """How many card sets of such a block hold all, so many, wanted cards; writes the pattern of each group to codes."""
    total, first, lacking = np.int64(1), np.int64(1), np.int64(many)
    for _ in range(stand_ins):
        first *= base
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
def _seek(book, label, context, way, allowed, row, mine, many, room, most, form, cards):
    """How many card sets of a label hold so many wanted cards, up to a number, and where in cards the last of them is.

    -1 where too many would have to be looked through. At last how many card sets lie in cards, where that is all of
    them, else 0.
    """
    first, count, last = np.int64(0), np.int64(0), np.int64(-1)
    size = min(_FEW * min(most, np.int64(len(form))), np.int64(len(form)))  # more are worth it where more are asked for
    while True:
        window = Window(first, first + size, first + size, np.int64(0))
        seen = walk_label(book, label, context, way, allowed, row, room, np.int64(0), window, form, cards)
        for move in range(min(seen - first, size)):
            if _all_there(cards, move, mine, many):
                count, last = count + 1, np.int64(move)
                if count == most:
                    return count, last, np.int64(0)
        if seen < first + size:
            return count, last, seen if first == 0 else np.int64(0)
        first, size = first + size, np.int64(len(form))
        if first > _MOST_SOUGHT:
            return np.int64(-1), last, np.int64(0)
