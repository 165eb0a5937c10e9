"""Hands of Dou dizhu as texts and as arrays, and decisions away from a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.min_plays.hand_keys import hand_key, key_cards, keys_from_counts
from abl_cards.games.state.state import PLAY
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types.moves import LEADING, NO_CARD

LETTERS = "3456789TJQKA2XD"


def engine_of(directory: Path | None = None, profile: str | None = None) -> Engine:
    """The game by its rule files, or by others."""
    engine = load("doudizhu").engine(directory, profile)
    assert isinstance(engine, Engine)
    return engine


def hand(text: str) -> NDArray[np.uint8]:
    """[15] copies of each rank."""
    return counts_from_cards(map(LETTERS.index, text), len(LETTERS))


def row_text(cards: NDArray[np.uint8]) -> str:
    """The cards of a move."""
    return "".join(LETTERS[card] for card in cards[cards != NO_CARD])


def decide(rules: CompiledGame, hands: NDArray[np.uint8], to_beat: NDArray[np.integer]) -> Decisions:
    """Make decisions of seat 0 with hands [n, 15] and labels to beat [n], negative when leading."""
    state, n = rules.create_state(len(hands)), len(hands)
    state.hands[:, 0] = hands
    forms = np.array([*(rules.forms.index.get(label, LEADING) for label in rules.labels), LEADING], np.int16)
    state.to_beat[:] = forms[to_beat]
    state.owner[:] = np.where(state.to_beat < 0, 0, rules.seating.seats - 1)
    state.stage[:] = PLAY
    return Decisions(PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), has_hand_sizes=False))


_DECK = np.repeat(np.arange(len(LETTERS)), [4] * 13 + [1, 1])
_MOST_CARDS = 20


def uneven_hands(random: np.random.Generator, states: int) -> NDArray[np.uint64]:
    """Draw hands with many chains and bombs, as keys [states]."""
    noise = random.random((states, len(_DECK)))
    first, width = random.integers(0, 12, (states, 1)), random.integers(1, 9, (states, 1))
    likely = ((_DECK - first) % 13 < width) & (_DECK < 13) | (_DECK >= 13) & (random.random((states, 1)) < 0.5)
    noise -= likely & (random.random((states, 1)) < 0.7)  # the rest of the pack stays away while it can
    order, sizes = _DECK[noise.argsort(axis=1)], random.integers(1, _MOST_CARDS + 1, states)
    held = (order[..., None] == np.arange(len(LETTERS))) & (np.arange(len(_DECK)) < sizes[:, None])[..., None]
    return keys_from_counts(held.sum(axis=1))


def read_hand(cards: str) -> int:
    """The key of a text."""
    return hand_key(map(LETTERS.index, cards))


def hand_text(key: int) -> str:
    """The text of a key."""
    return "".join(LETTERS[card] for card in key_cards(key))
