"""Shards of a match: the results of some of its games, and how they are merged.

A game depends on the seed and on its index alone, so shards may be played anywhere and in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.matches.intervals import share_interval
from abl_cards.matches.results import AgentStanding, Forfeit, MatchResult, PlacementTally, RoleResult, compute_standings


@dataclass(frozen=True)
class MatchShard:
    """Results of consecutive games.

    Attributes:
        scores: Share of each agent in each game, 0 to 1: float64 [agents, games].
        role_points: Points of a seat of the agent in each role, NaN without a seat: float64 [agents, roles, games].
        tallies: Sums over the seats, by agent.
        episodes: Episodes of each game, int64 [games].
        lapses: Games lost by a fault.
    """

    scores: NDArray[np.float64]
    role_points: NDArray[np.float64]
    tallies: tuple[PlacementTally, ...]
    episodes: NDArray[np.int64]
    lapses: tuple[Forfeit, ...] = ()

    @classmethod
    def concatenate(cls, shards: Sequence[MatchShard]) -> MatchShard:
        """Join shards in the order of their games."""
        lapses = tuple(lapse for shard in shards for lapse in shard.lapses)
        return cls(
            np.concatenate([shard.scores for shard in shards], axis=1),
            np.concatenate([shard.role_points for shard in shards], axis=2),
            tuple(
                PlacementTally.concatenate(tallies)
                for tallies in zip(*(shard.tallies for shard in shards), strict=True)
            ),
            np.concatenate([shard.episodes for shard in shards]),
            lapses,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return nested dictionaries and arrays."""
        tallies = [vars(tally) for tally in self.tallies]
        return {**vars(self), "tallies": tallies, "lapses": [asdict(lapse) for lapse in self.lapses]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MatchShard:
        """Make a shard from the result of ``to_dict``."""
        tallies = tuple(PlacementTally(**tally) for tally in data["tallies"])
        return cls(**{**data, "tallies": tallies, "lapses": tuple(Forfeit(**lapse) for lapse in data["lapses"])})

    def compute_result(self, engine: Engine, names: Sequence[str], seed: int, games_per_deal: int) -> MatchResult:
        """Compute the result of these games; ``games_per_deal`` games share a deal."""
        shares, games = self.scores[0], self.scores.shape[1]
        wins = tuple((self.scores == 1).sum(axis=1).tolist())
        return MatchResult(
            tuple(names), games, seed, wins, games - sum(wins), float(shares.mean()),
            share_interval(shares, games_per_deal), int(self.episodes.sum()), self._role_results(engine, names),
            self._standings(engine, names, games_per_deal), self.lapses, engine.game,
        )  # fmt: skip

    def _role_results(self, engine: Engine, names: Sequence[str]) -> tuple[RoleResult, ...]:
        """Compute the results by role, where there are several."""
        if len(engine.roles) < 2:
            return ()
        return tuple(
            RoleResult.from_points(role, name, points[~np.isnan(points)])
            for role, by_agent in zip(engine.roles, self.role_points.swapaxes(0, 1), strict=True)
            for name, points in zip(names, by_agent, strict=True)
        )

    def _standings(self, engine: Engine, names: Sequence[str], together: int) -> tuple[AgentStanding, ...]:
        """Compute standings, where more than two sides are alike or more than two agents play."""
        alike = len(engine.roles) < 2 and int(engine.teams.max()) > 1
        return () if len(names) == 2 and not alike else compute_standings(names, self.tallies, together)
