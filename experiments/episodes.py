"""Single episodes between two agents on duplicate deals: faster than matches, and more sensitive to small gains.

Each is the first episode of a match. Whole matches of two equal agents take long, and a slightly better agent wins
nearly all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.experiments.agent_specs import AgentSpec
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices
from abl_cards.matches import derive_decision_keys, derive_match_keys, share_interval


@dataclass(frozen=True)
class EpisodeSummary:
    """Result of episodes, for the first agent."""

    num_episodes: int
    win_rate: float  # share, a draw as half
    interval: tuple[float, float]  # 95 %, of the share
    mean_points: float  # an episode

    @classmethod
    def from_json(cls, num_episodes: int, result: Mapping[str, Any]) -> EpisodeSummary:
        """Make a summary from the plain values of `play_episode_pair`."""
        low, high = result["bounds"]
        return cls(num_episodes, result["won"], (low, high), result["points"])


def measure_episodes(
    workspace: ExperimentWorkspace, engine: Engine, pair: tuple[AgentSpec, AgentSpec], count: int, seed: int
) -> EpisodeSummary:
    """Play episodes, or return the stored result; every deal is played once for each way to seat the two."""
    what = {
        "episodes": [player.name for player in pair], "marks": [player.fingerprint for player in pair], "count": count,
        "seed": seed,
    }  # fmt: skip

    text = f"{pair[0].name} : {pair[1].name}"
    result = workspace.measure_cell(
        what, lambda tell: play_episode_pair(engine, pair, count, seed, tell), text, count, side_by_side=count
    )
    return EpisodeSummary.from_json(count, result)


def play_episode_pair(
    engine: Engine, pair: tuple[AgentSpec, AgentSpec], count: int, seed: int, on_progress: ProgressCallback
) -> dict[str, Any]:
    """Play episodes; returns the share that the first agent won, its 95 % bounds and the mean points."""
    points = play_episodes(engine, (pair[0].agent, pair[1].agent), count, seed, on_progress)
    shares = (1 + np.sign(points)) / 2
    bounds = share_interval(shares, len(engine.agent_seatings))
    return {"won": float(shares.mean()), "bounds": bounds, "points": float(points.mean())}


def play_episodes(
    engine: Engine, agents: tuple[Agent, Agent], count: int, seed: int, on_progress: ProgressCallback
) -> NDArray[np.float64]:
    """Play episodes; returns the points of the first agent, float64 [count]."""
    games = np.arange(count)
    seating = engine.agent_seatings[games % len(engine.agent_seatings)]
    ends = _FirstEpisodeListener(engine, seating)
    tables: Tables = engine.start_matches(derive_match_keys(seed, games, len(engine.agent_seatings)), ends)
    tables.batch_rare_steps = True
    while (running := ~ends.is_over).any():
        for agent, mine in _group_by_agent(agents, seating, tables, tables.rows_to_choose(), running):
            tables.choose(mine, agent.choose(tables.choices(mine), derive_decision_keys(tables, mine, mine)))
        for agent, mine in _group_by_agent(agents, seating, tables, tables.rows_to_play(), running):
            tables.play(mine, agent.play(tables.decisions(mine), derive_decision_keys(tables, mine, mine)))
        on_progress(int(ends.is_over.sum()), "episodes")
    return ends.points


def _group_by_agent(
    agents: tuple[Agent, Agent], seating: NDArray[np.int8], tables: Tables, rows: Indices, running: NDArray[np.bool_]
) -> Iterator[tuple[Agent, Indices]]:
    """Yield each agent with the running tables where it decides."""
    rows = rows[running[rows]]
    turn = seating[rows, tables.seat[rows]]
    for number, agent in enumerate(agents):
        mine = rows[turn == number]
        if mine.size:
            yield agent, mine


class _FirstEpisodeListener(NullListener):
    """Listener that keeps the points of the first episode of each table."""

    def __init__(self, engine: Engine, seating: NDArray[np.int8]) -> None:
        self._engine, self._own_seat = engine, (seating == 0).argmax(axis=1)
        self.is_over = np.zeros(len(seating), np.bool_)
        self.points = np.zeros(len(seating))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Store the points of a seat of the first agent."""
        first = ~self.is_over[rows]
        won = self._engine.rewards(tables, rows)[np.arange(len(rows)), self._own_seat[rows]]
        self.points[rows[first]] = won[first]
        self.is_over[rows[first]] = True
