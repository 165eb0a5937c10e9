"""Errors that every part of the project raises, and their codes."""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Kind of an error: stable across versions, while messages may change.

    Programs and tests compare codes; people read messages. ``docs/reference/errors.md`` lists all codes with
    the descriptions given here.
    """

    description: str

    def __new__(cls, value: str, description: str = "") -> ErrorCode:  # a call with the value alone looks a member up
        """Make a member from its text and one sentence about it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    # Values and files
    INVALID_VALUE = "invalid-value", "An argument or a setting has a value outside its range."
    INVALID_JSON = "invalid-json", "A JSON text or one of its fields has the wrong form or type."
    INVALID_SETTING = "invalid-setting", "A setting is unknown, or its value has the wrong type or range."
    INVALID_SEED = "invalid-seed", "A seed is not a whole number, or not the text of one."
    FILE_NOT_READABLE = "file-not-readable", "A file is missing, damaged, too large or in another format."
    FILE_NOT_WRITABLE = "file-not-writable", "A file or folder cannot be written."
    FOLDER_LOCKED = "folder-locked", "Another process is using the folder."
    TOO_SLOW = "too-slow", "A computation exceeded its limit of processor time."
    TOO_LARGE = "too-large", "A request exceeds a limit of size or number."
    UNSUPPORTED_PLATFORM = "unsupported-platform", "The operating system lacks a function that this needs."

    # Rule files (asp, circuit)

    # Games: descriptions and states (games)
    UNKNOWN_GAME = "unknown-game", "No shipped game and no rule folder has this name."
    UNKNOWN_PROFILE = "unknown-profile", "The rule folder has no profile of this name."
    ILLEGAL_MOVE = "illegal-move", "The rules do not allow this move in this state."
    RULES_NOT_PLAYABLE = "rules-not-playable", "The rules are sound logic, but play cannot begin or go on by them."

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
    """Several decisions have more card sets than one call lists; a call with fewer decisions may succeed."""

    def __init__(self, message: str, code: ErrorCode = ErrorCode.TOO_LARGE) -> None:
        super().__init__(message, code)
