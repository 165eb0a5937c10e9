"""Naive Gong Zhu 拱猪: cards are shown before the play, hearts and the pig are bad, the sheep is good.

Cards are two letters, suit and rank. The pig is the queen of spades (-100), the sheep the jack of diamonds (+100), the
transformer the ten of clubs: it doubles everything else that its taker has, or is 50 where he has nothing else that
counts. Hearts are -50 (ace), -40, -30, -20, then -10 each down to the five; below that they count nothing. All
thirteen are +200, and with pig and sheep the pig is +100 as well.

Before the first trick each seat in turn may show the pig, the sheep, the transformer, and the ace of hearts, which
stands for all hearts. What is shown counts twice, and the transformer doubles twice. A shown card may not be laid when
its suit is led for the first time, unless its holder has no other card of the suit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

RANKS = "23456789TJQKA"
PACK = tuple(suit + rank for suit in "CDHS" for rank in RANKS)
FIRST, PIG, SHEEP, TRANSFORMER, REDS = "C2", "SQ", "DJ", "CT", "HA"
SHOWABLE = (PIG, SHEEP, TRANSFORMER, REDS)
HEARTS = {"HA": 50, "HK": 40, "HQ": 30, "HJ": 20, **{f"H{rank}": 10 for rank in "56789T"}}
ALL_HEARTS = {f"H{rank}" for rank in RANKS}
ENOUGH = "enough"


def score(taken: set[str], shown: set[str]) -> int:
    """Return the points of a seat.

    >>> score({"H5", "HA"}, set()), score({"H5", "HA"}, {"HA"}), score({"H2", "CT"}, set()), score({"CT"}, {"CT"})
    (-60, -120, 50, 100)
    >>> score({"SQ", "CT"}, {"CT"}), score({"DJ"}, {"DJ"}), score(ALL_HEARTS, {"HA"}), score(set(PACK), set())
    (-400, 200, 400, 800)
    """
    total, counts = 0, False
    hearts = sum(HEARTS.get(card, 0) for card in taken)
    if hearts:
        sign = 1 if taken >= ALL_HEARTS else -1
        total, counts = sign * hearts * (2 if REDS in shown else 1), True
    if PIG in taken:
        good = taken >= ALL_HEARTS and SHEEP in taken
        total, counts = total + (100 if good else -100) * (2 if PIG in shown else 1), True
    if SHEEP in taken:
        total, counts = total + 100 * (2 if SHEEP in shown else 1), True
    if TRANSFORMER in taken:
        times = 4 if TRANSFORMER in shown else 2
        total = total * times if counts else 25 * times
    return total


def best(trick: Sequence[str]) -> int:
    """The place of the card that takes the trick: the highest of the suit led."""
    return max(range(len(trick)), key=lambda place: (trick[place][0] == trick[0][0], RANKS.index(trick[place][1])))


@dataclass
class Round:
    """A referee of one deal."""

    hands: list[list[str]]
    pig_holder: int | None = None  # who took the pig in the deal before
    shown: set[str] = field(default_factory=set)
    trick: list[str] = field(default_factory=list)
    led: set[str] = field(default_factory=set)  # suits of the tricks before this one
    played: int = 0

    def __post_init__(self) -> None:
        self.showing, self.turn = True, 0
        self.taken = [set[str]() for _ in self.hands]

    def options(self) -> list[str]:
        """Return what the seat may show, and the end of showing."""
        return [card for card in SHOWABLE if card in self.hands[self.turn] and card not in self.shown] + [ENOUGH]

    def show(self, what: str) -> None:
        """Show a card, or end it for this seat."""
        if not self.showing or what not in self.options():
            raise ValueError(f"seat {self.turn} may not show {what}")
        if what != ENOUGH:
            self.shown.add(what)
            return
        self.turn += 1
        if self.turn == 4:
            self.showing = False
            holder = next(seat for seat, hand in enumerate(self.hands) if FIRST in hand)
            self.turn = holder if self.pig_holder is None else self.pig_holder

    def choices(self) -> list[str]:
        """Return the legal cards."""
        hand = self.hands[self.turn]
        if not self.trick:
            return [card for card in hand if not self._kept(card)]
        following = [card for card in hand if card[0] == self.trick[0][0]]
        return [card for card in following if not self._kept(card)] or hand

    def _kept(self, card: str) -> bool:
        others = [other for other in self.hands[self.turn] if other[0] == card[0] and other != card]
        return card in self.shown and card[0] not in self.led and bool(others)

    def play(self, card: str) -> None:
        """Lay a card."""
        if self.showing or card not in self.choices():
            raise ValueError(f"seat {self.turn} may not play {card}")
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        self.played += 1
        self.turn = (self.turn + 1) % 4
        if len(self.trick) == 4:
            self.turn = (self.turn + best(self.trick)) % 4
            self.taken[self.turn] |= set(self.trick)
            self.led.add(self.trick[0][0])
            self.trick = []

    @property
    def result(self) -> list[int] | None:
        """The points by seat; None while the deal goes on."""
        return [score(taken, self.shown) for taken in self.taken] if self.played == 52 else None


@dataclass
class Match:
    """Deals until a seat has won or lost a thousand."""

    totals: list[int] = field(default_factory=lambda: [0] * 4)

    def end_round(self, result: Sequence[int]) -> None:
        """Add the points of a deal."""
        self.totals = [total + more for total, more in zip(self.totals, result, strict=True)]

    @property
    def over(self) -> bool:
        """Return True at a thousand of either sign."""
        return any(abs(total) >= 1000 for total in self.totals)
