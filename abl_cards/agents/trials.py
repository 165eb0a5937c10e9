"""What labels came to so far on the deals that they were tried on, and which of them are worth another round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Indices

HOPE = 2.0
"""Errors that a label may lack to be the best one, and be tried on."""
LEAST_ERROR, DOUBT = 0.02, 0.1
"""What a mean over deals may be wrong by besides chance; and the critic, when it is asked about the next position."""


class Trials:
    """Labels [t] of decisions, which they name by a place; all that are open are tried on the same deals."""

    def __init__(self, place: Indices, label: Indices, proposed: NDArray[np.float32], temperature: float) -> None:
        """As log-probabilities [t] propose them; nothing has been tried, and all are open."""
        self.place, self.label, self._proposed, self._temperature = place, label, proposed, temperature
        self.open = np.arange(len(place))
        self.deals, self._answers = 0, 0
        self.points = np.full(len(place), np.nan, np.float32)
        """[t] what they are expected to come to."""
        self.first = self.points.copy()
        """[t] what they came to in the first deal."""
        self._tried = np.zeros((len(place), 0), np.float32)  # at this depth
        self._before = np.zeros(len(place), np.float32)  # what they were expected to come to at the one before

    def note(self, points: NDArray[np.float32], answers: int) -> None:
        """Those that are open came to points [open, deals] on the next deals, after so many answers."""
        if not self.deals:
            self.first[self.open] = points[:, 0]
        elif answers != self._answers:
            self._tried, self._before = self._tried[:, :0], self.points
        self.deals, self._answers = self.deals + points.shape[1], answers
        more = np.full((len(self.place), points.shape[1]), np.nan, np.float32)
        more[self.open] = points
        self._tried = np.concatenate([self._tried, more], axis=1)
        self._judge(LEAST_ERROR)

    def reopen(self, doubt: float) -> None:
        """Whoever may have been wrong by so much more is open again."""
        self._judge(doubt)

    def _judge(self, doubt: float) -> None:
        """What they come to, and which may still be the best of their decision; where it is one, none is open.

        Those that were given up are compared on the deals that they were tried on, and what was given up at once by
        what was thought of it before.
        """
        there = ~np.isnan(self._tried)
        number = there.sum(axis=1)
        tried = np.where(there, self._tried, 0)
        most = np.zeros(self.place.max(initial=0) + 1, number.dtype)
        np.maximum.at(most, self.place, number)
        full = number == most[self.place]
        mean = tried.sum(axis=1) / np.maximum(number, 1)
        best = self._best(np.where(full, self._proposed + mean / self._temperature, -np.inf))
        lack = np.where(there, tried[best] - tried, 0)
        loses = lack.sum(axis=1) / np.maximum(number, 1)
        loses = np.where(number > 0, loses, self._before[best] - self._before)
        points = np.where(most[self.place] > 0, mean[best] - loses, self._before)
        self.points = points.astype(np.float32)
        spread = np.where(there, lack - loses[:, None], 0)
        error = np.sqrt((spread**2).sum(axis=1) / np.maximum(number - 1, 1) / np.maximum(number, 1)) + doubt
        behind = self._proposed[best] - self._proposed + loses / self._temperature
        hopeful = (behind <= HOPE * error / self._temperature) & (number > 0)
        hopeful[best] = True
        several = np.bincount(self.place[hopeful], minlength=self.place.max(initial=0) + 1) > 1
        self.open = np.flatnonzero(hopeful & several[self.place])

    def _best(self, score: NDArray[np.floating]) -> Indices:
        """[t] the best label of the decision of each, the first of them."""
        order = np.lexsort((-score, self.place))
        first = np.ones(len(order), np.bool_)
        first[1:] = self.place[order][1:] != self.place[order][:-1]
        leader = np.zeros(self.place.max(initial=0) + 1, np.int64)
        leader[self.place[order[first]]] = order[first]
        return leader[self.place]
