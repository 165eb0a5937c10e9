"""Naive Spades: bids of both partners, nil, bags, and a match to 500 points, from the text of its rules.

Cards are two letters, suit and rank: "S2", "HT". Seats 0 and 2 play against 1 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

RANKS = "23456789TJQKA"


def strength(card: str, led: str) -> tuple[int, int]:
    """How high a card is in a trick: spades, then the suit led, then nothing."""
    return (2 if card[0] == "S" else 1 if card[0] == led else 0), RANKS.index(card[1])


@dataclass
class Round:
    """A deal: four bids from the seat after the dealer on, then thirteen tricks."""

    hands: list[list[str]]
    dealer: int
    bids: dict[int, int] = field(default_factory=dict)
    trick: list[tuple[int, str]] = field(default_factory=list)
    tricks: list[int] = field(default_factory=lambda: [0] * 4)
    spade_laid: bool = False

    def __post_init__(self) -> None:
        self.turn = (self.dealer + 1) % 4

    def bid(self, number: int) -> None:
        """Take the bid of the seat in turn."""
        assert 0 <= number <= 13
        assert self.turn not in self.bids
        self.bids[self.turn] = number
        self.turn = (self.turn + 1) % 4

    def choices(self) -> list[str]:
        """Return the legal cards of the seat in turn."""
        assert len(self.bids) == 4
        hand = self.hands[self.turn]
        if self.trick:
            return [card for card in hand if card[0] == self.trick[0][1][0]] or hand
        plain = [card for card in hand if card[0] != "S"]
        return hand if self.spade_laid or not plain else plain

    def play(self, card: str) -> None:
        """Play a card for the seat in turn."""
        assert card in self.choices()
        self.hands[self.turn].remove(card)
        self.trick.append((self.turn, card))
        self.spade_laid |= card[0] == "S"
        self.turn = (self.turn + 1) % 4
        if len(self.trick) == 4:
            led = self.trick[0][1][0]
            self.turn = max(self.trick, key=lambda laid: strength(laid[1], led))[0]
            self.tricks[self.turn] += 1
            self.trick = []

    @property
    def is_over(self) -> bool:
        return not any(self.hands)

    def score(self, bags: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return what each side wins, and the bags that it has afterwards, of those before the deal."""
        won, left = [0, 0], list(bags)
        for side in (0, 1):
            seats = (side, side + 2)
            contract = sum(self.bids[seat] for seat in seats)
            taken = sum(self.tricks[seat] for seat in seats)
            if taken >= contract:
                won[side] += 10 * contract + (taken - contract)
                left[side] += taken - contract
                while left[side] >= 10:
                    left[side] -= 10
                    won[side] -= 100
            else:
                won[side] -= 10 * contract
            for seat in seats:
                if self.bids[seat] == 0:
                    won[side] += -100 if self.tricks[seat] else 100
        return won, left


def is_decided(totals: Sequence[int]) -> bool:
    """Return True if a match is over: a side has 500 points, or has lost 200."""
    return any(total >= 500 or total <= -200 for total in totals)
