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

    # Rule files: what they describe (games.description)
    UNKNOWN_NAME = "unknown-name", "A fact or an input names a card, seat, label, form, fluent … that is not declared."
    INVALID_ARGUMENT = "invalid-argument", "An argument of a fact or output has the wrong type or is out of range."
    MISSING_FACT = "missing-fact", "A fact that every game needs, or that another fact refers to, is missing."
    CONDITIONAL_FACT = "conditional-fact", "A fact that is read once depends on inputs."
    MISPLACED_FACT = "misplaced-fact", "A fact that is read from the text has a body, variables, or another file."
    WRONG_ARITY = "wrong-arity", "A derived predicate has another number of arguments than the engine reads."
    UNSUPPLIED_INPUT = "unsupplied-input", "A rule reads an input that its query never supplies."
    INVALID_FORM = "invalid-form", "The facts of a form contradict each other, or no cards satisfy them."
    INVALID_FLUENT = "invalid-fluent", "A fluent is declared twice, without a value, or without an #external."
    INVALID_SEATING = "invalid-seating", "The seats are not numbered from 0, or have no cyclic order."
    GAME_TOO_LARGE = "game-too-large", "A game has more cards, labels, forms or options than the engine supports."
    UNKNOWN_PROFILE = "unknown-profile", "A folder has no profile of this name, or no default among several."
    INVALID_FOLDER = "invalid-folder", "A rule folder is missing, has no rule files, or has files that are not read."
    INVALID_VARIANT = "invalid-variant", "A variant names a parent or a file that does not exist, or its files clash."

    # Games: descriptions and states (games)
    UNKNOWN_GAME = "unknown-game", "No shipped game and no rule folder has this name."
    INVALID_CARDS = "invalid-cards", "A text of cards names an unknown card, or more copies than the pack has."
    RULES_STUCK = "rules-stuck", "The rules name no move, next seat or end, or several, so a match cannot go on."
    TOO_MANY_MOVES = "too-many-moves", "A decision has more card sets than can be listed."

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
