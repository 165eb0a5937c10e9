"""Random play through the interface of all games; the same keys make the same games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import Moves


def pick(options: NDArray[np.uint8], keys: NDArray[np.uint64]) -> NDArray[np.int16]:
    """[n] one of the rows that are 1 in each column of options [rows, n], decided by its key."""
    lots = splitmix64_array(np.broadcast_to(keys, options.shape), np.arange(len(options))[:, None]) >> np.uint64(1)
    picked: NDArray[np.int16] = np.where(options, lots + np.uint64(1), 0).argmax(axis=0).astype(np.int16)
    return picked


def random_moves(decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
    """A random card set of a random label for each decision."""
    return decisions.sample_moves(pick(decisions.legal_mask, keys), keys)


def step(tables: Tables) -> bool:
    """One decision at every table that waits for one; False when all matches are over."""
    playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
    if playing.size:
        keys = splitmix64_array(tables.keys[playing], tables.num_decisions[playing])
        tables.play(playing, random_moves(tables.decisions(playing), keys))
    if choosing.size:
        keys = splitmix64_array(tables.keys[choosing], tables.num_decisions[choosing])
        tables.choose(choosing, pick(tables.choices(choosing).options.T, keys).astype(np.uint8))
    return bool(playing.size or choosing.size)


def play_out(tables: Tables, steps: int = 100_000) -> int:
    """Step until all matches are over; returns the number of steps."""
    for taken in range(steps):
        if not step(tables):
            return taken
    raise AssertionError(f"a match is not over after {steps} decisions")


def match_keys(n: int, seed: int) -> NDArray[np.uint64]:
    """[n] what the cards of n matches are dealt from."""
    return splitmix64_array(np.arange(n).astype(np.uint64), seed)
