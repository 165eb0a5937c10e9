"""Recorded games as decisions: what the seats could have done, what they did, and what an agent would have done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import Decisions, Engine, GameError, Indices, Moves
from abl_cards.games.audience import Quiet
from abl_cards.records import read_records


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
        open_ = tables.decisions(which[chosen]).legal.sum(axis=0) > 1
        rows = np.flatnonzero(chosen)[open_]
        if rows.size:
            decisions = tables.decisions(which[rows])
            self.show(decisions, decisions.labels_of(moves.form[rows]), which[rows])


@dataclass
class Agreement:
    """How often an agent chooses the label that was played."""

    agent: Agent
    decisions: int = 0
    agreed: int = 0

    def show(self, decisions: Decisions, played: NDArray[np.int16], episode: Indices) -> None:
        """Ask the agent; a random one decides by the number of the decision."""
        keys = np.arange(self.decisions, self.decisions + len(played), dtype=np.uint64)
        moves = self.agent.play(decisions, keys)
        self.decisions += len(played)
        self.agreed += int((decisions.labels_of(moves.form) == played).sum())

    @property
    def share(self) -> float:
        """Of the decisions."""
        return self.agreed / max(1, self.decisions)


def readable(file: Path) -> list[Mapping[str, Any]]:
    """The records of a file; raises GameError at the first line that is none."""
    records: list[Mapping[str, Any]] = []
    for line, record in enumerate(read_records(file), start=1):
        if isinstance(record, GameError):
            raise GameError(f"{file}:{line}: {record}")
        records.append(record)
    return records


def matches_of(records: Sequence[Mapping[str, Any]]) -> NDArray[np.int64]:
    """[records] the number of the match each episode belongs to."""
    first = [not (record.get("tribute") or record.get("anti")) for record in records]  # else one goes before it
    return np.cumsum(first) - 1


def agreement(engine: Engine, records: Sequence[Mapping[str, Any]], agent: Agent, last: int) -> Agreement:
    """Compare an agent with what was played in the last matches of some records."""
    match = matches_of(records)
    result = Agreement(agent)
    engine.replay(records, Watcher(result.show, match > match[-1] - last))
    return result
