"""Which plays the same moves may be laid on, and which moves are as good as each other."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.endgame.card_sets import FOLLOWS, LEADS

NONE = -1


@njit(cache=True, nogil=True)
def _hash_values(count):
    found, lot = np.empty(count, np.uint64), np.uint64(0x9E3779B97F4A7C15)
    for place in range(count):
        found[place] = lot
        lot = (lot ^ (lot >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(place)
    return found


@njit(cache=True, nogil=True)
def group_plays(seat, form, lead_follow, forms, owners, column_of, allowed, can_beat_own):
    """[plays] the class of each play of forms [plays] by owners [plays], and [classes, moves] what may follow.

    The first class is that of leading. Moves [moves] are those of seats; row_of [seats, forms + 1] is the column of
    allowed [forms, columns] where it is said what each may lay on a form, the last one what it may lead. Nobody is
    asked about his own play, unless answers_own.
    """
    moves, plays = len(form), len(forms)
    lots, leading = _hash_values(moves), column_of.shape[1] - 1
    legal, marks = np.zeros((plays + 1, moves), np.bool_), np.zeros(plays + 1, np.uint64)
    found, chosen, classes = np.zeros(plays, np.int64), np.zeros(plays + 1, np.int64), 0
    for place in range(plays + 1):
        play = leading if place == 0 else forms[place - 1]
        flag = LEADS if place == 0 else FOLLOWS
        for move in range(moves):
            if place > 0 and not can_beat_own and seat[move] == owners[place - 1]:
                continue
            row = column_of[seat[move], play]
            if (lead_follow[move] & flag) != 0 and row >= 0 and allowed[form[move], row] != 0:
                legal[place, move] = True
                marks[place] += lots[move]
        same = -1
        for other in range(1, classes):
            if marks[chosen[other]] == marks[place] and (legal[chosen[other]] == legal[place]).all():
                same = other
                break
        if same < 0 or place == 0:
            same = classes
            chosen[classes] = place
            classes += 1
        if place > 0:
            found[place - 1] = same
    return found, legal[chosen[:classes]]


@njit(cache=True, nogil=True)
def equivalence_classes(legal, next_trick, turn_class, effect):
    """[moves] a number that is the same of moves that may be laid on the same plays and come to the same."""
    classes, moves = legal.shape
    lots, marks = _hash_values(classes), np.zeros(moves, np.uint64)
    found, chosen, count = np.zeros(moves, np.int64), np.zeros(moves, np.int64), 0
    for move in range(moves):
        for place in range(classes):
            if legal[place, move]:
                marks[move] += lots[place]
        same = -1
        for other in range(count):
            rival = chosen[other]
            alike = marks[rival] == marks[move] and next_trick[rival] == next_trick[move]
            alike = alike and turn_class[rival] == turn_class[move] and effect[rival] == effect[move]
            if alike and (legal[:, rival] == legal[:, move]).all():
                same = other
                break
        if same < 0:
            same = count
            chosen[count] = move
            count += 1
        found[move] = same
    return found


@njit(cache=True, nogil=True)
def list_replies(legal, seat, seats):
    """[seats, classes + 1] where the answers of a seat to a class begin, and end; and the answers, move after move."""
    classes, moves = legal.shape
    first, answers, count = np.zeros((seats, classes + 1), np.int64), np.empty(classes * moves, np.int64), 0
    for owner in range(seats):
        for place in range(classes):
            first[owner, place] = count
            for move in range(moves):
                if seat[move] == owner and legal[place, move]:
                    answers[count] = move
                    count += 1
        first[owner, classes] = count
    return first, answers[:count].copy()
