"""Play matches with one agent at all seats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.core import splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import Tables


def step_tables(tables: Tables, agent: Agent) -> bool:
    """Make one decision at every table that waits for one; return False when all matches are over."""
    to_play, to_choose = tables.rows_to_play(), tables.rows_to_choose()
    if to_play.size:
        keys = splitmix64_array(tables.keys[to_play], tables.num_decisions[to_play])
        tables.play(to_play, agent.play(tables.decisions(to_play), keys))
    if to_choose.size:
        keys = splitmix64_array(tables.keys[to_choose], tables.num_decisions[to_choose])
        tables.choose(to_choose, agent.choose(tables.choices(to_choose), keys))
    return bool(to_play.size or to_choose.size)


def collect_records(engine: Engine, agent: Agent, num_matches: int, seed: int) -> Iterator[dict[str, Any]]:
    """Play matches until each has an ended episode, and yield the records of all ended episodes."""
    recorder = engine.new_recorder(num_matches)
    tables = engine.start_matches(splitmix64_array(np.arange(num_matches).astype(np.uint64), seed), recorder)
    tables.batch_rare_steps = True
    while tables.num_episodes.min() == 0 and step_tables(tables, agent):
        pass
    for table in range(num_matches):
        yield from recorder.pop_records(table)
