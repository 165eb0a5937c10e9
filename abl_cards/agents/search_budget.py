"""Plan the look-ahead: rounds of deals, their depth, and the time that they take on this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

MAX_DEALS = 256
"""Most deals per decision; more add no information."""
DEPTHS = (16, 8, 4)
"""Depths of later rounds, the deepest for which there is time; 16 plays end most episodes."""
_LEARNING_RATE, _MAX_RATIO = 0.2, 20.0
MIN_POOL = 16
"""Fewest weighted deals of a decision."""
_POOL_SHARE, _MAX_POOL = 0.25, 512
_POOL_SECONDS = 5e-5  # of a weighted deal, before the first was weighted
_CLOCK_TICK = 1e-6  # a coarse clock may not have moved


@dataclass(frozen=True)
class SearchRound:
    """Round of the look-ahead.

    Attributes:
        deals: Sampled deals per label.
        depths: Decisions with a choice before the critic evaluates, in ascending order; the values are averaged.
        max_tables: Most simulated tables of a decision, divided among its labels; None for no limit.
    """

    deals: int
    depths: tuple[int, ...] = (0,)
    max_tables: int | None = None

    def limit_deals(self, num_labels: int) -> SearchRound:
        """Return the round of a decision with this number of labels, without a limit on tables."""
        if self.max_tables is None:
            return self
        return SearchRound(max(1, min(self.deals, self.max_tables // num_labels)), self.depths)


@dataclass(frozen=True)
class RoundCosts:
    """Costs of rounds, and the deals of a round that is worth them.

    Attributes:
        seconds: Seconds of a round.
        table_seconds: Seconds of each table in it, for each depth.
        response_seconds: Seconds of each play by the policy.
        response_table_seconds: Seconds of each such play at a table.
        deals_per_round: Deals of a later round; at least half of them.
        depths: Depths of later rounds, the greatest first.
        min_deals: Least deals that must fit into the time for any depths but the last choice.
    """

    seconds: float
    table_seconds: float
    response_seconds: float
    response_table_seconds: float
    deals_per_round: int
    depths: tuple[int, ...] = DEPTHS
    min_deals: int = 0

    def estimate_seconds(self, num_tables: int, depths: Sequence[int]) -> float:
        """Return the seconds of a round on the machine on which the costs were measured."""
        depth = depths[-1]
        at_tables = len(depths) * self.table_seconds + depth * self.response_table_seconds
        return self.seconds + depth * self.response_seconds + num_tables * at_tables


POLICY_COSTS = RoundCosts(3e-3, 8e-5, 5e-3, 2e-4, deals_per_round=8)
"""Costs where the policy plays on."""
ROLLOUT_NETWORK_COSTS = RoundCosts(2e-2, 1.5e-4, 0.0, 0.0, deals_per_round=32)
"""Costs where a rollout network plays on, to the end of most episodes."""
COMPILED_ROLLOUT_COSTS = RoundCosts(3e-3, 1.3e-4, 0.0, 0.0, deals_per_round=16, depths=(), min_deals=32)
"""Costs where a rollout network plays on in one compiled loop; a preset says how deep with a time limit."""
DEFAULT_ROUNDS = (SearchRound(16),)
"""Rounds without a time limit; several rounds take longer for a single decision, although they evaluate less."""
TIMED_ROUNDS = (SearchRound(8), SearchRound(8))
"""First rounds with a time limit."""


def plan_timed_rounds(
    default_round: SearchRound, costs: RoundCosts = POLICY_COSTS, timed_depths: tuple[int, ...] = ()
) -> tuple[tuple[SearchRound, ...], list[tuple[int, ...]]]:
    """Return the first rounds with a time limit, and the depths of later ones, the most costly first.

    A preset that continues play before its critic evaluates does so in every round, because its critic does not
    distinguish the labels at depth 0.

    Args:
        default_round: Round without a time limit.
        costs: Costs of rounds.
        timed_depths: Depths of later rounds; empty for those that ``costs`` names.
    """
    first = SearchRound(costs.deals_per_round // 2, default_round.depths)
    if timed_depths:
        return (first,), [timed_depths, default_round.depths]
    later: list[tuple[int, ...]] = [(depth,) for depth in costs.depths if depth > default_round.depths[-1]]
    if default_round.depths == (0,):
        return TIMED_ROUNDS, later or [(0,)]
    return (first, first), [*later, default_round.depths]


class RoundTimer:
    """Estimate of the time of rounds: costs that were measured once, times a factor learned on this machine."""

    def __init__(self, costs: RoundCosts = POLICY_COSTS) -> None:
        """Begin with factor 1."""
        self._factor, self._costs, self._pool_seconds = 1.0, costs, _POOL_SECONDS

    def estimate_seconds(self, num_tables: int, depths: Sequence[int] = (0,)) -> float:
        """Return the expected seconds of a round."""
        return self._factor * self._costs.estimate_seconds(num_tables, depths)

    def update(self, num_tables: int, depths: Sequence[int], start_time: float) -> None:
        """Update the factor by a finished round that began at ``start_time``, a time of ``time.monotonic``."""
        ratio = (time.monotonic() - start_time) / self._costs.estimate_seconds(num_tables, depths)
        self._factor += _LEARNING_RATE * (min(max(ratio, 1 / _MAX_RATIO), _MAX_RATIO) - self._factor)

    def limit_pool(self, think_seconds: float) -> int:
        """Return the number of deals that can be weighted in a fixed part of the time of a decision."""
        fitting = int(_POOL_SHARE * think_seconds / self._pool_seconds)
        return min(max(fitting, MIN_POOL), _MAX_POOL)

    def update_pool(self, num_deals: int, start_time: float) -> None:
        """Update the time that weighting a deal takes, by the deals that were weighted since ``start_time``."""
        self._pool_seconds = max(time.monotonic() - start_time, _CLOCK_TICK) / num_deals

    def find_deepest_round(
        self, num_labels: int, deadline: float, choices: Sequence[tuple[int, ...]]
    ) -> SearchRound | None:
        """Return the deepest round with this number of labels that ends before the deadline; None where none does."""
        left = deadline - time.monotonic()
        for depths in choices:
            min_deals = self._costs.min_deals if depths != choices[-1] else 0
            for deals in (self._costs.deals_per_round, self._costs.deals_per_round // 2):
                needed = max(deals, min_deals)
                if self.estimate_seconds(num_labels * needed, depths) <= left:
                    return SearchRound(deals, depths)
        return None
