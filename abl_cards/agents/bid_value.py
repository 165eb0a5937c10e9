"""Values of bids where tricks are played greedily, measured by play, because rule files do not state them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.baselines import GreedyAgent, RandomAgent
from abl_cards.agents.trick_value import play_steps
from abl_cards.games.compiled import CompiledGame, build_label_traits, cache_per_game
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices

NUM_TABLES, NUM_EPISODES = 256, 1024


class _BidTally(NullListener):
    """Listener that sums up the points of the seats by the options that they chose."""

    def __init__(self, rules: CompiledGame) -> None:
        options = len(rules.schema.options)
        self.num_episodes = 0
        self._chosen = np.zeros((NUM_TABLES, rules.seating.seats, options), np.bool_)
        self.points, self.count = np.zeros(options), np.zeros(options)

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Record the options that the seats have chosen."""
        self._chosen[rows, tables.seat[rows], options] = True

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Add the points of each seat, less the mean of all, to the options that it chose."""
        points = tables.points[rows].astype(np.float64)
        points -= points.mean(axis=1, keepdims=True)
        self.points += (points[..., None] * self._chosen[rows]).sum(axis=(0, 1))
        self.count += self._chosen[rows].sum(axis=(0, 1))
        self._chosen[rows] = False
        self.num_episodes += len(rows)


@cache_per_game
def compute_bid_values(rules: CompiledGame) -> NDArray[np.float64]:
    """Return the mean points after each option, [options], where options are chosen at random; NaN for cards.

    Args:
        rules: A game with tricks and options to choose.
    """
    tally, chooser, player = _BidTally(rules), RandomAgent(), GreedyAgent(build_label_traits(rules))
    for _ in play_steps(rules, NUM_TABLES, tally, chooser, player):
        if tally.num_episodes >= NUM_EPISODES:
            break
    are_cards = [option in rules.pack.index for option in rules.schema.options]
    with np.errstate(invalid="ignore"):
        return np.where(are_cards, np.nan, tally.points / tally.count)
