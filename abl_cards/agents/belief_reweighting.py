"""Reweight deals by the last acts of the other seats: deals in which they would have acted otherwise are unlikely.

Deals that agree with counts and facts are drawn. Each is weighted by the probability of the last acts of the others,
computed by the policy for these hands. Then deals are resampled by their weights. Other agents do not play exactly by
the policy, so a share of the plays counts as random. The opponent model is a light network of positions: the compiled
rollout network, or one that was trained for this. It is so much faster that it can score most acts of an episode.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.act_likelihood import MIN_PROBABILITY, RANDOM_PLAY_SHARE, compute_act_log_probs
from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.core import splitmix64_array
from abl_cards.games.tables import HISTORY_ACTS, Decisions
from abl_cards.games.types import Indices
from abl_cards.learners import Networks, RolloutWeights
from abl_cards.reasoners.hidden_hands import observation_keys

OVERSAMPLING_FACTOR = 4
"""Deals that are drawn for each determinization, where the policy weights them."""
_GOLDEN_RATIO = (np.sqrt(5) - 1) / 2
_DEALS_STREAM = 17  # stream of random numbers


def count_history_acts(networks: Networks) -> int:
    """Return how many acts tables must keep for the weights; 1 for one of each other seat, 0 where none are made."""
    return int(networks.preset.belief_reweighting) if _find_opponent_model(networks) is None else HISTORY_ACTS


def _find_opponent_model(networks: Networks) -> RolloutWeights | None:
    """Return the network of positions that weights deals; None where it is the policy, or nothing."""
    rollout = networks.preset.rollout
    if not rollout.likelihood_exponent:
        return None
    if rollout.opponent_model:
        return networks.opponent_weights
    return networks.rollout_weights if rollout.is_compiled else None


def choose_pool_size(networks: Networks) -> int:
    """Return how many deals are drawn and weighted at a decision, of which others are resampled."""
    if _find_opponent_model(networks) is None:
        return OVERSAMPLING_FACTOR * networks.preset.num_determinizations
    return networks.preset.rollout.pool_size


class BeliefSampler:
    """Draws hidden hands for decisions; where tables record the acts of the others, hands that agree with these acts.

    A pool of deals is drawn and weighted once for each decision, at the first use. Draws resample it.
    """

    def __init__(self, policy: NeuroSymbolicPolicy, decisions: Decisions, inputs: PolicyInputs) -> None:
        """Make a sampler.

        Args:
            policy: Policy, whose estimate the deals are drawn from.
            decisions: Decisions.
            inputs: Inputs of the policy.
        """
        self._policy, self._decisions, self._inputs = policy, decisions, inputs
        self._is_weighted = decisions.view.history is not None and count_history_acts(policy.networks) > 0
        self._pools: dict[int, tuple[NDArray[np.uint8], NDArray[np.float64]]] = {}  # deals and sums of their weights

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        return splitmix64_array(observation_keys(self._inputs.observation), _DEALS_STREAM)

    def weight_pools(self, rows: Indices, pool_size: int) -> int:
        """Draw and weight the pools of rows of the inputs that have none yet.

        Args:
            rows: int64 [r].
            pool_size: Deals of a pool.

        Returns:
            Number of deals that were weighted.
        """
        new = np.array([row for row in rows.tolist() if row not in self._pools], np.int64)
        if not self._is_weighted or not len(new):
            return 0
        pools = self._draw_from_estimate(new, 0, pool_size)
        weights = np.exp(_compute_log_weights(self._policy, self._decisions, self._inputs.open_rows[new], pools))
        shares = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
        self._pools.update(zip(new.tolist(), zip(pools, shares, strict=True), strict=True))
        return pool_size * len(new)

    def draw(self, rows: Indices, first: int, num_deals: int) -> NDArray[np.uint8]:
        """Draw deals; equal numbers of deals give equal ones.

        Args:
            rows: int64 [r], rows of the inputs, whose pools are weighted.
            first: Number of the first deal.
            num_deals: How many deals of each row.

        Returns:
            uint8 [r, num_deals, others, cards].
        """
        if not self._is_weighted or not len(rows):
            return self._draw_from_estimate(rows, first, num_deals)
        return np.stack([resample_deals(*self._pools[row], first, num_deals) for row in rows.tolist()])

    def _draw_from_estimate(self, rows: Indices, first: int, num_deals: int) -> NDArray[np.uint8]:
        """Draw deals by the estimate alone: [r, num_deals, others, cards]."""
        keys = splitmix64_array(
            np.repeat(self._keys[rows], num_deals), np.tile(np.arange(first, first + num_deals), len(rows))
        )
        return self._policy.sample_deals(self._decisions, self._inputs, rows, keys.reshape(len(rows), num_deals))


def resample_deals(
    deals: NDArray[np.uint8], shares: NDArray[np.float64], first: int, num_kept: int
) -> NDArray[np.uint8]:
    """Resample deals [n, others, cards] by the sums of their weights [n], up to 1: [num_kept, others, cards].

    Draws are placed by a low-discrepancy sequence, so any part of them is spread evenly.
    """
    marks = (np.arange(first, first + num_kept) + 0.5) * _GOLDEN_RATIO % 1
    return deals[np.searchsorted(shares, marks).clip(0, len(deals) - 1)]


def _compute_log_weights(
    policy: NeuroSymbolicPolicy, decisions: Decisions, rows: Indices, deals: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return the log-probability of the acts of the others, less that of the likeliest deal: [r, n]."""
    weights, exponent = _find_opponent_model(policy.networks), policy.networks.preset.rollout.likelihood_exponent
    if weights is None:
        log_probs = _score_by_policy(policy, decisions, rows, deals)
    else:
        log_probs = exponent * compute_act_log_probs(policy.engine, weights, decisions, rows, deals)
    least: NDArray[np.float64] = log_probs - log_probs.max(axis=1, keepdims=True)
    return least


def _score_by_policy(
    policy: NeuroSymbolicPolicy, decisions: Decisions, rows: Indices, deals: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return how probable the last acts of the others are by the policy: [r, n]."""
    r, n = deals.shape[:2]
    log_probs, hands = np.zeros(r * n), deals.reshape(-1, *deals.shape[2:])
    for deal_rows, then, label in decisions.past_decisions(np.repeat(rows, n), hands):
        view = policy.features(then)
        chances, legal = np.exp(policy.log_probs(view)), view.legal
        made = np.arange(len(view.open_rows)), label[view.open_rows]
        chance = (1 - RANDOM_PLAY_SHARE) * chances[made] + RANDOM_PLAY_SHARE * legal[made] / legal.sum(axis=1)
        scores = np.log(np.maximum(chance, MIN_PROBABILITY))
        log_probs += np.bincount(deal_rows[view.open_rows], scores, minlength=r * n)
    return log_probs.reshape(r, n)
