"""Where episodes begin in matches that are played: what the match remembers by then, which no deal changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.audience import Quiet
from abl_cards.games.play.tables import Tables
from abl_cards.games.tables import Indices


class Beginning(NamedTuple):
    """Where some episodes begin."""

    fluents: NDArray[np.int16]  # [n, slots]
    lots: NDArray[np.int16]  # [n, lots]
    total: NDArray[np.int64]  # [n, seats] points so far in the match
    episode: NDArray[np.int32]  # [n] episodes before this one

    def at(self, rows: Indices) -> Beginning:
        """Some of them."""
        return Beginning(self.fluents[rows], self.lots[rows], self.total[rows], self.episode[rows])


@dataclass
class Beginnings(Quiet):
    """A listener that keeps the beginnings of episodes."""

    parts: list[Beginning] = field(default_factory=list)

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Keep what the matches at these tables remember."""
        every = Beginning(tables.state.fluents, tables.state.lots, tables.total, tables.episode)
        self.parts.append(every.at(which))

    @property
    def all(self) -> Beginning:
        """All of them."""
        fluents, lots, total, episode = (np.concatenate(some) for some in zip(*self.parts, strict=True))
        return Beginning(fluents, lots, total, episode)
