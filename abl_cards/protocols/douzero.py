"""Convert game records of DouZero to records of this project.

A record of DouZero has the fields ``init_hand_cards`` and ``card_play_action_<role>``. Cards are integers, and the
moves of each role are in order of play. The landlord is seat 0 and moves first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl_cards.core import ErrorCode, GameError

ROLES = ("landlord", "landlord_down", "landlord_up")
"""Roles in order of play."""
HANDS_KEY = "init_hand_cards"
_LETTERS = {**dict(zip(range(3, 15), "3456789TJQKA", strict=True)), 17: "2", 20: "X", 30: "D"}
_SINGLE = (20, 30)  # the jokers


def convert_douzero_record(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a record of DouZero to a record of this project.

    Args:
        record: JSON object of one game.

    Returns:
        The converted record; a record without ``init_hand_cards`` is returned unchanged.

    Raises:
        GameError: A field is missing or invalid; the message names it (code ``invalid-record``).
    """
    if HANDS_KEY not in record:
        return record
    hands = record[HANDS_KEY]
    if not isinstance(hands, Mapping):
        raise GameError(f"{HANDS_KEY}: must be an object with a list of cards for each role", ErrorCode.INVALID_RECORD)
    dealt = [_read_cards(hands.get(role), f"{HANDS_KEY}: {role}") for role in ROLES]
    bottom = _read_cards(hands.get("three_landlord_cards", []), "three_landlord_cards")
    for letter in bottom:
        if letter not in dealt[0]:
            raise GameError("bottom: the landlord's hand does not have these cards", ErrorCode.INVALID_RECORD)
        dealt[0] = dealt[0].replace(letter, "", 1)
    points = _read_points(record)
    return {
        "game": "doudizhu", "hands": dealt, "aside": bottom, "acts": _read_acts(record),
        **({} if points is None else {"points": points}),
    }  # fmt: skip


def _read_acts(record: Mapping[str, Any]) -> list[list[Any]]:
    moves, turn = [_read_moves(record, role) for role in ROLES], 0
    acts: list[list[Any]] = []
    while turn // 3 < len(moves[turn % 3]):
        acts.append([turn % 3, moves[turn % 3][turn // 3] or "pass"])
        turn += 1
    if len(acts) != sum(map(len, moves)):
        raise GameError(
            f"{ROLES[turn % 3]} has {len(moves[turn % 3])} moves, fewer than the others require",
            ErrorCode.INVALID_RECORD,
        )
    return acts


def _read_moves(record: Mapping[str, Any], role: str) -> list[str]:
    field = f"card_play_action_{role}"
    moves = record.get(field)
    if not isinstance(moves, list):
        raise GameError(f"{field}: must be a list of moves", ErrorCode.INVALID_RECORD)
    return [_read_cards(move, f"{field}: move {index}") for index, move in enumerate(moves, start=1)]


def _read_cards(value: Any, field: str) -> str:
    """Read cards of DouZero and return their letters."""
    if not isinstance(value, list):
        raise GameError(f"{field}: {value!r} is not a list of cards", ErrorCode.INVALID_RECORD)
    for card in value:
        if type(card) is not int or card not in _LETTERS:
            raise GameError(
                f"{field}: {card!r} is not a card: 3..14 for 3..A, 17 for 2, 20 and 30 for the jokers",
                ErrorCode.INVALID_RECORD,
            )
        if value.count(card) > (1 if card in _SINGLE else 4):
            raise GameError(f"{field}: more copies of {card} than in a pack", ErrorCode.INVALID_RECORD)
    return "".join(_LETTERS[card] for card in sorted(value))


def _read_points(record: Mapping[str, Any]) -> list[int] | None:
    """Return the points by seat, if recorded; a recorded winner must agree with the points."""
    won = record.get("landlord_win")
    if won not in (0, 1, None):
        raise GameError(f"landlord_win: {won!r} is not 0 or 1", ErrorCode.INVALID_RECORD)
    scores = [record.get(field) for field in ("landlord_score", "farmer_score")]
    if any(type(score) is not int for score in scores):
        return None
    points = [int(scores[0] or 0), int(scores[1] or 0), int(scores[1] or 0)]
    if won is not None and (points[0] > 0) != bool(won):
        raise GameError(f"landlord_win: {won!r}, but the landlord has {points[0]} points", ErrorCode.INVALID_RECORD)
    return points
