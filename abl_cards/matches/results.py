"""Results of matches: numbers, plain values and a summary as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import format_count, format_seed
from abl_cards.matches.intervals import Interval, format_interval, mean_interval, share_interval


@dataclass(frozen=True)
class RoleResult:
    """Result of an agent in one role, such as landlord.

    Attributes:
        role: Name of the role in the rules.
        agent: Name of the agent.
        games: Games in which one of its seats had this role.
        wins: Games of these that it won.
        rate: Share of these games won, a draw as half a win.
        interval: 95 % interval of the rate.
        points: Mean points per game of a seat in this role, in the units of the game.
    """

    role: str
    agent: str
    games: int
    wins: int
    rate: float
    interval: Interval
    points: float

    @classmethod
    def from_points(cls, role: str, agent: str, points: NDArray[np.float64]) -> RoleResult:
        """Compute the result from the points of a seat in this role, float64 [games]."""
        shares = (1 + np.sign(points)) / 2
        rate, bounds = (float(shares.mean()), share_interval(shares, 1)) if len(shares) else (0.0, (0.0, 1.0))
        mean = round(float(points.mean()), 6) if len(shares) else 0.0
        return cls(role, agent, len(shares), int((shares == 1).sum()), rate, bounds, mean)

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return asdict(self) | {"interval": list(self.interval)}


@dataclass(frozen=True)
class AgentStanding:
    """Places and points of an agent in a game of several sides.

    Attributes:
        agent: Name of the agent.
        first: Share of the first places; seats that are first together share it.
        first_interval: 95 % interval of ``first``.
        place: Mean place of its seats, from 1; equal seats share the places that they take.
        place_interval: 95 % interval of ``place``; None with fewer than two deals.
        points: Mean points per game of one of its seats, in the units of the game.
        points_interval: 95 % interval of ``points``; None with fewer than two deals.
    """

    agent: str
    first: float
    first_interval: Interval
    place: float
    place_interval: Interval | None
    points: float
    points_interval: Interval | None

    @classmethod
    def from_tally(cls, agent: str, tally: PlacementTally, games_per_deal: int) -> AgentStanding:
        """Compute the standing from sums over the seats of an agent; ``games_per_deal`` games share a deal."""
        seats = np.maximum(tally.seats, 1)
        weight = tally.seats / tally.seats.mean()  # a game counts by the seats that the agent has in it
        place, points = tally.places / seats * weight, tally.points / seats * weight
        return cls(
            agent, round(float(tally.first.mean()), 6), share_interval(tally.first, games_per_deal),
            round(float(place.mean()), 6), mean_interval(place, games_per_deal),
            round(float(points.mean()), 6), mean_interval(points, games_per_deal),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return _to_plain_values(self)


@dataclass(frozen=True)
class PlacementTally:
    """Sums over the seats of an agent, by game.

    Attributes:
        seats: Number of its seats, float64 [games].
        first: Sum of their shares in the first place, float64 [games].
        places: Sum of their places, float64 [games].
        points: Sum of their points, float64 [games].
    """

    seats: NDArray[np.float64]
    first: NDArray[np.float64]
    places: NDArray[np.float64]
    points: NDArray[np.float64]

    @classmethod
    def empty(cls, games: int) -> PlacementTally:
        """Return zeros for games that are not played yet."""
        return cls(*(np.zeros(games) for _ in range(4)))

    @classmethod
    def concatenate(cls, tallies: Sequence[PlacementTally]) -> PlacementTally:
        """Join the sums of consecutive games."""
        return cls(*(np.concatenate([getattr(tally, field.name) for tally in tallies]) for field in fields(cls)))

    def add_games(self, games: NDArray[np.int64], points: NDArray[np.float64], own_seats: NDArray[np.bool_]) -> None:
        """Add finished games.

        Args:
            games: Indices of the games [n].
            points: Points of each seat [n, seats].
            own_seats: Whether the seat belongs to this agent [n, seats].
        """
        values = np.ones(len(games)), compute_first_shares(points), compute_places(points), points
        for sums, by_seat in zip((self.seats, self.first, self.places, self.points), values, strict=True):
            sums[games] = np.where(own_seats, by_seat if by_seat.ndim == 2 else by_seat[:, None], 0.0).sum(axis=1)


def compute_places(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank seats by their points [n, seats]: [n, seats] places from 1; equal seats share the places that they take.

    >>> compute_places(np.array([[5.0, 1.0, 1.0, -7.0]])).tolist()
    [[1.0, 2.5, 2.5, 4.0]]
    """
    num_better = (points[:, None] > points[:, :, None]).sum(axis=2)
    num_equal = (points[:, None] == points[:, :, None]).sum(axis=2)
    places: NDArray[np.float64] = 1 + num_better + (num_equal - 1) / 2
    return places


def compute_first_shares(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share the first place among the seats with most points [n, seats]: [n, seats] shares.

    >>> compute_first_shares(np.array([[5.0, 1.0, 5.0]])).tolist()
    [[0.5, 0.0, 0.5]]
    """
    best = points == points.max(axis=1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares


@dataclass(frozen=True)
class Forfeit:
    """A game lost by a fault of a program.

    Attributes:
        game: Index of the game.
        seat: Seat of the program.
        agent: Name of the program.
        kind: Kind of the fault, as the platform names it.
        text: One line about it.
    """

    game: int
    seat: int
    agent: str
    kind: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return asdict(self)


@dataclass(frozen=True)
class MatchResult:
    """Result of a match.

    Attributes:
        agents: Names of the agents.
        games: Number of games.
        seed: Seed of deals and decisions.
        wins: Games won by each agent.
        draws: Drawn games.
        rate: Share of the games won by the first agent, a draw as half a win; with more than two agents, its share
            of the first places.
        interval: 95 % interval of the rate; the games of a deal are counted as dependent.
        episodes: Number of episodes in all games.
        roles: Results by role and agent, where the roles of the game differ.
        standings: Places and points, where more than two sides are alike or more than two agents play.
        lapses: Games lost by a fault of a program.
        game: Name of the game.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    wins: tuple[int, ...]
    draws: int
    rate: float
    interval: Interval
    episodes: int
    roles: tuple[RoleResult, ...] = ()
    standings: tuple[AgentStanding, ...] = ()
    lapses: tuple[Forfeit, ...] = ()
    game: str = ""

    def summary(self) -> str:
        """Describe the match in a few lines: what was played, wins and intervals, roles and standings.

        Returns:
            Lines of text without a line end after the last one.
        """
        episodes = format_count(self.episodes, "episode")
        drawn = f", {self.draws} drawn" if self.draws else ""
        lines = [f"{self.game}: {format_count(self.games, 'game')}{drawn}, {episodes}, seed {format_seed(self.seed)}"]
        for index, (agent, wins) in enumerate(zip(self.agents, self.wins, strict=True)):
            line = f"{agent}: {format_count(wins, 'game')} won"
            if index == 0:
                line += f", {self.rate:.1%} of the games, 95 % interval {format_interval(self.interval)}"
            lines.append(line)
        for role in self.roles:
            lines.append(
                f"{role.agent} as {role.role}: {role.wins} of {role.games} games won, {role.rate:.1%}, "
                f"95 % interval {format_interval(role.interval)}, {role.points:+.2f} points a game"
            )
        for standing in self.standings:
            lines.append(f"{standing.agent}: place {standing.place:.2f}, {standing.points:+.2f} points a game")
        lines += [f"game {lapse.game} lost by {lapse.agent}: {lapse.kind}, {lapse.text}" for lapse in self.lapses]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order; roles, standings and lapses only where there are any."""
        plain = _to_plain_values(self) | {"seed": format_seed(self.seed)}
        del plain["game"]
        for name, parts in (("roles", self.roles), ("standings", self.standings), ("lapses", self.lapses)):
            del plain[name]
            plain |= {name: [part.to_json() for part in parts]} if parts else {}
        return plain


def _to_plain_values(result: MatchResult | AgentStanding) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(result).items()}


def compute_standings(
    agents: Sequence[str], tallies: Sequence[PlacementTally], games_per_deal: int
) -> tuple[AgentStanding, ...]:
    """Compute the standing of each agent from its sums."""
    return tuple(
        AgentStanding.from_tally(agent, tally, games_per_deal) for agent, tally in zip(agents, tallies, strict=True)
    )
