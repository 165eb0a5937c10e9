"""Initial data of a round: ``{"allocation": […], "publiccard": […], "seed": …}`` and fields of the game.

All fields are optional. Missing cards are shuffled by Python's ``random`` with the seed, the public ones first, then a
hand per seat; a missing seed is drawn. ``lots`` are the random numbers of a match beside its cards, if the rules use
any; by default they depend on the seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, format_seed, secret_seed
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import DealtEpisodes, EventRules, Tables
from abl_cards.protocols.botzone.adapter import DealtCards, find_adapter

CARD_KEYS = ("allocation", "publiccard")
SEED_KEY, LOTS_KEY = "seed", "lots"
_MAX_SEED_LENGTH = 100


def complete_initdata(rules: CompiledGame, partial: Mapping[str, Any]) -> dict[str, Any]:
    """Complete initdata by the cards, and by a seed if the cards are drawn; raises GameError."""
    known = (*CARD_KEYS, SEED_KEY, LOTS_KEY, *find_adapter(rules).initdata_keys)
    if unknown := [key for key in partial if key not in known]:
        raise GameError(
            f"initdata: unknown key '{str(unknown[0])[:40]}' (known: {', '.join(known)})", ErrorCode.INVALID_MESSAGE
        )
    there = [key for key in CARD_KEYS if partial.get(key) is not None]
    if there and len(there) < len(CARD_KEYS):
        raise GameError(
            f"initdata: {there[0]} alone says too little: give {' and '.join(CARD_KEYS)}", ErrorCode.INVALID_MESSAGE
        )
    found = {key: value for key, value in partial.items() if value is not None}
    if there:
        return found
    seed = found.setdefault(SEED_KEY, format_seed(secret_seed()))  # text: platforms read numbers of JSON as 53 bits
    if type(seed) not in (int, str) or len(str(seed)) > _MAX_SEED_LENGTH:
        raise GameError("initdata: seed: a whole number or a short text", ErrorCode.INVALID_MESSAGE)
    return found | _shuffle_cards(rules, seed).to_json()


def _shuffle_cards(rules: CompiledGame, seed: int | str) -> DealtCards:
    pack = list(range(len(rules.pack.deck)))
    Random(seed).shuffle(pack)
    at = len(pack) - sum(rules.seating.num_dealt)
    public, hands = pack[:at], []
    for size in rules.seating.num_dealt:
        hands.append(tuple(pack[at : at + size]))
        at += size
    return DealtCards(tuple(hands), tuple(public))


def read_dealt_cards(rules: CompiledGame, initdata: Mapping[str, Any]) -> DealtCards:
    """The cards of completed initdata; raises GameError."""
    allocation, public = (initdata[key] for key in CARD_KEYS)
    sizes = rules.seating.num_dealt
    if not isinstance(allocation, list) or [_list_length(hand) for hand in allocation] != list(sizes):
        raise GameError(
            f"initdata: allocation: a list of {len(sizes)} hands of {sizes[0]} cards", ErrorCode.INVALID_MESSAGE
        )
    pack = len(rules.pack.deck)
    if _list_length(public) != pack - sum(sizes):
        raise GameError(f"initdata: publiccard: a list of {pack - sum(sizes)} cards", ErrorCode.INVALID_MESSAGE)
    every = [card for hand in [*allocation, public] for card in hand]
    if any(type(card) is not int for card in every) or sorted(every) != list(range(pack)):
        raise GameError(
            f"initdata: allocation and publiccard: each of the cards 0 to {pack - 1} once", ErrorCode.INVALID_MESSAGE
        )
    return DealtCards(tuple(map(tuple, allocation)), tuple(public))


def _list_length(cards: Any) -> int:
    return len(cards) if isinstance(cards, list) else -1


def build_deal(rules: CompiledGame, initdata: Mapping[str, Any]) -> DealtEpisodes:
    """Build the start of the round from completed initdata; raises GameError."""
    cards, dialect = read_dealt_cards(rules, initdata), find_adapter(rules)
    numbers, kinds = dialect.numbering(rules), len(rules.pack)
    hands = np.stack([numbers.count_kinds(hand, kinds) for hand in cards.allocation])
    aside = numbers.count_kinds(cards.publiccard, kinds)
    fluents: NDArray[np.int16] = rules.fluents.defaults.copy()
    for slot, value in EventRules.from_rules(rules).initial_fluents:
        fluents[slot] = value
    dialect.read_initdata(rules, initdata, fluents)
    stock = None
    if rules.has_draws:
        order = cards.to_draw_order(dialect.first_seat(rules, fluents))
        stock = np.array([[numbers.kind_of[card] for card in order]], np.uint8)
        hands, aside = np.zeros_like(hands), numbers.count_kinds(order, kinds)
    return DealtEpisodes(
        hands[None], aside[None], fluents[None], _read_lots(rules, initdata)[None],
        np.zeros((1, rules.seating.seats), np.int64), np.zeros(1, np.int32), stock,
    )  # fmt: skip


def lots_to_json(tables: Tables) -> dict[str, Any]:
    """The lots of a table's match, where there are any."""
    return {LOTS_KEY: tables.state.lots[0].tolist()} if tables.event_rules.lot_sizes else {}


def _read_lots(rules: CompiledGame, initdata: Mapping[str, Any]) -> NDArray[np.int16]:
    """[lots] as they are given, or by the seed; raises GameError."""
    sides, given = EventRules.from_rules(rules).lot_sizes, initdata.get(LOTS_KEY)
    if given is None:
        chance = Random(f"lots {initdata.get(SEED_KEY, 0)}")
        return np.array([chance.randrange(each) for each in sides], np.int16)
    if _list_length(given) != len(sides) or any(type(lot) is not int for lot in given):
        raise GameError(f"initdata: lots: a list of {len(sides)} numbers", ErrorCode.INVALID_MESSAGE)
    if any(not 0 <= lot < number for lot, number in zip(given, sides, strict=True)):
        raise GameError(
            f"initdata: lots: numbers from 0 on, below {', '.join(map(str, sides))}", ErrorCode.INVALID_MESSAGE
        )
    return np.array(given, np.int16)
