"""Seats by their names relative to another seat, such as ``next`` and ``partner``, or by their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame


def other_seats(rules: CompiledGame, seat: int) -> list[int]:
    """Return the other seats in the order of play.

    Args:
        rules: Compiled game.
        seat: Seat after which the order begins.

    Returns:
        All seats but this one.
    """
    others = []
    for _ in range(rules.seating.seats - 1):
        seat = rules.seating.next_seat[seat]
        others.append(seat)
    return others


def seat_to_json(rules: CompiledGame, seat: int, other: int) -> Any:
    """Return another seat by its relative name; a seat itself by its number."""
    return other if other == seat else str(rules.seating.relative_names[other_seats(rules, seat).index(other)])


def seats_to_json(rules: CompiledGame, seat: int, seats: Iterable[int]) -> list[Any]:
    """Return seats by their relative names."""
    return [seat_to_json(rules, seat, other) for other in seats]


def read_seat(rules: CompiledGame, seat: int, value: Any) -> int:
    """Read a seat given by relative name or number; raises GameError."""
    if type(value) is int:
        return read_seat_number(rules, value)
    words = [str(word) for word in rules.seating.relative_names]
    if not isinstance(value, str) or value not in words:
        raise GameError(f"unknown seat {value!r}; known: {', '.join(words)}, or a number", ErrorCode.INVALID_STATE)
    return other_seats(rules, seat)[words.index(value)]


def read_seat_number(rules: CompiledGame, value: Any) -> int:
    """Read the number of a seat; raises GameError."""
    if type(value) is not int or not 0 <= value < rules.seating.seats:
        raise GameError(f"{value!r} is not a seat from 0 to {rules.seating.seats - 1}", ErrorCode.INVALID_STATE)
    return value


def read_seats(rules: CompiledGame, seat: int, value: Any) -> list[int]:
    """Read a list of seats; raises GameError."""
    if not isinstance(value, list):
        raise GameError(f"{value!r} is not a list of seats", ErrorCode.INVALID_STATE)
    seats = [read_seat(rules, seat, item) for item in value]
    if len(set(seats)) < len(seats):
        raise GameError(f"{value!r} names a seat twice", ErrorCode.INVALID_STATE)
    return seats


def mask_from_seats(seats: Sequence[int]) -> int:
    """Return seats as a bit mask."""
    return sum(1 << seat for seat in seats)


def seats_from_mask(mask: int) -> list[int]:
    """Return the seats of a bit mask.

    >>> seats_from_mask(0b101)
    [0, 2]
    """
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]
