"""Initial data of a round: ``{"allocation": […], "publiccard": […], "seed": …}`` and fields of the game.

All fields are optional. Missing cards are shuffled by Python's ``random`` with the seed, the public ones first, then a
hand per seat; a missing seed is random. ``lots`` are the random numbers of a match besides its cards, if the rules use
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
    """Add the cards to initdata, and a seed if the cards are random; raises GameError for invalid fields."""
    known_keys = (*CARD_KEYS, SEED_KEY, LOTS_KEY, *find_adapter(rules).initdata_keys)
    if unknown := [key for key in partial if key not in known_keys]:
        raise GameError(
            f"initdata: unknown key '{str(unknown[0])[:40]}'; known: {', '.join(known_keys)}",
            ErrorCode.INVALID_MESSAGE,
        )
    card_keys = [key for key in CARD_KEYS if partial.get(key) is not None]
    if card_keys and len(card_keys) < len(CARD_KEYS):
        raise GameError(
            f"initdata: {card_keys[0]} without the other cards: give {' and '.join(CARD_KEYS)}",
            ErrorCode.INVALID_MESSAGE,
        )
    completed = {key: value for key, value in partial.items() if value is not None}
    if card_keys:
        return completed
    seed = completed.setdefault(
        SEED_KEY, format_seed(secret_seed())
    )  # as text, because platforms read JSON numbers with 53 bits
    if type(seed) not in (int, str) or len(str(seed)) > _MAX_SEED_LENGTH:
        raise GameError("initdata: seed: must be an integer or a short text", ErrorCode.INVALID_MESSAGE)
    return completed | _shuffle_cards(rules, seed).to_json()


def _shuffle_cards(rules: CompiledGame, seed: int | str) -> DealtCards:
    pack = list(range(len(rules.pack.deck)))
    Random(seed).shuffle(pack)
    start = len(pack) - sum(rules.seating.num_dealt)
    public, hands = pack[:start], []
    for hand_size in rules.seating.num_dealt:
        hands.append(tuple(pack[start : start + hand_size]))
        start += hand_size
    return DealtCards(tuple(hands), tuple(public))


def read_dealt_cards(rules: CompiledGame, initdata: Mapping[str, Any]) -> DealtCards:
    """Return the cards of completed initdata; raises GameError."""
    allocation, public = (initdata[key] for key in CARD_KEYS)
    sizes = rules.seating.num_dealt
    if not isinstance(allocation, list) or [_list_length(hand) for hand in allocation] != list(sizes):
        raise GameError(
            f"initdata: allocation: must be a list of {len(sizes)} hands of {sizes[0]} cards", ErrorCode.INVALID_MESSAGE
        )
    pack = len(rules.pack.deck)
    if _list_length(public) != pack - sum(sizes):
        raise GameError(f"initdata: publiccard: must be a list of {pack - sum(sizes)} cards", ErrorCode.INVALID_MESSAGE)
    all_cards = [card for hand in [*allocation, public] for card in hand]
    if any(type(card) is not int for card in all_cards) or sorted(all_cards) != list(range(pack)):
        raise GameError(
            f"initdata: allocation and publiccard: must have each of the cards 0 to {pack - 1} once",
            ErrorCode.INVALID_MESSAGE,
        )
    return DealtCards(tuple(map(tuple, allocation)), tuple(public))


def _list_length(cards: Any) -> int:
    return len(cards) if isinstance(cards, list) else -1


def build_deal(rules: CompiledGame, initdata: Mapping[str, Any]) -> DealtEpisodes:
    """Build the start of the round from completed initdata; raises GameError."""
    cards, adapter = read_dealt_cards(rules, initdata), find_adapter(rules)
    numbering, kinds = adapter.numbering(rules), len(rules.pack)
    hands = np.stack([numbering.count_kinds(hand, kinds) for hand in cards.allocation])
    aside = numbering.count_kinds(cards.publiccard, kinds)
    fluents: NDArray[np.int16] = rules.fluents.defaults.copy()
    for slot, value in EventRules.from_rules(rules).initial_fluents:
        fluents[slot] = value
    adapter.read_initdata(rules, initdata, fluents)
    stock = None
    if rules.has_draws:
        order = cards.to_draw_order(adapter.first_seat(rules, fluents))
        stock = np.array([[numbering.kind_of[card] for card in order]], np.uint8)
        hands, aside = np.zeros_like(hands), numbering.count_kinds(order, kinds)
    return DealtEpisodes(
        hands[None], aside[None], fluents[None], _read_lots(rules, initdata)[None],
        np.zeros((1, rules.seating.seats), np.int64), np.zeros(1, np.int32), stock,
    )  # fmt: skip


def lots_to_json(tables: Tables) -> dict[str, Any]:
    """Return the lots of a table's match as a field of initdata, if there are any."""
    return {LOTS_KEY: tables.state.lots[0].tolist()} if tables.event_rules.lot_sizes else {}


def _read_lots(rules: CompiledGame, initdata: Mapping[str, Any]) -> NDArray[np.int16]:
    """Return the given lots, or random ones by the seed; raises GameError for invalid ones."""
    sizes, lots = EventRules.from_rules(rules).lot_sizes, initdata.get(LOTS_KEY)
    if lots is None:
        random = Random(f"lots {initdata.get(SEED_KEY, 0)}")
        return np.array([random.randrange(size) for size in sizes], np.int16)
    if _list_length(lots) != len(sizes) or any(type(lot) is not int for lot in lots):
        raise GameError(f"initdata: lots: must be a list of {len(sizes)} numbers", ErrorCode.INVALID_MESSAGE)
    if any(not 0 <= lot < size for lot, size in zip(lots, sizes, strict=True)):
        raise GameError(
            f"initdata: lots: must be non-negative numbers below {', '.join(map(str, sizes))}",
            ErrorCode.INVALID_MESSAGE,
        )
    return np.array(lots, np.int16)
