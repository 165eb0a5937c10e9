"""Listeners: one that hears and does nothing, and several at one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.tables import Indices, Listener, Moves


class Quiet:
    """Hears everything and does nothing; who listens for one thing inherits the rest."""

    def episode_began(self, tables: Any, which: Indices) -> None:
        """Nothing to do."""

    def drew(self, tables: Any, which: Indices) -> None:
        """Nothing to do."""

    def chosen(self, tables: Any, which: Indices, card: NDArray[np.uint8]) -> None:
        """Nothing to do."""

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Nothing to do."""

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Nothing to do."""

    def match_ended(self, tables: Any, which: Indices) -> None:
        """Nothing to do."""


@dataclass(frozen=True)
class Audience:
    """Several listeners, told one after the other."""

    listeners: tuple[Listener, ...]

    @classmethod
    def of(cls, listeners: Sequence[Listener]) -> Listener | None:
        """One listener for many; None for none."""
        return cls(tuple(listeners)) if len(listeners) > 1 else next(iter(listeners), None)

    def episode_began(self, tables: Any, which: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.episode_began(tables, which)

    def drew(self, tables: Any, which: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.drew(tables, which)

    def chosen(self, tables: Any, which: Indices, card: NDArray[np.uint8]) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.chosen(tables, which, card)

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.played(tables, which, moves)

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.episode_ended(tables, which)

    def match_ended(self, tables: Any, which: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.match_ended(tables, which)
