"""Plan the look-ahead: rounds of deals, their depth, and the time that they take on this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

MAX_DEALS = 256
"""Most deals per decision; more add no information."""
_ROUND_SECONDS, _TABLE_SECONDS = 3e-3, 8e-5  # seconds of a round, and of each table in it
_RESPONSE_SECONDS, _RESPONSE_TABLE_SECONDS = 5e-3, 2e-4  # per play by the policy
_LEARNING_RATE, _MAX_RATIO = 0.2, 20.0


@dataclass(frozen=True)
class SearchRound:
    """Round of the look-ahead.

    Attributes:
        deals: Imagined deals per label.
        depth: Plays with a choice before the critic evaluates.
    """

    deals: int
    depth: int = 0


DEFAULT_ROUNDS = (SearchRound(16),)
"""Rounds without a time limit; several rounds take longer for a single decision, although they evaluate less."""
TIMED_ROUNDS = (SearchRound(8), SearchRound(8))
"""First rounds with a time limit."""
DEPTHS = (16, 8, 4)
"""Depths of later rounds, the deepest for which there is time; 16 plays end most episodes."""
DEALS_PER_ROUND = 8
"""Deals of a later round; at least half of them."""


def plan_timed_rounds(default_round: SearchRound) -> tuple[tuple[SearchRound, ...], tuple[int, ...]]:
    """Return the first rounds with a time limit, and the depths of later ones, the greatest first.

    A preset that plays on before its critic evaluates does so in every round, because its critic does not tell the
    labels apart at once.

    Args:
        default_round: Round of the preset without a time limit.
    """
    if not default_round.depth:
        return TIMED_ROUNDS, DEPTHS
    deeper = tuple(depth for depth in DEPTHS if depth > default_round.depth)
    return (SearchRound(DEALS_PER_ROUND // 2, default_round.depth),) * 2, (*deeper, default_round.depth)


class RoundTimer:
    """Estimate of the time of rounds: a baseline that was measured once, times a factor learned on this machine."""

    def __init__(self) -> None:
        """Begin with factor 1."""
        self._factor = 1.0

    def estimate_seconds(self, num_tables: int, depth: int = 0) -> float:
        """Return the expected seconds of a round."""
        return self._factor * _baseline_seconds(num_tables, depth)

    def update(self, num_tables: int, depth: int, start_time: float) -> None:
        """Learn from a finished round that began at ``start_time``, a time of ``time.monotonic``."""
        ratio = min(
            max((time.monotonic() - start_time) / _baseline_seconds(num_tables, depth), 1 / _MAX_RATIO), _MAX_RATIO
        )
        self._factor += _LEARNING_RATE * (ratio - self._factor)

    def find_deepest_round(
        self, num_labels: int, deadline: float, depths: Sequence[int] = DEPTHS
    ) -> SearchRound | None:
        """Return the deepest round with this number of labels that ends before the deadline; None where none does."""
        left = deadline - time.monotonic()
        for answers in depths:
            for deals in (DEALS_PER_ROUND, DEALS_PER_ROUND // 2):
                if self.estimate_seconds(num_labels * deals, answers) <= left:
                    return SearchRound(deals, answers)
        return None


def _baseline_seconds(tables: int, answers: int) -> float:
    return _ROUND_SECONDS + _TABLE_SECONDS * tables + answers * (_RESPONSE_SECONDS + _RESPONSE_TABLE_SECONDS * tables)
