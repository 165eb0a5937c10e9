"""Fluents as a seat sees them: in keys and values, seats are counted from the observer's, and its team comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.compiled import CompiledGame, argument_sorts
from abl_cards.games.description import SINGLE_VALUED, Fluent, Terms
from abl_cards.games.tables.observation_part import SeatViews

ABSENT = -2
"""Index of a key or a value that an observer never sees; no number of a fluent of one value."""
_SORTS = ("seat", "team")
T = TypeVar("T")


@dataclass(frozen=True)
class RelativeFluent:
    """Fluent with the seats and teams of its keys and values relative to an observer.

    A seat becomes the number of turns from the observer to it. Teams are numbered in the order of their first seats
    from the observer on.

    Attributes:
        rules: Compiled rules.
        fluent: Fluent of the game.
    """

    rules: CompiledGame
    fluent: Fluent

    @cached_property
    def _sorts(self) -> tuple[str | None, ...]:
        """Sorts of the arguments; the first of a private fluent is the seat that knows it."""
        sorts = argument_sorts(self.rules)[self.fluent.signature]
        return ("seat", *sorts[1:]) if self.fluent.is_private else sorts

    @cached_property
    def _key_sorts(self) -> tuple[str | None, ...]:
        return self._sorts[: len(self.fluent.keys[0])] if self.fluent.keys else ()

    @property
    def key_is_seat(self) -> bool:
        """True if each seat has a value."""
        return self._key_sorts == ("seat",)

    @cached_property
    def relative_sorts(self) -> frozenset[str]:
        """Sorts among "seat" and "team" of arguments that are relative."""
        sorts = self._sorts if self.fluent.value_type == SINGLE_VALUED else self._key_sorts
        return frozenset(sort for sort in sorts if sort in _SORTS)

    @cached_property
    def _distances(self) -> dict[str, NDArray[np.int64]]:
        """Relative number [observers, numbers] of each seat and team."""
        seating = self.rules.seating
        teams_in_order = [dict.fromkeys(np.array(seating.teams)[order].tolist()) for order in seating.play_order]
        return {"seat": seating.turn_distance, "team": np.argsort([list(teams) for teams in teams_in_order], axis=1)}

    def _to_relative(self, observer: int, sort: str | None, term: Term) -> Term:
        """Return a seat or a team relative to the observer, and any other term as it is."""
        if sort not in _SORTS or not isinstance(term, int):
            return term
        distances = self._distances[sort][observer]
        return int(distances[term]) if 0 <= term < len(distances) else term

    @cached_property
    def _keys_by_observer(self) -> list[dict[Terms, int]]:
        """Index of the key by relative key, for each observer; keys of other seats are left out of a private fluent."""
        return [
            {
                tuple(map(partial(self._to_relative, observer), self._key_sorts, key)): index
                for index, key in enumerate(self.fluent.keys)
                if not self.fluent.is_private or key[0] == observer
            }
            for observer in range(self.rules.seating.seats)
        ]

    @cached_property
    def keys(self) -> list[Terms]:
        """Relative keys, in the order of the fluent's where they are the same."""
        return _list_relative(self._keys_by_observer, self.fluent.keys)

    @cached_property
    def key_order(self) -> NDArray[np.int64]:
        """[observers, keys] index of the key that is each relative key; ``ABSENT`` where there is none."""
        return _list_indices(self._keys_by_observer, self.keys)

    @cached_property
    def value_order(self) -> NDArray[np.int64]:
        """[observers, values] index of the value that is each relative value; ``ABSENT`` where there is none."""
        values_by_observer = [
            {
                self._to_relative(observer, self._sorts[-1], value): index
                for index, value in enumerate(self.fluent.values)
            }
            for observer in range(self.rules.seating.seats)
        ]
        return _list_indices(values_by_observer, _list_relative(values_by_observer, self.fluent.values))

    def read(self, views: SeatViews) -> NDArray[np.int16]:
        """Return the numbers of the fluent at the relative keys.

        Args:
            views: Views of n observers.

        Returns:
            int16 [n, keys].
        """
        values = views.fluent_values(self.fluent.first_slot, self.fluent.slots.stop)
        if self._keeps_keys:
            return values
        order = self.key_order[views.view.seats]
        return np.where(order == ABSENT, np.int16(self.fluent.default), np.take_along_axis(values, order, axis=1))

    @cached_property
    def _keeps_keys(self) -> bool:
        """True if each observer sees the keys in the order of the fluent's."""
        order = np.arange(len(self.fluent.keys))
        return self.key_order.shape[1] == len(order) and bool((self.key_order == order).all())


def _list_relative(indices_by_observer: Sequence[Mapping[T, int]], terms: Sequence[T]) -> list[T]:
    """Return all relative terms of observers: those among ``terms`` in that order, then others."""
    found = {term for indices in indices_by_observer for term in indices}
    shared = [term for term in terms if term in found]
    return [*shared, *sorted(found.difference(shared), key=str)]


def _list_indices(indices_by_observer: Sequence[Mapping[T, int]], terms: Sequence[T]) -> NDArray[np.int64]:
    """Return the index of each relative term for each observer [observers, terms]."""
    order = [[indices.get(term, ABSENT) for term in terms] for indices in indices_by_observer]
    return np.array(order, np.int64).reshape(len(order), len(terms))
