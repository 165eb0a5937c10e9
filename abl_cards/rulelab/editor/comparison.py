"""Compare legal moves before and after an edit in pinned positions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.matches import sample_positions
from abl_cards.rulelab.comparison import have_different_moves, minimise_counterexample

MAX_PINNED = 24


@dataclass(frozen=True)
class PinnedPosition:
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


def compare_positions(before: Engine, after: Engine, states: Sequence[Mapping[str, Any]]) -> list[PinnedPosition]:
    """Legal moves of states by both rules; raises GameError for too many states."""
    if len(states) > MAX_PINNED:
        raise GameError(f"{MAX_PINNED} positions at most", ErrorCode.TOO_LARGE)
    told = [[_moves_or_error(answer) for answer in engine.legal_moves(states)] for engine in (before, after)]
    return [PinnedPosition(*each) for each in zip(states, *told, strict=True)]


def _moves_or_error(answer: list[Any] | GameError) -> list[Any] | str:
    return str(answer) if isinstance(answer, GameError) else answer


def sample_states(engine: Engine, n_states: int, seed: int) -> Iterator[Mapping[str, Any]]:
    """Positions that come up in play, to be pinned."""
    for decisions in sample_positions(engine, n_states, seed):
        for row in range(len(decisions.rows)):
            yield engine.decision_point_at(decisions, row).state


def find_smallest_difference(
    before: Engine, after: Engine, n_states: int = 400, seed: int = 0
) -> Mapping[str, Any] | None:
    """The smallest position found in which other moves are legal; None where none of those looked at shows any."""
    different = [state for state in sample_states(before, n_states, seed) if have_different_moves(before, after, state)]
    return minimise_counterexample(before, after, different)
