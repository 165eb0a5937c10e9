"""Policy of agent ``abl``: estimate hidden hands, project, evaluate labels; for thousands of decisions at once."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.core import kernel, map_ranges
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Decisions, Tables, compute_lead_mask
from abl_cards.games.types import Indices
from abl_cards.learners import ModelInputs, PrivilegedInputs, pad_inputs, pad_rows
from abl_cards.reasoners.abduction import BestCardsPerLabel, find_best_cards, plays_after

if TYPE_CHECKING:
    from abl_cards.learners import InputTensors, Networks


@dataclass(frozen=True)
class PolicyInputs(ModelInputs):
    """Inputs of the networks for n decisions: k rows, one for each decision with a choice.

    Attributes:
        survey: Cheapest card set of each label, for all n decisions.
        open_rows: Decisions with more than one label to choose from [k].
    """

    survey: BestCardsPerLabel
    open_rows: Indices

    def complete_labels(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """Fill in the only label where there is no choice: from labels int16 [k] to int16 [n]."""
        all_labels = self.survey.choosable.argmax(axis=1).astype(np.int16)
        all_labels[self.open_rows] = labels
        return all_labels


def sample_labels(log_probs: NDArray[np.float32], keys: RandomKeys) -> NDArray[np.int16]:
    """Draw a label for each decision by its probability.

    Args:
        log_probs: Log-probabilities, float32 [k, labels].
        keys: Random bits, uint64 [k].

    Returns:
        Labels, int16 [k].
    """
    labels = np.zeros(len(keys), np.int16)
    map_ranges(len(labels), lambda lo, hi: _sample_labels(log_probs, keys, lo, hi, labels))
    return labels


class NeuroSymbolicPolicy:
    """Policy of networks whose estimates the knowledge base makes consistent with the rules."""

    def __init__(
        self, engine: Engine, preference_model: PreferenceModel, networks: Networks, use_projection: bool = True
    ) -> None:
        """Make a policy.

        Args:
            engine: Compiled game.
            preference_model: Preferences that select the card set of a label, and give costs as inputs.
            networks: Networks of this game.
            use_projection: Project the estimated hands onto what counts and facts allow.
        """
        self.engine, self.preference_model, self.networks, self.uses_projection = (
            engine,
            preference_model,
            networks,
            use_projection,
        )

    @property
    def has_hand_estimator(self) -> bool:
        """Return whether the networks estimate the hidden hands."""
        return self.networks.abln is not None

    def features(self, decisions: Decisions) -> PolicyInputs:
        """Compute the inputs of the networks: estimate the hidden hands, and find the cheapest cards of each label.

        Args:
            decisions: Decisions at n tables.

        Returns:
            Inputs of the k decisions with a choice.
        """
        observation = decisions.observe()
        prior, estimate = self._estimate_open_decisions(decisions, observation)
        survey = find_best_cards(
            self.engine, self.preference_model, decisions, estimate if self.has_hand_estimator else None
        )
        legal = survey.choosable
        choice = np.flatnonzero(survey.has_choice)
        return PolicyInputs(
            observation=observation[choice],
            legal=legal[choice],
            to_beat=decisions.label_to_beat[choice],
            regret=survey.regret()[choice],
            plays_left=plays_after(self.engine, decisions, survey)[choice],
            estimate=estimate[choice],
            response_counts=self._response_inputs(decisions, choice, observation[choice], estimate[choice]),
            survey=survey,
            open_rows=choice,
            prior=prior[choice],
        )

    def _response_inputs(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """Compute which labels the others could answer with, uint8 [k, others, labels]; empty without this input."""
        is_used = self.networks.preset.uses_responses
        if not is_used or not len(rows) or self.engine.rules.trick_query is not None:
            return np.zeros(
                (len(rows), self.networks.shape.num_others, len(self.engine.labels) if is_used else 0), np.uint8
            )
        return self.compute_response_counts(decisions, rows, observation, estimate)

    def compute_response_counts(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """Count the sampled deals in which each seat can respond to each label: uint8 [k, others, labels]."""
        from abl_cards.learners import RESPONSE_DEALS
        from abl_cards.reasoners.hidden_hands import count_responses, observation_keys

        arguments = decisions.context[rows], estimate, decisions.information_set().select(rows)
        return count_responses(self.engine, *arguments, observation_keys(observation), RESPONSE_DEALS)

    def sample_deals(
        self, decisions: Decisions, inputs: PolicyInputs, rows: Indices, keys: NDArray[np.uint64]
    ) -> NDArray[np.uint8]:
        """Draw hidden hands for rows [r] of the inputs by keys [r, n]: uint8 [r, n, others, cards]."""
        from abl_cards.reasoners.hidden_hands import sample_deals, uniform_estimate

        constraints = decisions.information_set().select(inputs.open_rows[rows])
        return sample_deals(
            inputs.estimate[rows] if self.has_hand_estimator else uniform_estimate(constraints), constraints, keys
        )

    def _estimate_open_decisions(
        self, decisions: Decisions, observation: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return prior and estimate of all decisions [n, others, cards]; zeros where only one label is legal."""
        shape = (len(observation), self.networks.shape.num_others, self.networks.shape.num_cards)
        prior, estimate = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        several = np.flatnonzero(decisions.legal_mask.sum(axis=0) > 1)
        prior[several], estimate[several] = self.estimate_hands(decisions, observation[several], several)
        return prior, estimate

    def estimate_hands(
        self, decisions: Decisions, observation: NDArray[np.uint8], rows: Indices
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return prior and estimate of the hidden hands at rows [k] of the decisions: float32 [k, others, cards]."""
        import torch

        from abl_cards.learners import check_finite
        from abl_cards.reasoners.hidden_hands import prior_estimate, project_estimate

        networks, abln, shape = self.networks, self.networks.abln, self.networks.shape
        if not networks.reads_prior or not len(rows):
            zeros = np.zeros((len(rows), shape.num_others, shape.num_cards), np.float32)
            return zeros, zeros
        constraints = decisions.information_set().select(rows)
        prior = prior_estimate(constraints, decisions.belief_log_odds()[rows])
        if abln is None:
            return prior, prior
        tensors = (torch.from_numpy(pad_rows(array, networks.row_multiple)) for array in (observation, prior))
        with torch.inference_mode(), networks.autocast():
            output = abln(*(tensor.to(networks.device).float() for tensor in tensors))
            check_finite(type(abln).__name__, "hands", output)
        estimate = output.float().cpu().numpy()[: len(rows)]
        return prior, project_estimate(estimate, constraints) if self.uses_projection else estimate

    def to_tensors(self, inputs: ModelInputs) -> InputTensors:
        """Convert inputs to tensors on the device of the networks, with padding rows where that is faster."""
        from abl_cards.learners import to_input_tensors

        return to_input_tensors(
            pad_inputs(ModelInputs, inputs, self.networks.row_multiple), self.networks.device, self.networks.dtype
        )

    def log_probs(self, inputs: PolicyInputs) -> NDArray[np.float32]:
        """Return log-probabilities of the labels, float32 [k, labels]; raises GameError where one is not finite."""
        import torch

        from abl_cards.learners import check_finite

        with torch.inference_mode(), self.networks.autocast():
            output = self.networks.decision(self.to_tensors(inputs)).float()
            check_finite(type(self.networks.decision).__name__, "log-probabilities", output)  # kernels trust them
        log_probs: NDArray[np.float32] = output.cpu().numpy()
        return log_probs[: len(inputs.open_rows)]

    def privileged_inputs(self, tables: Tables, rows: Indices, contexts: NDArray[np.integer]) -> PrivilegedInputs:
        """Compute the inputs of the critic from all hands of tables [n] with contexts [n]."""
        hands = tables.open_hands(rows)
        n, seats, cards = hands.shape
        others = hands[:, 1:].reshape(-1, cards)
        openings = np.zeros(
            (len(self.engine.labels) if self.networks.preset.critic_reads_labels else 0, n * seats), np.uint8
        )
        if len(openings) and self.engine.rules.trick_query is None:
            openings = compute_lead_mask(self.engine.rules, np.repeat(contexts, seats), hands.reshape(-1, cards))
        return PrivilegedInputs(
            hands=hands[:, 1:],
            hidden_plays_left=self.engine.min_plays(np.repeat(contexts, seats - 1), others).reshape(n, seats - 1),
            lead_mask=np.packbits(openings, axis=0).T.reshape(n, seats, -(-len(openings) // 8)),
        )

    def value(self, inputs: ModelInputs, privileged: PrivilegedInputs) -> NDArray[np.float32]:
        """Return the expected points of n decisions by the critic, which reads all hands: float32 [n]."""
        import torch

        from abl_cards.learners import to_privileged_tensors

        networks = self.networks
        with torch.inference_mode(), networks.autocast():
            own, opened = (
                self.to_tensors(inputs),
                to_privileged_tensors(pad_inputs(PrivilegedInputs, privileged, networks.row_multiple), networks.device),
            )
            values: NDArray[np.float32] = networks.critic(own, opened).float().cpu().numpy()
        return values[: len(privileged.hidden_plays_left)]


@kernel
def _sample_labels(log_probabilities, keys, lo, hi, labels):
    """Draw a label for each of the rows lo..hi-1."""
    for i in range(lo, hi):
        left = np.float64(keys[i] >> np.uint64(11)) / 9007199254740992.0  # 2**53
        best = 0
        for label in range(log_probabilities.shape[1]):
            probability = np.exp(np.float64(log_probabilities[i, label]))
            if probability > 0:
                best = label
                left -= probability
                if left < 0:
                    break
        labels[i] = best
