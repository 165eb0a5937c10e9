"""State of a Tractor match between rounds: levels and the banker, as fields of initdata.

``level`` is that of the round, ``banker`` a seat, ``first_round`` whether the banker is not determined yet. ``levels``
of both sides is an extension: Botzone's judge has one round. Without these fields the round is the first of a match.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Tables
from abl_cards.protocols.botzone.faults import quote_json

LEVEL, TRUMP, BANKER, GIVEN, TOTAL, STANDING = "level", "trump", "banker", "given", "total", "standing"
"""Fluents of the folder: level of the round, trump suit, banker, whether the banker is known before the deal, points of
the other side, and levels of both sides."""
LEVELS = {"A": 14, **{str(rank): rank for rank in range(2, 10)}, "0": 10, "J": 11, "Q": 12, "K": 13}
"""Ranks of the folder by Botzone's letters, in the order of its numbers."""
FIRST_ROUND, BOTH_LEVELS = "first_round", "levels"
INITDATA_KEYS = (LEVEL, BANKER, FIRST_ROUND, BOTH_LEVELS)

Fluents = NDArray[np.int16]


def read_fluent(rules: CompiledGame, fluents: Fluents, name: str, key: int = 0) -> Any:
    """Return the value of a fluent, if any; an integer for counts and flags."""
    fluent = rules.fluents.find(name)
    assert fluent is not None
    value_index = int(fluents[fluent.first_slot + key])
    if not fluent.values:
        return value_index
    return fluent.values[value_index] if value_index >= 0 else None


def write_fluent(rules: CompiledGame, fluents: Fluents, name: str, value: Any, key: int = 0) -> None:
    """Write the value of a fluent, None for none; an integer for counts and flags."""
    fluent = rules.fluents.find(name)
    assert fluent is not None
    if fluent.values:
        value = -1 if value is None else fluent.values.index(value)
    fluents[fluent.first_slot + key] = value


def rank_letter(rank: int) -> str:
    """Return Botzone's letter of a rank."""
    return next(letter for letter, letter_rank in LEVELS.items() if letter_rank == rank)


def first_seat(rules: CompiledGame, fluents: Fluents) -> int:
    """Return the seat that draws the first card: the banker, if there is one."""
    return int(read_fluent(rules, fluents, BANKER)) if read_fluent(rules, fluents, GIVEN) else 0


def to_initdata(rules: CompiledGame, tables: Tables) -> dict[str, Any]:
    """Return the fields of initdata of the next round at a table."""
    fluents = tables.state.fluents[0]
    has_banker = bool(read_fluent(rules, fluents, GIVEN))
    sides = len(set(rules.seating.teams))
    return {
        LEVEL: rank_letter(read_fluent(rules, fluents, LEVEL)),
        BANKER: read_fluent(rules, fluents, BANKER) if has_banker else -1,
        FIRST_ROUND: not has_banker,
        BOTH_LEVELS: [rank_letter(read_fluent(rules, fluents, STANDING, side)) for side in range(sides)],
    }


def read_initdata(rules: CompiledGame, initdata: Mapping[str, Any], fluents: Fluents) -> None:
    """Write fields of initdata into fluents [slots]; raises GameError for invalid fields."""
    banker, seats = initdata.get(BANKER), rules.seating.seats
    if banker is not None and (type(banker) is not int or not -1 <= banker < seats):
        raise GameError(f"initdata: {BANKER}: {quote_json(banker)} is not a seat or -1", ErrorCode.INVALID_MESSAGE)
    has_banker = banker is not None and banker >= 0
    is_first = initdata.get(FIRST_ROUND)
    if is_first not in (None, True, False) or type(is_first) is int:
        raise GameError(
            f"initdata: {FIRST_ROUND}: {quote_json(is_first)} is not true or false", ErrorCode.INVALID_MESSAGE
        )
    if is_first is not None and is_first == has_banker:
        raise GameError(
            f"initdata: {BANKER}: {'must be -1 in the first round' if is_first else 'must be a seat'}",
            ErrorCode.INVALID_MESSAGE,
        )
    level = _read_rank(initdata[LEVEL], LEVEL) if LEVEL in initdata else None
    levels = _read_levels(initdata[BOTH_LEVELS], len(set(rules.seating.teams))) if BOTH_LEVELS in initdata else None
    if levels and has_banker:
        banker_level = levels[rules.seating.teams[banker or 0]]
        if level not in (None, banker_level):
            raise GameError(f"initdata: {LEVEL}: the banker's side is at another level", ErrorCode.INVALID_MESSAGE)
        level = banker_level
    if level is not None:
        write_fluent(rules, fluents, LEVEL, level)
        for side, rank in enumerate(levels or [level] * len(set(rules.seating.teams))):
            write_fluent(rules, fluents, STANDING, rank, side)
    if has_banker:
        write_fluent(rules, fluents, BANKER, banker)
        write_fluent(rules, fluents, GIVEN, 1)


def _read_levels(value: Any, sides: int) -> list[int]:
    if not isinstance(value, list) or len(value) != sides:
        raise GameError(
            f"initdata: {BOTH_LEVELS}: {quote_json(value)} is not a list of {sides} levels",
            ErrorCode.INVALID_MESSAGE,
        )
    return [_read_rank(level, BOTH_LEVELS) for level in value]


def _read_rank(value: Any, key: str) -> int:
    letter = str(value) if type(value) in (int, str) else ""
    rank = LEVELS.get("0" if letter == "10" else letter)
    if rank is None:
        raise GameError(
            f"initdata: {key}: unknown level {quote_json(value)}; known: {', '.join(sorted(LEVELS))}",
            ErrorCode.INVALID_MESSAGE,
        )
    return rank
