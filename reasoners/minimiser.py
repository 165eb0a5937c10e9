"""The inconsistency minimiser (Chen et al. 2025, section 2.4): from pseudo-labels to the move the rules like best.

For the most probable label all card sets are enumerated, those that contradict the knowledge base are dropped, and the
one with the lowest cost is played; where none is left, the next most probable label has its turn. Without a learner the
same minimisation runs over the card sets of all labels. Who has an estimate of the other hands, [n, others, cards],
passes it along: preferences may speak of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Choices, Decisions, Engine, Estimate, Judge, MoveLists, Moves


@dataclass(frozen=True)
class Minimiser:
    """Chooses concrete moves by the preferences of a knowledge base; ties go to wire order."""

    judge: Judge

    @classmethod
    def of(cls, engine: Engine) -> Minimiser:
        """By the preferences of the engine's own knowledge base."""
        return cls(engine.judge())

    def best(self, decisions: Decisions, estimate: Estimate | None = None) -> Moves:
        """The move with the lowest cost over all labels."""
        lists = decisions.moves()
        return lists.rows(self._first(decisions, lists, estimate=estimate))

    def realise_labels(
        self, decisions: Decisions, labels: NDArray[np.int16], estimate: Estimate | None = None
    ) -> Moves:
        """The cheapest consistent card set of one legal label each, whether or not it has a consistent one."""
        lists = decisions.moves(labels)
        return lists.rows(self._first(decisions, lists, estimate=estimate))

    def realise(
        self, decisions: Decisions, probabilities: NDArray[np.floating], estimate: Estimate | None = None
    ) -> Moves:
        """The cheapest consistent card set of the most probable legal label that has one; probabilities [n, labels].

        Where every legal move contradicts the knowledge base, the most probable label keeps its cheapest card set.
        """
        lists = decisions.moves()
        likely = probabilities[lists.decision, decisions.labels_of(lists.form)]
        return lists.rows(self._first(decisions, lists, likely, estimate))

    def choose(self, choices: Choices, estimate: Estimate | None = None) -> NDArray[np.uint8]:
        """The card to pay or to return with the lowest cost."""
        lists = choices.moves()
        return lists.cards[self._first(choices, lists, estimate=estimate), 0]

    def order(
        self,
        decisions: Decisions | Choices,
        lists: MoveLists,
        likely: NDArray[np.floating] | None = None,
        estimate: Estimate | None = None,
    ) -> NDArray[np.int64]:
        """[moves] the candidates, decision by decision: consistent ones first, then likely, then cheap, then early."""
        cost, consistent = self.judge.costs(decisions, lists, estimate)
        unlikely = np.zeros(len(cost)) if likely is None else -likely
        return np.lexsort((cost, unlikely, ~consistent, lists.decision))

    def _first(
        self,
        decisions: Decisions | Choices,
        lists: MoveLists,
        likely: NDArray[np.floating] | None = None,
        estimate: Estimate | None = None,
    ) -> NDArray[np.int64]:
        return self.order(decisions, lists, likely, estimate)[lists.start[:-1]]
