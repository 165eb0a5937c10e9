"""Tables where the games of a match are played, deal by deal and seating by seating."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, GivenUp, Keys, looks_back
from abl_cards.agents.program import one_script
from abl_cards.arena.part import Part
from abl_cards.arena.results import Lapse, MatchResult, Tally, first_places
from abl_cards.errors import GameError
from abl_cards.games import Engine, Indices, Tables
from abl_cards.games.audience import Audience, Quiet
from abl_cards.games.faults import naming
from abl_cards.games.results import Recorder
from abl_cards.games.tables import Listener
from abl_cards.recording import Scribe, Write
from abl_cards.seeds import seed_text
from abl_cards.streams import key_of, mix_all

_DECISION = 3  # what the keys of decisions are for
AT_ONCE = 4096
"""Games played side by side."""


Progress = Callable[[int, tuple[int, ...]], None]
"""Told after every step: games finished, and the wins of the agents so far."""

Points = Callable[[Indices, NDArray[np.float32]], None]
"""Told when episodes end: in which games [n], and what they are worth to the first agent [n]."""


def seatings_of(engine: Engine, agents: int) -> NDArray[np.int8]:
    """[ways, seats] which agent sits where in the games of a deal; raises GameError for a number that cannot play.

    Two agents share the sides in every way, as many as there are sides are seated in all rotations.
    """
    if agents == 2:
        return engine.seatings
    sides = int(engine.teams.max()) + 1
    if agents != sides:
        either = f"2 agents, or {sides}" if sides > 2 else "2 agents"
        raise GameError(f"{engine.game} has {sides} sides: {either} can play, not {agents}")
    return ((engine.teams + np.arange(sides)[:, None]) % sides).astype(np.int8)


def play_match(
    engine: Engine,
    names: Sequence[str],
    agents: Sequence[Agent],
    games: int,
    seed: int = 0,
    progress: Progress | None = None,
    write: Write | None = None,
    points: Points | None = None,
    given: bool = False,
    log: Write | None = None,
) -> MatchResult:
    """Play whole matches; ``write`` is given the record of every episode as it ends, ``log`` that of the platform whose
    protocol programs of others speak. Raises GameError.

    Two agents are two, whatever their names; of more those of one name are one, on several seats. An engine with given
    deals (strength/rules.py) plays them one after the other when it is told so. Where an agent listens, the games are
    played one after the other.
    """
    seatings, names, agents = _seated(engine, names, agents)

    def write_log(entry: dict[str, Any]) -> None:
        assert log
        log(hall.seated() | entry)

    script = one_script(engine, agents, write_log if log else None)
    watching: list[Listener] = [*([script] if script else []), *(each for each in agents if isinstance(each, Listener))]
    at_once = 1 if watching else min(games, AT_ONCE)
    recorder = engine.recorder(at_once, agents=list(names), seed=seed_text(seed)) if write else None
    hall = _Hall(engine, names, agents, seatings, range(games), seed, at_once, recorder, write, watching, points, given)
    done = np.zeros(games, np.bool_)
    for finished in hall.play():
        done[finished] = True
        if progress:
            progress(int(done.sum()), tuple((hall.share[:, done] == 1).sum(axis=1).tolist()))
    return hall.part().result(engine, names, seed, len(seatings))


def play_part(
    engine: Engine, names: Sequence[str], agents: Sequence[Agent], games: range, seed: int, given: bool = False
) -> Part:
    """Some of the games of a match, by their numbers; see ``play_match``. Raises GameError where an agent listens."""
    seatings, names, agents = _seated(engine, names, agents)
    if one_script(engine, agents, None) or any(isinstance(each, Listener) for each in agents):
        raise GameError("an agent that listens plays the games one after the other: leave --ray out")
    hall = _Hall(engine, names, agents, seatings, games, seed, min(len(games), AT_ONCE), None, None, [], None, given)
    for _ in hall.play():
        pass
    return hall.part()


def result_of(engine: Engine, names: Sequence[str], seed: int, parts: Sequence[Part]) -> MatchResult:
    """The result of a match whose games were played in parts, in their order."""
    seatings = seatings_of(engine, len(names))
    known = names if len(names) == 2 else list(dict.fromkeys(names))
    return Part.joined(parts).result(engine, known, seed, len(seatings))


def _seated(
    engine: Engine, names: Sequence[str], agents: Sequence[Agent]
) -> tuple[NDArray[np.int8], Sequence[str], Sequence[Agent]]:
    """Who sits where; of more than two agents those of one name are one."""
    seatings = seatings_of(engine, len(agents))
    return (seatings, names, agents) if len(agents) == 2 else _merged(seatings, names, agents)


def _merged(
    seatings: NDArray[np.int8], names: Sequence[str], agents: Sequence[Agent]
) -> tuple[NDArray[np.int8], Sequence[str], Sequence[Agent]]:
    """Agents of one name are one."""
    known = list(dict.fromkeys(names))
    number = np.array([known.index(name) for name in names], np.int8)
    return number[seatings], known, [agents[names.index(name)] for name in known]


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
        names: Sequence[str],
        agents: Sequence[Agent],
        seatings: NDArray[np.int8],
        games: range,
        seed: int,
        at_once: int,
        recorder: Recorder | None,
        write: Write | None,
        watching: list[Listener],
        points: Points | None,
        given: bool,
    ) -> None:
        self._given = given
        self._names, self._agents, self._games, self._seed = names, agents, games, seed
        self._seatings, self._roles = seatings, engine.roles
        self._game = np.arange(games.start, games.start + at_once)  # [tables] the game at each table
        self._next = games.start + at_once
        counting = [_Counting(engine, seatings, self._game, points)] if points else []
        writing: list[Listener] = [recorder, Scribe(recorder, write, self._heading)] if recorder and write else []
        heard = Audience.of([*writing, *watching, *counting])
        self._tables: Tables = engine.tables(self._keys(self._game), heard)
        self._tables.patient = True
        if any(map(looks_back, agents)):
            self._tables.remember()
        self.share = np.zeros((len(agents), len(games)))  # what each agent got of each game
        self._points = np.full((len(agents), len(self._roles), len(games)), np.nan)  # of a seat of each with each part
        self._tallies = [Tally.empty(len(games)) for _ in agents]
        self._episodes = np.zeros(len(games), np.int64)
        self._lapses: list[Lapse] = []

    def play(self) -> Iterator[Indices]:
        """Play on; yields which games have just finished, counted from the first one, possibly none.

        Raises GameError that names the game where the rules lead nowhere.
        """
        running = np.ones(len(self._game), bool)
        while running.any():
            try:
                with naming(self._named):
                    self._exchange(self._tables.choosing())
                    self._play(self._tables.playing())
            except GivenUp as lapse:
                self._give_up(lapse)
            over = np.flatnonzero(running & (self._tables.winner != -1))
            yield self._finish(over)
            running[over] = False
            fresh = over[: max(0, self._games.stop - self._next)]
            if fresh.size:
                self._game[fresh] = np.arange(self._next, self._next + len(fresh))
                self._next += len(fresh)
                self._tables.begin_match(fresh, self._keys(self._game[fresh]))
                running[fresh] = True

    def part(self) -> Part:
        """What the games came to."""
        return Part(self.share, self._points, tuple(self._tallies), self._episodes, tuple(self._lapses))

    def _named(self, table: int) -> str:
        return f"seed {self._seed}, game {self._game[table]} (table {table})"

    def _keys(self, games: Indices) -> Keys:
        if self._given:
            return (games // len(self._seatings)).astype(np.uint64)
        return match_keys(self._seed, games, len(self._seatings))

    def _heading(self, table: int) -> dict[str, Any]:
        """What a record says of the game at a table; who sat where, unless two agents did on two sides, as always."""
        if len(self._seatings) == len(self._agents) == 2:
            return {"match": int(self._game[table])}
        return self.seated(table)

    def seated(self, table: int = 0) -> dict[str, Any]:
        """Which game is played at a table, and who sits where."""
        game = int(self._game[table])
        return {"match": game, "players": [self._names[each] for each in self._seatings[game % len(self._seatings)]]}

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
            self._tables.choose(mine, agent.choose(self._tables.choices(mine), self._decision_keys(mine)))

    def _play(self, which: Indices) -> None:
        for agent, mine in self._by_agent(which):
            self._tables.play(mine, agent.play(self._tables.decisions(mine), self._decision_keys(mine)))

    def _give_up(self, lapse: GivenUp) -> None:
        """End the game of the only table: whoever listens, as such agents do, plays one after the other."""
        game, here = int(self._game[0]), np.zeros(1, np.int64)
        agent = self._names[self._seating(self._game)[0, lapse.seat]]
        self._lapses.append(Lapse(game, lapse.seat, agent, lapse.kind, str(lapse)))
        self._tables.give_up(here, np.array([lapse.points]))

    def _finish(self, over: Indices) -> Indices:
        games = self._game[over] - self._games.start
        points, seating = self._tables.outcome(over), self._seating(self._game[over])
        self.share[:, games] = _shares(points, seating, len(self._agents))
        self._episodes[games] = self._tables.episode[over]
        roles = self._tables.roles(over)
        for agent, tally in enumerate(self._tallies):
            tally.note(games, points, seating == agent)
        for agent, role in product(range(len(self._agents)), range(len(self._roles))):
            mine = (seating == agent) & (roles == role)
            rows = np.flatnonzero(mine.any(axis=1))
            self._points[agent, role, games[rows]] = points[rows, mine[rows].argmax(axis=1)]
        return games


def _shares(points: NDArray[np.float64], seating: NDArray[np.int8], agents: int) -> NDArray[np.float64]:
    """[agents, n] what each got of games that were worth points [n, seats]: two the games, more the first places."""
    if agents == 2:
        mine = (1 + np.sign(np.where(seating == 0, points, -points).sum(axis=1))) / 2
        return np.stack([mine, 1 - mine])
    first = first_places(points)
    return np.stack([np.where(seating == agent, first, 0.0).sum(axis=1) for agent in range(agents)])


@dataclass(frozen=True)
class _Counting(Quiet):
    """Hears the ends of episodes for who counts points."""

    engine: Engine
    seatings: NDArray[np.int8]
    game: Indices  # [tables] the game at each table, kept by the hall
    points: Points

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """What the first of the seats of the first agent has won."""
        games, seatings = self.game[which], self.seatings
        seat = (seatings[games % len(seatings)] == 0).argmax(axis=1)
        self.points(games, self.engine.rewards(tables, which)[np.arange(len(which)), seat])
