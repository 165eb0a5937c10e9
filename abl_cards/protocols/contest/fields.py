"""Read fields of messages; each function raises GameError that names an invalid field."""

from __future__ import annotations

from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.protocols.common import Message


def read_seat(message: Message, name: str) -> int:
    """Read a seat 0..3."""
    seat = read_number(message, name)
    if seat > 3:
        raise GameError(f"{name}: unknown seat {str(seat)[:20]}", ErrorCode.INVALID_MESSAGE)
    return seat


def read_number(message: Message, name: str) -> int:
    """Read a non-negative number."""
    value = message.get(name)
    if type(value) is not int or value < 0:
        raise GameError(f"{name}: {str(value)[:80]} is not a number", ErrorCode.INVALID_MESSAGE)
    return value


def read_counts(message: Message, name: str) -> list[int]:
    """Read four numbers, one for each seat."""
    value = message.get(name)
    if not isinstance(value, list) or len(value) != 4 or any(type(count) is not int for count in value):
        raise GameError(f"{name}: {str(value)[:80]} is not four numbers", ErrorCode.INVALID_MESSAGE)
    return value


def read_action_list(message: Message) -> list[Any]:
    """Read the list of actions to choose from."""
    value = message.get("actionList")
    if not isinstance(value, list) or not value:
        raise GameError("actionList: must be a list of actions", ErrorCode.INVALID_MESSAGE)
    return value
