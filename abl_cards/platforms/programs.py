"""Programs of others at our tables, one decision a start: how a platform puts a decision into words for them."""

from __future__ import annotations

from typing import Any, Protocol

from abl_cards.games.tables import Listener


class Script(Listener, Protocol):
    """Follows the game at one table and knows what a program is to read at every decision."""

    def message(self) -> dict[str, Any]:
        """What the program of the seat to decide reads, as one line of JSON."""

    def choose(self, decisions: Any, answer: Any) -> int:
        """The number of its answer among the moves of a decision, or among the choices; raises GameError."""
