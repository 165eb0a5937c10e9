"""Random steps of environments, for tests in this process and in children; it imports little."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import splitmix64_array
from abl_cards.env import TimeStep, VectorEnv

VOCABULARY = Path(__file__).parents[1] / "games" / "vocabulary"


def random_actions(mask: NDArray[np.bool_], step: int, first_env: int = 0) -> NDArray[np.int64]:
    """Draw legal actions that depend on the environment and the step alone."""
    envs = np.arange(first_env, first_env + len(mask)).astype(np.uint64)
    draws = splitmix64_array(splitmix64_array(envs, 11), step) >> np.uint64(33)
    nth = (draws % mask.sum(axis=1).astype(np.uint64)).astype(np.int64)
    return (np.cumsum(mask, axis=1) > nth[:, None]).argmax(axis=1)


def play(env: VectorEnv, steps: int, step: TimeStep | None = None) -> list[TimeStep]:
    """Play random legal actions."""
    played = [env.reset() if step is None else step]
    for index in range(steps):
        played.append(env.step(random_actions(played[-1].action_mask, index)))
    return played


def assert_equal(steps: list[TimeStep], others: list[TimeStep], rows: slice = slice(None)) -> None:
    for left, right in zip(steps, others, strict=True):
        for name in (*TimeStep.__dataclass_fields__, "final_observation"):
            if not name.startswith("_"):
                np.testing.assert_array_equal(getattr(left, name)[rows], getattr(right, name))
