"""Custom distance functions, which define the consistent move that is closest to the label of the learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, as_read_only, call_part
from abl_cards.games.preferences import PreferenceModel, list_candidates
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves
from abl_cards.reasoners.abduction import Minimiser


@dataclass(frozen=True)
class MoveCandidates:
    """The legal moves of n plays, for a `DistanceFunction`; the arrays are read-only.

    Attributes:
        decisions: The plays to decide, n of them.
        lists: The moves: those of decision i are the rows ``lists.start[i]`` to ``lists.start[i + 1] - 1``.
        labels: [moves] int16, label of each move.
        probability: [moves] float32, probability of the label of each move by the policy, plus 1 for the sampled label.
            Only the sampled label exceeds 1.
        cost: [moves] int32, cost by the preferences, in the unit of the rule files.
        is_consistent: [moves] bool, whether rules and consistency function allow it.
    """

    decisions: Decisions
    lists: MoveLists
    labels: NDArray[np.int16]
    probability: NDArray[np.float32]
    cost: NDArray[np.int32]
    is_consistent: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.labels)


DistanceFunction = Callable[[MoveCandidates], NDArray[np.floating] | NDArray[np.integer]]
"""Function of candidate moves that returns [moves] distances; the closest consistent move of each play is made.

The learner learns from the label of that move. Ours is ``-probability``, then ``cost`` among the moves of a label."""


class DistanceReasoner:
    """A reasoner that makes the closest consistent move by a distance function."""

    def __init__(self, preference_model: PreferenceModel, distance: DistanceFunction) -> None:
        """Use these preferences for costs and consistency.

        Args:
            preference_model: Costs and consistency of moves; it decides choices too.
            distance: The distance of moves.
        """
        self.preference_model, self._distance = preference_model, distance
        self._minimiser = Minimiser(preference_model)

    def realise(
        self, decisions: Decisions, label_probabilities: NDArray[np.floating], estimate: HandEstimate | None = None, /
    ) -> Moves:
        """Return the closest consistent move of each decision; ties go to the first one listed."""
        lists = list_candidates(self.preference_model, decisions, estimate=estimate)
        labels = decisions.labels_of(lists.form).astype(np.int16)
        cost, consistent = self.preference_model.costs(decisions, lists, estimate)
        probability = label_probabilities[lists.decision_index, labels].astype(np.float32)
        candidates = MoveCandidates(
            decisions, lists.as_read_only(), as_read_only(labels), as_read_only(probability), as_read_only(cost),
            as_read_only(consistent),
        )  # fmt: skip
        distance = call_part(
            "the distance function", self._distance, lambda: np.asarray(self._distance(candidates)),
            ErrorCode.INVALID_REASONER,
        )  # fmt: skip
        if distance.shape != cost.shape or distance.dtype.kind not in "fiu" or np.isnan(distance).any():
            actual = (
                f"{list(distance.shape)} {distance.dtype}{', NaN among them' if distance.dtype.kind == 'f' else ''}"
            )
            message = f"the distance function returned {actual}, expected [moves] = {list(cost.shape)} numbers"
            raise GameError(message, ErrorCode.INVALID_REASONER)
        order = np.lexsort((distance, ~consistent, lists.decision_index))
        return lists.select(order[lists.start[:-1]])

    def choose(self, choices: Choices, estimate: HandEstimate | None = None, /) -> NDArray[np.uint8]:
        """Return the cheapest option of each choice."""
        return self._minimiser.choose(choices, estimate)
