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
    RULES_CHANGED = "rules-changed", "Rule files have changed since an object that depends on them was pickled."

    # Agents, matches and environments
    ILLEGAL_ACTION = "illegal-action", "An action is not legal in the state of its environment."
    INVALID_ACTIONS = "invalid-actions", "Actions have the wrong type or shape, or name no action of the game."
    NOT_RESET = "not-reset", "An environment was stepped before its first reset, or after an error."
    CLOSED = "closed", "An environment was used after it was closed."
    UNSUPPORTED_AGENT = "unsupported-agent", "An agent cannot play in vectorised environments."

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
