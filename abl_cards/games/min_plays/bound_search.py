"""An upper bound of the plays that empty a hand of many parts: greedy search with local improvement.

Plays of one unit take what is left, by a table. Every other play *saves* plays: those that its cards would take by
themselves, less one. The greedy search lays down what saves most, until nothing does. The improvement forces a random
play into the best way known, takes out what it hinders, and completes it greedily; what is no worse is kept.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.min_plays.exact_search import UNREACHABLE
from abl_cards.games.min_plays.hand_plays import NONE

_NO_PLAY_COST = 1000
"""Plays that a card counts for that no play of its unit takes: such a card is to go with others."""
_DOES_NOT_FIT = -_NO_PLAY_COST * _NO_PLAY_COST
_LCG_MULTIPLIER = np.uint64(6364136223846793005)


class BoundSearchState(NamedTuple):
    """What the search knows of a hand."""

    min_single_unit_plays: NDArray[np.int64]  # [units, cards + 1] plays of one unit that so many cards take
    multi_unit_plays: NDArray[np.int64]  # [plays] those of several units, and those that are the last play
    fitting_plays: NDArray[np.int64]  # [plays] of these, those that a part of the hand holds
    usable_plays: NDArray[np.int64]  # [plays] and those that it still holds
    cards_left: NDArray[np.int64]  # [units] cards that are left
    current_plays: NDArray[np.int64]  # [cards + 1] how many plays the way last tried has, and these
    best_plays: NDArray[np.int64]  # [cards + 1] the same of the best way known for the whole hand
    num_multi_unit: NDArray[np.int64]  # [1] how many plays are of several units


@njit(cache=True, nogil=True)
def new_bound_state(plays, n, counts):
    """What is known of a hand that has so many cards of each unit, and n plays of units."""
    units, cards = len(counts), counts.sum()
    least = np.zeros((units, counts.max() + 1), np.int64)
    several, m = np.zeros(n, np.int64), np.int64(0)
    sizes = np.zeros((units, counts.max() + 1), np.bool_)
    for play in range(n):
        first = plays.start[play]
        if plays.start[play + 1] - first == 1 and not plays.is_whole_hand[play]:
            sizes[plays.part_unit[first], plays.copies[first]] = True
        else:
            several[m] = play
            m += 1
    for unit in range(units):
        for count in range(1, counts[unit] + 1):
            least[unit, count] = least[unit, count - 1] + _NO_PLAY_COST
            for size in range(1, count + 1):
                if sizes[unit, size]:
                    least[unit, count] = min(least[unit, count], least[unit, count - size] + 1)
    return BoundSearchState(
        least, several, np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(units, np.int64),
        np.zeros(cards + 1, np.int64), np.zeros(cards + 1, np.int64), np.array([m]),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def bound_whole_hand(state, plays, counts, num_rounds):
    """The fewest plays found in so many rounds that empty the hand, UNREACHABLE where none do; the way is kept."""
    fitting = _find_fitting(state, plays, counts)
    state.best_plays[0] = 0
    found = _complete_greedily(state, plays, counts, fitting, NONE)
    state.best_plays[: state.current_plays[0] + 1] = state.current_plays[: state.current_plays[0] + 1]
    return min(
        _improve(state, plays, counts, fitting, num_rounds, found, np.int64(1), state.best_plays), np.int64(UNREACHABLE)
    )


@njit(cache=True, nogil=True)
def bound_part(state, plays, counts, num_rounds, target):
    """The fewest plays found that empty a part of the hand, beginning with the way that is kept, down to ``target``."""
    fitting = _find_fitting(state, plays, counts)
    kept = state.best_plays.copy()
    found = _complete_greedily(state, plays, counts, fitting, NONE)
    state.best_plays[: state.current_plays[0] + 1] = state.current_plays[: state.current_plays[0] + 1]
    found = _improve(state, plays, counts, fitting, num_rounds, found, target, state.best_plays)
    state.best_plays[:] = kept
    return min(found, np.int64(UNREACHABLE))


@njit(cache=True, nogil=True)
def _improve(state, plays, counts, fitting, rounds, found, enough, best):
    """Put one play more into the best way, again and again, and take out what it hinders."""
    lots = np.uint64(1)
    for _ in range(rounds if fitting else 0):
        if found <= enough:
            break
        lots = lots * _LCG_MULTIPLIER + np.uint64(1442695040888963407)
        forced = state.fitting_plays[np.int64((lots >> np.uint64(33)) % np.uint64(fitting))]
        total = _complete_greedily(state, plays, counts, fitting, forced)
        if total <= found:
            found = total
            best[: state.current_plays[0] + 1] = state.current_plays[: state.current_plays[0] + 1]
    return found


@njit(cache=True, nogil=True)
def _find_fitting(state, plays, counts):
    """Find the plays of several units that a part of the hand holds; returns how many there are."""
    n = np.int64(0)
    for each in range(state.num_multi_unit[0]):
        play, fits = state.multi_unit_plays[each], True
        for part in range(plays.start[play], plays.start[play + 1]):
            if plays.copies[part] > counts[plays.part_unit[part]]:
                fits = False
                break
        if fits:
            state.fitting_plays[n] = play
            n += 1
    return n


@njit(cache=True, nogil=True)
def _complete_greedily(state, plays, counts, fitting, forced):
    """Lay down a play, unless it is NONE, then those of the best way that fit, then what saves most; returns how many.

    Plays of one unit take what is left.
    """
    usable, left, way, least, best = (
        state.usable_plays,
        state.cards_left,
        state.current_plays,
        state.min_single_unit_plays,
        state.best_plays,
    )
    left[:] = counts
    usable[:fitting] = state.fitting_plays[:fitting]
    way[0], ended = 0, False  # whether there is a last play
    if forced != NONE:
        ended = _apply_play(plays, forced, left, way, ended)
    for each in range(1, best[0] + 1):
        if not (ended and plays.is_whole_hand[best[each]]) and _plays_saved(least, plays, best[each], left) > 0:
            ended = _apply_play(plays, best[each], left, way, ended)
    n = fitting
    while n:
        chosen, most, kept = np.int64(NONE), np.int64(0), np.int64(0)
        for each in range(n):
            play = usable[each]
            saved = _plays_saved(least, plays, play, left)
            if saved != _DOES_NOT_FIT and not (ended and plays.is_whole_hand[play]):
                usable[kept] = play
                kept += 1
                if saved > most:
                    chosen, most = play, saved
        n = kept
        if chosen == NONE:
            break
        ended = _apply_play(plays, chosen, left, way, ended)
    total = way[0]
    for unit in range(len(left)):
        total += least[unit, left[unit]]
    return total


@njit(cache=True, nogil=True, inline="always")
def _plays_saved(least, plays, play, left):
    """How many plays it saves where so many cards are left; _UNFIT where it cannot be laid down."""
    saved = np.int64(-1)
    for part in range(plays.start[play], plays.start[play + 1]):
        unit = plays.part_unit[part]
        rest = left[unit] - plays.copies[part]
        if rest < 0:
            return np.int64(_DOES_NOT_FIT)
        saved += least[unit, left[unit]] - least[unit, rest]
    return saved


@njit(cache=True, nogil=True, inline="always")
def _apply_play(plays, play, left, leading, ended):
    """Lay down a play; returns whether there is a last one now."""
    for part in range(plays.start[play], plays.start[play + 1]):
        left[plays.part_unit[part]] -= plays.copies[part]
    leading[0] += 1
    leading[leading[0]] = play
    return ended or plays.is_whole_hand[play]
