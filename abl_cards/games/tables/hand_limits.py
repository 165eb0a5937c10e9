"""Largest hand that can occur before the first play, found by simulating deals, draws and exchanges."""

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

_TABLES, _DRAWING_TABLES = 256, 16  # simulated tables
_DECISIONS = 96  # steps of each table: choices, and ends of episodes
_PLAY_EVENTS = "play", "pass", "trick", "shown"


@cache_per_game
def largest_hand(rules: CompiledGame) -> int:
    """Return the most cards that a hand can have by the rules of deal, stock and exchanges.

    Args:
        rules: Compiled rules.

    Returns:
        Number of cards, computed once for each game.
    """
    has_exchanges = any(Signature.parse(name) in rules.derived_outputs for name in ("passes/3", "lays_aside/2"))
    if (not has_exchanges and not rules.has_draws) or rules.has_pile:
        return rules.usual_hand_size
    return cached_number(rules.kb, "largest hand", lambda: max(rules.usual_hand_size, max_hand_size(rules)))


@cache_per_game
def hands_vary_in_play(rules: CompiledGame) -> bool:
    """Return True if cards come to hands or leave them besides plays, once play has begun.

    Args:
        rules: Compiled rules.

    Returns:
        True for games with a pile, and where an event of play moves cards. A seat that is out may then hold cards
        again, and one without cards need not be out.
    """
    updates = EventRules.from_rules(rules).updates
    return rules.has_pile or any(
        len(updates[event].transfers) + len(updates[event].kitty_takes) > 0
        for event in _PLAY_EVENTS
        if event in updates
    )


def can_hold(rules: CompiledGame, cards: int) -> bool:
    """Return True if a hand can have this number of cards.

    Args:
        rules: Compiled rules.
        cards: Number of cards; exchanges are simulated only if it exceeds the usual hand size.

    Returns:
        True if the number does not exceed ``largest_hand``.
    """
    return cards <= rules.usual_hand_size or cards <= largest_hand(rules)


def check_countable(rules: CompiledGame) -> None:
    """Check that the card sets of every form can be counted.

    Args:
        rules: Compiled rules.

    Raises:
        KBError: If a form has more card sets than a random draw can count.
    """
    if rules.move_lookup is None:
        require_countable(rules.forms, rules.cells, rules.pack, lambda: largest_hand(rules))


def max_hand_size(rules: CompiledGame) -> int:
    """Return the most cards of a hand at any choice or at the first play, over simulated episodes.

    Simulated episodes end with a random order of finish instead of the first play, because exchanges often depend on
    the previous episode. Errors in the rules are ignored; playing by them reports these.

    Args:
        rules: Compiled rules.

    Returns:
        Number of cards: all cards of the pack if hands can also grow during play, 0 if the rules have errors.
    """
    random = np.random.default_rng(0)
    try:
        if hands_vary_in_play(rules):
            return len(rules.pack.deck)
        return _simulated_max_hand_size(rules, random)
    except (GameError, KBError):
        return 0


def _simulated_max_hand_size(rules: CompiledGame, random: np.random.Generator) -> int:
    """Simulate episodes, and return the size of the largest hand seen."""
    from abl_cards.games.tables.tables import Tables  # tables import observations, which import this module

    n = _DRAWING_TABLES if rules.has_draws else _TABLES
    tables = Tables(rules, n, fixed_deals=None if rules.has_draws else _sample_deals(rules, n, random))
    max_size, max_stock, all_rows = 0, 0, np.arange(n)  # rest: cards left in the stock when the play begins
    tables.begin_match(all_rows, all_rows.astype(np.uint64))
    for _ in range(_DECISIONS):
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if not playing.size + choosing.size:
            break
        waiting = np.concatenate([playing, choosing])
        max_size = max(max_size, int(tables.state.hands[waiting].sum(axis=2, dtype=np.int64).max()))
        if choosing.size:
            options = tables.choices(choosing).options
            scores = np.where(options, random.random(options.shape), -1.0)
            tables.choose(choosing, scores.argmax(axis=1).astype(np.uint8))
        if playing.size:
            if rules.has_draws:  # one deal for each table, as drawing takes as many steps as there are cards
                max_stock = max(max_stock, int(cards_in_stock(rules, tables.state, playing).max()))
                tables.state.stage[playing] = MATCH_OVER
            else:
                _end_episodes(tables, playing, random)
    return min(len(rules.pack.deck), max_size + max_stock)


def _end_episodes(tables: Tables, rows: NDArray[np.int64], random: np.random.Generator) -> None:
    """End the episodes at some tables with a random order of finish."""
    state, seats = tables.state, tables.rules.seating.seats
    state.finish_order[rows] = NO_SEAT
    state.finish_order[rows] = random.random((len(rows), seats)).argsort(axis=1)
    state.seats_out[rows] = (1 << seats) - 1
    state.stage[rows] = EPISODE_OVER
    tables.end_episodes(rows)


def _sample_deals(rules: CompiledGame, n: int, random: np.random.Generator) -> FixedDeals:
    """Deal the pack n times: every other time shuffled, else rotated in the order of ranks or of suits."""
    deck, dealt = rules.pack.deck.astype(np.int64), rules.seating.num_dealt
    parts = [parse_rank_and_suit(kind) or (str(kind), "") for kind in rules.pack.kinds]
    orders = [sorted(deck.tolist(), key=lambda kind: (str(parts[kind][field]), kind)) for field in (0, 1)]
    hands = np.zeros((n, len(dealt) + 1, len(rules.pack)), np.uint8)
    bounds = np.cumsum(dealt)
    for row in range(n):
        shuffled = row % 2 == 0
        order = random.permutation(deck) if shuffled else np.roll(orders[row // 2 % 2], random.integers(len(deck)))
        for seat, cards in enumerate(np.split(order, bounds)):
            hands[row, seat] = np.bincount(cards, minlength=len(rules.pack))
    from abl_cards.games.tables.tables import FixedDeals

    return FixedDeals(hands[:, :-1], hands[:, -1])
