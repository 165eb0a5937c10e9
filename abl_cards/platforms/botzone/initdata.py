"""What a round begins with: ``{"allocation": […], "publiccard": […], "seed": …}`` and what the dialect adds.

All of it may be missing. Cards that are not given are shuffled by Python's ``random`` with the seed, the public ones
first, then a hand a seat; a seed that is missing is drawn. ``lots`` are the random numbers that a match has beside its
cards, where the rules throw any; they hang on the seed where they are not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.tables import Dealt, Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.platforms.botzone.dialect import Cards, dialect_of
from abl_cards.seeds import secret_seed, seed_text

CARDS = ("allocation", "publiccard")
SEED, LOTS = "seed", "lots"
_LONGEST_SEED = 100


def completed(rules: Rules, given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the cards, and with a seed where these come from one; raises GameError."""
    known = (*CARDS, SEED, LOTS, *dialect_of(rules).keys)
    if unknown := [key for key in given if key not in known]:
        raise GameError(f"initdata: unknown key '{str(unknown[0])[:40]}' (known: {', '.join(known)})")
    there = [key for key in CARDS if given.get(key) is not None]
    if there and len(there) < len(CARDS):
        raise GameError(f"initdata: {there[0]} alone says too little: give {' and '.join(CARDS)}")
    found = {key: value for key, value in given.items() if value is not None}
    if there:
        return found
    seed = found.setdefault(SEED, seed_text(secret_seed()))  # text: platforms read numbers of JSON as 53 bits
    if type(seed) not in (int, str) or len(str(seed)) > _LONGEST_SEED:
        raise GameError("initdata: seed: a whole number or a short text")
    return found | _shuffled(rules, seed).to_json()


def _shuffled(rules: Rules, seed: int | str) -> Cards:
    pack = list(range(len(rules.pack.deck)))
    Random(seed).shuffle(pack)
    at = len(pack) - sum(rules.table.dealt)
    public, hands = pack[:at], []
    for size in rules.table.dealt:
        hands.append(tuple(pack[at : at + size]))
        at += size
    return Cards(tuple(hands), tuple(public))


def cards_of(rules: Rules, initdata: Mapping[str, Any]) -> Cards:
    """The cards of completed initdata; raises GameError."""
    allocation, public = (initdata[key] for key in CARDS)
    sizes = rules.table.dealt
    if not isinstance(allocation, list) or [_size(hand) for hand in allocation] != list(sizes):
        raise GameError(f"initdata: allocation: a list of {len(sizes)} hands of {sizes[0]} cards")
    pack = len(rules.pack.deck)
    if _size(public) != pack - sum(sizes):
        raise GameError(f"initdata: publiccard: a list of {pack - sum(sizes)} cards")
    every = [card for hand in [*allocation, public] for card in hand]
    if any(type(card) is not int for card in every) or sorted(every) != list(range(pack)):
        raise GameError(f"initdata: allocation and publiccard: each of the cards 0 to {pack - 1} once")
    return Cards(tuple(map(tuple, allocation)), tuple(public))


def _size(cards: Any) -> int:
    return len(cards) if isinstance(cards, list) else -1


def dealt_of(rules: Rules, initdata: Mapping[str, Any]) -> Dealt:
    """Where the round of completed initdata begins; raises GameError."""
    cards, dialect = cards_of(rules, initdata), dialect_of(rules)
    numbers, kinds = dialect.numbers(rules), len(rules.pack)
    hands = np.stack([numbers.counts(hand, kinds) for hand in cards.allocation])
    aside = numbers.counts(cards.publiccard, kinds)
    fluents: NDArray[np.int16] = rules.fluents.nothing.copy()
    for slot, value in Flow.of(rules).first:
        fluents[slot] = value
    dialect.remember(rules, initdata, fluents)
    stock = None
    if rules.draws:
        order = cards.in_order(dialect.first(rules, fluents))
        stock = np.array([[numbers.kind[card] for card in order]], np.uint8)
        hands, aside = np.zeros_like(hands), numbers.counts(order, kinds)
    return Dealt(
        hands[None], aside[None], fluents[None], _lots(rules, initdata)[None],
        np.zeros((1, rules.table.seats), np.int64), np.zeros(1, np.int32), stock,
    )  # fmt: skip


def lots_at(tables: Tables) -> dict[str, Any]:
    """The lots of a table's match, where there are any."""
    return {LOTS: tables.state.lots[0].tolist()} if tables.flow.lots else {}


def _lots(rules: Rules, initdata: Mapping[str, Any]) -> NDArray[np.int16]:
    """[lots] as they are given, or by the seed; raises GameError."""
    sides, given = Flow.of(rules).lots, initdata.get(LOTS)
    if given is None:
        chance = Random(f"lots {initdata.get(SEED, 0)}")
        return np.array([chance.randrange(each) for each in sides], np.int16)
    if _size(given) != len(sides) or any(type(lot) is not int for lot in given):
        raise GameError(f"initdata: lots: a list of {len(sides)} numbers")
    if any(not 0 <= lot < number for lot, number in zip(given, sides, strict=True)):
        raise GameError(f"initdata: lots: numbers from 0 on, below {', '.join(map(str, sides))}")
    return np.array(given, np.int16)
