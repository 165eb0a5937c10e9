"""Predictions of a trained agent for one decision: probabilities of labels, and an estimate of the hidden hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import texts_by_language
from abl_cards.games.notation import CardGrid
from abl_cards.games.types import HandEstimate, InformationSet

SEAT_TEXTS = texts_by_language({
    "next": ("next", "下家"),
    "opposite": ("opposite", "对面"),
    "partner": ("partner", "对家"),
    "previous": ("previous", "上家"),
})  # fmt: skip
"""Texts of the names of ``seat_names``, by language."""


@dataclass(frozen=True)
class HandEstimateReport:
    """Estimate of the hands of the other seats, in the order of play.

    Attributes:
        copies: float32[others, cards] Expected copies.
        constraints: Counts and facts of one observer.
        is_projected: Whether the estimate was projected onto the constraints.
        names: Names of the seats, by ``seat_names``.
        grid: Layout and texts of cards.
    """

    copies: NDArray[np.float32]
    constraints: InformationSet
    is_projected: bool
    names: tuple[str, ...]
    grid: CardGrid

    @property
    def left(self) -> list[int]:
        """[others] Number of cards of each hand."""
        return [int(count) for count in self.constraints.cards_left[0]]

    @property
    def is_possible(self) -> NDArray[np.bool_]:
        """bool[others, cards] Whether a seat may hold a card."""
        possible: NDArray[np.bool_] = self.constraints.max_copies[0] > 0
        return possible

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON, in a stable order and without cards that are seen."""
        return {
            "projected": self.is_projected,
            "hands": [
                {"seat": name, "left": left, "copies": self._copies_json(seat_index)}
                for seat_index, (name, left) in enumerate(zip(self.names, self.left, strict=True))
            ],
        }

    def _copies_json(self, seat_index: int) -> dict[str, float]:
        unseen = self.constraints.unseen[0]
        texts = self.grid.texts
        return {text: round(float(self.copies[seat_index, card]), 4) for card, text in enumerate(texts) if unseen[card]}


@dataclass(frozen=True)
class LabelLookahead:
    """Results of looking ahead for a label.

    Attributes:
        prior_probability: Probability of the label before looking ahead.
        expected_points: Expected points of the episode; None for a label that was not evaluated.
        wins: Solved deals that the label wins.
        n_deals: Number of solved deals; 0 where there are too many cards to solve.
    """

    prior_probability: float
    expected_points: float | None
    wins: int = 0
    n_deals: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        data = {
            "proposed": round(self.prior_probability, 6),
            "points": None if self.expected_points is None else round(self.expected_points, 4),
        }
        return data | ({"wins": self.wins, "deals": self.n_deals} if self.n_deals else {})


@dataclass(frozen=True)
class ModelExplanation:
    """Predictions that led an agent to its move, besides the preferences.

    Attributes:
        row: Row of the move among the candidates.
        log_probs: float32[labels] Log-probabilities of the final policy; -inf for labels that may not be chosen.
        prior_log_probs: float32[labels] Log-probabilities before looking ahead.
        expected_points: float32[labels] Expected points by looking ahead; NaN for labels that were not evaluated.
        wins: int64[labels] Solved deals that each label wins; None where none was solved.
        n_deals: Number of solved deals.
        is_sampled: Whether the card set of the label was sampled at random.
        estimate: Estimate of the hidden hands.
        sampled_deals: uint8[deals, others, cards] First deals of looking ahead.
        response_probs: float32[others, labels] Probability that a seat can respond to a label; NaN for a pass.
    """

    row: int
    log_probs: NDArray[np.float32]
    prior_log_probs: NDArray[np.float32] | None = None
    expected_points: NDArray[np.float32] | None = None
    wins: NDArray[np.int64] | None = None
    n_deals: int = 0
    is_sampled: bool = False
    estimate: HandEstimateReport | None = None
    sampled_deals: NDArray[np.uint8] | None = None
    response_probs: NDArray[np.float32] | None = None

    def response_probs_of(self, label: int) -> dict[str, float | None] | None:
        """Return the probability that each other seat can respond to a label, by its name; None for a pass."""
        if self.response_probs is None or self.estimate is None:
            return None
        shares = self.response_probs[:, label].tolist()
        return {name: None if isnan(share) else share for name, share in zip(self.estimate.names, shares, strict=True)}

    def lookahead_of(self, label: int) -> LabelLookahead | None:
        """Return the results of looking ahead for a label; None for an agent that does not look ahead."""
        if self.prior_log_probs is None or self.expected_points is None:
            return None
        points = float(self.expected_points[label])
        wins = 0 if self.wins is None else int(self.wins[label])
        return LabelLookahead(
            float(np.exp(self.prior_log_probs[label])), None if isnan(points) else points, wins, self.n_deals
        )

    @property
    def preference_estimate(self) -> HandEstimate | None:
        """float32[1, others, cards] Estimate of the hidden hands that preferences read."""
        return None if self.estimate is None else self.estimate.copies[None]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """float64[labels] Probabilities; 0 for labels that may not be chosen."""
        return np.exp(self.log_probs.astype(np.float64))

    @property
    def choosable(self) -> NDArray[np.bool_]:
        """bool[labels] Whether a label may be chosen."""
        choosable: NDArray[np.bool_] = self.log_probs > -np.inf
        return choosable

    @property
    def rank(self) -> NDArray[np.int64]:
        """int64[labels] Rank of each label, from 0 for the most probable; equal ones by their index."""
        rank = np.empty(len(self.log_probs), np.int64)
        rank[np.argsort(-self.log_probs, kind="stable")] = np.arange(len(rank))
        return rank


def seat_names(teams: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the other seats.

    Args:
        teams: [seats] Team of each seat, in the order of play from the observer.

    Returns:
        Names from the next seat on.
    """
    middle = "partner" if teams[0] == teams[len(teams) // 2] else "opposite"
    return ("next", *[middle] * (len(teams) - 3), "previous")
