"""Recorded games as decisions: what the seats could have done, and what they did."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Indices, Listener, Moves
from abl_cards.games.audience import Quiet
from abl_cards.records import contest_records, matches_of, readable


@dataclass(frozen=True)
class Records:
    """Recorded episodes, and where they come from."""

    file: Path
    mark: str  # of the contents of the file
    episodes: list[Mapping[str, Any]]

    @classmethod
    def of(cls, file: Path | None, game: str) -> Records:
        """Those of a file, of the contest by default; raises GameError for what is no record, OSError."""
        there = file or contest_records(game)
        return cls(there, hashlib.sha256(there.read_bytes()).hexdigest()[:16], readable(there))

    def __len__(self) -> int:
        return len(self.episodes)

    @property
    def matches(self) -> NDArray[np.int64]:
        """[episodes] the number of the match each belongs to."""
        return matches_of(self.episodes)

    def last(self, matches: int) -> Records:
        """The last matches, or all where there are fewer."""
        return self._some(self._is_last(matches))

    def without_last(self, matches: int) -> Records:
        """The other ones."""
        return self._some(~self._is_last(matches))

    def watch(self, engine: Engine, listener: Listener) -> None:
        """Let somebody hear all episodes, each at a table of its own; raises GameError where one breaks the rules."""
        wrong = engine.replay(self.episodes, listener).disagreements if self.episodes else ()
        if wrong:
            raise GameError(f"{self.file}: {wrong[0].text} ({len(wrong)} episodes that the rules do not confirm)")

    def _is_last(self, matches: int) -> NDArray[np.bool_]:
        number = self.matches
        return number > number[-1] - matches

    def _some(self, chosen: NDArray[np.bool_]) -> Records:
        return Records(self.file, self.mark, [self.episodes[row] for row in np.flatnonzero(chosen)])


@dataclass
class Watcher(Quiet):
    """Listens to a replay and shows the decisions with more than one legal label.

    ``show`` is given the decisions, the label played at each, and the episode of each.
    """

    show: Callable[[Decisions, NDArray[np.int16], Indices], None]
    wanted: NDArray[np.bool_] | None = None  # [episodes] which to show, all by default

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Pick the decisions that were decisions."""
        chosen = np.ones(len(which), bool) if self.wanted is None else self.wanted[which]
        if not chosen.any():
            return
        decisions = tables.decisions(which[chosen])
        open_ = np.flatnonzero(decisions.legal.sum(axis=0) > 1)
        picked = np.flatnonzero(chosen)[open_]
        if picked.size:
            self.show(decisions.at(open_), decisions.labels_of(moves.form[picked]), which[picked])
