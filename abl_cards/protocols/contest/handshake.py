"""Interface of handshakes: messages of remote tables besides those of the game."""

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
        """Handle a message that is not part of the game.

        Args:
            message: Message of the table.

        Returns:
            Text for the user, or None.

        Raises:
            JoinRejectedError: The table rejects the client.
            GameError: The table reports another error.
        """

    def format_answer(self, request: Message, choice: int, seat: int) -> Message:
        """Return the answer that makes the choice of an index in a request's list."""

    def update_outcome(self, message: Message, outcome: SessionResult) -> SessionResult:
        """Return the result after a ``gameOver`` or ``gameResult``."""


@dataclass(frozen=True)
class ContestHandshake:
    """Handshake of the contest platform: answers are numbers of choices, without an envelope."""

    def opening_messages(self) -> list[Message]:
        """Return an empty list: the table sends the first message."""
        return []

    def handle_message(self, message: Message) -> str | None:
        """Return None: the contest has only messages of the game."""
        return None

    def format_answer(self, request: Message, choice: int, seat: int) -> Message:
        """Return the index of the choice, without an envelope."""
        return {"actIndex": choice}

    def update_outcome(self, message: Message, outcome: SessionResult) -> SessionResult:
        """Count games as they end; read victories and draws by seat after the last."""
        if message.get("stage") == "gameOver":
            return replace(outcome, games=read_number(message, "curTimes"))
        seat = outcome.seat or 0
        wins, draws = (read_counts(message, name)[seat] for name in ("victoryNum", "draws"))
        return replace(outcome, wins=wins, draws=draws, is_over=True)
