"""A single decision with its legal moves as text and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types import MoveLists


class Action(Protocol):
    """A move in the notation of the game; ``str`` returns its text form."""

    def to_json(self) -> Any:
        """Return the JSON form of the move."""


@dataclass(frozen=True)
class DecisionPoint:
    """A single decision with its legal moves, from the view of the seat to decide.

    Labels with very many card sets have only their cheapest ones among the moves; then ``is_complete`` is False.
    """

    decision: Decisions | Choices  # one decision
    move_lists: MoveLists  # legal moves in wire order
    labels: tuple[str, ...]  # [moves] label of each move
    actions: tuple[Action, ...]  # [moves] the moves in the notation of the game
    state: Mapping[str, Any]  # visible state in the JSON form of the game
    chosen_move: int | None = None  # index of the move that was made, None if unknown
    is_complete: bool = True  # all legal moves are listed


def is_play_decision(decisions: Decisions | Choices) -> TypeGuard[Decisions]:
    """Return True for decisions about plays, False for choices between options.

    Args:
        decisions: Decisions or choices.

    Returns:
        True if ``decisions`` is a ``Decisions``.
    """
    return not hasattr(decisions, "options")
