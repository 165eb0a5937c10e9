"""Decisions of recorded games, with the moves that were possible and the one that was played."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import Decisions, Listener, NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.matches import (
    find_contest_records,
    find_held_out,
    match_indices,
    read_numbered_records,
    replay_confirmed,
)

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables


@dataclass(frozen=True)
class RecordedEpisodes:
    """Recorded episodes of a file."""

    file: Path
    fingerprint: str  # of the contents of the file
    episodes: list[Mapping[str, Any]]
    lines: Sequence[int]  # of the episodes in the file

    @classmethod
    def load(cls, file: Path | None, game: str) -> RecordedEpisodes:
        """Load the episodes of a file, by default the contest's; raises GameError for invalid records, OSError."""
        there = file or find_contest_records(game)
        lines, episodes = read_numbered_records(there)
        mark = hashlib.sha256(there.read_bytes()).hexdigest()[:16]
        return cls(there, mark, episodes, lines)

    def __len__(self) -> int:
        return len(self.episodes)

    @property
    def match_numbers(self) -> NDArray[np.int64]:
        """Index of the match of each episode: [episodes]."""
        return match_indices(self.episodes)

    def last_matches(self, count: int) -> RecordedEpisodes:
        """Select the last ``count`` matches, or all if there are fewer."""
        return self.select(self._is_last(count))

    def without_last_matches(self, count: int) -> RecordedEpisodes:
        """Select all but the last ``count`` matches."""
        return self.select(~self._is_last(count))

    def select(self, chosen: NDArray[np.bool_]) -> RecordedEpisodes:
        """Select episodes: bool [episodes]."""
        rows = np.flatnonzero(chosen).tolist()
        return replace(self, episodes=[self.episodes[row] for row in rows], lines=[self.lines[row] for row in rows])

    def find_held_out(self, count: int) -> NDArray[np.bool_]:
        """Mark the episodes of the last ``count`` matches; raises GameError where no other is left."""
        return find_held_out(self.episodes, count, self.file)

    def replay(self, engine: Engine, listener: Listener) -> None:
        """Replay all episodes to a listener, each at its own table; raises GameError if one breaks the rules."""
        replay_confirmed(engine, self.episodes, listener, self.file, self.lines)

    def join_decisions(self, parts: Sequence[tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        """Concatenate the columns of parts of the collected decisions; raises GameError if there are none."""
        if not parts:
            raise GameError(f"{self.file}: no decision is looked at; give a larger share", ErrorCode.NO_RECORDS)
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _is_last(self, matches: int) -> NDArray[np.bool_]:
        number = self.match_numbers
        return number > number[-1] - matches


@dataclass
class DecisionListener(NullListener):
    """Listener of a replay that passes on the decisions with more than one legal label.

    ``on_decisions`` receives the decisions, the label played at each, and the episode of each.
    """

    on_decisions: Callable[[Decisions, NDArray[np.int16], Indices], None]
    selected: NDArray[np.bool_] | None = None  # [episodes] selected episodes; None for all

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Select the decisions with more than one legal label, and pass them on."""
        chosen = np.ones(len(rows), bool) if self.selected is None else self.selected[rows]
        if not chosen.any():
            return
        decisions = tables.decisions(rows[chosen])
        open_ = np.flatnonzero(decisions.legal_mask.sum(axis=0) > 1)
        picked = np.flatnonzero(chosen)[open_]
        if picked.size:
            self.on_decisions(decisions.select(open_), decisions.labels_of(moves.form[picked]), rows[picked])
