"""Matches that nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.core import splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import Tables


def step_tables(tables: Tables, agent: Agent) -> bool:
    """One decision at every table that waits for one; False when all matches are over."""
    playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
    if playing.size:
        keys = splitmix64_array(tables.keys[playing], tables.num_decisions[playing])
        tables.play(playing, agent.play(tables.decisions(playing), keys))
    if choosing.size:
        keys = splitmix64_array(tables.keys[choosing], tables.num_decisions[choosing])
        tables.choose(choosing, agent.choose(tables.choices(choosing), keys))
    return bool(playing.size or choosing.size)


def collect_records(engine: Engine, agent: Agent, num_matches: int, seed: int) -> Iterator[dict[str, Any]]:
    """The records of so many matches, an episode each; of long matches as many episodes as there are matches."""
    recorder = engine.new_recorder(num_matches)
    tables = engine.start_matches(splitmix64_array(np.arange(num_matches).astype(np.uint64), seed), recorder)
    tables.batch_rare_steps = True
    while tables.num_episodes.min() == 0 and step_tables(tables, agent):
        pass
    for table in range(num_matches):
        yield from recorder.pop_records(table)
