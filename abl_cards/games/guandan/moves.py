# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""Facts about concrete moves for the preferences: what everybody can see, and what a move leaves in the hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.guandan.course import BLOCK, write_cards
from abl_cards.games.guandan.expansion import NO_CARD, card_of, read_hand
from abl_cards.games.guandan.knowledge import WHO
from abl_cards.games.guandan.shapes import SUITS, VALUE_COUNT, Shapes
from abl_cards.logic import Circuit

MOVE_INPUTS = frozenset({"play", "lays", "left", "wild_left", "plays_left"})
"""The inputs that differ from move to move; all others are the same for a whole decision."""

ESTIMATE_INPUTS = frozenset({"estimated", "estimated_wild"})
"""The inputs that are false where nobody has an estimate of the other hands."""


class SituationRows(NamedTuple):
    """Where the public facts lie among the rows of a circuit; -1 where they do not matter."""

    top: NDArray[np.int32]  # [3]
    cards: NDArray[np.int32]  # [3, 29] at least; whoever is to return a card has 28
    unseen: NDArray[np.int32]  # [17, 9] at least
    unseen_wild: NDArray[np.int32]  # [3] at least


class MoveRows(NamedTuple):
    """Where the facts of a move lie among the rows of a circuit; -1 where they do not matter."""

    lays: NDArray[np.int32]  # [forms]
    play: NDArray[np.int32]  # [forms] of the form's label
    left: NDArray[np.int32]  # [17, 9] at least
    left_suited: NDArray[np.int32]  # [17, 4, 3] at least
    wild_left: NDArray[np.int32]  # [3] at least
    plays_left: NDArray[np.int32]  # [28] at least


class EstimateRows(NamedTuple):
    """Where beliefs about the other hands lie among the rows of a circuit; -1 where they do not matter."""

    estimated: NDArray[np.int32]  # [3, 17, 9] seat, rank, at least
    wild: NDArray[np.int32]  # [3, 3] seat, at least


@njit(cache=True, nogil=True)
def _raise(rows, row, i):
    if row >= 0:
        rows[row, i] = 1


@njit(cache=True, nogil=True)
def _count_values(hand, level, wild_suit, natural, totals):
    """Natural cards by rank into totals [17]; returns the number of wild cards."""
    wilds = read_hand(hand, level, wild_suit, natural)
    for value in range(VALUE_COUNT):
        totals[value] = natural[value].sum()
    return wilds


@njit(cache=True, nogil=True)
def write_situation(at, situation, level, wild_suit, lo, hi, rows):
    """Add the public facts of decisions lo..hi-1 to input rows [inputs, n]."""
    natural, totals = np.zeros((17, 4), np.uint8), np.zeros(17, np.int64)
    for i in range(lo, hi):
        if situation.top[i] >= 0:
            _raise(rows, at.top[situation.top[i]], i)
        for other in range(3):
            for count in range(1, situation.cards[i, other] + 1):
                _raise(rows, at.cards[other, count], i)
        wilds = _count_values(situation.unseen[i], level[i], wild_suit, natural, totals)
        for value in range(2, 17):
            for count in range(1, totals[value] + 1):
                _raise(rows, at.unseen[value, count], i)
        for count in range(1, wilds + 1):
            _raise(rows, at.unseen_wild[count], i)


@njit(cache=True, nogil=True)
def write_estimate(at, estimate, level, wild_suit, lo, hi, rows):
    """Add beliefs, from estimates [n, 3, 54] of copies, to input rows [inputs, n]; halves are rounded up."""
    totals = np.zeros(17)
    for i in range(lo, hi):
        for other in range(3):
            totals[:] = 0.0
            for card in range(52):
                totals[14 if card < 4 else card // 4 + 1] += estimate[i, other, card]
            totals[15], totals[16] = estimate[i, other, 52], estimate[i, other, 53]
            if wild_suit >= 0:
                wilds = float(estimate[i, other, card_of(level[i], wild_suit)])
                totals[level[i]] -= wilds
                for count in range(1, 3):
                    if wilds >= count - 0.5:
                        _raise(rows, at.wild[other, count], i)
            for value in range(2, 17):
                for count in range(1, 9):
                    if totals[value] >= count - 0.5:
                        _raise(rows, at.estimated[other, value, count], i)


@njit(cache=True, nogil=True)
def leave(hand, decision, cards, lo, hi, left):
    """What moves lo..hi-1 leave of the hands [n, 54]: left [moves, 54]."""
    for move in range(lo, hi):
        left[move] = hand[decision[move]]
        for card in cards[move]:
            if card != NO_CARD:
                left[move, card] -= 1


@njit(cache=True, nogil=True)
def write_moves(at, form, left, plays, level, decision, wild_suit, lo, hi, rows):
    """Add the facts of moves lo..hi-1 to input rows [inputs, moves]; left [moves, 54] is what stays in the hand."""
    natural = np.zeros((BLOCK, 17, 4), np.uint8)
    for first in range(lo, hi, BLOCK):
        end = min(first + BLOCK, hi)
        for move in range(first, end):
            if form[move] >= 0:
                _raise(rows, at.lays[form[move]], move)
                _raise(rows, at.play[form[move]], move)
            wilds = read_hand(left[move], level[decision[move]], wild_suit, natural[move - first])
            for count in range(1, wilds + 1):
                _raise(rows, at.wild_left[count], move)
            for count in range(1, plays[move] + 1):
                _raise(rows, at.plays_left[count], move)
        write_cards(at.left_suited, at.left, natural[: end - first], first, rows)


def situation_rows(circuit: Circuit) -> SituationRows:
    """Look up the public facts of a circuit."""
    top, cards = np.full(3, -1, np.int32), np.full((3, 29), -1, np.int32)
    for (who,), row in circuit.input_rows("top", 1).items():
        top[WHO.index(str(who))] = row
    for (who, count), row in circuit.input_rows("cards", 2).items():
        cards[WHO.index(str(who)), int(count)] = row
    return SituationRows(top, cards, _ranked(circuit, "unseen"), _counted(circuit, "unseen_wild", 3))


def estimate_rows(circuit: Circuit) -> EstimateRows:
    """Look up the beliefs of a circuit."""
    estimated, wild = np.full((3, VALUE_COUNT, 9), -1, np.int32), np.full((3, 3), -1, np.int32)
    for (who, value, count), row in circuit.input_rows("estimated", 3).items():
        estimated[WHO.index(str(who)), int(value), int(count)] = row
    for (who, count), row in circuit.input_rows("estimated_wild", 2).items():
        wild[WHO.index(str(who)), int(count)] = row
    return EstimateRows(estimated, wild)


def move_rows(circuit: Circuit, shapes: Shapes) -> MoveRows:
    """Look up the facts of a move of a circuit; forms and labels that the rules lack are never laid down."""
    lays, play = (np.full(len(shapes.forms), -1, np.int32) for _ in range(2))
    suited = np.full((VALUE_COUNT, 4, 3), -1, np.int32)
    for (form,), row in circuit.input_rows("lays", 1).items():
        if str(form) in shapes.form_index:
            lays[shapes.form_index[str(form)]] = row
    for (label,), row in circuit.input_rows("play", 1).items():
        if str(label) in shapes.label_index:
            play[shapes.form_label == shapes.label_index[str(label)]] = row
    for (value, suit, count), row in circuit.input_rows("left", 3).items():
        suited[int(value), max(0, SUITS.find(str(suit))), int(count)] = row
    return MoveRows(
        lays,
        play,
        _ranked(circuit, "left"),
        suited,
        _counted(circuit, "wild_left", 3),
        _counted(circuit, "plays_left", 28),
    )


def _ranked(circuit: Circuit, name: str) -> NDArray[np.int32]:
    rows = np.full((VALUE_COUNT, 9), -1, np.int32)
    for (value, count), row in circuit.input_rows(name, 2).items():
        rows[int(value), int(count)] = row
    return rows


def _counted(circuit: Circuit, name: str, size: int) -> NDArray[np.int32]:
    rows = np.full(size, -1, np.int32)
    for (count,), row in circuit.input_rows(name, 1).items():
        rows[int(count)] = row
    return rows
