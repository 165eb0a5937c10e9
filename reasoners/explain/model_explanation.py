"""What an agent that has learned thinks of one decision: how likely its labels are, and what the others hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.notation import CardGrid
from abl_cards.games.types import HandEstimate, InformationSet

SEAT_TEXTS = {
    "en": {"next": "next", "opposite": "opposite", "partner": "partner", "previous": "previous"},
    "zh": {"next": "下家", "opposite": "对面", "partner": "对家", "previous": "上家"},
}
"""The names of ``seat_names`` in words."""


@dataclass(frozen=True)
class HandEstimateReport:
    """The hands of the other seats, as expected copies of each card; the seats in the order of play."""

    copies: NDArray[np.float32]  # [others, cards]
    constraints: InformationSet  # of this one observer
    is_projected: bool  # onto what is consistent with the facts
    names: tuple[str, ...]  # of the seats, see ``seat_names``
    grid: CardGrid  # how the cards are written

    @property
    def left(self) -> list[int]:
        """[others] cards in each of the hands."""
        return [int(number) for number in self.constraints.cards_left[0]]

    @property
    def is_possible(self) -> NDArray[np.bool_]:
        """[others, cards] whether the seat may hold the card at all."""
        possible: NDArray[np.bool_] = self.constraints.max_copies[0] > 0
        return possible

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order; cards that are not among the unseen ones are left out."""
        return {
            "projected": self.is_projected,
            "hands": [
                {"seat": name, "left": left, "copies": self._copies_json(place)}
                for place, (name, left) in enumerate(zip(self.names, self.left, strict=True))
            ],
        }

    def _copies_json(self, place: int) -> dict[str, float]:
        unseen = self.constraints.unseen[0]
        texts = self.grid.texts
        return {text: round(float(self.copies[place, card]), 4) for card, text in enumerate(texts) if unseen[card]}


@dataclass(frozen=True)
class LabelLookahead:
    """What looking ahead found about a label."""

    prior_probability: float  # its probability before
    expected_points: float | None  # expected of the episode; None for a label that was not tried
    wins: int = 0  # deals that it wins,
    n_deals: int = 0  # of so many that were solved to their ends; none where there are many cards

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        told = {
            "proposed": round(self.prior_probability, 6),
            "points": None if self.expected_points is None else round(self.expected_points, 4),
        }
        return told | ({"wins": self.wins, "deals": self.n_deals} if self.n_deals else {})


@dataclass(frozen=True)
class ModelExplanation:
    """What led an agent to its move, besides the preferences."""

    row: int  # the move, among the candidates
    log_probs: NDArray[np.float32]  # [labels] it goes by these; -inf for what may not be chosen
    prior_log_probs: NDArray[np.float32] | None = None  # [labels] the same before looking ahead
    expected_points: NDArray[np.float32] | None = (
        None  # [labels] expected of the labels it looked ahead at, NaN elsewhere
    )
    wins: NDArray[np.int64] | None = (
        None  # [labels] deals that each wins, of those that were solved; None where none was
    )
    n_deals: int = 0  # that were solved
    is_sampled: bool = False  # whether any card set of the label would have done
    estimate: HandEstimateReport | None = None
    sampled_deals: NDArray[np.uint8] | None = None  # [deals, others, cards] the first of the deals it looked ahead on
    response_probs: NDArray[np.float32] | None = (
        None  # [others, labels] how likely each could answer each; NaN for a pass
    )

    def response_probs_of(self, label: int) -> dict[str, float | None] | None:
        """How likely each of the others could answer a label, by its name; None for a pass."""
        if self.response_probs is None or self.estimate is None:
            return None
        shares = self.response_probs[:, label].tolist()
        return {name: None if isnan(share) else share for name, share in zip(self.estimate.names, shares, strict=True)}

    def lookahead_of(self, label: int) -> LabelLookahead | None:
        """What looking ahead found about a label; None for an opinion without foresight."""
        if self.prior_log_probs is None or self.expected_points is None:
            return None
        points = float(self.expected_points[label])
        wins = 0 if self.wins is None else int(self.wins[label])
        return LabelLookahead(
            float(np.exp(self.prior_log_probs[label])), None if isnan(points) else points, wins, self.n_deals
        )

    @property
    def preference_estimate(self) -> HandEstimate | None:
        """[1, others, cards] what the preferences are told of the other hands."""
        return None if self.estimate is None else self.estimate.copies[None]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """[labels] 0 for what may not be chosen."""
        return np.exp(self.log_probs.astype(np.float64))

    @property
    def choosable(self) -> NDArray[np.bool_]:
        """[labels] whether each may be chosen."""
        choosable: NDArray[np.bool_] = self.log_probs > -np.inf
        return choosable

    @property
    def rank(self) -> NDArray[np.int64]:
        """[labels] the place of each, from 0 for the most probable; of equals the first comes first."""
        place = np.empty(len(self.log_probs), np.int64)
        place[np.argsort(-self.log_probs, kind="stable")] = np.arange(len(place))
        return place


def seat_names(teams: Sequence[int]) -> tuple[str, ...]:
    """What the other seats are called, in the order of play; teams [seats] by turns."""
    middle = "partner" if teams[0] == teams[len(teams) // 2] else "opposite"
    return ("next", *[middle] * (len(teams) - 3), "previous")
