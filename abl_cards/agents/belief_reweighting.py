"""Reweight deals by the last acts of the other seats: deals in which they would have acted otherwise are unlikely.

Deals that agree with counts and facts are drawn. Each is weighted by the probability that the policy gives to the last
acts of the others, had they held these cards; then deals are resampled by their weights. Nobody plays quite by the
policy, so a share of the plays counts as random. A rollout network is so much faster that most acts of an episode can
be weighed by it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.agents.rollout_kernels import score_labels
from abl_cards.core import map_ranges
from abl_cards.games import Engine
from abl_cards.games.rollouts import position_shape
from abl_cards.games.tables import Decisions, compute_lead_mask
from abl_cards.games.types import Indices
from abl_cards.learners import RolloutWeights

RANDOM_PLAY_SHARE = 0.1
"""Share of the plays of others that counts as uniformly random."""
OVERSAMPLING_FACTOR = 4
"""Deals drawn for each resampled deal."""
_MIN_PROBABILITY = 1e-6
_ROLLOUT_EXPONENT = 0.4
"""Power of the probabilities by a rollout network: the estimate of the hands knows the same acts."""
_POSITIONS_PER_THREAD = 128


def resample_deals(
    policy: NeuroSymbolicPolicy,
    decisions: Decisions,
    inputs: PolicyInputs,
    rows: Indices,
    deals: NDArray[np.uint8],
    num_kept: int,
) -> NDArray[np.uint8]:
    """Resample deals [r, n, others, cards] drawn for rows [r] of the inputs: [r, num_kept, others, cards]."""
    weights = np.exp(_compute_log_weights(policy, decisions, inputs.open_rows[rows], deals))
    shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    marks = (np.arange(num_kept) + 0.5) / num_kept
    picked = (shares[:, None] < marks[:, None]).sum(axis=2).clip(0, deals.shape[1] - 1)
    return deals[np.arange(len(rows))[:, None], picked]


def _compute_log_weights(
    policy: NeuroSymbolicPolicy, decisions: Decisions, rows: Indices, deals: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return the log-probability of the acts of the others, less that of the likeliest deal: [r, n]."""
    r, n = deals.shape[:2]
    weights, model = np.zeros(r * n), _make_play_model(policy)
    hands = deals.reshape(-1, *deals.shape[2:])
    for deal_rows, then, label in decisions.past_decisions(np.repeat(rows, n), hands, model.num_acts):
        weights += np.bincount(deal_rows, model.log_probs(then, label), minlength=r * n)
    log_weights = weights.reshape(r, n)
    least: NDArray[np.float64] = log_weights - log_weights.max(axis=1, keepdims=True)
    return least


class _PlayModel(Protocol):
    """Says how probable acts of others are."""

    num_acts: int | None
    """Acts of any seats that are weighed, the last ones; None for one of each other seat."""

    def log_probs(self, decisions: Decisions, label: NDArray[np.int16]) -> NDArray[np.float64]:
        """Return the log-probability of a label at each decision, float64 [m]; 0 where there was no choice."""


class _PolicyPlayModel:
    """Expects the others to play by the policy."""

    num_acts = None

    def __init__(self, policy: NeuroSymbolicPolicy) -> None:
        self._policy = policy

    def log_probs(self, decisions: Decisions, label: NDArray[np.int16]) -> NDArray[np.float64]:
        view, log_probs = self._policy.features(decisions), np.zeros(len(label))
        chances, legal = np.exp(self._policy.log_probs(view)), view.legal
        made = np.arange(len(view.open_rows)), label[view.open_rows]
        log_probs[view.open_rows] = _mix_with_random(chances[made], legal[made] / legal.sum(axis=1))
        return log_probs


class _RolloutPlayModel:
    """Expects the others to play by a rollout network that reads positions."""

    def __init__(self, engine: Engine, weights: RolloutWeights, num_acts: int) -> None:
        self._rules, self._weights, self.num_acts = engine.rules, weights, num_acts
        self._shape = position_shape(engine.rules)

    def log_probs(self, decisions: Decisions, label: NDArray[np.int16]) -> NDArray[np.float64]:
        state, m = decisions.view.state, len(label)
        seats = np.arange(m), state.seat
        leads = np.ascontiguousarray(compute_lead_mask(self._rules, state.context, state.hands[seats]).T)
        legal = np.ascontiguousarray(decisions.legal_mask.T)
        arguments = self._shape, self._weights, decisions.sides(), leads, legal, decisions.label_to_beat, label
        chance, num_legal = np.zeros(m, np.float32), np.zeros(m, np.int64)
        map_ranges(
            m, lambda lo, hi: score_labels(state, *arguments, lo, hi, chance, num_legal), min_size=_POSITIONS_PER_THREAD
        )
        log_probs = _mix_with_random(chance, (chance > 0) / np.maximum(num_legal, 1))
        return np.where((num_legal > 1) | (chance == 0), _ROLLOUT_EXPONENT * log_probs, 0.0)


def _make_play_model(policy: NeuroSymbolicPolicy) -> _PlayModel:
    """Return the rollout network where acts are to be weighed by it, else the policy."""
    networks = policy.networks
    num_acts = networks.preset.rollout.timed_belief_acts
    if networks.rollout_weights is not None and networks.preset.rollout.is_compiled and num_acts:
        return _RolloutPlayModel(policy.engine, networks.rollout_weights, num_acts)
    return _PolicyPlayModel(policy)


def _mix_with_random(chance: NDArray[np.float32], random_chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-probabilities where a share of the plays is random."""
    mixed = (1 - RANDOM_PLAY_SHARE) * chance + RANDOM_PLAY_SHARE * random_chance
    log_probs: NDArray[np.float64] = np.log(np.maximum(mixed, _MIN_PROBABILITY))
    return log_probs
