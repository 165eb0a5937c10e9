"""The exchange of cards between two episodes 进贡、还贡: as tables keep it, and as players are told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.guandan.expansion import NO_CARD
from abl_cards.games.tables import Indices

Gift = tuple[int, int, int]
"""A card given: from, to, card; the seats of a record, or places at a table."""


@dataclass(frozen=True)
class Gifts:
    """What messages or a record tell of the exchange before an episode."""

    anti: tuple[int, ...] = ()  # the seats whose big jokers refuse it
    tribute: tuple[Gift, ...] = ()
    back: tuple[Gift, ...] = ()


class Exchange(NamedTuple):
    """The tribute before an episode at n tables; the k-th payer has the k-th card and receiver."""

    payer: NDArray[np.int8]  # [n, 2] seats in the order they are asked, -1 for none
    paid: NDArray[np.uint8]  # [n, 2] cards, 255 while open
    receiver: NDArray[np.int8]  # [n, 2] seats, -1 while open
    returned: NDArray[np.uint8]  # [n, 2] cards, 255 while open
    refused: NDArray[np.uint8]  # [n] the payers whose big jokers refuse the tribute 抗贡, as bits; 0 when it is paid
    leader: NDArray[np.int8]  # [n] who leads the episode, -1 while the tribute decides it

    def at(self, which: Indices) -> Exchange:
        """That of some tables."""
        return Exchange(
            self.payer[which], self.paid[which], self.receiver[which], self.returned[which], self.refused[which],
            self.leader[which],
        )  # fmt: skip


def exchange_of(accounts: Sequence[Gifts]) -> Exchange:
    """The exchanges that players have been told of."""
    n = len(accounts)
    seats, cards = np.full((2, n, 2), -1, np.int8), np.full((2, n, 2), NO_CARD, np.uint8)
    exchange = Exchange(seats[0], cards[0], seats[1], cards[1], np.zeros(n, np.uint8), np.full(n, -1, np.int8))
    for row, told in enumerate(accounts):
        exchange.refused[row] = sum(1 << seat for seat in set(told.anti))
        for place, (payer, receiver, card) in enumerate(told.tribute[:2]):
            exchange.payer[row, place], exchange.receiver[row, place] = payer, receiver
            exchange.paid[row, place] = card
            exchange.returned[row, place] = next((back for _, to, back in told.back if to == payer), NO_CARD)
    return exchange
