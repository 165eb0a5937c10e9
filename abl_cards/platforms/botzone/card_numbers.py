"""Botzone's numbers of cards: what kind of card each is in a folder's pack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.tables import NO_CARD


@dataclass(frozen=True)
class Numbers:
    """The numbers 0, 1, 2, … of the cards of a pack."""

    kind: tuple[int, ...]  # [cards] of each number

    def find(self, kinds: Iterable[int], held: Sequence[int]) -> list[int]:
        """Numbers of these kinds among some, the first ones first.

        >>> Numbers((0, 0, 1, 1)).find([1, 0], [1, 2, 3])
        [2, 1]
        """
        left, found = list(held), []
        for kind in kinds:
            number = next(each for each in left if self.kind[each] == kind)
            left.remove(number)
            found.append(number)
        return found

    def take(self, pool: list[int], counts: NDArray[np.integer]) -> list[int]:
        """Take cards [kinds] out of a pool of numbers; they come in order."""
        found = sorted(self.find(np.repeat(np.arange(len(counts)), counts).tolist(), pool))
        for number in found:
            pool.remove(number)
        return found

    def counts(self, numbers: Iterable[int], kinds: int) -> NDArray[np.uint8]:
        """[kinds] how many of each these are."""
        places = np.array([self.kind[number] for number in numbers], np.int64)
        return np.bincount(places, minlength=kinds).astype(np.uint8)

    def row(self, numbers: Iterable[int], cards: NDArray[np.uint8]) -> int | None:
        """Which of some moves [moves, most] has these cards; None where none has."""
        wanted = sorted(self.kind[number] for number in numbers)
        if len(wanted) > cards.shape[1]:
            return None
        sought = np.full(cards.shape[1], NO_CARD, np.uint8)
        sought[: len(wanted)] = wanted
        rows = np.flatnonzero((np.sort(cards, axis=1) == sought).all(axis=1))
        return int(rows[0]) if rows.size else None
