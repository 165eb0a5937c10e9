"""Random games of a few forms as rule folders, and the fewest plays of a hand by enumeration of all partitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from random import Random

FAR = 200
"""Result of counters for a hand that no plays empty."""

Cards = tuple[int, ...]
"""Copies of each kind of card."""

_HEAD = """
#include <seats>.
#include <climbing>.
seat(0..1).
leads(0).
over :- out(_).
match_over.
deals(S,{cards}) :- seat(S).
rank(1..{ranks}).
{pack}
label(pass). form(pass,pass). kind(pass,pass).
form(L,F) :- of(F,L). label(L) :- of(_,L).
kind(F,L) :- of(F,L). strength(F,1) :- of(F,_).
playable(F) :- form(_,F).
"""


@dataclass(frozen=True)
class Shape:
    """Form of a random game."""

    name: str
    groups: tuple[tuple[str, int, int, str | None], ...]  # cell, cards, how many must be natural, only kind of card
    wilds: int = 0
    suit: str | None = None
    mixed: bool = False
    kickers: tuple[int, int] | None = None  # number of groups, cards in each
    allowed: dict[str, frozenset[int]] = field(default_factory=dict)  # numbers of groups that may be of each cell

    @property
    def cards(self) -> int:
        """Number of cards, kickers included."""
        return sum(group[1] for group in self.groups) + (self.kickers[0] * self.kickers[1] if self.kickers else 0)

    def facts(self) -> Iterator[str]:
        """Generate the facts of the form."""
        yield f"of({self.name},{'label_' + self.name.partition('(')[0]})."
        for index, (cell, count, natural, only) in enumerate(self.groups, 1):
            yield f"needs({self.name},{index},{cell},{count})."
            yield from [f"natural({self.name},{cell},{natural})."] if natural else []
            yield from [f"only({self.name},{index},{only})."] if only else []
        yield from [f"wilds({self.name},{self.wilds})."] if self.wilds else []
        yield from [f"same_suit({self.name},{self.suit})."] if self.suit else []
        yield from [f"mixed_suits({self.name})."] if self.mixed else []
        if self.kickers:
            yield f"kickers({self.name},{self.kickers[0]},{self.kickers[1]})."
            yield from (f"kicker({self.name},{cell},{n})." for cell, ns in self.allowed.items() for n in ns)

    def makes(self, hand: dict[str, int], acts: dict[str, tuple[str, ...]]) -> bool:
        """Return True if a hand, played at once, is of this form."""
        held: dict[str, dict[str, int]] = {}
        own_cells = {cell for cell, *_ in self.groups} | set(self.allowed)
        for card, count in hand.items():
            cells = [cell for cell in acts[card] if cell in own_cells]
            if card != "joker" and not cells:
                return False
            for cell in cells:
                held.setdefault(cell, {})[card] = count
        missing = 0
        for cell, count, natural, only in self.groups:
            group_cards = held.pop(cell, {})
            num_natural = sum(group_cards.values())
            if num_natural > count or num_natural < natural or (only and set(group_cards) - {only}):
                return False
            missing += count - num_natural
        suits = {suit_of(card) for card in hand if card != "joker"}
        if missing != hand.get("joker", 0) or missing > self.wilds:
            return False
        if (self.suit and suits != {self.suit}) or (self.mixed and len(suits) < 2):
            return False
        return self._carries({cell: sum(cards.values()) for cell, cards in held.items()})

    def _carries(self, counts: dict[str, int]) -> bool:
        groups, size = self.kickers or (0, 1)
        fits = all(n % size == 0 and n // size in self.allowed.get(cell, ()) for cell, n in counts.items())
        return fits and sum(counts.values()) == groups * size


def suit_of(card: str) -> str:
    """Return the suit of a card: ``a`` for ``card(3,a)``; empty for a card without a suit."""
    return card[-2] if card.endswith(")") else ""


@dataclass(frozen=True)
class Game:
    """Random game of a few forms."""

    ranks: int
    suits: str
    copies: int
    jokers: int
    hand: int
    shapes: tuple[Shape, ...]

    @cached_property
    def pack(self) -> dict[str, int]:
        """Number of copies of each kind of card."""
        ranks = range(1, self.ranks + 1)
        cards = [f"card({rank},{suit})" for rank in ranks for suit in self.suits] if self.suits else map(str, ranks)
        return dict.fromkeys(cards, self.copies) | ({"joker": self.jokers} if self.jokers else {})

    @cached_property
    def acts(self) -> dict[str, tuple[str, ...]]:
        """Cells of each kind of card."""
        return {card: (card, card[5:-3]) if self.suits and card != "joker" else (card,) for card in self.pack}

    def text(self) -> str:
        """Return the text of the only rule file."""
        suits = f"suit({';'.join(self.suits)})." if self.suits else ""
        pack = [suits, *(f"pack({card},{copies})." for card, copies in self.pack.items())]
        if self.jokers:
            pack += [f"acts_as({card},{cell})." for card in self.acts if card != "joker" for cell in self.acts[card]]
            pack += ["acts_as(joker,wild)."]
        facts = [fact for shape in self.shapes for fact in shape.facts()]
        return "\n".join([_HEAD.format(ranks=self.ranks, cards=self.hand, pack="\n".join(pack)), *facts, ""])

    def fewest(self, hand: Cards) -> int:
        """Return the fewest plays that empty a hand; FAR if none do."""
        names, cache = list(self.pack), {(0,) * len(hand): 0}
        played = {}
        for part in product(*(range(count + 1) for count in hand)):
            cards = {name: count for name, count in zip(names, part, strict=True) if count}
            size = sum(part)
            played[part] = any(shape.cards == size and shape.makes(cards, self.acts) for shape in self.shapes)
        plays = [part for part, playable in played.items() if playable and any(part)]

        def least(remaining: Cards) -> int:
            if remaining not in cache:
                first = next(kind for kind, count in enumerate(remaining) if count)
                rests = [
                    tuple(a - b for a, b in zip(remaining, play, strict=True))
                    for play in plays
                    if play[first] and all(a >= b for a, b in zip(remaining, play, strict=True))
                ]
                cache[remaining] = min((1 + least(left) for left in rests), default=FAR)
            return cache[remaining]

        return min(least(hand), FAR)


def random_game(seed: int) -> Game:
    """Draw a game with random ranks, suits, copies, wild cards and forms."""
    random = Random(seed)
    whole = random.random() < 0.4  # all ranks have the same forms
    ranks, suits = random.randint(4, 10 if whole else 7), random.choice(["", "ab", "abc", "abcd"])
    copies = random.randint(1, 2) if suits else random.randint(2, 4 if whole else 5)
    jokers = random.choice([0, 0, 1, 2])
    num_cards = ranks * copies * max(1, len(suits)) + jokers
    maker = _Maker(random, ranks, suits, jokers, whole, max(1, len(suits)) * copies)
    return Game(
        ranks, suits, copies, jokers, min(random.choice([8, 12, 16, 20, 26]), num_cards // 2), tuple(maker.shapes())
    )


class _Maker:
    """Generator of random forms."""

    def __init__(self, random: Random, ranks: int, suits: str, jokers: int, whole: bool, copies: int) -> None:
        self.random, self.ranks, self.suits, self.jokers = random, ranks, suits, jokers
        self.whole, self.copies = whole, copies

    def _often(self, share: float) -> bool:
        return self.whole or self.random.random() < share

    def shapes(self) -> Iterator[Shape]:
        """Generate singles of most ranks, and random other forms."""
        random, ranks = self.random, range(1, self.ranks + 1)
        for rank in ranks:
            if self._often(0.9):
                yield Shape(f"single({rank})", ((str(rank), 1, 1, None),))
        sizes = range(2, self.copies + 1) if self.whole else random.sample([2, 3, 4, 5], random.randint(1, 3))
        for size in sizes:
            for rank in ranks:
                if self._often(0.8):
                    yield self._of(f"set({rank},{size})", [(rank, size)])
        makers = [self._runs, self._suited, self._houses, self._carrying, self._cards]
        for make in random.sample(makers, random.randint(0, 3) if self.whole else 3):
            yield from make()

    def _of(self, name: str, sets: list[tuple[int, int]], suit: str | None = None, mixed: bool = False) -> Shape:
        wilds = self.jokers if self.whole else self.random.randint(0, self.jokers)
        natural = self.random.randint(0, 1) if len(sets) > 1 else 1
        groups = tuple((str(rank), size, natural if wilds else 0, None) for rank, size in sets)
        return Shape(name, groups, wilds, suit, mixed)

    def _runs(self) -> Iterator[Shape]:
        length, size = self.random.randint(2, 4), self.random.randint(1, 3)
        for rank in range(1, self.ranks - length + 2):
            yield self._of(f"run({rank})", [(rank + step, size) for step in range(length)])

    def _suited(self) -> Iterator[Shape]:
        """Generate runs of one suit, of mixed suits, or both."""
        length = self.random.randint(2, 3)
        has_mixed, has_only_mixed = self.random.random() < 0.5, self.random.random() < 0.5
        for rank in range(1, self.ranks - length + 2):
            sets = [(rank + step, 1) for step in range(length)]
            if self.suits and not has_only_mixed:
                wilds = self.random.randint(0, self.jokers)
                for suit in self.suits:
                    groups = tuple((str(run_rank), 1, 0, None) for run_rank, _ in sets)
                    yield Shape(f"flush_{rank}({rank},{suit})", groups, wilds, suit)
            if self.suits and (has_mixed or has_only_mixed):
                yield self._of(f"mixed({rank})", sets, mixed=True)

    def _houses(self) -> Iterator[Shape]:
        large, small = self.random.choice([(3, 2), (2, 1), (3, 1)])
        for large_rank in range(1, self.ranks + 1):
            for small_rank in range(1, self.ranks + 1):
                if large_rank != small_rank and self._often(0.7):
                    yield self._of(f"house({large_rank},{small_rank})", [(large_rank, large), (small_rank, small)])

    def _carrying(self) -> Iterator[Shape]:
        size, groups, kicker_size = self.random.randint(2, 3), self.random.randint(1, 2), self.random.randint(1, 2)
        for rank in range(1, self.ranks + 1):
            allowed = {
                str(kicker_rank): frozenset(range(1, self.random.randint(1, groups) + 1))
                for kicker_rank in range(1, self.ranks + 1)
                if kicker_rank != rank and self._often(0.8)
            }
            if allowed:
                yield Shape(
                    f"carry({rank})", ((str(rank), size, 0, None),), kickers=(groups, kicker_size), allowed=allowed
                )

    def _cards(self) -> Iterator[Shape]:
        """Generate forms of given cards: two cards of consecutive ranks and different suits, or a card twice."""
        for rank in range(1, self.ranks + 1):
            if self.suits and self.random.random() < 0.7:
                first_suit, second_suit = self.random.sample(self.suits, 2)
                cards = [f"card({rank},{first_suit})", f"card({rank % self.ranks + 1},{second_suit})"]
                yield Shape(f"cards({rank})", tuple((card, 1, 1, None) for card in cards))
            elif self.suits:
                card = f"card({rank},{self.random.choice(self.suits)})"
                yield Shape(f"only({rank})", ((str(rank), 2, 0, card),))
