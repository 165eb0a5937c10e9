"""From a legal label to its concrete card sets: the kernels that lay down cards.

They read the same facts as the rules that decide legality (shapes.py) and nothing else. The cards of a move lie from
low to high, so its main cards are one block among the kickers. The card sets of a label come in the order of their
texts: a walk over blocks and kickers from left to right that tries the letters in the order of the alphabet.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.doudizhu.rulebook import Book
from abl_cards.games.doudizhu.shapes import COUNT, FIRST
from abl_cards.games.tables import Moves
from abl_cards.streams import below, mix

EVERY_LABEL = -1
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_SMALL, _BIG = COUNT - 2, COUNT - 1
_DEEPEST = 8
_ONE_WORD = 8  # cards
_TOPS = np.uint64(sum(8 << 4 * rank for rank in range(COUNT)))
NO_LABEL = -2
"""The form where a label has no card set."""


def _usable() -> NDArray[np.int8]:
    """[numbers allowed as bits, held] the largest number of groups that is allowed and held."""
    table = np.zeros((128, 5), np.int8)
    for bits in range(128):
        for held in range(5):
            table[bits, held] = max((n for n in range(1, held + 1) if bits >> n & 1), default=0)
    return table


_USABLE = _usable()


class _Room(NamedTuple):
    """What a walk through the card sets of a label needs."""

    caps: NDArray[np.int64]  # [15] the most groups of each rank that can be kickers
    stack: NDArray[np.int64]  # [10, 5] where the walk stands, by depth
    laid: NDArray[np.uint64]  # [10, 3] the cards laid down so far, by depth
    letters: NDArray[np.int64]  # [15] ranks that can come
    kicker: NDArray[np.uint64]  # [1] a group of kickers


@njit(cache=True, nogil=True, inline="always")
def _held(key, rank):
    return np.int64((key >> np.uint64(4 * rank)) & np.uint64(15))


@njit(cache=True, nogil=True, inline="always")
def _write(words, row, key):
    """Write the cards of a key from low to high into a row of three words."""
    low, middle, high, at = _EMPTY, _EMPTY, _EMPTY, np.int64(0)
    for rank in range(COUNT):
        count = _held(key, rank)
        if count:
            # XOR with the complement sets bytes that are 255 so far.
            flip = np.uint64(255 - (rank + FIRST))
            for _ in range(count):
                bits = flip << np.uint64(8 * (at & 7))
                if at < 8:
                    low ^= bits
                elif at < 16:
                    middle ^= bits
                else:
                    high ^= bits
                at += 1
    words[row, 0], words[row, 1], words[row, 2] = low, middle, high


@njit(cache=True, nogil=True, inline="always")
def _holds(key, cards):
    """Whether a hand holds these cards; numbers only, for arrays that cross a call are counted."""
    return ((key | _TOPS) - cards) & _TOPS == _TOPS


@njit(cache=True, nogil=True, inline="always")
def _limits(layout, way, label, key, caps):
    """Fill caps [15] with the most groups of each rank that can be kickers; returns their sum.

    The hand holds the main cards, which are none of the kickers.
    """
    size, total, key = np.int64(layout.kicker_size[label]), np.int64(0), key - layout.main[label]
    for rank in range(COUNT):
        allowed = layout.allowed[way, label, rank]
        caps[rank] = _USABLE[allowed, _held(key, rank) // size] if allowed else 0
        total += caps[rank]
    return total


@njit(cache=True, nogil=True, inline="always")
def _append(words, depth, at, block, count):
    """Copy the words of a depth to the next one and put so many cards behind the first ``at`` of them."""
    words[depth + 1, 0], words[depth + 1, 1], words[depth + 1, 2] = words[depth, 0], words[depth, 1], words[depth, 2]
    for place in range(count):
        card = (block[place >> 3] >> np.uint64(8 * (place & 7))) & np.uint64(255)
        # The places are 255 so far.
        words[depth + 1, (at + place) >> 3] ^= (card ^ np.uint64(255)) << np.uint64(8 * ((at + place) & 7))


@njit(cache=True, nogil=True)
def _walk(book, way, label, caps, room, stop, words, form, at, end):
    """Lay down the card sets of a label with kickers in the order of their texts; returns how many there are.

    Goes no further than stop of them; writes those from row ``at`` on that lie before row ``end``.
    """
    layout = book.layout
    groups, size = np.int64(layout.kickers[label]), np.int64(layout.kicker_size[label])
    first, main_size, main = np.int64(layout.first[label]), np.int64(layout.size[label]), book.main[label]
    apart, allowed, stack, laid, kicker = (
        layout.apart[label],
        layout.allowed[way, label],
        room.stack,
        room.laid,
        room.kicker,
    )
    letters = _letters(book.alphabet, first, caps, room.letters)
    found, depth = np.int64(0), np.int64(0)
    # By depth: next letter to try, rank of the last kicker, how often it came, whether the main block lies, cards.
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, -1, 0, 0, 0
    laid[0, 0], laid[0, 1], laid[0, 2] = _EMPTY, _EMPTY, _EMPTY
    while depth >= 0:
        letter = stack[depth, 0]
        if letter == letters:
            depth -= 1
            continue
        stack[depth, 0] = letter + 1
        rank, before, again, lies, cards = (
            room.letters[letter], stack[depth, 1], stack[depth, 2], stack[depth, 3], stack[depth, 4],
        )  # fmt: skip
        if rank == first:
            if lies or before > first:
                continue
            next_rank, next_again, next_lies, next_cards = before, again, np.int64(1), cards + main_size
            _append(laid, depth, cards, main, main_size)
        else:
            if rank < before or depth - lies == groups or (rank > first) != (lies == 1):
                continue
            next_again = again + 1 if rank == before else np.int64(1)
            if next_again > caps[rank] or (apart and rank == _BIG and before == _SMALL):
                continue
            if rank != before and before >= 0 and not (allowed[before] >> again) & 1:
                continue
            next_rank, next_lies, next_cards = rank, lies, cards + size
            kicker[0] = np.uint64(257 * (rank + FIRST))
            _append(laid, depth, cards, kicker, size)
        if depth < groups:
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 0, next_rank, next_again
            stack[depth, 3], stack[depth, 4] = next_lies, next_cards
        elif next_lies and (next_rank < 0 or (allowed[next_rank] >> next_again) & 1):
            if at + found < end:
                row = at + found
                words[row, 0], words[row, 1], words[row, 2] = laid[depth + 1, 0], laid[depth + 1, 1], laid[depth + 1, 2]
                form[row] = label
            found += 1
            if found == stop:
                break
    return found


@njit(cache=True, nogil=True, inline="always")
def _letters(alphabet, first, caps, letters):
    """The ranks that can come in the cards, in the order of their letters; returns how many there are."""
    count = np.int64(0)
    for place in range(COUNT):
        rank = np.int64(alphabet[place])
        if rank == first or caps[rank]:
            letters[count] = rank
            count += 1
    return count


@njit(cache=True, nogil=True)
def _walk_one(book, label, caps, room, words, form, at, end):
    """The same for a label with a single group of kickers: most of a list, and all its cards fit into one word."""
    layout = book.layout
    size, first, main = np.int64(layout.kicker_size[label]), np.int64(layout.first[label]), book.main[label, 0]
    count = np.int64(layout.size[label])
    letters, found = _letters(book.alphabet, first, caps, room.letters), np.int64(0)
    beyond = (_EMPTY << np.uint64(8 * (count + size))) & _EMPTY
    main &= ~(_EMPTY << np.uint64(8 * count))
    block = ~(_EMPTY << np.uint64(8 * size))
    for letter in range(letters):
        rank = room.letters[letter]
        if rank < first:
            if at + found < end:
                kicker = np.uint64(257 * (rank + FIRST)) & block
                words[at + found, 0] = kicker | main << np.uint64(8 * size) | beyond
                words[at + found, 1], words[at + found, 2], form[at + found] = _EMPTY, _EMPTY, label
            found += 1
        elif rank == first:
            for other in range(letters):
                higher = room.letters[other]
                if higher > first:
                    if at + found < end:
                        kicker = np.uint64(257 * (higher + FIRST)) & block
                        words[at + found, 0] = main | kicker << np.uint64(8 * count) | beyond
                        words[at + found, 1], words[at + found, 2], form[at + found] = _EMPTY, _EMPTY, label
                    found += 1
    return found


@njit(cache=True, nogil=True)
def _new_room():
    return _Room(
        np.zeros(COUNT, np.int64), np.zeros((_DEEPEST + 2, 5), np.int64), np.zeros((_DEEPEST + 2, 3), np.uint64),
        np.zeros(COUNT, np.int64), np.zeros(1, np.uint64),
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _lay(book, label, words, row, form):
    """Write the card set of a label without kickers."""
    words[row, 0], words[row, 1], words[row, 2] = book.main[label, 0], book.main[label, 1], book.main[label, 2]
    form[row] = label


@njit(cache=True, nogil=True)
def list_moves(book, keys, to_beat, labels, legal, lo, hi, start, words, form):
    """All card sets of decisions lo..hi-1 in the order of lists, or those of one label each.

    Fills start[lo + 1 : hi + 1], writes as much as there is room for and returns how many card sets there are.
    """
    layout, wire, room = book.layout, book.wire, _new_room()
    main, size, kickers, passing = layout.main, layout.size, layout.kickers, np.int64(wire[len(wire) - 1])
    caps, end, seen = room.caps, np.int64(form.shape[0]), np.int64(start[lo])
    for i in range(lo, hi):
        key, way = keys[i], 1 if to_beat[i] < 0 else 0
        for place in range(len(wire)):
            label = np.int64(wire[place])
            if not legal[label, i] or (labels[i] != EVERY_LABEL and labels[i] != label):
                continue
            if not _holds(key, main[label]) or (size[label] == 0 and label != passing):
                continue
            if kickers[label] == 0:
                if seen < end:
                    _lay(book, label, words, seen, form)
                seen += 1
                continue
            _limits(layout, way, label, key, caps)
            if kickers[label] == 1 and size[label] + layout.kicker_size[label] < _ONE_WORD:
                seen += _walk_one(book, label, caps, room, words, form, seen, end)
            else:
                seen += _walk(book, way, label, caps, room, -1, words, form, seen, end)
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def _first(book, keys, to_beat, labels, lo, hi, words, form):
    layout, room = book.layout, _new_room()
    main, size, passing = layout.main, layout.size, np.int64(book.wire[len(book.wire) - 1])
    for i in range(lo, hi):
        label, way = np.int64(labels[i]), 1 if to_beat[i] < 0 else 0
        form[i] = NO_LABEL
        if not 0 <= label < len(main) or not _holds(keys[i], main[label]) or (size[label] == 0 and label != passing):
            continue
        if layout.kickers[label] == 0:
            _lay(book, label, words, i, form)
        else:
            _limits(layout, way, label, keys[i], room.caps)
            _walk(book, way, label, room.caps, room, 1, words, form, i, i + 1)


@njit(cache=True, nogil=True)
def _random(book, keys, to_beat, labels, bits, lo, hi, words, form):
    layout = book.layout
    main, size, passing = layout.main, layout.size, np.int64(book.wire[len(book.wire) - 1])
    caps = np.zeros(COUNT, np.int64)
    ways = np.zeros((COUNT + 1, _DEEPEST), np.int64)
    for i in range(lo, hi):
        label, way = np.int64(labels[i]), 1 if to_beat[i] < 0 else 0
        form[i] = NO_LABEL
        if not 0 <= label < len(main) or not _holds(keys[i], main[label]) or (size[label] == 0 and label != passing):
            continue
        key = main[label]
        groups = np.int64(layout.kickers[label])
        if groups:
            total = _limits(layout, way, label, keys[i], caps)
            lot = mix(bits[i], np.uint64(1))
            if groups == 1:
                kickers = _one_kicker(caps, np.uint64(layout.kicker_size[label]), total, lot)
            else:
                kickers = _some_kickers(layout, way, label, groups, caps, ways, lot)
            if kickers == np.uint64(0):
                continue
            key += kickers
        form[i] = label
        _write(words, i, key)


@njit(cache=True, nogil=True)
def _one_kicker(caps, size, total, lot):
    """The key of a kicker drawn from those that are there."""
    left = np.int64(below(lot, np.uint64(total)))
    for rank in range(COUNT):
        if caps[rank]:
            if left == 0:
                return size << np.uint64(4 * rank)
            left -= 1
    return np.uint64(0)


@njit(cache=True, nogil=True)
def _some_kickers(layout, way, label, groups, caps, ways, lot):
    """The key of kickers, all sets of them equally likely: counts them from the high ranks down, then draws upwards.

    Zero where there are not enough.
    """
    apart, size = layout.apart[label], np.uint64(layout.kicker_size[label])
    ways[:, : groups + 1] = 0
    ways[COUNT, 0] = 1
    for rank in range(COUNT - 1, -1, -1):
        for n in range(groups + 1):
            total = ways[rank + 1, n]
            for k in range(1, min(n, caps[rank]) + 1):
                if (layout.allowed[way, label, rank] >> k) & 1:
                    # The small joker takes no big one with it where they are kept apart.
                    skip = 2 if apart and rank == _SMALL else 1
                    total += ways[rank + skip, n - k]
            ways[rank, n] = total
    if ways[0, groups] == 0:
        return np.uint64(0)
    left, n, rank, key = np.int64(below(lot, np.uint64(ways[0, groups]))), groups, np.int64(0), np.uint64(0)
    while n > 0:
        if left < ways[rank + 1, n]:
            rank += 1
            continue
        left -= ways[rank + 1, n]
        skip = 2 if apart and rank == _SMALL else 1
        for k in range(1, min(n, caps[rank]) + 1):
            if (layout.allowed[way, label, rank] >> k) & 1:
                if left < ways[rank + skip, n - k]:
                    key += (size * np.uint64(k)) << np.uint64(4 * rank)
                    n -= k
                    rank += skip
                    break
                left -= ways[rank + skip, n - k]
    return key


def realise_first(
    book: Book,
    keys: NDArray[np.uint64],
    to_beat: NDArray[np.int16],
    labels: NDArray[np.int16],
    lo: int,
    hi: int,
    moves: Moves,
) -> None:
    """The first card set of one legal label a decision, for decisions lo..hi-1."""
    _first(book, keys, to_beat, labels, lo, hi, moves.cards.view(np.uint64), moves.form)


def realise_random(
    book: Book,
    keys: NDArray[np.uint64],
    to_beat: NDArray[np.int16],
    labels: NDArray[np.int16],
    bits: NDArray[np.uint64],
    lo: int,
    hi: int,
    moves: Moves,
) -> None:
    """A card set of one legal label a decision, all equally likely, for decisions lo..hi-1."""
    _random(book, keys, to_beat, labels, bits, lo, hi, moves.cards.view(np.uint64), moves.form)
