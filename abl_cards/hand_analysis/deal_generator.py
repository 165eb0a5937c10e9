"""Generate valid deals of a class with a given confidence.

Random deals are classified, and those with enough confidence are accepted, so that the deals are distributed as deals
of that class are in play. Where hardly any random deal is accepted, the best ones are improved by hill climbing:
cards are exchanged between hands while the confidence rises. Random numbers depend on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import derive_key, splitmix64_array

BATCH_SIZE = 1024
"""Deals that are classified at once."""
BASE_MAX_DEALS, MAX_DEALS_PER_TARGET = 500_000, 5_000
"""Deals that are classified before the search ends, and further ones for each requested deal."""
_MIN_RANDOM_BATCHES = 20  # batches of random deals before hill climbing may begin
_RARE_SHARE = 1 / 500  # share of accepted random deals below which hill climbing begins
_MAX_CLIMB_ROUNDS = 800  # most exchanges that are tried for a deal
_N_CLIMBERS = 64


class DealSource(Protocol):
    """Source of deals by the rules of a game."""

    def deal(self, keys: NDArray[np.uint64]) -> Any:
        """Sample a deal for each key."""

    def swap_cards(self, deals: Any, keys: NDArray[np.uint64]) -> Any:
        """Exchange two cards of each deal."""

    def is_valid(self, deals: Any) -> NDArray[np.bool_]:
        """Return bool[n]: whether a deal has no flaws."""


DealClassifierFn = Callable[[Any], NDArray[np.float32]]
"""Returns float32[n, classes] the probability of each class of n deals."""


class GeneratedDeals(NamedTuple):
    """Generated deals of one class.

    Attributes:
        deals: Batches of one deal.
        confidence: Probability of the class for each deal.
        n_classified: Number of deals that were classified.
    """

    deals: list[Any]
    confidence: list[float]
    n_classified: int


@dataclass
class DealGenerator:
    """Generates deals of a class.

    Attributes:
        dealer: Source of deals.
        classify: Returns the class probabilities of deals.
        seed: Seed of the random numbers.
        name_of: Returns the id of a deal in a batch; deals with equal ids count as one.
        excluded_names: Ids of deals that must not be generated.
        batch_size: Deals that are classified at once.
    """

    dealer: DealSource
    classify: DealClassifierFn
    seed: int
    name_of: Callable[[Any, int], str]
    excluded_names: Collection[str] = frozenset()
    batch_size: int = BATCH_SIZE
    _counter: int = field(default=0, init=False)

    def generate(
        self, target_class: int, min_confidence: float, count: int, max_deals: int | None = None,
        on_progress: Callable[[int, str], None] = lambda done, remark: None,
    ) -> GeneratedDeals:  # fmt: skip
        """Generate different deals.

        Args:
            target_class: Class of the deals.
            min_confidence: Least probability of the class.
            count: Number of deals.
            max_deals: Most deals to classify; by default from BASE_MAX_DEALS and MAX_DEALS_PER_TARGET.
            on_progress: Called with the number of deals found and a remark.

        Returns:
            The deals; fewer than `count` where the bound was reached.
        """
        max_deals = BASE_MAX_DEALS + MAX_DEALS_PER_TARGET * count if max_deals is None else max_deals
        generated, names, num_classified, batches = GeneratedDeals([], [], 0), set(self.excluded_names), 0, 0
        while len(generated.deals) < count and num_classified < max_deals:
            is_rare = batches >= _MIN_RANDOM_BATCHES and len(generated.deals) < num_classified * _RARE_SHARE
            deals, num_new = self._climb(target_class, min_confidence) if is_rare else self._random_deals()
            confidence = self.classify(deals)[:, target_class]
            accepted = np.flatnonzero((confidence >= min_confidence) & self.dealer.is_valid(deals))
            for row in accepted:
                name = self.name_of(deals, int(row))
                if name not in names and len(generated.deals) < count:
                    names.add(name)
                    generated.deals.append(deals.select(np.array([row])))
                    generated.confidence.append(float(confidence[row]))
            num_classified, batches = num_classified + num_new, batches + 1
            on_progress(len(generated.deals), f"{num_classified:,} deals judged")
        return generated._replace(n_classified=num_classified)

    def _keys(self, count: int) -> NDArray[np.uint64]:
        """Return new random keys."""
        counters = np.arange(self._counter, self._counter + count)
        self._counter += count
        return splitmix64_array(np.full(count, derive_key(self.seed), np.uint64), counters)

    def _random_deals(self) -> tuple[Any, int]:
        return self.dealer.deal(self._keys(self.batch_size)), self.batch_size

    def _climb(self, target_class: int, min_confidence: float) -> tuple[Any, int]:
        """Improve the best of a batch of random deals by hill climbing; return them and the deals classified."""
        deals, num_classified = self._random_deals()
        probabilities = self.classify(deals)[:, target_class]
        best = np.argsort(-probabilities, kind="stable")[:_N_CLIMBERS]
        deals, probabilities = deals.select(best), probabilities[best]
        for _ in range(_MAX_CLIMB_ROUNDS):
            below_target = np.flatnonzero(probabilities < min_confidence)
            if not below_target.size:
                break
            changed = self.dealer.swap_cards(deals.select(below_target), self._keys(len(below_target)))
            changed_probabilities = self.classify(changed)[:, target_class]
            improved = np.flatnonzero(
                (changed_probabilities > probabilities[below_target]) & self.dealer.is_valid(changed)
            )
            deals, probabilities = (
                _replace_rows(deals, below_target[improved], changed.select(improved)),
                probabilities.copy(),
            )
            probabilities[below_target[improved]] = changed_probabilities[improved]
            num_classified += len(below_target)
        return deals, num_classified


def _replace_rows(deals: Any, rows: NDArray[np.int64], others: Any) -> Any:
    """Deals with some of them replaced; they are named tuples of arrays."""
    arrays = [array.copy() for array in deals]
    for array, other in zip(arrays, others, strict=True):
        array[rows] = other
    return type(deals)(*arrays)
