"""What an episode is worth to each seat: Chen et al. 2025, table 3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BY_PARTNER = np.array([0, 3, 2, 1], np.float32)  # by the place of the first finisher's partner, from 0


def episode_rewards(order: NDArray[np.int8]) -> NDArray[np.float32]:
    """[n, 4] by seat, from the order of finish [n, 4]: what the first finisher's team wins, the other loses.

    >>> episode_rewards(np.array([[2, 0, 1, 3], [1, 0, 3, 2]], np.int8)).tolist()
    [[3.0, -3.0, 3.0, -3.0], [-2.0, 2.0, -2.0, 2.0]]
    """
    first = order[:, :1]
    worth = _BY_PARTNER[(order == (first + 2) % 4).argmax(axis=1)][:, None]
    return np.where(np.arange(4) % 2 == first % 2, worth, -worth)
