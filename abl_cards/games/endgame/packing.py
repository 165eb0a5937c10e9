"""Open hands as one word, and what can be done with them as numbers: from a listing, for deal after deal.

See positions.py. What a hand can lay down is what it has the cards for of what is listed, of it or of a larger one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.endgame.card_sets import MARK_SHIFT, deduplicate_keys, find_key, low_bits_mask, merge_fields
from abl_cards.games.endgame.move_table import HandMoveTable
from abl_cards.games.endgame.successors import NONE, equivalence_classes, group_plays, list_replies
from abl_cards.games.state import EPISODE_OVER_BIT, NO_NEXT_SEAT, SEAT_MASK, TRICK_OVER_BIT
from abl_cards.games.types import LEADING

MAX_WORD_BITS = 63

_CARD_BITS = np.uint64((1 << MARK_SHIFT) - 1)
_ONE = np.uint64(1)


class MoveTableArrays(NamedTuple):
    """What a listing and the rules say of all tables; see HandMoveTable."""

    keys: NDArray[np.uint64]
    lead_follow: NDArray[np.int64]
    start: NDArray[np.int64]
    field_start: NDArray[np.int64]
    guard_bits: NDArray[np.uint64]
    column_of: NDArray[np.int64]
    allowed: NDArray[np.uint8]
    cards_of: NDArray[np.int64]  # [forms]
    strength: NDArray[np.int64]  # [contexts, forms]
    turn_class: NDArray[np.int64]  # [forms] what is told of a form to who asks whose turn it is
    can_beat_own: bool


class TableContext(NamedTuple):
    """What lies on one table, besides the hands."""

    hand_id: NDArray[np.int64]  # [seats] the number of the listed hand that each is a part of
    reachable_forms: NDArray[np.bool_]  # [forms]
    effect: NDArray[np.int64]  # [forms] see OutcomeTable
    to_beat: int
    owner: int
    context: int


class PackedMoves(NamedTuple):
    """Open hands, and all that can be done with them."""

    fits: bool  # whether they are few enough for a word; where not, the rest means nothing
    hands: np.uint64
    guard_bits: np.uint64
    seat_mask: NDArray[np.uint64]  # [seats] the bits of each hand
    cards: NDArray[np.uint64]  # [moves] the cards
    turn_class: NDArray[np.int64]  # [moves] what is told of the form to who asks whose turn it is
    effect: NDArray[np.int64]  # [moves] see OutcomeTable
    next_trick: NDArray[np.int64]  # [moves] the class of what then is to beat; NONE for a pass
    reply_start: NDArray[np.int64]  # [seats, classes + 1] where the answers of a seat to a class begin, and end
    replies: NDArray[np.int64]  # moves
    fields: NDArray[np.int64]  # [n, 3] the seat, the beginning and as many ones as there are bits, of each field
    trick: int  # the class of what is to beat, 0 when leading
    move_index: NDArray[np.int64]  # the move of each of the listed sets, seat after seat; NONE without the cards


def move_table_arrays(rules: CompiledGame, move_table: HandMoveTable) -> MoveTableArrays:
    """What a listing and the rules say, for kernels."""
    return MoveTableArrays(
        move_table.keys, move_table.lead_follow, move_table.start, move_table.field_start, move_table.guard_bits,
        move_table.column_of, move_table.allowed, *_form_arrays(rules), _can_beat_own(rules),
    )  # fmt: skip


@cache_per_game
def _form_arrays(rules: CompiledGame) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    forms, turns = rules.forms, rules.turn_table
    cards, strength, turn = (each.astype(np.int64) for each in (forms.num_cards, rules.strength, turns.form_class))
    return cards, strength, turn


@cache_per_game
def _can_beat_own(rules: CompiledGame) -> bool:
    """Whether a seat may come to answer its own play, as far as the table of turns can tell."""
    turns = rules.turn_table
    entries, stride = np.arange(len(turns.entries)), turns.strides.owner
    owner = entries // max(1, stride) % rules.seating.seats if stride else np.zeros_like(entries)
    goes_on = (turns.entries != NO_NEXT_SEAT) & (turns.entries & (EPISODE_OVER_BIT | TRICK_OVER_BIT) == 0)
    return stride == 0 or bool((goes_on & (turns.entries & SEAT_MASK == owner)).any())


@njit(cache=True, nogil=True)
def _available_sets(keys, first, last, hand, begin, guard):
    """Which of sorted sets a hand [kinds] has the cards for."""
    held, found, count = np.uint64(0), np.empty(last - first, np.int64), 0
    for kind in range(len(hand)):
        if hand[kind]:
            held |= np.uint64(hand[kind]) << np.uint64(begin[kind])
    held |= guard
    for at in range(first, last):
        if (held - (keys[at] & _CARD_BITS)) & guard == guard:
            found[count] = at
            count += 1
    return found[:count]


@njit(cache=True, nogil=True)
def _possible_plays(form, seat, coming, to_beat, owner):
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
def _order_moves(seat, marks, need, cards, strength):
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
def pack_moves(move_arrays, context, hands):
    """Arrange the hands [seats, kinds] of a table, each a part of a listed one."""
    seats, kinds = hands.shape
    room = 0
    for seat in range(seats):
        room += move_arrays.start[context.hand_id[seat] + 1] - move_arrays.start[context.hand_id[seat]]
    keys, when, owner = np.empty(room, np.uint64), np.empty(room, np.int64), np.empty(room, np.int64)
    set_of, first, made, listed = np.full(room, NONE, np.int64), np.zeros(seats + 1, np.int64), 0, 0
    begins, mosts = np.zeros((seats, kinds), np.int64), np.zeros((seats, kinds), np.int64)
    held = np.zeros(seats, np.int64)
    for seat in range(seats):
        hand = context.hand_id[seat]
        begin, some = move_arrays.field_start[hand], move_arrays.start[hand]
        there = _available_sets(
            move_arrays.keys, some, move_arrays.start[hand + 1], hands[seat], begin, move_arrays.guard_bits[hand]
        )
        mine = np.flatnonzero(hands[seat])
        most = hands[seat][mine].astype(np.int64)
        _, new, begin, most, _, _, _ = merge_fields(
            move_arrays.keys[there], move_arrays.lead_follow[there], begin[mine], most
        )
        few, often = deduplicate_keys(new, move_arrays.lead_follow[there])
        for at in range(len(there)):
            set_of[listed + there[at] - some] = made + find_key(few, new[at])
        keys[made : made + len(few)], when[made : made + len(few)] = few, often
        owner[made : made + len(few)] = seat
        held[seat] = len(begin)
        begins[seat, : len(begin)], mosts[seat, : len(begin)] = begin, most
        made += len(few)
        first[seat + 1] = made
        listed += move_arrays.start[hand + 1] - some
    keys, when, owner = keys[:made], when[:made], owner[:made]
    form = (keys >> np.uint64(MARK_SHIFT)).astype(np.int64)
    forms, owners, play_of, begun = _possible_plays(
        form, owner, context.reachable_forms, context.to_beat, context.owner
    )
    class_of, legal = group_plays(
        owner,
        form,
        when,
        forms,
        owners,
        move_arrays.column_of[context.hand_id],
        move_arrays.allowed,
        move_arrays.can_beat_own,
    )
    lays, turn, deed = np.full(made, NONE, np.int64), move_arrays.turn_class[form], context.effect[form]
    for at in range(made):
        if play_of[at] >= 0:
            lays[at] = class_of[play_of[at]]
    trick = 0 if begun < 0 else class_of[begun]
    marks = equivalence_classes(legal, lays, turn, deed)
    whole, free, of_seat, need, fields, fits = _pack_hands(keys, when, marks, first, begins, mosts, held)
    order, place = _order_moves(
        owner, marks, need, move_arrays.cards_of[form], move_arrays.strength[context.context][form]
    )
    answers_first, answers = list_replies(legal[:, order], owner[order], seats)
    for at in range(room):
        if set_of[at] >= 0:
            set_of[at] = place[set_of[at]]
    return PackedMoves(
        fits, whole, free, of_seat, need[order], turn[order], deed[order], lays[order], answers_first, answers, fields,
        trick, set_of,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _pack_hands(keys, when, marks, first, begins, mosts, held):
    """The hands in one word, where moves of one mark are as good as each other; see PackedMoves."""
    seats, at, count = len(held), 0, 0
    need, fields = np.zeros(len(keys), np.uint64), np.empty((held.sum(), 3), np.int64)
    whole, guard, of_seat, fits = np.uint64(0), np.uint64(0), np.zeros(seats, np.uint64), True
    for seat in range(seats):
        lo, hi = first[seat], first[seat + 1]
        marked = np.empty(hi - lo, np.uint64)
        for row in range(lo, hi):
            marked[row - lo] = np.uint64(marks[row]) << np.uint64(MARK_SHIFT) | (keys[row] & _CARD_BITS)
        order = np.argsort(marked)
        before, most = begins[seat, : held[seat]].copy(), mosts[seat, : held[seat]].copy()
        _, new, begin, most, mine, free, bits = merge_fields(marked[order], when[lo:hi][order], before, most)
        if at + bits > MAX_WORD_BITS:
            fits = False
            break
        for row in range(hi - lo):
            need[lo + order[row]] = (new[row] & _CARD_BITS) << np.uint64(at)
        whole |= mine << np.uint64(at)
        guard |= free << np.uint64(at)
        of_seat[seat] = ((_ONE << np.uint64(bits)) - _ONE) << np.uint64(at)
        for row in range(len(begin)):
            fields[count, 0], fields[count, 1], fields[count, 2] = (
                seat,
                begin[row] + at,
                np.int64(low_bits_mask(most[row])),
            )
            count += 1
        at += bits
    return whole, guard, of_seat, need, fields[:count], fits
