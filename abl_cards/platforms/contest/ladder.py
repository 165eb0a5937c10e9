"""The ladder of levels 2 ... A: where matches stand between episodes, as the engine's tables remember it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Tables
from abl_cards.games.reading.rules import Rules


class Ladder(NamedTuple):
    """Where n matches stand between two episodes."""

    fluents: NDArray[np.int16]  # [n, slots] what they remember
    winner: NDArray[np.int8]  # [n] a team, DRAW, or -1 while the match runs

    def at(self, which: NDArray[np.int64]) -> Ladder:
        """A copy of some of the matches."""
        return Ladder(self.fluents[which], self.winner[which])

    def put(self, which: NDArray[np.int64], other: Ladder) -> None:
        """Write some of the matches, in place."""
        self.fluents[which], self.winner[which] = other.fluents, other.winner


def bottom(rules: Rules, n: int) -> Ladder:
    """Where n matches begin."""
    tables, which = Tables(rules, n), np.arange(n)
    tables.state.fluents[:] = rules.fluents.nothing
    tables.flow.init(tables.state, which)
    tables.flow.happens("match", tables.state, which)
    return Ladder(tables.state.fluents, np.full(n, -1, np.int8))


def promote(rules: Rules, ladder: Ladder, order: NDArray[np.int8]) -> Ladder:
    """Where an episode that ended in this order [n, 4] takes the matches."""
    tables, which = Tables(rules, len(order)), np.arange(len(order))
    tables.state.fluents[:], tables.state.order[:] = ladder.fluents, order
    _, _, winner = tables.flow.end(tables.state, which)
    tables.flow.happens("end", tables.state, which)
    fleeting = rules.fluents.fleeting
    tables.state.fluents[:, fleeting] = rules.fluents.nothing[fleeting]
    return Ladder(tables.state.fluents, winner)
