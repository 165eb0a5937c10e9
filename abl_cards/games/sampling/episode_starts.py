"""Where episodes begin in matches that are played: what the match remembers by then, which no deal changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices


class EpisodeStarts(NamedTuple):
    """Where some episodes begin."""

    fluents: NDArray[np.int16]  # [n, slots]
    lots: NDArray[np.int16]  # [n, lots]
    match_points: NDArray[np.int64]  # [n, seats] points so far in the match
    episode: NDArray[np.int32]  # [n] episodes before this one

    def at(self, rows: Indices) -> EpisodeStarts:
        """Some of them."""
        return EpisodeStarts(self.fluents[rows], self.lots[rows], self.match_points[rows], self.episode[rows])


@dataclass
class EpisodeStartRecorder(NullListener):
    """A listener that keeps the beginnings of episodes."""

    parts: list[EpisodeStarts] = field(default_factory=list)

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Keep what the matches at these tables remember."""
        every = EpisodeStarts(tables.state.fluents, tables.state.lots, tables.total_points, tables.num_episodes)
        self.parts.append(every.at(rows))

    @property
    def combined(self) -> EpisodeStarts:
        """All of them."""
        fluents, lots, total, episode = (np.concatenate(some) for some in zip(*self.parts, strict=True))
        return EpisodeStarts(fluents, lots, total, episode)
