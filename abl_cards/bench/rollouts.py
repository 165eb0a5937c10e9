"""Speed of simulated episodes, played by a rollout network in a compiled loop and by ``kb`` step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from abl_cards.agents import Agent, make_agent
from abl_cards.bench.measurements import Measurement, measure_seconds
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.tables import Tables


@dataclass(frozen=True)
class RolloutBenchConfig:
    """Size of the measurement."""

    num_tables: int  # episodes that are played at a time
    repetitions: int


QUICK, FULL = RolloutBenchConfig(64, 3), RolloutBenchConfig(256, 9)


def measure_rollouts(engine: Engine, config: RolloutBenchConfig) -> list[Measurement]:
    """Measure whole episodes a second, in turns by the rollout network and by ``kb``.

    Args:
        engine: The compiled game.
        config: Size of the measurement.

    Returns:
        The rate beside that of ``kb``; nothing for a game whose agent ``abl`` has no network for compiled episodes.
    """
    play_compiled = _load_rollouts(engine)
    if play_compiled is None:
        return []
    kb = make_agent("kb", engine)
    start = _deal_tables(engine, kb, config.num_tables)
    programs: tuple[Callable[[Tables], None], ...] = (play_compiled, partial(_play_step_by_step, kb))
    seconds = list[list[float]]()
    for _ in range(config.repetitions + 1):
        copies = [start.copy(np.arange(len(start))) for _ in programs]
        seconds.append([measure_seconds(partial(play, tables)) for play, tables in zip(programs, copies, strict=True)])
    compiled, stepped = (config.num_tables / median(times) for times in zip(*seconds[1:], strict=True))
    what = "whole episodes by the rollout network"
    return [Measurement(what, compiled, "episodes/s", others=(("kb, step by step", stepped),))]


def _load_rollouts(engine: Engine) -> Callable[[Tables], None] | None:
    """Return the rollouts by the rollout network of agent ``abl``; None if it has none."""
    from abl_cards.agents import AblAgent, make_compiled_rollouts  # need torch

    try:
        agent = make_agent("abl", engine)
    except GameError:
        return None
    rollouts = make_compiled_rollouts(agent.policy) if isinstance(agent, AblAgent) else None
    return None if rollouts is None else rollouts.play


def _deal_tables(engine: Engine, agent: Agent, num_tables: int) -> Tables:
    """Return tables where the first play of an episode is due."""
    tables = engine.start_matches(np.arange(num_tables, dtype=np.uint64))
    tables.auto_next_episode = False
    while (rows := tables.rows_to_choose()).size:
        tables.choose(rows, agent.choose(tables.choices(rows), rows.astype(np.uint64)))
    return tables


def _play_step_by_step(agent: Agent, tables: Tables) -> None:
    while (rows := tables.rows_to_play()).size:
        tables.play(rows, agent.play(tables.decisions(rows), rows.astype(np.uint64)))
