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

    # Learning: networks, weights, training runs
    UNKNOWN_PRESET = "unknown-preset", "There is no preset of this name."
    MODEL_OUTPUT_TYPE = "model-output-type", "A network returned no PolicyOutput, or a field of it is no tensor."
    MODEL_OUTPUT_SHAPE = "model-output-shape", "A field of a network's output has the wrong shape."
    MODEL_OUTPUT_DTYPE = "model-output-dtype", "A field of a network's output has the wrong dtype."
    MODEL_OUTPUT_NOT_FINITE = "model-output-not-finite", "A network's output or its loss is NaN or infinite."
    MODEL_FAILED = "model-failed", "The forward call of a network raised an error."
    MODEL_CLASS_NEEDED = "model-class-needed", "Weights of an own network load only into an object that the user makes."
    WEIGHTS_NOT_READABLE = "weights-not-readable", "A file of weights or its card is missing or damaged."
    WEIGHTS_MISMATCH = "weights-mismatch", "Weights were made for another network, game or set of labels."
    INVALID_REASONER = "invalid-reasoner", "An object is no reasoner, or it returned something that is not allowed."
    SETTING_CONFLICT = "setting-conflict", "Settings or arguments of a run exclude each other."
    RUN_MISMATCH = "run-mismatch", "A run folder holds a run of another game, network, settings or rules."
    CHECKPOINT_NOT_READABLE = "checkpoint-not-readable", "A checkpoint is damaged, or of another form or version."
    RUN_LOCKED = "run-locked", "Another process is at work on a run, or has gone on with it."
    UNKNOWN_WEIGHTS = "unknown-weights", "No weights of this name come with the package."
    WORKER_FAILED = "worker-failed", "Another process of a run could not do its part, for the reason in the message."
    CLUSTER_NOT_AVAILABLE = "cluster-not-available", "A cluster of Ray cannot be joined or used."
    WORKER_LOST = "worker-lost", "A process that a run depends on has ended."
    DEVICE_NOT_AVAILABLE = "device-not-available", "The device of a run does not exist on this machine."
    UNSUPPORTED_PLATFORM = "unsupported-platform", "The operating system lacks a function that this needs."
    MISSING_LIBRARY = "missing-library", "An optional library is not installed."

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
