"""Declaring and overturning while the cards are dealt (§3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.brute_force.tractor.cards import BIG, JOKERS, NONE, RANKS, SMALL, SUITS, Cards, held
from tests.brute_force.tractor.rules import Rules


class Shown(NamedTuple):
    """Cards that a seat showed to declare (one) or to overturn (two)."""

    seat: int
    cards: Cards


def trump_of(cards: Sequence[str]) -> str:
    """The trump suit that shown cards make; jokers make none."""
    return NONE if cards[0] in JOKERS else cards[0][0]


def rung(cards: Sequence[str]) -> int:
    """Return the strength of shown cards: one level card, a pair of them, two small jokers, two big ones."""
    return {SMALL: 2, BIG: 3}.get(cards[0], len(cards) - 1)


def may_show(rules: Rules, level: str, shown: Sequence[Shown], hand: Sequence[str], cards: Sequence[str]) -> bool:
    """Return True if a hand of the cards dealt so far may show these cards now; [] is a pass."""
    if not cards:
        return True
    if not held(cards, hand):
        return False
    if not shown:
        return len(cards) == 1 and cards[0][1] == level and cards[0] not in JOKERS
    if len(cards) != 2 or cards[0] != cards[1]:
        return False
    if cards[0] not in JOKERS and cards[0][1] != level:
        return False
    if rules.overturns:
        return rung(cards) > rung(shown[-1].cards)
    return len(shown) == 1


def shows(rules: Rules, level: str, shown: Sequence[Shown], hand: Sequence[str]) -> Iterator[Cards]:
    """Yield everything that may be shown, the pass first."""
    yield ()
    for card in (*(suit + level for suit in SUITS), *JOKERS):
        for cards in ((card,), (card, card)):
            if may_show(rules, level, shown, hand, cards):
                yield cards


def flipped(level: str, kitty: Sequence[str]) -> str:
    """The trump suit that a kitty turned up card by card makes (O3)."""
    for card in kitty:
        if card in JOKERS or card[1] == level:
            return trump_of([card])
    return max(kitty, key=lambda card: RANKS.index(card[1]))[0]
