"""The abduction of hidden hands: from an estimate to what is consistent with the facts and the counts.

An estimate gives every other seat a number of copies of every card, [n, others, cards]. It need not be possible. Its
Euclidean projection is, and is never farther from the true hands than the estimate was, since they are possible too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError, map_ranges, splitmix64_array
from abl_cards.games.types import InformationSet
from abl_cards.reasoners.hidden_hands import bayes_update, deal_sampling, hidden_hands_n, projection

HandEstimate = NDArray[np.float32]
"""[n, others, cards] expected copies."""


def project_estimate(estimate: HandEstimate, constraints: InformationSet) -> HandEstimate:
    """The nearest consistent estimate, row by row; as near as it comes where nothing is consistent."""
    arrays, guess = _kernel_arrays(constraints), _kernel_estimate(estimate, constraints)
    projected = np.empty(guess.shape, np.float32)
    kernel = hidden_hands_n.project_rows if _has_many_holders(guess) else projection.project_rows
    map_ranges(len(guess), lambda lo, hi: kernel(guess, *arrays, lo, hi, projected), min_size=64)
    return projected[:, : estimate.shape[1]]


def uniform_estimate(constraints: InformationSet) -> HandEstimate:
    """The unseen copies shared in proportion to the cards left, but for those that the facts give or deny a seat.

    With ``constraints.counts_only()`` it is what the counts alone say.
    """
    given, others = _with_aside_holder(constraints), constraints.cards_left.shape[1]
    shared = np.empty(given.min_copies.shape, np.float32)
    facts = given.unseen, given.cards_left, given.min_copies, given.max_copies
    map_ranges(len(shared), lambda lo, hi: bayes_update.share_by_count(*facts, lo, hi, shared))
    return shared[:, :others]


def reweight_estimate(estimate: HandEstimate, hints: NDArray[np.float32], constraints: InformationSet) -> HandEstimate:
    """An estimate with its odds changed by hints [n, others, cards], logarithms of factors; see Decisions.hints."""
    given, others = _with_aside_holder(constraints), estimate.shape[1]
    shared = np.empty(given.min_copies.shape, np.float32)
    facts = given.unseen, given.min_copies, given.max_copies
    if given is not constraints:
        estimate, hints = _append_aside(estimate, constraints), np.pad(hints, [(0, 0), (0, 1), (0, 0)])
    map_ranges(len(shared), lambda lo, hi: bayes_update.share_by_hints(estimate, hints, *facts, lo, hi, shared))
    return shared[:, :others]


def prior_estimate(constraints: InformationSet, hints: NDArray[np.float32]) -> HandEstimate:
    """What counts, facts and hints [n, others, cards] say together, made consistent."""
    return project_estimate(reweight_estimate(uniform_estimate(constraints), hints, constraints), constraints)


def abduce_hands(estimate: HandEstimate, constraints: InformationSet, later_plays: NDArray[np.uint8]) -> HandEstimate:
    """What hidden hands must have been like, judged afterwards: the nearest estimate that explains what was shown.

    Later [n, others, cards] are the copies that each seat laid down from there to the end of the episode; it held them.
    """
    at_least = np.maximum(constraints.min_copies, later_plays)
    shown = replace(constraints, min_copies=at_least, max_copies=np.maximum(constraints.max_copies, at_least))
    return project_estimate(estimate, shown)


def most_probable_deal(estimate: HandEstimate, constraints: InformationSet) -> NDArray[np.uint8]:
    """[n, others, cards] the likeliest whole deal, see deal_sampling.py; unbalanced where nothing is consistent."""
    arrays, guess = _deal_arrays(constraints), _kernel_estimate(estimate, constraints)
    dealt = np.empty(guess.shape, np.uint8)
    kernel = hidden_hands_n.most_probable_rows if _has_many_holders(guess) else deal_sampling.most_probable_rows
    map_ranges(len(guess), lambda lo, hi: kernel(guess, *arrays, lo, hi, dealt), min_size=64)
    return dealt[:, : estimate.shape[1]]


def sample_deals(estimate: HandEstimate, constraints: InformationSet, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[n, draws, others, cards] random deals, as likely as they weigh (see deal_sampling.py), from keys [n, draws].

    Raises GameError where nothing is consistent.
    """
    arrays, guess = _deal_arrays(constraints), _kernel_estimate(estimate, constraints)
    dealt = np.empty((*keys.shape, *guess.shape[1:]), np.uint8)
    if not _has_many_holders(guess):
        _raise_inconsistent(
            map_ranges(
                len(guess), lambda lo, hi: deal_sampling.sample_rows(guess, *arrays, keys, lo, hi, dealt), min_size=8
            )
        )
        return dealt[:, :, : estimate.shape[1]]
    order, guess, arrays = _sort_holders(guess, arrays)
    _raise_inconsistent(
        map_ranges(
            len(guess), lambda lo, hi: hidden_hands_n.sample_rows(guess, *arrays, keys, lo, hi, dealt), min_size=8
        )
    )
    return dealt[:, :, np.argsort(order)][:, :, : estimate.shape[1]]


def draw_deals(
    estimate: HandEstimate, constraints: InformationSet, keys: NDArray[np.uint64], n_deals: int
) -> NDArray[np.uint8]:
    """[n, deals, others, cards] so many random deals a row, from keys [n]; see ``sample_deals``."""
    each = splitmix64_array(np.repeat(keys, n_deals), np.tile(np.arange(n_deals), len(keys)))
    return sample_deals(estimate, constraints, each.reshape(len(keys), n_deals))


def expected_copies(estimate: HandEstimate, constraints: InformationSet) -> HandEstimate:
    """[n, others, cards] the mean of all deals by their weights (see deal_sampling.py).

    With ``uniform_estimate`` that of evenly dealt ones. Raises GameError where nothing is consistent.
    """
    arrays, guess = _deal_arrays(constraints), _kernel_estimate(estimate, constraints)
    mean = np.empty(guess.shape, np.float32)
    if not _has_many_holders(guess):
        _raise_inconsistent(
            map_ranges(len(guess), lambda lo, hi: deal_sampling.expected_rows(guess, *arrays, lo, hi, mean), min_size=8)
        )
        return mean[:, : estimate.shape[1]]
    order, guess, arrays = _sort_holders(guess, arrays)
    _raise_inconsistent(
        map_ranges(len(guess), lambda lo, hi: hidden_hands_n.expected_rows(guess, *arrays, lo, hi, mean), min_size=8)
    )
    return mean[:, np.argsort(order)][:, : estimate.shape[1]]


def _raise_inconsistent(shares: list[int]) -> None:
    for row in shares:
        if row >= 0:
            raise GameError(f"row {row}: no deal is consistent with the counts and the facts: `has/4`, `lacks/4`")


def _with_aside_holder(constraints: InformationSet) -> InformationSet:
    """With what lies aside as a last holder, of whom nothing is known but the number; where nothing does, the same."""
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
    """An estimate with the copies that it gives to nobody as those aside."""
    rest = np.maximum(constraints.unseen - estimate.sum(axis=1), 0).astype(estimate.dtype)
    return np.concatenate([estimate, rest[:, None]], axis=1)


def _kernel_estimate(estimate: NDArray[Any], constraints: InformationSet) -> NDArray[Any]:
    """An estimate as the kernels read it."""
    guess = _pad_seats(_append_aside(estimate, constraints) if _has_aside(constraints) else estimate)
    return np.ascontiguousarray(guess)  # kernels for other layouts would be compiled for nothing


def _kernel_arrays(constraints: InformationSet) -> tuple[Any, Any, Any, Any]:
    """As the kernels read them."""
    given = _with_aside_holder(constraints)
    return given.unseen, _pad_seats(given.cards_left), _pad_seats(given.min_copies), _pad_seats(given.max_copies)


def _deal_arrays(constraints: InformationSet) -> tuple[Any, Any, Any, Any]:
    """The same for whole deals; raises GameError for more copies of a card than they know."""
    if constraints.unseen.max(initial=0) > deal_sampling.MAX_COPIES:
        raise GameError(
            f"hands are dealt of up to {deal_sampling.MAX_COPIES} copies of a card, not {constraints.unseen.max()}"
        )
    return _kernel_arrays(constraints)


def _pad_seats(array: NDArray[Any]) -> NDArray[Any]:
    """[n, others, ...] with seats that hold nothing behind the last, as many as the kernels count on at least."""
    missing = projection.SEATS - array.shape[1]
    return np.pad(array, [(0, 0), (0, missing), *[(0, 0)] * (array.ndim - 2)]) if missing > 0 else array


def _has_many_holders(guess: NDArray[Any]) -> bool:
    """Whether there are more holders than the quick kernels know."""
    return guess.shape[1] > projection.SEATS


def _sort_holders(guess: NDArray[Any], arrays: tuple[Any, ...]) -> tuple[NDArray[np.int64], Any, tuple[Any, ...]]:
    """The order of the holders that needs the least room, and what the kernels read in it; raises GameError."""
    unseen, left, at_least, at_most = arrays
    order = np.argsort(left.max(axis=0, initial=0), kind="stable")
    states = (left[:, order[:-1]].astype(np.int64) + 1).prod(axis=1).max(initial=0)
    if states > hidden_hands_n.MAX_STATES:
        raise GameError(f"{len(order)} hidden hands of {left.sum(axis=1).max()} cards: too many for exact deals")
    ordered = (np.ascontiguousarray(each[:, order]) for each in (left, at_least, at_most))
    return order, np.ascontiguousarray(guess[:, order]), (unseen, *ordered)
