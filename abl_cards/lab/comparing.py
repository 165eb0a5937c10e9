"""What an edit changes in positions that somebody has pinned: legal moves before and after, and the difference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.positions import of_all_kinds
from reasoners.smallest import differ, smallest

MOST_PINNED = 24


@dataclass(frozen=True)
class Pinned:
    """A position by both rules."""

    state: Mapping[str, Any]
    before: list[Any] | str  # moves, or why there are none
    after: list[Any] | str

    def to_json(self) -> dict[str, Any]:
        """Plain values; `gone` and `new` where both answer."""
        found: dict[str, Any] = {"state": self.state, "before": self.before, "after": self.after}
        if isinstance(self.before, list) and isinstance(self.after, list):
            mine, theirs = ({json.dumps(move, sort_keys=True) for move in some} for some in (self.before, self.after))
            found["gone"] = [move for move in self.before if json.dumps(move, sort_keys=True) not in theirs]
            found["new"] = [move for move in self.after if json.dumps(move, sort_keys=True) not in mine]
        return found


def compare(before: Engine, after: Engine, states: Sequence[Mapping[str, Any]]) -> list[Pinned]:
    """Legal moves of states by both rules; raises GameError for too many states."""
    if len(states) > MOST_PINNED:
        raise GameError(f"{MOST_PINNED} positions at most")
    told = [[_told(answer) for answer in engine.legal_moves(states)] for engine in (before, after)]
    return [Pinned(*each) for each in zip(states, *told, strict=True)]


def _told(answer: list[Any] | GameError) -> list[Any] | str:
    return str(answer) if isinstance(answer, GameError) else answer


def shown(engine: Engine, states: int, seed: int) -> Iterator[Mapping[str, Any]]:
    """Positions that come up in play, to be pinned."""
    for decisions in of_all_kinds(engine, states, seed):
        for row in range(len(decisions.which)):
            yield engine.look(decisions, row).state


def telling(before: Engine, after: Engine, states: int = 400, seed: int = 0) -> Mapping[str, Any] | None:
    """The smallest position found in which other moves are legal; None where none of those looked at shows any."""
    different = [state for state in shown(before, states, seed) if differ(before, after, state)]
    return smallest(before, after, different)
