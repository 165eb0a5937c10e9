"""Seats in the words of another seat: ``next``, ``partner``; or by their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame


def other_seats(rules: CompiledGame, seat: int) -> list[int]:
    """The other seats in the order of play from a seat on."""
    found = []
    for _ in range(rules.seating.seats - 1):
        seat = rules.seating.next_seat[seat]
        found.append(seat)
    return found


def seat_to_json(rules: CompiledGame, seat: int, other: int) -> Any:
    """Another seat by its word; a seat itself by its number."""
    return other if other == seat else str(rules.seating.relative_names[other_seats(rules, seat).index(other)])


def seats_to_json(rules: CompiledGame, seat: int, seats: Iterable[int]) -> list[Any]:
    """Seats, each by its word."""
    return [seat_to_json(rules, seat, other) for other in seats]


def read_seat(rules: CompiledGame, seat: int, value: Any) -> int:
    """A seat by its word or its number; raises GameError."""
    if type(value) is int:
        return read_seat_number(rules, value)
    words = [str(word) for word in rules.seating.relative_names]
    if not isinstance(value, str) or value not in words:
        raise GameError(f"{value!r} is none of {', '.join(words)}, and no number of a seat", ErrorCode.INVALID_STATE)
    return other_seats(rules, seat)[words.index(value)]


def read_seat_number(rules: CompiledGame, value: Any) -> int:
    """The number of a seat; raises GameError."""
    if type(value) is not int or not 0 <= value < rules.seating.seats:
        raise GameError(f"{value!r} is no seat 0 to {rules.seating.seats - 1}", ErrorCode.INVALID_STATE)
    return value


def read_seats(rules: CompiledGame, seat: int, value: Any) -> list[int]:
    """A list of seats; raises GameError."""
    if not isinstance(value, list):
        raise GameError(f"{value!r} is no list of seats", ErrorCode.INVALID_STATE)
    found = [read_seat(rules, seat, each) for each in value]
    if len(set(found)) < len(found):
        raise GameError(f"{value!r} names a seat twice", ErrorCode.INVALID_STATE)
    return found


def mask_from_seats(seats: Sequence[int]) -> int:
    """Seats as bits."""
    return sum(1 << seat for seat in seats)


def seats_from_mask(mask: int) -> list[int]:
    """Bits as seats.

    >>> seats_from_mask(0b101)
    [0, 2]
    """
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]
