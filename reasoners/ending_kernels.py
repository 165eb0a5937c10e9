"""The search through the end of an episode, which asks whether a position is worth so much to the party of seat 0.

One explicit stack, so that the search can stop after so many positions and go on later. A table of positions keeps
bounds, never guesses. What has one legal move is made at once and is no node.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.play.state import NEXT_SEAT, NO_TURN, OVER, TRICK_OVER

HANDS, SEAT, TRICK, OWNER, PASSED, GONE_BY, ORDER, MEMORY, PLAYS, WORTH = range(10)
"""A place: where play has come to. Plays of a seat are four bits; WORTH is -1 as long as it goes on."""
PLACE = 10
BEST, MOVE, NEXT, COUNT, FIRST, SLOT = range(PLACE, PLACE + 6)
"""More of a frame: the bound so far, the move that made it, which move is tried next, of how many, where they begin."""
FRAME = PLACE + 6

MOST_PLIES, MOST_MOVES = 512, 1 << 15

NODES, DEPTH, RETURNED, VALUE, FAULT, STAMP = range(6)
STATE = 6
"""Of a search: positions so far, how deep it is, whether a value has come back, and which; an error.

And the number of the search among those that share a table of positions, below 2 ** 15.
"""

FINE, NO_SEAT, NO_MOVE, TOO_DEEP = range(4)

_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_STAMP_AT, _TAKEN = np.uint64(48), np.uint64(1 << 15)


@njit(cache=True, nogil=True, inline="always")
def _laid_down(hands, guard, need):
    """Whether the cards are there."""
    return ((hands | guard) - need) & guard == guard


@njit(cache=True, nogil=True)
def step(ground, place, move):
    """Make a move; place [PLACE] is changed. Returns whether somebody is next, or it is over."""
    hands, seat = np.uint64(place[HANDS]), place[SEAT]
    passing = ground.lays[move] < 0
    order = place[ORDER]
    if passing:
        place[PASSED] |= 1 << seat
        place[GONE_BY] |= 1 << seat
    else:
        hands -= ground.need[move]
        place[HANDS] = np.int64(hands)
        place[TRICK], place[OWNER], place[PASSED] = ground.lays[move], seat, 0
        if ground.strides[2 + seat] and (place[PLAYS] >> (4 * seat)) & 15 < ground.most_plays:
            place[PLAYS] += 1 << (4 * seat)
        if hands & ground.of_seat[seat] == 0:
            order = np.int64(ground.next_order[order, seat])
            place[ORDER] = order
        place[MEMORY] = ground.next_memory[place[MEMORY], ground.deed[move]]
    strides = ground.turn_strides
    entry = ground.turns[
        seat * strides[0] + place[OWNER] * strides[1] + place[PASSED] * strides[2] + place[GONE_BY] * strides[3]
        + ground.out[order] * strides[4] + ground.laid[move]
    ]  # fmt: skip
    if entry == NO_TURN:
        return False
    place[SEAT] = entry & NEXT_SEAT
    if entry & OVER:
        place[WORTH] = _worth(ground, place)
        return True
    if entry & TRICK_OVER:
        place[TRICK], place[OWNER], place[PASSED], place[GONE_BY] = 0, place[SEAT], 0, 0
    if strides[3] == 0:
        place[GONE_BY] = 0
    return True


@njit(cache=True, nogil=True)
def _worth(ground, place):
    """What an end is worth, as a place among the values."""
    strides, seats = ground.strides, len(ground.side)
    entry = place[ORDER] * strides[0] + place[MEMORY] * strides[1]
    for seat in range(seats):
        entry += ((place[PLAYS] >> (4 * seat)) & 15) * strides[2 + seat]
    for row in range(len(ground.fields)):
        stride = strides[2 + seats + ground.fields[row, 0]]
        if stride:
            count = (np.uint64(place[HANDS]) >> np.uint64(ground.fields[row, 1])) & np.uint64(ground.fields[row, 2])
            entry += np.int64(count) * stride
    return ground.ends[entry]


@njit(cache=True, nogil=True)
def _moves(ground, place, moves, begin):
    """Write the legal moves of who is next from begin on; returns how many there are."""
    hands, seat, trick, count = np.uint64(place[HANDS]), place[SEAT], place[TRICK], begin
    need, answers, guard = ground.need, ground.answers, ground.guard
    for at in range(ground.first[seat, trick], ground.first[seat, trick + 1]):
        move = answers[at]
        if _laid_down(hands, guard, need[move]):
            moves[count, 0] = move
            count += 1
    return count - begin


@njit(cache=True, nogil=True, inline="always")
def _key(place):
    """Two words that tell a place from all others of a search, besides its hands."""
    table = (
        place[SEAT] | place[OWNER] << 4 | place[TRICK] << 8 | place[PASSED] << 24 | place[GONE_BY] << 40
    )  # fmt: skip
    more = place[ORDER] | place[MEMORY] << 14 | place[PLAYS] << 26
    return np.uint64(table), np.uint64(more)


@njit(cache=True, nogil=True)
def _look_up(table, place, stamp):
    """The slot of a place in the table, and whether it is there; entries with another stamp are of other searches."""
    first, second = _key(place)
    hands = np.uint64(place[HANDS])
    mixed = (hands ^ (first * _MIX_1) ^ (second * _MIX_2)) * _MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _MIX_2
    slot = np.int64((mixed >> np.uint64(20)) & np.uint64(len(table) - 2))
    for at in range(slot, slot + 2):
        taken = table[at, 3] >> _STAMP_AT == stamp
        if taken and table[at, 0] == hands and table[at, 1] == first and table[at, 2] == second:
            return at, True
    return slot, False


@njit(cache=True, nogil=True)
def begin(state, frames, place):
    """Put a place on the first frame."""
    frames[0, :PLACE] = place
    frames[0, FIRST], frames[0, COUNT] = 0, -1
    state[DEPTH], state[RETURNED] = 0, 0


@njit(cache=True, nogil=True)
def go_on(state, frames, moves, history, table, ground, beta, nodes):
    """Search on for about so many positions; whether there is an answer, in state[VALUE]: a bound on the side of beta.

    Or there is a fault, in state[FAULT].
    """
    depth, stop = state[DEPTH], state[NODES] + nodes
    value, returned = state[VALUE], state[RETURNED]
    low, high, side = ground.low, ground.high, ground.side
    stamp = np.uint64(state[STAMP]) | _TAKEN
    while depth >= 0:
        frame = frames[depth]
        if not returned and frame[COUNT] < 0:  # a new place
            if state[NODES] >= stop:
                state[DEPTH], state[RETURNED] = depth, 0
                return False
            state[NODES] += 1
            while True:
                if frame[WORTH] >= 0:
                    value, returned = frame[WORTH], 1
                    break
                worst, best = low[frame[ORDER], frame[MEMORY]], high[frame[ORDER], frame[MEMORY]]
                if worst >= beta or best < beta:
                    value, returned = (worst if worst >= beta else best), 1
                    break
                count = _moves(ground, frame, moves, frame[FIRST])
                if count == 0:
                    state[FAULT] = NO_MOVE
                    return True
                if count > 1:
                    frame[COUNT] = count
                    break
                if not step(ground, frame, moves[frame[FIRST], 0]):
                    state[FAULT] = NO_SEAT
                    return True
            if returned:
                depth -= 1
                continue
            slot, known = _look_up(table, frame, stamp)
            frame[SLOT] = slot
            best_move = -1
            if known:
                kept = table[slot, 3]
                lower = np.int64(kept & np.uint64(0xFFFF)) - 1
                upper = np.int64((kept >> np.uint64(16)) & np.uint64(0xFFFF)) - 1
                if lower >= beta or upper < beta:
                    value, returned = (lower if lower >= beta else upper), 1
                    depth -= 1
                    continue
                best_move = np.int64((kept >> np.uint64(32)) & np.uint64(0xFFFF)) - 1
            begun, seat = frame[FIRST], frame[SEAT]
            hands, mine = np.uint64(frame[HANDS]), ground.of_seat[seat]
            for at in range(begun, begun + frame[COUNT]):
                move = moves[at, 0]
                score = history[move] * 64 + (frame[COUNT] - at + begun)
                if move == best_move:
                    score += np.int64(1) << 60
                elif (hands - ground.need[move]) & mine == 0:
                    score += np.int64(1) << 56
                moves[at, 1] = score
            frame[NEXT], frame[MOVE] = 0, -1
            frame[BEST] = -1 if side[seat] == 0 else 1 << 20
        elif returned:  # a value for the move that was tried last
            returned = 0
            move = moves[frame[FIRST] + frame[NEXT] - 1, 0]
            mine = side[frame[SEAT]] == 0
            if (mine and value > frame[BEST]) or (not mine and value < frame[BEST]):
                frame[BEST], frame[MOVE] = value, move
            if (mine and value >= beta) or (not mine and value < beta):
                history[move] += 1 + frame[COUNT] - frame[NEXT]  # more where more need not be tried
                frame[NEXT] = frame[COUNT]
        if frame[NEXT] < frame[COUNT]:
            begun, at = frame[FIRST], frame[FIRST] + frame[NEXT]
            best = at
            for other in range(at + 1, begun + frame[COUNT]):
                if moves[other, 1] > moves[best, 1]:
                    best = other
            move, score = moves[best, 0], moves[best, 1]
            for back in range(best, at, -1):
                moves[back, 0], moves[back, 1] = moves[back - 1, 0], moves[back - 1, 1]
            moves[at, 0], moves[at, 1] = move, score
            frame[NEXT] += 1
            if depth + 1 == MOST_PLIES or begun + 2 * frame[COUNT] + 1024 > MOST_MOVES:
                state[FAULT] = TOO_DEEP
                return True
            following = frames[depth + 1]
            following[:PLACE] = frame[:PLACE]
            following[FIRST], following[COUNT] = begun + frame[COUNT], -1
            if not step(ground, following, move):
                state[FAULT] = NO_SEAT
                return True
            depth += 1
            continue
        value, returned = frame[BEST], 1
        _keep(table, frame, value, beta, stamp)
        depth -= 1
    state[DEPTH], state[RETURNED], state[VALUE] = -1, 0, value
    return True


@njit(cache=True, nogil=True)
def _keep(table, frame, value, beta, stamp):
    """Write a bound into the table: over what is known of the place, or in the place of another."""
    first, second = _key(frame)
    hands, slot = np.uint64(frame[HANDS]), frame[SLOT]
    at, lower, upper = -1, np.int64(-1), np.int64(0xFFFE)
    base = slot & ~1
    for other in range(base, base + 2):
        taken = table[other, 3] >> _STAMP_AT == stamp
        if taken and table[other, 0] == hands and table[other, 1] == first and table[other, 2] == second:
            at = other
            lower = np.int64(table[at, 3] & np.uint64(0xFFFF)) - 1
            upper = np.int64((table[at, 3] >> np.uint64(16)) & np.uint64(0xFFFF)) - 1
    if at < 0:
        at = base
        if table[base, 3] >> _STAMP_AT == stamp:  # the newer of two moves to the second place
            for word in range(4):
                table[base + 1, word] = table[base, word]
    if value >= beta:
        lower = max(lower, value)
    else:
        upper = min(upper, value)
    table[at, 0], table[at, 1], table[at, 2] = hands, first, second
    table[at, 3] = (
        np.uint64(lower + 1) | np.uint64(upper + 1) << np.uint64(16) | np.uint64(frame[MOVE] + 1) << np.uint64(32)
        | stamp << _STAMP_AT
    )  # fmt: skip
