"""How much is tried when looking ahead: rounds of deals, and how deep; how long that takes here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

MAX_DEALS = 256
"""More deals than these tell nothing new."""
_ROUND_SECONDS, _TABLE_SECONDS = 3e-3, 8e-5  # seconds of a round, and of each table in it
_RESPONSE_SECONDS, _RESPONSE_TABLE_SECONDS = 5e-3, 2e-4  # the same of each answer by the policy
_LEARNING_RATE, _MAX_RATIO = 0.2, 20.0


@dataclass(frozen=True)
class SearchRound:
    """A round of looking ahead."""

    deals: int
    depth: int = 0  # of whoever is to play, before the critic says what the rest is worth


DEFAULT_ROUNDS = (SearchRound(16),)
"""The rounds where nobody says how long to think: a lone decision takes longer in several, though they try less."""
TIMED_ROUNDS = (SearchRound(8), SearchRound(8))
"""The rounds that come first where there is a time to think."""
DEPTHS = (16, 8, 4)
"""Answers in the rounds after them, the deepest for which there is time; sixteen end most episodes."""
DEALS_PER_ROUND = 8
"""Deals of such a round; and half of them at least."""


def plan_timed_rounds(default_round: SearchRound) -> tuple[tuple[SearchRound, ...], tuple[int, ...]]:
    """The rounds that come first with a time to think, and the answers in those after them, for who else tries so much.

    Who plays to the end of most episodes does so in every round: its critic is not to be asked sooner.
    """
    if default_round.depth < DEPTHS[0]:
        return TIMED_ROUNDS, DEPTHS
    return (SearchRound(DEALS_PER_ROUND // 2, default_round.depth),) * 2, (default_round.depth,)


class RoundTimer:
    """What rounds take on this machine: as on the one where it was measured first, by a factor that is learned."""

    def __init__(self) -> None:
        """As it was measured."""
        self._factor = 1.0

    def estimate_seconds(self, num_tables: int, depth: int = 0) -> float:
        """What a round is expected to take."""
        return self._factor * _baseline_seconds(num_tables, depth)

    def update(self, num_tables: int, depth: int, start_time: float) -> None:
        """A round that began at a time of ``time.monotonic`` is over."""
        ratio = min(
            max((time.monotonic() - start_time) / _baseline_seconds(num_tables, depth), 1 / _MAX_RATIO), _MAX_RATIO
        )
        self._factor += _LEARNING_RATE * (ratio - self._factor)

    def find_deepest_round(
        self, num_labels: int, deadline: float, depths: Sequence[int] = DEPTHS
    ) -> SearchRound | None:
        """The best round with so many labels for which there is time; None where there is time for none."""
        left = deadline - time.monotonic()
        for answers in depths:
            for deals in (DEALS_PER_ROUND, DEALS_PER_ROUND // 2):
                if self.estimate_seconds(num_labels * deals, answers) <= left:
                    return SearchRound(deals, answers)
        return None


def _baseline_seconds(tables: int, answers: int) -> float:
    return _ROUND_SECONDS + _TABLE_SECONDS * tables + answers * (_RESPONSE_SECONDS + _RESPONSE_TABLE_SECONDS * tables)
