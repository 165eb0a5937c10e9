"""Which values of what is remembered were met together in play, and whether somebody led or followed by then.

A state may be put together of parts that no play brings together, such as a lock that only a trick can set where
nobody has played. What was met in play says which pairs go together; a state with another pair is taken not to come up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.reading.fluents import COUNT, ONE, Fluent
from abl_cards.games.reading.rules import Rules

MOST_VALUES = 64
"""Values of a fluent that are told apart; of one with more, such as a set of cards, only whether it has any."""


@dataclass
class Situations:
    """Pairs of features [features, features] that some state had."""

    rules: Rules
    together: NDArray[np.bool_] | None = field(default=None, repr=False)
    _remembered: list[NDArray[np.int16]] = field(default_factory=list, repr=False)

    def note(self, decisions: Decisions | Choices) -> None:
        """Add the states of some decisions."""
        view = decisions.view
        self._remembered.append(np.unique(view.state.fluents[view.which], axis=0))
        features = self._features(decisions).astype(np.float32)
        met: NDArray[np.bool_] = (features.T @ features).astype(np.bool_)
        self.together = met if self.together is None else np.logical_or(met, self.together)

    @property
    def fluents(self) -> NDArray[np.int16]:
        """[n, slots] what was remembered in some state, each once."""
        return np.unique(np.concatenate(self._remembered), axis=0)

    def allows(self, decisions: Decisions | Choices) -> NDArray[np.bool_]:
        """[n] whether all pairs of features were met; everything where nothing was noted."""
        if self.together is None:
            return np.ones(len(decisions.which), np.bool_)
        features = self._features(decisions).astype(np.float32)
        strange = ((features @ ~self.together) * features).any(axis=1)
        return np.asarray(~strange)

    def _features(self, decisions: Decisions | Choices) -> NDArray[np.bool_]:
        """[n, features] what is remembered, and where play stands."""
        view = decisions.view
        state, fluents = view.state, view.state.fluents[view.which]
        leading, playing = view.to_beat < 0, isinstance(decisions, Decisions)
        stands = [leading & playing, ~leading & playing, np.full(len(view), not playing), state.acts[view.which] == 0]
        remembered = (column for fluent in self.rules.fluents.fluents for column in _columns(fluent, fluents))
        return np.stack([*stands, *remembered], axis=1)


def _columns(fluent: Fluent, fluents: NDArray[np.int16]) -> Iterator[NDArray[np.bool_]]:
    """The features [n] of a fluent: each of its values, of counts whether they are 0, 1, 2 or more."""
    slots = fluents[:, list(fluent.slots)]
    values = range(-1, len(fluent.values)) if fluent.manner == ONE else range(3 if fluent.manner == COUNT else 2)
    if len(values) * len(fluent.slots) > MOST_VALUES:
        some = (slots != fluent.nothing).any(axis=1)
        yield from (some, ~some)
        return
    for value in values:
        last = fluent.manner == COUNT and value == values[-1]
        yield from (slots >= value if last else slots == value).T
