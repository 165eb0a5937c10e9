"""What is said around the game's own messages at the table of somebody else: plainly at the contest platform."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from abl_cards.games.service import Message, Outcome
from abl_cards.platforms.contest.fields import counts_of, number_of


class Manners(Protocol):
    """How a guest gets a seat, answers, and hears of the result."""

    def greeting(self) -> list[Message]:
        """What is said first."""

    def note(self, message: Message) -> str | None:
        """Take note of what is no part of the game; gives what the user should know.

        Raises Refused where the table does not want us, GameError for anything else that went wrong.
        """

    def answer(self, request: Message, choice: int, seat: int) -> Message:
        """A choice from a request's list."""

    def conclude(self, told: Message, outcome: Outcome) -> Outcome:
        """What is known of the result after a ``gameOver`` or ``gameResult``."""


@dataclass(frozen=True)
class Plain:
    """The contest platform: nothing but choices is said, by their numbers."""

    def greeting(self) -> list[Message]:
        """Nothing."""
        return []

    def note(self, message: Message) -> str | None:
        """Nothing is said but the game's own messages."""
        return None

    def answer(self, request: Message, choice: int, seat: int) -> Message:
        """The number alone."""
        return {"actIndex": choice}

    def conclude(self, told: Message, outcome: Outcome) -> Outcome:
        """Games as they end; victories and draws by seat when all have."""
        if told.get("stage") == "gameOver":
            return replace(outcome, games=number_of(told, "curTimes"))
        seat = outcome.seat or 0
        wins, draws = (counts_of(told, name)[seat] for name in ("victoryNum", "draws"))
        return replace(outcome, wins=wins, draws=draws, over=True)
