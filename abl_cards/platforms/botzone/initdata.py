"""What a round begins with: ``{"allocation": […], "publiccard": […], "seed": …}`` and what the dialect adds.

All of it may be missing. Cards that are not given are shuffled by Python's ``random`` with the seed, the public ones
first, then a hand a seat; a seed that is missing is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random, SystemRandom
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.tables import Dealt
from abl_cards.games.reading.rules import Rules
from abl_cards.platforms.botzone.dialect import Cards, dialect_of

CARDS = ("allocation", "publiccard")
SEED = "seed"
_SEEDS = 1 << 32
_LONGEST_SEED = 100


def completed(rules: Rules, given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the cards, and with a seed where these come from one; raises GameError."""
    known = (*CARDS, SEED, *dialect_of(rules).keys)
    if unknown := [key for key in given if key not in known]:
        raise GameError(f"initdata: unknown key '{str(unknown[0])[:40]}' (known: {', '.join(known)})")
    there = [key for key in CARDS if given.get(key) is not None]
    if there and len(there) < len(CARDS):
        raise GameError(f"initdata: {there[0]} alone says too little: give {' and '.join(CARDS)}")
    found = {key: value for key, value in given.items() if value is not None}
    if there:
        return found
    seed = found.setdefault(SEED, SystemRandom().randrange(_SEEDS))
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
    fluents: NDArray[np.int16] = rules.fluents.nothing.copy()
    flow, chance = Flow.of(rules), Random(f"lots {initdata.get(SEED, 0)}")
    for slot, value in flow.first:
        fluents[slot] = value
    dialect.remember(rules, initdata, fluents)
    lots = np.array([chance.randrange(sides) for sides in flow.lots], np.int16)
    return Dealt(
        hands[None], numbers.counts(cards.publiccard, kinds)[None], fluents[None], lots[None],
        np.zeros((1, rules.table.seats), np.int64), np.zeros(1, np.int32),
    )  # fmt: skip
