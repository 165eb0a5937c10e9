"""Find for each pseudo-label the card set that realises it best, and its cost.

The minimiser computes one label for a decision. A learner that compares all labels uses these results. It realises the
chosen label without another evaluation of the candidates.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel, map_ranges, scale_to_range, splitmix64
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel, list_candidates
from abl_cards.games.tables import Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves

NO_ROW = -1
"""Row of an illegal label, which has no card set."""


@dataclass(frozen=True)
class BestCardsPerLabel:
    """The labels of n decisions, each with its best card set.

    Attributes:
        lists: All candidates.
        label: int16[moves] Label of each candidate.
        is_consistent: bool[moves] Whether a candidate violates no constraint.
        best_row: int64[n, labels] Best candidate of each label; NO_ROW for an illegal label.
        best_cost: int32[n, labels] Its cost; 0 for an illegal label.
        label_is_consistent: bool[n, labels] Whether a label has a consistent candidate.
    """

    lists: MoveLists
    label: NDArray[np.int16]
    is_consistent: NDArray[np.bool_]
    best_row: NDArray[np.int64]
    best_cost: NDArray[np.int32]
    label_is_consistent: NDArray[np.bool_]

    def realise(self, labels: NDArray[np.int16], keys: NDArray[np.uint64] | None = None) -> Moves:
        """Return the moves of labels, chosen as by ``select_rows``.

        Args:
            labels: int16[n] A legal label for each decision.
            keys: uint64[n] Random keys; None for the best card set.

        Returns:
            One move for each decision.
        """
        return self.lists.select(self.select_rows(labels, keys))

    def select_rows(self, labels: NDArray[np.int16], keys: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """Choose a candidate for each label.

        Args:
            labels: int16[n] A legal label for each decision.
            keys: uint64[n] Random keys, to sample a consistent candidate, or any one of a label that has none; None
                for the best candidate.

        Returns:
            int64[n] Rows of candidates.
        """
        rows: NDArray[np.int64] = self.best_row[np.arange(len(labels)), labels]
        if keys is not None:
            arrays = self.lists.start, self.label, self.is_consistent, self.label_is_consistent, labels, keys
            map_ranges(len(labels), lambda lo, hi: _sample_rows(*arrays, lo, hi, rows))
        return rows

    @cached_property
    def choosable(self) -> NDArray[np.bool_]:
        """bool[n, labels] The consistent labels; where a decision has none, its legal ones."""
        legal = self.best_row != NO_ROW
        return np.where(self.label_is_consistent.any(axis=1, keepdims=True), self.label_is_consistent, legal)

    @cached_property
    def has_choice(self) -> NDArray[np.bool_]:
        """bool[n] Whether there is more than one choosable label."""
        several: NDArray[np.bool_] = self.choosable.sum(axis=1) > 1
        return several

    def regret(self) -> NDArray[np.float32]:
        """Return float32[n, labels] the cost above that of the cheapest choosable label; infinite for others."""
        cost = np.where(self.choosable, self.best_cost, np.float32(np.inf)).astype(np.float32)
        regret: NDArray[np.float32] = cost - cost.min(axis=1, keepdims=True)
        return regret


def find_best_cards(
    engine: Engine, preference_model: PreferenceModel, decisions: Decisions, estimate: HandEstimate | None = None
) -> BestCardsPerLabel:
    """Evaluate all candidates of decisions, and find the best one of each label.

    Args:
        engine: Engine of the game.
        preference_model: Computes costs and consistency.
        decisions: n decisions.
        estimate: float32[n, others, cards] Expected copies of the hidden hands, for preferences that read them.

    Returns:
        The best card sets.
    """
    lists = list_candidates(preference_model, decisions, estimate=estimate)
    cost, consistent = preference_model.costs(decisions, lists, estimate)
    shape, label = (len(decisions.rows), len(engine.labels)), decisions.labels_of(lists.form)
    best_cards = BestCardsPerLabel(
        lists,
        label,
        consistent,
        np.full(shape, NO_ROW, np.int64),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.bool_),
    )
    candidates, results = (
        (lists.start, label, cost, consistent),
        (best_cards.best_row, best_cards.best_cost, best_cards.label_is_consistent),
    )
    map_ranges(shape[0], lambda lo, hi: _find_best(*candidates, lo, hi, *results))
    return best_cards


def plays_after(engine: Engine, decisions: Decisions, best_cards: BestCardsPerLabel) -> NDArray[np.uint8]:
    """Compute the fewest plays that empty the hand after the best card set of each label.

    Args:
        engine: Engine of the game.
        decisions: The n decisions of `best_cards`, before anything is played there.
        best_cards: Best card sets of the labels.

    Returns:
        uint8[n, labels] Number of plays; 0 for an illegal label.
    """
    plays_left = engine.plays_left(decisions, best_cards.lists)
    row, label = best_cards.lists.decision_index, best_cards.label
    is_best = best_cards.best_row[row, label] == np.arange(len(label))
    plays = np.zeros(best_cards.best_row.shape, np.uint8)
    plays[row[is_best], label[is_best]] = plays_left[is_best]
    return plays


@kernel
def _find_best(start, label, cost, consistent, lo, hi, row, best, sound):
    """Find the best candidates of decisions lo..hi-1: consistent ones first, then by cost, then by row."""
    for i in range(lo, hi):
        for move in range(start[i], start[i + 1]):
            move_label = label[move]
            cheaper = cost[move] < best[i, move_label]
            is_first_consistent = consistent[move] and not sound[i, move_label]
            if row[i, move_label] < 0 or is_first_consistent or (cheaper and consistent[move] == sound[i, move_label]):
                row[i, move_label], best[i, move_label], sound[i, move_label] = move, cost[move], consistent[move]


@kernel
def _sample_rows(start, label, sound, consistent, labels, keys, lo, hi, rows):
    """Sample a candidate of the label of each decision lo..hi-1 uniformly."""
    for i in range(lo, hi):
        count = np.uint64(0)
        for move in range(start[i], start[i + 1]):
            if label[move] == labels[i] and (sound[move] or not consistent[i, labels[i]]):
                count += np.uint64(1)  # the k-th one replaces those before it with a chance of 1 in k
                if scale_to_range(splitmix64(keys[i], count), count) == 0:
                    rows[i] = move
