"""Kernels of the race search: negamax with null windows on an explicit stack, so that it can be interrupted.

A frame is a position, with the hand of the seat to move first. A play without replies forces a pass, so the same seat
moves in the next frame. A play to beat is represented by the replies to it.

Kept beside endgame_kernels.py, which takes 3, 10 and 19 times as long for two hands of 8, 10 and 12 cards of Big2.
"""

# mypy: disable-error-code="assignment,no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import borrow_arrays, device_function, kernel
from abl_cards.reasoners.search.bits import ONE, lowest_bit, merge_ranks, popcount, ranks_with
from abl_cards.reasoners.search.dominated_moves import ALL_COPIES, SOME_COPIES, find_dominated_ranks
from abl_cards.reasoners.search.tables import (  # fmt: skip
    BEATERS,
    BY_CARDS,
    CARDS,
    KICKER_SIZE,
    KICKERS,
    KIND,
    MAIN,
    NEED,
    SEVERAL_RANKS,
    SPARE,
    WITH_KICKERS,
    WITHIN_COPIES,
)
from abl_cards.reasoners.search.transposition_table import (
    FULL_DEPTH,
    best_move_of,
    depth_of,
    find_entry,
    lower_bound,
    store,
    upper_bound,
)

(
    OWN, OTHER, OWN_CARDS, OTHER_CARDS, REPLY, BETA, BEST, BEST_MOVE, NEXT, END, START, SEAT_CHANGED, DEPTH,
    HORIZON_REACHED, BEST_HORIZON_REACHED, START_NODES, FIRST_KEY, SECOND_KEY,
) = range(18)  # fmt: skip
"""Columns of a frame: hands and their sizes; first reply, or LEAD; the bound to reach; best value and its label; the
range of its moves on the stack of moves; whether the other seat moved before; the depth left; whether the depth limit
affected any move, and the best one; the nodes at its begin; its key in the table."""
FRAME_SIZE = 18

LEAD, PASS, NO_MOVE = 511, 510, 509
"""Special values in place of a label."""

OWN_SET, OTHER_SET, LEGAL_SET = range(3)
"""Sets of labels of a frame: those that each hand can play, and the legal ones."""

MOVE_CARDS, MOVE_LABEL, MOVE_SCORE = range(3)
"""Columns of a move: its cards as a hand, its label or -1 for a pass, and its score for the order of moves."""

PLY, NODES, VALUE, BEST_CARDS, BEST_LABEL, MERGE = range(6)
"""Columns of the state of a search: current ply, nodes, results at the root, whether ranks may be merged."""
STATE_SIZE = 6

MAX_PLIES, MAX_MOVES = 128, 1 << 16

_SIZE_SHIFT = 14
"""Leads are sorted by number of cards, then by the cut-offs of their labels; plays come before a pass."""
_PLAY_BONUS, _HASH_MOVE_BONUS, _MAX_HISTORY = 8000, 1 << 28, 8000
_INFINITE_VALUE = 100


@kernel
def fill_playable(hand, labels, label_sets, sets, ply, set_index):
    """Fill a set with the labels that a hand can play."""
    sets[ply, set_index] = ~np.uint64(0)
    for rank in range(13):
        copies = np.int64((hand >> np.uint64(3 * rank)) & np.uint64(7))
        for word in range(label_sets.shape[1]):
            sets[ply, set_index, word] &= label_sets[WITHIN_COPIES + 5 * rank + copies, word]
    _drop_lacking_kickers(hand, labels, label_sets, sets, ply, set_index)


@device_function
def _drop_lacking_kickers(hand, labels, label_sets, sets, ply, set_index):
    for word in range(label_sets.shape[1]):
        left = sets[ply, set_index, word] & label_sets[WITH_KICKERS, word]
        while left:
            bit = lowest_bit(left)
            left &= left - ONE
            label = np.int64(bit) + 64 * word
            kicker_ranks = ranks_with(hand, labels[label, KICKER_SIZE]) & np.uint64(labels[label, SPARE])
            if np.int64(popcount(kicker_ranks)) < labels[label, KICKERS]:
                sets[ply, set_index, word] &= ~(ONE << bit)


@kernel
def list_moves(frames, sets, ply, labels, label_sets, history, moves, hash_move, merge, dominance):
    """Write the moves of a frame to the stack of moves; ``hash_move`` is the best label by the table.

    With ``merge``, dominated moves are left out; see dominated_moves.py.
    """
    move_index = frames[ply, START]
    own = np.uint64(frames[ply, OWN])
    leads = 1 if frames[ply, REPLY] == LEAD else 0
    has_dominated, kind, border = False, -1, np.uint64(0)
    if merge:
        loose = _loose_ranks(own, sets, ply, labels, label_sets)
        has_dominated = find_dominated_ranks(own, np.uint64(frames[ply, OTHER]), loose, dominance)
        first = 0 if leads else frames[ply, REPLY]
        if not (label_sets[SEVERAL_RANKS, first // 64] >> np.uint64(first % 64)) & ONE:
            kind, border = labels[first, KIND], ONE << np.uint64(labels[first, MAIN])
    for word in range(label_sets.shape[1]):
        left = sets[ply, LEGAL_SET, word]
        while left:
            label = np.int64(lowest_bit(left)) + 64 * word
            left &= left - ONE
            if has_dominated and not (label_sets[SEVERAL_RANKS, word] >> np.uint64(label - 64 * word)) & ONE:
                main = labels[label, MAIN]
                num_copies = np.uint64(labels[label, NEED]) >> np.uint64(main)
                uses_all = (own >> np.uint64(main)) & np.uint64(7) == num_copies
                dominated = np.uint64(dominance[ALL_COPIES if uses_all else SOME_COPIES, main // 3])
                if dominated and (leads or (labels[label, KIND] == kind and dominated >= border)):
                    continue
            rank = history[leads, label] + (labels[label, CARDS] << _SIZE_SHIFT if leads else _PLAY_BONUS)
            if label == hash_move:
                rank += _HASH_MOVE_BONUS
            if labels[label, KICKERS] == 0:
                moves[move_index, MOVE_CARDS], moves[move_index, MOVE_LABEL], moves[move_index, MOVE_SCORE] = (
                    labels[label, NEED],
                    label,
                    rank,
                )
                move_index += 1
            else:
                move_index = _add_kicker_moves(own, label, rank, labels, moves, move_index, dominance, merge)
    if not leads:
        moves[move_index, MOVE_CARDS], moves[move_index, MOVE_LABEL] = 0, -1
        moves[move_index, MOVE_SCORE] = history[0, labels.shape[0]] + (_HASH_MOVE_BONUS if hash_move == PASS else 0)
        move_index += 1
    frames[ply, NEXT], frames[ply, END] = frames[ply, START], move_index


@device_function
def _loose_ranks(own, sets, ply, labels, label_sets):
    """Return the ranks of a hand that none of its combinations of several ranks needs."""
    needed = np.uint64(0)
    for word in range(label_sets.shape[1]):
        remaining = sets[ply, OWN_SET, word] & label_sets[SEVERAL_RANKS, word]
        while remaining:
            needed |= np.uint64(labels[np.int64(lowest_bit(remaining)) + 64 * word, NEED])
            remaining &= remaining - ONE
    return ranks_with(own, 1) & ~ranks_with(needed, 1)


@device_function
def _add_kicker_moves(own, label, rank, labels, moves, place, dominance, merge):
    """Write the moves of a label with all choices of kickers, low ones first; return the index behind them."""
    size, groups = np.uint64(labels[label, KICKER_SIZE]), labels[label, KICKERS]
    kicker_ranks = ranks_with(own, labels[label, KICKER_SIZE]) & np.uint64(labels[label, SPARE])
    chosen, end = (1 << groups) - 1, 1 << np.int64(popcount(kicker_ranks))
    while chosen < end:
        cards, left, rank_index, height = np.uint64(labels[label, NEED]), kicker_ranks, 0, 0
        chosen_ranks, is_dominated = np.uint64(0), False
        while left and not is_dominated:
            if (chosen >> rank_index) & 1:
                shift = lowest_bit(left)
                cards += size << shift
                height += rank_index
                if merge:
                    lower = np.uint64(dominance[np.int64(size), np.int64(shift) // 3])
                    is_dominated = lower & kicker_ranks & ~chosen_ranks != 0
                    chosen_ranks |= ONE << shift
            left &= left - ONE
            rank_index += 1
        if not is_dominated:
            moves[place, MOVE_CARDS], moves[place, MOVE_LABEL], moves[place, MOVE_SCORE] = (
                np.int64(cards),
                label,
                rank - height,
            )
            place += 1
        lowest = chosen & -chosen  # the next number with as many bits
        carried = chosen + lowest
        chosen = (((carried ^ chosen) >> 2) // lowest) | carried
    return place


@device_function
def _pick_next(frames, ply, moves):
    """Move the best of the remaining moves to the front; return its index."""
    first = frames[ply, NEXT]
    best = first
    for move_index in range(first + 1, frames[ply, END]):
        if moves[move_index, MOVE_SCORE] > moves[best, MOVE_SCORE]:
            best = move_index
    if best != first:
        for column in range(3):
            moves[first, column], moves[best, column] = moves[best, column], moves[first, column]
    frames[ply, NEXT] = first + 1
    return first


@device_function
def _apply_pass(frames, sets, ply, child, label_sets):
    """Fill the next frame after a pass: the other seat leads."""
    frames[child, OWN], frames[child, OTHER] = frames[ply, OTHER], frames[ply, OWN]
    frames[child, OWN_CARDS], frames[child, OTHER_CARDS] = frames[ply, OTHER_CARDS], frames[ply, OWN_CARDS]
    frames[child, REPLY], frames[child, SEAT_CHANGED], frames[child, BETA] = LEAD, 1, 1 - frames[ply, BETA]
    for word in range(label_sets.shape[1]):
        theirs = sets[ply, OTHER_SET, word]
        sets[child, OWN_SET, word], sets[child, OTHER_SET, word], sets[child, LEGAL_SET, word] = (
            theirs,
            sets[ply, OWN_SET, word],
            theirs,
        )


@device_function
def _apply_play(frames, sets, ply, child, cards, label, labels, label_sets):
    """Fill the next frame after a play: the other seat replies, or must pass and the same seat leads."""
    hand, reply = np.uint64(frames[ply, OWN] - cards), LEAD
    for word in range(label_sets.shape[1] - 1, -1, -1):
        replies = sets[ply, OTHER_SET, word] & label_sets[BEATERS + label, word]
        sets[child, LEGAL_SET, word] = replies
        if replies:
            reply = 64 * word + np.int64(lowest_bit(replies))
    turned = 1 if reply != LEAD else 0
    mine, theirs = (OTHER_SET, OWN_SET) if turned else (OWN_SET, OTHER_SET)
    for word in range(label_sets.shape[1]):
        sets[child, mine, word], sets[child, theirs, word] = sets[ply, OWN_SET, word], sets[ply, OTHER_SET, word]
    touched = ranks_with(np.uint64(cards), 1)
    while touched:
        shift = lowest_bit(touched)
        touched &= touched - ONE
        row = WITHIN_COPIES + 5 * (np.int64(shift) // 3) + np.int64((hand >> shift) & np.uint64(7))
        for word in range(label_sets.shape[1]):
            sets[child, mine, word] &= label_sets[row, word]
    _drop_lacking_kickers(hand, labels, label_sets, sets, child, mine)
    left = frames[ply, OWN_CARDS] - labels[label, CARDS]
    frames[child, REPLY], frames[child, SEAT_CHANGED] = reply, turned
    if turned:
        frames[child, OWN], frames[child, OTHER] = frames[ply, OTHER], np.int64(hand)
        frames[child, OWN_CARDS], frames[child, OTHER_CARDS] = frames[ply, OTHER_CARDS], left
        frames[child, BETA] = 1 - frames[ply, BETA]
    else:
        frames[child, OWN], frames[child, OTHER] = np.int64(hand), frames[ply, OTHER]
        frames[child, OWN_CARDS], frames[child, OTHER_CARDS] = left, frames[ply, OTHER_CARDS]
        frames[child, BETA] = frames[ply, BETA]
        for word in range(label_sets.shape[1]):
            sets[child, LEGAL_SET, word] = sets[child, OWN_SET, word]


@device_function
def _set_key(frames, sets, ply, labels, label_sets, merge, merged):
    """Compute the key of a frame; positions with equal order of ranks share one where no runs are left."""
    runs = np.uint64(0)
    for word in range(label_sets.shape[1]):
        runs |= (sets[ply, OWN_SET, word] | sets[ply, OTHER_SET, word]) & label_sets[SEVERAL_RANKS, word]
    reply = frames[ply, REPLY]
    if runs or not merge:
        frames[ply, FIRST_KEY], frames[ply, SECOND_KEY] = frames[ply, OWN] | (reply << 39), frames[ply, OTHER]
        return
    border = -1 if reply == LEAD else labels[reply, MAIN]
    merge_ranks(np.uint64(frames[ply, OWN]), np.uint64(frames[ply, OTHER]), border, merged)
    if reply != LEAD:
        reply = 13 * labels[reply, KIND] + merged[2] // 3
    frames[ply, FIRST_KEY], frames[ply, SECOND_KEY] = merged[0] | (reply << 39), merged[1] | (1 << 39)


@device_function
def _update_best(frames, ply, value, is_open, label):
    """Update the best value of a frame by that of a move."""
    if is_open:
        frames[ply, HORIZON_REACHED] = 1
    if value > frames[ply, BEST]:
        frames[ply, BEST], frames[ply, BEST_HORIZON_REACHED] = value, is_open
        frames[ply, BEST_MOVE] = PASS if label < 0 else label


@device_function
def _evaluate_frame(frames, sets, ply, labels, label_sets, table, merge, merged):
    """Evaluate a new frame without search: return whether it is settled, the value, whether it is open, and a move."""
    beta, own, other = frames[ply, BETA], frames[ply, OWN_CARDS], frames[ply, OTHER_CARDS]
    finishing = np.uint64(0)
    for word in range(label_sets.shape[1]):
        finishing |= sets[ply, LEGAL_SET, word] & label_sets[BY_CARDS + own, word]
    if finishing or other < beta:  # goes out, which is optimal; or cannot win enough
        return True, other, 0, NO_MOVE
    if -own >= beta:
        return True, -own, 0, NO_MOVE
    if frames[ply, DEPTH] <= 0:
        return True, other - own, 1, NO_MOVE
    _set_key(frames, sets, ply, labels, label_sets, merge, merged)
    entry = find_entry(table, np.uint64(frames[ply, FIRST_KEY]), np.uint64(frames[ply, SECOND_KEY]))
    if entry < 0:
        return False, 0, 0, NO_MOVE
    depth = depth_of(table, entry)
    if depth == FULL_DEPTH or depth >= frames[ply, DEPTH]:
        lower, upper = lower_bound(table, entry), upper_bound(table, entry)
        is_open = 0 if depth == FULL_DEPTH else 1
        if lower >= beta:
            return True, lower, is_open, NO_MOVE
        if upper < beta:
            return True, upper, is_open, NO_MOVE
    return False, 0, 0, best_move_of(table, entry)


@device_function
def _store_frame(frames, ply, labels, table, history, nodes):
    """Store the bound of a finished frame in the table."""
    best, reached = frames[ply, BEST], frames[ply, BEST] >= frames[ply, BETA]
    if reached:
        leads = 1 if frames[ply, REPLY] == LEAD else 0
        move = frames[ply, BEST_MOVE]
        column = labels.shape[0] if move == PASS else move
        history[leads, column] += 1 + frames[ply, OWN_CARDS] + frames[ply, OTHER_CARDS]
        if history[leads, column] > _MAX_HISTORY:
            history >>= 1
    lower, upper = -frames[ply, OWN_CARDS], frames[ply, OTHER_CARDS]
    if reached:
        lower = max(lower, best)
    else:
        upper = min(upper, best)
    is_open = frames[ply, BEST_HORIZON_REACHED] if reached else frames[ply, HORIZON_REACHED]
    depth = min(frames[ply, DEPTH], FULL_DEPTH - 1) if is_open else FULL_DEPTH
    first, second = np.uint64(frames[ply, FIRST_KEY]), np.uint64(frames[ply, SECOND_KEY])
    store(table, first, second, lower, upper, depth, frames[ply, BEST_MOVE], nodes - frames[ply, START_NODES])
    return is_open


@kernel
def start_search(state, frames, sets, labels, label_sets, history, moves, merged, dominance):
    """Begin at the root, whose hands, cards, reply, beta, depth and sets are filled in."""
    frames[0, BEST], frames[0, BEST_MOVE], frames[0, START] = -_INFINITE_VALUE, NO_MOVE, 0
    frames[0, HORIZON_REACHED], frames[0, BEST_HORIZON_REACHED], frames[0, START_NODES], frames[0, SEAT_CHANGED] = (
        0,
        0,
        state[NODES],
        0,
    )
    state[PLY], state[BEST_LABEL], state[BEST_CARDS] = 0, -1, 0
    root, nothing = np.int64(0), np.int64(NO_MOVE)  # literals would make numba compile further kernels
    _set_key(frames, sets, root, labels, label_sets, state[MERGE], merged)
    list_moves(frames, sets, root, labels, label_sets, history, moves, nothing, state[MERGE], dominance)


@kernel
def continue_search(state, frames, sets, labels, label_sets, history, moves, table, merged, dominance, max_nodes):
    """Search at most `max_nodes` further nodes; return whether the root is finished."""
    frames, sets, labels, label_sets = borrow_arrays((frames, sets, labels, label_sets))
    history, moves, table = borrow_arrays((history, moves, table))
    ply, nodes, stop = state[PLY], state[NODES], state[NODES] + max_nodes
    while True:
        if frames[ply, BEST] >= frames[ply, BETA] or frames[ply, NEXT] == frames[ply, END]:
            is_open = _store_frame(frames, ply, labels, table, history, nodes)
            value = -frames[ply, BEST] if frames[ply, SEAT_CHANGED] else frames[ply, BEST]
            if ply == 0:
                state[NODES], state[VALUE] = nodes, frames[0, BEST]
                frames[0, BEST_HORIZON_REACHED] = is_open
                return True
            ply -= 1
        elif nodes >= stop:
            state[PLY], state[NODES] = ply, nodes
            return False
        else:
            nodes += 1
            move_index, child = _pick_next(frames, ply, moves), ply + 1
            label = moves[move_index, MOVE_LABEL]
            if label < 0:
                _apply_pass(frames, sets, ply, child, label_sets)
            else:
                _apply_play(frames, sets, ply, child, moves[move_index, MOVE_CARDS], label, labels, label_sets)
            frames[child, DEPTH] = frames[ply, DEPTH] - 1
            is_settled, value, is_open, hash_move = _evaluate_frame(
                frames, sets, child, labels, label_sets, table, state[MERGE], merged
            )
            if not is_settled:
                frames[child, BEST], frames[child, BEST_MOVE], frames[child, START] = (
                    -_INFINITE_VALUE,
                    NO_MOVE,
                    frames[ply, END],
                )
                frames[child, HORIZON_REACHED], frames[child, BEST_HORIZON_REACHED], frames[child, START_NODES] = (
                    0,
                    0,
                    nodes,
                )
                list_moves(frames, sets, child, labels, label_sets, history, moves, hash_move, state[MERGE], dominance)
                ply = child
                continue
            if frames[child, SEAT_CHANGED]:
                value = -value
        move_index = frames[ply, NEXT] - 1
        if ply == 0 and value > frames[0, BEST]:
            state[BEST_CARDS], state[BEST_LABEL] = moves[move_index, MOVE_CARDS], moves[move_index, MOVE_LABEL]
        _update_best(frames, ply, value, is_open, moves[move_index, MOVE_LABEL])
