"""What the rules beside play say of deals: what hands are worth, what a deal is, what classes of deals are called.

They are the files ``science/strength.lp`` and ``science/deals.lp`` of a game in which one seat, the landlord, plays
against the other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.reading.rules import Rules
from abl_cards.games.reading.science import STRENGTH
from abl_cards.logic import KnowledgeBase
from abl_cards.logic.terms import text_of
from abl_cards.strength.deals import PARTS, Dealer, Hands
from abl_cards.strength.hand_points import HandScorer


@dataclass(frozen=True)
class StrengthRules:
    """A game whose deals are judged."""

    engine: Engine
    kb: KnowledgeBase

    @classmethod
    def of(cls, engine: Engine) -> StrengthRules:
        """Load what the rules say of deals; raises GameError where they say nothing, and KBError."""
        if not STRENGTH.lies_in(engine.rules.folder):
            raise GameError(f"{engine.game} has no classes of deals")
        return cls(engine, strength_kb(engine.rules))

    @property
    def game(self) -> str:
        """The word for it in commands."""
        return self.engine.game

    @cached_property
    def dealer(self) -> Dealer:
        """Whole deals by the rules."""
        return Dealer.of(self.engine.rules, self.kb)

    @cached_property
    def scorer(self) -> HandScorer:
        """What hands are worth by the rules."""
        return HandScorer.of(self.engine.rules, self.kb)

    def difficulty(self, language: str = "en") -> tuple[str, ...]:
        """A word for each class of deals, from 0, the hardest for who plays alone."""
        words = {int(number): text_of(word) for number, tongue, word in self.kb.facts("difficulty", 3)
                 if str(tongue) == language}  # fmt: skip
        return tuple(words.get(number, str(number)) for number in range(max(words, default=-1) + 1))

    def read_deals(self, values: Sequence[Mapping[str, Any] | GameError]) -> Hands:
        """Deals from their JSON forms or from records, one a line; raises GameError that names the line."""
        found = []
        for line, value in enumerate(values, start=1):
            try:
                if isinstance(value, GameError):
                    raise value
                found.append(self.dealer.read(self._recorded(value) if "hands" in value else value))
            except GameError as problem:
                raise GameError(f"line {line}: {problem}") from None
        if not found:
            raise GameError("no deals")
        return Hands.joined(found)

    def _recorded(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The deal of a record: the hands before its first play, that of who leads first; raises GameError."""
        (plays,) = self.engine.plays_of([record])
        rules, view = self.engine.rules, self.engine.recorded([record], plays[:1] or [1]).view
        hands = view.state.hands[view.which[0]]
        order = rules.table.order[view.seats[0]].tolist()
        return {part: rules.letters.hand(hands[seat]) for part, seat in zip(PARTS, order, strict=True)}

    def with_deals(self, deals: Hands) -> Engine:
        """The same game, dealt so; raises GameError where the landlord is bid for, since a deal says who he is."""
        if self.engine.rules.words.stages:
            raise GameError(f"given deals say who the landlord is; profile {self.engine.rules.profile} bids for him")
        return self.engine.with_deals(deals.on_tables())


def strength_kb(rules: Rules) -> KnowledgeBase:
    """The rules of play with those of deals; raises KBError."""
    return STRENGTH.read(rules.folder, rules.profile)
