"""The path of one decision (estimate, project, decide, realise), for thousands of decisions at once."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.core import map_ranges
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices
from abl_cards.learners import ModelInputs, PrivilegedInputs, pad_inputs, pad_rows
from abl_cards.reasoners.abduction import BestCardsPerLabel, find_best_cards, plays_after

if TYPE_CHECKING:
    from abl_cards.learners import InputTensors, Networks


@dataclass(frozen=True)
class PolicyInputs(ModelInputs):
    """What a mind knows of n decisions before its networks weigh the labels; they are asked at the k with a choice.

    What they are told there has k rows.
    """

    survey: BestCardsPerLabel
    open_rows: Indices  # [k] the decisions with more than one label to choose among
    prior: NDArray[np.float32]  # [k, others, cards] the hidden hands by counts, facts and hints; zeros without ABLN

    def complete_labels(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """[n] the labels [k] that were chosen, and the only ones where there is no choice."""
        every = self.survey.choosable.argmax(axis=1).astype(np.int16)
        every[self.open_rows] = labels
        return every


def sample_labels(log_probs: NDArray[np.float32], keys: RandomKeys) -> NDArray[np.int16]:
    """[k] a label each by its probability, from log-probabilities [k, labels] and keys [k]."""
    labels = np.zeros(len(keys), np.int16)
    map_ranges(len(labels), lambda lo, hi: _sample_labels(log_probs, keys, lo, hi, labels))
    return labels


class NeuroSymbolicPolicy:
    """Networks, and the knowledge base that makes their answers consistent."""

    def __init__(
        self, engine: Engine, preference_model: PreferenceModel, networks: Networks, use_projection: bool = True
    ) -> None:
        """Think with these preferences and networks."""
        self.engine, self.preference_model, self.networks, self.uses_projection = (
            engine,
            preference_model,
            networks,
            use_projection,
        )

    @property
    def has_hand_estimator(self) -> bool:
        """Whether the networks estimate the hidden hands."""
        return self.networks.abln is not None

    def features(self, decisions: Decisions) -> PolicyInputs:
        """Estimate the hidden hands, and ask the knowledge base, whose preferences are told the estimate."""
        observation = decisions.observe()
        prior, estimate = self._estimate_open_decisions(decisions, observation)
        found = find_best_cards(
            self.engine, self.preference_model, decisions, estimate if self.has_hand_estimator else None
        )
        legal = found.choosable
        choice = np.flatnonzero(found.has_choice)
        return PolicyInputs(
            observation=observation[choice],
            legal=legal[choice],
            to_beat=decisions.label_to_beat[choice],
            regret=found.regret()[choice],
            plays_left=plays_after(self.engine, decisions, found)[choice],
            estimate=estimate[choice],
            response_counts=self._response_inputs(decisions, choice, observation[choice], estimate[choice]),
            survey=found,
            open_rows=choice,
            prior=prior[choice],
        )

    def _response_inputs(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """[k, others, labels] who could answer what, for rows [k] of the decisions; no labels where none is told."""
        told = self.networks.preset.uses_responses
        if not told or not len(rows) or not self.engine.has_response_masks:
            return np.zeros(
                (len(rows), self.networks.shape.num_others, len(self.engine.labels) if told else 0), np.uint8
            )
        return self.compute_response_counts(decisions, rows, observation, estimate)

    def compute_response_counts(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """[k, others, labels] in how many of some deals that the estimate makes likely each could answer what."""
        from abl_cards.learners import RESPONSE_DEALS
        from abl_cards.reasoners.hidden_hands import count_responses, observation_keys

        asked = decisions.context[rows], estimate, decisions.information_set().select(rows)
        return count_responses(self.engine, *asked, observation_keys(observation), RESPONSE_DEALS)

    def sample_deals(
        self, decisions: Decisions, inputs: PolicyInputs, rows: Indices, keys: NDArray[np.uint64]
    ) -> NDArray[np.uint8]:
        """[r, n, others, cards] hidden hands for rows [r] of what a view has a choice in, drawn from keys [r, n]."""
        from abl_cards.reasoners.hidden_hands import sample_deals, uniform_estimate

        constraints = decisions.information_set().select(inputs.open_rows[rows])
        return sample_deals(
            inputs.estimate[rows] if self.has_hand_estimator else uniform_estimate(constraints), constraints, keys
        )

    def _estimate_open_decisions(
        self, decisions: Decisions, observation: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Prior and estimate of all decisions [n, others, cards]; zeros where one label alone is legal."""
        shape = (len(observation), self.networks.shape.num_others, self.networks.shape.num_cards)
        prior, estimate = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        several = np.flatnonzero(decisions.legal_mask.sum(axis=0) > 1)
        prior[several], estimate[several] = self.estimate_hands(decisions, observation[several], several)
        return prior, estimate

    def estimate_hands(
        self, decisions: Decisions, observation: NDArray[np.uint8], rows: Indices
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Prior and estimate [k, others, cards] of the hidden hands at rows [k] of the decisions."""
        import torch

        from abl_cards.reasoners.hidden_hands import prior_estimate, project_estimate

        networks, abln, shape = self.networks, self.networks.abln, self.networks.shape
        if abln is None or not len(rows):
            nothing = np.zeros((len(rows), shape.num_others, shape.num_cards), np.float32)
            return nothing, nothing
        constraints = decisions.information_set().select(rows)
        prior = prior_estimate(constraints, decisions.belief_log_odds()[rows])
        told = (torch.from_numpy(pad_rows(array, networks.row_multiple)) for array in (observation, prior))
        with torch.inference_mode(), networks.autocast():
            guess = abln(*(each.to(networks.device).float() for each in told))
        estimate = guess.float().cpu().numpy()[: len(rows)]
        return prior, project_estimate(estimate, constraints) if self.uses_projection else estimate

    def to_tensors(self, inputs: ModelInputs) -> InputTensors:
        """What networks are told as tensors, where they are; with some rows more where that is faster."""
        from abl_cards.learners import to_input_tensors

        return to_input_tensors(
            pad_inputs(ModelInputs, inputs, self.networks.row_multiple), self.networks.device, self.networks.dtype
        )

    def log_probs(self, inputs: PolicyInputs) -> NDArray[np.float32]:
        """[k, labels] log-probabilities of the labels."""
        import torch

        with torch.inference_mode(), self.networks.autocast():
            weighed: NDArray[np.float32] = self.networks.decision(self.to_tensors(inputs)).float().cpu().numpy()
        return weighed[: len(inputs.open_rows)]

    def privileged_inputs(self, tables: Tables, rows: Indices, contexts: NDArray[np.integer]) -> PrivilegedInputs:
        """What the critic is told of tables [n] where decisions are to be made, with their contexts [n]."""
        hands = tables.open_hands(rows)
        n, seats, cards = hands.shape
        others = hands[:, 1:].reshape(-1, cards)
        openings = np.zeros(
            (len(self.engine.labels) if self.networks.preset.critic_reads_labels else 0, n * seats), np.uint8
        )
        if len(openings) and self.engine.has_response_masks:
            openings = self.engine.lead_mask(np.repeat(contexts, seats), hands.reshape(-1, cards))
        return PrivilegedInputs(
            hands=hands[:, 1:],
            hidden_plays_left=self.engine.min_plays(np.repeat(contexts, seats - 1), others).reshape(n, seats - 1),
            lead_mask=np.packbits(openings, axis=0).T.reshape(n, seats, -(-len(openings) // 8)),
        )

    def value(self, inputs: ModelInputs, privileged: PrivilegedInputs) -> NDArray[np.float32]:
        """[n] the points that the critic expects at n decisions, before whom every hand lies open."""
        import torch

        from abl_cards.learners import to_privileged_tensors

        networks = self.networks
        with torch.inference_mode(), networks.autocast():
            question, shown = (
                self.to_tensors(inputs),
                to_privileged_tensors(pad_inputs(PrivilegedInputs, privileged, networks.row_multiple), networks.device),
            )
            values: NDArray[np.float32] = networks.critic(question, shown).float().cpu().numpy()
        return values[: len(privileged.hidden_plays_left)]


@njit(cache=True, nogil=True)
def _sample_labels(log_probabilities, keys, lo, hi, labels):
    """Draw a label each for rows lo..hi-1."""
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
