"""What the knowledge base thinks of every pseudo-label at once: the card set that realises it best, and its cost.

The minimiser answers for one label a decision; a learner that weighs all of them asks here, and realises the label it
chooses without a second look at the candidates.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import map_ranges, scale_to_range, splitmix64
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves

NO_ROW = -1
"""A label that is not legal has no card set."""


@dataclass(frozen=True)
class BestCardsPerLabel:
    """The labels of n decisions, each with its best card set."""

    lists: MoveLists  # all the candidates
    label: NDArray[np.int16]  # [moves] the label of each
    is_consistent: NDArray[np.bool_]  # [moves] it contradicts no constraint
    best_row: NDArray[np.int64]  # [n, labels] the best candidate of each label, NO_ROW where it is not legal
    best_cost: NDArray[np.int32]  # [n, labels] its cost, 0 where the label is not legal
    label_is_consistent: NDArray[np.bool_]  # [n, labels] legal, and some candidate contradicts no constraint

    def realise(self, labels: NDArray[np.int16], keys: NDArray[np.uint64] | None = None) -> Moves:
        """The best card set of one legal label each; with keys [n] any one, see ``select_rows``."""
        return self.lists.select(self.select_rows(labels, keys))

    def select_rows(self, labels: NDArray[np.int16], keys: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """[n] the best candidate of one legal label each; with keys [n] a random consistent one instead.

        Where a label has no consistent candidate, all of them may be drawn.
        """
        rows: NDArray[np.int64] = self.best_row[np.arange(len(labels)), labels]
        if keys is not None:
            told = self.lists.start, self.label, self.is_consistent, self.label_is_consistent, labels, keys
            map_ranges(len(labels), lambda lo, hi: _sample_rows(*told, lo, hi, rows))
        return rows

    @cached_property
    def choosable(self) -> NDArray[np.bool_]:
        """[n, labels] the consistent labels; where a decision has none, its legal ones."""
        legal = self.best_row != NO_ROW
        return np.where(self.label_is_consistent.any(axis=1, keepdims=True), self.label_is_consistent, legal)

    @cached_property
    def has_choice(self) -> NDArray[np.bool_]:
        """[n] whether there is a choice."""
        several: NDArray[np.bool_] = self.choosable.sum(axis=1) > 1
        return several

    def regret(self) -> NDArray[np.float32]:
        """[n, labels] how much more than the cheapest choosable label each costs; infinite for the others."""
        cost = np.where(self.choosable, self.best_cost, np.float32(np.inf)).astype(np.float32)
        regret: NDArray[np.float32] = cost - cost.min(axis=1, keepdims=True)
        return regret


def find_best_cards(
    engine: Engine, preference_model: PreferenceModel, decisions: Decisions, estimate: HandEstimate | None = None
) -> BestCardsPerLabel:
    """Judge all the candidates of some decisions; preferences may be told an estimate of the other hands."""
    lists = decisions.moves()
    cost, consistent = preference_model.costs(decisions, lists, estimate)
    shape, label = (len(decisions.rows), len(engine.labels)), decisions.labels_of(lists.form)
    found = BestCardsPerLabel(
        lists,
        label,
        consistent,
        np.full(shape, NO_ROW, np.int64),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.bool_),
    )
    candidates, best = (
        (lists.start, label, cost, consistent),
        (found.best_row, found.best_cost, found.label_is_consistent),
    )
    map_ranges(shape[0], lambda lo, hi: _find_best(*candidates, lo, hi, *best))
    return found


def plays_after(engine: Engine, decisions: Decisions, best_cards: BestCardsPerLabel) -> NDArray[np.uint8]:
    """[n, labels] the least number of plays that empties the hand after the best card set of each label; 0 where none.

    Of the decisions that were surveyed, before anything is played there. It takes longer than the survey in some games.
    """
    left = engine.plays_left(decisions, best_cards.lists)
    row, label = best_cards.lists.decision_index, best_cards.label
    best = best_cards.best_row[row, label] == np.arange(len(label))
    plays = np.zeros(best_cards.best_row.shape, np.uint8)
    plays[row[best], label[best]] = left[best]
    return plays


@njit(cache=True, nogil=True)
def _find_best(start, label, cost, consistent, lo, hi, row, best, sound):
    """The best candidates of decisions lo..hi-1: consistent before inconsistent, then cheap, then early."""
    for i in range(lo, hi):
        for move in range(start[i], start[i + 1]):
            place = label[move]
            cheaper = cost[move] < best[i, place]
            rises = consistent[move] and not sound[i, place]
            if row[i, place] < 0 or rises or (cheaper and consistent[move] == sound[i, place]):
                row[i, place], best[i, place], sound[i, place] = move, cost[move], consistent[move]


@njit(cache=True, nogil=True)
def _sample_rows(start, label, sound, consistent, labels, keys, lo, hi, rows):
    """A uniformly random candidate each of the labels of decisions lo..hi-1."""
    for i in range(lo, hi):
        count = np.uint64(0)
        for move in range(start[i], start[i + 1]):
            if label[move] == labels[i] and (sound[move] or not consistent[i, labels[i]]):
                count += np.uint64(1)  # the k-th one replaces those before it with a chance of 1 in k
                if scale_to_range(splitmix64(keys[i], count), count) == 0:
                    rows[i] = move
