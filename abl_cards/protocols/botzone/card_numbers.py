"""Mapping between Botzone's card numbers and the kinds of cards of a rule folder."""

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
    """Numbering 0, 1, 2, … of the cards of a pack."""

    kind_of: tuple[int, ...]  # [cards] kind of each number

    def read_cards(self, response: Any, held: Collection[int], seat: int) -> list[int]:
        """Return the card numbers of a response of a seat; raises Fault if the seat does not hold them."""
        if not isinstance(response, list) or any(type(card) is not int for card in response):
            raise Fault(faults.INVALID_FORMAT, f"{quote_json(response)} is no list of cards")
        if any(not 0 <= card < len(self.kind_of) for card in response):
            raise Fault(faults.INVALID_CARD, f"{quote_json(response)} are not all cards")
        if len(set(response)) < len(response) or not set(response) <= set(held):
            raise Fault(faults.NOT_HELD, f"{quote_json(response)} are not cards that seat {seat} holds")
        return response

    def find_numbers(self, kinds: Iterable[int], held: Sequence[int]) -> list[int]:
        """Return numbers of kinds among held ones; of equal kinds the first.

        >>> CardNumbering((0, 0, 1, 1)).find_numbers([1, 0], [1, 2, 3])
        [2, 1]
        """
        remaining, numbers = list(held), []
        for kind in kinds:
            number = next(candidate for candidate in remaining if self.kind_of[candidate] == kind)
            remaining.remove(number)
            numbers.append(number)
        return numbers

    def take_numbers(self, pool: list[int], counts: NDArray[np.integer]) -> list[int]:
        """Remove cards [kinds] from a pool of numbers; return their numbers in ascending order."""
        numbers = sorted(self.find_numbers(np.repeat(np.arange(len(counts)), counts).tolist(), pool))
        for number in numbers:
            pool.remove(number)
        return numbers

    def count_kinds(self, numbers: Iterable[int], num_kinds: int) -> NDArray[np.uint8]:
        """Return the number of cards of each kind, uint8 [kinds]."""
        kinds_of_cards = np.array([self.kind_of[number] for number in numbers], np.int64)
        return np.bincount(kinds_of_cards, minlength=num_kinds).astype(np.uint8)

    def find_row(self, numbers: Iterable[int], cards: NDArray[np.uint8]) -> int | None:
        """Return the row of the move in ``cards`` [moves, cards] with the cards of numbers; None if there is none."""
        kinds = sorted(self.kind_of[number] for number in numbers)
        if len(kinds) > cards.shape[1]:
            return None
        padded = np.full(cards.shape[1], NO_CARD, np.uint8)
        padded[: len(kinds)] = kinds
        rows = np.flatnonzero((np.sort(cards, axis=1) == padded).all(axis=1))
        return int(rows[0]) if rows.size else None
