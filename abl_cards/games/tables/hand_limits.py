"""How large hands become before a card is played: by the rules of deal, stock and exchanges, tried on many deals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import KBError, Signature
from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import cached_number, parse_rank_and_suit, require_countable
from abl_cards.games.state import EPISODE_OVER, MATCH_OVER, NO_SEAT
from abl_cards.games.tables.events import EventRules
from abl_cards.games.tables.stock import cards_in_stock

if TYPE_CHECKING:
    from abl_cards.games.tables.tables import FixedDeals, Tables

_TABLES, _DRAWING_TABLES = 256, 16
_DECISIONS = 96  # at each table: choices, and episodes that end
_PLAY_EVENTS = "play", "pass", "trick", "shown"


@cache_per_game
def largest_hand(rules: CompiledGame) -> int:
    """Return the most cards that a hand comes to by the rules of deal, stock and exchanges."""
    moving = any(Signature.parse(name) in rules.derived_outputs for name in ("passes/3", "lays_aside/2"))
    if not moving and not rules.has_draws:
        return rules.usual_hand_size
    return cached_number(rules.kb, "largest hand", lambda: max(rules.usual_hand_size, max_hand_size(rules)))


def can_hold(rules: CompiledGame, cards: int) -> bool:
    """Return whether a hand may have so many cards; exchanges are only tried where there are more than usual."""
    return cards <= rules.usual_hand_size or cards <= largest_hand(rules)


def check_countable(rules: CompiledGame) -> None:
    """Raise KBError for a form that can be laid down in more ways than a draw can count."""
    if rules.move_lookup is None:
        require_countable(rules.forms, rules.cells, rules.pack, lambda: largest_hand(rules))


def max_hand_size(rules: CompiledGame) -> int:
    """The most cards of a hand at any choice, or when the play begins; all cards where hands also grow in play.

    Episodes end in a random order as soon as the play would begin, for exchanges often hang on the episode before.
    What is wrong with the rules is not said here: it is where they are played by.
    """
    random = np.random.default_rng(0)
    try:
        changes = EventRules.from_rules(rules).updates
        if any(
            len(changes[event].transfers) + len(changes[event].kitty_takes)
            for event in _PLAY_EVENTS
            if event in changes
        ):
            return len(rules.pack.deck)
        return _simulated_max_hand_size(rules, random)
    except (GameError, KBError):
        return 0


def _simulated_max_hand_size(rules: CompiledGame, random: np.random.Generator) -> int:
    from abl_cards.games.tables.tables import Tables  # observations ask for the largest hand, and tables observe

    n = _DRAWING_TABLES if rules.has_draws else _TABLES
    tables = Tables(rules, n, fixed_deals=None if rules.has_draws else _sample_deals(rules, n, random))
    found, rest, everywhere = 0, 0, np.arange(n)  # rest: cards that are drawn while cards are played
    tables.begin_match(everywhere, everywhere.astype(np.uint64))
    for _ in range(_DECISIONS):
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if not playing.size + choosing.size:
            break
        waiting = np.concatenate([playing, choosing])
        found = max(found, int(tables.state.hands[waiting].sum(axis=2, dtype=np.int64).max()))
        if choosing.size:
            options = tables.choices(choosing).options
            lots = np.where(options, random.random(options.shape), -1.0)
            tables.choose(choosing, lots.argmax(axis=1).astype(np.uint8))
        if playing.size:
            if rules.has_draws:  # a deal takes as many steps as there are cards: one of each table is enough
                rest = max(rest, int(cards_in_stock(rules, tables.state, playing).max()))
                tables.state.stage[playing] = MATCH_OVER
            else:
                _end_episodes(tables, playing, random)
    return min(len(rules.pack.deck), found + rest)


def _end_episodes(tables: Tables, rows: NDArray[np.int64], random: np.random.Generator) -> None:
    """End the episodes at some tables; the seats go out in a random order."""
    state, seats = tables.state, tables.rules.seating.seats
    state.finish_order[rows] = NO_SEAT
    state.finish_order[rows] = random.random((len(rows), seats)).argsort(axis=1)
    state.seats_out[rows] = (1 << seats) - 1
    state.stage[rows] = EPISODE_OVER
    tables.end_episodes(rows)


def _sample_deals(rules: CompiledGame, n: int, random: np.random.Generator) -> FixedDeals:
    """Deals of the pack; every other one in the order of suits or of ranks, so that equal cards lie together."""
    deck, dealt = rules.pack.deck.astype(np.int64), rules.seating.num_dealt
    parts = [parse_rank_and_suit(kind) or (str(kind), "") for kind in rules.pack.kinds]
    orders = [sorted(deck.tolist(), key=lambda kind: (str(parts[kind][place]), kind)) for place in (0, 1)]
    hands = np.zeros((n, len(dealt) + 1, len(rules.pack)), np.uint8)
    bounds = np.cumsum(dealt)
    for row in range(n):
        shuffled = row % 2 == 0
        order = random.permutation(deck) if shuffled else np.roll(orders[row // 2 % 2], random.integers(len(deck)))
        for seat, cards in enumerate(np.split(order, bounds)):
            hands[row, seat] = np.bincount(cards, minlength=len(rules.pack))
    from abl_cards.games.tables.tables import FixedDeals

    return FixedDeals(hands[:, :-1], hands[:, -1])
