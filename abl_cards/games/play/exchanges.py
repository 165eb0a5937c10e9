"""How large hands become before a card is played: by the rules of deal, stock and exchanges, tried on many deals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import EPISODE_OVER, MATCH_OVER, NOBODY
from abl_cards.games.play.stock import left
from abl_cards.games.reading.draws import require_countable
from abl_cards.games.reading.pack import rank_and_suit
from abl_cards.games.reading.rules import Rules
from abl_cards.games.verdicts import stored_number
from abl_cards.games.words.once import once
from abl_cards.logic import KBError, Signature

if TYPE_CHECKING:
    from abl_cards.games.play.tables import Given, Tables

_TABLES, _DRAWING_TABLES = 256, 16
_DECISIONS = 96  # at each table: choices, and episodes that end
_IN_PLAY = "play", "pass", "trick", "shown"


@once
def largest_hand(rules: Rules) -> int:
    """Return the most cards that a hand comes to by the rules of deal, stock and exchanges."""
    moving = any(Signature.parse(name) in rules.derived for name in ("passes/3", "lays_aside/2"))
    if not moving and not rules.draws:
        return rules.usual_hand
    return stored_number(rules.kb, "largest hand", lambda: max(rules.usual_hand, largest_seen(rules)))


def can_hold(rules: Rules, cards: int) -> bool:
    """Return whether a hand may have so many cards; exchanges are only tried where there are more than usual."""
    return cards <= rules.usual_hand or cards <= largest_hand(rules)


def check_countable(rules: Rules) -> None:
    """Raise KBError for a form that can be laid down in more ways than a draw can count."""
    if rules.fixed is None:
        require_countable(rules.forms, rules.cells, rules.pack, lambda: largest_hand(rules))


def largest_seen(rules: Rules) -> int:
    """The most cards of a hand at any choice, or when the play begins; all cards where hands also grow in play.

    Episodes end in a random order as soon as the play would begin, for exchanges often hang on the episode before.
    What is wrong with the rules is not said here: it is where they are played by.
    """
    random = np.random.default_rng(0)
    try:
        changes = Flow.of(rules).changes
        if any(len(changes[event].passes) + len(changes[event].takes) for event in _IN_PLAY if event in changes):
            return len(rules.pack.deck)
        return _tried(rules, random)
    except (GameError, KBError):
        return 0


def _tried(rules: Rules, random: np.random.Generator) -> int:
    from abl_cards.games.play.tables import Tables  # observations ask for the largest hand, and tables observe

    n = _DRAWING_TABLES if rules.draws else _TABLES
    tables = Tables(rules, n, given=None if rules.draws else _deals(rules, n, random))
    found, rest, everywhere = 0, 0, np.arange(n)  # rest: cards that are drawn while cards are played
    tables.begin_match(everywhere, everywhere.astype(np.uint64))
    for _ in range(_DECISIONS):
        playing, choosing = tables.playing(), tables.choosing()
        if not playing.size + choosing.size:
            break
        waiting = np.concatenate([playing, choosing])
        found = max(found, int(tables.state.hands[waiting].sum(axis=2, dtype=np.int64).max()))
        if choosing.size:
            options = tables.choices(choosing).options
            lots = np.where(options, random.random(options.shape), -1.0)
            tables.choose(choosing, lots.argmax(axis=1).astype(np.uint8))
        if playing.size:
            if rules.draws:  # a deal takes as many steps as there are cards: one of each table is enough
                rest = max(rest, int(left(rules, tables.state, playing).max()))
                tables.state.stage[playing] = MATCH_OVER
            else:
                _end(tables, playing, random)
    return min(len(rules.pack.deck), found + rest)


def _end(tables: Tables, which: NDArray[np.int64], random: np.random.Generator) -> None:
    """End the episodes at some tables; the seats go out in a random order."""
    state, seats = tables.state, tables.rules.table.seats
    state.order[which] = NOBODY
    state.order[which] = random.random((len(which), seats)).argsort(axis=1)
    state.out[which] = (1 << seats) - 1
    state.stage[which] = EPISODE_OVER
    tables.end_episodes(which)


def _deals(rules: Rules, n: int, random: np.random.Generator) -> Given:
    """Deals of the pack; every other one in the order of suits or of ranks, so that equal cards lie together."""
    deck, dealt = rules.pack.deck.astype(np.int64), rules.table.dealt
    parts = [rank_and_suit(kind) or (str(kind), "") for kind in rules.pack.kinds]
    orders = [sorted(deck.tolist(), key=lambda kind: (str(parts[kind][place]), kind)) for place in (0, 1)]
    hands = np.zeros((n, len(dealt) + 1, len(rules.pack)), np.uint8)
    bounds = np.cumsum(dealt)
    for row in range(n):
        shuffled = row % 2 == 0
        order = random.permutation(deck) if shuffled else np.roll(orders[row // 2 % 2], random.integers(len(deck)))
        for seat, cards in enumerate(np.split(order, bounds)):
            hands[row, seat] = np.bincount(cards, minlength=len(rules.pack))
    from abl_cards.games.play.tables import Given

    return Given(hands[:, :-1], hands[:, -1])
