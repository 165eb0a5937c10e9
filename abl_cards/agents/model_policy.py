"""Policy of a custom network: features of decisions, one call of the network, log-probabilities and value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import LEADING, HandEstimate, Indices
from abl_cards.learners import (
    Batch,
    ModelInputs,
    ModelNetworks,
    PolicyOutput,
    PrivilegedInputs,
    masked_log_probs,
    to_batch,
)
from abl_cards.reasoners.abduction import BestCardsPerLabel, find_best_cards, plays_after
from abl_cards.reasoners.hidden_hands import prior_estimate, project_estimate


@dataclass(frozen=True)
class ChoiceInputs(ModelInputs):
    """Features of the k choices with more than one option; masks and costs have a column for each action."""

    open_rows: Indices  # [k] the choices with more than one option


class ModelPolicy(NeuroSymbolicPolicy):
    """A custom network, and the knowledge base that its labels must agree with."""

    networks: ModelNetworks

    def __init__(
        self, engine: Engine, preference_model: PreferenceModel, networks: ModelNetworks, use_projection: bool = True
    ) -> None:
        """Use this network and these preferences."""
        super().__init__(engine, preference_model, networks, use_projection)
        self._cached: tuple[ModelInputs, PolicyOutput] | None = None  # the last call of the network

    def features(self, decisions: Decisions) -> PolicyInputs:
        """Compute the features of decisions, and the consistent labels with their costs."""
        observation = decisions.observe()
        survey = find_best_cards(self.engine, self.preference_model, decisions)
        rows = np.flatnonzero(survey.has_choice)
        constraints = decisions.information_set().select(rows)
        shape = len(rows), self.networks.shape.num_others
        return PolicyInputs(
            observation=observation[rows],
            legal=survey.choosable[rows],
            to_beat=decisions.label_to_beat[rows],
            regret=survey.regret()[rows],
            plays_left=plays_after(self.engine, decisions, survey)[rows],
            estimate=np.zeros((*shape, 0), np.float32),
            response_counts=np.zeros((*shape, 0), np.uint8),
            survey=survey,
            open_rows=rows,
            prior=prior_estimate(constraints, decisions.belief_log_odds()[rows]),
        )

    def choice_features(self, choices: Choices) -> ChoiceInputs:
        """Compute the features of choices with several options; preferences drop inconsistent options."""
        lists = choices.moves()
        cost, consistent = self.preference_model.costs(choices, lists)
        option, choice = lists.cards[:, 0].astype(np.int64), lists.decision_index
        sizes = len(choices.view), self.engine.num_options
        possible, costs = np.zeros(sizes, np.bool_), np.full(sizes, np.inf, np.float32)
        possible[choice, option] = consistent
        possible = np.where(possible.any(axis=1, keepdims=True), possible, choices.options.astype(np.bool_))
        costs[choice, option] = cost
        costs = np.where(possible, costs, np.float32(np.inf))
        rows = np.flatnonzero(possible.sum(axis=1) > 1)
        constraints = choices.information_set().select(rows)
        k, labels, others = len(rows), self.networks.shape.num_labels, self.networks.shape.num_others
        regret = costs[rows] - costs[rows].min(axis=1, keepdims=True)
        return ChoiceInputs(
            observation=choices.observe()[rows],
            legal=np.concatenate([np.zeros((k, labels), np.bool_), possible[rows]], axis=1),
            to_beat=np.full(k, LEADING, np.int16),
            regret=np.concatenate([np.full((k, labels), np.inf, np.float32), regret], axis=1),
            plays_left=np.zeros((k, labels), np.uint8),
            estimate=np.zeros((k, others, 0), np.float32),
            response_counts=np.zeros((k, others, 0), np.uint8),
            open_rows=rows,
            prior=prior_estimate(constraints, np.zeros((k, others, self.networks.shape.num_cards), np.float32)),
        )

    def to_model_batch(self, inputs: PolicyInputs | ChoiceInputs) -> Batch:
        """Return decisions with a choice as a `Batch`, the input of a network."""
        shape = self.networks.shape
        return to_batch(inputs, shape.num_labels, shape.num_actions, self.networks.device)

    def evaluate(self, inputs: PolicyInputs | ChoiceInputs) -> PolicyOutput:
        """Call the network, or return its last output for the same decisions; raises GameError for a wrong output."""
        if self._cached is None or self._cached[0] is not inputs:
            with torch.no_grad():
                self._cached = inputs, self.networks.evaluate(self.to_model_batch(inputs))
        return self._cached[1]

    def log_probs(self, inputs: PolicyInputs) -> NDArray[np.float32]:
        """Return log-probabilities [k, labels] of the labels."""
        return self.action_log_probs(inputs)[:, : self.networks.shape.num_labels]

    def action_log_probs(self, inputs: PolicyInputs | ChoiceInputs) -> NDArray[np.float32]:
        """Return log-probabilities [k, actions] of the actions, or [k, labels] if the network decides no choices."""
        if not len(inputs.open_rows):
            return np.zeros((0, self.networks.shape.num_actions), np.float32)
        batch = self.to_model_batch(inputs)
        log_probs = masked_log_probs(self.evaluate(inputs).logits, batch.action_mask)
        return np.ascontiguousarray(log_probs.cpu().numpy())

    def value(self, inputs: ModelInputs, privileged: PrivilegedInputs) -> NDArray[np.float32]:
        """Return the expected returns [k] by the network, which does not read the hidden hands."""
        assert isinstance(inputs, PolicyInputs | ChoiceInputs)
        if not len(inputs.open_rows):
            return np.zeros(0, np.float32)
        return self.evaluate(inputs).value.cpu().numpy()

    def privileged_inputs(self, tables: Tables, rows: Indices, contexts: NDArray[np.integer]) -> PrivilegedInputs:
        """Return the hidden hands at tables [n], which the output ``hands`` learns from."""
        hands = tables.open_hands(rows)
        n, seats, _ = hands.shape
        return PrivilegedInputs(hands[:, 1:], np.zeros((n, 0), np.uint8), np.zeros((n, seats, 0), np.uint8))

    def full_hand_estimate(self, decisions: Decisions, inputs: PolicyInputs) -> HandEstimate | None:
        """Return the projected estimate [n, others, cards], zeros without a choice; None if the network has none."""
        shape, rows = self.networks.shape, inputs.open_rows
        estimate = np.zeros((len(decisions.rows), shape.num_others, shape.num_cards), np.float32)
        if not self.networks.estimates_hands:
            return None
        if len(rows):
            hands = self.evaluate(inputs).hands
            assert hands is not None
            expected = hands.cpu().numpy()
            constraints = decisions.information_set().select(rows)
            estimate[rows] = project_estimate(expected, constraints) if self.uses_projection else expected
        return estimate

    def survey_with_estimate(self, decisions: Decisions, inputs: PolicyInputs) -> BestCardsPerLabel:
        """Return the best card set of each label by the estimated hands, where a preference reads an estimate."""
        if not self.networks.estimates_hands or not self._reads_estimate:
            return inputs.survey
        estimate = self.full_hand_estimate(decisions, inputs)
        return find_best_cards(self.engine, self.preference_model, decisions, estimate)

    @cached_property
    def _reads_estimate(self) -> bool:
        """Return whether some preference depends on an estimate of the other hands."""
        return self.preference_model.preferences(True) != self.preference_model.preferences(False)
