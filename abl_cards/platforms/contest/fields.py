"""Fields of messages, read with suspicion: whatever a table says, it is a value or a GameError that names the field."""

from __future__ import annotations

from typing import Any

from abl_cards.errors import GameError
from abl_cards.games.service import Message


def seat_of(told: Message, name: str) -> int:
    """A seat 0..3."""
    seat = number_of(told, name)
    if seat > 3:
        raise GameError(f"{name}: there is no seat {str(seat)[:20]}")
    return seat


def number_of(told: Message, name: str) -> int:
    """A number that is not negative."""
    value = told.get(name)
    if type(value) is not int or value < 0:
        raise GameError(f"{name}: {str(value)[:80]} is no number")
    return value


def counts_of(told: Message, name: str) -> list[int]:
    """A number for each seat."""
    value = told.get(name)
    if not isinstance(value, list) or len(value) != 4 or any(type(each) is not int for each in value):
        raise GameError(f"{name}: {str(value)[:80]} is not four numbers")
    return value


def offered_of(told: Message) -> list[Any]:
    """What there is to choose from."""
    value = told.get("actionList")
    if not isinstance(value, list) or not value:
        raise GameError("actionList is no list of actions")
    return value
