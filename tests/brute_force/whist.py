"""Naive whist: a trump turned up, follow suit, thirteen tricks for two sides.

Cards are two letters, suit and rank: "S2", "HT". Seats 0 and 2 play against 1 and 3. The pack is dealt one card at a
time from the seat after the dealer on, so that the last card is the dealer's: it is shown, and its suit is trump. The
seat after the dealer leads. Each trick over six is a point for its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

RANKS = "23456789TJQKA"
PACK = tuple(suit + rank for suit in "CDHS" for rank in RANKS)


def legal(hand: Sequence[str], trick: Sequence[str]) -> list[str]:
    """Return the legal cards: of the suit led if the hand has one, else any.

    >>> legal(["S2", "H3", "H4"], ["HA", "S3"])
    ['H3', 'H4']
    """
    return [card for card in hand if trick and card[0] == trick[0][0]] or list(hand)


def best(trick: Sequence[str], trump: str) -> int:
    """The place of the card that takes the trick: the highest trump, else the highest of the suit led.

    >>> best(["H3", "HA", "S2", "S3"], "S"), best(["H3", "DA", "S2", "H4"], "C")
    (3, 3)
    """
    return max(
        range(len(trick)),
        key=lambda place: (trick[place][0] == trump, trick[place][0] == trick[0][0], RANKS.index(trick[place][1])),
    )


def deal(pack: Sequence[str], dealer: int) -> list[list[str]]:
    """The hands, one card at a time from the seat after the dealer on."""
    return [list(pack[(seat - dealer - 1) % 4 :: 4]) for seat in range(4)]


@dataclass
class Game:
    """A referee that receives each played card and raises ValueError for an illegal one."""

    pack: Sequence[str]
    dealer: int = 0
    trick: list[str] = field(default_factory=list)
    tricks: list[int] = field(default_factory=lambda: [0, 0])  # taken, by side

    def __post_init__(self) -> None:
        if sorted(self.pack) != sorted(PACK):
            raise ValueError("this is not the pack")
        self.hands = deal(self.pack, self.dealer)
        self.trump = self.pack[-1][0]
        self.turn = (self.dealer + 1) % 4

    @property
    def points(self) -> list[int] | None:
        """Tricks over six by seat; None while the game goes on."""
        if any(self.hands):
            return None
        return [max(0, self.tricks[seat % 2] - 6) for seat in range(4)]

    def choices(self) -> list[str]:
        return legal(self.hands[self.turn], self.trick)

    def play(self, card: str) -> None:
        if card not in self.choices():
            raise ValueError(f"seat {self.turn} may not play {card}")
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        self.turn = (self.turn + 1) % 4
        if len(self.trick) == 4:
            self.turn = (self.turn + best(self.trick, self.trump)) % 4
            self.tricks[self.turn % 2] += 1
            self.trick = []


def random_game(seed: int) -> Game:
    """A whole game of legal cards drawn at random."""
    rng = Random(seed)
    game = Game(rng.sample(PACK, 52), rng.randrange(4))
    while game.points is None:
        game.play(rng.choice(game.choices()))
    return game
