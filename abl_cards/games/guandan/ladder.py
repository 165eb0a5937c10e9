"""The ladder of levels 2 ... A: where the teams of a match stand, and where an episode takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.faults import blame, only_one, several, stop_where
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


def promote(rules: Rules, ladder: Ladder, order: NDArray[np.int8], which: Indices | None = None) -> Ladder:
    """Ask promotion.lp what an episode that ended in this order [n, 4] leads to; raises TableError where not to one.

    Which [n] are the tables where that matters.
    """
    answer = rules.promotion.ask(
        len(order),
        finish=one_hot(order.T, 4),
        standing=one_hot(ladder.standing.T - 2, 13),
        declarer=one_hot(ladder.declarer, 2),
        failures=at_least(ladder.failures.T, 8),
        resets=at_least(ladder.resets, 99),
        level=one_hot(level_of(rules, ladder) - 2, 13),
    )
    tables = np.arange(len(order)) if which is None else which

    def one(name: str, found: NDArray[np.uint8], subject: str = "", first: int = 0) -> NDArray[np.int64]:
        """The one number that a predicate names at every table where the match goes on."""
        return only_one(
            found,
            tables,
            lambda row, names: (
                f"`{name}` must name one{subject}, and names {several([first + each for each in names])}"
                f"{blame(rules.kb, name)} ({_spelled(ladder, order, row)})"
            ),
            among=~over,
        )

    won, drawn = answer["match_won"], answer["match_drawn"]
    stop_where(
        won.sum(axis=0) + drawn > 1,
        tables,
        lambda row: (
            "a match cannot be won by both teams, or won and drawn: `match_won/1`, `match_drawn/0`"
            f"{blame(rules.kb, 'match_won/1', 'match_drawn/0')} ({_spelled(ladder, order, row)})"
        ),
    )
    over = won.any(axis=0) | (drawn > 0)
    standing = [
        one("next_standing/2", answer["next_standing"][team], f" level of team {team}", first=2) for team in (0, 1)
    ]
    return Ladder(
        standing=(np.stack(standing, axis=1) + 2).astype(np.int8),
        failures=answer["next_failures"].sum(axis=1).T.astype(np.int8),
        resets=ladder.resets + answer["fallen"].any(axis=0),
        declarer=one("next_declarer_is/1", answer["next_declarer_is"], " team").astype(np.int8),
        winner=np.where(drawn, DRAW, np.where(over, won.argmax(axis=0), -1)).astype(np.int8),
    )


def _spelled(ladder: Ladder, order: NDArray[np.int8], row: int) -> str:
    """Where a match stands, for messages."""
    levels = " and ".join(map(str, ladder.standing[row]))
    return f"the teams were at {levels}, the order of finish was {' '.join(map(str, order[row]))}"
