"""Programs of others at our tables: how a platform puts a decision into words for them, and what it writes down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from abl_cards.games.tables import Choices, Decisions, Listener
from abl_cards.games.types import Moves

WriteLog = Callable[[dict[str, Any]], None]
"""Takes the log of a round, in the platform's words."""


class ProgramSession(Listener, Protocol):
    """Follows the game at one table and knows what a program is to read at every decision."""

    @property
    def seat(self) -> int:
        """The seat to decide."""

    def message(self) -> dict[str, Any]:
        """Return the message for the program of the seat to decide, one line of JSON."""

    def auto_answered_message(self) -> dict[str, Any] | None:
        """Return the next automatically answered request of the program; None if there are no more."""

    def check_empty_answer(self, answer: Any) -> None:
        """It answers that; raises GameError where it chooses something."""

    def read_choice(self, choices: Choices, answer: Any) -> int:
        """The option of its answer, the first where it has several; raises GameError."""

    def next_option(self, choices: Choices) -> int | None:
        """The next option of its last answer; None where all have been chosen. Raises GameError."""

    def read_play(self, decisions: Decisions, answer: Any) -> Moves:
        """The whole move of its answer; raises GameError."""

    def forfeit(self, fault: Any, response: Any = None) -> list[int]:
        """The seat to decide has lost the round by a fault; what that is worth to each seat."""
