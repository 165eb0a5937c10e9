"""Rules of splits: the plays of a game, and the facts of ``science/splits.lp`` about tagged cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games import Engine, load
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import SPLIT_RULES
from abl_cards.games.min_plays import HandKey, hand_key, key_text, read_key
from abl_cards.games.tables import largest_hand

DEFAULT_GAME = "doudizhu"
"""Game of the shipped splitter."""
TAGS = (0, 1, 2, 3)
"""Tags of cards: part of singles, of pairs, of trios, or of bombs."""
N_KINDS = 15
"""Kinds of cards, the two jokers last."""
MAX_CARDS = 20
"""Most cards of a hand."""


@dataclass(frozen=True)
class SplitPlay:
    """Cards of a label.

    Attributes:
        main: Kinds from 0 with numbers of cards, low to high; empty for a pass.
        kickers: Number of groups of kickers.
        kicker_size: Cards of each group of kickers.
    """

    main: tuple[tuple[int, int], ...]
    kickers: int
    kicker_size: int

    @property
    def main_key(self) -> HandKey:
        """Key of the main cards."""
        return hand_key(kind for kind, count in self.main for _ in range(count))


@dataclass(frozen=True)
class SplitRules:
    """Rules of a game together with its rules of splits.

    Attributes:
        rules: Compiled game.
        kb: Rules of play together with those of splits.
    """

    rules: CompiledGame
    kb: KnowledgeBase

    @classmethod
    def of(cls, rules: CompiledGame) -> SplitRules:
        """Load the rules of splits of a game.

        Args:
            rules: Compiled game.

        Returns:
            The rules.

        Raises:
            KBError: The game has no rules of splits, other cards, or too large hands.
        """
        if len(rules.pack) != N_KINDS or largest_hand(rules) > MAX_CARDS or rules.cells.acts_as.shape[0] > 1:
            raise make_kb_error(
                f"{rules.folder.path} has {len(rules.pack)} kinds of cards and hands of {largest_hand(rules)}",
                f"splits support {N_KINDS} kinds without suits, and hands of at most {MAX_CARDS} cards",
                ErrorCode.UNSUPPORTED_GAME,
            )
        return cls(rules, _load_knowledge(rules))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of masks and policies."""
        return self.rules.label_texts

    @cached_property
    def label_index(self) -> Mapping[str, int]:
        """Index of each label."""
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def plays(self) -> tuple[SplitPlay, ...]:
        """[labels] Cards of each label; none for labels that the profile lacks."""
        plays = [SplitPlay((), 0, 0)] * len(self.labels)
        names = self.rules.cells.names
        for form in self.rules.forms.forms:
            main = sorted((self.rules.pack.index[names[group.cell]], group.count) for group in form.groups)
            kickers = form.kickers
            plays[form.label] = SplitPlay(
                tuple(main), kickers.num_groups if kickers else 0, kickers.group_size if kickers else 0
            )
        return tuple(plays)

    @cached_property
    def main_keys(self) -> NDArray[np.uint64]:
        """uint64[labels] Keys of the main cards."""
        return np.array([play.main_key for play in self.plays], np.uint64)

    @property
    def pass_form(self) -> int:
        """Form of a pass."""
        return self.rules.forms.pass_form

    @property
    def kinds(self) -> tuple[Term, ...]:
        """Kinds of cards, as terms of the rules."""
        return self.rules.pack.kinds

    @property
    def copies(self) -> tuple[int, ...]:
        """Number of cards of each kind."""
        return tuple(self.rules.pack.copies.tolist())

    @property
    def kind_texts(self) -> tuple[str, ...]:
        """Text of each kind."""
        return self.rules.card_codes.kind_texts

    def hand_text(self, key: HandKey) -> str:
        """Return the text of a hand."""
        return key_text(self.rules.card_codes, key)

    def read_hand(self, text: str) -> HandKey:
        """Read a hand.

        Args:
            text: Codes of cards.

        Returns:
            The key of the hand.

        Raises:
            GameError: The text names unknown cards, or too many of a kind.
        """
        return read_key(self.rules.card_codes, text)

    @property
    def engine(self) -> Engine:
        """Engine of the game."""
        return Engine(self.rules, self.rules.folder.name)


@cache_per_game
def _load_knowledge(rules: CompiledGame) -> KnowledgeBase:
    return SPLIT_RULES.load(rules.folder, rules.profile)


def load_split_rules(
    directory: Path | None = None, profile: str | None = None, game_name: str = DEFAULT_GAME
) -> SplitRules:
    """Load the rules of splits of a game.

    Args:
        directory: Folder of rules; by default that of the game.
        profile: Profile of the rules.
        game_name: Name of the game.

    Returns:
        The rules.

    Raises:
        KBError: The rules are refused.
    """
    return SplitRules.of(load(game_name).engine(directory, profile).rules)
