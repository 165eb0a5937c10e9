"""The abduction of hidden hands: from an estimate to what is consistent with the facts and the counts.

An estimate gives every other seat a number of copies of every card, [n, others, cards]. It need not be possible. Its
Euclidean projection is, and is never farther from the true hands than the estimate was, since they are possible too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.hidden import Constraints
from abl_cards.parallel import each_share
from abl_cards.streams import mix_all
from reasoners import deals, many_hands, odds, projection

Estimate = NDArray[np.float32]
"""[n, others, cards] expected copies."""


def project(estimate: Estimate, constraints: Constraints) -> Estimate:
    """The nearest consistent estimate, row by row; as near as it comes where nothing is consistent."""
    arrays, guess = _arrays(constraints), _guess(estimate, constraints)
    projected = np.empty(guess.shape, np.float32)
    kernel = many_hands.project_rows if _many(guess) else projection.project_rows
    each_share(len(guess), lambda lo, hi: kernel(guess, *arrays, lo, hi, projected), least=64)
    return projected[:, : estimate.shape[1]]


def counting(constraints: Constraints) -> Estimate:
    """The unseen copies shared in proportion to the cards left, but for those that the facts give or deny a seat.

    With ``constraints.without_facts()`` it is what the counts alone say.
    """
    given, others = _holders(constraints), constraints.left.shape[1]
    shared = np.empty(given.at_least.shape, np.float32)
    facts = given.unseen, given.left, given.at_least, given.at_most
    each_share(len(shared), lambda lo, hi: odds.share_by_count(*facts, lo, hi, shared))
    return shared[:, :others]


def lean(estimate: Estimate, hints: NDArray[np.float32], constraints: Constraints) -> Estimate:
    """An estimate with its odds changed by hints [n, others, cards], logarithms of factors; see Decisions.hints."""
    given, others = _holders(constraints), estimate.shape[1]
    shared = np.empty(given.at_least.shape, np.float32)
    facts = given.unseen, given.at_least, given.at_most
    if given is not constraints:
        estimate, hints = _with_aside(estimate, constraints), np.pad(hints, [(0, 0), (0, 1), (0, 0)])
    each_share(len(shared), lambda lo, hi: odds.share_by_hints(estimate, hints, *facts, lo, hi, shared))
    return shared[:, :others]


def reckon(constraints: Constraints, hints: NDArray[np.float32]) -> Estimate:
    """What counts, facts and hints [n, others, cards] say together, made consistent."""
    return project(lean(counting(constraints), hints, constraints), constraints)


def abduced(estimate: Estimate, constraints: Constraints, later: NDArray[np.uint8]) -> Estimate:
    """What hidden hands must have been like, judged afterwards: the nearest estimate that explains what was shown.

    Later [n, others, cards] are the copies that each seat laid down from there to the end of the episode; it held them.
    """
    at_least = np.maximum(constraints.at_least, later)
    shown = replace(constraints, at_least=at_least, at_most=np.maximum(constraints.at_most, at_least))
    return project(estimate, shown)


def most_probable(estimate: Estimate, constraints: Constraints) -> NDArray[np.uint8]:
    """[n, others, cards] the likeliest whole deal, see deals.py; unbalanced where nothing is consistent."""
    arrays, guess = _dealt(constraints), _guess(estimate, constraints)
    dealt = np.empty(guess.shape, np.uint8)
    kernel = many_hands.best_rows if _many(guess) else deals.best_rows
    each_share(len(guess), lambda lo, hi: kernel(guess, *arrays, lo, hi, dealt), least=64)
    return dealt[:, : estimate.shape[1]]


def sample(estimate: Estimate, constraints: Constraints, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[n, draws, others, cards] random deals, as likely as they weigh (see deals.py), from keys [n, draws].

    Raises GameError where nothing is consistent.
    """
    arrays, guess = _dealt(constraints), _guess(estimate, constraints)
    dealt = np.empty((*keys.shape, *guess.shape[1:]), np.uint8)
    if not _many(guess):
        _refuse(each_share(len(guess), lambda lo, hi: deals.sample_rows(guess, *arrays, keys, lo, hi, dealt), least=8))
        return dealt[:, :, : estimate.shape[1]]
    order, guess, arrays = _largest_last(guess, arrays)
    _refuse(each_share(len(guess), lambda lo, hi: many_hands.sample_rows(guess, *arrays, keys, lo, hi, dealt), least=8))
    return dealt[:, :, np.argsort(order)][:, :, : estimate.shape[1]]


def draw(estimate: Estimate, constraints: Constraints, keys: NDArray[np.uint64], deals: int) -> NDArray[np.uint8]:
    """[n, deals, others, cards] so many random deals a row, from keys [n]; see ``sample``."""
    each = mix_all(np.repeat(keys, deals), np.tile(np.arange(deals), len(keys)))
    return sample(estimate, constraints, each.reshape(len(keys), deals))


def expected(estimate: Estimate, constraints: Constraints) -> Estimate:
    """[n, others, cards] the mean of all deals by their weights (see deals.py); with ``counting`` of evenly dealt ones.

    Raises GameError where nothing is consistent.
    """
    arrays, guess = _dealt(constraints), _guess(estimate, constraints)
    mean = np.empty(guess.shape, np.float32)
    if not _many(guess):
        _refuse(each_share(len(guess), lambda lo, hi: deals.expect_rows(guess, *arrays, lo, hi, mean), least=8))
        return mean[:, : estimate.shape[1]]
    order, guess, arrays = _largest_last(guess, arrays)
    _refuse(each_share(len(guess), lambda lo, hi: many_hands.expect_rows(guess, *arrays, lo, hi, mean), least=8))
    return mean[:, np.argsort(order)][:, : estimate.shape[1]]


def _refuse(shares: list[int]) -> None:
    for row in shares:
        if row >= 0:
            raise GameError(f"row {row}: no deal is consistent with the counts and the facts: `has/4`, `lacks/4`")


def _holders(constraints: Constraints) -> Constraints:
    """With what lies aside as a last holder, of whom nothing is known but the number; where nothing does, the same."""
    if not _lies_aside(constraints):
        return constraints
    nothing = np.zeros_like(constraints.at_least[:, :1])
    return Constraints(
        constraints.unseen,
        np.column_stack([constraints.left, np.maximum(constraints.aside, 0)]).astype(np.int8),
        np.concatenate([constraints.at_least, nothing], axis=1),
        np.concatenate([constraints.at_most, constraints.unseen[:, None]], axis=1),
    )


def _lies_aside(constraints: Constraints) -> bool:
    return bool((constraints.aside > 0).any())


def _with_aside(estimate: NDArray[Any], constraints: Constraints) -> NDArray[Any]:
    """An estimate with the copies that it gives to nobody as those aside."""
    rest = np.maximum(constraints.unseen - estimate.sum(axis=1), 0).astype(estimate.dtype)
    return np.concatenate([estimate, rest[:, None]], axis=1)


def _guess(estimate: NDArray[Any], constraints: Constraints) -> NDArray[Any]:
    """An estimate as the kernels read it."""
    guess = _padded(_with_aside(estimate, constraints) if _lies_aside(constraints) else estimate)
    return np.ascontiguousarray(guess)  # kernels for other layouts would be compiled for nothing


def _arrays(constraints: Constraints) -> tuple[Any, Any, Any, Any]:
    """As the kernels read them."""
    given = _holders(constraints)
    return given.unseen, _padded(given.left), _padded(given.at_least), _padded(given.at_most)


def _dealt(constraints: Constraints) -> tuple[Any, Any, Any, Any]:
    """The same for whole deals; raises GameError for more copies of a card than they know."""
    if constraints.unseen.max(initial=0) > deals.COPIES:
        raise GameError(f"hands are dealt of up to {deals.COPIES} copies of a card, not {constraints.unseen.max()}")
    return _arrays(constraints)


def _padded(array: NDArray[Any]) -> NDArray[Any]:
    """[n, others, ...] with seats that hold nothing behind the last, as many as the kernels count on at least."""
    missing = projection.SEATS - array.shape[1]
    return np.pad(array, [(0, 0), (0, missing), *[(0, 0)] * (array.ndim - 2)]) if missing > 0 else array


def _many(guess: NDArray[Any]) -> bool:
    """Whether there are more holders than the quick kernels know."""
    return guess.shape[1] > projection.SEATS


def _largest_last(guess: NDArray[Any], arrays: tuple[Any, ...]) -> tuple[NDArray[np.int64], Any, tuple[Any, ...]]:
    """The order of the holders that needs the least room, and what the kernels read in it; raises GameError."""
    unseen, left, at_least, at_most = arrays
    order = np.argsort(left.max(axis=0, initial=0), kind="stable")
    states = (left[:, order[:-1]].astype(np.int64) + 1).prod(axis=1).max(initial=0)
    if states > many_hands.MOST_STATES:
        raise GameError(f"{len(order)} hidden hands of {left.sum(axis=1).max()} cards: too many for exact deals")
    ordered = (np.ascontiguousarray(each[:, order]) for each in (left, at_least, at_most))
    return order, np.ascontiguousarray(guess[:, order]), (unseen, *ordered)
