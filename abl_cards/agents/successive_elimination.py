"""Compare labels on the deals that they were evaluated on, and drop those that cannot be best any more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import Indices

ELIMINATION_ERRORS = 2.0
"""Standard errors that a label may be behind the best one and stay active."""
MIN_ERROR, CRITIC_ERROR = 0.02, 0.1
"""Systematic error of a mean over deals, and of the critic's evaluation of the next position, in points."""


class SuccessiveElimination:
    """Labels [t] of several decisions; all active ones are evaluated on the same deals.

    Attributes:
        decision: Index of the decision of each label [t].
        label: Index of the label [t].
        active: Labels that are still evaluated.
        num_deals: Deals evaluated so far.
        expected_points: Expected points of each label, float32 [t].
        first_deal_points: Points of each label on the first deal, float32 [t].
    """

    def __init__(
        self, decision: Indices, label: Indices, prior_log_probs: NDArray[np.float32], temperature: float
    ) -> None:
        """Begin with all labels active and nothing evaluated.

        Args:
            decision: Index of the decision of each label [t].
            label: Index of the label [t].
            prior_log_probs: Log-probabilities of the policy, float32 [t].
            temperature: Difference in points that multiplies the ratio of two probabilities by e.
        """
        self.decision, self.label, self._prior_log_probs, self._temperature = (
            decision,
            label,
            prior_log_probs,
            temperature,
        )
        self.active = np.arange(len(decision))
        self.num_deals = 0
        self._depths: tuple[int, ...] = (0,)
        self.expected_points = np.full(len(decision), np.nan, np.float32)
        self.first_deal_points = self.expected_points.copy()
        self._results = np.zeros((len(decision), 0), np.float32)  # at these depths
        self._previous_points = np.zeros(len(decision), np.float32)  # expected points at the depths before

    def add_results(self, points: NDArray[np.float32], depths: tuple[int, ...]) -> None:
        """Add points [active, deals] on the next deals, rolled out to these depths."""
        if not self.num_deals:
            self.first_deal_points[self.active] = points[:, 0]
        elif depths != self._depths:
            self._results, self._previous_points = self._results[:, :0], self.expected_points
        self.num_deals, self._depths = self.num_deals + points.shape[1], depths
        more = np.full((len(self.decision), points.shape[1]), np.nan, np.float32)
        more[self.active] = points
        self._results = np.concatenate([self._results, more], axis=1)
        self._update_active(MIN_ERROR)

    def reactivate(self, extra_error: float) -> None:
        """Reactivate the labels that may be best if their points have this additional error."""
        self._update_active(extra_error)

    def _update_active(self, systematic_error: float) -> None:
        """Compute expected points, and the labels that may be the best of their decision; a single one is inactive.

        Dropped labels are compared on the deals that they were evaluated on, those without deals by earlier points.
        """
        is_evaluated = ~np.isnan(self._results)
        num_deals = is_evaluated.sum(axis=1)
        results = np.where(is_evaluated, self._results, 0)
        max_deals = np.zeros(self.decision.max(initial=0) + 1, num_deals.dtype)
        np.maximum.at(max_deals, self.decision, num_deals)
        full = num_deals == max_deals[self.decision]
        mean = results.sum(axis=1) / np.maximum(num_deals, 1)
        best = self._find_best_labels(np.where(full, self._prior_log_probs + mean / self._temperature, -np.inf))
        lack = np.where(is_evaluated, results[best] - results, 0)
        loses = lack.sum(axis=1) / np.maximum(num_deals, 1)
        loses = np.where(num_deals > 0, loses, self._previous_points[best] - self._previous_points)
        points = np.where(max_deals[self.decision] > 0, mean[best] - loses, self._previous_points)
        self.expected_points = points.astype(np.float32)
        spread = np.where(is_evaluated, lack - loses[:, None], 0)
        error = (
            np.sqrt((spread**2).sum(axis=1) / np.maximum(num_deals - 1, 1) / np.maximum(num_deals, 1))
            + systematic_error
        )
        behind = self._prior_log_probs[best] - self._prior_log_probs + loses / self._temperature
        hopeful = (behind <= ELIMINATION_ERRORS * error / self._temperature) & (num_deals > 0)
        hopeful[best] = True
        several = np.bincount(self.decision[hopeful], minlength=self.decision.max(initial=0) + 1) > 1
        self.active = np.flatnonzero(hopeful & several[self.decision])

    def _find_best_labels(self, score: NDArray[np.floating]) -> Indices:
        """Return the best label of the decision of each label, the first of equal ones: [t]."""
        order = np.lexsort((-score, self.decision))
        first = np.ones(len(order), np.bool_)
        first[1:] = self.decision[order][1:] != self.decision[order][:-1]
        leader = np.zeros(self.decision.max(initial=0) + 1, np.int64)
        leader[self.decision[order[first]]] = order[first]
        return leader[self.decision]
