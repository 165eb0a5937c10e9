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

from abl_cards.arena.intervals import interval
from abl_cards.arena.results import Lapse, MatchResult, RoleResult, Standing, Tally, standings
from abl_cards.games import Engine


@dataclass(frozen=True)
class Part:
    """Games with consecutive numbers."""

    share: NDArray[np.float64]  # [agents, games] what each agent got of each game
    points: NDArray[np.float64]  # [agents, roles, games] of a seat of each with each part; nan where it had none
    tallies: tuple[Tally, ...]  # by agent
    episodes: NDArray[np.int64]  # [games]
    lapses: tuple[Lapse, ...] = ()

    @classmethod
    def joined(cls, parts: Sequence[Part]) -> Part:
        """Parts one after the other."""
        lapses = tuple(lapse for part in parts for lapse in part.lapses)
        return cls(
            np.concatenate([part.share for part in parts], axis=1),
            np.concatenate([part.points for part in parts], axis=2),
            tuple(Tally.joined(tallies) for tallies in zip(*(part.tallies for part in parts), strict=True)),
            np.concatenate([part.episodes for part in parts]),
            lapses,
        )

    def plain(self) -> dict[str, Any]:
        """In dictionaries and arrays."""
        tallies = [vars(tally) for tally in self.tallies]
        return {**vars(self), "tallies": tallies, "lapses": [asdict(lapse) for lapse in self.lapses]}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Part:
        """From what ``plain`` gives."""
        tallies = tuple(Tally(**tally) for tally in plain["tallies"])
        return cls(**{**plain, "tallies": tallies, "lapses": tuple(Lapse(**lapse) for lapse in plain["lapses"])})

    def result(self, engine: Engine, names: Sequence[str], seed: int, together: int) -> MatchResult:
        """What came of the match, where so many games share a deal."""
        shares, games = self.share[0], self.share.shape[1]
        wins = tuple((self.share == 1).sum(axis=1).tolist())
        return MatchResult(
            tuple(names), games, seed, wins, games - sum(wins), float(shares.mean()), interval(shares, together),
            int(self.episodes.sum()), self._roles(engine, names), self._standings(engine, names, together), self.lapses,
        )  # fmt: skip

    def _roles(self, engine: Engine, names: Sequence[str]) -> tuple[RoleResult, ...]:
        """What each agent made of each part, where there are several."""
        if len(engine.roles) < 2:
            return ()
        return tuple(
            RoleResult.of(role, name, points[~np.isnan(points)])
            for role, by_agent in zip(engine.roles, self.points.swapaxes(0, 1), strict=True)
            for name, points in zip(names, by_agent, strict=True)
        )

    def _standings(self, engine: Engine, names: Sequence[str], together: int) -> tuple[Standing, ...]:
        """How the agents stand, where more than two sides are alike, or more than two agents play."""
        alike = len(engine.roles) < 2 and int(engine.teams.max()) > 1
        return () if len(names) == 2 and not alike else standings(names, self.tallies, together)
