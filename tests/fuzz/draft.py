"""Draft of a random rule folder: random numbers, lines by file, and constructs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

WILDS, ROLES, KICKERS, SUITS, STAGES, OPENINGS, TRICKS, POINTS, FLUENTS = (
    "wilds", "roles", "kickers", "suits", "stages", "openings", "tricks", "points", "fluents",
)  # fmt: skip
CONSTRUCTS = (WILDS, ROLES, KICKERS, SUITS, STAGES, OPENINGS, TRICKS, POINTS, FLUENTS)
"""Wild cards, several roles of a card, kickers, suits, stages, openings, tricks, points, fluents."""

GAME, LABELS, RULES = "game.lp", "labels.lp", "rules.lp"
JOKER, STAR = "joker", "star"

T = TypeVar("T")


@dataclass
class Draft:
    """Draft of a folder; ``constructs`` are those that it needs."""

    random: Random
    constructs: frozenset[str]
    files: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    ranks: tuple[int, ...] = ()
    suits: tuple[str, ...] = ()  # without suits a card is its rank
    copies: int = 1  # of each card
    extra: dict[str, int] = field(default_factory=dict)  # copies of cards without a rank
    seats: int = 2
    dealt: tuple[int, ...] = ()
    wild: bool = False  # whether cards may act as wild
    level: bool = False  # whether the wild cards depend on a fluent
    all_dealt: bool = False
    composed: bool = False  # whether plays are laid card by card
    roles: list[str] = field(default_factory=list)  # cells of several ranks or suits
    after: str = ""  # start of a rule body: the earlier stages are over
    natural_joker: bool = False  # whether the joker acts as itself, too
    widest: int = 1  # most kinds of cards that act as one cell
    flaw: str = ""  # intended flaw of the folder

    def has(self, construct: str) -> bool:
        """Return whether the folder needs a construct."""
        return construct in self.constructs

    def chance(self, share: float) -> bool:
        """Return true with a given probability."""
        return self.random.random() < share

    def one_of(self, values: Sequence[T]) -> T:
        """Draw one of several values."""
        return self.random.choice(values)

    def say(self, file: str, text: str) -> None:
        """Append lines to a file."""
        self.files[file].extend(line for line in text.strip("\n").split("\n"))

    @property
    def cards(self) -> dict[str, int]:
        """Number of copies by kind of card, a term."""
        own = [f"card({rank},{suit})" for rank in self.ranks for suit in self.suits] or list(map(str, self.ranks))
        return {**dict.fromkeys(own, self.copies), **self.extra}

    @property
    def tame(self) -> str:
        """End of a rule for cards that are not wild."""
        return ", not is_wild({0})" if self.wild else ""
