"""Positions from play that tests of a process share: a match takes as long to play at one table as at sixty."""

from __future__ import annotations

from functools import cache

import numpy as np

from abl_cards.games import Engine
from abl_cards.games.tables import Decisions
from abl_cards.matches.sampled_positions import sample_from_play

_LEAST = 60


@cache
def _sample(engine: Engine, n_states: int, seed: int) -> Decisions:
    return sample_from_play(engine, n_states, seed)


def shared_positions(engine: Engine, n_states: int, seed: int = 2) -> Decisions:
    """Return what `sample_from_play` returns, whose first positions do not depend on their number; not to be changed.

    Args:
        engine: The game.
        n_states: Number of positions.
        seed: Seed of the positions; tests that take the same one share them.
    """
    decisions = _sample(engine, max(n_states, _LEAST), seed)
    return decisions if n_states == len(decisions.rows) else decisions.select(np.arange(n_states))
