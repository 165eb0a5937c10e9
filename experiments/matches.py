"""Matches between agents of an experiment, as stored cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.experiments.agent_specs import AgentSpec
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.games.types import Indices
from abl_cards.matches import MAX_PARALLEL_GAMES, effective_sample_size, play_match, wilson_interval


@dataclass(frozen=True)
class MatchSummary:
    """Result of matches, for the first agent.

    Attributes:
        names: Names of the agents.
        num_games: Number of games.
        win_rate: Share of the games won, a draw as half a win.
        interval: 95 % interval of the win rate.
        episode_points: Points of each episode, less the mean of all seats, game by game: [episodes], whole numbers
            where all are.
        episodes_per_game: Episodes of each game, int64 [games]; empty for cells stored before it existed.
    """

    names: tuple[str, str]
    num_games: int
    win_rate: float
    interval: tuple[float, float]
    episode_points: NDArray[np.number]
    episodes_per_game: NDArray[np.int64]

    @classmethod
    def from_json(cls, result: dict[str, Any]) -> MatchSummary:
        """Make a summary from the plain values of a cell."""
        first, second = result["agents"]
        low, high = result["interval"]
        scores, lengths = np.array(result["scores"]), np.array(result.get("lengths", []), np.int64)
        return cls((first, second), result["games"], result["rate"], (low, high), scores, lengths)

    @classmethod
    def pool(cls, outcomes: Sequence[MatchSummary]) -> MatchSummary:
        """Pool matches of one pair of agents on different deals."""
        games = sum(outcome.num_games for outcome in outcomes)
        rate = sum(outcome.win_rate * outcome.num_games for outcome in outcomes) / games
        interval = wilson_interval(
            rate, sum(effective_sample_size(outcome.win_rate, outcome.interval) for outcome in outcomes)
        )
        scores = np.concatenate([outcome.episode_points for outcome in outcomes])
        lengths = np.concatenate([outcome.episodes_per_game for outcome in outcomes])
        return cls(outcomes[0].names, games, rate, interval, scores, lengths)

    def swap_sides(self) -> MatchSummary:
        """Return the summary for the second agent."""
        low, high = self.interval
        return MatchSummary(
            self.names[::-1],
            self.num_games,
            1 - self.win_rate,
            (1 - high, 1 - low),
            -self.episode_points,
            self.episodes_per_game,
        )


def measure_matches(
    workspace: ExperimentWorkspace, engine: Engine, pair: tuple[AgentSpec, AgentSpec], games: int, seed: int
) -> MatchSummary:
    """Play whole matches on duplicate deals, or return the stored result."""
    first, second = pair
    what = {
        "match": [first.name, second.name], "marks": [first.fingerprint, second.fingerprint], "games": games,
        "seed": seed,
    }  # fmt: skip
    text = f"{first.name} : {second.name}"
    return MatchSummary.from_json(
        workspace.measure_cell(
            what, lambda tell: _play(engine, pair, games, seed, tell), text, games, MAX_PARALLEL_GAMES
        )
    )


def _play(
    engine: Engine, pair: tuple[AgentSpec, AgentSpec], games: int, seed: int, on_progress: ProgressCallback
) -> dict[str, Any]:
    scores: list[list[float]] = [[] for _ in range(games)]

    def note(numbers: Indices, points: NDArray[np.float32]) -> None:
        for number, point in zip(numbers, points.tolist(), strict=True):
            scores[number].append(int(point) if point.is_integer() else point)

    result = play_match(
        engine, (pair[0].agent, pair[1].agent), games, seed, names=(pair[0].name, pair[1].name),
        on_progress=lambda done, wins: on_progress(done, f"{wins[0]} : {wins[1]}"), on_points=note,
    )  # fmt: skip
    every, lengths = [score for game in scores for score in game], [len(game) for game in scores]
    return result.to_json() | {"scores": every, "lengths": lengths}


@dataclass(frozen=True)
class PointShares:
    """Episodes by their value to the winner (table 8 of Chen et al. 2025)."""

    total_points: float  # points of the episodes won
    win_rate: float | None  # share of the episodes; None where there were none
    shares: dict[int, float | None]  # of the episodes won, by their worth; likewise

    @classmethod
    def from_scores(cls, scores: NDArray[np.number]) -> PointShares:
        """Compute the shares from the scores [n] of a player."""
        worth = Counter(scores[scores > 0].tolist())
        won = worth.total()
        total = sum(points * times for points, times in worth.items())
        shares = {points: worth[points] / won if won else None for points in (3, 2, 1)}
        return cls(total, won / len(scores) if len(scores) else None, shares)


def share_of_episodes(
    outcome: MatchSummary, counted: NDArray[np.bool_], eligible: NDArray[np.bool_]
) -> tuple[float | None, float | None, float | None]:
    """Return the share of counted episodes among the eligible ones [episodes], and its 95 % bounds if they are known.

    The episodes of the two games with one deal are dependent, so deals are the sampling units. A prefix of the episodes
    of an outcome may be given.
    """
    part, whole = float(counted.sum()), float(eligible.sum())
    if not whole:
        return None, None, None
    rate, size = part / whole, len(counted)
    deal = (np.repeat(np.arange(len(outcome.episodes_per_game)), outcome.episodes_per_game) // 2)[:size]
    deals = len(np.unique(deal))
    if len(deal) < size or deals < 2:
        return rate, None, None
    gap = np.bincount(deal, counted - rate * eligible)
    variance = float((gap**2).sum()) / whole**2 * deals / (deals - 1)
    if not variance:
        return rate, *wilson_interval(rate, deals)
    return rate, *wilson_interval(rate, rate * (1 - rate) / variance)
