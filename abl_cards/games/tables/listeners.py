"""Listeners of what happens at tables: the protocol, one that does nothing, and several as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.types import Indices, Moves

if TYPE_CHECKING:
    from abl_cards.games.tables.tables import Tables


@runtime_checkable
class Listener(Protocol):
    """Somebody who is told what happens at the tables, in order: a recorder, a server, a display."""

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Cards are dealt; nothing has been paid yet."""

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """The seats to decide have drawn the cards that ``card_drawn`` names."""

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """The seats to decide are about to choose these options: a card to pay, a bid."""

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """The seats to decide are about to make these moves."""

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """The order of finish is complete; levels are still those of the episode."""

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """The winner is known."""


class NullListener:
    """Hears everything and does nothing; who listens for one thing inherits the rest."""

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Nothing to do."""

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Nothing to do."""

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Nothing to do."""

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Nothing to do."""

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Nothing to do."""

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Nothing to do."""


@dataclass(frozen=True)
class ListenerList:
    """Several listeners, told one after the other."""

    listeners: tuple[Listener, ...]

    @classmethod
    def combine(cls, listeners: Sequence[Listener]) -> Listener | None:
        """One listener for many; None for none."""
        return cls(tuple(listeners)) if len(listeners) > 1 else next(iter(listeners), None)

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_episode_start(tables, rows)

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_draw(tables, rows)

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_choice(tables, rows, options)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_play(tables, rows, moves)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_episode_end(tables, rows)

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener.on_match_end(tables, rows)


class Recorder(Listener, Protocol):
    """A listener that writes matches down."""

    def pop_records(self, table: int) -> list[dict[str, Any]]:
        """The finished episodes of the match at a table as JSON objects; forgets them."""
