"""Programs of others at our tables, one decision a start: how a game puts a decision into words for them.

A game whose engine has a ``script`` can be played by such programs, and a bot of ours can be written as one.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from abl_cards.games.tables import Judge, Listener


class Script(Listener, Protocol):
    """Follows the game at one table and knows what a program is to read at every decision."""

    def message(self) -> dict[str, Any]:
        """What the program of the seat to decide reads, as one line of JSON."""

    def choose(self, decisions: Any, answer: Any) -> int:
        """The number of its answer among the moves of a decision, or among the choices; raises GameError."""


@runtime_checkable
class Scripted(Protocol):
    """An engine of such a game."""

    def script(self) -> Script:
        """Somebody to follow a game."""

    def bot_source(self, judge: Judge) -> str:
        """The agent kb as a program in one file, which needs nothing but Python."""
