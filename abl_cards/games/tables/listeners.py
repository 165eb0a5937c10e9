"""Listeners of events at tables: the protocol, an implementation that does nothing, and a list of listeners."""

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
    """Protocol of objects that are notified of events at tables in order: recorders, servers, displays."""

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Handle a deal, before any card is exchanged.

        Args:
            tables: All tables.
            rows: int64 [n], tables where cards were dealt.
        """

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Handle a draw: the seats to decide have drawn the cards that ``card_drawn`` returns.

        Args:
            tables: All tables.
            rows: int64 [n], tables where a card was drawn.
        """

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Handle choices of the seats to decide, before they take effect.

        Args:
            tables: All tables.
            rows: int64 [n], tables where a seat chooses.
            options: uint8 [n], chosen options, indices of ``InputSchema.options``.
        """

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Handle plays and passes of the seats to decide, before they take effect.

        Args:
            tables: All tables.
            rows: int64 [n], tables where a seat acts.
            moves: The n moves; composed plays are complete.
        """

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Handle the end of an episode, when it is scored and fluents are still those of the episode.

        Args:
            tables: All tables.
            rows: int64 [n], tables whose episode is over.
        """

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Handle the end of a match, when the winner is set.

        Args:
            tables: All tables.
            rows: int64 [n], tables whose match is over.
        """


@runtime_checkable
class RetractionListener(Protocol):
    """Protocol of listeners that are also notified when rules take cards back from a play (``takes_back/3``)."""

    def on_retraction(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Handle plays that lost cards after they were shown, right after ``on_play`` for the shown plays.

        Args:
            tables: All tables.
            rows: int64 [n], tables where cards were taken back.
            moves: The n plays as they count.
        """


class NullListener:
    """Listener that does nothing, as a base class of listeners for some of the events."""

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Ignore a deal."""

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Ignore a draw."""

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Ignore choices."""

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Ignore plays."""

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Ignore the end of an episode."""

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Ignore the end of a match."""


@dataclass(frozen=True)
class ListenerList:
    """Listener that passes each event to several listeners in order."""

    listeners: tuple[Listener, ...]

    @classmethod
    def combine(cls, listeners: Sequence[Listener]) -> Listener | None:
        """Combine listeners into one.

        Args:
            listeners: Any number of listeners.

        Returns:
            None for none, the listener itself for one, else a list of them.
        """
        return cls(tuple(listeners)) if len(listeners) > 1 else next(iter(listeners), None)

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Pass a deal to all listeners."""
        for listener in self.listeners:
            listener.on_episode_start(tables, rows)

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Pass a draw to all listeners."""
        for listener in self.listeners:
            listener.on_draw(tables, rows)

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Pass choices to all listeners."""
        for listener in self.listeners:
            listener.on_choice(tables, rows, options)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Pass plays to all listeners."""
        for listener in self.listeners:
            listener.on_play(tables, rows, moves)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Pass the end of an episode to all listeners."""
        for listener in self.listeners:
            listener.on_episode_end(tables, rows)

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Pass the end of a match to all listeners."""
        for listener in self.listeners:
            listener.on_match_end(tables, rows)

    def on_retraction(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Pass retracted plays to the listeners that are notified of them."""
        for listener in self.listeners:
            if isinstance(listener, RetractionListener):
                listener.on_retraction(tables, rows, moves)


class Recorder(Listener, Protocol):
    """Listener that records matches."""

    def pop_records(self, table: int) -> list[dict[str, Any]]:
        """Return and remove the records of a match.

        Args:
            table: Index of the table.

        Returns:
            The finished episodes of the match as JSON objects.
        """
