"""Which values of what is remembered were met together in play, and whether somebody led or followed by then.

A state may be put together of parts that no play brings together, such as a lock that only a trick can set where
nobody has played. What was met in play says which pairs go together; a state with another pair is taken not to come up.
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
"""Values of a fluent that are told apart; of one with more, such as a set of cards, only whether it has any."""


class SituationSet:
    """Pairs of features [features, features] that some state had."""

    def __init__(self, rules: CompiledGame) -> None:
        """Nothing is noted yet."""
        self.rules = rules
        self._recorded: list[tuple[NDArray[np.int16], NDArray[np.bool_]]] = []  # fluents [n, slots], standings [n, 4]

    def add(self, decisions: Decisions | Choices) -> None:
        """Add the states of some decisions."""
        view = decisions.view
        self._recorded.append((view.state.fluents[view.rows], _compute_phase_features(decisions)))

    @cached_property
    def _unique(self) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """What was noted, each once; read after the last note."""
        both = [np.concatenate(parts) for parts in zip(*self._recorded, strict=True)]
        rows = np.ascontiguousarray(np.concatenate([both[0], both[1].astype(np.int16)], axis=1))
        _, first = np.unique(rows.view(np.dtype((np.void, rows.shape[1] * 2)))[:, 0], return_index=True)
        return both[0][first], both[1][first]

    @cached_property
    def fluents(self) -> NDArray[np.int16]:
        """[n, slots] what was remembered in some state, each once."""
        return np.unique(self._unique[0], axis=0)

    @cached_property
    def cooccurrence(self) -> NDArray[np.bool_]:
        """[features, features] whether some state had both."""
        features = self._features(*self._unique).astype(np.float32)
        return np.asarray((features.T @ features).astype(np.bool_))

    def covers(self, decisions: Decisions | Choices) -> NDArray[np.bool_]:
        """[n] whether all pairs of features were met; everything where nothing was noted."""
        if not self._recorded:
            return np.ones(len(decisions.rows), np.bool_)
        view = decisions.view
        features = self._features(view.state.fluents[view.rows], _compute_phase_features(decisions)).astype(np.float32)
        strange = ((features @ ~self.cooccurrence) * features).any(axis=1)
        return np.asarray(~strange)

    def _features(self, fluents: NDArray[np.int16], phases: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """[n, features] where play stands, and what is remembered."""
        remembered = (
            column for fluent in self.rules.fluents.fluents for column in _iter_fluent_features(fluent, fluents)
        )
        return np.stack([*phases.T, *remembered], axis=1)


def _compute_phase_features(decisions: Decisions | Choices) -> NDArray[np.bool_]:
    """[n, 4] whether a seat leads, answers, or chooses, and whether nobody has acted yet."""
    view = decisions.view
    leading, playing = view.to_beat < 0, isinstance(decisions, Decisions)
    begun = view.state.num_acts[view.rows] == 0
    return np.stack([leading & playing, ~leading & playing, np.full(len(view), not playing), begun], axis=1)


def _iter_fluent_features(fluent: Fluent, fluents: NDArray[np.int16]) -> Iterator[NDArray[np.bool_]]:
    """The features [n] of a fluent: each of its values, of counts whether they are 0, 1, 2 or more."""
    slots = fluents[:, list(fluent.slots)]
    values = (
        range(-1, len(fluent.values))
        if fluent.value_type == SINGLE_VALUED
        else range(3 if fluent.value_type == COUNTER else 2)
    )
    if len(values) * len(fluent.slots) > MAX_VALUES:
        some = (slots != fluent.default).any(axis=1)
        yield from (some, ~some)
        return
    for value in values:
        last = fluent.value_type == COUNTER and value == values[-1]
        yield from (slots >= value if last else slots == value).T
