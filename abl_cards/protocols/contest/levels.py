"""State of matches between episodes: the levels 2 to A of both teams, as fluents of the engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Tables


class MatchBatch(NamedTuple):
    """State of n matches between two episodes."""

    fluents: NDArray[np.int16]  # [n, slots] fluents of the engine
    winner: NDArray[np.int8]  # [n] index of a team; DRAW for a draw, -1 before the end

    def select(self, rows: NDArray[np.int64]) -> MatchBatch:
        """Return a copy of the matches of rows."""
        return MatchBatch(self.fluents[rows], self.winner[rows])

    def assign(self, rows: NDArray[np.int64], other: MatchBatch) -> None:
        """Overwrite the matches of rows in place."""
        self.fluents[rows], self.winner[rows] = other.fluents, other.winner


def start_matches(rules: CompiledGame, n: int) -> MatchBatch:
    """Return the initial state of n matches."""
    tables, rows = Tables(rules, n), np.arange(n)
    tables.state.fluents[:] = rules.fluents.defaults
    tables.event_rules.init_fluents(tables.state, rows)
    tables.event_rules.apply_event("match", tables.state, rows)
    return MatchBatch(tables.state.fluents, np.full(n, -1, np.int8))


def promote(rules: CompiledGame, matches: MatchBatch, order: NDArray[np.int8]) -> MatchBatch:
    """Return the state of matches after an episode that ended in the orders [n, 4]."""
    tables, rows = Tables(rules, len(order)), np.arange(len(order))
    tables.state.fluents[:], tables.state.finish_order[:] = matches.fluents, order
    _, _, winner = tables.event_rules.score_episodes(tables.state, rows)
    tables.event_rules.apply_event("end", tables.state, rows)
    episode_slots = rules.fluents.episode_slots
    tables.state.fluents[:, episode_slots] = rules.fluents.defaults[episode_slots]
    return MatchBatch(tables.state.fluents, winner)
