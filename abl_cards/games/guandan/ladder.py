"""The ladder of levels 2 ... A: where the teams of a match stand, and where an episode takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.questions import at_least, one_hot
from abl_cards.games.tables import DRAW, Indices


class Ladder(NamedTuple):
    """Where n matches stand between two episodes."""

    standing: NDArray[np.int8]  # [n, team] levels as ranks 2..14
    failures: NDArray[np.int8]  # [n, team] failures at A on the count
    resets: NDArray[np.int16]  # [n] falls from A so far
    declarer: NDArray[np.int8]  # [n] the team whose level is played next, -1 before the first episode
    winner: NDArray[np.int8]  # [n] a team, DRAW, or -1 while the match runs

    def at(self, which: Indices) -> Ladder:
        """A copy of some of the matches."""
        return Ladder(
            self.standing[which], self.failures[which], self.resets[which], self.declarer[which], self.winner[which]
        )

    def put(self, which: Indices, other: Ladder) -> None:
        """Write some of the matches, in place."""
        self.standing[which], self.failures[which], self.resets[which] = other.standing, other.failures, other.resets
        self.declarer[which], self.winner[which] = other.declarer, other.winner


def bottom(rules: Rules, n: int) -> Ladder:
    """Where n matches begin."""
    return Ladder(
        np.full((n, 2), rules.base_level, np.int8), np.zeros((n, 2), np.int8), np.zeros(n, np.int16),
        np.full(n, -1, np.int8), np.full(n, -1, np.int8),
    )  # fmt: skip


def level_of(rules: Rules, ladder: Ladder) -> NDArray[np.int8]:
    """[n] the level of the next episode, as a rank 2..14."""
    declared = ladder.standing[np.arange(len(ladder.declarer)), ladder.declarer]
    return np.where(ladder.declarer < 0, np.int8(rules.base_level), declared)


def promote(rules: Rules, ladder: Ladder, order: NDArray[np.int8]) -> Ladder:
    """Ask promotion.lp what an episode that ended in this order [n, 4] leads to."""
    answer = rules.promotion.ask(
        len(order),
        finish=one_hot(order.T, 4),
        standing=one_hot(ladder.standing.T - 2, 13),
        declarer=one_hot(ladder.declarer, 2),
        failures=at_least(ladder.failures.T, 8),
        resets=at_least(ladder.resets, 99),
        level=one_hot(level_of(rules, ladder) - 2, 13),
    )
    won = np.where(answer["match_won"].any(axis=0), answer["match_won"].argmax(axis=0), -1)
    return Ladder(
        standing=(answer["next_standing"].argmax(axis=1).T + 2).astype(np.int8),
        failures=answer["next_failures"].sum(axis=1).T.astype(np.int8),
        resets=ladder.resets + answer["fallen"].any(axis=0),
        declarer=answer["next_declarer_is"].argmax(axis=0).astype(np.int8),
        winner=np.where(answer["match_drawn"], DRAW, won).astype(np.int8),
    )
