"""State of a Tractor match between rounds: levels and the banker, as fields of initdata.

``level`` is that of the round, ``banker`` a seat, ``first_round`` whether the banker is still to be found. ``levels``
of both sides is an extension: Botzone's judge knows one round. Without these fields the round is the first of a match.
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
"""Fluents of the folder: the rank of the round, the trump suit, who banks, whether that is settled before the deal, the
points of the others, and the ranks of both sides."""
LEVELS = {"A": 14, **{str(rank): rank for rank in range(2, 10)}, "0": 10, "J": 11, "Q": 12, "K": 13}
"""The ranks of the folder by Botzone's letters, in the order of its numbers."""
FIRST_ROUND, BOTH_LEVELS = "first_round", "levels"
INITDATA_KEYS = (LEVEL, BANKER, FIRST_ROUND, BOTH_LEVELS)

Fluents = NDArray[np.int16]


def read_fluent(rules: CompiledGame, fluents: Fluents, name: str, key: int = 0) -> Any:
    """Return the values [slots] of a fluent: a value or None; for counts and flags an integer."""
    fluent = rules.fluents.find(name)
    assert fluent is not None
    number = int(fluents[fluent.first_slot + key])
    if not fluent.values:
        return number
    return fluent.values[number] if number >= 0 else None


def write_fluent(rules: CompiledGame, fluents: Fluents, name: str, value: Any, key: int = 0) -> None:
    """Remember a value of one of a few, None for none; else a number."""
    fluent = rules.fluents.find(name)
    assert fluent is not None
    if fluent.values:
        value = -1 if value is None else fluent.values.index(value)
    fluents[fluent.first_slot + key] = value


def rank_letter(rank: int) -> str:
    """Botzone's letter of a rank."""
    return next(letter for letter, each in LEVELS.items() if each == rank)


def first_seat(rules: CompiledGame, fluents: Fluents) -> int:
    """Return the seat that draws the first card: the banker, if there is one."""
    return int(read_fluent(rules, fluents, BANKER)) if read_fluent(rules, fluents, GIVEN) else 0


def to_initdata(rules: CompiledGame, tables: Tables) -> dict[str, Any]:
    """Initdata of the round that begins, or would begin, at a table."""
    fluents = tables.state.fluents[0]
    given = bool(read_fluent(rules, fluents, GIVEN))
    sides = len(set(rules.seating.teams))
    return {
        LEVEL: rank_letter(read_fluent(rules, fluents, LEVEL)),
        BANKER: read_fluent(rules, fluents, BANKER) if given else -1,
        FIRST_ROUND: not given,
        BOTH_LEVELS: [rank_letter(read_fluent(rules, fluents, STANDING, side)) for side in range(sides)],
    }


def read_initdata(rules: CompiledGame, initdata: Mapping[str, Any], fluents: Fluents) -> None:
    """The other way round; raises GameError."""
    banker, seats = initdata.get(BANKER), rules.seating.seats
    if banker is not None and (type(banker) is not int or not -1 <= banker < seats):
        raise GameError(
            f"initdata: {BANKER}: {quote_json(banker)} is no seat, and not -1 either", ErrorCode.INVALID_MESSAGE
        )
    given = banker is not None and banker >= 0
    first = initdata.get(FIRST_ROUND)
    if first not in (None, True, False) or type(first) is int:
        raise GameError(
            f"initdata: {FIRST_ROUND}: {quote_json(first)} is neither true nor false", ErrorCode.INVALID_MESSAGE
        )
    if first is not None and first == given:
        raise GameError(
            f"initdata: {BANKER}: {'the first round finds one' if first else 'there must be a seat'}",
            ErrorCode.INVALID_MESSAGE,
        )
    level = _read_rank(initdata[LEVEL], LEVEL) if LEVEL in initdata else None
    levels = _read_levels(initdata[BOTH_LEVELS], len(set(rules.seating.teams))) if BOTH_LEVELS in initdata else None
    if levels and given:
        theirs = levels[rules.seating.teams[banker or 0]]
        if level not in (None, theirs):
            raise GameError(f"initdata: {LEVEL}: the banker's side is at another level", ErrorCode.INVALID_MESSAGE)
        level = theirs
    if level is not None:
        write_fluent(rules, fluents, LEVEL, level)
        for side, rank in enumerate(levels or [level] * len(set(rules.seating.teams))):
            write_fluent(rules, fluents, STANDING, rank, side)
    if given:
        write_fluent(rules, fluents, BANKER, banker)
        write_fluent(rules, fluents, GIVEN, 1)


def _read_levels(value: Any, sides: int) -> list[int]:
    if not isinstance(value, list) or len(value) != sides:
        raise GameError(
            f"initdata: {BOTH_LEVELS}: {quote_json(value)} are not the levels of {sides} sides",
            ErrorCode.INVALID_MESSAGE,
        )
    return [_read_rank(each, BOTH_LEVELS) for each in value]


def _read_rank(value: Any, key: str) -> int:
    letter = str(value) if type(value) in (int, str) else ""
    found = LEVELS.get("0" if letter == "10" else letter)
    if found is None:
        raise GameError(
            f"initdata: {key}: {quote_json(value)} is no level ({', '.join(sorted(LEVELS))})", ErrorCode.INVALID_MESSAGE
        )
    return found
