"""Errors that every part of the project raises, and their codes."""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Kind of an error: stable across versions, while messages may change.

    Programs and tests compare codes; people read messages. ``docs/reference/errors.md`` lists all codes with
    the descriptions given here.
    """

    description: str

    def __new__(cls, value: str, description: str) -> ErrorCode:
        """Make a member from its text and one sentence about it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    # Values and files
    INVALID_VALUE = "invalid-value", "An argument or a setting has a value outside its range."
    INVALID_JSON = "invalid-json", "A JSON text or one of its fields has the wrong form or type."

    # Rule files (asp, circuit)

    # Games: descriptions and states (games)
    UNKNOWN_GAME = "unknown-game", "No shipped game and no rule folder has this name."

    # Games: tables and moves
    INVALID_EVENT_RULE = (
        "invalid-event-rule",
        "Rules for the course of play lack leads/1, or name a fluent, seat, card or count that the game does not have.",
    )
    INVALID_HAND_FACT = "invalid-hand-fact", "A has, lacks or belief fact names no card or seat of the game."
    INVALID_OBSERVATION = (
        "invalid-observation",
        "A sees/2 or sees/3 fact names a part of an observation that the game does not have, or names one twice.",
    )
    INCOMPLETE_STATE = "incomplete-state", "A state or a deal lacks data that the request needs, such as hand sizes."
    UNSUPPORTED_GAME = "unsupported-game", "The rules of the game do not allow the requested computation."
    UNSUPPORTED_POSITION = "unsupported-position", "The solver of endgames cannot represent this position."
    ILLEGAL_MOVE = "illegal-move", "A move is not legal in the position."
    TOO_MANY_MOVES = "too-many-moves", "More card sets are legal in several decisions than one call lists."
    UNKNOWN_PREFERENCE = "unknown-preference", "The game has no preference and no group of preferences with this name."

    # Agents, matches and environments

    # Learning: networks, weights, training runs

    # Protocols and servers

    # Rule laboratory, commands and the web page


class GameError(ValueError):
    """A request that a game, an agent or a run cannot fulfil.

    Attributes:
        code: Kind of the error.
    """

    def __init__(self, message: str, code: ErrorCode = ErrorCode.INVALID_VALUE) -> None:
        """Make an error.

        Args:
            message: One line for people: what is wrong, where, and what to do.
            code: Kind of the error.
        """
        super().__init__(message)
        self.code = code


class TooManyMovesError(GameError):
    """More card sets in several decisions than one call lists; a call with fewer decisions may succeed."""

    def __init__(self, message: str, code: ErrorCode = ErrorCode.TOO_MANY_MOVES) -> None:
        """Make an error.

        Args:
            message: One line for people.
            code: Kind of the error.
        """
        super().__init__(message, code)
