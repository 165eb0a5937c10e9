"""Naive Gan Deng Yan: the next rank alone beats a play, and everybody draws after a trick, from the text of its rules.

Cards are two letters, suit and rank: "S2", "HT".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from tests.brute_force.hands import RANKS, Cards, Sets, rank_of
from tests.brute_force.turns import Course

ACE, TWO = RANKS.index("A"), RANKS.index("2")

Shape = tuple[str, int, int]
"""Shape of a play: equal cards or a run; how many cards of each rank; how many ranks."""


def classify(laid: Cards) -> tuple[Shape, int] | None:
    """Return the shape of cards and their highest rank; None for no play."""
    ranks = sorted(map(rank_of, laid))
    kinds, size = sorted(set(ranks)), ranks.count(ranks[0])
    if any(ranks.count(rank) != size for rank in kinds):
        return None
    if len(kinds) == 1:
        return ("equal", size, 1), ranks[0]
    neighbours = kinds[-1] - kinds[0] + 1 == len(kinds) and kinds[-1] <= ACE
    return (("run", size, len(kinds)), kinds[-1]) if neighbours and (size, len(kinds)) >= (1, 3) and size < 3 else None


def bomb(shape: Shape) -> int:
    """The class of a bomb: three of a rank 1, four 2; anything else 0."""
    return max(0, shape[1] - 2) if shape[0] == "equal" else 0


def beats(laid: Cards, rival: Cards | None) -> bool:
    """Return True if cards are a play that may follow another one, or be led."""
    mine, other = classify(laid), classify(rival) if rival else None
    if mine is None or other is None:
        return mine is not None
    (shape, rank), (other_shape, other_rank) = mine, other
    if bomb(shape) or bomb(other_shape):
        return (bomb(shape), rank) > (bomb(other_shape), other_rank) if bomb(shape) else False
    if shape != other_shape:
        return False
    return rank == other_rank + 1 or (shape[0] == "equal" and rank == TWO and rank > other_rank)


def candidates(hand: Cards) -> Iterator[Cards]:
    """Yield sets of cards with as many of each of some neighbouring ranks."""
    by_rank = [sorted(card for card in hand if rank_of(card) == rank) for rank in range(len(RANKS))]
    for size in range(1, 5):
        for first in range(len(RANKS)):
            for last in range(first, len(RANKS)):
                for groups in product(*(combinations(by_rank[rank], size) for rank in range(first, last + 1))):
                    yield frozenset(card for group in groups for card in group)


def plays(hand: Cards, to_beat: Cards | None = None) -> Sets:
    """Return the legal sets of cards of a hand by label, without the pass."""
    found: Sets = {}
    for laid in set(candidates(hand)):
        if beats(laid, to_beat):
            shape = classify(laid)
            assert shape is not None
            found.setdefault(shape, set()).add(laid)
    return found


@dataclass
class Game:
    """A referee with the order of the whole pack: the first cards are dealt, the others are the pile."""

    pack: Sequence[str]
    course: Course = field(default_factory=lambda: Course(4))
    to_beat: Cards | None = None
    turn: int = 0
    bombs: int = 0
    has_played: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.pile = list(self.pack)
        self.hands = [{self.pile.pop(0) for _ in range(6 if seat == 0 else 5)} for seat in range(4)]

    def choices(self) -> tuple[Sets, bool]:
        """Return the legal sets of cards, and whether passing is legal."""
        return plays(frozenset(self.hands[self.turn]), self.to_beat), self.to_beat is not None

    def play(self, cards: Sequence[str]) -> None:
        """Apply a play, or a pass without cards; after a trick everybody draws, its winner first."""
        seat = self.turn
        if cards:
            assert beats(frozenset(cards), self.to_beat)
            shape = classify(frozenset(cards))
            assert shape is not None
            self.bombs += bomb(shape[0]) > 0
            self.has_played.add(seat)
            self.hands[seat] -= set(cards)
            self.to_beat = frozenset(cards)
        self.turn, leads = self.course.act(seat, not cards, len(self.hands[seat]))
        if leads and self.points is None:
            self.to_beat = None
            for step in range(4):
                if self.pile:
                    self.hands[(self.turn + step) % 4].add(self.pile.pop(0))

    @property
    def points(self) -> list[int] | None:
        """Return the points of each seat; None while everybody has cards."""
        if all(self.hands):
            return None
        factor = 2 ** min(self.bombs, 3)
        paid = [len(hand) * factor * (1 if seat in self.has_played else 2) for seat, hand in enumerate(self.hands)]
        return [-paid[seat] if self.hands[seat] else sum(paid) for seat in range(4)]
