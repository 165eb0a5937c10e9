"""Reweight deals by the last acts of the other seats: deals in which they would have acted otherwise are unlikely.

Deals that agree with counts and facts are drawn. Each is weighted by the probability that the policy gives to the last
acts of the others, had they held these cards; then deals are resampled by their weights. Nobody plays quite by the
policy, so a share of the plays counts as random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Indices

RANDOM_PLAY_SHARE = 0.1
"""Share of the plays of others that counts as uniformly random."""
OVERSAMPLING_FACTOR = 4
"""Deals drawn for each resampled deal."""
_MIN_PROBABILITY = 1e-6


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
    weights = np.zeros(r * n)
    for deal_rows, then, label in decisions.past_decisions(np.repeat(rows, n), deals.reshape(-1, *deals.shape[2:])):
        view = policy.features(then)
        chances, legal = np.exp(policy.log_probs(view)), view.legal
        made = np.arange(len(view.open_rows)), label[view.open_rows]
        chance = (1 - RANDOM_PLAY_SHARE) * chances[made] + RANDOM_PLAY_SHARE * legal[made] / legal.sum(axis=1)
        weights[deal_rows[view.open_rows]] += np.log(np.maximum(chance, _MIN_PROBABILITY))
    log_weights = weights.reshape(r, n)
    least: NDArray[np.float64] = log_weights - log_weights.max(axis=1, keepdims=True)
    return least
