"""Tables where the games of a match are played, deal by deal and seating by seating."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ForfeitError, RandomKeys, attach_shared_script, needs_history
from abl_cards.core import GameError, derive_key, format_seed, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Listener, ListenerList, NullListener, Recorder, Tables
from abl_cards.games.types import Indices
from abl_cards.matches.recorder import RecordWriter, WriteRecord
from abl_cards.matches.results import Forfeit, MatchResult, PlacementTally, compute_first_shares
from abl_cards.matches.shard import MatchShard

_DECISION_STREAM = 3  # what the keys of decisions are for
MAX_PARALLEL_GAMES = 4096
"""Games played side by side."""


MatchProgressCallback = Callable[[int, tuple[int, ...]], None]
"""Told after every step: games finished, and the wins of the agents so far."""

PointsCallback = Callable[[Indices, NDArray[np.float32]], None]
"""Told when episodes end: in which games [n], and what they are worth to the first agent [n]."""


def compute_seatings(engine: Engine, num_agents: int) -> NDArray[np.int8]:
    """[ways, seats] which agent sits where in the games of a deal; raises GameError for a number that cannot play.

    Two agents share the sides in every way, as many as there are sides are seated in all rotations.
    """
    if num_agents == 2:
        return engine.agent_seatings
    sides = int(engine.teams.max()) + 1
    if num_agents != sides:
        either = f"2 agents, or {sides}" if sides > 2 else "2 agents"
        raise GameError(f"{engine.game} has {sides} sides: {either} can play, not {num_agents}")
    return ((engine.teams + np.arange(sides)[:, None]) % sides).astype(np.int8)


def play_match(
    engine: Engine,
    names: Sequence[str],
    agents: Sequence[Agent],
    games: int,
    seed: int = 0,
    on_progress: MatchProgressCallback | None = None,
    write_record: WriteRecord | None = None,
    on_points: PointsCallback | None = None,
    use_fixed_deals: bool = False,
    log: WriteRecord | None = None,
) -> MatchResult:
    """Play whole matches; ``write_record`` is given the record of every episode as it ends, ``log`` that of the
    platform whose protocol programs of others speak. Raises GameError.

    Two agents are two, whatever their names; of more those of one name are one, on several seats. An engine with given
    deals (hand_analysis/deal_rules.py) plays them one after the other when it is told so. Where an agent listens, the
    games are played one after the other.
    """
    seatings, names, agents = _resolve_seating(engine, names, agents)

    def write_log(entry: dict[str, Any]) -> None:
        assert log
        log(hall.seating_header() | entry)

    script = attach_shared_script(engine, agents, write_log if log else None)
    watching: list[Listener] = [*([script] if script else []), *(each for each in agents if isinstance(each, Listener))]
    at_once = 1 if watching else min(games, MAX_PARALLEL_GAMES)
    recorder = engine.new_recorder(at_once, agents=list(names), seed=format_seed(seed)) if write_record else None
    hall = _MatchRunner(
        engine,
        names,
        agents,
        seatings,
        range(games),
        seed,
        at_once,
        recorder,
        write_record,
        watching,
        on_points,
        use_fixed_deals,
    )
    done = np.zeros(games, np.bool_)
    for finished in hall.play():
        done[finished] = True
        if on_progress:
            on_progress(int(done.sum()), tuple((hall.scores[:, done] == 1).sum(axis=1).tolist()))
    return hall.make_shard().compute_result(engine, names, seed, len(seatings))


def play_shard(
    engine: Engine,
    names: Sequence[str],
    agents: Sequence[Agent],
    games: range,
    seed: int,
    use_fixed_deals: bool = False,
) -> MatchShard:
    """Some of the games of a match, by their numbers; see ``play_match``. Raises GameError where an agent listens."""
    seatings, names, agents = _resolve_seating(engine, names, agents)
    if attach_shared_script(engine, agents, None) or any(isinstance(each, Listener) for each in agents):
        raise GameError("an agent that listens plays the games one after the other: leave --ray out")
    hall = _MatchRunner(
        engine,
        names,
        agents,
        seatings,
        games,
        seed,
        min(len(games), MAX_PARALLEL_GAMES),
        None,
        None,
        [],
        None,
        use_fixed_deals,
    )
    for _ in hall.play():
        pass
    return hall.make_shard()


def merge_shards(engine: Engine, names: Sequence[str], seed: int, shards: Sequence[MatchShard]) -> MatchResult:
    """The result of a match whose games were played in parts, in their order."""
    seatings = compute_seatings(engine, len(names))
    known = names if len(names) == 2 else list(dict.fromkeys(names))
    return MatchShard.concatenate(shards).compute_result(engine, known, seed, len(seatings))


def _resolve_seating(
    engine: Engine, names: Sequence[str], agents: Sequence[Agent]
) -> tuple[NDArray[np.int8], Sequence[str], Sequence[Agent]]:
    """Who sits where; of more than two agents those of one name are one."""
    seatings = compute_seatings(engine, len(agents))
    return (seatings, names, agents) if len(agents) == 2 else _merge_agents(seatings, names, agents)


def _merge_agents(
    seatings: NDArray[np.int8], names: Sequence[str], agents: Sequence[Agent]
) -> tuple[NDArray[np.int8], Sequence[str], Sequence[Agent]]:
    """Agents of one name are one."""
    known = list(dict.fromkeys(names))
    number = np.array([known.index(name) for name in names], np.int8)
    return number[seatings], known, [agents[names.index(name)] for name in known]


def derive_match_keys(seed: int, games: Indices, games_per_deal: int = 2) -> RandomKeys:
    """What games [n] of a seed are dealt from: the games of a deal, one a seating, have one key."""
    return splitmix64_array(np.full(len(games), derive_key(seed), np.uint64), games // games_per_deal)


def derive_decision_keys(tables: Tables, rows: Indices, games: Indices) -> RandomKeys:
    """What agents decide by at these tables, where games [n] of a seed are played."""
    return splitmix64_array(
        splitmix64_array(splitmix64_array(tables.keys[rows], _DECISION_STREAM), games), tables.num_decisions[rows]
    )


class _MatchRunner:
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
        write: WriteRecord | None,
        watching: list[Listener],
        points: PointsCallback | None,
        given: bool,
    ) -> None:
        self._use_fixed_deals = given
        self._names, self._agents, self._games, self._seed = names, agents, games, seed
        self._seatings, self._roles = seatings, engine.roles
        self._game_numbers = np.arange(games.start, games.start + at_once)  # [tables] the game at each table
        self._next_game = games.start + at_once
        counting = [_PointsListener(engine, seatings, self._game_numbers, points)] if points else []
        writing: list[Listener] = (
            [recorder, RecordWriter(recorder, write, self._record_header)] if recorder and write else []
        )
        heard = ListenerList.combine([*writing, *watching, *counting])
        self._tables: Tables = engine.start_matches(self._keys(self._game_numbers), heard)
        self._tables.batch_rare_steps = True
        if any(map(needs_history, agents)):
            self._tables.record_history()
        self.scores = np.zeros((len(agents), len(games)))  # what each agent got of each game
        self._role_points = np.full(
            (len(agents), len(self._roles), len(games)), np.nan
        )  # of a seat of each with each part
        self._tallies = [PlacementTally.empty(len(games)) for _ in agents]
        self._episodes = np.zeros(len(games), np.int64)
        self._forfeits: list[Forfeit] = []

    def play(self) -> Iterator[Indices]:
        """Play on; yields which games have just finished, counted from the first one, possibly none.

        Raises GameError that names the game where the rules lead nowhere.
        """
        running = np.ones(len(self._game_numbers), bool)
        while running.any():
            try:
                with attribute_table_errors(self._game_text):
                    self._choose(self._tables.rows_to_choose())
                    self._play(self._tables.rows_to_play())
            except ForfeitError as lapse:
                self._record_forfeit(lapse)
            over = np.flatnonzero(running & (self._tables.winner != -1))
            yield self._finish_games(over)
            running[over] = False
            fresh = over[: max(0, self._games.stop - self._next_game)]
            if fresh.size:
                self._game_numbers[fresh] = np.arange(self._next_game, self._next_game + len(fresh))
                self._next_game += len(fresh)
                self._tables.begin_match(fresh, self._keys(self._game_numbers[fresh]))
                running[fresh] = True

    def make_shard(self) -> MatchShard:
        """What the games came to."""
        return MatchShard(self.scores, self._role_points, tuple(self._tallies), self._episodes, tuple(self._forfeits))

    def _game_text(self, table: int) -> str:
        return f"seed {self._seed}, game {self._game_numbers[table]} (table {table})"

    def _keys(self, games: Indices) -> RandomKeys:
        if self._use_fixed_deals:
            return (games // len(self._seatings)).astype(np.uint64)
        return derive_match_keys(self._seed, games, len(self._seatings))

    def _record_header(self, table: int) -> dict[str, Any]:
        """What a record says of the game at a table; who sat where, unless two agents did on two sides, as always."""
        if len(self._seatings) == len(self._agents) == 2:
            return {"match": int(self._game_numbers[table])}
        return self.seating_header(table)

    def seating_header(self, table: int = 0) -> dict[str, Any]:
        """Which game is played at a table, and who sits where."""
        game = int(self._game_numbers[table])
        return {"match": game, "players": [self._names[each] for each in self._seatings[game % len(self._seatings)]]}

    def _seating_of_games(self, games: Indices) -> NDArray[np.int8]:
        """[n, seats] the agent that sits there."""
        return self._seatings[games % len(self._seatings)]

    def _rows_by_agent(self, which: Indices) -> Iterator[tuple[Agent, Indices]]:
        """The tables each agent decides at."""
        turn = self._seating_of_games(self._game_numbers[which])[np.arange(len(which)), self._tables.seat[which]]
        for number, agent in enumerate(self._agents):
            mine = which[turn == number]
            if mine.size:
                yield agent, mine

    def _decision_keys(self, which: Indices) -> RandomKeys:
        return derive_decision_keys(self._tables, which, self._game_numbers[which])

    def _choose(self, which: Indices) -> None:
        for agent, mine in self._rows_by_agent(which):
            self._tables.choose(mine, agent.choose(self._tables.choices(mine), self._decision_keys(mine)))

    def _play(self, which: Indices) -> None:
        for agent, mine in self._rows_by_agent(which):
            self._tables.play(mine, agent.play(self._tables.decisions(mine), self._decision_keys(mine)))

    def _record_forfeit(self, lapse: ForfeitError) -> None:
        """End the game of the only table: whoever listens, as such agents do, plays one after the other."""
        game, here = int(self._game_numbers[0]), np.zeros(1, np.int64)
        agent = self._names[self._seating_of_games(self._game_numbers)[0, lapse.seat]]
        self._forfeits.append(Forfeit(game, lapse.seat, agent, lapse.kind, str(lapse)))
        self._tables.abort_matches(here, np.array([lapse.points]))

    def _finish_games(self, over: Indices) -> Indices:
        games = self._game_numbers[over] - self._games.start
        points, seating = self._tables.match_returns(over), self._seating_of_games(self._game_numbers[over])
        self.scores[:, games] = _compute_scores(points, seating, len(self._agents))
        self._episodes[games] = self._tables.num_episodes[over]
        roles = self._tables.roles(over)
        for agent, tally in enumerate(self._tallies):
            tally.add_games(games, points, seating == agent)
        for agent, role in product(range(len(self._agents)), range(len(self._roles))):
            mine = (seating == agent) & (roles == role)
            rows = np.flatnonzero(mine.any(axis=1))
            self._role_points[agent, role, games[rows]] = points[rows, mine[rows].argmax(axis=1)]
        return games


def _compute_scores(points: NDArray[np.float64], seating: NDArray[np.int8], agents: int) -> NDArray[np.float64]:
    """[agents, n] what each got of games that were worth points [n, seats]: two the games, more the first places."""
    if agents == 2:
        mine = (1 + np.sign(np.where(seating == 0, points, -points).sum(axis=1))) / 2
        return np.stack([mine, 1 - mine])
    first = compute_first_shares(points)
    return np.stack([np.where(seating == agent, first, 0.0).sum(axis=1) for agent in range(agents)])


@dataclass(frozen=True)
class _PointsListener(NullListener):
    """Hears the ends of episodes for who counts points."""

    engine: Engine
    seatings: NDArray[np.int8]
    game_numbers: Indices  # [tables] the game at each table, kept by the hall
    on_points: PointsCallback

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """What the first of the seats of the first agent has won."""
        games, seatings = self.game_numbers[rows], self.seatings
        seat = (seatings[games % len(seatings)] == 0).argmax(axis=1)
        self.on_points(games, self.engine.rewards(tables, rows)[np.arange(len(rows)), seat])
