"""The rules of splits: what ``science/splits.lp`` says of the plays of a game, and what it is told of tagged cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine, game
from abl_cards.games.counting.keys import Key, key_of, key_text, read_key
from abl_cards.games.play.exchanges import largest_hand
from abl_cards.games.reading.rules import Rules
from abl_cards.games.reading.science import SPLITS
from abl_cards.logic import KnowledgeBase, Term
from abl_cards.logic.errors import kb_error

GAME = "doudizhu"
"""The game that the splitter which comes with the package has learned from."""
TAGS = (0, 1, 2, 3)
"""Of the cards of a split: what a card is part of."""
COUNT = 15
"""Kinds of cards, the two jokers last."""
MOST_CARDS = 20
"""In a hand."""


@dataclass(frozen=True)
class Play:
    """What a label lays down."""

    main: tuple[tuple[int, int], ...]  # kinds from 0 with how many cards, low to high; none for a pass
    kickers: int
    kicker_size: int

    @property
    def key(self) -> Key:
        """The main cards."""
        return key_of(kind for kind, count in self.main for _ in range(count))


@dataclass(frozen=True)
class SplitRules:
    """The rules of a game, and what they say of splits."""

    rules: Rules
    kb: KnowledgeBase

    @classmethod
    def of(cls, rules: Rules) -> SplitRules:
        """Load them beside the rules of play; raises KBError where there are none, or for another kind of game."""
        if len(rules.pack) != COUNT or largest_hand(rules) > MOST_CARDS or rules.cells.acts.shape[0] > 1:
            raise kb_error(
                f"{rules.folder.path} has {len(rules.pack)} kinds of cards and hands of {largest_hand(rules)}",
                f"splits are those of {COUNT} kinds without suits, and of hands of {MOST_CARDS} cards at most",
            )
        return cls(rules, SPLITS.read(rules.folder, rules.profile))

    @property
    def labels(self) -> tuple[str, ...]:
        """The plays in the order of masks and policies."""
        return self.rules.label_texts

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The position of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """[labels] what each lays down; nothing for those that the profile lacks."""
        found = [Play((), 0, 0)] * len(self.labels)
        names = self.rules.cells.names
        for form in self.rules.forms.forms:
            main = sorted((self.rules.pack.number[names[group.cell]], group.count) for group in form.groups)
            carried = form.kickers
            found[form.label] = Play(tuple(main), carried.groups if carried else 0, carried.size if carried else 0)
        return tuple(found)

    @cached_property
    def main(self) -> NDArray[np.uint64]:
        """[labels] the main cards as keys."""
        return np.array([play.key for play in self.plays], np.uint64)

    @property
    def passing(self) -> int:
        """The form of a pass."""
        return self.rules.forms.passing

    @property
    def values(self) -> tuple[Term, ...]:
        """The kinds of cards as rules name them."""
        return self.rules.pack.kinds

    @property
    def copies(self) -> tuple[int, ...]:
        """How many cards there are of each kind."""
        return tuple(self.rules.pack.copies.tolist())

    @property
    def letters(self) -> tuple[str, ...]:
        """How each kind is written."""
        return self.rules.letters.texts

    def text(self, key: Key) -> str:
        """A hand in letters."""
        return key_text(self.rules.letters, key)

    def read(self, text: str) -> Key:
        """A hand of letters; raises GameError."""
        return read_key(self.rules.letters, text)

    @property
    def engine(self) -> Engine:
        """The game by these rules."""
        return Engine(self.rules, self.rules.folder.name)


def rules_of(directory: Path | None = None, profile: str | None = None, name: str = GAME) -> SplitRules:
    """The rules of a game, by default of the one whose hands were learned from; raises KBError."""
    return SplitRules.of(game(name).engine(directory, profile).rules)
