"""What labels came to so far on the deals that they were tried on, and which of them are worth another round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import Indices

ELIMINATION_ERRORS = 2.0
"""Errors that a label may lack to be the best one, and be tried on."""
MIN_ERROR, CRITIC_ERROR = 0.02, 0.1
"""What a mean over deals may be wrong by besides chance; and the critic, when it is asked about the next position."""


class SuccessiveElimination:
    """Labels [t] of decisions, which they name by a place; all that are open are tried on the same deals."""

    def __init__(
        self, decision: Indices, label: Indices, prior_log_probs: NDArray[np.float32], temperature: float
    ) -> None:
        """As log-probabilities [t] propose them; nothing has been tried, and all are open."""
        self.decision, self.label, self._prior_log_probs, self._temperature = (
            decision,
            label,
            prior_log_probs,
            temperature,
        )
        self.active = np.arange(len(decision))
        self.num_deals, self._depth = 0, 0
        self.expected_points = np.full(len(decision), np.nan, np.float32)
        """[t] what they are expected to come to."""
        self.first_deal_points = self.expected_points.copy()
        """[t] what they came to in the first deal."""
        self._results = np.zeros((len(decision), 0), np.float32)  # at this depth
        self._previous_points = np.zeros(
            len(decision), np.float32
        )  # what they were expected to come to at the one before

    def add_results(self, points: NDArray[np.float32], depth: int) -> None:
        """Those that are open came to points [open, deals] on the next deals, after so many answers."""
        if not self.num_deals:
            self.first_deal_points[self.active] = points[:, 0]
        elif depth != self._depth:
            self._results, self._previous_points = self._results[:, :0], self.expected_points
        self.num_deals, self._depth = self.num_deals + points.shape[1], depth
        more = np.full((len(self.decision), points.shape[1]), np.nan, np.float32)
        more[self.active] = points
        self._results = np.concatenate([self._results, more], axis=1)
        self._update_active(MIN_ERROR)

    def reactivate(self, extra_error: float) -> None:
        """Whoever may have been wrong by so much more is open again."""
        self._update_active(extra_error)

    def _update_active(self, doubt: float) -> None:
        """What they come to, and which may still be the best of their decision; where it is one, none is open.

        Those that were given up are compared on the deals that they were tried on, and what was given up at once by
        what was thought of it before.
        """
        there = ~np.isnan(self._results)
        number = there.sum(axis=1)
        tried = np.where(there, self._results, 0)
        most = np.zeros(self.decision.max(initial=0) + 1, number.dtype)
        np.maximum.at(most, self.decision, number)
        full = number == most[self.decision]
        mean = tried.sum(axis=1) / np.maximum(number, 1)
        best = self._best_of_decision(np.where(full, self._prior_log_probs + mean / self._temperature, -np.inf))
        lack = np.where(there, tried[best] - tried, 0)
        loses = lack.sum(axis=1) / np.maximum(number, 1)
        loses = np.where(number > 0, loses, self._previous_points[best] - self._previous_points)
        points = np.where(most[self.decision] > 0, mean[best] - loses, self._previous_points)
        self.expected_points = points.astype(np.float32)
        spread = np.where(there, lack - loses[:, None], 0)
        error = np.sqrt((spread**2).sum(axis=1) / np.maximum(number - 1, 1) / np.maximum(number, 1)) + doubt
        behind = self._prior_log_probs[best] - self._prior_log_probs + loses / self._temperature
        hopeful = (behind <= ELIMINATION_ERRORS * error / self._temperature) & (number > 0)
        hopeful[best] = True
        several = np.bincount(self.decision[hopeful], minlength=self.decision.max(initial=0) + 1) > 1
        self.active = np.flatnonzero(hopeful & several[self.decision])

    def _best_of_decision(self, score: NDArray[np.floating]) -> Indices:
        """[t] the best label of the decision of each, the first of them."""
        order = np.lexsort((-score, self.decision))
        first = np.ones(len(order), np.bool_)
        first[1:] = self.decision[order][1:] != self.decision[order][:-1]
        leader = np.zeros(self.decision.max(initial=0) + 1, np.int64)
        leader[self.decision[order[first]]] = order[first]
        return leader[self.decision]
