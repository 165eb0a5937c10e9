"""The abduction of hidden hands: from an estimate to what is consistent with the facts and the counts.

An estimate gives every other seat a number of copies of every card, [n, others, cards]. It need not be possible. Its
Euclidean projection is, and is never farther from the true hands than the estimate was, since they are possible too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.hidden import Constraints
from abl_cards.parallel import each_share
from abl_cards.streams import mix_all
from reasoners import deals, odds, projection

Estimate = NDArray[np.float32]
"""[n, others, cards] expected copies."""


def project(estimate: Estimate, constraints: Constraints) -> Estimate:
    """The nearest consistent estimate, row by row; as near as it comes where nothing is consistent."""
    arrays, guess = _arrays(constraints), _padded(estimate)
    projected = np.empty(guess.shape, np.float32)
    each_share(len(guess), lambda lo, hi: projection.project_rows(guess, *arrays, lo, hi, projected), least=64)
    return projected[:, : estimate.shape[1]]


def counting(constraints: Constraints) -> Estimate:
    """The unseen copies shared in proportion to the cards left, but for those that the facts give or deny a seat.

    With ``constraints.without_facts()`` it is what the counts alone say.
    """
    given, shared = constraints, np.empty(constraints.at_least.shape, np.float32)
    facts = given.unseen, given.left, given.at_least, given.at_most
    each_share(len(shared), lambda lo, hi: odds.share_by_count(*facts, lo, hi, shared))
    return shared


def lean(estimate: Estimate, hints: NDArray[np.float32], constraints: Constraints) -> Estimate:
    """An estimate with its odds changed by hints [n, others, cards], logarithms of factors; see Decisions.hints."""
    given, shared = constraints, np.empty(estimate.shape, np.float32)
    facts = given.unseen, given.at_least, given.at_most
    each_share(len(shared), lambda lo, hi: odds.share_by_hints(estimate, hints, *facts, lo, hi, shared))
    return shared


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
    arrays, guess = _arrays(constraints), _padded(estimate)
    dealt = np.empty(guess.shape, np.uint8)
    each_share(len(guess), lambda lo, hi: deals.best_rows(guess, *arrays, lo, hi, dealt), least=64)
    return dealt[:, : estimate.shape[1]]


def sample(estimate: Estimate, constraints: Constraints, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[n, draws, others, cards] random deals, as likely as they weigh (see deals.py), from keys [n, draws].

    Raises GameError where nothing is consistent.
    """
    arrays, guess = _arrays(constraints), _padded(estimate)
    dealt = np.empty((*keys.shape, *guess.shape[1:]), np.uint8)
    _refuse(each_share(len(guess), lambda lo, hi: deals.sample_rows(guess, *arrays, keys, lo, hi, dealt), least=8))
    return dealt[:, :, : estimate.shape[1]]


def draw(estimate: Estimate, constraints: Constraints, keys: NDArray[np.uint64], deals: int) -> NDArray[np.uint8]:
    """[n, deals, others, cards] so many random deals a row, from keys [n]; see ``sample``."""
    each = mix_all(np.repeat(keys, deals), np.tile(np.arange(deals), len(keys)))
    return sample(estimate, constraints, each.reshape(len(keys), deals))


def expected(estimate: Estimate, constraints: Constraints) -> Estimate:
    """[n, others, cards] the mean of all deals by their weights (see deals.py); with ``counting`` of evenly dealt ones.

    Raises GameError where nothing is consistent.
    """
    arrays, guess = _arrays(constraints), _padded(estimate)
    mean = np.empty(guess.shape, np.float32)
    _refuse(each_share(len(guess), lambda lo, hi: deals.expect_rows(guess, *arrays, lo, hi, mean), least=8))
    return mean[:, : estimate.shape[1]]


def _refuse(shares: list[int]) -> None:
    for row in shares:
        if row >= 0:
            raise GameError(f"row {row}: no deal is consistent with the counts and the facts: `has/4`, `lacks/4`")


def _arrays(constraints: Constraints) -> tuple[Any, Any, Any, Any]:
    """As the kernels read them."""
    least, most = _padded(constraints.at_least), _padded(constraints.at_most)
    return constraints.unseen, _padded(constraints.left), least, most


def _padded(array: NDArray[Any]) -> NDArray[Any]:
    """[n, others, ...] with seats that hold nothing behind the last, as many as the kernels count on."""
    missing = projection.SEATS - array.shape[1]
    return np.pad(array, [(0, 0), (0, missing), *[(0, 0)] * (array.ndim - 2)]) if missing else array
