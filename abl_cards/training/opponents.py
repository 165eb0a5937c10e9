"""Who sits at the tables of a training run: the learner against itself, fixed agents, and its own past."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import NeuroSymbolicPolicy, RandomKeys, sample_labels
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Moves

LEARNER = 0
"""The number of the player that learns."""


class Opponent(Protocol):
    """Plays and does not learn; every Agent is one."""

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """One legal move for each decision."""


class PastOpponent:
    """A player that was saved on the way; draws its labels as it did then."""

    def __init__(self, policy: NeuroSymbolicPolicy) -> None:
        self._policy = policy

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """One legal move for each decision."""
        view = self._policy.features(decisions)
        labels = sample_labels(self._policy.log_probs(view), keys[view.open_rows])
        return view.survey.realise(view.complete_labels(labels))


def assign_players(num_tables: int, num_teams: int, shares: tuple[float, ...]) -> NDArray[np.int8]:
    """[tables, teams] the player of each team; share k of the tables has opponent k + 1 in one of its teams.

    The learner has each of the teams in turn.

    >>> assign_players(6, 2, (0.5,)).tolist()
    [[0, 1], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
    """
    players = np.full((num_tables, num_teams), LEARNER, np.int8)
    first = 0
    for number, share in enumerate(shares, start=1):
        rows = np.arange(first, min(num_tables, first + round(share * num_tables)))
        for team in range(num_teams):
            players[rows, team] = np.where((rows - first) % num_teams == team, LEARNER, number)
        first += len(rows)
    return players
