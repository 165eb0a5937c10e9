"""Abduce hidden hands: project estimates onto the constraints of facts and counts, and sample deals.

An estimate is the expected copies of each card with each other seat, [n, others, cards], and may be inconsistent. Its
Euclidean projection onto the consistent estimates is at most as far from the true hands, since these are consistent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, map_ranges, splitmix64_array
from abl_cards.games.types import InformationSet
from abl_cards.reasoners.hidden_hands import bayes_update, deal_sampling, projection

HandEstimate = NDArray[np.float32]
"""float32[n, others, cards] Expected copies of each card with each other seat."""
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
    arrays, guess = _kernel_arrays(constraints), _kernel_estimate(estimate, constraints)
    projected, zeros = np.empty(guess.shape, np.float32), ((0.0,) * guess.shape[1],) * guess.shape[1]
    map_ranges(
        len(guess), lambda lo, hi: projection.project_rows(zeros, guess, *arrays, lo, hi, projected), min_size=64
    )
    return projected[:, : estimate.shape[1]]


def uniform_estimate(constraints: InformationSet) -> HandEstimate:
    """Distribute the unseen copies in proportion to the cards left, within the bounds of the facts.

    Args:
        constraints: Counts and facts of n observers; ``constraints.counts_only()`` drops the facts.

    Returns:
        float32[n, others, cards] Expected copies.
    """
    with_aside, others = _with_aside_holder(constraints), constraints.cards_left.shape[1]
    shared = np.empty(with_aside.min_copies.shape, np.float32)
    facts = with_aside.unseen, with_aside.cards_left, with_aside.min_copies, with_aside.max_copies
    map_ranges(len(shared), lambda lo, hi: bayes_update.share_by_count(*facts, lo, hi, shared))
    return shared[:, :others]


def reweight_estimate(estimate: HandEstimate, hints: NDArray[np.float32], constraints: InformationSet) -> HandEstimate:
    """Multiply the odds of an estimate by the exponentials of hints.

    Args:
        estimate: float32[n, others, cards] Expected copies.
        hints: float32[n, others, cards] Logarithms of factors; see ``Decisions.hints``.
        constraints: Counts and facts of n observers.

    Returns:
        float32[n, others, cards] Expected copies.
    """
    with_aside, others = _with_aside_holder(constraints), estimate.shape[1]
    shared = np.empty(with_aside.min_copies.shape, np.float32)
    facts = with_aside.unseen, with_aside.min_copies, with_aside.max_copies
    if with_aside is not constraints:
        estimate, hints = _append_aside(estimate, constraints), np.pad(hints, [(0, 0), (0, 1), (0, 0)])
    map_ranges(len(shared), lambda lo, hi: bayes_update.share_by_hints(estimate, hints, *facts, lo, hi, shared))
    return shared[:, :others]


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
    """Abduce hidden hands in hindsight: the nearest estimate that explains the later plays.

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
        estimate: float32[n, others, cards] Expected copies, which weigh deals as in deal_sampling.py.
        constraints: Counts and facts of n observers.
        keys: uint64[n, draws] Random keys.

    Returns:
        uint8[n, draws, others, cards] Copies in each deal.

    Raises:
        GameError: No deal is consistent, or there are too many copies or holders.
    """
    zeros, order, guess, arrays = _deal_arrays(estimate, constraints)
    dealt = np.empty((*keys.shape, *guess.shape[1:]), np.uint8)
    kernel: Any = deal_sampling.sample_rows
    _raise_inconsistent(
        map_ranges(len(guess), lambda lo, hi: kernel(zeros, guess, *arrays, keys, lo, hi, dealt), min_size=8)
    )
    return dealt[:, :, np.argsort(order)[: estimate.shape[1]]]


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
    """Compute the mean of all deals by their weights; with ``uniform_estimate``, that of uniformly dealt ones.

    Args:
        estimate: float32[n, others, cards] Expected copies, which weigh deals as in deal_sampling.py.
        constraints: Counts and facts of n observers.

    Returns:
        float32[n, others, cards] Expected copies.

    Raises:
        GameError: No deal is consistent, or there are too many copies or holders.
    """
    zeros, order, guess, arrays = _deal_arrays(estimate, constraints)
    mean = np.empty(guess.shape, np.float32)
    kernel: Any = deal_sampling.expected_rows
    _raise_inconsistent(map_ranges(len(guess), lambda lo, hi: kernel(zeros, guess, *arrays, lo, hi, mean), min_size=8))
    return mean[:, np.argsort(order)[: estimate.shape[1]]]


def _raise_inconsistent(shares: list[int]) -> None:
    for row in shares:
        if row >= 0:
            message = f"row {row}: no deal is consistent with the counts and the facts: `has/4`, `lacks/4`"
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
) -> tuple[tuple[int, ...], NDArray[np.int64], NDArray[Any], tuple[Any, ...]]:
    """Return zeros for the holders, their order, and estimate and constraints for the kernels of whole deals.

    More than three holders are put into the order that needs least memory.
    """
    if constraints.unseen.max(initial=0) > deal_sampling.MAX_COPIES:
        raise GameError(
            f"hands are dealt of up to {deal_sampling.MAX_COPIES} copies of a card, not {constraints.unseen.max()}",
            ErrorCode.TOO_LARGE,
        )
    guess, arrays = _kernel_estimate(estimate, constraints), _kernel_arrays(constraints)
    holders, (unseen, left, at_least, at_most) = guess.shape[1], arrays
    if holders == _MIN_HOLDERS:
        return (0,) * holders, np.arange(holders), guess, arrays
    order = np.argsort(left.max(axis=0, initial=0), kind="stable")
    states = (left[:, order[:-1]].astype(np.int64) + 1).prod(axis=1).max(initial=0)
    if states > deal_sampling.MAX_STATES:
        message = f"{holders} hidden hands of {left.sum(axis=1).max()} cards: too many for exact deals"
        raise GameError(message, ErrorCode.TOO_LARGE)
    guess, left, at_least, at_most = (
        np.ascontiguousarray(array[:, order]) for array in (guess, left, at_least, at_most)
    )
    return (0,) * holders, order, guess, (unseen, left, at_least, at_most)


def _pad_seats(array: NDArray[Any]) -> NDArray[Any]:
    """Pad [n, others, ...] by empty seats to the number that the kernels need."""
    missing = _MIN_HOLDERS - array.shape[1]
    return np.pad(array, [(0, 0), (0, missing), *[(0, 0)] * (array.ndim - 2)]) if missing > 0 else array
