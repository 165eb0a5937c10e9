"""Profiles of the rules and their switches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from tests.brute_force.tractor.cards import Order


@dataclass(frozen=True)
class Rules:
    """One set of rules; the defaults are the profile ``standard``."""

    chains: bool = True  # level cards and jokers take part in tractors (§5)
    overturns: bool = True  # any number of overturns, each stronger than the last (§3)
    undeclared: str = "redeal"  # or "flip" the kitty, or "random" (§3)
    whole_part: bool = True  # a failed throw is replaced by the whole part, not by one card of it (§6)
    price: str = "try"  # of a failed throw: 10 a "try", or 10 a card of the beatable parts: "cards", or "none" (§6)
    short_tractors: bool = True  # shorter tractors go before loose pairs (§7.3)
    owes_jokers: bool = True  # the joker tractor in hand is a tractor held (§7.3)
    throws_ask: bool = True  # throws of pairs and singles require pairs (§7.4)
    kitty: str = "double"  # or "botzone" or "power" (§9)
    bank_only: bool = True  # 80 … 119 takes the bank and no level (§9)
    must_play: str = ""  # levels that require a win as banker to pass (§9)
    revokes: bool = False  # D1
    letters: bool = False  # D6
    buries_any: bool = False  # D5

    def order(self, level: str, trump: str) -> Order:
        return ordered(level, trump, self.chains)


ordered = cache(Order)


STANDARD = Rules()
BOTZONE = Rules(
    chains=False,
    overturns=False,
    undeclared="random",
    whole_part=False,
    price="cards",
    short_tractors=False,
    owes_jokers=False,
    throws_ask=False,
    kitty="botzone",
    bank_only=False,
)
PROFILES = {"standard": STANDARD, "botzone": BOTZONE}


def variant(rules: Rules, **changes: object) -> Rules:
    """A profile with some of its switches turned."""
    return replace(rules, **changes)  # type: ignore[arg-type]
