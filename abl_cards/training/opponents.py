"""Players at the tables of a training run: the learner, fixed agents, and former states of the learner."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import ModelPolicy, NeuroSymbolicPolicy, RandomKeys, best_cards, sample_labels
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Moves
from abl_cards.reasoners.abduction import Minimiser

LEARNER = 0
"""Number of the player that learns."""


class PastOpponent:
    """Former state of the learner, which samples labels with the former probabilities."""

    def __init__(self, policy: NeuroSymbolicPolicy) -> None:
        self._policy = policy

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return one legal move for each decision."""
        view = self._policy.features(decisions)
        labels = sample_labels(self._policy.log_probs(view), keys[view.open_rows])
        return best_cards(self._policy, decisions, view).realise(view.complete_labels(labels))

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return [n] an option for each choice: by the network where it has actions for options."""
        chosen = Minimiser(self._policy.preference_model).choose(choices)
        if isinstance(self._policy, ModelPolicy) and self._policy.networks.decides_choices:
            view = self._policy.choice_features(choices)
            actions = sample_labels(self._policy.action_log_probs(view), keys[view.open_rows])
            chosen[view.open_rows] = actions - self._policy.networks.shape.num_labels
        return chosen


def assign_players(num_tables: int, num_teams: int, shares: tuple[float, ...]) -> NDArray[np.int8]:
    """Return int8 [tables, teams], the player of each team.

    At a share ``shares[k]`` of the tables the learner has one team, and opponent k + 1 has all others. The team of the
    learner cycles from table to table.

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
