"""Programs of others at our tables: how a platform puts a decision into words for them, and what it writes down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from abl_cards.games import Choices, Decisions, Moves
from abl_cards.games.tables import Listener

Write = Callable[[dict[str, Any]], None]
"""Takes the log of a round, in the platform's words."""


class Script(Listener, Protocol):
    """Follows the game at one table and knows what a program is to read at every decision."""

    @property
    def seat(self) -> int:
        """The seat to decide."""

    def message(self) -> dict[str, Any]:
        """What the program of the seat to decide reads, as one line of JSON."""

    def choose(self, choices: Choices, answer: Any) -> int:
        """The option of its answer; raises GameError."""

    def play(self, decisions: Decisions, answer: Any) -> Moves:
        """The whole move of its answer; raises GameError."""

    def give_up(self, fault: Any, response: Any = None) -> list[int]:
        """The seat to decide has lost the round by a fault; what that is worth to each seat."""
