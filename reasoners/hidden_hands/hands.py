"""Abduce hidden hands: project estimates onto the constraints of facts and counts, and sample deals.

An estimate is the expected copies of each card with each other seat, [n, others, cards], and may be inconsistent. Its
Euclidean projection onto the consistent estimates is at most as far from the true hands, since these are consistent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, map_ranges, splitmix64_array
from abl_cards.games.types import InformationSet
from abl_cards.reasoners.hidden_hands import bayes_update, deal_sampling, projection

HandEstimate = NDArray[np.float32]
"""float32[n, others, cards] Expected copies of each card with each other seat."""
_Rows = NDArray[np.int64] | slice
_MIN_HOLDERS = 3
"""Holders of the kernels; where fewer seats have cards, the last ones have none."""


def project_estimate(estimate: HandEstimate, constraints: InformationSet) -> HandEstimate:
    """Project an estimate onto the consistent estimates.

    Args:
        estimate: float32[n, others, cards] Expected copies.
        constraints: Counts and facts of n observers.

    Returns:
        float32[n, others, cards] The nearest consistent estimates; approximate where none exists.
    """

    def project(rows: _Rows) -> HandEstimate:
        part = constraints.select(rows)
        arrays, guess = _kernel_arrays(part), _kernel_estimate(estimate[rows], part)
        projected, zeros = np.empty(guess.shape, np.float32), ((0.0,) * guess.shape[1],) * guess.shape[1]
        map_ranges(
            len(guess), lambda lo, hi: projection.project_rows(zeros, guess, *arrays, lo, hi, projected), min_size=64
        )
        return projected[:, : estimate.shape[1]]

    return _compute_by_aside(constraints, project)


def uniform_estimate(constraints: InformationSet) -> HandEstimate:
    """Distribute the unseen copies in proportion to the cards left, within the bounds of the facts.

    Args:
        constraints: Counts and facts of n observers; ``constraints.counts_only()`` drops the facts.

    Returns:
        float32[n, others, cards] Expected copies.
    """

    def share(rows: _Rows) -> HandEstimate:
        with_aside = _with_aside_holder(constraints.select(rows))
        shared = np.empty(with_aside.min_copies.shape, np.float32)
        facts = with_aside.unseen, with_aside.cards_left, with_aside.min_copies, with_aside.max_copies
        map_ranges(len(shared), lambda lo, hi: bayes_update.share_by_count(*facts, lo, hi, shared))
        return shared[:, : constraints.cards_left.shape[1]]

    return _compute_by_aside(constraints, share)


def reweight_estimate(estimate: HandEstimate, hints: NDArray[np.float32], constraints: InformationSet) -> HandEstimate:
    """Multiply the odds of an estimate by the exponentials of hints.

    Args:
        estimate: float32[n, others, cards] Expected copies.
        hints: float32[n, others, cards] Logarithms of factors, as ``Decisions.belief_log_odds`` returns them.
        constraints: Counts and facts of n observers.

    Returns:
        float32[n, others, cards] Expected copies.
    """

    def share(rows: _Rows) -> HandEstimate:
        part, guess, odds = constraints.select(rows), estimate[rows], hints[rows]
        with_aside = _with_aside_holder(part)
        shared = np.empty(with_aside.min_copies.shape, np.float32)
        facts = with_aside.unseen, with_aside.min_copies, with_aside.max_copies
        if with_aside is not part:
            guess, odds = _append_aside(guess, part), np.pad(odds, [(0, 0), (0, 1), (0, 0)])
        map_ranges(len(shared), lambda lo, hi: bayes_update.share_by_hints(guess, odds, *facts, lo, hi, shared))
        return shared[:, : estimate.shape[1]]

    return _compute_by_aside(constraints, share)


def prior_estimate(constraints: InformationSet, hints: NDArray[np.float32]) -> HandEstimate:
    """Compute a consistent estimate from counts, facts and hints.

    Args:
        constraints: Counts and facts of n observers.
        hints: float32[n, others, cards] Logarithms of factors.

    Returns:
        float32[n, others, cards] Expected copies.
    """
    return project_estimate(reweight_estimate(uniform_estimate(constraints), hints, constraints), constraints)


def abduce_hands(estimate: HandEstimate, constraints: InformationSet, later_plays: NDArray[np.uint8]) -> HandEstimate:
    """Abduce hidden hands from later plays: the nearest consistent estimate that explains them.

    Args:
        estimate: float32[n, others, cards] Expected copies.
        constraints: Counts and facts of n observers.
        later_plays: uint8[n, others, cards] Copies that each seat played later in the episode, and so held.

    Returns:
        float32[n, others, cards] Expected copies.
    """
    at_least = np.maximum(constraints.min_copies, later_plays)
    shown = replace(constraints, min_copies=at_least, max_copies=np.maximum(constraints.max_copies, at_least))
    return project_estimate(estimate, shown)


def sample_deals(estimate: HandEstimate, constraints: InformationSet, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Sample deals in proportion to their weights.

    Args:
        estimate: float32[n, others, cards] Expected copies; a deal is weighted by their product over its cards, times
            the number of ways to deal it.
        constraints: Counts and facts of n observers.
        keys: uint64[n, draws] Random keys.

    Returns:
        uint8[n, draws, others, cards] Copies in each deal.

    Raises:
        GameError: No deal is consistent, or there are too many copies or holders.
    """

    def sample(rows: _Rows) -> NDArray[np.uint8]:
        zeros, order, guess, arrays = _deal_arrays(estimate[rows], constraints.select(rows))
        row_keys = keys[rows]
        dealt = np.empty((*row_keys.shape, *guess.shape[1:]), np.uint8)
        kernel: Any = deal_sampling.sample_rows
        _raise_inconsistent(
            map_ranges(len(guess), lambda lo, hi: kernel(zeros, guess, *arrays, row_keys, lo, hi, dealt), min_size=8),
            rows,
        )
        return _restore_order(dealt, order, estimate.shape[1])

    return _compute_by_aside(constraints, sample)


def draw_deals(
    estimate: HandEstimate, constraints: InformationSet, keys: NDArray[np.uint64], n_deals: int
) -> NDArray[np.uint8]:
    """Sample several deals for each observer, in proportion to their weights.

    Args:
        estimate: float32[n, others, cards] Expected copies.
        constraints: Counts and facts of n observers.
        keys: uint64[n] Random keys.
        n_deals: Deals for each observer.

    Returns:
        uint8[n, n_deals, others, cards] Copies in each deal.

    Raises:
        GameError: No deal is consistent, or there are too many copies or holders.
    """
    deal_keys = splitmix64_array(np.repeat(keys, n_deals), np.tile(np.arange(n_deals), len(keys)))
    return sample_deals(estimate, constraints, deal_keys.reshape(len(keys), n_deals))


def expected_copies(estimate: HandEstimate, constraints: InformationSet) -> HandEstimate:
    """Compute the weighted mean of all consistent deals; with ``uniform_estimate``, that of uniform deals.

    Args:
        estimate: float32[n, others, cards] Expected copies; a deal is weighted by their product over its cards, times
            the number of ways to deal it.
        constraints: Counts and facts of n observers.

    Returns:
        float32[n, others, cards] Expected copies.

    Raises:
        GameError: No deal is consistent, or there are too many copies or holders.
    """

    def compute_mean(rows: _Rows) -> HandEstimate:
        zeros, order, guess, arrays = _deal_arrays(estimate[rows], constraints.select(rows))
        mean = np.empty(guess.shape, np.float32)
        kernel: Any = deal_sampling.expected_rows
        _raise_inconsistent(
            map_ranges(len(guess), lambda lo, hi: kernel(zeros, guess, *arrays, lo, hi, mean), min_size=8),
            rows,
        )
        return _restore_order(mean, order, estimate.shape[1])

    return _compute_by_aside(constraints, compute_mean)


def _compute_by_aside(constraints: InformationSet, compute: Callable[[_Rows], NDArray[Any]]) -> NDArray[Any]:
    """Compute rows with cards aside apart from those without, so that no row depends on the others of the batch."""
    has_aside = constraints.num_aside > 0
    if has_aside.all() or not has_aside.any():
        return compute(slice(None))
    parts = [(rows, compute(rows)) for rows in (np.flatnonzero(has_aside), np.flatnonzero(~has_aside))]
    result = np.empty((len(constraints), *parts[0][1].shape[1:]), parts[0][1].dtype)
    for rows, part in parts:
        result[rows] = part
    return result


def _restore_order(values: NDArray[Any], order: NDArray[np.int64] | None, num_others: int) -> NDArray[Any]:
    """Undo the order [n, holders] of the holders in values [n, ..., holders, cards], and leave out the added ones."""
    if order is not None:
        places = np.argsort(order, axis=1).reshape(len(order), *(1,) * (values.ndim - 3), -1, 1)
        values = np.take_along_axis(values, places, axis=-2)
    return values[..., :num_others, :]


def _raise_inconsistent(failed: list[int], rows: _Rows) -> None:
    """Raise GameError for the first row that is not -1 in a list; it is an index into rows of the batch."""
    for row in (row for row in failed if row >= 0):
        number = row if isinstance(rows, slice) else rows[row]
        message = f"row {number}: no deal is consistent with the counts and the facts: `has/4`, `lacks/4`"
        raise GameError(message, ErrorCode.INCONSISTENT_HANDS)


def _with_aside_holder(constraints: InformationSet) -> InformationSet:
    """Add the cards aside as a last holder, of which only the number is known, where there are any."""
    if not _has_aside(constraints):
        return constraints
    nothing = np.zeros_like(constraints.min_copies[:, :1])
    return InformationSet(
        constraints.unseen,
        np.column_stack([constraints.cards_left, np.maximum(constraints.num_aside, 0)]).astype(np.int8),
        np.concatenate([constraints.min_copies, nothing], axis=1),
        np.concatenate([constraints.max_copies, constraints.unseen[:, None]], axis=1),
    )


def _has_aside(constraints: InformationSet) -> bool:
    return bool((constraints.num_aside > 0).any())


def _append_aside(estimate: NDArray[Any], constraints: InformationSet) -> NDArray[Any]:
    """Add the copies that an estimate assigns to no seat as those aside."""
    aside = np.maximum(constraints.unseen - estimate.sum(axis=1), 0).astype(estimate.dtype)
    return np.concatenate([estimate, aside[:, None]], axis=1)


def _kernel_estimate(estimate: NDArray[Any], constraints: InformationSet) -> NDArray[Any]:
    """Convert an estimate to the array that the kernels read."""
    guess = _pad_seats(_append_aside(estimate, constraints) if _has_aside(constraints) else estimate)
    return np.ascontiguousarray(guess)  # avoids compiling kernels for other layouts


def _kernel_arrays(constraints: InformationSet) -> tuple[Any, Any, Any, Any]:
    """Convert constraints to the arrays that the kernels read."""
    with_aside = _with_aside_holder(constraints)
    return (
        with_aside.unseen,
        _pad_seats(with_aside.cards_left),
        _pad_seats(with_aside.min_copies),
        _pad_seats(with_aside.max_copies),
    )


def _deal_arrays(
    estimate: NDArray[Any], constraints: InformationSet
) -> tuple[tuple[int, ...], NDArray[np.int64] | None, NDArray[Any], tuple[Any, ...]]:
    """Return zeros for the holders, their order, and estimate and constraints for the kernels of whole deals.

    More than three holders are put into the order [n, holders] that needs least memory.
    """
    if constraints.unseen.max(initial=0) > deal_sampling.MAX_COPIES:
        raise GameError(
            f"hands are dealt of up to {deal_sampling.MAX_COPIES} copies of a card, not {constraints.unseen.max()}",
            ErrorCode.TOO_LARGE,
        )
    guess, arrays = _kernel_estimate(estimate, constraints), _kernel_arrays(constraints)
    holders, (unseen, left, at_least, at_most) = guess.shape[1], arrays
    if holders == _MIN_HOLDERS:
        return (0,) * holders, None, guess, arrays
    order = np.argsort(left, axis=1, kind="stable")
    left = np.take_along_axis(left, order, axis=1)
    states = (left[:, :-1].astype(np.int64) + 1).prod(axis=1).max(initial=0)
    if states > deal_sampling.MAX_STATES:
        message = f"{holders} hidden hands of {left.sum(axis=1).max()} cards: too many for exact deals"
        raise GameError(message, ErrorCode.TOO_LARGE)
    guess, at_least, at_most = (
        np.take_along_axis(array, order[:, :, None], axis=1) for array in (guess, at_least, at_most)
    )
    return (0,) * holders, order, guess, (unseen, left, at_least, at_most)


def _pad_seats(array: NDArray[Any]) -> NDArray[Any]:
    """Pad [n, others, ...] by empty seats to the number that the kernels need."""
    n, others, *shape = array.shape
    if others >= _MIN_HOLDERS:
        return array
    padded = np.zeros((n, _MIN_HOLDERS, *shape), array.dtype)  # np.pad takes fifteen times as long for small arrays
    padded[:, :others] = array
    return padded
