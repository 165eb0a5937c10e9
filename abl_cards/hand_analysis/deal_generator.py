"""Deals to order: of a wanted class, as sure as is asked, and sound by the knowledge base.

Deals are dealt at random and judged, and those that are sure enough are kept: what comes out is distributed as deals of
that class are in play. Only where hardly any deal will do, the nearest misses are improved card by card: cards are
exchanged between hands as long as the judge grows surer. Chance is decided by the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import derive_key, splitmix64_array

BATCH_SIZE = 1024
"""Deals that are judged at once."""
BASE_MAX_DEALS, MAX_DEALS_PER_TARGET = 500_000, 5_000
"""Deals that are looked at before the search ends, and more for each deal that is wanted."""
_MIN_RANDOM_BATCHES = 20  # batches without enough of them before cards are exchanged
_RARE_SHARE = 1 / 500  # a share of random deals that is too small to wait for
_MAX_CLIMB_ROUNDS = 800  # choices that a deal is tried with at most
_N_CLIMBERS = 64


class DealSource(Protocol):
    """Deals by a knowledge base."""

    def deal(self, keys: NDArray[np.uint64]) -> Any:
        """A random deal a key."""

    def swap_cards(self, deals: Any, keys: NDArray[np.uint64]) -> Any:
        """The deals with two cards exchanged."""

    def is_valid(self, deals: Any) -> NDArray[np.bool_]:
        """[n] whether the knowledge base finds nothing wrong."""


DealClassifierFn = Callable[[Any], NDArray[np.float32]]
"""[n, classes] the probability of each class of n deals."""


class GeneratedDeals(NamedTuple):
    """Deals of one class."""

    deals: list[Any]  # each of them n = 1
    confidence: list[float]
    n_classified: int  # deals that were looked at


@dataclass
class DealGenerator:
    """Makes deals of a class, one after the other."""

    dealer: DealSource
    classify: DealClassifierFn
    seed: int
    name_of: Callable[[Any, int], str]  # of one of some deals: two with one name are the same deal
    excluded_names: Collection[str] = frozenset()  # names of deals that are not to be made
    batch_size: int = BATCH_SIZE
    _counter: int = field(default=0, init=False)

    def generate(
        self, target_class: int, min_confidence: float, count: int, max_deals: int | None = None,
        on_progress: Callable[[int, str], None] = lambda done, remark: None,
    ) -> GeneratedDeals:  # fmt: skip
        """So many different deals; fewer where too many were looked at in vain, see MAX_DEALS_PER_TARGET."""
        max_deals = BASE_MAX_DEALS + MAX_DEALS_PER_TARGET * count if max_deals is None else max_deals
        made, names, judged, batches = GeneratedDeals([], [], 0), set(self.excluded_names), 0, 0
        while len(made.deals) < count and judged < max_deals:
            seldom = batches >= _MIN_RANDOM_BATCHES and len(made.deals) < judged * _RARE_SHARE
            deals, looked = self._climb(target_class, min_confidence) if seldom else self._random_deals()
            sure = self.classify(deals)[:, target_class]
            good = np.flatnonzero((sure >= min_confidence) & self.dealer.is_valid(deals))
            for row in good:
                name = self.name_of(deals, int(row))
                if name not in names and len(made.deals) < count:
                    names.add(name)
                    made.deals.append(deals.select(np.array([row])))
                    made.confidence.append(float(sure[row]))
            judged, batches = judged + looked, batches + 1
            on_progress(len(made.deals), f"{judged:,} deals judged")
        return made._replace(n_classified=judged)

    def _keys(self, number: int) -> NDArray[np.uint64]:
        """New random bits."""
        counters = np.arange(self._counter, self._counter + number)
        self._counter += number
        return splitmix64_array(np.full(number, derive_key(self.seed), np.uint64), counters)

    def _random_deals(self) -> tuple[Any, int]:
        return self.dealer.deal(self._keys(self.batch_size)), self.batch_size

    def _climb(self, wanted: int, confidence: float) -> tuple[Any, int]:
        """Random deals, the best of them improved until they are sure enough; and how many were looked at."""
        deals, looked = self._random_deals()
        sure = self.classify(deals)[:, wanted]
        best = np.argsort(-sure, kind="stable")[:_N_CLIMBERS]
        deals, sure = deals.select(best), sure[best]
        for _ in range(_MAX_CLIMB_ROUNDS):
            low = np.flatnonzero(sure < confidence)
            if not low.size:
                break
            other = self.dealer.swap_cards(deals.select(low), self._keys(len(low)))
            found = self.classify(other)[:, wanted]
            better = np.flatnonzero((found > sure[low]) & self.dealer.is_valid(other))
            deals, sure = _replace_rows(deals, low[better], other.select(better)), sure.copy()
            sure[low[better]] = found[better]
            looked += len(low)
        return deals, looked


def _replace_rows(deals: Any, rows: NDArray[np.int64], others: Any) -> Any:
    """Deals with some of them replaced; they are named tuples of arrays."""
    arrays = [array.copy() for array in deals]
    for array, other in zip(arrays, others, strict=True):
        array[rows] = other
    return type(deals)(*arrays)
