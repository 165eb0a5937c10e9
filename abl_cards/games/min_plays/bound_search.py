"""Upper bound of the plays that empty a hand of many parts: greedy search with local improvement.

A table gives the number of plays for cards of a single unit. Every other play *saves* plays: the number that its cards
would take by such plays, minus one. The greedy search adds the play that saves most, until no play saves any. The
improvement forces a random play into the best solution, removes the plays that no longer fit, and completes it
greedily. Solutions that are not worse are accepted.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import copy_values, device_function, kernel
from abl_cards.games.min_plays.exact_search import UNREACHABLE
from abl_cards.games.min_plays.hand_plays import NONE

_NO_PLAY_COST = 1000
"""Cost of a card that no play of its unit alone takes, so that it is combined with others."""
_DOES_NOT_FIT = -_NO_PLAY_COST * _NO_PLAY_COST
_LCG_MULTIPLIER = np.uint64(6364136223846793005)


class BoundSearchState(NamedTuple):
    """Working arrays of the search for one hand."""

    min_single_unit_plays: NDArray[np.int64]  # [units, cards + 1] plays of one unit that take a number of cards
    multi_unit_plays: NDArray[np.int64]  # [plays] plays of several units, and plays of whole hands
    fitting_plays: NDArray[np.int64]  # [plays] multi-unit plays that fit in the given part of the hand
    usable_plays: NDArray[np.int64]  # [plays] fitting plays that fit in the cards left
    cards_left: NDArray[np.int64]  # [units] cards left of each unit
    current_plays: NDArray[np.int64]  # [cards + 1] number of multi-unit plays of the current solution, then the plays
    best_plays: NDArray[np.int64]  # [cards + 1] number of multi-unit plays of the best solution, then the plays
    num_multi_unit: NDArray[np.int64]  # [1] number of multi-unit plays


@kernel
def new_bound_state(plays, n, counts):
    """Create the state of the search for a hand.

    Args:
        plays: HandPlays of units.
        n: Number of plays.
        counts: int64 [units], cards of each unit in the hand.
    """
    num_units, cards = len(counts), counts.sum()
    min_plays = np.zeros((num_units, counts.max() + 1), np.int64)
    multi_unit, num_multi_unit = np.zeros(n, np.int64), np.int64(0)
    sizes = np.zeros((num_units, counts.max() + 1), np.bool_)
    for play in range(n):
        first = plays.start[play]
        if plays.start[play + 1] - first == 1 and not plays.is_whole_hand[play]:
            sizes[plays.part_unit[first], plays.copies[first]] = True
        else:
            multi_unit[num_multi_unit] = play
            num_multi_unit += 1
    for unit in range(num_units):
        for count in range(1, counts[unit] + 1):
            min_plays[unit, count] = min_plays[unit, count - 1] + _NO_PLAY_COST
            for size in range(1, count + 1):
                if sizes[unit, size]:
                    min_plays[unit, count] = min(min_plays[unit, count], min_plays[unit, count - size] + 1)
    return BoundSearchState(
        min_plays, multi_unit, np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(num_units, np.int64),
        np.zeros(cards + 1, np.int64), np.zeros(cards + 1, np.int64), np.array([num_multi_unit]),
    )  # fmt: skip


@kernel
def bound_whole_hand(state, plays, counts, num_rounds):
    """Search for the fewest plays that empty the whole hand, and store the solution in the state.

    Args:
        state: BoundSearchState that is modified.
        plays: HandPlays of units.
        counts: int64 [units], cards of each unit in the hand.
        num_rounds: Rounds of local improvement.

    Returns:
        Number of plays; UNREACHABLE if none are found.
    """
    num_fitting = _find_fitting(state, plays, counts)
    state.best_plays[0] = 0
    num_plays = _complete_greedily(state, plays, counts, num_fitting, np.int64(NONE))
    copy_values(state.current_plays, state.best_plays, state.current_plays[0] + 1)
    return min(
        _improve(state, plays, counts, num_fitting, num_rounds, num_plays, np.int64(1), state.best_plays),
        np.int64(UNREACHABLE),
    )


@device_function
def bound_part(state, plays, counts, num_rounds, target):
    """Search for the fewest plays that empty a part of the hand, starting from the stored solution.

    Args:
        state: BoundSearchState after ``bound_whole_hand``.
        plays: HandPlays of units.
        counts: int64 [units], cards of each unit in the part.
        num_rounds: Rounds of local improvement.
        target: Number of plays at which the search stops.

    Returns:
        Number of plays; UNREACHABLE if none are found.
    """
    num_fitting = _find_fitting(state, plays, counts)
    whole_hand_plays = state.best_plays.copy()
    num_plays = _complete_greedily(state, plays, counts, num_fitting, np.int64(NONE))
    copy_values(state.current_plays, state.best_plays, state.current_plays[0] + 1)
    num_plays = _improve(state, plays, counts, num_fitting, num_rounds, num_plays, target, state.best_plays)
    copy_values(whole_hand_plays, state.best_plays, len(whole_hand_plays))
    return min(num_plays, np.int64(UNREACHABLE))


@kernel
def _improve(state, plays, counts, num_fitting, num_rounds, num_plays, target, best):
    """Improve a solution: force a random play into it, and remove the plays that no longer fit."""
    random_state = np.uint64(1)
    for _ in range(num_rounds if num_fitting else 0):
        if num_plays <= target:
            break
        random_state = random_state * _LCG_MULTIPLIER + np.uint64(1442695040888963407)
        forced = state.fitting_plays[np.int64((random_state >> np.uint64(33)) % np.uint64(num_fitting))]
        total = _complete_greedily(state, plays, counts, num_fitting, forced)
        if total <= num_plays:
            num_plays = total
            copy_values(state.current_plays, best, state.current_plays[0] + 1)
    return num_plays


@device_function
def _find_fitting(state, plays, counts):
    """Find the multi-unit plays that fit in a part of the hand; returns their number."""
    num_fitting = np.int64(0)
    for index in range(state.num_multi_unit[0]):
        play, fits = state.multi_unit_plays[index], True
        for part in range(plays.start[play], plays.start[play + 1]):
            if plays.copies[part] > counts[plays.part_unit[part]]:
                fits = False
                break
        if fits:
            state.fitting_plays[num_fitting] = play
            num_fitting += 1
    return num_fitting


@device_function
def _complete_greedily(state, plays, counts, num_fitting, forced):
    """Build a solution: a forced play (or NONE), plays of the best solution that fit, then those that save most.

    Plays of one unit take the cards left. Returns the number of plays.
    """
    usable, cards_left, current, min_plays, best = (
        state.usable_plays,
        state.cards_left,
        state.current_plays,
        state.min_single_unit_plays,
        state.best_plays,
    )
    copy_values(counts, cards_left, len(counts))
    copy_values(state.fitting_plays, usable, num_fitting)
    current[0], has_last_play = 0, False
    if forced != NONE:
        has_last_play = _apply_play(plays, forced, cards_left, current, has_last_play)
    for index in range(1, best[0] + 1):
        if (
            not (has_last_play and plays.is_whole_hand[best[index]])
            and _plays_saved(min_plays, plays, best[index], cards_left) > 0
        ):
            has_last_play = _apply_play(plays, best[index], cards_left, current, has_last_play)
    num_plays = num_fitting
    while num_plays:
        chosen, max_saved, num_usable = np.int64(NONE), np.int64(0), np.int64(0)
        for index in range(num_plays):
            play = usable[index]
            saved = _plays_saved(min_plays, plays, play, cards_left)
            if saved != _DOES_NOT_FIT and not (has_last_play and plays.is_whole_hand[play]):
                usable[num_usable] = play
                num_usable += 1
                if saved > max_saved:
                    chosen, max_saved = play, saved
        num_plays = num_usable
        if chosen == NONE:
            break
        has_last_play = _apply_play(plays, chosen, cards_left, current, has_last_play)
    total = current[0]
    for unit in range(len(cards_left)):
        total += min_plays[unit, cards_left[unit]]
    return total


@device_function
def _plays_saved(min_plays, plays, play, cards_left):
    """Return the number of plays that a play saves given the cards left; _DOES_NOT_FIT if it does not fit."""
    saved = np.int64(-1)
    for part in range(plays.start[play], plays.start[play + 1]):
        unit = plays.part_unit[part]
        remaining = cards_left[unit] - plays.copies[part]
        if remaining < 0:
            return np.int64(_DOES_NOT_FIT)
        saved += min_plays[unit, cards_left[unit]] - min_plays[unit, remaining]
    return saved


@device_function
def _apply_play(plays, play, cards_left, current, has_last_play):
    """Add a play to the solution; returns True if the solution has a play of a whole hand."""
    for part in range(plays.start[play], plays.start[play + 1]):
        cards_left[plays.part_unit[part]] -= plays.copies[part]
    current[0] += 1
    current[current[0]] = play
    return has_last_play or plays.is_whole_hand[play]
