"""A rule folder while it is drawn: its random numbers, its lines by file, and the constructs in it."""

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
    """A folder that is being written; ``wanted`` are the constructs that it has to have."""

    random: Random
    wanted: frozenset[str]
    files: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    ranks: tuple[int, ...] = ()
    suits: tuple[str, ...] = ()  # none: a card is its rank
    copies: int = 1  # of each card
    extra: dict[str, int] = field(default_factory=dict)  # cards without a rank, and how many there are of each
    seats: int = 2
    dealt: tuple[int, ...] = ()
    wild: bool = False  # whether cards may act as wild
    level: bool = False  # whether which cards are wild depends on a fluent
    all_dealt: bool = False
    composed: bool = False  # whether plays are laid card by card
    roles: list[str] = field(default_factory=list)  # cells of several ranks or suits
    after: str = ""  # the beginning of a body: the stages before this one are over
    natural_joker: bool = False  # whether the joker acts as itself, too
    widest: int = 1  # kinds of cards that act as one cell at most
    flaw: str = ""  # what is wrong with the folder on purpose

    def has(self, construct: str) -> bool:
        """Whether the folder has to have a construct."""
        return construct in self.wanted

    def chance(self, share: float) -> bool:
        """Draw whether something is done that so many folders do."""
        return self.random.random() < share

    def one_of(self, some: Sequence[T]) -> T:
        """Draw one of several values."""
        return self.random.choice(some)

    def say(self, file: str, text: str) -> None:
        """Append lines to a file."""
        self.files[file].extend(line for line in text.strip("\n").split("\n"))

    @property
    def cards(self) -> dict[str, int]:
        """Every kind of card as a term, and how many there are of it."""
        own = [f"card({rank},{suit})" for rank in self.ranks for suit in self.suits] or list(map(str, self.ranks))
        return {**dict.fromkeys(own, self.copies), **self.extra}

    @property
    def tame(self) -> str:
        """What a rule about a card that is not wild ends with."""
        return ", not is_wild({0})" if self.wild else ""
