"""Decisions of the match of a table, from which every earlier state is replayed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.tables import Listener, ListenerList, Tables
from abl_cards.games.types import ONLY_TABLE
from abl_cards.matches import derive_match_keys
from abl_cards.web.game_log import GameLog
from abl_cards.web.seats import TableDecision

EventWriter = Callable[[str, dict[str, Any]], None]
"""Called with the kind and the data of each event of a table, for its event log."""


class TableHistory:
    """Match of one table, as its seed and the decisions so far.

    Attributes:
        decisions: Decisions of the match, in their order.
        tables: State after these decisions.
        game_log: Events for browsers.
        episode_start: Number of decisions before the current episode.
        event_writer: Writer of the event log, or None.
    """

    decisions: list[TableDecision]
    tables: Tables
    game_log: GameLog
    episode_start: int

    def __init__(self, engine: Engine, seed: int) -> None:
        """Make a history without a match."""
        self.engine, self.seed, self.match_number = engine, seed, 0
        self.event_writer: EventWriter | None = None
        self._write_lock = Lock()  # agents play in threads

    @property
    def _match_keys(self) -> NDArray[np.uint64]:
        return derive_match_keys(self.seed, np.array([self.match_number]), 1)

    def write_event(self, kind: str, data: dict[str, Any]) -> None:
        """Write an event to the log of the table, if it has one."""
        with self._write_lock:
            if self.event_writer is not None:
                self.event_writer(kind, data)

    def stop_writing(self) -> None:
        """Write no more events, once the current one is written: the log may be read again, moved or deleted now.

        An agent that a thread still runs may play on.
        """
        with self._write_lock:
            self.event_writer = None

    def deal(self, listeners: Sequence[object]) -> None:
        """Start the match without decisions; those of the objects that are listeners follow it."""
        self.game_log, self.episode_start = GameLog(self.engine), 0
        followers = [listener for listener in listeners if isinstance(listener, Listener)]
        self.tables = self.engine.start_matches(self._match_keys, ListenerList((self.game_log, *followers)))
        self.tables.record_history()

    def apply(self, index: int, decision: TableDecision) -> bool:
        """Apply the decision of an index; return whether it has ended the episode."""
        episode = int(self.tables.num_episodes[0])
        self.game_log.begin_decision(index)
        replay_decisions(self.tables, [decision])
        has_ended = int(self.tables.num_episodes[0]) != episode
        if has_ended:
            self.episode_start = index + 1
        return has_ended

    def begin_replay(self, index: int) -> Callable[[], Tables]:
        """Return a function that makes the state before the decision of an index, also after later changes."""
        keys, earlier = self._match_keys, self.decisions[:index]

        def replay() -> Tables:
            tables = self.engine.start_matches(keys)
            tables.record_history()
            replay_decisions(tables, earlier)
            return tables

        return replay

    def write_records(self, **fields: Any) -> list[dict[str, Any]]:
        """Return the records of ended episodes, with additional fields."""
        recorder = self.engine.new_recorder(1, **fields)
        replay_decisions(self.engine.start_matches(self._match_keys, recorder), self.decisions)
        return recorder.pop_records(0)


def replay_decisions(tables: Tables, decisions: Sequence[TableDecision]) -> None:
    """Replay decisions at a table."""
    for decision in decisions:
        if decision.moves is None:
            options: NDArray[np.uint8] = np.array([decision.option], np.uint8)
            tables.choose(ONLY_TABLE, options)
        else:
            tables.play(ONLY_TABLE, decision.moves)
