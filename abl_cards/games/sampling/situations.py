"""Situations that occur in play: pairs of fluent values and phases of play that some recorded state had.

Random states may combine values that never occur together, such as a lock that only a trick can set before the first
play. A state with a pair of features that no recorded state had counts as unreachable.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, SINGLE_VALUED, Fluent
from abl_cards.games.tables import Choices, Decisions

MAX_VALUES = 64
"""Most features of a fluent; one with more, such as a set of cards, has one feature: a value other than the default."""


class SituationSet:
    """Pairs of features that occur together in recorded states."""

    def __init__(self, rules: CompiledGame) -> None:
        """Make an empty set.

        Args:
            rules: Compiled rules.
        """
        self.rules = rules
        self._recorded: list[tuple[NDArray[np.int16], NDArray[np.bool_]]] = []  # fluents [n, slots], phases [n, 4]

    def add(self, decisions: Decisions | Choices) -> None:
        """Add the states of decisions; all of them before any other member is read.

        Args:
            decisions: n decisions or choices.
        """
        view = decisions.view
        self._recorded.append((view.state.fluents[view.rows], _compute_phase_features(decisions)))

    @cached_property
    def _unique(self) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Distinct recorded fluents and phases."""
        arrays = [np.concatenate(parts) for parts in zip(*self._recorded, strict=True)]
        rows = np.ascontiguousarray(np.concatenate([arrays[0], arrays[1].astype(np.int16)], axis=1))
        _, first = np.unique(rows.view(np.dtype((np.void, rows.shape[1] * 2)))[:, 0], return_index=True)
        return arrays[0][first], arrays[1][first]

    @cached_property
    def fluents(self) -> NDArray[np.int16]:
        """Distinct recorded fluents [n, slots]."""
        return np.unique(self._unique[0], axis=0)

    @cached_property
    def cooccurrence(self) -> NDArray[np.bool_]:
        """Pairs of features that some recorded state had, bool [features, features]."""
        features = self._features(*self._unique).astype(np.float32)
        return np.asarray((features.T @ features).astype(np.bool_))

    def covers(self, decisions: Decisions | Choices) -> NDArray[np.bool_]:
        """Return which states have only recorded pairs of features.

        Args:
            decisions: n decisions or choices.

        Returns:
            bool [n]; all True if nothing was recorded.
        """
        if not self._recorded:
            return np.ones(len(decisions.rows), np.bool_)
        view = decisions.view
        features = self._features(view.state.fluents[view.rows], _compute_phase_features(decisions)).astype(np.float32)
        is_unrecorded = ((features @ ~self.cooccurrence) * features).any(axis=1)
        return np.asarray(~is_unrecorded)

    def _features(self, fluents: NDArray[np.int16], phases: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the features of phases and fluents, bool [n, features]."""
        fluent_features = (
            column for fluent in self.rules.fluents.fluents for column in _iter_fluent_features(fluent, fluents)
        )
        return np.stack([*phases.T, *fluent_features], axis=1)


def _compute_phase_features(decisions: Decisions | Choices) -> NDArray[np.bool_]:
    """Return bool [n, 4]: the seat leads, it follows, it chooses an option, no seat has acted yet."""
    view = decisions.view
    is_leading, is_play = view.to_beat < 0, isinstance(decisions, Decisions)
    is_first_act = view.state.num_acts[view.rows] == 0
    return np.stack(
        [is_leading & is_play, ~is_leading & is_play, np.full(len(view), not is_play), is_first_act], axis=1
    )


def _iter_fluent_features(fluent: Fluent, fluents: NDArray[np.int16]) -> Iterator[NDArray[np.bool_]]:
    """Yield the features [n] of a fluent: one for each value, of counters for 0, 1, and 2 or more."""
    slots = fluents[:, list(fluent.slots)]
    values = (
        range(-1, len(fluent.values))
        if fluent.value_type == SINGLE_VALUED
        else range(3 if fluent.value_type == COUNTER else 2)
    )
    if len(values) * len(fluent.slots) > MAX_VALUES:
        is_set = (slots != fluent.default).any(axis=1)
        yield from (is_set, ~is_set)
        return
    for value in values:
        is_last = fluent.value_type == COUNTER and value == values[-1]
        yield from (slots >= value if is_last else slots == value).T
