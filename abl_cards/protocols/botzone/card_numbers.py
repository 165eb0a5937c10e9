"""Botzone's numbers of cards: what kind of card each is in a folder's pack."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import NO_CARD
from abl_cards.protocols.botzone import faults
from abl_cards.protocols.botzone.faults import Fault, quote_json


@dataclass(frozen=True)
class CardNumbering:
    """The numbers 0, 1, 2, … of the cards of a pack."""

    kind_of: tuple[int, ...]  # [cards] of each number

    def read_cards(self, response: Any, held: Collection[int], seat: int) -> list[int]:
        """The cards of a response of a seat that holds some; raises Fault."""
        if not isinstance(response, list) or any(type(card) is not int for card in response):
            raise Fault(faults.INVALID_FORMAT, f"{quote_json(response)} is no list of cards")
        if any(not 0 <= card < len(self.kind_of) for card in response):
            raise Fault(faults.INVALID_CARD, f"{quote_json(response)} are not all cards")
        if len(set(response)) < len(response) or not set(response) <= set(held):
            raise Fault(faults.NOT_HELD, f"{quote_json(response)} are not cards that seat {seat} holds")
        return response

    def find_numbers(self, kinds: Iterable[int], held: Sequence[int]) -> list[int]:
        """Numbers of these kinds among some, the first ones first.

        >>> CardNumbering((0, 0, 1, 1)).find_numbers([1, 0], [1, 2, 3])
        [2, 1]
        """
        left, found = list(held), []
        for kind in kinds:
            number = next(each for each in left if self.kind_of[each] == kind)
            left.remove(number)
            found.append(number)
        return found

    def take_numbers(self, pool: list[int], counts: NDArray[np.integer]) -> list[int]:
        """Take cards [kinds] out of a pool of numbers; they come in order."""
        found = sorted(self.find_numbers(np.repeat(np.arange(len(counts)), counts).tolist(), pool))
        for number in found:
            pool.remove(number)
        return found

    def count_kinds(self, numbers: Iterable[int], kinds: int) -> NDArray[np.uint8]:
        """[kinds] how many of each these are."""
        places = np.array([self.kind_of[number] for number in numbers], np.int64)
        return np.bincount(places, minlength=kinds).astype(np.uint8)

    def find_row(self, numbers: Iterable[int], cards: NDArray[np.uint8]) -> int | None:
        """Which of some moves [moves, most] has these cards; None where none has."""
        wanted = sorted(self.kind_of[number] for number in numbers)
        if len(wanted) > cards.shape[1]:
            return None
        sought = np.full(cards.shape[1], NO_CARD, np.uint8)
        sought[: len(wanted)] = wanted
        rows = np.flatnonzero((np.sort(cards, axis=1) == sought).all(axis=1))
        return int(rows[0]) if rows.size else None
