"""Listeners: one that hears and does nothing, and several at one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import Indices, Listener, Moves


class NullListener:
    """Hears everything and does nothing; who listens for one thing inherits the rest."""

    def on_episode_start(self, tables: Any, rows: Indices) -> None:
        """Nothing to do."""

    def on_draw(self, tables: Any, rows: Indices) -> None:
        """Nothing to do."""

    def on_choice(self, tables: Any, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Nothing to do."""

    def on_play(self, tables: Any, rows: Indices, moves: Moves) -> None:
        """Nothing to do."""

    def on_episode_end(self, tables: Any, rows: Indices) -> None:
        """Nothing to do."""

    def on_match_end(self, tables: Any, rows: Indices) -> None:
        """Nothing to do."""


@dataclass(frozen=True)
class ListenerList:
    """Several listeners, told one after the other."""

    listeners: tuple[Listener, ...]

    @classmethod
    def combine(cls, listeners: Sequence[Listener]) -> Listener | None:
        """One listener for many; None for none."""
        return cls(tuple(listeners)) if len(listeners) > 1 else next(iter(listeners), None)

    def on_episode_start(self, tables: Any, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_episode_start(tables, rows)

    def on_draw(self, tables: Any, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_draw(tables, rows)

    def on_choice(self, tables: Any, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_choice(tables, rows, options)

    def on_play(self, tables: Any, rows: Indices, moves: Moves) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_play(tables, rows, moves)

    def on_episode_end(self, tables: Any, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_episode_end(tables, rows)

    def on_match_end(self, tables: Any, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_match_end(tables, rows)
