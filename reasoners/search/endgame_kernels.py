"""Kernels of the endgame search, which decides whether the value of a position for the party of seat 0 reaches a bound.

The search has an explicit stack, so it can be interrupted. The table of positions holds proven bounds. Single legal
moves are made at once, and do not count as nodes.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

import numpy as np

from abl_cards.core import borrow_arrays, copy_values, device_function, kernel
from abl_cards.games.state import EPISODE_OVER_BIT, NO_NEXT_SEAT, SEAT_MASK, TRICK_OVER_BIT

HANDS, SEAT, TRICK, OWNER, PASSED, GONE_BY, FINISH, FLUENTS, PLAYS, OUTCOME = range(10)
"""Columns of a position. The plays of a seat have four bits; OUTCOME is -1 until the episode is over."""
POSITION_SIZE = 10
BEST, MOVE, NEXT, COUNT, FIRST, SLOT = range(POSITION_SIZE, POSITION_SIZE + 6)
"""Further columns of a frame: best value, its move, next move, number of moves, index of the first one, table entry."""
FRAME_SIZE = POSITION_SIZE + 6

MAX_PLIES, MAX_MOVES = 512, 1 << 15

NODES, DEPTH, HAS_VALUE, VALUE, ERROR, STAMP = range(6)
STATE_SIZE = 6
"""Number of columns of the state of a search: positions, depth, whether a value is returned, the value, an error.

The last column is the number of the search among those that share a table, below 2 ** 15.
"""

NO_ERROR, NO_SEAT, NO_MOVE, TOO_DEEP = range(4)

_HISTORY_SCALE, _HISTORY_SHIFT = 1 << 12, 3
"""Unit of the running means of `empty_history`, and the logarithm of the number of tries that they remember."""

_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_STAMP_SHIFT, _TAKEN = np.uint64(48), np.uint64(1 << 15)


@device_function
def _has_cards(hands, guard, need):
    """Return whether hands contain cards."""
    return ((hands | guard) - need) & guard == guard


@kernel
def apply_move(static, position, move):
    """Make a move in position [POSITION_SIZE]; return False where the rules name no next seat."""
    hands, seat = np.uint64(position[HANDS]), position[SEAT]
    passing = static.next_trick[move] < 0
    order = position[FINISH]
    if passing:
        position[PASSED] |= 1 << seat
        position[GONE_BY] |= 1 << seat
    else:
        hands -= static.cards[move]
        position[HANDS] = np.int64(hands)
        position[TRICK], position[OWNER], position[PASSED] = static.next_trick[move], seat, 0
        if static.strides[2 + seat] and (position[PLAYS] >> (4 * seat)) & 15 < static.max_plays:
            position[PLAYS] += 1 << (4 * seat)
        if hands & static.seat_mask[seat] == 0:
            order = np.int64(static.next_finish[order, seat])
            position[FINISH] = order
        position[FLUENTS] = static.next_fluents[position[FLUENTS], static.effect[move]]
    strides = static.turn_strides
    entry = static.turns[
        seat * strides.last_actor + position[OWNER] * strides.owner + position[PASSED] * strides.passed
        + position[GONE_BY] * strides.passed_in_trick + static.out[order] * strides.seats_out + static.turn_offset[move]
    ]  # fmt: skip
    if entry == NO_NEXT_SEAT:
        return False
    position[SEAT] = entry & SEAT_MASK
    if entry & EPISODE_OVER_BIT:
        position[OUTCOME] = _outcome(static, position)
        return True
    if entry & TRICK_OVER_BIT:
        position[TRICK], position[OWNER], position[PASSED], position[GONE_BY] = 0, position[SEAT], 0, 0
    if strides.passed_in_trick == 0:
        position[GONE_BY] = 0
    return True


@kernel
def _outcome(static, position):
    """Return the index of the value of a final position."""
    strides, seats = static.strides, len(static.party)
    entry = position[FINISH] * strides[0] + position[FLUENTS] * strides[1]
    for seat in range(seats):
        entry += ((position[PLAYS] >> (4 * seat)) & 15) * strides[2 + seat]
    for row in range(len(static.fields)):
        stride = strides[2 + seats + static.fields[row, 0]]
        if stride:
            count = (np.uint64(position[HANDS]) >> np.uint64(static.fields[row, 1])) & np.uint64(static.fields[row, 2])
            entry += np.int64(count) * stride
    return static.value_index[entry]


@kernel
def _list_moves(static, position, moves, begin):
    """Write the legal moves of the next seat from an index on; return their number."""
    hands, seat, trick, count = np.uint64(position[HANDS]), position[SEAT], position[TRICK], begin
    need, replies, guard = static.cards, static.replies, static.guard_bits
    for reply_index in range(static.reply_start[seat, trick], static.reply_start[seat, trick + 1]):
        move = replies[reply_index]
        if _has_cards(hands, guard, need[move]):
            moves[count, 0] = move
            count += 1
    return count - begin


@device_function
def _position_key(position):
    """Return two words that identify a position of a search together with its hands."""
    table = (
        position[SEAT] | position[OWNER] << 4 | position[TRICK] << 8 | position[PASSED] << 24 | position[GONE_BY] << 40
    )  # fmt: skip
    more = position[FINISH] | position[FLUENTS] << 14 | position[PLAYS] << 26
    return np.uint64(table), np.uint64(more)


@device_function
def _find_slot(table, position, stamp):
    """Return the entry of a position, and whether it is valid; entries with another stamp are of other searches."""
    first, second = _position_key(position)
    hands = np.uint64(position[HANDS])
    mixed = (hands ^ (first * _MIX_1) ^ (second * _MIX_2)) * _MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _MIX_2
    slot = np.int64((mixed >> np.uint64(20)) & np.uint64(len(table) - 2))
    for entry in range(slot, slot + 2):
        is_current = table[entry, 3] >> _STAMP_SHIFT == stamp
        if is_current and table[entry, 0] == hands and table[entry, 1] == first and table[entry, 2] == second:
            return entry, True
    return slot, False


@kernel
def empty_history(static):
    """Return [plays to beat + 1, moves] how many siblings a move cut off lately; the last row is for all plays."""
    return np.zeros((static.reply_start.shape[1], len(static.cards)), np.int64)


@device_function
def _update_history(history, play, move, cut_off):
    """Update the running means of a move by the number of moves that it cut off."""
    for row in (play, len(history) - 1):
        history[row, move] += (_HISTORY_SCALE * cut_off - history[row, move]) >> _HISTORY_SHIFT


@kernel
def start_search(state, frames, position):
    """Write a position to the first frame."""
    copy_values(position, frames[0], POSITION_SIZE)
    frames[0, FIRST], frames[0, COUNT] = 0, -1
    state[DEPTH], state[HAS_VALUE] = 0, 0


@kernel
def continue_search(state, frames, moves, history, table, static, beta, max_nodes):
    """Search about `max_nodes` further positions; return whether the search is finished.

    The result is state[VALUE], a bound on the side of beta, or an error in state[ERROR].
    """
    # Longer than other functions: parts of it as inlined functions make it 24 % slower.
    state, frames, moves = borrow_arrays((state, frames, moves))
    history, table, static = borrow_arrays((history, table, static))
    depth, stop = state[DEPTH], state[NODES] + max_nodes
    value, returned = state[VALUE], state[HAS_VALUE]
    low, high, side, any_play = static.min_value, static.max_value, static.party, len(history) - 1
    stamp = np.uint64(state[STAMP]) | _TAKEN
    while depth >= 0:
        frame = frames[depth]
        if not returned and frame[COUNT] < 0:  # a new position
            if state[NODES] >= stop:
                state[DEPTH], state[HAS_VALUE] = depth, 0
                return False
            state[NODES] += 1
            while True:
                if frame[OUTCOME] >= 0:
                    value, returned = frame[OUTCOME], 1
                    break
                worst, best = low[frame[FINISH], frame[FLUENTS]], high[frame[FINISH], frame[FLUENTS]]
                if worst >= beta or best < beta:
                    value, returned = (worst if worst >= beta else best), 1
                    break
                count = _list_moves(static, frame, moves, frame[FIRST])
                if count == 0:
                    state[ERROR] = NO_MOVE
                    return True
                if count > 1:
                    frame[COUNT] = count
                    break
                if not apply_move(static, frame, moves[frame[FIRST], 0]):
                    state[ERROR] = NO_SEAT
                    return True
            if returned:
                depth -= 1
                continue
            slot, known = _find_slot(table, frame, stamp)
            frame[SLOT] = slot
            best_move = -1
            if known:
                bounds = table[slot, 3]
                lower = np.int64(bounds & np.uint64(0xFFFF)) - 1
                upper = np.int64((bounds >> np.uint64(16)) & np.uint64(0xFFFF)) - 1
                if lower >= beta or upper < beta:
                    value, returned = (lower if lower >= beta else upper), 1
                    depth -= 1
                    continue
                best_move = np.int64((bounds >> np.uint64(32)) & np.uint64(0xFFFF)) - 1
            first_move, seat = frame[FIRST], frame[SEAT]
            hands, own = np.uint64(frame[HANDS]), static.seat_mask[seat]
            for index in range(first_move, first_move + frame[COUNT]):
                move = moves[index, 0]
                cut_off = history[frame[TRICK], move] + history[any_play, move]
                score = cut_off * 64 + frame[COUNT] - index + first_move
                if move == best_move:
                    score += np.int64(1) << 60
                elif (hands - static.cards[move]) & own == 0:
                    score += np.int64(1) << 56
                moves[index, 1] = score
            frame[NEXT], frame[MOVE] = 0, -1
            frame[BEST] = -1 if side[seat] == 0 else 1 << 20
        elif returned:  # a value for the move that was tried last
            returned = 0
            move = moves[frame[FIRST] + frame[NEXT] - 1, 0]
            own = side[frame[SEAT]] == 0
            if (own and value > frame[BEST]) or (not own and value < frame[BEST]):
                frame[BEST], frame[MOVE] = value, move
            if (own and value >= beta) or (not own and value < beta):
                _update_history(history, frame[TRICK], move, 1 + frame[COUNT] - frame[NEXT])
                frame[NEXT] = frame[COUNT]
            else:
                _update_history(history, frame[TRICK], move, 0)
        if frame[NEXT] < frame[COUNT]:
            first_move, index = frame[FIRST], frame[FIRST] + frame[NEXT]
            best = index
            for other in range(index + 1, first_move + frame[COUNT]):
                if moves[other, 1] > moves[best, 1]:
                    best = other
            move, score = moves[best, 0], moves[best, 1]
            for back in range(best, index, -1):
                moves[back, 0], moves[back, 1] = moves[back - 1, 0], moves[back - 1, 1]
            moves[index, 0], moves[index, 1] = move, score
            frame[NEXT] += 1
            if depth + 1 == MAX_PLIES or first_move + 2 * frame[COUNT] + 1024 > MAX_MOVES:
                state[ERROR] = TOO_DEEP
                return True
            following = frames[depth + 1]
            copy_values(frame, following, POSITION_SIZE)
            following[FIRST], following[COUNT] = first_move + frame[COUNT], -1
            if not apply_move(static, following, move):
                state[ERROR] = NO_SEAT
                return True
            depth += 1
            continue
        value, returned = frame[BEST], 1
        _store_bound(table, frame, value, beta, stamp)
        depth -= 1
    state[DEPTH], state[HAS_VALUE], state[VALUE] = -1, 0, value
    return True


@device_function
def _store_bound(table, frame, value, beta, stamp):
    """Store a bound in the table: merge it with the bounds of the position, or replace another entry."""
    first, second = _position_key(frame)
    hands, slot = np.uint64(frame[HANDS]), frame[SLOT]
    entry, lower, upper = -1, np.int64(-1), np.int64(0xFFFE)
    base = slot & ~1
    for other in range(base, base + 2):
        is_current = table[other, 3] >> _STAMP_SHIFT == stamp
        if is_current and table[other, 0] == hands and table[other, 1] == first and table[other, 2] == second:
            entry = other
            lower = np.int64(table[entry, 3] & np.uint64(0xFFFF)) - 1
            upper = np.int64((table[entry, 3] >> np.uint64(16)) & np.uint64(0xFFFF)) - 1
    if entry < 0:
        entry = base
        if table[base, 3] >> _STAMP_SHIFT == stamp:  # the newer of two moves to the second place
            for word in range(4):
                table[base + 1, word] = table[base, word]
    if value >= beta:
        lower = max(lower, value)
    else:
        upper = min(upper, value)
    table[entry, 0], table[entry, 1], table[entry, 2] = hands, first, second
    table[entry, 3] = (
        np.uint64(lower + 1) | np.uint64(upper + 1) << np.uint64(16) | np.uint64(frame[MOVE] + 1) << np.uint64(32)
        | stamp << _STAMP_SHIFT
    )  # fmt: skip
