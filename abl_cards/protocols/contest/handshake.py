"""What is said around the game's own messages at the table of somebody else: plainly at the contest platform."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from abl_cards.protocols.common import Message, SessionResult
from abl_cards.protocols.contest.fields import read_counts, read_number


class Handshake(Protocol):
    """How a guest gets a seat, answers, and hears of the result."""

    def opening_messages(self) -> list[Message]:
        """What is said first."""

    def handle_message(self, message: Message) -> str | None:
        """Take note of what is no part of the game; gives what the user should know.

        Raises JoinRejectedError where the table does not want us, GameError for anything else that went wrong.
        """

    def format_answer(self, request: Message, choice: int, seat: int) -> Message:
        """A choice from a request's list."""

    def update_outcome(self, message: Message, outcome: SessionResult) -> SessionResult:
        """What is known of the result after a ``gameOver`` or ``gameResult``."""


@dataclass(frozen=True)
class ContestHandshake:
    """The contest platform: nothing but choices is said, by their numbers."""

    def opening_messages(self) -> list[Message]:
        """Nothing."""
        return []

    def handle_message(self, message: Message) -> str | None:
        """Nothing is said but the game's own messages."""
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
