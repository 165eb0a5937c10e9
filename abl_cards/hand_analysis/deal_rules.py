"""Rules of deals: points of hands, validity of deals, and names of classes of deals.

They come from the files ``science/strength.lp`` and ``science/deals.lp`` of a game in which one seat, the landlord,
plays against the other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from abl_cards.asp import string_value
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import STRENGTH_RULES
from abl_cards.hand_analysis.deals import DEAL_ROLES, DealBatch, DealSampler
from abl_cards.hand_analysis.hand_points import HandScorer
from abl_cards.matches import skip_blank_lines

NUM_CLASSES = 5
"""Classes of deals, from 0, the hardest for the landlord, to 4."""


@dataclass(frozen=True)
class DealRules:
    """A game with rules of deals.

    Attributes:
        engine: Engine of the game.
        kb: Rules of play together with the rules of deals.
    """

    engine: Engine
    kb: KnowledgeBase

    @classmethod
    def from_engine(cls, engine: Engine) -> DealRules:
        """Load the rules of deals of a game.

        Args:
            engine: Engine of the game.

        Returns:
            The rules.

        Raises:
            GameError: The game has no rules of deals.
            KBError: The rules are refused.
        """
        if not STRENGTH_RULES.is_in(engine.rules.folder):
            raise GameError(f"{engine.game} has no classes of deals", ErrorCode.UNSUPPORTED_GAME)
        return cls(engine, load_deal_rules(engine.rules))

    @property
    def game(self) -> str:
        """Name of the game in commands."""
        return self.engine.game

    @cached_property
    def deal_sampler(self) -> DealSampler:
        """Sampler of deals."""
        return DealSampler.from_knowledge_base(self.engine.rules, self.kb)

    @cached_property
    def hand_scorer(self) -> HandScorer:
        """Scorer of hands."""
        return HandScorer.from_knowledge_base(self.engine.rules, self.kb)

    def get_class_names(self) -> tuple[str, ...]:
        """Return the English names of the classes of deals.

        Returns:
            Names from class 0, the hardest for the landlord; the number of a class that has no name.
        """
        facts = self.kb.facts("difficulty", 3)
        texts = {int(row[0]): string_value(row[2]) for row in facts if str(row[1]) == "en"}
        return tuple(texts.get(deal_class, str(deal_class)) for deal_class in range(NUM_CLASSES))

    def read_deals(self, values: Sequence[Mapping[str, Any] | GameError]) -> DealBatch:
        """Read deals from JSON objects or from records of games; equal deals, as duplicate games have, are read once.

        Args:
            values: A value for each line of a file; a `GameError` stands for a line that cannot be read.

        Returns:
            The deals.

        Raises:
            GameError: A line holds no deal; the message names the line. Or there are no deals.
        """
        deals = []
        for line, value in zip(*skip_blank_lines(values), strict=True):
            try:
                if isinstance(value, GameError):
                    raise value
                deals.append(self.deal_sampler.read_deal(self._deal_from_record(value) if "hands" in value else value))
            except GameError as problem:
                raise GameError(f"line {line}: {problem}", problem.code) from None
        if not deals:
            raise GameError("no deals", ErrorCode.NOT_ENOUGH_DEALS)
        read = DealBatch.concatenate(deals)
        keys = np.column_stack([read.hand_keys, read.bottom_keys])
        return read.select(np.sort(np.unique(keys, axis=0, return_index=True)[1]))

    def _deal_from_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the deal of a record: the hands before its first play, that of the first leader first."""
        (plays,) = self.engine.find_play_acts([record])
        rules, view = self.engine.rules, self.engine.decisions_at_acts([record], plays[:1] or [1]).view
        hands = view.state.hands[view.rows[0]]
        order = rules.seating.play_order[view.seats[0]].tolist()
        return {part: rules.card_codes.write_hand(hands[seat]) for part, seat in zip(DEAL_ROLES, order, strict=True)}

    def with_deals(self, deals: DealBatch) -> Engine:
        """Return an engine that deals given deals.

        Args:
            deals: Deals, of which one is dealt at each table.

        Returns:
            The engine.

        Raises:
            GameError: The profile has bidding, while a deal determines the landlord.
        """
        if self.engine.rules.schema.stages:
            raise GameError(
                f"a given deal determines the landlord, but profile {self.engine.rules.profile} bids for him",
                ErrorCode.UNSUPPORTED_GAME,
            )
        return self.engine.with_deals(deals.to_fixed_deals())


@cache_per_game
def load_deal_rules(rules: CompiledGame) -> KnowledgeBase:
    """Load the rules of play together with those of deals, once for each compiled game.

    Args:
        rules: Compiled game.

    Returns:
        The knowledge base.

    Raises:
        KBError: The rules are refused.
    """
    return STRENGTH_RULES.load(rules.folder, rules.profile)
