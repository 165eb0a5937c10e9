"""Matches between two agents: seats, duplicate deals, intervals, parts.

Every deal is played once for each way to seat the two agents: in two teams that is twice, with the teams swapped. Where
the parts of a game differ, as landlord and peasants do, each agent's result is told for each part too. Everything is
decided by the seed and the number of the game, so a game is the same whether it is played alone or among thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Keys
from abl_cards.games import Engine, Indices, Tables
from abl_cards.games.audience import Audience, Quiet
from abl_cards.games.faults import naming
from abl_cards.games.game import Recorder
from abl_cards.games.tables import Listener
from abl_cards.recording import Scribe, Write
from abl_cards.streams import key_of, mix_all

_Z = 1.959963984540054  # 97.5 % point of the normal distribution
_DECISION = 3  # what the keys of decisions are for
AT_ONCE = 4096
"""Games played side by side."""


@dataclass(frozen=True)
class RoleResult:
    """What an agent made of one part of the game."""

    role: str
    agent: str
    games: int  # in which one of its seats had this part
    wins: int
    rate: float
    interval: tuple[float, float]  # its 95 % bounds
    points: float  # what such a seat won a game, in the units of the game

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return asdict(self) | {"interval": list(self.interval)}


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
    roles: tuple[RoleResult, ...] = ()  # of a game whose parts differ: by part, the first agent first

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order; the roles only where there are any."""
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
        roles = {"roles": [role.to_json() for role in self.roles]} if self.roles else {}
        return {key: value for key, value in plain.items() if key != "roles"} | roles


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
    write: Write | None = None,
    points: Points | None = None,
    given: bool = False,
) -> MatchResult:
    """Play whole matches; ``write`` is given the record of every episode as it ends.

    An engine with given deals (games/dealing.py) plays them one after the other when it is told so.

    Where an agent listens, the games are played one after the other.
    """
    watching: list[Listener] = [agent for agent in agents if isinstance(agent, Listener)]
    at_once = 1 if watching else min(games, AT_ONCE)
    recorder = engine.recorder(at_once, agents=list(names), seed=seed) if write else None
    hall = _Hall(engine, agents, games, seed, at_once, recorder, write, watching, points, given)
    shares = np.full(games, np.nan)
    for finished in hall.play():
        shares[finished] = hall.share[finished]
        if progress:
            progress(int((~np.isnan(shares)).sum()), (int((shares == 1).sum()), int((shares == 0).sum())))
    return MatchResult(
        names, games, seed, (int((shares == 1).sum()), int((shares == 0).sum())), int((shares == 0.5).sum()),
        float(shares.mean()), interval(shares, len(engine.seatings)), int(hall.episodes.sum()), hall.roles(names),
    )  # fmt: skip


def match_keys(seed: int, games: Indices, seatings: int = 2) -> Keys:
    """What games [n] of a seed are dealt from: the games of a deal, one a seating, have one key."""
    return mix_all(np.full(len(games), key_of(seed), np.uint64), games // seatings)


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
        write: Write | None,
        watching: list[Listener],
        points: Points | None,
        given: bool,
    ) -> None:
        self._given = given
        self._agents, self._games, self._seed = agents, games, seed
        self._seatings, self._roles = engine.seatings, engine.roles
        self._game = np.arange(at_once)  # [tables] the game at each table
        self._next = len(self._game)
        counting = [_Counting(engine, self._game, points)] if points else []
        writing: list[Listener] = [recorder, Scribe(recorder, write, self._heading)] if recorder and write else []
        heard = Audience.of([*writing, *watching, *counting])
        self._tables: Tables = engine.tables(self._keys(self._game), heard)
        self.share = np.zeros(games)  # [games] what the first agent got
        self._points = np.full((2, len(self._roles), games), np.nan)  # of a seat of each agent with each part
        self.episodes = np.zeros(games, np.int64)

    def play(self) -> Iterator[Indices]:
        """Play on; yields the numbers of the games that have just finished, possibly none.

        Raises GameError that names the game where the rules lead nowhere.
        """
        running = np.ones(len(self._game), bool)
        while running.any():
            with naming(self._named):
                self._exchange(self._tables.exchanging())
                self._play(self._tables.playing())
            over = np.flatnonzero(running & (self._tables.winner != -1))
            yield self._finish(over)
            running[over] = False
            fresh = over[: max(0, self._games - self._next)]
            if fresh.size:
                self._game[fresh] = np.arange(self._next, self._next + len(fresh))
                self._next += len(fresh)
                self._tables.begin_match(fresh, self._keys(self._game[fresh]))
                running[fresh] = True

    def roles(self, names: tuple[str, str]) -> tuple[RoleResult, ...]:
        """What each agent made of each part, where there are several."""
        if len(self._roles) < 2:
            return ()
        return tuple(
            _role_result(role, name, points[~np.isnan(points)])
            for role, by_agent in zip(self._roles, self._points.swapaxes(0, 1), strict=True)
            for name, points in zip(names, by_agent, strict=True)
        )

    def _named(self, table: int) -> str:
        return f"seed {self._seed}, game {self._game[table]} (table {table})"

    def _keys(self, games: Indices) -> Keys:
        if self._given:
            return (games // len(self._seatings)).astype(np.uint64)
        return match_keys(self._seed, games, len(self._seatings))

    def _heading(self, table: int) -> dict[str, Any]:
        """What a record says of the game at a table."""
        return {"match": int(self._game[table])}

    def _seating(self, games: Indices) -> NDArray[np.int8]:
        """[n, seats] the agent that sits there."""
        return self._seatings[games % len(self._seatings)]

    def _by_agent(self, which: Indices) -> Iterator[tuple[Agent, Indices]]:
        """The tables each agent decides at."""
        turn = self._seating(self._game[which])[np.arange(len(which)), self._tables.seat[which]]
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
        games = self._game[over].copy()
        points, seating = self._tables.outcome(over), self._seating(games)
        self.share[games] = (1 + np.sign(np.where(seating == 0, points, -points).sum(axis=1))) / 2
        self.episodes[games] = self._tables.episode[over]
        roles = self._tables.roles(over)
        for agent, role in product(range(2), range(len(self._roles))):
            mine = (seating == agent) & (roles == role)
            rows = np.flatnonzero(mine.any(axis=1))
            self._points[agent, role, games[rows]] = points[rows, mine[rows].argmax(axis=1)]
        return games


@dataclass(frozen=True)
class _Counting(Quiet):
    """Hears the ends of episodes for who counts points."""

    engine: Engine
    game: Indices  # [tables] the game at each table, kept by the hall
    points: Points

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """What the first of the seats of the first agent has won."""
        games, seatings = self.game[which], self.engine.seatings
        seat = (seatings[games % len(seatings)] == 0).argmax(axis=1)
        self.points(games, self.engine.rewards(tables, which)[np.arange(len(which)), seat])


def _role_result(role: str, agent: str, points: NDArray[np.float64]) -> RoleResult:
    won = (1 + np.sign(points)) / 2
    rate, bounds = (float(won.mean()), interval(won, 1)) if len(won) else (0.0, (0.0, 1.0))
    mean = round(float(points.mean()), 6) if len(won) else 0.0
    return RoleResult(role, agent, len(won), int((won == 1).sum()), rate, bounds, mean)


def interval(shares: NDArray[np.float64], together: int = 2) -> tuple[float, float]:
    """95 % bounds of the mean share [games]: Wilson's, with the games counted for as much as their deals tell.

    So many games together share their cards, so they are not independent; the variance between the deals says how many
    independent games they amount to.
    """
    return wilson(float(shares.mean()), len(shares) / _design_effect(shares, together))


def wilson(mean: float, worth: float) -> tuple[float, float]:
    """95 % bounds of a share that was found in so many independent games."""
    centre = (mean + _Z**2 / (2 * worth)) / (1 + _Z**2 / worth)
    radius = _Z * sqrt(mean * (1 - mean) / worth + _Z**2 / (4 * worth**2)) / (1 + _Z**2 / worth)
    return round(max(0.0, centre - radius), 6), round(min(1.0, centre + radius), 6)


def worth(mean: float, bounds: tuple[float, float]) -> float:
    """In how many independent games a share was found that has these bounds: what ``wilson`` was given.

    >>> round(worth(0.4, wilson(0.4, 50)))
    50
    """
    width, spread = bounds[1] - bounds[0], mean * (1 - mean)
    square, linear = 1 - width**2, width**2 - 2 * spread
    return _Z**2 * square / (linear + sqrt(linear**2 + width**2 * square))


def _design_effect(shares: NDArray[np.float64], together: int) -> float:
    deals = shares[: len(shares) // together * together].reshape(-1, together).mean(axis=1)
    single = float(shares.var())
    if len(deals) < 2 or single == 0 or together == 1:
        return 1.0
    return max(together * float(deals.var(ddof=1)) / single, 0.5)
