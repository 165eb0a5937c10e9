"""States of matches at the start of their episodes, recorded from play."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices


class EpisodeStarts(NamedTuple):
    """States of n matches at the start of an episode."""

    fluents: NDArray[np.int16]  # [n, slots]
    lots: NDArray[np.int16]  # [n, lots] random numbers of the match
    match_points: NDArray[np.int64]  # [n, seats] points so far in the match
    episode: NDArray[np.int32]  # [n] episodes before this one in the match

    def select(self, rows: Indices) -> EpisodeStarts:
        """Return the starts with indices rows [m]."""
        return EpisodeStarts(self.fluents[rows], self.lots[rows], self.match_points[rows], self.episode[rows])


@dataclass
class EpisodeStartRecorder(NullListener):
    """Listener that records the states of matches at the start of each episode."""

    parts: list[EpisodeStarts] = field(default_factory=list)

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Record the states of the matches at tables rows [n]."""
        starts = EpisodeStarts(tables.state.fluents, tables.state.lots, tables.total_points, tables.num_episodes)
        self.parts.append(starts.select(rows))

    @property
    def combined(self) -> EpisodeStarts:
        """All recorded starts, in the order of recording."""
        fluents, lots, total, episode = (np.concatenate(arrays) for arrays in zip(*self.parts, strict=True))
        return EpisodeStarts(fluents, lots, total, episode)
