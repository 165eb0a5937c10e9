"""What the last acts of the others tell of their hands: deals in which they would have done otherwise are unlikely.

Deals that counts and facts allow are drawn; each is weighed by how likely the policy makes what the others have just
done, had they held these cards; and so many of them are kept as are looked at, each as often as its weight demands.
Nobody plays quite by the policy, so a share of the plays counts as made at random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.mind import Mind, View
from abl_cards.games import Decisions, Indices

ANYHOW = 0.1
"""The share of the plays of others that could be any legal one."""
MORE = 4
"""Deals that are weighed for each that is kept."""
_LEAST = 1e-6


def recalled(
    mind: Mind, decisions: Decisions, view: View, rows: Indices, deals: NDArray[np.uint8], keep: int
) -> NDArray[np.uint8]:
    """[r, keep, others, cards] of deals [r, n, others, cards], evenly drawn for rows [r] with a choice of a view."""
    weights = np.exp(_weigh(mind, decisions, view.choice[rows], deals))
    shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    marks = (np.arange(keep) + 0.5) / keep
    picked = (shares[:, None] < marks[:, None]).sum(axis=2).clip(0, deals.shape[1] - 1)
    return deals[np.arange(len(rows))[:, None], picked]


def _weigh(mind: Mind, decisions: Decisions, rows: Indices, deals: NDArray[np.uint8]) -> NDArray[np.float64]:
    """[r, n] the logarithm of how likely it is what the others did, less that of the likeliest deal."""
    r, n = deals.shape[:2]
    weights = np.zeros(r * n)
    for asked, then, label in decisions.past(np.repeat(rows, n), deals.reshape(-1, *deals.shape[2:])):
        view = mind.look(then)
        chances, legal = np.exp(mind.weigh(view)), view.legal
        made = np.arange(len(view.choice)), label[view.choice]
        chance = (1 - ANYHOW) * chances[made] + ANYHOW * legal[made] / legal.sum(axis=1)
        weights[asked[view.choice]] += np.log(np.maximum(chance, _LEAST))
    found = weights.reshape(r, n)
    least: NDArray[np.float64] = found - found.max(axis=1, keepdims=True)
    return least
