"""Who sits at the tables of a training run: the learner against itself, fixed agents, and its own past."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.mind import Mind, draw
from abl_cards.games import Decisions, Moves

LEARNER = 0
"""The number of the player that learns."""


class Opponent(Protocol):
    """Plays and does not learn; every Agent is one."""

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """One legal move for each decision."""


class Past:
    """A player that was saved on the way; draws its labels as it did then."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """One legal move for each decision."""
        view = self._mind.look(decisions)
        labels = draw(self._mind.weigh(view), keys[view.choice])
        return view.survey.realise(view.complete(labels))


def seating(tables: int, teams: int, shares: tuple[float, ...]) -> NDArray[np.int8]:
    """[tables, teams] the player of each team; share k of the tables has opponent k + 1 in one of its teams.

    The learner has each of the teams in turn.

    >>> seating(6, 2, (0.5,)).tolist()
    [[0, 1], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
    """
    players = np.full((tables, teams), LEARNER, np.int8)
    first = 0
    for number, share in enumerate(shares, start=1):
        rows = np.arange(first, min(tables, first + round(share * tables)))
        for team in range(teams):
            players[rows, team] = np.where((rows - first) % teams == team, LEARNER, number)
        first += len(rows)
    return players
