"""Some of the games of a match, what each came to, and the result of all of them together.

Games depend on the seed and on their numbers alone. So parts of a match may be played anywhere and in any order: put
together they are the match as it is played in one place.
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
    """Games with consecutive numbers."""

    scores: NDArray[np.float64]  # [agents, games] what each agent got of each game
    role_points: NDArray[np.float64]  # [agents, roles, games] of a seat of each with each part; nan where it had none
    tallies: tuple[PlacementTally, ...]  # by agent
    episodes: NDArray[np.int64]  # [games]
    lapses: tuple[Forfeit, ...] = ()

    @classmethod
    def concatenate(cls, shards: Sequence[MatchShard]) -> MatchShard:
        """Parts one after the other."""
        lapses = tuple(lapse for part in shards for lapse in part.lapses)
        return cls(
            np.concatenate([part.scores for part in shards], axis=1),
            np.concatenate([part.role_points for part in shards], axis=2),
            tuple(
                PlacementTally.concatenate(tallies) for tallies in zip(*(part.tallies for part in shards), strict=True)
            ),
            np.concatenate([part.episodes for part in shards]),
            lapses,
        )

    def to_dict(self) -> dict[str, Any]:
        """In dictionaries and arrays."""
        tallies = [vars(tally) for tally in self.tallies]
        return {**vars(self), "tallies": tallies, "lapses": [asdict(lapse) for lapse in self.lapses]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MatchShard:
        """From what ``to_dict`` gives."""
        tallies = tuple(PlacementTally(**tally) for tally in data["tallies"])
        return cls(**{**data, "tallies": tallies, "lapses": tuple(Forfeit(**lapse) for lapse in data["lapses"])})

    def compute_result(self, engine: Engine, names: Sequence[str], seed: int, games_per_deal: int) -> MatchResult:
        """What came of the match, where so many games share a deal."""
        shares, games = self.scores[0], self.scores.shape[1]
        wins = tuple((self.scores == 1).sum(axis=1).tolist())
        return MatchResult(
            tuple(names), games, seed, wins, games - sum(wins), float(shares.mean()),
            share_interval(shares, games_per_deal), int(self.episodes.sum()), self._role_results(engine, names),
            self._standings(engine, names, games_per_deal), self.lapses,
        )  # fmt: skip

    def _role_results(self, engine: Engine, names: Sequence[str]) -> tuple[RoleResult, ...]:
        """What each agent made of each part, where there are several."""
        if len(engine.roles) < 2:
            return ()
        return tuple(
            RoleResult.from_points(role, name, points[~np.isnan(points)])
            for role, by_agent in zip(engine.roles, self.role_points.swapaxes(0, 1), strict=True)
            for name, points in zip(names, by_agent, strict=True)
        )

    def _standings(self, engine: Engine, names: Sequence[str], together: int) -> tuple[AgentStanding, ...]:
        """How the agents stand, where more than two sides are alike, or more than two agents play."""
        alike = len(engine.roles) < 2 and int(engine.teams.max()) > 1
        return () if len(names) == 2 and not alike else compute_standings(names, self.tallies, together)
