"""Faults that end a round early: the errors of Botzone's judges, and their scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from abl_cards.core import GameError

INVALID_CARD = "INVALID_POKERID"
NOT_HELD = "NOT_YOUR_POKER"
INVALID_COMBINATION = "INVALID_POKERTYPE"
ILLEGAL_MOVE = "ILLEGAL_MOVE"
WRONG_SEAT = "NOT_YOUR_TURN"
INVALID_FORMAT = "INVALID_FORMAT"
"""Errors that a response can have."""

OK, TIME_LIMIT_EXCEEDED, RUNTIME_ERROR, INVALID_JSON, OUTPUT_LIMIT_EXCEEDED = "OK", "TLE", "RE", "NJ", "OLE"
"""Verdicts of the controller about the answer of a program; all but the first end the round."""

_OFFENDER, _PARTNER, _OPPONENT = -3, 0, 1


class Fault(GameError):
    """A response that ends the round."""

    def __init__(self, kind: str, text: str, verdict: str = OK, public_text: str | None = None) -> None:
        """Make a fault.

        Args:
            kind: Name of the error.
            text: Description in one line.
            verdict: Verdict of the controller.
            public_text: Description for readers of verdict and response alone, if it differs.
        """
        super().__init__(text)
        self.kind, self.verdict, self.public_text = kind, verdict, text if public_text is None else public_text


def program_fault(verdict: str, text: str | None = None) -> Fault:
    """The fault of a program that has given no response."""
    judged = f"there is no response: {verdict}"
    return Fault(verdict, text or judged, verdict, judged)


def fault_scores(teams: Sequence[int], offender: int) -> list[int]:
    """Return the score of each seat after a fault: -3 for the offender, 0 for its side, 1 for the others.

    >>> fault_scores([0, 1, 1], 2)
    [1, 0, -3]
    """
    found = [_PARTNER if side == teams[offender] else _OPPONENT for side in teams]
    found[offender] = _OFFENDER
    return found


def quote_json(value: Any) -> str:
    """A response as a message quotes it.

    >>> quote_json([1, 2])
    '[1, 2]'
    """
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:120]} …"
