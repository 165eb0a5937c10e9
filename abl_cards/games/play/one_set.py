"""From a legal label to one of its card sets: the first in the order of the walk, or one by chance."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.play.book import (
    APART,
    CARRYING,
    FORM,
    GROUPS,
    KICKER_SIZE,
    KICKERS,
    LAID,
    MODE,
    ONLY,
    RANK,
    ROOM_FOR_ALL,
    ROW,
    SIZE,
    Window,
    keep,
    lay_group,
    pattern_of,
    take_hand,
    ways_of,
)
from abl_cards.games.play.walk import limits, walk_kickers, walk_label
from abl_cards.games.reading.layout import NONE, PLAIN
from abl_cards.games.tables import NO_CARD
from abl_cards.streams import below, mix


@njit(cache=True, nogil=True)
def realise(book, hands, context, way, labels, allowed, keys, lo, hi, form, cards, room, found):
    """One card set of one label a decision, for decisions lo..hi-1: a random one, or the first without keys.

    ``found`` [n] is how many there are to choose from; 0 where the label turns out to have none.
    """
    label_blocks, blocks, parts = book.label_blocks, book.blocks, book.groups
    kind, acting, wild, start, counts = book.kind, book.acting, book.wild, book.start, book.counts
    codes, width, stand_ins, base, sorted_rows = (
        room.state[ROW], len(book.width), book.stand_ins, book.base, book.sorted_rows,
    )  # fmt: skip
    first = np.int64(1)
    for _ in range(stand_ins):
        first *= base
    for i in range(lo, hi):
        label, ctx, how, here = np.int64(labels[i]), np.int64(context[i]), np.int64(way[i]), np.int64(i)
        if not 0 <= label < len(label_blocks):
            found[i] = 0
            continue
        block = np.int64(label_blocks[label, 0])
        plain = label_blocks[label, 1] - block == 1 and blocks[block, MODE] == PLAIN
        for place in range(stand_ins):
            plain = plain and (wild[ctx, place, 0] < 0 or hands[i, wild[ctx, place, 0]] == 0)
        if plain and not blocks[block, KICKERS]:
            # All the ways to choose each group by itself are equally likely. This is no function of its own, for each
            # array that it were given would cost a counted reference, at every decision.
            groups, total = np.int64(blocks[block, GROUPS]), np.int64(1)
            for group in range(groups):
                rank, size, only = parts[block, RANK, group], parts[block, SIZE, group], parts[block, ONLY, group]
                code, weight = np.int64(0), first
                for slot in range(width):
                    card = kind[rank, slot]
                    if card >= 0 and (only < 0 or only == slot):
                        code += weight * np.int64(hands[i, card] * acting[ctx, rank, slot])
                    weight *= base
                codes[group] = code
                total *= np.int64(start[code, size + 1] - start[code, size])
            found[i] = total
            if total == 0:
                continue
            number, filled, left = np.int64(0), np.int64(0), total
            if len(keys) > 0 and total > 1:
                number = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(total)))
            for group in range(groups):
                rank, size = parts[block, RANK, group], parts[block, SIZE, group]
                low, row = np.int64(start[codes[group], size]), np.int64(start[codes[group], size])
                if left > 1:
                    left //= np.int64(start[codes[group], size + 1]) - low
                    row += number // left
                    number %= left
                for slot in range(width):
                    for _ in range(counts[row, slot]):
                        cards[i, filled] = kind[rank, slot]
                        filled += 1
            form[i] = blocks[block, FORM]
            for place in range(filled, cards.shape[1]):
                cards[i, place] = NO_CARD
            if sorted_rows:
                for place in range(1, filled):
                    card, back = cards[i, place], place
                    while back > 0 and cards[i, back - 1] > card:
                        cards[i, back] = cards[i, back - 1]
                        back -= 1
                    cards[i, back] = card
            continue
        take_hand(book, ctx, hands[i], room)
        if plain:
            found[i] = _draw_carrying(book, block, ctx, how, keys, here, room, form, cards)
            continue
        pick = np.int64(0)
        if len(keys) > 0:
            counting = Window(np.int64(0), np.int64(0), np.int64(ROOM_FOR_ALL), here)
            count = walk_label(book, label, ctx, how, allowed, here, room, np.int64(0), counting, form, cards)
            found[i] = count
            if count == 0:
                continue
            pick = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(count)))
        seen = walk_label(
            book, label, ctx, how, allowed, here, room, np.int64(0), Window(pick, pick + 1, pick + 1, here), form, cards
        )
        if len(keys) == 0:
            found[i] = seen


@njit(cache=True, nogil=True)
def _draw_carrying(book, block, context, way, keys, i, room, form, cards):
    """A card set of a plain block with kickers, which are chosen after the groups."""
    width, stand_ins = len(book.width), book.stand_ins
    natural, laid, base, sorted_rows = room.natural, room.laid, book.base, book.sorted_rows
    kind, wild, start, counts, parts = book.kind, book.wild, book.start, book.counts, book.groups[block]
    groups, kickers = np.int64(book.blocks[block, GROUPS]), np.int64(book.blocks[block, KICKERS])
    if len(keys) == 0:
        window = Window(np.int64(0), np.int64(1), np.int64(1), np.int64(i))
        return _walk_plain(book, block, context, way, room, window, form, cards)
    total = np.int64(1)
    for group in range(groups):
        size = parts[SIZE, group]
        pattern = pattern_of(
            base, width, stand_ins, natural, parts[RANK, group], parts[ONLY, group], wild, context, 0, 0
        )
        total *= np.int64(start[pattern, size + 1] - start[pattern, size])
    limits(book, block, way, room)
    one = kickers == 1
    none = np.int64(NONE)  # for a literal numba would compile another kernel
    carried = _one_kicker(book, block, room, none) if one else _count_kickers(book, block, way, kickers, room)
    if total * carried == 0:
        return np.int64(0)
    lot = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(total * carried)))
    which, rest, filled, left = lot // carried, lot % carried, np.int64(0), total
    for group in range(groups):
        rank, size = np.int64(parts[RANK, group]), parts[SIZE, group]
        pattern = pattern_of(base, width, stand_ins, natural, rank, parts[ONLY, group], wild, context, 0, 0)
        low, high = np.int64(start[pattern, size]), np.int64(start[pattern, size + 1])
        left //= high - low
        filled = lay_group(width, stand_ins, kind, wild, counts, low + which // left, context, rank, laid, filled)
        which %= left
    if one:
        _one_kicker(book, block, room, rest)
        low = room.chosen[0, 1]
        filled = lay_group(width, stand_ins, kind, wild, counts, low, np.int64(0), room.chosen[0, 0], laid, filled)
    else:
        filled = _take_kickers(book, block, way, kickers, rest, room, filled)
    keep(sorted_rows, laid, filled, book.blocks[block, FORM], i, form, cards)
    return total * carried


@njit(cache=True, nogil=True)
def _walk_plain(book, block, context, way, room, window, form, cards):
    """The first card set of a plain block with kickers."""
    width, stand_ins = len(book.width), book.stand_ins
    filled, base, parts = np.int64(0), book.base, book.groups[block]
    for group in range(book.blocks[block, GROUPS]):
        rank, size = np.int64(parts[RANK, group]), parts[SIZE, group]
        pattern = pattern_of(base, width, stand_ins, room.natural, rank, parts[ONLY, group], book.wild, context, 0, 0)
        low, high = np.int64(book.start[pattern, size]), np.int64(book.start[pattern, size + 1])
        if low == high:
            return np.int64(0)
        filled = lay_group(width, stand_ins, book.kind, book.wild, book.counts, low, context, rank, room.laid, filled)
    room.state[LAID, 0] = filled
    return walk_kickers(book, block, way, room, np.int64(0), np.int64(0), window, form, cards)


@njit(cache=True, nogil=True)
def _one_kicker(book, block, room, number):
    """How many ways there are to carry a single kicker; or choose the one of a number, by its rank and combination."""
    width, stand_ins = len(book.width), book.stand_ins
    caps, natural, start, base = room.caps, room.natural, book.start, book.base
    size, seen = np.int64(book.blocks[block, KICKER_SIZE]), np.int64(0)
    for rank in range(len(caps)):
        if caps[rank]:
            low, high = ways_of(width, stand_ins, start, base, natural, rank, size)
            if seen <= number < seen + high - low:
                room.chosen[0, 0], room.chosen[0, 1] = rank, low + number - seen
            seen += high - low
    return seen


@njit(cache=True, nogil=True)
def _count_kickers(book, block, way, kickers, room):
    """Fill ways [rank, n]: how many ways there are to take n groups of the ranks from this one on; all of them."""
    width, stand_ins = len(book.width), book.stand_ins
    ways, caps, natural, start, base = room.ways, room.caps, room.natural, book.start, book.base
    row, size, apart = (
        np.int64(book.blocks[block, CARRYING]),
        np.int64(book.blocks[block, KICKER_SIZE]),
        book.blocks[block, APART],
    )
    ranks, allowed = len(caps), book.allowed[row, way]
    for n in range(kickers + 1):
        ways[ranks, n] = 0
    ways[ranks, 0] = 1
    for rank in range(ranks - 1, -1, -1):
        for n in range(kickers + 1):
            total = ways[rank + 1, n]
            for k in range(1, min(n, caps[rank]) + 1):
                if (allowed[rank] >> k) & 1:
                    low, high = ways_of(width, stand_ins, start, base, natural, rank, k * size)
                    skip = 2 if apart and rank == ranks - 2 else 1
                    total += (high - low) * ways[rank + skip, n - k]
            ways[rank, n] = total
    return ways[0, kickers]


@njit(cache=True, nogil=True)
def _take_kickers(book, block, way, kickers, rest, room, filled):
    """Lay down the kickers of a number, from the low ranks on; returns how many cards lie there then."""
    width, stand_ins = len(book.width), book.stand_ins
    ways, caps, natural, start, base = room.ways, room.caps, room.natural, book.start, book.base
    carried, size, apart = (
        np.int64(book.blocks[block, CARRYING]),
        np.int64(book.blocks[block, KICKER_SIZE]),
        book.blocks[block, APART],
    )
    allowed, ranks = book.allowed[carried, way], len(caps)
    rank, n = np.int64(0), kickers
    while n > 0:
        if rest < ways[rank + 1, n]:
            rank += 1
            continue
        rest -= ways[rank + 1, n]
        skip = 2 if apart and rank == ranks - 2 else 1
        for k in range(1, min(n, caps[rank]) + 1):
            if (allowed[rank] >> k) & 1:
                low, high = ways_of(width, stand_ins, start, base, natural, rank, k * size)
                here = (high - low) * ways[rank + skip, n - k]
                if rest < here:
                    row = low + rest // ways[rank + skip, n - k]
                    filled = lay_group(
                        width, stand_ins, book.kind, book.wild, book.counts, row, np.int64(0), rank, room.laid, filled
                    )
                    rest %= ways[rank + skip, n - k]
                    n -= k
                    rank += skip
                    break
                rest -= here
    return filled
