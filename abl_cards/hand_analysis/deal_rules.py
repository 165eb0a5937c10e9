"""What the rules beside play say of deals: what hands are worth, what a deal is, what classes of deals are called.

They are the files ``science/strength.lp`` and ``science/deals.lp`` of a game in which one seat, the landlord, plays
against the other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from abl_cards.asp import string_value
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import STRENGTH_RULES
from abl_cards.hand_analysis.deals import DEAL_ROLES, DealBatch, DealSampler
from abl_cards.hand_analysis.hand_points import HandScorer


@dataclass(frozen=True)
class DealRules:
    """A game whose deals are judged."""

    engine: Engine
    kb: KnowledgeBase

    @classmethod
    def from_engine(cls, engine: Engine) -> DealRules:
        """Load what the rules say of deals; raises GameError where they say nothing, and KBError."""
        if not STRENGTH_RULES.is_in(engine.rules.folder):
            raise GameError(f"{engine.game} has no classes of deals")
        return cls(engine, load_deal_rules(engine.rules))

    @property
    def game(self) -> str:
        """The word for it in commands."""
        return self.engine.game

    @cached_property
    def deal_sampler(self) -> DealSampler:
        """Whole deals by the rules."""
        return DealSampler.from_knowledge_base(self.engine.rules, self.kb)

    @cached_property
    def hand_scorer(self) -> HandScorer:
        """What hands are worth by the rules."""
        return HandScorer.from_knowledge_base(self.engine.rules, self.kb)

    def get_class_names(self, language: str = "en") -> tuple[str, ...]:
        """A word for each class of deals, from 0, the hardest for who plays alone."""
        words = {int(number): string_value(word) for number, tongue, word in self.kb.facts("difficulty", 3)
                 if str(tongue) == language}  # fmt: skip
        return tuple(words.get(number, str(number)) for number in range(max(words, default=-1) + 1))

    def read_deals(self, values: Sequence[Mapping[str, Any] | GameError]) -> DealBatch:
        """Deals from their JSON forms or from records, one a line; raises GameError that names the line."""
        found = []
        for line, value in enumerate(values, start=1):
            try:
                if isinstance(value, GameError):
                    raise value
                found.append(self.deal_sampler.read_deal(self._deal_from_record(value) if "hands" in value else value))
            except GameError as problem:
                raise GameError(f"line {line}: {problem}") from None
        if not found:
            raise GameError("no deals")
        return DealBatch.concatenate(found)

    def _deal_from_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The deal of a record: the hands before its first play, that of who leads first; raises GameError."""
        (plays,) = self.engine.find_play_acts([record])
        rules, view = self.engine.rules, self.engine.decisions_at_acts([record], plays[:1] or [1]).view
        hands = view.state.hands[view.rows[0]]
        order = rules.seating.play_order[view.seats[0]].tolist()
        return {part: rules.card_codes.write_hand(hands[seat]) for part, seat in zip(DEAL_ROLES, order, strict=True)}

    def with_deals(self, deals: DealBatch) -> Engine:
        """The same game, dealt so; raises GameError where the landlord is bid for, since a deal says who he is."""
        if self.engine.rules.schema.stages:
            raise GameError(f"given deals say who the landlord is; profile {self.engine.rules.profile} bids for him")
        return self.engine.with_deals(deals.to_fixed_deals())


def load_deal_rules(rules: CompiledGame) -> KnowledgeBase:
    """The rules of play with those of deals; raises KBError."""
    return STRENGTH_RULES.load(rules.folder, rules.profile)
