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

    # Agents, matches and environments
    INVALID_AGENT_NAME = "invalid-agent-name", "The text does not have the form NAME, or NAME:key=value,word."
    UNKNOWN_AGENT = "unknown-agent", "No agent has this name, and no Python module or file provides it."
    UNKNOWN_AGENT_OPTION = "unknown-agent-option", "The agent has no option with this name."
    INVALID_AGENT_OPTION = "invalid-agent-option", "An option of an agent has a value that it does not accept."
    DUPLICATE_AGENT = "duplicate-agent", "A name of an agent is given twice where names must differ."
    AGENT_NOT_APPLICABLE = "agent-not-applicable", "The agent cannot play this game, or lacks what the call needs."
    INVALID_AGENT_CLASS = "invalid-agent-class", "An object or class is no agent: it lacks the methods play and choose."
    AGENT_FAILED = "agent-failed", "An agent of one's own raised an exception or returned an illegal decision."
    WRONG_AGENT_COUNT = "wrong-agent-count", "The game cannot seat this number of agents."
    PLAYER_LEFT = "player-left", "A human player ended the game before its end."
    FORFEIT = "forfeit", "A program lost a game by a fault: a wrong answer, no answer or one too late."
    INVALID_RECORD = "invalid-record", "A line of a file is no record of a game, or the record cannot be replayed."
    TRUNCATED_RECORD = "truncated-record", "The file ends in the middle of its last record."
    NO_RECORDS = "no-records", "There are no records to read, or they hold no decisions of the kind needed."
    RECORDS_NOT_WRITTEN = "records-not-written", "A file of records cannot be created or has no space left."
    UNKNOWN_PART = "unknown-part", "The agent has no part with this name that can be left out."
    UNKNOWN_EXPERIMENT = "unknown-experiment", "No experiment has this name."
    INVALID_RESULT = "invalid-result", "A file of stored results has a line that is no result."

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
