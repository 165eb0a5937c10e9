"""Open hands as one word, and what can be done with them as numbers: from a listing, for deal after deal.

See positions.py. What a hand can lay down is what it has the cards for of what is listed, of it or of a larger one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.ending.answers import NONE, classes_of, lists_of, marks_of
from abl_cards.games.ending.listing import Listing
from abl_cards.games.ending.sets import MARK_AT, find, merged, ones, unlike
from abl_cards.games.play.state import NEXT_SEAT, NO_TURN, OVER, TRICK_OVER
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING
from abl_cards.games.words.once import once

MOST_BITS = 63

_CARDS = np.uint64((1 << MARK_AT) - 1)
_ONE = np.uint64(1)


class Said(NamedTuple):
    """What a listing and the rules say of all tables; see Listing."""

    keys: NDArray[np.uint64]
    when: NDArray[np.int64]
    start: NDArray[np.int64]
    begin: NDArray[np.int64]
    guard: NDArray[np.uint64]
    row_of: NDArray[np.int64]
    allowed: NDArray[np.uint8]
    cards_of: NDArray[np.int64]  # [forms]
    strength: NDArray[np.int64]  # [contexts, forms]
    turn: NDArray[np.int64]  # [forms] what is told of a form to who asks whose turn it is
    answers_own: bool


class Lying(NamedTuple):
    """What lies on one table, besides the hands."""

    hand: NDArray[np.int64]  # [seats] the number of the listed hand that each is a part of
    coming: NDArray[np.bool_]  # [forms]
    deed: NDArray[np.int64]  # [forms] see Worth
    to_beat: int
    owner: int
    context: int


class Arranged(NamedTuple):
    """Open hands, and all that can be done with them."""

    fits: bool  # whether they are few enough for a word; where not, the rest means nothing
    hands: np.uint64
    guard: np.uint64
    of_seat: NDArray[np.uint64]  # [seats] the bits of each hand
    need: NDArray[np.uint64]  # [moves] the cards
    turn: NDArray[np.int64]  # [moves] what is told of the form to who asks whose turn it is
    deed: NDArray[np.int64]  # [moves] see Worth
    lays: NDArray[np.int64]  # [moves] the class of what then is to beat; NONE for a pass
    first: NDArray[np.int64]  # [seats, classes + 1] where the answers of a seat to a class begin, and end
    answers: NDArray[np.int64]  # moves
    fields: NDArray[np.int64]  # [n, 3] the seat, the beginning and as many ones as there are bits, of each field
    trick: int  # the class of what is to beat, 0 when leading
    move_of: NDArray[np.int64]  # the move of each of the listed sets, seat after seat; NONE without the cards


def said(rules: Rules, found: Listing) -> Said:
    """What a listing and the rules say, for kernels."""
    return Said(
        found.keys, found.when, found.start, found.begin, found.guard, found.row_of, found.allowed, *_of_forms(rules),
        _answers_own(rules),
    )  # fmt: skip


@once
def _of_forms(rules: Rules) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    forms, turns = rules.forms, rules.turns
    cards, strength, turn = (each.astype(np.int64) for each in (forms.cards_of, rules.strength, turns.laid_class))
    return cards, strength, turn


@once
def _answers_own(rules: Rules) -> bool:
    """Whether a seat may come to answer its own play, as far as the table of turns can tell."""
    turns = rules.turns
    entries, stride = np.arange(len(turns.table)), turns.strides.owner
    owner = entries // max(1, stride) % rules.table.seats if stride else np.zeros_like(entries)
    goes_on = (turns.table != NO_TURN) & (turns.table & (OVER | TRICK_OVER) == 0)
    return stride == 0 or bool((goes_on & (turns.table & NEXT_SEAT == owner)).any())


@njit(cache=True, nogil=True)
def _there(keys, first, last, hand, begin, guard):
    """Which of sorted sets a hand [kinds] has the cards for."""
    held, found, count = np.uint64(0), np.empty(last - first, np.int64), 0
    for kind in range(len(hand)):
        if hand[kind]:
            held |= np.uint64(hand[kind]) << np.uint64(begin[kind])
    held |= guard
    for at in range(first, last):
        if (held - (keys[at] & _CARDS)) & guard == guard:
            found[count] = at
            count += 1
    return found[:count]


@njit(cache=True, nogil=True)
def _plays(form, seat, coming, to_beat, owner):
    """What may come to be beaten: forms [plays], by whom [plays]; the number of each set; and of what is to beat."""
    sets, plays, begun = len(form), 0, NONE
    forms, owners, play_of = np.empty(sets + 1, np.int64), np.empty(sets + 1, np.int64), np.full(sets, NONE, np.int64)
    for at in range(sets):
        if coming[form[at]]:
            if not plays or forms[plays - 1] != form[at] or owners[plays - 1] != seat[at]:
                forms[plays], owners[plays] = form[at], seat[at]
                plays += 1
            play_of[at] = plays - 1
    if to_beat != LEADING:
        for play in range(plays):
            if forms[play] == to_beat and owners[play] == owner:
                begun = play
        if begun < 0:
            begun, forms[plays], owners[plays] = plays, to_beat, owner
            plays += 1
    return forms[:plays], owners[:plays], play_of, begun


@njit(cache=True, nogil=True)
def _in_order(seat, marks, need, cards, strength):
    """One of the moves that come to the same, seat by seat, large ones first, then weak ones; and [moves] which."""
    moves = len(seat)
    size, marked = np.empty(moves, np.int64), np.empty(moves, np.int64)
    order = np.argsort(strength, kind="mergesort")
    for move in range(moves):
        size[move] = seat[order[move]] * 256 + 255 - cards[order[move]]
        marked[move] = marks[move] * 64 + seat[move]
    order, together = order[np.argsort(size, kind="mergesort")], np.argsort(marked, kind="mergesort")
    begins, kept = np.empty(moves, np.int64), np.full(moves, NONE, np.int64)  # of each mark and seat
    for at in range(moves):
        new = at == 0 or marked[together[at - 1]] != marked[together[at]]
        begins[together[at]] = at if new else begins[together[at - 1]]
    place, found, count = np.full(moves, NONE, np.int64), np.empty(moves, np.int64), 0
    for move in order:
        slot = begins[move]
        while kept[slot] >= 0 and need[kept[slot]] != need[move]:
            slot += 1
        if kept[slot] < 0:
            kept[slot], place[move], found[count] = move, count, move
            count += 1
        else:
            place[move] = place[kept[slot]]
    return found[:count], place


@njit(cache=True, nogil=True)
def arrange(told, lying, hands):
    """Arrange the hands [seats, kinds] of a table, each a part of a listed one."""
    seats, kinds = hands.shape
    room = 0
    for seat in range(seats):
        room += told.start[lying.hand[seat] + 1] - told.start[lying.hand[seat]]
    keys, when, owner = np.empty(room, np.uint64), np.empty(room, np.int64), np.empty(room, np.int64)
    set_of, first, made, listed = np.full(room, NONE, np.int64), np.zeros(seats + 1, np.int64), 0, 0
    begins, mosts = np.zeros((seats, kinds), np.int64), np.zeros((seats, kinds), np.int64)
    held = np.zeros(seats, np.int64)
    for seat in range(seats):
        hand = lying.hand[seat]
        begin, some = told.begin[hand], told.start[hand]
        there = _there(told.keys, some, told.start[hand + 1], hands[seat], begin, told.guard[hand])
        mine = np.flatnonzero(hands[seat])
        most = hands[seat][mine].astype(np.int64)
        _, new, begin, most, _, _, _ = merged(told.keys[there], told.when[there], begin[mine], most)
        few, often = unlike(new, told.when[there])
        for at in range(len(there)):
            set_of[listed + there[at] - some] = made + find(few, new[at])
        keys[made : made + len(few)], when[made : made + len(few)] = few, often
        owner[made : made + len(few)] = seat
        held[seat] = len(begin)
        begins[seat, : len(begin)], mosts[seat, : len(begin)] = begin, most
        made += len(few)
        first[seat + 1] = made
        listed += told.start[hand + 1] - some
    keys, when, owner = keys[:made], when[:made], owner[:made]
    form = (keys >> np.uint64(MARK_AT)).astype(np.int64)
    forms, owners, play_of, begun = _plays(form, owner, lying.coming, lying.to_beat, lying.owner)
    class_of, legal = classes_of(
        owner, form, when, forms, owners, told.row_of[lying.hand], told.allowed, told.answers_own
    )
    lays, turn, deed = np.full(made, NONE, np.int64), told.turn[form], lying.deed[form]
    for at in range(made):
        if play_of[at] >= 0:
            lays[at] = class_of[play_of[at]]
    trick = 0 if begun < 0 else class_of[begun]
    marks = marks_of(legal, lays, turn, deed)
    whole, free, of_seat, need, fields, fits = _together(keys, when, marks, first, begins, mosts, held)
    order, place = _in_order(owner, marks, need, told.cards_of[form], told.strength[lying.context][form])
    answers_first, answers = lists_of(legal[:, order], owner[order], seats)
    for at in range(room):
        if set_of[at] >= 0:
            set_of[at] = place[set_of[at]]
    return Arranged(
        fits, whole, free, of_seat, need[order], turn[order], deed[order], lays[order], answers_first, answers, fields,
        trick, set_of,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _together(keys, when, marks, first, begins, mosts, held):
    """The hands in one word, where moves of one mark are as good as each other; see Arranged."""
    seats, at, count = len(held), 0, 0
    need, fields = np.zeros(len(keys), np.uint64), np.empty((held.sum(), 3), np.int64)
    whole, guard, of_seat, fits = np.uint64(0), np.uint64(0), np.zeros(seats, np.uint64), True
    for seat in range(seats):
        lo, hi = first[seat], first[seat + 1]
        marked = np.empty(hi - lo, np.uint64)
        for row in range(lo, hi):
            marked[row - lo] = np.uint64(marks[row]) << np.uint64(MARK_AT) | (keys[row] & _CARDS)
        order = np.argsort(marked)
        before, most = begins[seat, : held[seat]].copy(), mosts[seat, : held[seat]].copy()
        _, new, begin, most, mine, free, bits = merged(marked[order], when[lo:hi][order], before, most)
        if at + bits > MOST_BITS:
            fits = False
            break
        for row in range(hi - lo):
            need[lo + order[row]] = (new[row] & _CARDS) << np.uint64(at)
        whole |= mine << np.uint64(at)
        guard |= free << np.uint64(at)
        of_seat[seat] = ((_ONE << np.uint64(bits)) - _ONE) << np.uint64(at)
        for row in range(len(begin)):
            fields[count, 0], fields[count, 1], fields[count, 2] = seat, begin[row] + at, np.int64(ones(most[row]))
            count += 1
        at += bits
    return whole, guard, of_seat, need, fields[:count], fits
