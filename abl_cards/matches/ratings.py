"""Ratings of agents from the results of matches: maximum likelihood of the model of Bradley and Terry (1952).

The odds that A beats B are 10 to the power of (rating of A − rating of B) / 400. Games of one deal share their cards,
so a pair counts with its effective number of games. Intervals are those of the profile likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.matches.intervals import Interval, effective_sample_size

POINTS_PER_NAT = 400 / np.log(10)
"""Rating points by which the logarithm of the odds grows by 1."""
LIKELIHOOD_DROP = 1.920729410347062
"""Half of the 95 % quantile of the χ² distribution with one degree of freedom."""
_MAX_STEPS, _TOLERANCE = 200, 1e-10
_BISECTIONS = 50


@dataclass(frozen=True)
class PairResult:
    """Games between two agents.

    Attributes:
        first: Name of an agent.
        second: Name of the other one.
        games: Number of games.
        rate: Share of the games that the first agent won, a draw as half a win.
        interval: 95 % interval of the share; None for independent games.
    """

    first: str
    second: str
    games: int
    rate: float
    interval: Interval | None = None

    @property
    def effective_games(self) -> float:
        """Number of independent games that carry the same information."""
        return effective_sample_size(self.rate, self.interval) if self.interval else float(self.games)


@dataclass(frozen=True)
class Rating:
    """Rating of an agent.

    Attributes:
        agent: Name of the agent.
        value: Rating in points above the reference agent.
        interval: 95 % interval of the difference; None for the reference agent itself.
        games: Number of games that it played.
    """

    agent: str
    value: float
    interval: Interval | None
    games: int


@dataclass(frozen=True)
class RatingLadder:
    """Ratings of agents.

    Attributes:
        ratings: Ratings, the best agent first.
        reference: Agent with rating 0.
        is_regularised: Half a win and half a loss were added to each pair, because some agents won all games against
            all others. Without this, ratings would be infinite.
        unrated: Agents without a chain of games to the reference.
    """

    ratings: tuple[Rating, ...]
    reference: str
    is_regularised: bool
    unrated: tuple[str, ...] = ()


def fit_ratings(results: Sequence[PairResult], reference: str | None = None) -> RatingLadder:
    """Compute the ratings that make the results most likely, with 95 % intervals.

    Args:
        results: Results of pairs of different agents, at least one; several results of a pair are added up.
        reference: Agent with rating 0. None, or an agent without games, stands for the agent with the most games.

    Returns:
        The ratings by maximum likelihood. Where it is not finite, half a win and half a loss are added to each pair.

    Raises:
        ValueError: There are no results.
    """
    names = list(dict.fromkeys(name for result in results for name in (result.first, result.second)))
    if not names:
        raise ValueError("no results")
    played = {name: sum(result.games for result in results if name in (result.first, result.second)) for name in names}
    anchor = reference if reference in names else max(names, key=lambda name: played[name])
    connected = _reachable(names, results, anchor)
    kept = [name for name in names if name in connected]
    wins = np.zeros((len(kept), len(kept)))  # effective games that the row won against the column
    for result in results:
        if result.first in connected:
            row, column, games = kept.index(result.first), kept.index(result.second), result.effective_games
            wins[row, column] += result.rate * games
            wins[column, row] += (1 - result.rate) * games
    is_regularised = not _is_strongly_connected(wins > 0)
    if is_regularised:
        wins += 0.5 * ((wins + wins.T) > 0)
    values, bounds = _fit(wins, kept.index(anchor))
    ratings = [
        Rating(name, round(float(value), 1), None if name == anchor else interval, played[name])
        for name, value, interval in zip(kept, values, bounds, strict=True)
    ]
    ordered = tuple(sorted(ratings, key=lambda rating: -rating.value))
    return RatingLadder(ordered, anchor, is_regularised, tuple(name for name in names if name not in connected))


def log_likelihood(wins: NDArray[np.float64], ratings: NDArray[np.float64]) -> float:
    """Return the logarithm of the likelihood of results.

    Args:
        wins: Games that the row won against the column, float64 [agents, agents].
        ratings: Ratings in points, float64 [agents].
    """
    difference = (ratings[:, None] - ratings[None, :]) / POINTS_PER_NAT
    return -float((wins * np.logaddexp(0.0, -difference)).sum())


def _fit(wins: NDArray[np.float64], anchor: int) -> tuple[NDArray[np.float64], list[Interval]]:
    """Return the ratings [agents] and their intervals."""
    free = np.arange(len(wins)) != anchor
    best = _maximise(wins, np.zeros(len(wins)), free)
    highest = log_likelihood(wins, best)
    bounds = []
    for agent in range(len(wins)):
        ends = [_profile_end(wins, best, free, agent, sign, highest) for sign in (-1, 1)] if free[agent] else [0.0, 0.0]
        bounds.append((round(ends[0], 1), round(ends[1], 1)))
    return best, bounds


def _maximise(wins: NDArray[np.float64], start: NDArray[np.float64], free: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the ratings of greatest likelihood by Newton's method, where only free agents move."""
    games, ratings = wins + wins.T, start.copy()
    for _ in range(_MAX_STEPS):
        share = 1 / (1 + np.exp(-(ratings[:, None] - ratings[None, :]) / POINTS_PER_NAT))
        gradient = (wins - games * share).sum(axis=1)[free]
        weight = games * share * (1 - share)
        curvature = np.diag(weight.sum(axis=1)) - weight
        step = np.linalg.solve(curvature[np.ix_(free, free)] + 1e-12 * np.eye(int(free.sum())), gradient)
        step *= min(1.0, 1.0 / max(np.abs(step).max(initial=0.0), 1e-12))
        ratings[free] += step * POINTS_PER_NAT
        if np.abs(step).max(initial=0.0) < _TOLERANCE:
            break
    return ratings


def _profile_end(
    wins: NDArray[np.float64], best: NDArray[np.float64], free: NDArray[np.bool_], agent: int, sign: int, highest: float
) -> float:
    """Return the rating of an agent at which the profile likelihood has dropped to the end of the interval."""
    others = free.copy()
    others[agent] = False

    def has_dropped(distance: float) -> bool:
        start = best.copy()
        start[agent] += sign * distance
        return highest - log_likelihood(wins, _maximise(wins, start, others)) > LIKELIHOOD_DROP

    near, far = 0.0, 50.0
    while not has_dropped(far):
        near, far = far, 2 * far
    for _ in range(_BISECTIONS):
        middle = (near + far) / 2
        near, far = (near, middle) if has_dropped(middle) else (middle, far)
        if far - near < 0.01:
            break
    return float(best[agent] + sign * far)


def _reachable(names: Sequence[str], results: Sequence[PairResult], start: str) -> set[str]:
    """Return the agents with a chain of games to an agent."""
    reached = {start}
    for _ in names:
        for result in results:
            if {result.first, result.second} & reached:
                reached |= {result.first, result.second}
    return reached


def _is_strongly_connected(beats: NDArray[np.bool_]) -> bool:
    """Return whether each agent has a chain of wins to each other one, so that the likelihood has a maximum."""
    paths = beats | np.eye(len(beats), dtype=bool)
    for _ in range(len(beats)):
        paths = (paths.astype(np.int64) @ paths.astype(np.int64)) > 0
    return bool(paths.all())
