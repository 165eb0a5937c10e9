"""An independent reading of Tien Len, slow and plain, from the text of its rules; south, or north by ``suited``.

Every part of a hand with as many cards of each of some neighbouring ranks is tried: is it a play, and does it beat what
lies there. Spades are the lowest suit, then clubs, diamonds, hearts. In the north a single is beaten in its suit, pairs
and rows of pairs have one colour, runs have one suit, a two beats any other single and a pair of twos any other pair,
and the last cards may be twos only when led one by one.

A bomb is three or more pairs in a row, or four of a rank. From low to high: three pairs, four of a rank, four pairs,
five, six. Three pairs chop one two; four of a rank and four pairs one or two of them, longer rows up to three. A bomb
laid on twos or on a bomb is a chop. Who was chopped last in a trick pays the last chopper for all chops of the trick.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from tests.brute_force.hands import Cards, Counts, Sets, card_sets, counts_of, rank_of
from tests.brute_force.turns import Course

SUITS = "SCDH"
ACE, TWO = 11, 12
FIRST = "S3"
PLACES = (2, 1, -1, -2)


@dataclass(frozen=True)
class Shape:
    """A play: equal cards in consecutive ranks, and its highest card by rank and suit."""

    each: int
    length: int
    top: tuple[int, int]
    suits: str  # of the highest rank, from low to high

    @property
    def bomb(self) -> int:
        """The class of a bomb, from 1; 0 of another play."""
        if self.each == 4:
            return 2
        return 0 if self.each != 2 or self.length < 3 else 1 if self.length == 3 else self.length - 1

    @property
    def twos(self) -> int:
        """The number of twos of a single, a pair or three of them."""
        return self.each if self.top[0] == TWO and self.each < 4 else 0


def _one_colour(suits: Sequence[str]) -> bool:
    return set(suits) <= set("SC") or set(suits) <= set("DH")


@lru_cache(1 << 18)
def classify(laid: Cards, suited: bool = False) -> Shape | None:
    """Return the shape of the cards, or None for no play."""
    ranks = sorted({rank_of(card) for card in laid})
    by_rank = [sorted((card[0] for card in laid if rank_of(card) == rank), key=SUITS.index) for rank in ranks]
    each, length = len(by_rank[0]), len(ranks)
    if any(len(suits) != each for suits in by_rank):
        return None
    if length > 1 and (ranks[-1] - ranks[0] + 1 != length or ranks[-1] > ACE or length < 3 or each > 2):
        return None
    suits = [suit for group in by_rank for suit in group]
    if suited and ((each == 2 and not _one_colour(suits)) or (each == 1 and len(set(suits)) > 1)):
        return None
    top = by_rank[-1]
    return Shape(each, length, (ranks[-1], SUITS.index(top[-1])), "".join(top))


def beats(one: Shape, other: Shape, suited: bool = False) -> bool:
    """Return True if ``one`` may be laid on ``other``."""
    if one.bomb and other.twos:
        return other.twos <= (1, 2, 2, 3, 3)[one.bomb - 1]
    if one.bomb and one.bomb > other.bomb and other.bomb:
        return True
    if (one.each, one.length) != (other.each, other.length):
        return False
    if not suited or one.each > 2 or one.bomb:
        return one.top > other.top
    if one.length == 1 and one.top[0] == TWO:
        return one.top > other.top
    same = one.suits == other.suits if one.each == 1 else _one_colour(one.suits + other.suits)
    return same and one.top[0] > other.top[0]


def _even_parts(counts: Counts) -> Iterator[Counts]:
    """Yield the parts of a hand with as many cards of each of some neighbouring ranks, as counts of ranks."""
    for first, last in combinations(range(len(counts) + 1), 2):
        for each in range(1, min(counts[first:last]) + 1):
            yield tuple(each if first <= rank < last else 0 for rank in range(len(counts)))


def plays(hand: Cards, to_beat: Cards | None = None, opening: bool = False, suited: bool = False) -> Sets:
    """Return the legal sets of cards of a hand by shape, without the pass."""
    rival, sets = classify(to_beat, suited) if to_beat else None, Sets()
    for part in _even_parts(counts_of(hand)):
        for cards in card_sets(hand, part):
            shape = classify(cards, suited)
            if shape is None or (rival and not beats(shape, rival, suited)) or (opening and FIRST not in cards):
                continue
            if suited and cards == hand and shape.top[0] == TWO and (rival or len(hand) > 1):
                continue
            label = shape.top if shape.each < 3 else shape.top[0]
            sets.setdefault((shape.each, shape.length, label), set()).add(cards)
    return sets


def price(cards: Cards) -> int:
    """Return what these twos, or this bomb, cost when they are chopped; 0 for other plays."""
    shape = classify(cards)
    assert shape
    if shape.bomb:
        return shape.bomb + 2
    return (0, two_prices(cards), two_prices(cards), 5)[shape.twos]


def two_prices(cards: Cards) -> int:
    """One for a black two, two for a red one."""
    return sum(1 if card[0] in "SC" else 2 for card in cards if card[1] == "2")


@dataclass
class Round:
    """A referee of one deal."""

    hands: list[set[str]]
    suited: bool = False
    points: list[int] = field(default_factory=lambda: [0] * 4)
    to_beat: Cards | None = None
    chops: list[int] = field(default_factory=list)  # prices in this trick
    debtor: int = -1
    fresh: bool = True

    def __post_init__(self) -> None:
        self.course = Course(4, locks=True)
        self.turn = next(seat for seat, hand in enumerate(self.hands) if FIRST in hand)

    def choices(self) -> set[Cards]:
        """Return the legal plays; the pass is the empty set."""
        sets = plays(frozenset(self.hands[self.turn]), self.to_beat, self.fresh, self.suited)
        legal = {cards for group in sets.values() for cards in group}
        return legal | {frozenset()} if self.to_beat else legal

    def play(self, cards: Cards) -> None:
        """Lay down cards, or pass with none."""
        seat, self.fresh = self.turn, False
        shape = classify(cards, self.suited) if cards else None
        if shape:
            if shape.bomb and self.to_beat and price(self.to_beat):
                self.chops.append(price(self.to_beat))
                self.debtor = self.course.owner
            self.to_beat = cards
            self.hands[seat] -= cards
        self.turn, leads = self.course.act(seat, not cards, len(self.hands[seat]))
        if leads or self.over:
            self.points[self.course.owner] += sum(self.chops)
            self.points[self.debtor] -= sum(self.chops)
            self.chops, self.to_beat = [], None
        if self.over:
            self._pay()

    @property
    def over(self) -> bool:
        """Return True when three seats are out."""
        return len(self.course.gone) == 3

    def _pay(self) -> None:
        (last,) = (seat for seat in range(4) if seat not in self.course.gone)
        for place, seat in enumerate([*self.course.gone, last]):
            self.points[seat] += PLACES[place]
        left = two_prices(frozenset(self.hands[last]))
        self.points[last] -= left
        self.points[self.course.gone[0]] += left
