"""Naive 510K: plays, bombs, and the points in the tricks, from the text of its rules.

Cards are two letters, suit and rank: "S2", "HT"; the jokers are "sj" and "bj". Seats 0 and 2 play against 1 and 3.

Or the holder of the three of hearts calls a two that it does not hold, and the holder of that card is its partner; or
it plays alone against three, for three times the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from tests.brute_force.hands import Cards, Sets
from tests.brute_force.turns import Course

ORDER = [*"3456789TJQKA2", "sj", "bj"]
SUITS = "DCHS"
PACK = (*(suit + rank for rank in ORDER[:13] for suit in SUITS), "sj", "bj")
WORTH = {"5": 5, "T": 10, "K": 10}
SHORTEST = {1: 5, 2: 3, 3: 2}
"""Fewest ranks of a run of singles, pairs, threes."""

Shape = tuple[object, ...]


def rank_text(card: str) -> str:
    return card if card in ("sj", "bj") else card[1]


def rank_of(card: str) -> int:
    return ORDER.index(rank_text(card))


def worth(cards: Iterable[str]) -> int:
    """The points of cards: five for a five, ten for a ten or a king."""
    return sum(WORTH.get(rank_text(card), 0) for card in cards)


def classify(laid: Cards) -> tuple[Shape, int, int] | None:
    """Return the shape of cards, the class of a bomb (0 for none), and the strength; None for no play."""
    ranks = sorted(map(rank_of, laid))
    texts = sorted(map(rank_text, laid))
    if laid == {"sj", "bj"}:
        return ("jokers",), 4, 0
    if texts == ["5", "K", "T"]:
        suits = {card[0] for card in laid}
        return (("suited",), 2, SUITS.index(suits.pop())) if len(suits) == 1 else (("fifty",), 1, 0)
    if len(set(ranks)) == 1:
        return (("four",), 3, ranks[0]) if len(ranks) == 4 else (("set", len(ranks)), 0, ranks[0])
    size = ranks.count(ranks[0])
    kinds = sorted(set(ranks))
    even = all(ranks.count(rank) == size for rank in kinds)
    neighbours = kinds == list(range(kinds[0], kinds[-1] + 1)) and kinds[-1] <= ORDER.index("A")
    if even and neighbours and len(kinds) >= SHORTEST.get(size, 99):
        return ("run", size, len(kinds)), 0, kinds[-1]
    return None


def candidates(hand: Cards) -> Iterator[Cards]:
    """Yield sets of cards that may be plays: equal cards, as many of neighbouring ranks, 5-10-K, jokers."""
    by_rank = [sorted(card for card in hand if rank_of(card) == rank) for rank in range(len(ORDER))]
    for size in range(1, 5):
        for first in range(len(ORDER)):
            for last in range(first, len(ORDER)):
                if size * (last - first + 1) <= len(hand):
                    for groups in product(*(combinations(by_rank[rank], size) for rank in range(first, last + 1))):
                        yield frozenset(card for group in groups for card in group)
    for chosen in product(*(by_rank[ORDER.index(rank)] for rank in "5TK")):
        yield frozenset(chosen)


def beats(laid: Cards, rival: Cards | None) -> bool:
    """Return True if cards are a play that may follow another one, or be led."""
    mine = classify(laid)
    if mine is None or rival is None:
        return mine is not None
    other = classify(rival)
    assert other is not None
    if mine[1] != other[1]:
        return mine[1] > other[1]
    return mine[0] == other[0] and mine[2] > other[2]


def plays(hand: Cards, to_beat: Cards | None = None) -> Sets:
    """Return the legal sets of cards of a hand by label, without the pass."""
    found: Sets = {}
    for laid in set(candidates(hand)):
        if beats(laid, to_beat):
            shape = classify(laid)
            assert shape is not None
            found.setdefault((shape[0], shape[2]), set()).add(laid)
    return found


@dataclass
class Game:
    """A referee that receives each play, and keeps the points; ``called`` is a two, or empty for who plays alone."""

    hands: list[set[str]]
    called: str | None = None  # None where partners sit opposite
    course: Course = field(default_factory=lambda: Course(4))
    to_beat: Cards | None = None
    owner: int = -1
    pot: int = 0

    def __post_init__(self) -> None:
        (self.turn,) = (seat for seat in range(4) if "H3" in self.hands[seat])
        self.first_side = {0, 2}
        if self.called is not None:
            assert self.called not in self.hands[self.turn]
            self.first_side = {self.turn, *(seat for seat in range(4) if self.called in self.hands[seat])}
        self.taken = [0] * 4 if self.called is not None else [0, 0]  # by seat, or by side

    @property
    def sides(self) -> tuple[set[int], set[int]]:
        return self.first_side, set(range(4)) - self.first_side

    def choices(self) -> tuple[Sets, bool]:
        """Return the legal sets of cards, and whether passing is legal."""
        return plays(frozenset(self.hands[self.turn]), self.to_beat), self.to_beat is not None

    def play(self, cards: Sequence[str]) -> None:
        """Apply a play, or a pass without cards."""
        seat = self.turn
        if cards:
            assert beats(frozenset(cards), self.to_beat)
            self.hands[seat] -= set(cards)
            self.to_beat, self.owner = frozenset(cards), seat
            self.pot += worth(cards)
        self.turn, leads = self.course.act(seat, not cards, len(self.hands[seat]))
        if leads or self.is_over:
            self.taken[self.owner % len(self.taken)] += self.pot
            self.to_beat, self.pot = None, 0

    @property
    def is_over(self) -> bool:
        return any(side <= set(self.course.gone) for side in self.sides)

    @property
    def points(self) -> list[int] | None:
        """Return the points of each seat, those of its side less those of the other; None while the game goes on."""
        if not self.is_over:
            return None
        ours, theirs = self.sides
        totals = [0, 0]
        for heap, amount in enumerate(self.taken):  # heaps 0 and 1 are those of seats 0 and 2, 1 and 3
            totals[heap in theirs] += amount
        for seat, hand in enumerate(self.hands):
            totals[seat in ours] += worth(hand)
        first = totals[0] - totals[1]
        return [(3 * first if len(ours) == 1 else first) if seat in ours else -first for seat in range(4)]
