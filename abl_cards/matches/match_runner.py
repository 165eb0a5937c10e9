"""Play the games of a match, deal by deal and seating by seating."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import (
    Agent,
    ForfeitError,
    RandomKeys,
    attach_shared_script,
    check_agent_name,
    check_own_agent,
    make_agent,
    needs_history,
)
from abl_cards.core import (
    ErrorCode,
    GameError,
    check_flag,
    check_functions,
    check_integer,
    check_list,
    check_seed,
    derive_key,
    format_seed,
    splitmix64_array,
)
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Listener, ListenerList, NullListener, Recorder, Tables
from abl_cards.games.types import Indices
from abl_cards.matches.recorder import RecordWriter, WriteRecord
from abl_cards.matches.results import Forfeit, MatchResult, PlacementTally, compute_first_shares
from abl_cards.matches.shard import MatchShard

_DECISION_STREAM = 3  # stream of the random keys of decisions
MAX_PARALLEL_GAMES = 4096
"""Most games played side by side."""
MAX_GAMES = 1 << 31
"""Most games of a match."""


MatchProgressCallback = Callable[[int, tuple[int, ...]], None]
"""Called after each step with the number of finished games and the wins of each agent so far."""

PointsCallback = Callable[[Indices, NDArray[np.float32]], None]
"""Called when episodes end with their games [n] and their points for the first agent [n]."""


def compute_seatings(engine: Engine, num_agents: int) -> NDArray[np.int8]:
    """Seat agents in the games of one deal.

    Two agents get halves of the sides, as ``Engine.agent_seatings`` lists them. If there are as many agents as sides,
    they are seated in all rotations.

    Args:
        engine: Compiled game.
        num_agents: 2, or the number of sides of the game.

    Returns:
        int8 [seatings, seats]: index of the agent at each seat, with one row for each game of the deal.

    Raises:
        GameError: The game cannot seat this number of agents.
    """
    if num_agents == 2:
        return engine.agent_seatings
    sides = int(engine.teams.max()) + 1
    if num_agents != sides:
        either = f"2 agents, or {sides}" if sides > 2 else "2 agents"
        problem = f"{engine.game} has {sides} sides: {either} can play, not {num_agents}"
        raise GameError(problem, ErrorCode.WRONG_AGENT_COUNT)
    return ((engine.teams + np.arange(sides)[:, None]) % sides).astype(np.int8)


def play_match(
    game: Game | Engine | str,
    agents: Sequence[str | Agent],
    games: int = 400,
    seed: int = 1,
    *,
    names: Sequence[str] | None = None,
    on_progress: MatchProgressCallback | None = None,
    write_record: WriteRecord | None = None,
    on_points: PointsCallback | None = None,
    use_fixed_deals: bool = False,
    log: WriteRecord | None = None,
) -> MatchResult:
    """Play whole matches between agents on duplicate deals.

    Each deal is played once for every seating of ``compute_seatings``. Games run side by side. If an agent is a
    ``Listener`` that follows one table, as ``human`` and ``program`` are, games run one after the other.

    >>> play_match("doudizhu", ["kb", "greedy"], games=24).rate > 0.8
    True

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
        agents: Two agents, or as many as the game has sides. Each is a name such as ``"kb"``, ``"abl"``,
            ``"greedy"`` or ``"abl:weights=FILE"``, or an object with the methods ``play`` and ``choose``.
        games: Number of whole matches, from 1 to 2,147,483,648.
        seed: Seed of deals and decisions; equal seeds give equal results.
        names: Names of the agents in the result; by default the names passed as ``agents``, and for objects
            ``agent.name`` or the name of the class. Different agents need different names. With more than two agents,
            equal names are one agent at several seats.
        on_progress: Called after each step with the number of finished games and the wins of each agent so far.
        write_record: Called with the record of each episode as it ends.
        on_points: Called as episodes end with their games [n] and their points for the first agent [n].
        use_fixed_deals: Play the deals of an engine made by ``Engine.with_deals`` in their order.
        log: Called with each round in the protocol of Botzone.

    Returns:
        Wins, the first agent's share with its 95 % interval, and the results by role or place.

    Raises:
        GameError: An agent is unknown or fails, an argument has the wrong type or range, two agents have one name, or
            a match cannot end.
        KBError: The rules do not compile.
    """
    games, seed = check_integer("games", games, 1, MAX_GAMES), check_seed(seed)
    check_functions(on_progress=on_progress, write_record=write_record, on_points=on_points, log=log)
    agents, use_fixed_deals = check_list("agents", agents), check_flag("use_fixed_deals", use_fixed_deals)
    engine = compile_engine(game)
    if use_fixed_deals and engine.fixed_deals is None:
        problem = "use_fixed_deals: the game has none; pass the engine that DealRules.with_deals returns"
        raise GameError(problem, ErrorCode.INVALID_VALUE)
    compute_seatings(engine, len(agents))
    names = _agent_names(agents) if names is None else _check_names(names, agents)
    made = [make_agent(given, engine) if isinstance(given, str) else given for given in agents]
    seatings, names, seated = _resolve_seating(engine, names, made)
    players = [check_own_agent(player, name, engine) for player, name in zip(seated, names, strict=True)]

    def write_log(entry: dict[str, Any]) -> None:
        assert log
        log(runner.seating_header() | entry)

    script = attach_shared_script(engine, players, write_log if log else None)
    listeners: list[Listener] = [
        *([script] if script else []),
        *(agent for agent in seated if isinstance(agent, Listener)),
    ]
    num_tables = 1 if listeners else min(games, MAX_PARALLEL_GAMES)
    recorder = engine.new_recorder(num_tables, agents=list(names), seed=format_seed(seed)) if write_record else None
    runner = _MatchRunner(
        engine,
        names,
        players,
        seatings,
        range(games),
        seed,
        num_tables,
        recorder,
        write_record,
        listeners,
        on_points,
        use_fixed_deals,
    )
    done = np.zeros(games, np.bool_)
    for finished in runner.play():
        done[finished] = True
        if on_progress:
            on_progress(int(done.sum()), tuple((runner.scores[:, done] == 1).sum(axis=1).tolist()))
    return runner.make_shard().compute_result(engine, names, seed, len(seatings))


def _agent_names(agents: Sequence[str | Agent]) -> list[str]:
    """Name agents by their specifications, or their classes; different objects get different names."""
    names: list[str] = []
    for index, given in enumerate(agents):
        same = next((i for i in range(index) if agents[i] is given and not isinstance(given, str)), None)
        if isinstance(given, str):
            name = str(check_agent_name(given))
        elif same is not None:
            name = names[same]
        else:
            base = str(getattr(given, "name", None) or type(given).__name__)
            name = next(text for text in chain([base], (f"{base} {i}" for i in count(2))) if text not in names)
        names.append(name)
    return names


def _check_names(names: Sequence[str], agents: Sequence[str | Agent]) -> list[str]:
    """Return the names of agents; raises GameError where one is no name, or two agents have the same one."""
    names = check_list("names", names)
    if wrong := [name for name in names if not isinstance(name, str) or not name]:
        raise GameError(f"names of agents are texts that are not empty, not {wrong[0]!r:.60}", ErrorCode.INVALID_VALUE)
    if len(names) != len(agents):
        raise GameError(f"{len(agents)} agents need as many names, not {len(names)}", ErrorCode.INVALID_VALUE)
    first: dict[str, str | Agent] = {}
    for name, given in zip(names, agents, strict=True):
        if not _are_same(first.setdefault(name, given), given):
            raise GameError(f"names: '{name}' names two agents; give each its own name", ErrorCode.DUPLICATE_AGENT)
    return names


def _are_same(agent: str | Agent, other: str | Agent) -> bool:
    """Return whether two agents may be one: those of this package are made anew for each seat, of one specification."""
    if agent is other or isinstance(agent, str) or isinstance(other, str):
        return agent is other or agent == other
    return type(agent) is type(other) and type(agent).__module__.partition(".")[0] == __name__.partition(".")[0]


def play_shard(
    engine: Engine,
    names: Sequence[str],
    agents: Sequence[Agent],
    games: range,
    seed: int,
    use_fixed_deals: bool = False,
) -> MatchShard:
    """Play some of the games of a match; together, shards give the result of ``play_match`` bit for bit.

    Args:
        engine: Compiled game.
        names: Names of the agents.
        agents: Two agents, or as many as the game has sides; none may be a ``Listener``.
        games: Indices of the games to play.
        seed: Seed of the match.
        use_fixed_deals: Play the deals of an engine made by ``Engine.with_deals`` in their order.

    Returns:
        The results of these games.

    Raises:
        GameError: An agent is a ``Listener``, or the number of agents is wrong.
    """
    seatings, names, agents = _resolve_seating(engine, names, agents)
    if attach_shared_script(engine, agents, None) or any(isinstance(agent, Listener) for agent in agents):
        problem = "an agent that listens plays the games one after the other: leave out --ray"
        raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)
    num_tables = min(len(games), MAX_PARALLEL_GAMES)
    runner = _MatchRunner(
        engine, names, agents, seatings, games, seed, num_tables, None, None, [], None, use_fixed_deals
    )
    for _ in runner.play():
        pass
    return runner.make_shard()


def merge_shards(engine: Engine, names: Sequence[str], seed: int, shards: Sequence[MatchShard]) -> MatchResult:
    """Compute the result of a match whose games were played in shards.

    Args:
        engine: Compiled game.
        names: Names of the agents, as they were passed to ``play_shard``.
        seed: Seed of the match.
        shards: All shards, in the order of their games.

    Returns:
        The result of all games together.
    """
    seatings = compute_seatings(engine, len(names))
    distinct = names if len(names) == 2 else list(dict.fromkeys(names))
    return MatchShard.concatenate(shards).compute_result(engine, distinct, seed, len(seatings))


def _resolve_seating(
    engine: Engine, names: Sequence[str], agents: Sequence[Agent]
) -> tuple[NDArray[np.int8], Sequence[str], Sequence[Agent]]:
    """Return seatings, names and agents; of more than two agents those of one name are merged."""
    seatings = compute_seatings(engine, len(agents))
    if len(agents) == 2:
        return seatings, names, agents
    distinct = list(dict.fromkeys(names))
    index = np.array([distinct.index(name) for name in names], np.int8)
    return index[seatings], distinct, [agents[names.index(name)] for name in distinct]


def derive_match_keys(seed: int, games: Indices, games_per_deal: int = 2) -> RandomKeys:
    """Derive the random keys that games are dealt from.

    Args:
        seed: Seed of the match.
        games: Indices of games [n].
        games_per_deal: Number of games with the same deal.

    Returns:
        uint64 [n]: equal for the games of one deal.
    """
    return splitmix64_array(np.full(len(games), derive_key(seed), np.uint64), games // games_per_deal)


def derive_decision_keys(tables: Tables, rows: Indices, games: Indices) -> RandomKeys:
    """Derive the random keys that are passed to agents.

    Args:
        tables: Tables of the match.
        rows: Indices of tables [n] where a decision is due.
        games: Indices of the games played there [n].

    Returns:
        uint64 [n]: one key for each decision.
    """
    return splitmix64_array(
        splitmix64_array(splitmix64_array(tables.keys[rows], _DECISION_STREAM), games), tables.num_decisions[rows]
    )


class _MatchRunner:
    """Tables that play games side by side until all are finished."""

    def __init__(
        self,
        engine: Engine,
        names: Sequence[str],
        agents: Sequence[Agent],
        seatings: NDArray[np.int8],
        games: range,
        seed: int,
        num_tables: int,
        recorder: Recorder | None,
        write_record: WriteRecord | None,
        listeners: list[Listener],
        on_points: PointsCallback | None,
        use_fixed_deals: bool,
    ) -> None:
        self._use_fixed_deals = use_fixed_deals
        self._names, self._agents, self._games, self._seed = names, agents, games, seed
        self._seatings, self._roles = seatings, engine.roles
        self._game_numbers = np.arange(
            games.start, games.start + num_tables
        )  # [tables] index of the game at each table
        self._next_game = games.start + num_tables
        counters = [_PointsListener(engine, seatings, self._game_numbers, on_points)] if on_points else []
        writers: list[Listener] = []
        if recorder and write_record:
            writers = [recorder, RecordWriter(recorder, write_record, self.seating_header)]
        listener = ListenerList.combine([*writers, *listeners, *counters])
        self._tables: Tables = engine.start_matches(self._keys(self._game_numbers), listener)
        self._tables.batch_rare_steps = True
        if acts := max(map(needs_history, agents), default=0):
            self._tables.record_history(acts)
        self.scores = np.zeros((len(agents), len(games)))  # share of each agent in each game
        shape = len(agents), len(self._roles), len(games)
        self._role_points = np.full(shape, np.nan)  # points of a seat of the agent in the role
        self._tallies = [PlacementTally.empty(len(games)) for _ in agents]
        self._episodes = np.zeros(len(games), np.int64)
        self._forfeits: list[Forfeit] = []

    def play(self) -> Iterator[Indices]:
        """Play step by step; yields the indices of the games that have just finished, from the first one.

        Raises GameError that names the game where the rules allow no further move.
        """
        running = np.ones(len(self._game_numbers), bool)
        while running.any():
            try:
                with attribute_table_errors(self._game_text):
                    self._choose(self._tables.rows_to_choose())
                    self._play(self._tables.rows_to_play())
            except ForfeitError as forfeit:
                self._record_forfeit(forfeit)
            finished = np.flatnonzero(running & (self._tables.winner != -1))
            yield self._finish_games(finished)
            running[finished] = False
            fresh = finished[: max(0, self._games.stop - self._next_game)]
            if fresh.size:
                self._game_numbers[fresh] = np.arange(self._next_game, self._next_game + len(fresh))
                self._next_game += len(fresh)
                self._tables.begin_match(fresh, self._keys(self._game_numbers[fresh]))
                running[fresh] = True

    def make_shard(self) -> MatchShard:
        """Return the results of all games."""
        return MatchShard(self.scores, self._role_points, tuple(self._tallies), self._episodes, tuple(self._forfeits))

    def _game_text(self, table: int) -> str:
        return f"seed {self._seed}, game {self._game_numbers[table]} (table {table})"

    def _keys(self, games: Indices) -> RandomKeys:
        if self._use_fixed_deals:
            return (games // len(self._seatings)).astype(np.uint64)
        return derive_match_keys(self._seed, games, len(self._seatings))

    def seating_header(self, table: int = 0) -> dict[str, Any]:
        """Return the first fields of a record: the index of the game at a table, and the agent at each seat."""
        game = int(self._game_numbers[table])
        return {"match": game, "players": [self._names[agent] for agent in self._seatings[game % len(self._seatings)]]}

    def _seating_of_games(self, games: Indices) -> NDArray[np.int8]:
        """Return the index of the agent at each seat of games [n]: int8 [n, seats]."""
        return self._seatings[games % len(self._seatings)]

    def _rows_by_agent(self, table_rows: Indices) -> Iterator[tuple[Agent, Indices]]:
        """Yield each agent with the tables where it decides."""
        turn = self._seating_of_games(self._game_numbers[table_rows])[
            np.arange(len(table_rows)), self._tables.seat[table_rows]
        ]
        for index, agent in enumerate(self._agents):
            rows = table_rows[turn == index]
            if rows.size:
                yield agent, rows

    def _decision_keys(self, rows: Indices) -> RandomKeys:
        return derive_decision_keys(self._tables, rows, self._game_numbers[rows])

    def _choose(self, table_rows: Indices) -> None:
        for agent, rows in self._rows_by_agent(table_rows):
            self._tables.choose(rows, agent.choose(self._tables.choices(rows), self._decision_keys(rows)))

    def _play(self, table_rows: Indices) -> None:
        for agent, rows in self._rows_by_agent(table_rows):
            self._tables.play(rows, agent.play(self._tables.decisions(rows), self._decision_keys(rows)))

    def _record_forfeit(self, forfeit: ForfeitError) -> None:
        """End the game of the only table; agents that can forfeit are listeners and play one game at a time."""
        game, row = int(self._game_numbers[0]), np.zeros(1, np.int64)
        agent = self._names[self._seating_of_games(self._game_numbers)[0, forfeit.seat]]
        self._forfeits.append(Forfeit(game, forfeit.seat, agent, forfeit.kind, str(forfeit)))
        self._tables.abort_matches(row, np.array([forfeit.points]))

    def _finish_games(self, over: Indices) -> Indices:
        games = self._game_numbers[over] - self._games.start
        if not games.size:  # after nearly every step
            return games
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
    """Compute the share of each agent in games with points [n, seats]: [agents, n]; of several in first places."""
    if agents == 2:
        shares = (1 + np.sign(np.where(seating == 0, points, -points).sum(axis=1))) / 2
        return np.stack([shares, 1 - shares])
    first = compute_first_shares(points)
    return np.stack([np.where(seating == agent, first, 0.0).sum(axis=1) for agent in range(agents)])


@dataclass(frozen=True)
class _PointsListener(NullListener):
    """Listener that passes the points of episodes to a callback."""

    engine: Engine
    seatings: NDArray[np.int8]
    game_numbers: Indices  # [tables] index of the game at each table, updated by the runner
    on_points: PointsCallback

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Pass on the points of the first seat of the first agent."""
        games, seatings = self.game_numbers[rows], self.seatings
        seat = (seatings[games % len(seatings)] == 0).argmax(axis=1)
        self.on_points(games, self.engine.rewards(tables, rows)[np.arange(len(rows)), seat])
