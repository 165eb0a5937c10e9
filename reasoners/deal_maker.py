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

from abl_cards.streams import key_of, mix_all

BATCH = 1024
"""Deals that are judged at once."""
FIRST_PATIENCE, PATIENCE = 500_000, 5_000
"""Deals that are looked at before the search ends, and more for each deal that is wanted."""
_HASTE = 20  # batches without enough of them before cards are exchanged
_SELDOM = 1 / 500  # a share of random deals that is too small to wait for
_ROUNDS = 800  # choices that a deal is tried with at most
_CLIMBERS = 64


class Dealer(Protocol):
    """Deals by a knowledge base."""

    def deal(self, keys: NDArray[np.uint64]) -> Any:
        """A random deal a key."""

    def exchange(self, deals: Any, keys: NDArray[np.uint64]) -> Any:
        """The deals with two cards exchanged."""

    def sound(self, deals: Any) -> NDArray[np.bool_]:
        """[n] whether the knowledge base finds nothing wrong."""


Judge = Callable[[Any], NDArray[np.float32]]
"""[n, classes] the probability of each class of n deals."""


class Made(NamedTuple):
    """Deals of one class."""

    deals: list[Any]  # each of them n = 1
    confidence: list[float]
    judged: int  # deals that were looked at


@dataclass
class DealMaker:
    """Makes deals of a class, one after the other."""

    dealer: Dealer
    judge: Judge
    seed: int
    name: Callable[[Any, int], str]  # of one of some deals: two with one name are the same deal
    unlike: Collection[str] = frozenset()  # names of deals that are not to be made
    batch: int = BATCH
    _counter: int = field(default=0, init=False)

    def make(
        self, wanted: int, confidence: float, number: int, most: int | None = None,
        tell: Callable[[int, str], None] = lambda done, remark: None,
    ) -> Made:  # fmt: skip
        """So many different deals; fewer where too many were looked at in vain, see PATIENCE."""
        most = FIRST_PATIENCE + PATIENCE * number if most is None else most
        made, names, judged, batches = Made([], [], 0), set(self.unlike), 0, 0
        while len(made.deals) < number and judged < most:
            seldom = batches >= _HASTE and len(made.deals) < judged * _SELDOM
            deals, looked = self._climb(wanted, confidence) if seldom else self._fresh()
            sure = self.judge(deals)[:, wanted]
            good = np.flatnonzero((sure >= confidence) & self.dealer.sound(deals))
            for row in good:
                name = self.name(deals, int(row))
                if name not in names and len(made.deals) < number:
                    names.add(name)
                    made.deals.append(deals.at(np.array([row])))
                    made.confidence.append(float(sure[row]))
            judged, batches = judged + looked, batches + 1
            tell(len(made.deals), f"{judged:,} deals judged")
        return made._replace(judged=judged)

    def _keys(self, number: int) -> NDArray[np.uint64]:
        """New random bits."""
        counters = np.arange(self._counter, self._counter + number)
        self._counter += number
        return mix_all(np.full(number, key_of(self.seed), np.uint64), counters)

    def _fresh(self) -> tuple[Any, int]:
        return self.dealer.deal(self._keys(self.batch)), self.batch

    def _climb(self, wanted: int, confidence: float) -> tuple[Any, int]:
        """Random deals, the best of them improved until they are sure enough; and how many were looked at."""
        deals, looked = self._fresh()
        sure = self.judge(deals)[:, wanted]
        best = np.argsort(-sure, kind="stable")[:_CLIMBERS]
        deals, sure = deals.at(best), sure[best]
        for _ in range(_ROUNDS):
            low = np.flatnonzero(sure < confidence)
            if not low.size:
                break
            other = self.dealer.exchange(deals.at(low), self._keys(len(low)))
            found = self.judge(other)[:, wanted]
            better = np.flatnonzero((found > sure[low]) & self.dealer.sound(other))
            deals, sure = _replaced(deals, low[better], other.at(better)), sure.copy()
            sure[low[better]] = found[better]
            looked += len(low)
        return deals, looked


def _replaced(deals: Any, rows: NDArray[np.int64], others: Any) -> Any:
    """Deals with some of them replaced; they are named tuples of arrays."""
    arrays = [array.copy() for array in deals]
    for array, other in zip(arrays, others, strict=True):
        array[rows] = other
    return type(deals)(*arrays)
