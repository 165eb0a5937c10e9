"""Statistics of self-play by some rules: wins by role and seat, length of episodes, bombs, forced decisions."""

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
    roles: tuple[str, ...]  # one role where all seats are alike
    role_shares: tuple[float, ...]  # [roles] share of episodes in which a seat of the role has most points
    role_intervals: tuple[tuple[float, float], ...]  # [roles] 95 % intervals
    first_share: float  # share of episodes in which the seat that plays first has most points
    first_interval: tuple[float, float]  # 95 % interval
    mean_bombs: float  # plays per episode that beat other kinds of play
    bombs_interval: tuple[float, float]  # 95 % interval

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
            "roles": list(self.roles),
            "wins_by_role": [round(share, 4) for share in self.role_shares],
            "role_wins_95": [[round(bound, 4) for bound in pair] for pair in self.role_intervals],
            "first_wins": round(self.first_share, 4),
            "first_wins_95": [round(bound, 4) for bound in self.first_interval],
            "bombs_an_episode": round(self.mean_bombs, 3),
            "bombs_95": [round(bound, 3) for bound in self.bombs_interval],
        }


class _BalanceListener(NullListener):
    """Listener that counts results, lengths and decisions."""

    def __init__(self, engine: Engine, tables: int) -> None:
        self.engine, self.winners = engine, list[NDArray[np.bool_]]()
        self.current_lengths, self.episode_lengths = np.zeros(tables, np.int64), list[int]()
        self.current_bombs, self.episode_bombs = np.zeros(tables, np.int64), list[int]()
        self.first_seats, self.first_won, self.role_won = np.zeros(tables, np.int64), list[bool](), list[list[bool]]()
        self.num_decisions = self.num_forced = self.num_passes = 0

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the winner and the length of episodes."""
        points = self.engine.rewards(tables, rows)
        best = points.max(axis=1, keepdims=True)
        winners, roles = (points == best) & (points > points.min(axis=1, keepdims=True)), tables.roles(rows)
        self.winners += list(winners)
        self.first_won += winners[np.arange(len(rows)), self.first_seats[rows]].tolist()
        self.role_won += [
            [bool(won[seat_roles == role].any()) for role in range(len(self.engine.roles))]
            for won, seat_roles in zip(winners, roles, strict=True)
        ]
        self.episode_bombs += self.current_bombs[rows].tolist()
        self.current_bombs[rows] = 0
        self.episode_lengths += self.current_lengths[rows].tolist()
        self.current_lengths[rows] = 0

    def count_decisions(self, tables: Tables, rows: Indices) -> Any:
        """Count and return the decisions at some tables."""
        decisions = tables.decisions(rows)
        _, has_several = decisions.first_card_sets(1)
        first = rows[self.current_lengths[rows] == 0]
        self.first_seats[first] = tables.seat[first]
        self.current_lengths[rows] += 1
        self.num_decisions += len(rows)
        self.num_forced += int((~has_several).sum())
        return decisions

    def count_labels(self, rows: Indices, labels: NDArray[np.int64]) -> None:
        """Count passes and bombs among the labels [n] chosen at some tables."""
        traits = self.engine.label_traits
        self.num_passes += int((labels == traits.pass_label).sum())
        self.current_bombs[rows] += traits.is_bomb[labels]


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
    match_tables.batch_rare_steps = True
    while len(counter.winners) < num_episodes:
        to_play, to_choose = match_tables.rows_to_play(), match_tables.rows_to_choose()
        if to_play.size:
            decisions = counter.count_decisions(match_tables, to_play)
            moves = agent.play(
                decisions, splitmix64_array(match_tables.keys[to_play], match_tables.num_decisions[to_play])
            )
            counter.count_labels(to_play, decisions.labels_of(moves.form))
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
    winners, role_won = np.array(counter.winners), np.array(counter.role_won)
    shares, role_shares = winners.mean(axis=0), role_won.mean(axis=0)
    first_share = float(np.mean(counter.first_won))
    mean_decisions, decisions_interval = _estimate_mean(counter.episode_lengths)
    mean_bombs, bombs_interval = _estimate_mean(counter.episode_bombs)
    return Balance(
        len(winners),
        tuple(shares.tolist()),
        tuple(wilson_interval(float(share), float(len(winners))) for share in shares),
        mean_decisions,
        decisions_interval,
        counter.num_forced / max(1, counter.num_decisions),
        counter.num_passes / max(1, counter.num_decisions),
        counter.engine.roles,
        tuple(role_shares.tolist()),
        tuple(wilson_interval(float(share), float(len(winners))) for share in role_shares),
        first_share,
        wilson_interval(first_share, float(len(winners))),
        mean_bombs,
        bombs_interval,
    )


def _estimate_mean(values: list[int]) -> tuple[float, tuple[float, float]]:
    """Return the mean of some numbers, and its 95 % interval."""
    mean, half_width = float(np.mean(values)), float(1.96 * np.std(values) / np.sqrt(len(values)))
    return mean, (mean - half_width, mean + half_width)
