"""One decision with everything that the seat to decide can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types import MoveLists


class Action(Protocol):
    """A move in the words of the game; ``str`` gives the text form."""

    def to_json(self) -> Any:
        """The move as other programs write it."""


@dataclass(frozen=True)
class DecisionPoint:
    """One decision with all that may be done, from the eyes of the seat that decides."""

    decision: Decisions | Choices  # at one table
    move_lists: MoveLists  # in wire order
    labels: tuple[str, ...]  # [moves] the label of each
    actions: tuple[Action, ...]  # [moves]
    state: Mapping[str, Any]  # what the seat sees, in the game's JSON form
    chosen_move: int | None = None  # the move that was made there, if that is known


def is_play_decision(decisions: Decisions | Choices) -> TypeGuard[Decisions]:
    """Whether plays are to be decided, and not something else to be chosen."""
    return not hasattr(decisions, "options")
