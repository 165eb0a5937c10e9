"""The inconsistency minimiser (Chen et al. 2025, section 2.4): from pseudo-labels to the move the rules like best.

For the most probable label all card sets are enumerated, those that contradict the knowledge base are dropped, and the
one with the lowest cost is played; where none is left, the next most probable label has its turn. Without a learner the
same minimisation runs over the card sets of all labels. Who has an estimate of the other hands, [n, others, cards],
passes it along: preferences may speak of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves

_MAX_MOVES_PER_SORT = 1 << 21
"""Moves that are put in order at once, for the sake of memory: some 60 bytes each."""


@dataclass(frozen=True)
class Minimiser:
    """Chooses concrete moves by the preferences of a knowledge base; ties go to wire order."""

    preference_model: PreferenceModel

    @classmethod
    def of(cls, engine: Engine) -> Minimiser:
        """By the preferences of the engine's own knowledge base."""
        return cls(engine.preference_model())

    def best(self, decisions: Decisions, estimate: HandEstimate | None = None) -> Moves:
        """The move with the lowest cost over all labels."""
        lists = decisions.moves()
        return lists.select(self._first_rows(decisions, lists, estimate=estimate))

    def realise_labels(
        self, decisions: Decisions, labels: NDArray[np.int16], estimate: HandEstimate | None = None
    ) -> Moves:
        """The cheapest consistent card set of one legal label each, whether or not it has a consistent one."""
        lists = decisions.moves(labels)
        return lists.select(self._first_rows(decisions, lists, estimate=estimate))

    def realise(
        self, decisions: Decisions, probabilities: NDArray[np.floating], estimate: HandEstimate | None = None
    ) -> Moves:
        """The cheapest consistent card set of the most probable legal label that has one; probabilities [n, labels].

        Where every legal move contradicts the knowledge base, the most probable label keeps its cheapest card set.
        """
        lists = decisions.moves()
        likely = probabilities[lists.decision_index, decisions.labels_of(lists.form)]
        return lists.select(self._first_rows(decisions, lists, likely, estimate))

    def choose(self, choices: Choices, estimate: HandEstimate | None = None) -> NDArray[np.uint8]:
        """The card to pay or to return with the lowest cost."""
        lists = choices.moves()
        return lists.cards[self._first_rows(choices, lists, estimate=estimate), 0]

    def order(
        self,
        decisions: Decisions | Choices,
        lists: MoveLists,
        probabilities: NDArray[np.floating] | None = None,
        estimate: HandEstimate | None = None,
    ) -> NDArray[np.int64]:
        """[moves] the candidates, decision by decision: consistent ones first, then likely, then cheap, then early."""
        cost, consistent = self.preference_model.costs(decisions, lists, estimate)
        unlikely = np.zeros(len(cost)) if probabilities is None else -probabilities
        return np.lexsort((cost, unlikely, ~consistent, lists.decision_index))

    def _first_rows(
        self,
        decisions: Decisions | Choices,
        lists: MoveLists,
        probabilities: NDArray[np.floating] | None = None,
        estimate: HandEstimate | None = None,
    ) -> NDArray[np.int64]:
        """[n] the first candidate of each decision; without an estimate some decisions at a time."""
        if len(lists.form) <= _MAX_MOVES_PER_SORT or estimate is not None:
            return self.order(decisions, lists, probabilities, estimate)[lists.start[:-1]]
        found = []
        for rows in _batches(lists.start):
            moves = slice(int(lists.start[rows[0]]), int(lists.start[rows[-1] + 1]))
            start = lists.start[rows[0] : rows[-1] + 2] - moves.start
            some = MoveLists(start, lists.form[moves], lists.cards[moves])
            order = self.order(decisions.select(rows), some, None if probabilities is None else probabilities[moves])
            found.append(order[start[:-1]] + moves.start)
        return np.concatenate(found)


def _batches(start: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Decisions side by side of so many moves at once, one decision at least; start [n + 1] as in MoveLists."""
    first, n = 0, len(start) - 1
    while first < n:
        end = max(first + 1, int(np.searchsorted(start, start[first] + _MAX_MOVES_PER_SORT, "right")) - 1)
        yield np.arange(first, end)
        first = end
