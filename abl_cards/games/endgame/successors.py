"""Kernels that merge plays with the same legal replies, and moves with the same effect."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function
from abl_cards.games.endgame.card_sets import FOLLOWS, LEADS

NONE = -1
"""Value for no class."""


@device_function
def _hash_values(count):
    """Return pseudo-random 64-bit values, whose sums serve as hashes of sets."""
    values, value = np.empty(count, np.uint64), np.uint64(0x9E3779B97F4A7C15)
    for index in range(count):
        values[index] = value
        value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(index)
    return values


@device_function
def group_plays(seat, form, lead_follow, forms, owners, column_of, allowed, can_beat_own):
    """Group plays by the moves that may follow them.

    Args:
        seat: int64 [moves], seat of each move.
        form: int64 [moves], form of each move.
        lead_follow: int64 [moves], LEADS and FOLLOWS bits.
        forms: int64 [plays], form of each play to beat.
        owners: int64 [plays], owner of each play to beat.
        column_of: int64 [seats, forms + 1], column of ``allowed`` for each form to beat, the last for leading.
        allowed: uint8 [forms, columns], 1 if a form may be played.
        can_beat_own: Seats may follow their own plays.

    Returns:
        int64 [plays] class of each play; bool [classes, moves] legal moves of each class, class 0 for leading.
    """
    moves, plays = len(form), len(forms)
    hashes, leading = _hash_values(moves), column_of.shape[1] - 1
    legal, marks = np.zeros((plays + 1, moves), np.bool_), np.zeros(plays + 1, np.uint64)
    play_class, representatives, classes = np.zeros(plays, np.int64), np.zeros(plays + 1, np.int64), 0
    for index in range(plays + 1):
        play = leading if index == 0 else forms[index - 1]
        flag = LEADS if index == 0 else FOLLOWS
        for move in range(moves):
            if index > 0 and not can_beat_own and seat[move] == owners[index - 1]:
                continue
            column = column_of[seat[move], play]
            if (lead_follow[move] & flag) != 0 and column >= 0 and allowed[form[move], column] != 0:
                legal[index, move] = True
                marks[index] += hashes[move]
        class_index = -1
        for other in range(1, classes):
            if marks[representatives[other]] == marks[index] and (legal[representatives[other]] == legal[index]).all():
                class_index = other
                break
        if class_index < 0 or index == 0:
            class_index = classes
            representatives[classes] = index
            classes += 1
        if index > 0:
            play_class[index - 1] = class_index
    return play_class, legal[representatives[:classes]]


@device_function
def equivalence_classes(legal, next_trick, turn_class, effect):
    """Group moves that are legal on the same plays and have the same consequences.

    Args:
        legal: bool [classes, moves].
        next_trick: int64 [moves], class of the play to beat after the move.
        turn_class: int64 [moves], class of the form in the turn table.
        effect: int64 [moves], effect on fluents.

    Returns:
        int64 [moves], equivalence class.
    """
    classes, moves = legal.shape
    hashes, marks = _hash_values(classes), np.zeros(moves, np.uint64)
    move_class, representatives, count = np.zeros(moves, np.int64), np.zeros(moves, np.int64), 0
    for move in range(moves):
        for index in range(classes):
            if legal[index, move]:
                marks[move] += hashes[index]
        class_index = -1
        for other in range(count):
            representative = representatives[other]
            is_same = marks[representative] == marks[move] and next_trick[representative] == next_trick[move]
            is_same = (
                is_same and turn_class[representative] == turn_class[move] and effect[representative] == effect[move]
            )
            if is_same and (legal[:, representative] == legal[:, move]).all():
                class_index = other
                break
        if class_index < 0:
            class_index = count
            representatives[count] = move
            count += 1
        move_class[move] = class_index
    return move_class


@device_function
def list_replies(legal, seat, seats):
    """List the legal moves of each seat on each class of plays.

    Args:
        legal: bool [classes, moves].
        seat: int64 [moves], seat of each move.
        seats: Number of seats.

    Returns:
        int64 [seats, classes + 1] start of each list, and the moves of all lists.
    """
    classes, moves = legal.shape
    start, replies, count = np.zeros((seats, classes + 1), np.int64), np.empty(classes * moves, np.int64), 0
    for owner in range(seats):
        for class_index in range(classes):
            start[owner, class_index] = count
            for move in range(moves):
                if seat[move] == owner and legal[class_index, move]:
                    replies[count] = move
                    count += 1
        start[owner, classes] = count
    return start, replies[:count].copy()
