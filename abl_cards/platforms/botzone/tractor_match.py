"""What a round of Tractor has from its match, and leaves to it: levels, and who banks; as initdata has them.

``level`` is that of the round, ``banker`` a seat, ``first_round`` says that the bank is still to be found. ``levels``
of both sides are ours: Botzone's judge knows one round. All may be missing: that is the first round of a match.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.platforms.botzone.faults import shown

LEVEL, TRUMP, BANKER, GIVEN, TOTAL, STANDING = "level", "trump", "banker", "given", "total", "standing"
"""Fluents of the folder: the rank of the round, the trump suit, who banks, whether that is settled before the deal, the
points of the others, and the ranks of both sides."""
LEVELS = {"A": 14, **{str(rank): rank for rank in range(2, 10)}, "0": 10, "J": 11, "Q": 12, "K": 13}
"""The ranks of the folder by Botzone's letters, in the order of its numbers."""
FIRST_ROUND, BOTH = "first_round", "levels"
KEYS = (LEVEL, BANKER, FIRST_ROUND, BOTH)

Fluents = NDArray[np.int16]


def value_of(rules: Rules, fluents: Fluents, name: str, key: int = 0) -> Any:
    """What is remembered [slots] under a name: a value or None; of counts, and of what holds or not, the number."""
    fluent = rules.fluents.named(name)
    assert fluent is not None
    number = int(fluents[fluent.first + key])
    if not fluent.values:
        return number
    return fluent.values[number] if number >= 0 else None


def set_value(rules: Rules, fluents: Fluents, name: str, value: Any, key: int = 0) -> None:
    """Remember a value of one of a few, None for none; else a number."""
    fluent = rules.fluents.named(name)
    assert fluent is not None
    if fluent.values:
        value = -1 if value is None else fluent.values.index(value)
    fluents[fluent.first + key] = value


def letter_of(rank: int) -> str:
    """Botzone's letter of a rank."""
    return next(letter for letter, each in LEVELS.items() if each == rank)


def first_seat(rules: Rules, fluents: Fluents) -> int:
    """Who draws the first card: the banker, where there is one."""
    return int(value_of(rules, fluents, BANKER)) if value_of(rules, fluents, GIVEN) else 0


def known(rules: Rules, tables: Tables) -> dict[str, Any]:
    """Initdata of the round that begins, or would begin, at a table."""
    fluents = tables.state.fluents[0]
    given = bool(value_of(rules, fluents, GIVEN))
    sides = len(set(rules.table.team))
    return {
        LEVEL: letter_of(value_of(rules, fluents, LEVEL)),
        BANKER: value_of(rules, fluents, BANKER) if given else -1,
        FIRST_ROUND: not given,
        BOTH: [letter_of(value_of(rules, fluents, STANDING, side)) for side in range(sides)],
    }


def remember(rules: Rules, initdata: Mapping[str, Any], fluents: Fluents) -> None:
    """The other way round; raises GameError."""
    banker, seats = initdata.get(BANKER), rules.table.seats
    if banker is not None and (type(banker) is not int or not -1 <= banker < seats):
        raise GameError(f"initdata: {BANKER}: {shown(banker)} is no seat, and not -1 either")
    given = banker is not None and banker >= 0
    first = initdata.get(FIRST_ROUND)
    if first not in (None, True, False) or type(first) is int:
        raise GameError(f"initdata: {FIRST_ROUND}: {shown(first)} is neither true nor false")
    if first is not None and first == given:
        raise GameError(f"initdata: {BANKER}: {'the first round finds one' if first else 'there must be a seat'}")
    level = _rank(initdata[LEVEL], LEVEL) if LEVEL in initdata else None
    levels = _both(initdata[BOTH], len(set(rules.table.team))) if BOTH in initdata else None
    if levels and given:
        theirs = levels[rules.table.team[banker or 0]]
        if level not in (None, theirs):
            raise GameError(f"initdata: {LEVEL}: the banker's side is at another level")
        level = theirs
    if level is not None:
        set_value(rules, fluents, LEVEL, level)
        for side, rank in enumerate(levels or [level] * len(set(rules.table.team))):
            set_value(rules, fluents, STANDING, rank, side)
    if given:
        set_value(rules, fluents, BANKER, banker)
        set_value(rules, fluents, GIVEN, 1)


def _both(value: Any, sides: int) -> list[int]:
    if not isinstance(value, list) or len(value) != sides:
        raise GameError(f"initdata: {BOTH}: {shown(value)} are not the levels of {sides} sides")
    return [_rank(each, BOTH) for each in value]


def _rank(value: Any, key: str) -> int:
    letter = str(value) if type(value) in (int, str) else ""
    found = LEVELS.get("0" if letter == "10" else letter)
    if found is None:
        raise GameError(f"initdata: {key}: {shown(value)} is no level ({', '.join(sorted(LEVELS))})")
    return found
