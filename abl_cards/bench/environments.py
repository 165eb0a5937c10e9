"""Speed of ``VectorEnv`` against the bare loop over the engine, in one run, on one thread, with the same policy."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from time import get_clock_info, process_time

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import RandomAgent, draw_labels
from abl_cards.bench.measurements import Measurement
from abl_cards.core import derive_key, kernel, scale_to_range, single_threaded, splitmix64, splitmix64_array
from abl_cards.env import VectorEnv
from abl_cards.games import Engine
from abl_cards.games.types import Indices

MIN_RATIO = 0.9
"""Target: speed of ``VectorEnv`` as a share of the bare loop's."""
_CLOCK_TICK = get_clock_info("process_time").resolution


@dataclass(frozen=True)
class EnvBenchConfig:
    """Size of the measurement."""

    num_envs: int
    num_decisions: int  # of each of the two, in each repetition
    repetitions: int
    steps_in_turn: int = 20  # steps of one before the other has its turn: what disturbs one disturbs both


QUICK = EnvBenchConfig(num_envs=1024, num_decisions=100_000, repetitions=3)
FULL = EnvBenchConfig(num_envs=1024, num_decisions=1_000_000, repetitions=5)


class BareLoop:
    """Self-play written directly over ``Tables``, with observations in one array that is allocated once."""

    def __init__(self, engine: Engine, num_envs: int) -> None:
        """Deal the first matches."""
        self.num_decisions = 0
        self._tables = engine.start_matches(_match_keys(np.arange(num_envs)))
        self._all_rows, self._num_started = np.arange(num_envs), num_envs
        self._observation = np.zeros((num_envs, engine.observation_features.size), np.float32)

    def step(self) -> None:
        """Make one random decision at every table; where it is a choice, then a play."""
        tables = self._tables
        rows = tables.rows_to_choose()
        self.num_decisions += len(rows)
        if rows.size:
            tables.choose(rows, RandomAgent().choose(tables.choices(rows), self._keys(rows)))
        rows = tables.rows_to_play()
        self.num_decisions += len(rows)
        decisions = tables.decisions(rows)
        labels = np.zeros(len(rows), np.int16)
        draw_labels(decisions.legal_mask, self._keys(rows), 0, len(rows), labels)
        tables.play(rows, decisions.first_moves(labels))
        over = np.flatnonzero(tables.winner != -1)
        if over.size:
            tables.begin_match(over, _match_keys(np.arange(self._num_started, self._num_started + len(over))))
            self._num_started += len(over)
        self._observation[:] = tables.observe(self._all_rows)

    def _keys(self, rows: Indices) -> NDArray[np.uint64]:
        return splitmix64_array(self._tables.keys[rows], self._tables.num_decisions[rows])


class VectorLoop:
    """Self-play on ``VectorEnv``."""

    def __init__(self, engine: Engine, num_envs: int, realise: str = "first") -> None:
        """Deal the first matches."""
        self.num_decisions, self._num_steps = 0, 0
        self._env = VectorEnv(engine, num_envs, seed=1, realise="first" if realise == "first" else "preferences")
        self._step = self._env.reset()
        self._keys = _match_keys(np.arange(num_envs))

    def step(self) -> None:
        """Make one random decision in every environment."""
        keys = splitmix64_array(self._keys, self._num_steps)
        actions = np.zeros(len(keys), np.int64)
        _draw_actions(self._step.action_mask.view(np.uint8), keys, actions)
        self._step = self._env.step(actions)
        self._num_steps += 1
        self.num_decisions += len(keys)


def measure_environments(engine: Engine, config: EnvBenchConfig) -> list[Measurement]:
    """Measure decisions a second of processor time, on one thread.

    Args:
        engine: The game.
        config: Size of the measurement.

    Returns:
        The rate of ``VectorEnv`` beside that of the bare loop, their ratio, and the rate with preferences.
    """
    with single_threaded():
        bare, vector = BareLoop(engine, config.num_envs), VectorLoop(engine, config.num_envs)
        _time_in_turns(bare, vector, config, 100 * config.num_envs)  # compile, and leave the first deals behind
        rates = [_time_in_turns(bare, vector, config, config.num_decisions) for _ in range(config.repetitions)]
        loop = VectorLoop(engine, config.num_envs, "preferences")
        with_preferences = _measure_rate(loop, config.num_decisions // 10)
    bare_rate, vector_rate = (median(values) for values in zip(*rates, strict=True))
    name = f"VectorEnv, {config.num_envs:,} tables, one thread"
    beside = (("the bare loop with observations, here", bare_rate),)
    return [
        Measurement(name, vector_rate, "decisions/s", others=beside),
        Measurement("… as a share of the bare loop", vector_rate / bare_rate, "×", MIN_RATIO),
        Measurement("… labels realised by preferences", with_preferences, "decisions/s"),
    ]


def _time_in_turns(
    bare: BareLoop, vector: VectorLoop, config: EnvBenchConfig, num_decisions: int
) -> tuple[float, float]:
    """Return the rates of two loops that step in turns."""
    loops: tuple[BareLoop | VectorLoop, ...] = bare, vector
    before = [loop.num_decisions for loop in loops]
    seconds = [_CLOCK_TICK] * 2  # never 0, however few decisions are measured
    while min(loop.num_decisions - count for loop, count in zip(loops, before, strict=True)) < num_decisions:
        for index, loop in enumerate(loops):
            begin = process_time()
            for _ in range(config.steps_in_turn):
                loop.step()
            seconds[index] += process_time() - begin
    made = [loop.num_decisions - count for loop, count in zip(loops, before, strict=True)]
    return made[0] / seconds[0], made[1] / seconds[1]


def _measure_rate(loop: VectorLoop, num_decisions: int) -> float:
    """Return decisions a second of processor time, after a few steps."""
    for _ in range(3):
        loop.step()
    before, begin = loop.num_decisions, process_time()
    while loop.num_decisions - before < num_decisions:
        loop.step()
    return (loop.num_decisions - before) / (process_time() - begin + _CLOCK_TICK)


def _match_keys(indices: NDArray[np.int64]) -> NDArray[np.uint64]:
    return splitmix64_array(np.full(len(indices), derive_key(1), np.uint64), indices)


@kernel
def _draw_actions(mask, keys, actions):
    """Draw a legal action for each row of mask [n, actions]; draw_labels reads columns."""
    for i in range(len(mask)):
        count = 0
        for action in range(mask.shape[1]):
            count += mask[i, action]
        nth = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(0)), np.uint64(count)))
        for action in range(mask.shape[1]):
            if mask[i, action] != 0:
                if nth == 0:
                    actions[i] = action
                    break
                nth -= 1
