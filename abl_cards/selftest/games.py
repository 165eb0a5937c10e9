"""Matches that nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.games import Engine, Tables
from abl_cards.streams import mix_all


def step(tables: Tables, player: Agent) -> bool:
    """One decision at every table that waits for one; False when all matches are over."""
    playing, choosing = tables.playing(), tables.choosing()
    if playing.size:
        keys = mix_all(tables.keys[playing], tables.clock[playing])
        tables.play(playing, player.play(tables.decisions(playing), keys))
    if choosing.size:
        keys = mix_all(tables.keys[choosing], tables.clock[choosing])
        tables.choose(choosing, player.choose(tables.choices(choosing), keys))
    return bool(playing.size or choosing.size)


def play_out(engine: Engine, player: Agent, matches: int, seed: int) -> Iterator[dict[str, Any]]:
    """The records of so many matches, an episode each; of long matches as many episodes as there are matches."""
    recorder = engine.recorder(matches)
    tables = engine.tables(mix_all(np.arange(matches).astype(np.uint64), seed), recorder)
    tables.patient = True
    while tables.episode.min() == 0 and step(tables, player):
        pass
    for table in range(matches):
        yield from recorder.records(table)
