"""The model pool: copies of the learner, by the update at which they were made, as a league that it meets again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abl_cards.loop.actor import State
from abl_cards.loop.checkpoint import SUFFIX, load_checkpoint, save_checkpoint


class League:
    """Numbered copies in a folder."""

    def __init__(self, folder: Path, size: int = 0) -> None:
        """Go on after so many."""
        self._folder, self.size = folder, size

    def remember(self, weights: State) -> None:
        """Keep a copy."""
        self.size += 1
        save_checkpoint(self._copy(self.size), weights)

    def drawn(self, rng: np.random.Generator) -> Path:
        """One of the copies; where somebody took it away, the last."""
        chosen = self._copy(int(rng.integers(1, self.size + 1)))
        return chosen if chosen.exists() else self._copy(self.size)

    def weights(self, copy: Path) -> State:
        """What a copy holds; raises GameError."""
        return load_checkpoint(copy) or {}

    def _copy(self, number: int) -> Path:
        return self._folder / f"{number:04}{SUFFIX}"
