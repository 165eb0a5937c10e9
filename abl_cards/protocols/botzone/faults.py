"""Faults that end a round early: the errors of Botzone's judges, and their scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from abl_cards.core import ErrorCode, GameError

INVALID_CARD = "INVALID_POKERID"
NOT_HELD = "NOT_YOUR_POKER"
INVALID_COMBINATION = "INVALID_POKERTYPE"
ILLEGAL_MOVE = "ILLEGAL_MOVE"
WRONG_SEAT = "NOT_YOUR_TURN"
INVALID_FORMAT = "INVALID_FORMAT"
"""Kinds of errors of a response."""

OK, TIME_LIMIT_EXCEEDED, RUNTIME_ERROR, INVALID_JSON, OUTPUT_LIMIT_EXCEEDED = "OK", "TLE", "RE", "NJ", "OLE"
"""Verdicts of the controller on the answer of a program; all but the first end the round."""

_OFFENDER, _PARTNER, _OPPONENT = -3, 0, 1


class Fault(GameError):
    """Error of a response that ends the round.

    Attributes:
        kind: Name of the error.
        verdict: Verdict of the controller.
        public_text: Description for the log of the round.
    """

    def __init__(self, kind: str, text: str, verdict: str = OK, public_text: str | None = None) -> None:
        """Make a fault.

        Args:
            kind: Name of the error.
            text: Description in one line.
            verdict: Verdict of the controller.
            public_text: Description for readers of verdict and response alone, if it differs.
        """
        super().__init__(text, ErrorCode.INVALID_MESSAGE if verdict == OK else ErrorCode.PROGRAM_FAILED)
        self.kind, self.verdict, self.public_text = kind, verdict, text if public_text is None else public_text


def program_fault(verdict: str, text: str | None = None) -> Fault:
    """Return the fault of a program without a response."""
    public_text = f"there is no response: {verdict}"
    return Fault(verdict, text or public_text, verdict, public_text)


def fault_scores(teams: Sequence[int], offender: int) -> list[int]:
    """Return the score of each seat after a fault: -3 for the offender, 0 for its side, 1 for the others.

    >>> fault_scores([0, 1, 1], 2)
    [1, 0, -3]
    """
    scores = [_PARTNER if side == teams[offender] else _OPPONENT for side in teams]
    scores[offender] = _OFFENDER
    return scores


def quote_json(value: Any) -> str:
    """Return a JSON value as text of at most 120 characters for messages.

    >>> quote_json([1, 2])
    '[1, 2]'
    """
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:120]} …"
