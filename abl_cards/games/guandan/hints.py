"""The hints of hands.lp, asked of a circuit: how what a seat has shown changes the odds of what it holds.

A hint's weight w multiplies the odds of each copy by ``exp(w / 10)``; weights add up.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.cards import CARDS
from abl_cards.games.guandan.course import Play
from abl_cards.games.guandan.deck import RANK_OF_CARD, card_suit
from abl_cards.games.guandan.habits import Habits
from abl_cards.games.guandan.knowledge import KINDS, STRENGTHS, VALUES
from abl_cards.games.rule_files import kb_error
from abl_cards.games.tables import Indices
from abl_cards.logic import Circuit, KnowledgeBase, evaluate
from abl_cards.parallel import each_share

SCALE = np.float32(10.0)
"""Points for a factor of e."""
WILD = 17
"""The place of the wild cards behind the ranks 2..16."""
_OTHERS = 3
_AT_ONCE = 1 << 11  # seats evaluated together; their rows should stay in the cache


class HintRows(NamedTuple):
    """Where each input lies among the rows of the circuit; -1 where it does not matter."""

    level: NDArray[np.int32]  # [17]
    laid: NDArray[np.int32]  # [kinds, 18] rank
    led: NDArray[np.int32]  # [kinds, 18] strength
    passed: NDArray[np.int32]  # [kinds, 18] strength
    holding: NDArray[np.int32]  # [29] at least


@dataclass(frozen=True)
class Hints:
    """The circuit of belief/3, and what its outputs mean."""

    circuit: Circuit
    rows: HintRows
    names: tuple[str, ...]  # [outputs] of the hint
    card: NDArray[np.int8]  # [outputs] rank 2..16, or WILD
    weight: NDArray[np.int32]  # [outputs]
    wild_suit: int  # in hand order; -1 for none


def read_hints(knowledge: KnowledgeBase, wild_suit: int) -> Hints:
    """Compile the hints of a knowledge base; raises KBError for a hint about something that is no card."""
    circuit = knowledge.circuit("belief/3")
    places = {str(value): value for value in VALUES} | {"wild": WILD}
    beliefs = [arguments for _, arguments in circuit.outputs]
    for name, card, _ in beliefs:
        if str(card) not in places:
            raise kb_error(f"belief({name},{card},…) is about no card", "write a rank from 2 to 16, or wild")
    return Hints(
        circuit,
        _rows_of(circuit),
        tuple(str(name).partition("(")[0] for name, _, _ in beliefs),
        np.array([places[str(card)] for _, card, _ in beliefs], np.int8),
        np.array([int(weight) for _, _, weight in beliefs], np.int32),
        wild_suit,
    )


def _rows_of(circuit: Circuit) -> HintRows:
    rows = HintRows(*(np.full(shape, -1, np.int32) for shape in (17, *[(len(KINDS), len(STRENGTHS))] * 3, 29)))
    for name, field in (("level", rows.level), ("holding", rows.holding)):
        for (number,), row in circuit.input_rows(name, 1).items():
            field[int(number)] = row
    for name, field in (("laid", rows.laid), ("led", rows.led), ("passed_over", rows.passed)):
        for (kind, number), row in circuit.input_rows(name, 2).items():
            field[KINDS.index(str(kind)), int(number)] = row
    return rows


def lean(hints: Hints, habits: Habits, play: Play, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.float32]:
    """[n, 3, 54] the logarithm of the factor for the odds of every card at the others of seats [n]."""
    change = np.empty((len(which), _OTHERS, CARDS), np.float32)
    wild = card_suit(hints.wild_suit)

    def ask(first: int, end: int) -> None:
        for lo in range(first, end, _AT_ONCE // _OTHERS):
            hi = min(end, lo + _AT_ONCE // _OTHERS)
            fired = _fired(hints, habits, play, which, seats, lo, hi)
            _add_up(fired, hints.card, hints.weight / SCALE, play.level, which, RANK_OF_CARD, wild, lo, hi, change)

    each_share(len(which), ask)
    return change


def fired(hints: Hints, habits: Habits, play: Play, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
    """[outputs, n, 3] which hints there are about the others of seats [n]."""
    return _fired(hints, habits, play, which, seats, 0, len(which)).reshape(-1, len(which), _OTHERS)


def card_classes(hints: Hints, level: NDArray[np.int8]) -> NDArray[np.int64]:
    """[n, 54] what the hints call every card at levels [n]: its rank 2..16, or WILD."""
    classes = np.tile(RANK_OF_CARD, (len(level), 1))
    wild = card_suit(hints.wild_suit)
    if wild >= 0:
        classes[np.arange(len(level)), 4 * ((level.astype(np.int64) - 1) % 13) + wild] = WILD
    return classes


def _fired(
    hints: Hints, habits: Habits, play: Play, which: Indices, seats: NDArray[np.int8], lo: int, hi: int
) -> NDArray[np.uint8]:
    rows = np.zeros((len(hints.circuit.inputs), _OTHERS * (hi - lo)), np.uint8)
    _write_habits(hints.rows, habits, play, which, seats, lo, hi, rows)
    return evaluate(hints.circuit, rows)


@njit(cache=True, nogil=True, inline="always")
def _raise(rows, row, column):
    if row >= 0:
        rows[row, column] = 1


@njit(cache=True, nogil=True)
def _write_habits(at, habits, play, which, seats, lo, hi, rows):
    """Raise the facts about the others of observers lo..hi-1 in zeroed rows [inputs, 3 * (hi - lo)]."""
    for i in range(lo, hi):
        table = which[i]
        for place in range(_OTHERS):
            seat, column = (seats[i] + place + 1) % 4, _OTHERS * (i - lo) + place
            _raise(rows, at.level[play.level[table]], column)
            cards = 0
            for card in range(CARDS):
                cards += play.hands[table, seat, card]
            for at_least in range(1, cards + 1):
                _raise(rows, at.holding[at_least], column)
            for kind in range(at.laid.shape[0]):
                laid, led = habits.laid[table, seat, kind], habits.led[table, seat, kind]
                passed = habits.passed[table, seat, kind]
                if laid | passed == 0:
                    continue
                for number in range(at.laid.shape[1]):
                    if (laid >> number) & 1:
                        _raise(rows, at.laid[kind, number], column)
                    if (led >> number) & 1:
                        _raise(rows, at.led[kind, number], column)
                    if (passed >> number) & 1:
                        _raise(rows, at.passed[kind, number], column)


@njit(cache=True, nogil=True)
def _add_up(fired, card, weight, level, which, places, wild, lo, hi, change):
    """The sum of the weights for every card of observers lo..hi-1."""
    sums = np.zeros((fired.shape[1], WILD + 1), np.float32)
    for output in range(fired.shape[0]):
        for column in range(fired.shape[1]):
            sums[column, card[output]] += fired[output, column] * weight[output]
    for i in range(lo, hi):
        for place in range(_OTHERS):
            column = _OTHERS * (i - lo) + place
            for c in range(CARDS):
                change[i, place, c] = sums[column, places[c]]
            if wild >= 0:
                change[i, place, 4 * ((level[which[i]] - 1) % 13) + wild] = sums[column, WILD]
