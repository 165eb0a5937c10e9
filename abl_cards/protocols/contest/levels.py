"""The ladder of levels 2 ... A: where matches stand between episodes, as the engine's tables remember it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Tables


class MatchBatch(NamedTuple):
    """State of n matches between two episodes."""

    fluents: NDArray[np.int16]  # [n, slots] what they remember
    winner: NDArray[np.int8]  # [n] a team, DRAW, or -1 while the match runs

    def select(self, rows: NDArray[np.int64]) -> MatchBatch:
        """A copy of some of the matches."""
        return MatchBatch(self.fluents[rows], self.winner[rows])

    def assign(self, rows: NDArray[np.int64], other: MatchBatch) -> None:
        """Write some of the matches, in place."""
        self.fluents[rows], self.winner[rows] = other.fluents, other.winner


def start_matches(rules: CompiledGame, n: int) -> MatchBatch:
    """Return the initial state of n matches."""
    tables, which = Tables(rules, n), np.arange(n)
    tables.state.fluents[:] = rules.fluents.defaults
    tables.event_rules.init_fluents(tables.state, which)
    tables.event_rules.apply_event("match", tables.state, which)
    return MatchBatch(tables.state.fluents, np.full(n, -1, np.int8))


def promote(rules: CompiledGame, matches: MatchBatch, order: NDArray[np.int8]) -> MatchBatch:
    """Return the state of matches after an episode that ended in the orders [n, 4]."""
    tables, which = Tables(rules, len(order)), np.arange(len(order))
    tables.state.fluents[:], tables.state.finish_order[:] = matches.fluents, order
    _, _, winner = tables.event_rules.score_episodes(tables.state, which)
    tables.event_rules.apply_event("end", tables.state, which)
    fleeting = rules.fluents.episode_slots
    tables.state.fluents[:, fleeting] = rules.fluents.defaults[fleeting]
    return MatchBatch(tables.state.fluents, winner)
