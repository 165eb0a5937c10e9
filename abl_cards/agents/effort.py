"""How much is tried when looking ahead: rounds of deals, and how deep; how long that takes here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

MOST_DEALS = 256
"""More deals than these tell nothing new."""
_OVERHEAD, _TABLE = 3e-3, 8e-5  # seconds of a round, and of each table in it
_OVERHEAD_ANSWER, _TABLE_ANSWER = 5e-3, 2e-4  # the same of each answer by the policy
_LEARNED, _FARTHEST = 0.2, 20.0


@dataclass(frozen=True)
class Step:
    """A round of looking ahead."""

    deals: int
    answers: int = 0  # of whoever is to play, before the critic says what the rest is worth


USUAL = (Step(16),)
"""The rounds where nobody says how long to think: a lone decision takes longer in several, though they try less."""
TIMED = (Step(8), Step(8))
"""The rounds that come first where there is a time to think."""
DEPTHS = (16, 8, 4)
"""Answers in the rounds after them, the deepest for which there is time; sixteen end most episodes."""
DEEP = 8
"""Deals of such a round; and half of them at least."""


def timed(usual: Step) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    """The rounds that come first with a time to think, and the answers in those after them, for who else tries so much.

    Who plays to the end of most episodes does so in every round: its critic is not to be asked sooner.
    """
    if usual.answers < DEPTHS[0]:
        return TIMED, DEPTHS
    return (Step(DEEP // 2, usual.answers),) * 2, (usual.answers,)


class Pace:
    """What rounds take on this machine: as on the one where it was measured first, by a factor that is learned."""

    def __init__(self) -> None:
        """As it was measured."""
        self._factor = 1.0

    def seconds(self, tables: int, answers: int = 0) -> float:
        """What a round is expected to take."""
        return self._factor * _seconds(tables, answers)

    def learn(self, tables: int, answers: int, began: float) -> None:
        """A round that began at a time of ``time.monotonic`` is over."""
        ratio = min(max((time.monotonic() - began) / _seconds(tables, answers), 1 / _FARTHEST), _FARTHEST)
        self._factor += _LEARNED * (ratio - self._factor)

    def deepest(self, labels: int, until: float, depths: Sequence[int] = DEPTHS) -> Step | None:
        """The best round with so many labels for which there is time; None where there is time for none."""
        left = until - time.monotonic()
        for answers in depths:
            for deals in (DEEP, DEEP // 2):
                if self.seconds(labels * deals, answers) <= left:
                    return Step(deals, answers)
        return None


def _seconds(tables: int, answers: int) -> float:
    return _OVERHEAD + _TABLE * tables + answers * (_OVERHEAD_ANSWER + _TABLE_ANSWER * tables)
