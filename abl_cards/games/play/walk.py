"""From a legal label to its concrete card sets: the kernels that lay down cards.

They read the same facts as the rules that decide legality (reading/layout.py) and nothing else. The groups of a form
come in their order, inside a group the natural cards in the order of vectors, wild cards standing in at its end, then
the kickers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.reading.layout import MIXED, NONE, PLAIN, SUITED, TAILED, Catalogue
from abl_cards.streams import below, mix

NO_CARD = 255
EVERY_LABEL, NO_LABEL = -1, -2
ROOM_FOR_ALL = np.iinfo(np.int64).max
MOST_GROUPS = 32


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
    suit: NDArray[np.int8]  # [ranks, slots]
    wild: NDArray[np.int16]  # [contexts, wilds, 3] kinds that stand in, and the rank and the slot that they are of
    start: NDArray[np.int32]  # [patterns, cards + 2] see Combinations; the stand-ins are a pattern's last digits
    counts: NDArray[np.uint8]  # [combinations, slots + stand-ins]
    order: NDArray[np.int16]  # [contexts, ranks] the ranks from weak to strong, for last groups
    lists: NDArray[np.int32]  # [contexts, blocks] the blocks in the order of lists
    alphabet: NDArray[np.int16]  # [ranks] in the order in which kickers are tried
    width: tuple[int, ...]  # as long as there are slots
    stand_ins: tuple[int, ...]  # as there are kinds of wild cards
    base: int  # how many numbers of copies there are at least, none among them
    radix: tuple[int, ...]  # as many, where they are few: kernels for those multiply by a constant
    sorted_rows: bool  # cards lie low to high, kickers among the others

    @classmethod
    def of(
        cls, catalogue: Catalogue, order: NDArray[np.int16], lists: NDArray[np.int32], alphabet: NDArray[np.int16],
        main_letter: NDArray[np.int16], forms: int, sorted_rows: bool,
    ) -> Book:  # fmt: skip
        """Lay out a catalogue of so many forms for the kernels; main_letter [blocks] as ``MAIN_LETTER``."""
        layout, slots, table = catalogue
        more, base = -slots.kind.shape[1] % _SLOTS, max(int(table.base), _FEW)
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
            np.stack([slots.wild, slots.own_rank, slots.own_slot], axis=2), *_combinations(catalogue, more), order,
            lists, alphabet, (0,) * (slots.kind.shape[1] + more), (0,) * slots.wild.shape[1], base,
            (0,) * base if base == _FEW else (), sorted_rows,
        )  # fmt: skip


_SLOTS, _FEW = 4, 3
"""Kernels are made for so many slots, or a multiple, and for so many numbers of copies, or any: each combination takes
half a minute to compile. Suits are four, of cards with suits there are one or two, or none."""


def _combinations(catalogue: Catalogue, more: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Starts and counts with so many empty slots more, which are the first digits of a pattern: always 0."""
    table, slots, wilds = catalogue.combinations, catalogue.slots.kind.shape[1], catalogue.slots.wild.shape[1]
    digits = table.start.reshape(*(table.base,) * (wilds + slots), -1)
    turned = digits.transpose(*range(wilds, wilds + slots), *range(wilds), wilds + slots)
    beyond = max(0, _FEW - table.base)
    start = np.pad(turned, [*[(0, beyond)] * (wilds + slots), (0, 0)])
    counts = np.insert(table.counts, [slots] * more, 0, axis=1)
    return np.ascontiguousarray(start.reshape(-1, start.shape[-1])), np.ascontiguousarray(counts)


LABEL, FORM, MODE, GROUPS, WILDS, TAIL_SIZE, KICKERS, KICKER_SIZE, CARRYING, APART, MAIN_LETTER, ANSWER = range(12)
"""Fields of a block; where the main cards come among the letters, NONE for before all kickers; Book.answer of FORM."""
_RANK, _SIZE, _REAL, _ONLY = range(4)  # parts of a group


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


_ROW, _END = 0, 1  # combinations of the next group still to try
_WILD, _OTHER_WILD = 2, 3  # wild cards left of each kind
_STAND_INS = 4  # wild cards that stand for others
_LAID = 5  # cards on the table
_SHOWN = 6  # their suits as bits
_SUIT = 7  # of the natural cards where all have one; -1 as long as there is none
_OWN = 8  # wild cards in their own rank
_STRANGE = 9  # of these, those of another suit than wild cards would show
_NAMES = 10


class Window(NamedTuple):
    """Which of the card sets are wanted: number k goes to row ``at + k - first`` of the moves."""

    first: int
    last: int
    stop: int  # walk no further
    at: int


@njit(cache=True, nogil=True)
def new_room(ranks, slots, most, kickers):
    """Room for walks through the forms of a game."""
    return Room(
        np.zeros((ranks, slots), np.uint8), np.zeros(2, np.int64), np.zeros((_NAMES, MOST_GROUPS + 2), np.int64),
        np.zeros(most + 1, np.uint8), np.zeros(ranks + 1, np.int64), np.zeros(ranks, np.int64),
        np.zeros((kickers + 3, 5), np.int64), np.zeros((kickers + 2, 3), np.int64),
        np.zeros((ranks + 1, kickers + 2), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def _base(book):
    """To which base a pattern of combinations is written."""
    return np.int64(len(book.radix)) if len(book.radix) > 0 else np.int64(book.base)


@njit(cache=True, nogil=True)
def take_hand(book, context, hand, room):
    """Sort a hand into ranks, slots and wild cards."""
    for rank in range(book.kind.shape[0]):
        _take_rank(book.kind, book.acting, len(book.width), context, hand, rank, room.natural)
    _take_wilds(book.wild, len(book.stand_ins), context, hand, room.wilds)


@njit(cache=True, nogil=True)
def take_groups(book, block, context, hand, room):
    """Sort what the groups of a block may take of a hand, and its wild cards; the other ranks stay as they were."""
    kind, acting, natural, parts, width = book.kind, book.acting, room.natural, book.groups[block], len(book.width)
    for group in range(book.blocks[block, GROUPS]):
        _take_rank(kind, acting, width, context, hand, np.int64(parts[_RANK, group]), natural)
    _take_wilds(book.wild, len(book.stand_ins), context, hand, room.wilds)


@njit(cache=True, nogil=True, inline="always")
def _take_rank(kind, acting, width, context, hand, rank, natural):
    for slot in range(width):
        card = kind[rank, slot]
        natural[rank, slot] = hand[card] * acting[context, rank, slot] if card >= 0 else 0


@njit(cache=True, nogil=True, inline="always")
def _take_wilds(wild, stand_ins, context, hand, wilds):
    wilds[0] = wilds[1] = 0
    for place in range(stand_ins):
        card = wild[context, place, 0]
        wilds[place] = hand[card] if card >= 0 else 0


# Arrays that cross a call or leave a tuple in an inner loop cost a counted reference each, so what is called there
# takes
# single arrays, and the walks have theirs in local names.


@njit(cache=True, nogil=True, inline="always")
def _pattern(base, width, stand_ins, natural, rank, only, wild, context, first_wilds, second_wilds):
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
            slot = np.int64(wild[context, place, 2])
            if wild[context, place, 1] == rank and (only < 0 or only == slot):
                mine = first
                for _ in range(slot):
                    mine *= base
                code += count * mine
            else:
                code += count * weight
        weight *= base
    return code


@njit(cache=True, nogil=True, inline="always")
def _lay(width, stand_ins, kind, wild, counts, row, context, rank, laid, filled):
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
def _write(sorted_rows, laid, filled, index, row, form, cards):
    """Keep a card set."""
    form[row] = index
    for place in range(cards.shape[1]):
        cards[row, place] = laid[place] if place < filled else NO_CARD
    if sorted_rows:
        for place in range(1, filled):
            card, back = cards[row, place], place
            while back > 0 and cards[row, back - 1] > card:
                cards[row, back] = cards[row, back - 1]
                back -= 1
            cards[row, back] = card


@njit(cache=True, nogil=True)
def walk_block(book, block, context, way, allowed, column, room, seen, window, form, cards):
    """Walk the card sets of a block, the first of which has the number ``seen``; returns the number after the last."""
    only_form = np.int64(book.blocks[block, FORM])
    if only_form >= 0 and not allowed[book.blocks[block, ANSWER], column]:
        return seen
    kind, suits, wild, start, counts = book.kind, book.suit, book.wild, book.start, book.counts
    natural, state, laid, base, sorted_rows = (
        room.natural,
        room.state,
        room.laid,
        _base(book),
        book.sorted_rows,
    )
    mode, groups = book.blocks[block, MODE], np.int64(book.blocks[block, GROUPS])
    most, kickers = np.int64(book.blocks[block, WILDS]), np.int64(book.blocks[block, KICKERS])
    parts, suit_form = book.groups[block], book.suit_form[block]
    first, last, stop, shift = window.first, window.last, window.stop, window.at - window.first
    width, stand_ins, laying = len(book.width), len(book.stand_ins), last > first or kickers > 0
    for name in range(_NAMES):
        state[name, 0] = 0
    state[_WILD, 0], state[_OTHER_WILD, 0], state[_SUIT, 0] = room.wilds[0], room.wilds[1], -1
    depth, entering = np.int64(0), True
    while depth >= 0 and seen < stop:
        if depth == groups:
            if mode == TAILED:
                seen = _walk_tails(book, block, context, allowed, column, room, depth, seen, window, form, cards)
            elif kickers > 0:
                if mode != MIXED or state[_SHOWN, depth] & (state[_SHOWN, depth] - 1):
                    seen = _walk_kickers(book, block, way, room, depth, seen, window, form, cards)
            else:
                index = only_form
                if mode == MIXED:
                    shown = state[_SHOWN, depth]
                    index = only_form if shown & (shown - 1) else np.int64(NONE)
                elif mode == SUITED:
                    suit = state[_SUIT, depth]
                    index = np.int64(suit_form[suit]) if suit >= 0 else np.int64(NONE)
                    strangers = state[_STAND_INS, depth]
                    if state[_OWN, depth]:
                        for place in range(stand_ins):
                            rank = wild[context, place, 1]
                            if rank < 0 or suits[rank, wild[context, place, 2]] != suit:
                                strangers += state[_OWN, depth]
                    if index >= 0 and (not allowed[book.answer[index], column] or strangers > most):
                        index = np.int64(NONE)
                if index >= 0:
                    if first <= seen < last:
                        _write(sorted_rows, laid, state[_LAID, depth], index, shift + seen, form, cards)
                    seen += 1
            depth, entering = depth - 1, False
            continue
        rank, size = np.int64(parts[_RANK, depth]), np.int64(parts[_SIZE, depth])
        if entering:
            pattern = _pattern(
                base,
                width,
                stand_ins,
                natural,
                rank,
                parts[_ONLY, depth],
                wild,
                context,
                state[_WILD, depth],
                state[_OTHER_WILD, depth],
            )
            state[_ROW, depth], state[_END, depth] = start[pattern, size], start[pattern, size + 1]
        row = state[_ROW, depth]
        if row == state[_END, depth]:
            depth, entering = depth - 1, False
            continue
        state[_ROW, depth], entering = row + 1, False
        standing, own, shown = np.int64(0), np.int64(0), state[_SHOWN, depth]
        for place in range(stand_ins):
            standing += counts[row, width + place]
        if standing > size - parts[_REAL, depth] or state[_STAND_INS, depth] + standing > most:
            continue
        state[_WILD, depth + 1], state[_OTHER_WILD, depth + 1] = state[_WILD, depth], state[_OTHER_WILD, depth]
        for place in range(stand_ins):
            used = np.int64(counts[row, width + place])
            its_rank, slot = np.int64(wild[context, place, 1]), np.int64(wild[context, place, 2])
            if used and its_rank >= 0:
                shown |= np.int64(1) << np.int64(suits[its_rank, slot])
            if its_rank == rank:
                mine = np.int64(counts[row, slot])
                used += mine
                own += mine
            state[_WILD + place, depth + 1] -= used
        suit = state[_SUIT, depth]
        if mode == SUITED and own == 0:
            mine = suit
            for slot in range(width):
                if counts[row, slot] > 0:
                    mine = np.int64(suits[rank, slot])
            if suit >= 0 and mine != suit:
                continue
            suit = mine
        if mode == MIXED:
            for slot in range(width):
                if counts[row, slot] > 0 and suits[rank, slot] >= 0:
                    shown |= np.int64(1) << np.int64(suits[rank, slot])
        if laying:
            state[_LAID, depth + 1] = _lay(
                width, stand_ins, kind, wild, counts, row, context, rank, laid, state[_LAID, depth]
            )
        state[_STAND_INS, depth + 1] = state[_STAND_INS, depth] + standing
        state[_SHOWN, depth + 1] = shown
        state[_SUIT, depth + 1] = suit
        state[_OWN, depth + 1] = state[_OWN, depth] + own
        depth, entering = depth + 1, True
    return seen


@njit(cache=True, nogil=True)
def _walk_tails(book, block, context, allowed, column, room, depth, seen, window, form, cards):
    """The last group in every rank it may have, weak ranks first."""
    start, counts, order, kind, wild = book.start, book.counts, book.order, book.kind, book.wild
    tails, base, sorted_rows = book.tails[block], _base(book), book.sorted_rows
    state, laid, natural = room.state, room.laid, room.natural
    first, last, stop, shift = window.first, window.last, window.stop, window.at - window.first
    size, filled = np.int64(book.blocks[block, TAIL_SIZE]), state[_LAID, depth]
    spare = book.blocks[block, WILDS] - state[_STAND_INS, depth]
    width, stand_ins = len(book.width), len(book.stand_ins)
    for place in range(order.shape[1]):
        rank = np.int64(order[context, place])
        index = tails[0, rank]
        if index < 0 or not allowed[book.answer[index], column]:
            continue
        pattern = _pattern(
            base, width, stand_ins, natural, rank, NONE, wild, context, state[_WILD, depth], state[_OTHER_WILD, depth]
        )
        most = min(size - tails[1, rank], spare)
        for row in range(start[pattern, size], start[pattern, size + 1]):
            standing = 0
            for stand_in in range(stand_ins):
                standing += counts[row, width + stand_in]
            if standing <= most and seen < stop:
                if first <= seen < last:
                    laying = _lay(width, stand_ins, kind, wild, counts, row, context, rank, laid, filled)
                    _write(sorted_rows, laid, laying, index, shift + seen, form, cards)
                seen += 1
    return seen


@njit(cache=True, nogil=True, inline="always")
def _ways_of(width, stand_ins, start, base, natural, rank, count):
    """The first of the combinations of so many natural cards of a rank, and the one after the last."""
    code, weight = np.int64(0), np.int64(1)
    for _ in range(stand_ins):
        weight *= base
    for slot in range(width):
        code += weight * natural[rank, slot]
        weight *= base
    return np.int64(start[code, count]), np.int64(start[code, count + 1])


@njit(cache=True, nogil=True)
def limits(book, block, way, room):
    """Fill caps with the most groups of each rank that can be kickers; returns their sum."""
    allowed, natural, caps = book.allowed, room.natural, room.caps
    row, size, total = np.int64(book.blocks[block, CARRYING]), np.int64(book.blocks[block, KICKER_SIZE]), np.int64(0)
    for rank in range(len(caps)):
        bits, caps[rank] = np.int64(allowed[row, way, rank]), 0
        if bits:
            held = np.int64(0)
            for slot in range(len(book.width)):
                held += natural[rank, slot]
            groups = held // size
            while groups > 0 and not (bits >> groups) & 1:
                groups -= 1
            caps[rank] = groups
            total += groups
    return total


@njit(cache=True, nogil=True)
def _walk_kickers(book, block, way, room, depth, seen, window, form, cards):
    """The kickers of a form in the order of their letters; see Book.main_letter."""
    row, groups = np.int64(book.blocks[block, CARRYING]), np.int64(book.blocks[block, KICKERS])
    apart, main = book.blocks[block, APART], np.int64(book.blocks[block, MAIN_LETTER])
    limits(book, block, way, room)
    caps, stack, letters, chosen = room.caps, room.stack, room.letters, room.chosen
    allowed, alphabet, highest = book.allowed[row, way], book.alphabet, np.int64(book.kind.shape[0] - 1)
    count = np.int64(0)
    for place in range(len(alphabet)):
        rank = np.int64(alphabet[place])
        if rank == main or caps[rank]:
            letters[count] = rank
            count += 1
    deepest = groups if main >= 0 else groups - 1
    level = np.int64(0)
    # By level: next letter to try, rank of the last kicker, how often it came, whether the main cards lie.
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, -1, 0, 0 if main >= 0 else 1
    while level >= 0 and seen < window.stop:
        letter = stack[level, 0]
        if letter == count:
            level -= 1
            continue
        stack[level, 0] = letter + 1
        rank, before, again, lies = letters[letter], stack[level, 1], stack[level, 2], stack[level, 3]
        if rank == main:
            if lies or before > main:
                continue
            next_rank, next_again, next_lies = before, again, np.int64(1)
        else:
            taken = level - lies if main >= 0 else level
            if rank < before or taken == groups or (main >= 0 and (rank > main) != (lies == 1)):
                continue
            next_again = again + 1 if rank == before else np.int64(1)
            if next_again > caps[rank] or (apart and rank == highest and before == highest - 1):
                continue
            if rank != before and before >= 0 and not (allowed[before] >> again) & 1:
                continue
            next_rank, next_lies = rank, lies
            chosen[taken, 0] = rank
        if level < deepest:
            level += 1
            stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3] = 0, next_rank, next_again, next_lies
        elif next_lies and (next_rank < 0 or (allowed[next_rank] >> next_again) & 1):
            seen = _lay_kickers(book, block, room, depth, groups, seen, window, form, cards)
    return seen


@njit(cache=True, nogil=True)
def _lay_kickers(book, block, room, depth, groups, seen, window, form, cards):
    """All the cards that kickers of chosen ranks can be."""
    width, stand_ins = len(book.width), len(book.stand_ins)
    size, chosen, laid, stack = np.int64(book.blocks[block, KICKER_SIZE]), room.chosen, room.laid, room.stack
    shift, index, sorted_rows = window.at - window.first, np.int64(book.blocks[block, FORM]), book.sorted_rows
    kind, wild, start, counts, base = book.kind, book.wild, book.start, book.counts, _base(book)
    natural = room.natural
    parts = np.int64(0)
    ways = np.int64(1)
    for place in range(groups):
        rank = chosen[place, 0]
        if parts > 0 and stack[parts - 1, 4] >> 32 == rank:
            stack[parts - 1, 4] += 1
        else:
            stack[parts, 4] = (rank << 32) | 1
            parts += 1
    for part in range(parts):
        low, high = _ways_of(
            width, stand_ins, start, base, natural, stack[part, 4] >> 32, (stack[part, 4] & 255) * size
        )
        ways *= high - low
    if seen + ways <= window.first or seen >= window.last:
        return seen + ways
    for number in range(ways):
        if window.first <= seen < window.last:
            rest, filled, over = number, room.state[_LAID, depth], ways
            for part in range(parts):
                rank = stack[part, 4] >> 32
                low, high = _ways_of(width, stand_ins, start, base, natural, rank, (stack[part, 4] & 255) * size)
                over //= high - low
                filled = _lay(width, stand_ins, kind, wild, counts, low + rest // over, np.int64(0), rank, laid, filled)
                rest %= over
            _write(sorted_rows, laid, filled, index, shift + seen, form, cards)
        seen += 1
    return seen


@njit(cache=True, nogil=True)
def list_moves(book, hands, context, way, labels, legal, allowed, lo, hi, start, form, cards, room):
    """All card sets of decisions lo..hi-1 in the order of lists, or of a label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are.
    """
    lists, blocks = book.lists, book.blocks
    everything = Window(np.int64(0), np.int64(form.shape[0]), np.int64(ROOM_FOR_ALL), np.int64(0))
    seen = np.int64(start[lo])
    for i in range(lo, hi):
        if labels[i] != NO_LABEL:
            take_hand(book, context[i], hands[i], room)
        if labels[i] == EVERY_LABEL:
            for block in lists[context[i]]:
                if legal[blocks[block, LABEL], i]:
                    seen = walk_block(
                        book, np.int64(block), np.int64(context[i]), np.int64(way[i]), allowed, i, room, seen,
                        everything,
                        form, cards,
                    )  # fmt: skip
        elif labels[i] >= 0 and legal[labels[i], i]:
            seen = _walk_label(
                book, np.int64(labels[i]), np.int64(context[i]), np.int64(way[i]), allowed, i, room, seen, everything,
                form,
                cards,
            )  # fmt: skip
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def _walk_label(book, label, context, way, allowed, column, room, seen, window, form, cards):
    """Walk the card sets of a label."""
    blocks = book.label_blocks
    for block in range(np.int64(blocks[label, 0]), np.int64(blocks[label, 1])):
        seen = walk_block(book, block, context, way, allowed, column, room, seen, window, form, cards)
    return seen


@njit(cache=True, nogil=True)
def realise(book, hands, context, way, labels, allowed, keys, lo, hi, form, cards, room, found):
    """One card set of one label a decision, for decisions lo..hi-1: a random one, or the first without keys.

    ``found`` [n] is how many there are to choose from; 0 where the label turns out to have none.
    """
    blocks = book.label_blocks
    for i in range(lo, hi):
        label, ctx, how, here = np.int64(labels[i]), np.int64(context[i]), np.int64(way[i]), np.int64(i)
        first = np.int64(blocks[label, 0])
        if blocks[label, 1] - first == 1 and book.blocks[first, MODE] != TAILED and not book.blocks[first, KICKERS]:
            take_groups(book, first, ctx, hands[i], room)
        else:
            take_hand(book, ctx, hands[i], room)
        if blocks[label, 1] - first == 1 and _is_plain(book, first, room):
            found[i] = _draw(book, first, ctx, how, keys, i, room, form, cards)
            continue
        pick = np.int64(0)
        if len(keys) > 0:
            counting = Window(np.int64(0), np.int64(0), np.int64(ROOM_FOR_ALL), here)
            count = _walk_label(book, label, ctx, how, allowed, i, room, np.int64(0), counting, form, cards)
            found[i] = count
            if count == 0:
                continue
            pick = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(count)))
        seen = _walk_label(
            book, label, ctx, how, allowed, i, room, np.int64(0), Window(pick, pick + 1, pick + 1, here), form, cards
        )
        if len(keys) == 0:
            found[i] = seen


@njit(cache=True, nogil=True, inline="always")
def _is_plain(book, block, room):
    """Whether the card sets of a block are all the ways to choose each group by itself: no wild card is held."""
    return book.blocks[block, MODE] == PLAIN and room.wilds[0] == 0 and room.wilds[1] == 0


@njit(cache=True, nogil=True)
def _draw(book, block, context, way, keys, i, room, form, cards):
    """Choose the groups one by one, then the kickers: all card sets are equally likely; without keys the first."""
    width, stand_ins = len(book.width), len(book.stand_ins)
    natural, laid, base, sorted_rows = room.natural, room.laid, _base(book), book.sorted_rows
    kind, wild, start, counts, parts = book.kind, book.wild, book.start, book.counts, book.groups[block]
    groups, kickers = np.int64(book.blocks[block, GROUPS]), np.int64(book.blocks[block, KICKERS])
    if kickers and len(keys) == 0:
        window = Window(np.int64(0), np.int64(1), np.int64(1), np.int64(i))
        return _walk_plain(book, block, context, way, room, window, form, cards)
    total = np.int64(1)
    for group in range(groups):
        size = parts[_SIZE, group]
        pattern = _pattern(
            base, width, stand_ins, natural, parts[_RANK, group], parts[_ONLY, group], wild, context, 0, 0
        )
        total *= np.int64(start[pattern, size + 1] - start[pattern, size])
    carried = np.int64(1)
    if kickers:
        limits(book, block, way, room)
        one = kickers == 1
        carried = _one_kicker(book, block, room, -1) if one else _count_kickers(book, block, way, kickers, room)
    if total * carried == 0:
        return np.int64(0)
    lot = np.int64(0)
    if len(keys) > 0:
        lot = np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(total * carried)))
    which, rest, filled, left = lot // carried, lot % carried, np.int64(0), total
    for group in range(groups):
        rank, size = np.int64(parts[_RANK, group]), parts[_SIZE, group]
        pattern = _pattern(base, width, stand_ins, natural, rank, parts[_ONLY, group], wild, context, 0, 0)
        low, high = np.int64(start[pattern, size]), np.int64(start[pattern, size + 1])
        left //= high - low
        filled = _lay(width, stand_ins, kind, wild, counts, low + which // left, context, rank, laid, filled)
        which %= left
    if kickers == 1:
        _one_kicker(book, block, room, rest)
        low = room.chosen[0, 1]
        filled = _lay(width, stand_ins, kind, wild, counts, low, np.int64(0), room.chosen[0, 0], laid, filled)
    elif kickers:
        filled = _take_kickers(book, block, way, kickers, rest, room, filled)
    _write(sorted_rows, laid, filled, book.blocks[block, FORM], i, form, cards)
    return total * carried


@njit(cache=True, nogil=True)
def _walk_plain(book, block, context, way, room, window, form, cards):
    """The first card set of a plain block with kickers."""
    width, stand_ins = len(book.width), len(book.stand_ins)
    filled, base, parts = np.int64(0), _base(book), book.groups[block]
    for group in range(book.blocks[block, GROUPS]):
        rank, size = np.int64(parts[_RANK, group]), parts[_SIZE, group]
        pattern = _pattern(base, width, stand_ins, room.natural, rank, parts[_ONLY, group], book.wild, context, 0, 0)
        low, high = np.int64(book.start[pattern, size]), np.int64(book.start[pattern, size + 1])
        if low == high:
            return np.int64(0)
        filled = _lay(width, stand_ins, book.kind, book.wild, book.counts, low, context, rank, room.laid, filled)
    room.state[_LAID, 0] = filled
    return _walk_kickers(book, block, way, room, np.int64(0), np.int64(0), window, form, cards)


@njit(cache=True, nogil=True)
def _one_kicker(book, block, room, number):
    """How many ways there are to carry a single kicker; or choose the one of a number, by its rank and combination."""
    width, stand_ins = len(book.width), len(book.stand_ins)
    caps, natural, start, base = room.caps, room.natural, book.start, _base(book)
    size, seen = np.int64(book.blocks[block, KICKER_SIZE]), np.int64(0)
    for rank in range(len(caps)):
        if caps[rank]:
            low, high = _ways_of(width, stand_ins, start, base, natural, rank, size)
            if seen <= number < seen + high - low:
                room.chosen[0, 0], room.chosen[0, 1] = rank, low + number - seen
            seen += high - low
    return seen


@njit(cache=True, nogil=True)
def _count_kickers(book, block, way, kickers, room):
    """Fill ways [rank, n]: how many ways there are to take n groups of the ranks from this one on; all of them."""
    width, stand_ins = len(book.width), len(book.stand_ins)
    ways, caps, natural, start, base = room.ways, room.caps, room.natural, book.start, _base(book)
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
                    low, high = _ways_of(width, stand_ins, start, base, natural, rank, k * size)
                    skip = 2 if apart and rank == ranks - 2 else 1
                    total += (high - low) * ways[rank + skip, n - k]
            ways[rank, n] = total
    return ways[0, kickers]


@njit(cache=True, nogil=True)
def _take_kickers(book, block, way, kickers, rest, room, filled):
    """Lay down the kickers of a number, from the low ranks on; returns how many cards lie there then."""
    width, stand_ins = len(book.width), len(book.stand_ins)
    ways, caps, natural, start, base = room.ways, room.caps, room.natural, book.start, _base(book)
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
                low, high = _ways_of(width, stand_ins, start, base, natural, rank, k * size)
                here = (high - low) * ways[rank + skip, n - k]
                if rest < here:
                    row = low + rest // ways[rank + skip, n - k]
                    filled = _lay(
                        width, stand_ins, book.kind, book.wild, book.counts, row, np.int64(0), rank, room.laid, filled
                    )
                    rest %= ways[rank + skip, n - k]
                    n -= k
                    rank += skip
                    break
                rest -= here
    return filled
