"""Interface between tables and external programs: messages for a program, its answers, and the log of a round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from abl_cards.games.tables import Choices, Decisions, Listener
from abl_cards.games.types import Moves

WriteLog = Callable[[dict[str, Any]], None]
"""Function that receives the log of each finished round in the platform's format."""


class ProgramSession(Listener, Protocol):
    """Listener of one table that writes the message of each decision and reads the answer of a program."""

    @property
    def seat(self) -> int:
        """Seat to decide."""

    def message(self) -> dict[str, Any]:
        """Return the message for the program of the seat to decide.

        Returns:
            JSON object, which is sent as one line.
        """

    def auto_answered_message(self) -> dict[str, Any] | None:
        """Return the next request that needs no choice and is answered automatically, if there is one."""

    def check_empty_answer(self, answer: Any) -> None:
        """Check an answer to a request that offers no choice.

        Args:
            answer: JSON value that the program sent.

        Raises:
            GameError: The answer chooses something.
        """

    def read_choice(self, choices: Choices, answer: Any) -> int:
        """Read an answer to a choice.

        Args:
            choices: The choice to be made, one row.
            answer: JSON value that the program sent.

        Returns:
            Index of the chosen option; of several chosen options the first.

        Raises:
            GameError: The answer is malformed, or the option is not legal.
        """

    def next_option(self, choices: Choices) -> int | None:
        """Return the next option of the last answer.

        Args:
            choices: The choice to be made, one row.

        Returns:
            Index of the option, or None if all options of the answer have been returned.

        Raises:
            GameError: The option is not legal.
        """

    def read_play(self, decisions: Decisions, answer: Any) -> Moves:
        """Read an answer to a play.

        Args:
            decisions: The decision, one row.
            answer: JSON value that the program sent.

        Returns:
            The complete move, one row.

        Raises:
            GameError: The answer is malformed, or the move is not legal.
        """

    def forfeit(self, fault: Any, response: Any = None) -> list[int]:
        """End the round because of a fault of the seat to decide.

        Args:
            fault: The error of the program's answer.
            response: JSON value that the program sent, for the log.

        Returns:
            Score of each seat.
        """
