"""The two packs, what is trump, and the order of the cards (§1, §2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise, product

Cards = tuple[str, ...]

RANKS = "23456789TJQKA"
SUITS = "SHCD"
SMALL, BIG = "SB", "HR"
JOKERS = (SMALL, BIG)
NONE = "N"  # for a trump suit: no-trump
TRUMP = "T"  # for the suit of a card: it is trump
KINDS = (*(suit + rank for suit in SUITS for rank in RANKS), *JOKERS)
PACK = tuple(sorted(2 * KINDS))


def points(cards: Iterable[str]) -> int:
    """5 for a five, 10 for a ten and for a king; jokers none.

    >>> points(["S5", "HT", "CK", "HR", "SA"]), points(PACK)
    (25, 200)
    """
    return sum({"5": 5, "T": 10, "K": 10}.get(card[1], 0) for card in cards)


def held(cards: Sequence[str], hand: Iterable[str]) -> bool:
    """Return True if the hand contains these cards, counted with multiplicity."""
    return not Counter(cards) - Counter(hand)


def without(hand: Iterable[str], cards: Iterable[str]) -> list[str]:
    """The hand less these cards."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return left


def subsets(cards: Iterable[str], size: int) -> Iterator[Cards]:
    """Yield every different multiset of so many cards.

    >>> list(subsets(["S3", "S3", "S4"], 2))
    [('S3', 'S3'), ('S3', 'S4')]
    """
    counts = sorted(Counter(cards).items())

    def choose(place: int, left: int) -> Iterator[Cards]:
        if not left:
            yield ()
        elif place < len(counts):
            card, most = counts[place]
            for number in range(min(most, left), -1, -1):
                for tail in choose(place + 1, left - number):
                    yield (card,) * number + tail

    return choose(0, size)


class Order:
    """Order of the pack for a level and a trump suit ("N" for none); ``chains``: high trumps form tractors."""

    def __init__(self, level: str, trump: str, chains: bool) -> None:
        self.level, self.trump, self.chains = level, trump, chains
        self.suits = {card: self._suit(card) for card in KINDS}
        self.strengths = {card: self._strength(card) for card in KINDS}

    def _suit(self, card: str) -> str:
        trump = card in JOKERS or self.level == card[1] or self.trump == card[0]
        return TRUMP if trump else card[0]

    def _strength(self, card: str) -> int:
        """0 … 11 without the level, 12 a level card, 13 that of the trump suit, then the jokers."""
        if card in JOKERS:
            return (13 if self.trump == NONE else 14) + JOKERS.index(card)
        if card[1] == self.level:
            return 13 if card[0] == self.trump else 12
        return RANKS.replace(self.level, "").index(card[1])

    def of_suit(self, cards: Iterable[str], suit: str) -> list[str]:
        return [card for card in cards if self.suits[card] == suit]

    def one_suit(self, cards: Iterable[str]) -> str | None:
        """The suit that all the cards have, TRUMP for trumps; None where there are two."""
        suits = {self.suits[card] for card in cards}
        return suits.pop() if len(suits) == 1 else None

    def pairs(self, cards: Iterable[str]) -> list[str]:
        """The cards that are there twice, low to high, equal ones in the order of the suits."""
        counts = Counter(cards)
        twice = [card for card in counts if counts[card] == 2]
        return sorted(twice, key=lambda card: (self.strengths[card], SUITS.index(card[0])))

    @cached_property
    def neighbours(self) -> set[tuple[int, int]]:
        """The strengths that are adjacent in a tractor: (lower, higher)."""
        jokers = self.strengths[SMALL], self.strengths[BIG]
        last = jokers[1] if self.chains else 11
        return {(low, low + 1) for low in range(last)} | {jokers}

    def runs(self, paired: Sequence[str], length: int) -> list[Cards]:
        """Return every run of a number of adjacent pairs of one suit (see ``pairs``), each as one card a pair.

        >>> Order("6", "H", chains=False).runs(["S4", "S5", "S7", "S9"], 3)
        [('S4', 'S5', 'S7')]
        """
        all_runs = []
        for low in sorted({self.strengths[card] for card in paired}):
            steps = [low + step for step in range(length)]
            if all(step in self.neighbours for step in pairwise(steps)):
                all_runs += list(
                    product(*([card for card in paired if self.strengths[card] == step] for step in steps))
                )
        return all_runs

    def longest_run(self, paired: Sequence[str]) -> int:
        """The number of pairs of the longest tractor among these pairs of one suit; 0 for none."""
        return max((length for length in range(2, len(paired) + 1) if self.runs(paired, length)), default=0)


def is_run(order: Order, paired: Sequence[str]) -> bool:
    """Return True if these pairs of one suit are one tractor; a slower check of ``runs``."""
    strengths = sorted(order.strengths[card] for card in paired)
    return len(paired) > 1 and all(step in order.neighbours for step in pairwise(strengths))


def runs_by_subsets(order: Order, paired: Sequence[str], length: int) -> set[frozenset[str]]:
    """``runs`` again, by trying every choice of pairs."""
    return {frozenset(chosen) for chosen in combinations(paired, length) if is_run(order, chosen)}


def from_botzone(number: int) -> str:
    """The card of a Botzone id, 0 … 107.

    >>> [from_botzone(number) for number in (0, 7, 61, 36, 52, 107)]
    ['SA', 'D2', 'D2', 'ST', 'SB', 'HR']
    """
    place = number % 54
    return JOKERS[place - 52] if place >= 52 else "SHCD"[place % 4] + "A23456789TJQK"[place // 4]
