"""The rules of splits: what ``science/splits.lp`` says of the plays of a game, and what it is told of tagged cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.games import Engine, load
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import SPLIT_RULES
from abl_cards.games.min_plays import HandKey, hand_key, key_text, read_key
from abl_cards.games.tables import largest_hand

DEFAULT_GAME = "doudizhu"
"""The game that the splitter which comes with the package has learned from."""
TAGS = (0, 1, 2, 3)
"""Of the cards of a split: what a card is part of."""
N_KINDS = 15
"""Kinds of cards, the two jokers last."""
MAX_CARDS = 20
"""In a hand."""


@dataclass(frozen=True)
class SplitPlay:
    """What a label lays down."""

    main: tuple[tuple[int, int], ...]  # kinds from 0 with how many cards, low to high; none for a pass
    kickers: int
    kicker_size: int

    @property
    def main_key(self) -> HandKey:
        """The main cards."""
        return hand_key(kind for kind, count in self.main for _ in range(count))


@dataclass(frozen=True)
class SplitRules:
    """The rules of a game, and what they say of splits."""

    rules: CompiledGame
    kb: KnowledgeBase

    @classmethod
    def of(cls, rules: CompiledGame) -> SplitRules:
        """Load them beside the rules of play; raises KBError where there are none, or for another kind of game."""
        if len(rules.pack) != N_KINDS or largest_hand(rules) > MAX_CARDS or rules.cells.acts_as.shape[0] > 1:
            raise make_kb_error(
                f"{rules.folder.path} has {len(rules.pack)} kinds of cards and hands of {largest_hand(rules)}",
                f"splits are those of {N_KINDS} kinds without suits, and of hands of {MAX_CARDS} cards at most",
            )
        return cls(rules, SPLIT_RULES.load(rules.folder, rules.profile))

    @property
    def labels(self) -> tuple[str, ...]:
        """The plays in the order of masks and policies."""
        return self.rules.label_texts

    @cached_property
    def label_index(self) -> Mapping[str, int]:
        """The position of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def plays(self) -> tuple[SplitPlay, ...]:
        """[labels] what each lays down; nothing for those that the profile lacks."""
        found = [SplitPlay((), 0, 0)] * len(self.labels)
        names = self.rules.cells.names
        for form in self.rules.forms.forms:
            main = sorted((self.rules.pack.index[names[group.cell]], group.count) for group in form.groups)
            carried = form.kickers
            found[form.label] = SplitPlay(
                tuple(main), carried.num_groups if carried else 0, carried.group_size if carried else 0
            )
        return tuple(found)

    @cached_property
    def main_keys(self) -> NDArray[np.uint64]:
        """[labels] the main cards as keys."""
        return np.array([play.main_key for play in self.plays], np.uint64)

    @property
    def pass_form(self) -> int:
        """The form of a pass."""
        return self.rules.forms.pass_form

    @property
    def kinds(self) -> tuple[Term, ...]:
        """The kinds of cards as rules name them."""
        return self.rules.pack.kinds

    @property
    def copies(self) -> tuple[int, ...]:
        """How many cards there are of each kind."""
        return tuple(self.rules.pack.copies.tolist())

    @property
    def kind_texts(self) -> tuple[str, ...]:
        """How each kind is written."""
        return self.rules.card_codes.kind_texts

    def hand_text(self, key: HandKey) -> str:
        """A hand in letters."""
        return key_text(self.rules.card_codes, key)

    def read_hand(self, text: str) -> HandKey:
        """A hand of letters; raises GameError."""
        return read_key(self.rules.card_codes, text)

    @property
    def engine(self) -> Engine:
        """The game by these rules."""
        return Engine(self.rules, self.rules.folder.name)


def load_split_rules(
    directory: Path | None = None, profile: str | None = None, game_name: str = DEFAULT_GAME
) -> SplitRules:
    """The rules of a game, by default of the one whose hands were learned from; raises KBError."""
    return SplitRules.of(load(game_name).engine(directory, profile).rules)
