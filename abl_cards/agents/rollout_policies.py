"""Policies that continue play at simulated tables: the policy itself, the preferences, and the rollout network."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.games.preferences import list_candidates
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Moves
from abl_cards.learners import RolloutWeights, choose_candidates
from abl_cards.reasoners.abduction import find_best_cards


class RolloutPolicy(Protocol):
    """Policy that chooses moves from the views of the seats to play."""

    waits_for_others: bool
    """Whether a call takes hardly longer for many tables than for one, so that forced moves are played first."""

    def choose_moves(self, decisions: Decisions) -> tuple[Moves, NDArray[np.bool_]]:
        """Choose moves.

        Args:
            decisions: n decisions.

        Returns:
            n moves; bool [n] whether there was more than one label to choose from.
        """


class FullRolloutPolicy:
    """Plays the most probable labels of the policy."""

    waits_for_others = True

    def __init__(self, policy: NeuroSymbolicPolicy) -> None:
        """Make a rollout policy from a policy."""
        self._policy = policy

    def choose_moves(self, decisions: Decisions) -> tuple[Moves, NDArray[np.bool_]]:
        """Return n moves, and bool [n] whether there was more than one label to choose from."""
        inputs = self._policy.features(decisions)
        labels = inputs.complete_labels(self._policy.log_probs(inputs).argmax(axis=1).astype(np.int16))
        return inputs.survey.realise(labels), inputs.survey.has_choice


class PreferenceRolloutPolicy:
    """Plays the cheapest labels by the preferences, without an estimate of the other hands."""

    waits_for_others = False

    def __init__(self, policy: NeuroSymbolicPolicy) -> None:
        """Make a rollout policy from the preferences of a policy."""
        self._engine, self._preference_model = policy.engine, policy.preference_model

    def choose_moves(self, decisions: Decisions) -> tuple[Moves, NDArray[np.bool_]]:
        """Return n moves, and bool [n] whether there was more than one label to choose from."""
        best = find_best_cards(self._engine, self._preference_model, decisions)
        return best.realise(best.regret().argmin(axis=1).astype(np.int16)), best.has_choice


class NetworkRolloutPolicy:
    """Plays the most probable labels of a rollout network."""

    waits_for_others = False

    def __init__(self, policy: NeuroSymbolicPolicy, weights: RolloutWeights) -> None:
        """Make a rollout policy; the preferences of the policy choose the cards of a label."""
        self._engine, self._preference_model, self._weights = policy.engine, policy.preference_model, weights

    def choose_moves(self, decisions: Decisions) -> tuple[Moves, NDArray[np.bool_]]:
        """Return n moves, and bool [n] whether there was more than one label to choose from."""
        lists = list_candidates(self._preference_model, decisions)
        cost, is_consistent = self._preference_model.costs(decisions, lists)
        rows, has_choice = choose_candidates(
            self._weights, lists.start, decisions.labels_of(lists.form), cost, is_consistent,
            self._engine.plays_left(decisions, lists), decisions.observe(), decisions.label_to_beat,
        )  # fmt: skip
        return lists.select(rows), has_choice


def make_rollout_policy(policy: NeuroSymbolicPolicy) -> RolloutPolicy:
    """Return the rollout policy of networks: the rollout network if there is one, else the choice of the preset.

    Args:
        policy: Policy with networks.
    """
    networks = policy.networks
    if networks.rollout_weights is not None and not networks.preset.rollout.is_compiled:
        return NetworkRolloutPolicy(policy, networks.rollout_weights)
    if networks.preset.rollout_with_kb and policy.preference_model.preferences():
        return PreferenceRolloutPolicy(policy)
    return FullRolloutPolicy(policy)
