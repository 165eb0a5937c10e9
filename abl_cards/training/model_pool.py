"""A league of former weights of the learner, which plays against them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abl_cards.training.checkpoint import CHECKPOINT_SUFFIX, load_checkpoint, save_checkpoint
from abl_cards.training.rollout_queue import StateDict


class League:
    """Numbered snapshots of weights in a folder."""

    def __init__(self, folder: Path) -> None:
        """Make an empty league in a folder."""
        self._folder, self.size = folder, 0

    def add_snapshot(self, weights: StateDict) -> None:
        """Save a snapshot."""
        self.size += 1
        save_checkpoint(self._snapshot_path(self.size), weights)

    def sample_snapshot(self, rng: np.random.Generator) -> Path:
        """Return the file of a random snapshot; of the last one where that file is gone."""
        chosen = self._snapshot_path(int(rng.integers(1, self.size + 1)))
        return chosen if chosen.exists() else self._snapshot_path(self.size)

    def load_snapshot(self, snapshot: Path) -> StateDict:
        """Return the weights of a snapshot; raises GameError."""
        return load_checkpoint(snapshot) or {}

    def _snapshot_path(self, number: int) -> Path:
        return self._folder / f"{number:04}{CHECKPOINT_SUFFIX}"
