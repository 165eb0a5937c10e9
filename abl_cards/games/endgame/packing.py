"""Kernel that packs open hands into one 64-bit word and their moves into arrays, for many deals of one move table.

A hand has those moves in the table of it, or of a superset, for which it has the cards (``positions.py``).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel
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
    """Arrays of a ``HandMoveTable`` and of the rules, for kernels."""

    keys: NDArray[np.uint64]
    lead_follow: NDArray[np.int64]
    start: NDArray[np.int64]
    field_start: NDArray[np.int64]
    guard_bits: NDArray[np.uint64]
    column_of: NDArray[np.int64]
    allowed: NDArray[np.uint8]
    cards_of: NDArray[np.int64]  # [forms] number of cards
    strength: NDArray[np.int64]  # [contexts, forms]
    turn_class: NDArray[np.int64]  # [forms] class of the form in the turn table
    can_beat_own: bool  # a seat may follow its own play


class TableContext(NamedTuple):
    """State of one table besides the hands."""

    hand_id: NDArray[np.int64]  # [seats] hand in the move table of which each hand is a subset
    reachable_forms: NDArray[np.bool_]  # [forms] forms that may come to be beaten
    effect: NDArray[np.int64]  # [forms] as in OutcomeTable
    to_beat: int  # form, or LEADING
    owner: int  # seat of the play to beat
    context: int  # order context


class PackedMoves(NamedTuple):
    """Packed open hands and their moves."""

    fits: bool  # the hands fit in a word; if not, all other fields are meaningless
    hands: np.uint64
    guard_bits: np.uint64
    seat_mask: NDArray[np.uint64]  # [seats] bits of each hand
    cards: NDArray[np.uint64]  # [moves] cards of each move
    turn_class: NDArray[np.int64]  # [moves] class of the form in the turn table
    effect: NDArray[np.int64]  # [moves] as in OutcomeTable
    next_trick: NDArray[np.int64]  # [moves] class of the play to beat after the move; NONE for a pass
    reply_start: NDArray[np.int64]  # [seats, classes + 1] start in replies of the moves of a seat on a class
    replies: NDArray[np.int64]  # moves
    fields: NDArray[np.int64]  # [n, 3] seat, first bit and mask of the count of each field
    trick: int  # class of the play to beat, 0 when leading
    move_index: NDArray[np.int64]  # move of each set in the move table, by seat; NONE if the hand lacks the cards


def move_table_arrays(rules: CompiledGame, move_table: HandMoveTable) -> MoveTableArrays:
    """Collect the arrays of a move table and of the rules for kernels."""
    return MoveTableArrays(
        move_table.keys, move_table.lead_follow, move_table.start, move_table.field_start, move_table.guard_bits,
        move_table.column_of, move_table.allowed, *_form_arrays(rules), _can_beat_own(rules),
    )  # fmt: skip


@cache_per_game
def _form_arrays(rules: CompiledGame) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return number of cards, strength and turn class of forms as int64."""
    forms, turns = rules.forms, rules.turn_table
    cards, strength, turn = (array.astype(np.int64) for array in (forms.num_cards, rules.strength, turns.form_class))
    return cards, strength, turn


@cache_per_game
def _can_beat_own(rules: CompiledGame) -> bool:
    """Return True if the turn table can name the owner of the play to beat as the next seat."""
    turns = rules.turn_table
    entries, stride = np.arange(len(turns.entries)), turns.strides.owner
    owner = entries // max(1, stride) % rules.seating.seats if stride else np.zeros_like(entries)
    is_continued = (turns.entries != NO_NEXT_SEAT) & (turns.entries & (EPISODE_OVER_BIT | TRICK_OVER_BIT) == 0)
    return stride == 0 or bool((is_continued & (turns.entries & SEAT_MASK == owner)).any())


@device_function
def _available_sets(keys, first, last, hand, begin, guard):
    """Return the sets first..last-1 for which a hand [kinds] has the cards."""
    packed_hand, sets, count = np.uint64(0), np.empty(last - first, np.int64), 0
    for kind in range(len(hand)):
        if hand[kind]:
            packed_hand |= np.uint64(hand[kind]) << np.uint64(begin[kind])
    packed_hand |= guard
    for index in range(first, last):
        if (packed_hand - (keys[index] & _CARD_BITS)) & guard == guard:
            sets[count] = index
            count += 1
    return sets[:count]


@device_function
def _possible_plays(form, seat, reachable, to_beat, owner):
    """Return the plays that may come to be beaten.

    Returns:
        Form and owner of each play; index of the play of each set, or NONE; index of the play to beat, or NONE.
    """
    sets, plays, play_to_beat = len(form), 0, NONE
    forms, owners, play_of = np.empty(sets + 1, np.int64), np.empty(sets + 1, np.int64), np.full(sets, NONE, np.int64)
    for index in range(sets):
        if reachable[form[index]]:
            if not plays or forms[plays - 1] != form[index] or owners[plays - 1] != seat[index]:
                forms[plays], owners[plays] = form[index], seat[index]
                plays += 1
            play_of[index] = plays - 1
    if to_beat != LEADING:
        for play in range(plays):
            if forms[play] == to_beat and owners[play] == owner:
                play_to_beat = play
        if play_to_beat < 0:
            play_to_beat, forms[plays], owners[plays] = plays, to_beat, owner
            plays += 1
    return forms[:plays], owners[:plays], play_of, play_to_beat


@device_function
def _order_moves(seat, marks, need, cards, strength):
    """Return one move of each equivalence class by seat, large and weak ones first, and the position of each move."""
    moves = len(seat)
    size, mark_keys = np.empty(moves, np.int64), np.empty(moves, np.int64)
    order = np.argsort(strength, kind="mergesort")
    for move in range(moves):
        size[move] = seat[order[move]] * 256 + 255 - cards[order[move]]
        mark_keys[move] = marks[move] * 64 + seat[move]
    order, by_mark = order[np.argsort(size, kind="mergesort")], np.argsort(mark_keys, kind="mergesort")
    group_start, first_of_class = (
        np.empty(moves, np.int64),
        np.full(moves, NONE, np.int64),
    )  # begins: first index of mark and seat
    for index in range(moves):
        new = index == 0 or mark_keys[by_mark[index - 1]] != mark_keys[by_mark[index]]
        group_start[by_mark[index]] = index if new else group_start[by_mark[index - 1]]
    position, chosen, count = np.full(moves, NONE, np.int64), np.empty(moves, np.int64), 0
    for move in order:
        slot = group_start[move]
        while first_of_class[slot] >= 0 and need[first_of_class[slot]] != need[move]:
            slot += 1
        if first_of_class[slot] < 0:
            first_of_class[slot], position[move], chosen[count] = move, count, move
            count += 1
        else:
            position[move] = position[first_of_class[slot]]
    return chosen[:count], position


@kernel
def pack_moves(move_arrays, context, hands):
    """Pack the hands of a table and their moves.

    Args:
        move_arrays: Arrays of the move table and the rules.
        context: State of the table.
        hands: uint8 [seats, kinds], each a subset of a hand of the move table.

    Returns:
        ``PackedMoves``.
    """
    keys, lead_follow, owner, first, set_of, fields_of_hands = _collect_sets(move_arrays, context, hands)
    form, num_sets = (keys >> np.uint64(MARK_SHIFT)).astype(np.int64), len(keys)
    forms, owners, play_of, play_to_beat = _possible_plays(
        form, owner, context.reachable_forms, context.to_beat, context.owner
    )
    column_of = move_arrays.column_of[context.hand_id]
    class_of, legal = group_plays(
        owner, form, lead_follow, forms, owners, column_of, move_arrays.allowed, move_arrays.can_beat_own
    )
    next_trick, turn_class = np.full(num_sets, NONE, np.int64), move_arrays.turn_class[form]
    effect = context.effect[form]
    for index in range(num_sets):
        if play_of[index] >= 0:
            next_trick[index] = class_of[play_of[index]]
    trick = 0 if play_to_beat < 0 else class_of[play_to_beat]
    marks = equivalence_classes(legal, next_trick, turn_class, effect)
    packed_hands, guard_bits, seat_mask, need, fields, fits = _pack_hands(
        keys, lead_follow, marks, first, *fields_of_hands
    )
    order, position = _order_moves(
        owner, marks, need, move_arrays.cards_of[form], move_arrays.strength[context.context][form]
    )
    reply_start, replies = list_replies(legal[:, order], owner[order], len(hands))
    for index in range(len(set_of)):
        if set_of[index] >= 0:
            set_of[index] = position[set_of[index]]
    return PackedMoves(
        fits, packed_hands, guard_bits, seat_mask, need[order], turn_class[order], effect[order], next_trick[order],
        reply_start, replies, fields, trick, set_of,
    )  # fmt: skip


@device_function
def _collect_sets(move_arrays, context, hands):
    """Collect the sets of the move table for which the hands have the cards, after merging interchangeable cards.

    Returns:
        Keys, bits and seat of each set; first set of each seat; index among them of each set of the move table, by
        seat, or NONE; and for ``_pack_hands`` the first bit and largest count of the fields of each hand, and their
        number.
    """
    seats, kinds = hands.shape
    max_sets, num_sets, num_listed = 0, 0, 0
    for seat in range(seats):
        max_sets += move_arrays.start[context.hand_id[seat] + 1] - move_arrays.start[context.hand_id[seat]]
    keys, lead_follow, owner = np.empty(max_sets, np.uint64), np.empty(max_sets, np.int64), np.empty(max_sets, np.int64)
    set_of, first = np.full(max_sets, NONE, np.int64), np.zeros(seats + 1, np.int64)
    num_fields = np.zeros(seats, np.int64)
    field_starts, max_counts = np.zeros((seats, kinds), np.int64), np.zeros((seats, kinds), np.int64)
    for seat in range(seats):
        hand = context.hand_id[seat]
        field_start = move_arrays.field_start[hand]
        first_set, last_set = move_arrays.start[hand], move_arrays.start[hand + 1]
        available = _available_sets(
            move_arrays.keys, first_set, last_set, hands[seat], field_start, move_arrays.guard_bits[hand]
        )
        kinds_held = np.flatnonzero(hands[seat])
        counts = hands[seat][kinds_held].astype(np.int64)
        _, new_keys, field_start, counts, _, _, _ = merge_fields(
            move_arrays.keys[available], move_arrays.lead_follow[available], field_start[kinds_held], counts
        )
        unique_keys, unique_bits = deduplicate_keys(new_keys, move_arrays.lead_follow[available])
        for index in range(len(available)):
            set_of[num_listed + available[index] - first_set] = num_sets + find_key(unique_keys, new_keys[index])
        end = num_sets + len(unique_keys)
        keys[num_sets:end], lead_follow[num_sets:end], owner[num_sets:end] = unique_keys, unique_bits, seat
        num_fields[seat] = len(field_start)
        field_starts[seat, : len(field_start)], max_counts[seat, : len(field_start)] = field_start, counts
        num_sets, first[seat + 1] = end, end
        num_listed += last_set - first_set
    fields = field_starts, max_counts, num_fields
    return keys[:num_sets], lead_follow[:num_sets], owner[:num_sets], first, set_of, fields


@device_function
def _pack_hands(keys, lead_follow, marks, first, field_starts, max_counts, num_fields):
    """Pack hands into one word, after merging cards that are interchangeable for moves with the same mark."""
    seats, bit, count = len(num_fields), 0, 0
    need, fields = np.zeros(len(keys), np.uint64), np.empty((num_fields.sum(), 3), np.int64)
    packed_hands, guard_bits, seat_mask, fits = np.uint64(0), np.uint64(0), np.zeros(seats, np.uint64), True
    for seat in range(seats):
        lo, hi = first[seat], first[seat + 1]
        mark_keys = np.empty(hi - lo, np.uint64)
        for row in range(lo, hi):
            mark_keys[row - lo] = np.uint64(marks[row]) << np.uint64(MARK_SHIFT) | (keys[row] & _CARD_BITS)
        order = np.argsort(mark_keys)
        old_start, counts = field_starts[seat, : num_fields[seat]].copy(), max_counts[seat, : num_fields[seat]].copy()
        _, new_keys, field_start, counts, full_hand, hand_guard, bits = merge_fields(
            mark_keys[order], lead_follow[lo:hi][order], old_start, counts
        )
        if bit + bits > MAX_WORD_BITS:
            fits = False
            break
        for row in range(hi - lo):
            need[lo + order[row]] = (new_keys[row] & _CARD_BITS) << np.uint64(bit)
        packed_hands |= full_hand << np.uint64(bit)
        guard_bits |= hand_guard << np.uint64(bit)
        seat_mask[seat] = ((_ONE << np.uint64(bits)) - _ONE) << np.uint64(bit)
        for row in range(len(field_start)):
            fields[count, 0], fields[count, 1], fields[count, 2] = (
                seat,
                field_start[row] + bit,
                np.int64(low_bits_mask(counts[row])),
            )
            count += 1
        bit += bits
    return packed_hands, guard_bits, seat_mask, need, fields[:count], fits
