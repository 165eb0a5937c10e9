"""What came of a match: as plain values, and how they are reckoned from games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import format_seed
from abl_cards.matches.intervals import Interval, mean_interval, share_interval


@dataclass(frozen=True)
class RoleResult:
    """What an agent made of one part of the game."""

    role: str
    agent: str
    games: int  # in which one of its seats had this part
    wins: int
    rate: float
    interval: Interval  # its 95 % bounds
    points: float  # what such a seat won a game, in the units of the game

    @classmethod
    def from_points(cls, role: str, agent: str, points: NDArray[np.float64]) -> RoleResult:
        """From what such a seat won in each of some games."""
        won = (1 + np.sign(points)) / 2
        rate, bounds = (float(won.mean()), share_interval(won, 1)) if len(won) else (0.0, (0.0, 1.0))
        mean = round(float(points.mean()), 6) if len(won) else 0.0
        return cls(role, agent, len(won), int((won == 1).sum()), rate, bounds, mean)

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return asdict(self) | {"interval": list(self.interval)}


@dataclass(frozen=True)
class AgentStanding:
    """How an agent stands among several sides; bounds are those of 95 %, None of fewer than two deals."""

    agent: str
    first: float  # the share of the games in which one of its seats is first; seats that are first together share it
    first_interval: Interval
    place: float  # of one of its seats, from 1; equal seats share the places that they take
    place_interval: Interval | None
    points: float  # of one of its seats, a game, in the units of the game
    points_interval: Interval | None

    @classmethod
    def from_tally(cls, agent: str, tally: PlacementTally, games_per_deal: int) -> AgentStanding:
        """From its tally; so many games share a deal."""
        seats = np.maximum(tally.seats, 1)
        weight = tally.seats / tally.seats.mean()  # where it has more seats, more of them are counted
        place, points = tally.places / seats * weight, tally.points / seats * weight
        return cls(
            agent, round(float(tally.first.mean()), 6), share_interval(tally.first, games_per_deal),
            round(float(place.mean()), 6), mean_interval(place, games_per_deal),
            round(float(points.mean()), 6), mean_interval(points, games_per_deal),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return _to_plain_values(self)


@dataclass(frozen=True)
class PlacementTally:
    """What the seats of an agent made of each game, together: [games]."""

    seats: NDArray[np.float64]  # how many it had
    first: NDArray[np.float64]
    places: NDArray[np.float64]
    points: NDArray[np.float64]

    @classmethod
    def empty(cls, games: int) -> PlacementTally:
        """Nothing is played yet."""
        return cls(*(np.zeros(games) for _ in range(4)))

    @classmethod
    def concatenate(cls, tallies: Sequence[PlacementTally]) -> PlacementTally:
        """Of games one after the other."""
        return cls(*(np.concatenate([getattr(tally, each.name) for tally in tallies]) for each in fields(cls)))

    def add_games(self, games: NDArray[np.int64], points: NDArray[np.float64], own_seats: NDArray[np.bool_]) -> None:
        """Add games [n] that have ended, by what they were worth to each seat [n, seats], and which seats it had."""
        found = np.ones(len(games)), compute_first_shares(points), compute_places(points), points
        for kept, each in zip((self.seats, self.first, self.places, self.points), found, strict=True):
            kept[games] = np.where(own_seats, each if each.ndim == 2 else each[:, None], 0.0).sum(axis=1)


def compute_places(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, seats] the places of seats by their points [n, seats], from 1; equal seats share the places that they take.

    >>> compute_places(np.array([[5.0, 1.0, 1.0, -7.0]])).tolist()
    [[1.0, 2.5, 2.5, 4.0]]
    """
    more = (points[:, None] > points[:, :, None]).sum(axis=2)
    equal = (points[:, None] == points[:, :, None]).sum(axis=2)
    found: NDArray[np.float64] = 1 + more + (equal - 1) / 2
    return found


def compute_first_shares(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, seats] the share of each seat in the first place.

    >>> compute_first_shares(np.array([[5.0, 1.0, 5.0]])).tolist()
    [[0.5, 0.0, 0.5]]
    """
    best = points == points.max(axis=1, keepdims=True)
    found: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return found


@dataclass(frozen=True)
class Forfeit:
    """A game that an agent has thrown away."""

    game: int
    seat: int
    agent: str
    kind: str  # a word of the platform whose protocol the agent speaks
    text: str

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return asdict(self)


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a number of games between some agents."""

    agents: tuple[str, ...]
    games: int
    seed: int
    wins: tuple[int, ...]
    draws: int
    rate: float  # the first agent's share of the games, a draw as half a win; of more than two of the first places
    interval: Interval  # its 95 % bounds
    episodes: int
    roles: tuple[RoleResult, ...] = ()  # of a game whose parts differ: by part, the first agent first
    standings: tuple[AgentStanding, ...] = ()  # where more than two sides are alike, or more than two agents play
    lapses: tuple[Forfeit, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order; roles, standings and lapses only where there are any."""
        plain = _to_plain_values(self) | {"seed": format_seed(self.seed)}
        for name, parts in (("roles", self.roles), ("standings", self.standings), ("lapses", self.lapses)):
            del plain[name]
            plain |= {name: [each.to_json() for each in parts]} if parts else {}
        return plain


def _to_plain_values(result: MatchResult | AgentStanding) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(result).items()}


def compute_standings(
    agents: Sequence[str], tallies: Sequence[PlacementTally], games_per_deal: int
) -> tuple[AgentStanding, ...]:
    """How agents stand, each with its tally."""
    return tuple(
        AgentStanding.from_tally(agent, tally, games_per_deal) for agent, tally in zip(agents, tallies, strict=True)
    )
