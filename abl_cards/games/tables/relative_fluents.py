"""Fluents as a seat sees them: in keys and values, seats are counted from the observer's, and its team comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.compiled import CompiledGame, argument_sorts
from abl_cards.games.description import SINGLE_VALUED, Fluent
from abl_cards.games.tables.observation_part import SeatViews

_SORTS = ("seat", "team")
Terms = tuple[Term, ...]


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

    def _to_relative(self, observer: int, key: Terms) -> Terms:
        return tuple(
            int(self._distances[sort][observer, int(term)]) if sort in _SORTS else term
            for sort, term in zip(self._key_sorts, key, strict=True)
        )

    @cached_property
    def keys(self) -> Sequence[Terms]:
        """Relative keys, in the order of the keys where these are the same; those of other seats are not observed."""
        found = {key for keys in self._keys_by_observer for key in keys}
        shared = [key for key in self.fluent.keys if key in found]
        return [*shared, *sorted(found.difference(shared), key=str)]

    @cached_property
    def _keys_by_observer(self) -> Sequence[dict[Terms, int]]:
        """Index of the key by relative key, for each observer."""
        return [dict(self._observed_keys(observer)) for observer in range(self.rules.seating.seats)]

    def _observed_keys(self, observer: int) -> Iterator[tuple[Terms, int]]:
        for index, key in enumerate(self.fluent.keys):
            if not self.fluent.is_private or key[0] == observer:
                yield self._to_relative(observer, key), index

    @cached_property
    def key_order(self) -> NDArray[np.int64]:
        """[observers, keys] index of the key that is each relative key; -1 where there is none."""
        order = [[indices.get(key, -1) for key in self.keys] for indices in self._keys_by_observer]
        return np.array(order, np.int64).reshape(len(order), len(self.keys))

    @cached_property
    def value_order(self) -> NDArray[np.int64]:
        """[observers, values] index of the value that is each relative value, for a fluent of one value."""
        if self._sorts[-1] in _SORTS:
            return np.argsort(self._distances[str(self._sorts[-1])], axis=1)
        return np.tile(np.arange(len(self.fluent.values)), (self.rules.seating.seats, 1))

    def read(self, views: SeatViews) -> NDArray[np.int64]:
        """Return the numbers of the fluent at the relative keys.

        Args:
            views: Views of n observers.

        Returns:
            int64 [n, keys].
        """
        order = self.key_order[views.view.seats]
        values = views.fluent_values(self.fluent.first_slot, self.fluent.slots.stop).astype(np.int64)
        return np.where(order < 0, self.fluent.default, np.take_along_axis(values, order, axis=1))
