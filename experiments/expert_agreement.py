"""Agreement of an agent with recorded experts: choices, and scores of episodes played on from their positions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import derive_key, splitmix64_array
from abl_cards.experiments.recorded_decisions import RecordedEpisodes
from abl_cards.experiments.workspace import ProgressCallback
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices, Moves

FIRST_ENTRY = -1
"""The step of the first entry of an episode; the others are counted from its end."""


@dataclass(frozen=True)
class ExpertAgreement:
    """Choices of an agent at all recorded decisions."""

    agrees: NDArray[np.bool_]  # [n] with the label that was played
    expert_passed: NDArray[np.bool_]  # [n] whether the expert passed
    has_choice: NDArray[np.bool_]  # [n] whether more than one label was legal
    num_before: NDArray[np.int64]  # [n] entries of the episode before this one
    num_left: NDArray[np.int64]  # [n] entries of the episode from this one on: 1 for the last one

    def shares(self) -> dict[str, float | None]:
        """Return the shares of agreement; None for kinds without decisions."""
        parts = {"overall": np.ones_like(self.has_choice), "not passed": ~self.expert_passed, "choice": self.has_choice}
        return {name: _share(self.agrees[rows]) for name, rows in parts.items()}

    def agrees_at(self, step: int) -> NDArray[np.bool_]:
        """Return bool [episodes], agreement at a number of entries before the end, or at the first entry."""
        return self.agrees[self.num_before == 0 if step == FIRST_ENTRY else self.num_left == step]


def _share(right: NDArray[np.bool_]) -> float | None:
    return float(right.mean()) if len(right) else None


class AgreementListener(NullListener):
    """Listener of a replay that queries the agent at every decision and copies positions to play on from."""

    def __init__(
        self, engine: Engine, agent: Agent, records: RecordedEpisodes, steps: Collection[int], seed: int
    ) -> None:
        """Copy the positions so many entries before the end."""
        self._engine, self._agent, self._seed = engine, agent, derive_key(seed)
        self._length = np.array([len(plays) for plays in engine.find_play_acts(records.episodes)])
        self._num_entries = np.zeros(len(records), np.int64)
        self._steps = steps
        self._comparisons: list[tuple[NDArray[Any], ...]] = []
        self._snapshots: list[dict[str, NDArray[Any]]] = []
        self._snapshot_positions: list[tuple[NDArray[np.int64], Indices]] = []  # step and episode of the copies
        self._rewards = np.zeros((len(records), len(engine.teams)), np.float32)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Compare the agent's choice with the recorded move before it is made."""
        decisions = tables.decisions(rows)
        number, step = self._num_entries[rows], self._length[rows] - self._num_entries[rows]
        keys = splitmix64_array(splitmix64_array(np.full(len(rows), self._seed), rows), number)
        mine = decisions.labels_of(self._agent.play(decisions, keys).form)
        theirs = decisions.labels_of(moves.form)
        legal = decisions.legal_mask.sum(axis=0) > 1
        self._comparisons.append((mine == theirs, theirs == self._engine.label_traits.pass_label, legal, number, step))
        if FIRST_ENTRY in self._steps:
            self._copy(tables, rows[number == 0], np.full((number == 0).sum(), FIRST_ENTRY))
        in_steps = np.isin(step, list(self._steps))
        self._copy(tables, rows[in_steps], step[in_steps])
        self._num_entries[rows] += 1

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the rewards of the episode."""
        self._rewards[rows] = self._engine.rewards(tables, rows)

    def agreement(self) -> ExpertAgreement:
        """Return the agreement over all decisions."""
        return ExpertAgreement(*(np.concatenate(column) for column in zip(*self._comparisons, strict=True)))

    def predict_scores(self, on_progress: ProgressCallback) -> dict[int, NDArray[np.bool_]]:
        """Return bool [episodes] by step: the agent, on all seats, reaches the recorded score from there."""
        if not self._snapshots:
            return {}
        saved = {name: np.concatenate([copy[name] for copy in self._snapshots]) for name in self._snapshots[0]}
        step, episode = (np.concatenate(column) for column in zip(*self._snapshot_positions, strict=True))
        reached = play_to_end(self._engine, self._agent, saved, on_progress)
        right = (reached == self._rewards[episode]).all(axis=1)
        return {number: right[step == number] for number in self._steps}

    def _copy(self, tables: Tables, rows: Indices, step: NDArray[np.int64]) -> None:
        if rows.size:
            self._snapshots.append({name: array[rows] for name, array in tables.arrays().items()})
            self._snapshot_positions.append((step, rows))


def play_to_end(
    engine: Engine, agent: Agent, snapshots: dict[str, NDArray[Any]], on_progress: ProgressCallback
) -> NDArray[np.float32]:
    """Let the agent play saved positions to the end; returns the rewards [tables, seats]."""
    count = len(next(iter(snapshots.values())))
    tables: Tables = engine.start_matches(np.zeros(count, np.uint64))
    for name, array in tables.arrays().items():
        array[...] = snapshots[name]
    ends = _EpisodeEndListener(engine, count)
    tables.listener = ends
    while (rows := np.flatnonzero(~ends.is_over)).size:
        keys = splitmix64_array(splitmix64_array(np.zeros(len(rows), np.uint64), rows), tables.num_decisions[rows])
        tables.play(rows, agent.play(tables.decisions(rows), keys))
        on_progress(int(ends.is_over.sum()), "positions played to their end")
    return ends.rewards


class _EpisodeEndListener(NullListener):
    def __init__(self, engine: Engine, tables: int) -> None:
        self._engine = engine
        self.is_over = np.zeros(tables, np.bool_)
        self.rewards = np.zeros((tables, len(engine.teams)), np.float32)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the rewards of the ended episodes."""
        self.rewards[rows] = self._engine.rewards(tables, rows)
        self.is_over[rows] = True
