"""Spaces of observations and actions for Gymnasium and PettingZoo."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from abl_cards.games import Engine


def make_observation_space(engine: Engine, num_actions: int) -> spaces.Dict:
    """Return the space of dictionaries with ``observation`` and ``action_mask``."""
    table = engine.observation_features
    return spaces.Dict(
        {
            "observation": spaces.Box(0, table.max_value, (table.size,), np.float32),
            "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
        }
    )
