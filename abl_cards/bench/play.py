"""Speed of self-play and of complete move lists."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, RandomAgent, RandomKeys, make_agent
from abl_cards.bench.measurements import Measurement, measure_seconds
from abl_cards.bench.targets import NO_TARGETS, BenchTarget, BenchTargets
from abl_cards.core import derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.sampling import sample_lead_decisions
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices, Moves

NUM_TABLES = 4096
NUM_KB_TABLES = 1024


@dataclass(frozen=True)
class PlayBenchConfig:
    """Size of the measurement."""

    repetitions: int
    seconds: float  # of each repetition of self-play
    num_hands: int  # of each repetition of move lists
    num_decisions: int  # of an agent at a single table


QUICK = PlayBenchConfig(repetitions=3, seconds=0.3, num_hands=1024, num_decisions=500)
FULL = PlayBenchConfig(repetitions=5, seconds=1.0, num_hands=2048, num_decisions=2000)
EPISODE_DECISIONS = 350
"""Decisions of about one episode of random play."""


def measure_play(engine: Engine, config: PlayBenchConfig, targets: BenchTargets = NO_TARGETS) -> list[Measurement]:
    """Measure decisions, hands and moves a second on all cores.

    Args:
        engine: The compiled game.
        config: Size of the measurement.
        targets: Targets of the game, and the values of other engines.

    Returns:
        Self-play by label and by lists, lists of full hands, and the agent kb.
    """
    room = AutoResetTables(engine, NUM_TABLES)
    room.stagger_starts(RandomAgent(), EPISODE_DECISIONS)
    label = _measure_median_rate(room, RandomAgent(), config)
    listed = _measure_median_rate(room, ListingAgent(), config)
    kb = _measure_kb(engine, config)
    return [
        _make_measurement(
            f"random self-play by label, {NUM_TABLES:,} tables", label, "decisions/s", targets.get("labels")
        ),
        _make_measurement("… every legal card set listed", listed, "decisions/s", targets.get("lists")),
        *measure_full_hands(engine, config, targets.get("full_hands")),
        _make_measurement(f"agent kb against itself, {NUM_KB_TABLES:,} tables", kb, "decisions/s", targets.get("kb")),
        *measure_single_table(engine, config.num_decisions, targets.get("alone")),
    ]


def _make_measurement(
    what: str, value: float, unit: str, mark: BenchTarget | None, at_most: bool = False
) -> Measurement:
    if mark is None:
        return Measurement(what, value, unit)
    return Measurement(what, value, unit, mark.target, at_most, mark.others)


def _measure_kb(engine: Engine, effort: PlayBenchConfig) -> float:
    """Return decisions a second of the agent kb in the middle of games."""
    room, kb = AutoResetTables(engine, NUM_KB_TABLES), make_agent("kb", engine)
    room.stagger_starts(RandomAgent(), EPISODE_DECISIONS)
    return _measure_median_rate(room, kb, effort)


def measure_single_table(engine: Engine, num_decisions: int, target: BenchTarget | None = None) -> list[Measurement]:
    """Measure the time of a decision of the agent kb at a single table, in whole games, choices included."""
    room, kb = AutoResetTables(engine, 1), make_agent("kb", engine)
    for _ in range(EPISODE_DECISIONS):
        room.step(kb)
    room = AutoResetTables(engine, 1)
    times = sorted(1000 * measure_seconds(lambda: room.step(kb)) for _ in range(num_decisions))
    return [
        _make_measurement("agent kb alone at a table, a decision", median(times), "ms", target, at_most=True),
        Measurement("… one in a hundred takes longer than", times[-1 - num_decisions // 100], "ms"),
    ]


def measure_full_hands(engine: Engine, config: PlayBenchConfig, target: BenchTarget | None = None) -> list[Measurement]:
    """Measure the complete move lists of full hands that lead."""
    hands, moves = [], []
    sample_lead_decisions(engine.rules, config.num_hands, seed=0).moves()
    for repetition in range(config.repetitions):
        decisions = sample_lead_decisions(engine.rules, config.num_hands, seed=repetition + 1)
        begin = time.perf_counter()
        lists = decisions.moves()
        passed = time.perf_counter() - begin
        hands.append(config.num_hands / passed)
        moves.append(len(lists.form) / passed)
    return [
        _make_measurement("complete lists of leading full hands", median(hands), "hands/s", target),
        Measurement("… card sets in them", median(moves), "moves/s"),
    ]  # fmt: skip


class ListingAgent:
    """Draws uniformly from the complete list of legal moves, as engines without labels do."""

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return a random move of each list."""
        lists = decisions.moves()
        lengths = np.diff(lists.start).astype(np.uint64)
        chosen = lists.start[:-1] + (((keys >> np.uint64(32)) * lengths) >> np.uint64(32)).astype(np.int64)
        return Moves(lists.form[chosen], lists.cards[chosen])

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the first option of each choice."""
        return choices.options.argmax(axis=1).astype(np.uint8)


class AutoResetTables:
    """Tables where the next match begins when one is over."""

    def __init__(self, engine: Engine, num_tables: int) -> None:
        """Deal the first matches."""
        self._num_started = num_tables
        self.tables: Tables = engine.start_matches(
            splitmix64_array(np.full(num_tables, derive_key(1), np.uint64), np.arange(num_tables))
        )
        self.tables.batch_rare_steps = True

    def step(self, agent: Agent, active: NDArray[np.bool_] | None = None) -> int:
        """Make a decision at each active table, by default at all; returns the number of decisions."""
        tables, done = self.tables, 0
        choosing = _select_rows(tables.rows_to_choose(), active)
        if choosing.size:
            tables.choose(choosing, agent.choose(tables.choices(choosing), self._keys(choosing)))
        playing = _select_rows(tables.rows_to_play(), active)
        if playing.size:
            tables.play(playing, agent.play(tables.decisions(playing), self._keys(playing)))
        done = len(choosing) + len(playing)
        over = np.flatnonzero(tables.winner != -1)
        if over.size:
            tables.begin_match(
                over, splitmix64_array(tables.keys[over], np.arange(self._num_started, self._num_started + len(over)))
            )
            self._num_started += len(over)
        return done

    def stagger_starts(self, agent: Agent, steps: int) -> None:
        """Start tables one after another, so that they do not all lead or end at once."""
        starts = np.arange(len(self.tables)) % steps
        for step in range(steps):
            self.step(agent, starts <= step)

    def measure_rate(self, agent: Agent, seconds: float) -> float:
        """Return decisions a second over a number of seconds."""
        done, begin = 0, time.perf_counter()
        while (passed := time.perf_counter() - begin) < seconds:
            done += self.step(agent)
        return done / passed

    def _keys(self, rows: Indices) -> RandomKeys:
        return splitmix64_array(self.tables.keys[rows], self.tables.num_decisions[rows])


def _select_rows(rows: Indices, awake: NDArray[np.bool_] | None) -> Indices:
    return rows if awake is None else rows[awake[rows]]


def _measure_median_rate(room: AutoResetTables, agent: Agent, effort: PlayBenchConfig) -> float:
    for _ in range(3):
        room.step(agent)
    return median(room.measure_rate(agent, effort.seconds) for _ in range(effort.repetitions))
