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
    """Legal moves of a position before and after an edit.

    Attributes:
        state: JSON state.
        before: Moves by the original rules, or an error message.
        after: Moves by the edited rules, or an error message.
    """

    state: Mapping[str, Any]
    before: list[Any] | str
    after: list[Any] | str

    def to_json(self) -> dict[str, Any]:
        """Return the moves as JSON, with ``gone`` and ``new`` moves if both rules accept the state."""
        fields: dict[str, Any] = {"state": self.state, "before": self.before, "after": self.after}
        if isinstance(self.before, list) and isinstance(self.after, list):
            moves_before, moves_after = (
                {json.dumps(move, sort_keys=True) for move in moves} for moves in (self.before, self.after)
            )
            fields["gone"] = [move for move in self.before if json.dumps(move, sort_keys=True) not in moves_after]
            fields["new"] = [move for move in self.after if json.dumps(move, sort_keys=True) not in moves_before]
        return fields


def compare_positions(before: Engine, after: Engine, states: Sequence[Mapping[str, Any]]) -> list[PinnedPosition]:
    """Compare the legal moves of states by two engines.

    Args:
        before: Engine of the original rules.
        after: Engine of the edited rules.
        states: JSON states, at most MAX_PINNED.

    Returns:
        Moves or errors of each state.

    Raises:
        GameError: There are too many states.
    """
    if len(states) > MAX_PINNED:
        raise GameError(f"{len(states)} positions are too many; at most {MAX_PINNED}", ErrorCode.TOO_LARGE)
    results = [[_moves_or_error(answer) for answer in engine.legal_moves(states)] for engine in (before, after)]
    return [PinnedPosition(*row) for row in zip(states, *results, strict=True)]


def _moves_or_error(answer: list[Any] | GameError) -> list[Any] | str:
    return str(answer) if isinstance(answer, GameError) else answer


def sample_states(engine: Engine, n_states: int, seed: int) -> Iterator[Mapping[str, Any]]:
    """Sample positions that occur in play.

    Args:
        engine: Engine of the game.
        n_states: Number of positions.
        seed: Seed of the sample.

    Yields:
        JSON states.
    """
    for decisions in sample_positions(engine, n_states, seed):
        for row in range(len(decisions.rows)):
            yield engine.decision_point_at(decisions, row).state


def find_smallest_difference(
    before: Engine, after: Engine, n_states: int = 400, seed: int = 0
) -> Mapping[str, Any] | None:
    """Search for a small position whose legal moves differ.

    Args:
        before: Engine of the original rules.
        after: Engine of the edited rules.
        n_states: Number of sampled positions.
        seed: Seed of the sample.

    Returns:
        JSON state with few cards and fields; None if no sampled position differs.
    """
    different = [state for state in sample_states(before, n_states, seed) if have_different_moves(before, after, state)]
    return minimise_counterexample(before, after, different)
