"""Statistics of self-play by some rules: wins by seat, length of episodes, forced decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import make_agent
from abl_cards.core import splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices
from abl_cards.matches import wilson_interval

NUM_TABLES = 200
"""Tables that play in parallel."""


@dataclass(frozen=True)
class Balance:
    """Statistics of episodes between equal agents."""

    num_episodes: int
    win_shares: tuple[float, ...]  # [seats] share of episodes in which the seat has most points, ties included
    win_intervals: tuple[tuple[float, float], ...]  # [seats] 95 % intervals
    mean_decisions: float  # plays and passes per episode
    decisions_interval: tuple[float, float]  # 95 % interval
    forced_share: float  # share of decisions with a single legal move
    pass_share: float  # share of decisions that are passes

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as JSON, rounded."""
        return {
            "episodes": self.num_episodes,
            "wins_by_seat": [round(share, 4) for share in self.win_shares],
            "wins_95": [[round(bound, 4) for bound in pair] for pair in self.win_intervals],
            "decisions_an_episode": round(self.mean_decisions, 2),
            "decisions_95": [round(bound, 2) for bound in self.decisions_interval],
            "forced_share": round(self.forced_share, 4),
            "pass_share": round(self.pass_share, 4),
        }


class _BalanceListener(NullListener):
    """Listener that counts results, lengths and decisions."""

    def __init__(self, engine: Engine, tables: int) -> None:
        self.engine, self.winners = engine, list[NDArray[np.bool_]]()
        self.current_lengths, self.episode_lengths = np.zeros(tables, np.int64), list[int]()
        self.num_decisions = self.num_forced = self.num_passes = 0

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the winner and the length of episodes."""
        points = self.engine.rewards(tables, rows)
        best = points.max(axis=1, keepdims=True)
        self.winners += list((points == best) & (points > points.min(axis=1, keepdims=True)))
        self.episode_lengths += self.current_lengths[rows].tolist()
        self.current_lengths[rows] = 0

    def count_decisions(self, tables: Tables, rows: Indices) -> Any:
        """Count and return the decisions at some tables."""
        decisions = tables.decisions(rows)
        starts = decisions.moves().start
        self.current_lengths[rows] += 1
        self.num_decisions += len(rows)
        self.num_forced += int((np.diff(starts) == 1).sum())
        return decisions


def measure_balance(
    engine: Engine, num_episodes: int, seed: int, on_progress: Callable[[int], None], agent_name: str = "kb"
) -> Balance:
    """Measure statistics of an agent that plays against itself.

    Args:
        engine: Engine of the game.
        num_episodes: Least number of episodes.
        seed: Seed of the matches.
        on_progress: Called with the number of episodes so far.
        agent_name: Name of the agent; by default the preferences of the knowledge base.

    Returns:
        Statistics of the episodes.

    Raises:
        GameError: The agent is unknown or cannot play the game.
    """
    tables = min(NUM_TABLES, num_episodes)
    counter = _BalanceListener(engine, tables)
    match_tables, agent = (
        engine.start_matches(splitmix64_array(np.arange(tables).astype(np.uint64), seed), counter),
        make_agent(agent_name, engine),
    )
    match_tables.batch_rare_steps, pass_label = True, engine.label_traits.pass_label
    while len(counter.winners) < num_episodes:
        to_play, to_choose = match_tables.rows_to_play(), match_tables.rows_to_choose()
        if to_play.size:
            decisions = counter.count_decisions(match_tables, to_play)
            moves = agent.play(
                decisions, splitmix64_array(match_tables.keys[to_play], match_tables.num_decisions[to_play])
            )
            counter.num_passes += int((decisions.labels_of(moves.form) == pass_label).sum())
            match_tables.play(to_play, moves)
        if to_choose.size:
            keys = splitmix64_array(match_tables.keys[to_choose], match_tables.num_decisions[to_choose])
            match_tables.choose(to_choose, agent.choose(match_tables.choices(to_choose), keys))
        finished = np.flatnonzero(match_tables.winner != -1)
        if finished.size:
            match_tables.begin_match(finished, splitmix64_array(match_tables.keys[finished], 1))
        on_progress(len(counter.winners))
    return _summary(counter)


def _summary(counter: _BalanceListener) -> Balance:
    winners = np.array(counter.winners)
    shares, lengths = winners.mean(axis=0), np.array(counter.episode_lengths)
    half_width = 1.96 * lengths.std() / np.sqrt(len(lengths))
    return Balance(
        len(winners),
        tuple(shares.tolist()),
        tuple(wilson_interval(float(share), float(len(winners))) for share in shares),
        float(lengths.mean()),
        (float(lengths.mean() - half_width), float(lengths.mean() + half_width)),
        counter.num_forced / max(1, counter.num_decisions),
        counter.num_passes / max(1, counter.num_decisions),
    )
