"""Messages around those of the game at remote tables; the contest platform has none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from abl_cards.protocols.common import Message, SessionResult
from abl_cards.protocols.contest.fields import read_counts, read_number


class Handshake(Protocol):
    """Protocol by which a client gets a seat, sends answers, and receives the result."""

    def opening_messages(self) -> list[Message]:
        """Return the first messages to send."""

    def handle_message(self, message: Message) -> str | None:
        """Take note of what is no part of the game; gives what the user should know.

        Raises JoinRejectedError where the table does not want us, GameError for anything else that went wrong.
        """

    def format_answer(self, request: Message, choice: int, seat: int) -> Message:
        """A choice from a request's list."""

    def update_outcome(self, message: Message, outcome: SessionResult) -> SessionResult:
        """Return the result after a ``gameOver`` or ``gameResult``."""


@dataclass(frozen=True)
class ContestHandshake:
    """Handshake of the contest platform: answers are numbers of choices, without an envelope."""

    def opening_messages(self) -> list[Message]:
        """Nothing."""
        return []

    def handle_message(self, message: Message) -> str | None:
        """Return None: the contest has only messages of the game."""
        return None

    def format_answer(self, request: Message, choice: int, seat: int) -> Message:
        """The number alone."""
        return {"actIndex": choice}

    def update_outcome(self, message: Message, outcome: SessionResult) -> SessionResult:
        """Games as they end; victories and draws by seat when all have."""
        if message.get("stage") == "gameOver":
            return replace(outcome, games=read_number(message, "curTimes"))
        seat = outcome.seat or 0
        wins, draws = (read_counts(message, name)[seat] for name in ("victoryNum", "draws"))
        return replace(outcome, wins=wins, draws=draws, is_over=True)
