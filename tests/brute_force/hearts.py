"""Naive hearts: three cards are passed, hearts must be broken, and points are bad.

Cards are two letters, suit and rank. Rounds pass to the left (the next seat), to the right, across, and not at all, in
turn. The two of clubs leads the first trick; no trumps. A heart is one point, the queen of spades thirteen. A
seat that takes all 26 has none, and the others have 26 each. The match is over at 100 points; the fewest points win.

Where customs differ: the queen may be led and discarded at any time after the first trick and does not break hearts;
to the first trick a hand may discard points only if it holds nothing else; a hand of nothing but hearts may lead one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

RANKS = "23456789TJQKA"
PACK = tuple(suit + rank for suit in "CDHS" for rank in RANKS)
FIRST, QUEEN = "C2", "SQ"
PASSES = (1, 3, 2, 0)  # how many seats on, by round: left, right, across, hold


def points(cards: Sequence[str]) -> int:
    """A point a heart, thirteen for the queen of spades.

    >>> points(["H2", "SQ", "SA"]), points(PACK)
    (14, 26)
    """
    return sum(1 if card[0] == "H" else 13 if card == QUEEN else 0 for card in cards)


def legal(hand: Sequence[str], trick: Sequence[str], first: bool, broken: bool) -> list[str]:
    """Return the legal cards; ``first``: in the first trick; ``broken``: a heart has been played.

    >>> legal(["C2", "S3"], [], True, False), legal(["H2", "S3"], [], False, False), legal(["H2"], [], False, False)
    (['C2'], ['S3'], ['H2'])
    >>> legal(["H2", "SQ", "S3"], ["C2"], True, False), legal(["H2", "SQ"], ["C2"], True, False)
    (['S3'], ['H2', 'SQ'])
    """
    if not trick:
        if first:
            return [FIRST]
        return [card for card in hand if broken or card[0] != "H"] or list(hand)
    following = [card for card in hand if card[0] == trick[0][0]]
    harmless = [card for card in hand if not points([card])] if first else []
    return following or harmless or list(hand)


def best(trick: Sequence[str]) -> int:
    """The place of the card that takes the trick: the highest of the suit led."""
    return max(range(len(trick)), key=lambda place: (trick[place][0] == trick[0][0], RANKS.index(trick[place][1])))


def score(taken: Sequence[int]) -> list[int]:
    """The points of a round by what each seat took: all 26 are 26 for the others.

    >>> score([1, 25, 0, 0]), score([0, 26, 0, 0])
    ([1, 25, 0, 0], [26, 0, 26, 26])
    """
    return [0 if number else 26 for number in taken] if 26 in taken else list(taken)


@dataclass
class Round:
    """A referee of one round: hands dealt; ``give`` three cards a seat unless none are passed, then ``play``."""

    hands: list[list[str]]
    number: int = 0  # of the round in the match
    given: dict[int, list[str]] = field(default_factory=dict)  # by seat, until all have chosen
    trick: list[str] = field(default_factory=list)
    played: int = 0
    broken: bool = False
    taken: list[int] = field(default_factory=lambda: [0] * 4)

    def __post_init__(self) -> None:
        self.step = PASSES[self.number % 4]
        self.passing, self.turn = self.step > 0, 0
        if not self.passing:
            self._start()

    def _start(self) -> None:
        self.passing = False
        self.turn = next(seat for seat, hand in enumerate(self.hands) if FIRST in hand)

    def give(self, cards: Sequence[str]) -> None:
        """Pass three cards of each seat in turn; they arrive after all seats have passed."""
        hand = self.hands[self.turn]
        if not self.passing or len(set(cards)) != 3 or not set(cards) <= set(hand):
            raise ValueError(f"seat {self.turn} may not give {' '.join(cards)}")
        self.given[self.turn] = list(cards)
        self.turn += 1
        if self.turn == 4:
            for seat, gift in self.given.items():
                self.hands[seat] = [card for card in self.hands[seat] if card not in gift]
            for seat, gift in self.given.items():
                self.hands[(seat + self.step) % 4] += gift
            self._start()

    def choices(self) -> list[str]:
        return legal(self.hands[self.turn], self.trick, self.played < 4, self.broken)

    def play(self, card: str) -> None:
        if self.passing or card not in self.choices():
            raise ValueError(f"seat {self.turn} may not play {card}")
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        self.played += 1
        self.broken |= card[0] == "H"
        self.turn = (self.turn + 1) % 4
        if len(self.trick) == 4:
            self.turn = (self.turn + best(self.trick)) % 4
            self.taken[self.turn] += points(self.trick)
            self.trick = []

    @property
    def result(self) -> list[int] | None:
        """The points by seat; None while the round goes on."""
        return score(self.taken) if self.played == 52 else None


@dataclass
class Match:
    """Rounds until a seat has 100 points."""

    totals: list[int] = field(default_factory=lambda: [0] * 4)
    rounds: int = 0

    def end_round(self, result: Sequence[int]) -> None:
        self.totals = [total + more for total, more in zip(self.totals, result, strict=True)]
        self.rounds += 1

    @property
    def winners(self) -> list[int] | None:
        """The seats with the fewest points, once it is over."""
        if max(self.totals) < 100:
            return None
        return [seat for seat, total in enumerate(self.totals) if total == min(self.totals)]


def random_round(seed: int, number: int = 0) -> Round:
    """A whole round of legal cards drawn at random."""
    rng = Random(seed)
    pack = rng.sample(PACK, 52)
    one = Round([pack[seat::4] for seat in range(4)], number)
    while one.passing:
        one.give(rng.sample(one.hands[one.turn], 3))
    while one.result is None:
        one.play(rng.choice(one.choices()))
    return one
