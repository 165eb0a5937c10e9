"""Moves and states of Big2 as text: a hand or a move is its cards from low to high.

>>> hand_text(read_hand("2A33")), Action("3334").to_json()
('33A2', '3334')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.knowledge import FIRST, LETTERS, MOST_CARDS, RANK_COUNT
from abl_cards.games.game import GameError

NO_CARD = 255


@dataclass(frozen=True)
class Action:
    """Cards laid down, none for a pass."""

    cards: str = ""

    def __str__(self) -> str:
        return self.cards or "PASS"

    def to_json(self) -> Any:
        """The cards as a text, a pass as an empty one."""
        return self.cards


def hand_text(counts: NDArray[np.integer]) -> str:
    """The copies of each rank [13] as text."""
    return "".join(letter * int(count) for letter, count in zip(LETTERS, counts, strict=True))


def row_text(cards: NDArray[np.uint8]) -> str:
    """The cards of a move as text."""
    return "".join(LETTERS[card - FIRST] for card in cards.tolist() if card != NO_CARD)


def row_of(counts: NDArray[np.integer]) -> NDArray[np.uint8]:
    """The copies of each rank [13] as the cards of a move."""
    row = np.full(MOST_CARDS, NO_CARD, np.uint8)
    cards = np.repeat(np.arange(RANK_COUNT), counts) + FIRST
    row[: len(cards)] = cards
    return row


def read_hand(text: Any) -> NDArray[np.uint8]:
    """The copies of each rank [13] of a text of cards in any order; raises GameError."""
    if not isinstance(text, str):
        raise GameError(f'{text!r} is no text of cards, like "3344TJQKA2"')
    counts = np.zeros(RANK_COUNT, np.uint8)
    for letter in text:
        rank = LETTERS.find(letter)
        if rank < 0:
            raise GameError(f"{letter!r} is no card: write {LETTERS}")
        counts[rank] += 1
        if counts[rank] > 4:
            raise GameError(f"there are not that many {letter} in a pack")
    if counts.sum() > MOST_CARDS:
        raise GameError(f"{len(text)} cards; a hand has at most {MOST_CARDS}")
    return counts


def read_some(text: Any) -> NDArray[np.uint8]:
    """The same, and at least one card."""
    counts = read_hand(text)
    if not counts.any():
        raise GameError("there are no cards")
    return counts


@dataclass(frozen=True)
class State:
    """What a seat to decide must answer."""

    hand: NDArray[np.uint8]
    to_beat: NDArray[np.uint8] | None
    other: NDArray[np.uint8] | None
    profile: str | None = None

    @classmethod
    def from_json(cls, value: Any) -> State:
        """Read a state; raises GameError that names the field."""
        if not isinstance(value, Mapping) or "hand" not in value:
            raise GameError('a state is a JSON object like {"hand":"3344455TJQKA2","to_beat":null}')
        with reading("hand"):
            hand = read_some(value["hand"])
        with reading("to_beat"):
            to_beat = None if value.get("to_beat") is None else read_some(value["to_beat"])
        with reading("other"):
            other = None if value.get("other") is None else read_some(value["other"])
        profile = value.get("profile")
        if profile is not None and not isinstance(profile, str):
            raise GameError(f"profile: {profile!r} is no name")
        check_pack(hand, to_beat, other)
        return cls(hand, to_beat, other, profile)


def check_pack(*parts: NDArray[np.uint8] | None) -> None:
    """Raise GameError where all the cards together are more than one pack has."""
    total = sum((part.astype(np.int64) for part in parts if part is not None), np.zeros(RANK_COUNT, np.int64))
    for letter, count in zip(LETTERS, total, strict=True):
        if count > 4:
            raise GameError(f"together that makes {count} cards {letter}; a pack has four")


@contextmanager
def reading(field: str) -> Iterator[None]:
    """Name the field in an error."""
    try:
        yield
    except GameError as problem:
        raise GameError(f"{field}: {problem}") from None
