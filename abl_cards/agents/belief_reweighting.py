"""What the last acts of the others tell of their hands: deals in which they would have done otherwise are unlikely.

Deals that counts and facts allow are drawn; each is weighed by how likely the policy makes what the others have just
done, had they held these cards; and so many of them are kept as are looked at, each as often as its weight demands.
Nobody plays quite by the policy, so a share of the plays counts as made at random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Indices

RANDOM_PLAY_SHARE = 0.1
"""The share of the plays of others that could be any legal one."""
OVERSAMPLING_FACTOR = 4
"""Deals that are weighed for each that is kept."""
_MIN_PROBABILITY = 1e-6


def resample_deals(
    policy: NeuroSymbolicPolicy,
    decisions: Decisions,
    inputs: PolicyInputs,
    rows: Indices,
    deals: NDArray[np.uint8],
    num_kept: int,
) -> NDArray[np.uint8]:
    """[r, keep, others, cards] of deals [r, n, others, cards], evenly drawn for rows [r] with a choice of a view."""
    weights = np.exp(_compute_log_weights(policy, decisions, inputs.open_rows[rows], deals))
    shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    marks = (np.arange(num_kept) + 0.5) / num_kept
    picked = (shares[:, None] < marks[:, None]).sum(axis=2).clip(0, deals.shape[1] - 1)
    return deals[np.arange(len(rows))[:, None], picked]


def _compute_log_weights(
    mind: NeuroSymbolicPolicy, decisions: Decisions, rows: Indices, deals: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """[r, n] the logarithm of how likely it is what the others did, less that of the likeliest deal."""
    r, n = deals.shape[:2]
    weights = np.zeros(r * n)
    for asked, then, label in decisions.past_decisions(np.repeat(rows, n), deals.reshape(-1, *deals.shape[2:])):
        view = mind.features(then)
        chances, legal = np.exp(mind.log_probs(view)), view.legal
        made = np.arange(len(view.open_rows)), label[view.open_rows]
        chance = (1 - RANDOM_PLAY_SHARE) * chances[made] + RANDOM_PLAY_SHARE * legal[made] / legal.sum(axis=1)
        weights[asked[view.open_rows]] += np.log(np.maximum(chance, _MIN_PROBABILITY))
    found = weights.reshape(r, n)
    least: NDArray[np.float64] = found - found.max(axis=1, keepdims=True)
    return least
