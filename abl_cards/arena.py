"""Matches between two agents: teams, duplicate deals, intervals.

Games come in pairs with the same cards and the teams swapped. Everything is decided by the seed and the number of the
game, so a game is the same whether it is played alone or among thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Keys
from abl_cards.games import Engine, Indices, Tables
from abl_cards.games.audience import Audience, Quiet
from abl_cards.games.game import DRAW, Listener, Recorder
from abl_cards.streams import key_of, mix_all

_Z = 1.959963984540054  # 97.5 % point of the normal distribution
_DECISION = 3  # what the keys of decisions are for
AT_ONCE = 4096
"""Games played side by side."""


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a number of games between two agents."""

    agents: tuple[str, str]
    games: int
    seed: int
    wins: tuple[int, int]
    draws: int
    rate: float  # the first agent's share of the games, a draw as half a win
    interval: tuple[float, float]  # its 95 % bounds
    episodes: int

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


Progress = Callable[[int, tuple[int, int]], None]
"""Told after every step: games finished, and the wins of the two agents so far."""

Points = Callable[[Indices, NDArray[np.float32]], None]
"""Told when episodes end: in which games [n], and what they are worth to the first agent [n]."""


def play_match(
    engine: Engine,
    names: tuple[str, str],
    agents: tuple[Agent, Agent],
    games: int,
    seed: int = 0,
    progress: Progress | None = None,
    write: Callable[[dict[str, Any]], None] | None = None,
    points: Points | None = None,
) -> MatchResult:
    """Play whole matches; ``write`` is given the record of every episode, the games in their order.

    Where an agent listens, the games are played one after the other.
    """
    watching: list[Listener] = [agent for agent in agents if isinstance(agent, Listener)]
    at_once = 1 if watching else min(games, AT_ONCE)
    recorder = engine.recorder(at_once, agents=list(names), seed=seed) if write else None
    hall = _Hall(engine, agents, games, seed, at_once, recorder, watching, points)
    shares = np.full(games, np.nan)
    for finished in hall.play():
        shares[finished] = hall.share[finished]
        if progress:
            progress(int((~np.isnan(shares)).sum()), (int((shares == 1).sum()), int((shares == 0).sum())))
    if write:
        for game in range(games):
            for record in hall.records[game]:
                write(record)
    return MatchResult(
        names, games, seed, (int((shares == 1).sum()), int((shares == 0).sum())), int((shares == 0.5).sum()),
        float(shares.mean()), interval(shares), int(hall.episodes.sum()),
    )  # fmt: skip


def match_keys(seed: int, games: Indices) -> Keys:
    """What games [n] of a seed are dealt from: both games of a pair have one key."""
    return mix_all(np.full(len(games), key_of(seed), np.uint64), games // 2)


def decision_keys(tables: Tables, which: Indices, games: Indices) -> Keys:
    """What agents decide by at these tables, where games [n] of a seed are played."""
    return mix_all(mix_all(mix_all(tables.keys[which], _DECISION), games), tables.clock[which])


class _Hall:
    """Tables that play games until there are none left."""

    def __init__(
        self,
        engine: Engine,
        agents: tuple[Agent, Agent],
        games: int,
        seed: int,
        at_once: int,
        recorder: Recorder | None,
        watching: list[Listener],
        points: Points | None,
    ) -> None:
        self._agents, self._games, self._seed, self._recorder = agents, games, seed, recorder
        self._teams = engine.teams
        self._game = np.arange(at_once)  # [tables] the game at each table
        self._next = len(self._game)
        counting = [_Counting(engine, self._game, points)] if points else []
        heard = Audience.of([*([recorder] if recorder else []), *watching, *counting])
        self._tables: Tables = engine.tables(match_keys(seed, self._game), heard)
        self.share = np.zeros(games)  # [games] what the first agent got
        self.episodes = np.zeros(games, np.int64)
        self.records: dict[int, list[dict[str, Any]]] = {}

    def play(self) -> Iterator[Indices]:
        """Play on; yields the numbers of the games that have just finished, possibly none."""
        running = np.ones(len(self._game), bool)
        while running.any():
            self._exchange(self._tables.exchanging())
            self._play(self._tables.playing())
            over = np.flatnonzero(running & (self._tables.winner != -1))
            yield self._finish(over)
            running[over] = False
            fresh = over[: max(0, self._games - self._next)]
            if fresh.size:
                self._game[fresh] = np.arange(self._next, self._next + len(fresh))
                self._next += len(fresh)
                self._tables.begin_match(fresh, match_keys(self._seed, self._game[fresh]))
                running[fresh] = True

    def _by_agent(self, which: Indices) -> Iterator[tuple[Agent, Indices]]:
        """The tables each agent decides at; in the odd games the teams are swapped."""
        turn = self._teams[self._tables.seat[which]] ^ (self._game[which] % 2)
        for number, agent in enumerate(self._agents):
            mine = which[turn == number]
            if mine.size:
                yield agent, mine

    def _decision_keys(self, which: Indices) -> Keys:
        return decision_keys(self._tables, which, self._game[which])

    def _exchange(self, which: Indices) -> None:
        for agent, mine in self._by_agent(which):
            self._tables.give(mine, agent.give(self._tables.exchanges(mine), self._decision_keys(mine)))

    def _play(self, which: Indices) -> None:
        for agent, mine in self._by_agent(which):
            self._tables.play(mine, agent.play(self._tables.decisions(mine), self._decision_keys(mine)))

    def _finish(self, over: Indices) -> Indices:
        games, winner = self._game[over].copy(), self._tables.winner[over]
        self.share[games] = np.where(winner == DRAW, 0.5, (winner ^ (games % 2)) == 0)
        self.episodes[games] = self._tables.episode[over]
        if self._recorder:
            for table, game in zip(over, games, strict=True):
                extra = {"match": int(game)}
                self.records[int(game)] = [extra | record for record in self._recorder.records(int(table))]
        return games


@dataclass(frozen=True)
class _Counting(Quiet):
    """Hears the ends of episodes for who counts points."""

    engine: Engine
    game: Indices  # [tables] the game at each table, kept by the hall
    points: Points

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """In the odd games the first agent has the second team."""
        seats = [int(np.flatnonzero(self.engine.teams == team)[0]) for team in range(2)]
        games, worth = self.game[which], self.engine.rewards(tables, which)
        self.points(games, np.where(games % 2 == 0, worth[:, seats[0]], worth[:, seats[1]]))


def interval(shares: NDArray[np.float64]) -> tuple[float, float]:
    """95 % bounds of the mean share [games]: Wilson's, with the games counted for as much as their pairs tell.

    The two games of a pair share their cards, so they are not independent; the variance between the pairs says how many
    independent games they amount to.
    """
    return wilson(float(shares.mean()), len(shares) / _design_effect(shares))


def wilson(mean: float, worth: float) -> tuple[float, float]:
    """95 % bounds of a share that was found in so many independent games."""
    centre = (mean + _Z**2 / (2 * worth)) / (1 + _Z**2 / worth)
    radius = _Z * sqrt(mean * (1 - mean) / worth + _Z**2 / (4 * worth**2)) / (1 + _Z**2 / worth)
    return round(max(0.0, centre - radius), 6), round(min(1.0, centre + radius), 6)


def _design_effect(shares: NDArray[np.float64]) -> float:
    pairs = shares[: len(shares) // 2 * 2].reshape(-1, 2).mean(axis=1)
    single = float(shares.var())
    if len(pairs) < 2 or single == 0:
        return 1.0
    return max(2 * float(pairs.var(ddof=1)) / single, 0.5)
