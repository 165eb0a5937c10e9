"""Value of taking tricks, measured by random play, because rule files state only points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import Agent, RandomKeys
from abl_cards.agents.baselines import RandomAgent
from abl_cards.core import splitmix64_array
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.tables import Listener, NullListener, Tables
from abl_cards.games.types import Indices

NUM_TABLES, NUM_EPISODES = 64, 64
MIN_ERRORS = 3.0
"""Standard errors that the mean covariance must lie below zero: in games of attackers and defenders it is near zero."""
MAX_STEPS = 10_000
"""Steps after which games that do not end are no longer waited for."""
_SEED = 0


class _TrickCounter(NullListener):
    """Listener that computes the covariance of points and tricks taken, over the seats of each episode."""

    def __init__(self, num_tables: int, num_seats: int) -> None:
        self.covariances: list[float] = []  # of each episode
        self._taken = np.zeros((num_tables, num_seats))

    def count(self, tables: Tables, rows: Indices) -> None:
        """Count the tricks that have just ended at rows of the tables, except the last of an episode."""
        self._taken[rows, tables.state.owner[rows]] += 1

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Count the last trick, and compare the tricks of the seats with their rewards."""
        self.count(tables, rows)
        taken = self._taken[rows]
        self.covariances += ((taken - taken.mean(axis=1, keepdims=True)) * tables.points[rows]).sum(axis=1).tolist()
        self._taken[rows] = 0


@cache_per_game
def avoids_tricks(rules: CompiledGame) -> bool:
    """Return whether seats that take more tricks than the others get fewer points, as in Hearts.

    Args:
        rules: A game with tricks.
    """
    player, counter = RandomAgent(), _TrickCounter(NUM_TABLES, rules.seating.seats)
    for tables, rows, episode in play_steps(rules, NUM_TABLES, counter, player, player):
        counter.count(tables, tables.find_ended_tricks(rows, episode))
        if len(counter.covariances) >= NUM_EPISODES:
            break
    covariances = np.array(counter.covariances)
    return bool(len(covariances) and covariances.mean() < -MIN_ERRORS * covariances.std() / np.sqrt(len(covariances)))


def play_steps(
    rules: CompiledGame, num_tables: int, listener: Listener, chooser: Agent, player: Agent
) -> Iterator[tuple[Tables, Indices, NDArray[np.int32]]]:
    """Decide at every table in each step, without end; a match that is over is followed by a new one.

    Args:
        rules: The game.
        num_tables: Number of tables.
        listener: Called at every event of the tables.
        chooser: Agent that chooses options.
        player: Agent that makes the plays.

    Yields:
        The tables, the rows where a play was made, and the numbers of their episodes before it.
    """
    keys = splitmix64_array(np.arange(num_tables, dtype=np.uint64), _SEED)
    tables = Tables.begin(rules, keys, listener)
    for step in range(MAX_STEPS):
        yield tables, *_play_step(tables, chooser, player, splitmix64_array(keys, step + 1))


def _play_step(tables: Tables, chooser: Agent, player: Agent, keys: RandomKeys) -> tuple[Indices, NDArray[np.int32]]:
    """Decide once at every table; returns the rows where a play was made, and their episodes before it."""
    rows = tables.rows_to_choose()
    if rows.size:
        tables.choose(rows, chooser.choose(tables.choices(rows), keys[rows]))
    rows = tables.rows_to_play()
    episode = tables.num_episodes[rows].copy()
    if rows.size:
        tables.play(rows, player.play(tables.decisions(rows), keys[rows]))
    else:
        over = np.flatnonzero(tables.winner != -1)
        tables.begin_match(over, keys[over])
    return rows, episode
