"""From legal labels to all their card sets: the kernels that walk through what can be laid down.

They read the same facts as the rules that decide legality (reading/layout.py) and nothing else. The groups of a form
come in their order, inside a group the natural cards in the order of vectors, wild cards standing in at its end, then
the kickers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type,assignment"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.play.book import (
    ANSWER,
    APART,
    CARRYING,
    END,
    FORM,
    GROUPS,
    KICKER_SIZE,
    KICKERS,
    LABEL,
    LAID,
    MAIN_LETTER,
    MODE,
    NAMES,
    ONLY,
    OTHER_WILD,
    OWN,
    OWN_SLOTS,
    RANK,
    REAL,
    ROW,
    SHOWN,
    SIZE,
    STAND_INS,
    SUIT,
    TAIL_SIZE,
    TAKEN,
    WILD,
    WILD_SUIT,
    WILDS,
    Window,
    in_order,
    keep,
    lay_group,
    pattern_of,
    take_hand,
    ways_of,
)
from abl_cards.games.reading.layout import MIXED, NONE, SUITED, TAILED
from abl_cards.games.tables import MOST_SETS

EVERY_LABEL = -1
"""In the place of a label."""
_MOST_WAYS = 1 << 40
"""More ways to take kickers of some ranks are not told apart: the product would overflow."""


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
        book.base,
        book.sorted_rows,
    )
    mode, groups = book.blocks[block, MODE], np.int64(book.blocks[block, GROUPS])
    most, kickers = np.int64(book.blocks[block, WILDS]), np.int64(book.blocks[block, KICKERS])
    parts, suit_form = book.groups[block], book.suit_form[block]
    first, last, stop, shift = window.first, window.last, window.stop, window.at - window.first
    width, stand_ins, laying = len(book.width), book.stand_ins, last > first or kickers > 0
    for name in range(NAMES):
        state[name, 0] = 0
    state[WILD, 0], state[OTHER_WILD, 0], state[SUIT, 0] = room.wilds[0], room.wilds[1], -1
    depth, entering = np.int64(0), True
    while depth >= 0 and seen < stop:
        if depth == groups:
            if mode == TAILED:
                seen = _walk_tails(book, block, context, allowed, column, room, depth, seen, window, form, cards)
            elif kickers > 0:
                if mode != MIXED or state[SHOWN, depth] & (state[SHOWN, depth] - 1):
                    seen = walk_kickers(book, block, way, room, depth, seen, window, form, cards)
            else:
                index = only_form
                if mode == MIXED:
                    shown = state[SHOWN, depth]
                    index = only_form if shown & (shown - 1) else np.int64(NONE)
                elif mode == SUITED:
                    index, suit = np.int64(NONE), state[SUIT, depth]
                    low, high = (suit, suit + 1) if suit >= 0 else (np.int64(0), np.int64(len(suit_form)))
                    for each in range(low, high):  # wild cards alone are of any suit
                        found = np.int64(suit_form[each])
                        if found < 0 or not allowed[book.answer[found], column]:
                            continue
                        if _strangers(state, depth, wild, context, stand_ins, each) <= most:
                            if index >= 0:
                                if first <= seen < last:
                                    keep(sorted_rows, laid, state[LAID, depth], index, shift + seen, form, cards)
                                seen += 1
                            index = found
                if index >= 0:
                    if first <= seen < last:
                        keep(sorted_rows, laid, state[LAID, depth], index, shift + seen, form, cards)
                    seen += 1
            depth, entering = depth - 1, False
            continue
        rank, size = np.int64(parts[RANK, depth]), np.int64(parts[SIZE, depth])
        if entering:
            pattern = pattern_of(
                base,
                width,
                stand_ins,
                natural,
                rank,
                parts[ONLY, depth],
                wild,
                context,
                state[WILD, depth],
                state[OTHER_WILD, depth],
            )
            state[ROW, depth], state[END, depth] = start[pattern, size], start[pattern, size + 1]
        row = state[ROW, depth]
        if row == state[END, depth]:
            depth, entering = depth - 1, False
            continue
        state[ROW, depth], entering = row + 1, False
        standing, own, shown, only = np.int64(0), np.int64(0), state[SHOWN, depth], parts[ONLY, depth]
        here, owners = np.int64(0), np.int64(0)
        for place in range(stand_ins):
            standing += counts[row, width + place]
        if standing > size - parts[REAL, depth] or state[STAND_INS, depth] + standing > most:
            continue
        state[WILD, depth + 1], state[OTHER_WILD, depth + 1] = state[WILD, depth], state[OTHER_WILD, depth]
        for place in range(stand_ins):
            used = np.int64(counts[row, width + place])
            slot = np.int64(wild[context, place, OWN_SLOTS + rank])
            if used and wild[context, place, WILD_SUIT] >= 0:
                shown |= np.int64(1) << np.int64(wild[context, place, WILD_SUIT])
            if slot >= 0:
                mine = np.int64(counts[row, slot])
                used += mine
                own += mine
                owners |= np.int64(only < 0 or only == slot) << place
                state[OWN + place, depth + 1] = state[OWN + place, depth] + mine
            else:
                state[OWN + place, depth + 1] = state[OWN + place, depth]
            here |= np.int64(used > 0) << place
            state[WILD + place, depth + 1] -= used
        if stand_ins > 1:
            state[TAKEN, depth + 1] = in_order(state[TAKEN, depth], here, owners)
            if state[TAKEN, depth + 1] < 0:
                continue
        suit = state[SUIT, depth]
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
            state[LAID, depth + 1] = lay_group(
                width, stand_ins, kind, wild, counts, row, context, rank, laid, state[LAID, depth]
            )
        state[STAND_INS, depth + 1] = state[STAND_INS, depth] + standing
        state[SHOWN, depth + 1] = shown
        state[SUIT, depth + 1] = suit
        depth, entering = depth + 1, True
    return seen


@njit(cache=True, nogil=True, inline="always")
def _strangers(state, depth, wild, context, stand_ins, suit):
    """How many wild cards stand in for cards of a suit: those of this suit in their own rank do not."""
    strangers = state[STAND_INS, depth]
    for place in range(stand_ins):
        if wild[context, place, WILD_SUIT] != suit:
            strangers += state[OWN + place, depth]
    return strangers


@njit(cache=True, nogil=True)
def _walk_tails(book, block, context, allowed, column, room, depth, seen, window, form, cards):
    """The last group in every rank it may have, weak ranks first."""
    start, counts, order, kind, wild = book.start, book.counts, book.order, book.kind, book.wild
    tails, base, sorted_rows = book.tails[block], book.base, book.sorted_rows
    state, laid, natural = room.state, room.laid, room.natural
    first, last, stop, shift = window.first, window.last, window.stop, window.at - window.first
    size, filled = np.int64(book.blocks[block, TAIL_SIZE]), state[LAID, depth]
    spare = book.blocks[block, WILDS] - state[STAND_INS, depth]
    width, stand_ins = len(book.width), book.stand_ins
    for place in range(order.shape[1]):
        rank = np.int64(order[context, place])
        index = tails[0, rank]
        if index < 0 or not allowed[book.answer[index], column]:
            continue
        pattern = pattern_of(
            base, width, stand_ins, natural, rank, NONE, wild, context, state[WILD, depth], state[OTHER_WILD, depth]
        )
        most = min(size - tails[1, rank], spare)
        for row in range(start[pattern, size], start[pattern, size + 1]):
            standing, here, owners = 0, np.int64(0), np.int64(0)
            for stand_in in range(stand_ins):
                slot = np.int64(wild[context, stand_in, OWN_SLOTS + rank])
                own = np.int64(counts[row, slot]) if slot >= 0 else np.int64(0)
                standing += counts[row, width + stand_in]
                here |= np.int64(counts[row, width + stand_in] + own > 0) << stand_in
                owners |= np.int64(slot >= 0) << stand_in
            if stand_ins > 1 and in_order(state[TAKEN, depth], here, owners) < 0:
                continue
            if standing <= most and seen < stop:
                if first <= seen < last:
                    laying = lay_group(width, stand_ins, kind, wild, counts, row, context, rank, laid, filled)
                    keep(sorted_rows, laid, laying, index, shift + seen, form, cards)
                seen += 1
    return seen


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
def walk_kickers(book, block, way, room, depth, seen, window, form, cards):
    """The kickers of a form in the order of their letters; see Book.main_letter."""
    row, groups = np.int64(book.blocks[block, CARRYING]), np.int64(book.blocks[block, KICKERS])
    apart, main = book.blocks[block, APART], np.int64(book.blocks[block, MAIN_LETTER])
    if limits(book, block, way, room) < groups:
        return seen
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
    width, stand_ins = len(book.width), book.stand_ins
    size, chosen, laid, stack = np.int64(book.blocks[block, KICKER_SIZE]), room.chosen, room.laid, room.stack
    shift, index, sorted_rows = window.at - window.first, np.int64(book.blocks[block, FORM]), book.sorted_rows
    kind, wild, start, counts, base = book.kind, book.wild, book.start, book.counts, book.base
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
        low, high = ways_of(width, stand_ins, start, base, natural, stack[part, 4] >> 32, (stack[part, 4] & 255) * size)
        ways = min(ways * (high - low), _MOST_WAYS)
    for number in range(max(np.int64(0), window.first - seen), min(ways, window.last - seen)):
        rest, filled = number, room.state[LAID, depth]
        for part in range(parts - 1, -1, -1):
            rank = stack[part, 4] >> 32
            low, high = ways_of(width, stand_ins, start, base, natural, rank, (stack[part, 4] & 255) * size)
            chosen[part, 2] = low + rest % (high - low)
            rest //= high - low
        for part in range(parts):
            rank = stack[part, 4] >> 32
            filled = lay_group(width, stand_ins, kind, wild, counts, chosen[part, 2], np.int64(0), rank, laid, filled)
        keep(sorted_rows, laid, filled, index, shift + seen + number, form, cards)
    return seen + ways


@njit(cache=True, nogil=True)
def list_moves(book, hands, context, way, labels, legal, allowed, lo, hi, start, form, cards, room):
    """All card sets of decisions lo..hi-1 in the order of lists, or of a label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are. A decision of more than
    MOST_SETS is walked little further than that.
    """
    lists, blocks = book.lists, book.blocks
    seen = np.int64(start[lo])
    for i in range(lo, hi):
        everything = Window(np.int64(0), np.int64(form.shape[0]), seen + MOST_SETS + 1, np.int64(0))
        take_hand(book, np.int64(context[i]), hands[i], room)
        if labels[i] == EVERY_LABEL:
            for block in lists[context[i]]:
                if legal[blocks[block, LABEL], i]:
                    seen = walk_block(
                        book, np.int64(block), np.int64(context[i]), np.int64(way[i]), allowed, i, room, seen,
                        everything,
                        form, cards,
                    )  # fmt: skip
        elif legal[labels[i], i]:
            seen = walk_label(
                book, np.int64(labels[i]), np.int64(context[i]), np.int64(way[i]), allowed, i, room, seen, everything,
                form,
                cards,
            )  # fmt: skip
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def walk_label(book, label, context, way, allowed, column, room, seen, window, form, cards):
    """Walk the card sets of a label."""
    blocks = book.label_blocks
    for block in range(np.int64(blocks[label, 0]), np.int64(blocks[label, 1])):
        seen = walk_block(book, block, context, way, allowed, column, room, seen, window, form, cards)
    return seen
