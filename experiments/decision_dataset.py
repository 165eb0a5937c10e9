"""Decisions as observations, with the true hidden hands and the later plays of the other seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import derive_key, scale_to_range_array, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices, InformationSet, Moves

SAMPLE_INTERVAL = 5
"""Decisions of one game that are looked at: neighbours hide almost the same hands."""
_MAX_TABLES = 256
_DECISIONS_PER_TABLE = 75
"""Decisions that a table contributes at least: those of several episodes."""


@dataclass(frozen=True)
class DecisionDataset:
    """Columns of n decisions."""

    observation: NDArray[np.uint8]  # [n, features]
    constraints: InformationSet
    hints: NDArray[np.float32]  # [n, others, cards]
    truth: NDArray[np.uint8]  # [n, others, cards]
    played_later: NDArray[np.uint8]  # [n, others, cards] cards played from here to the end of the episode
    hand_size: NDArray[np.int64]  # [n] the observer's own
    episode: Indices  # [n] a number of the episode

    def __len__(self) -> int:
        return len(self.hand_size)

    def at(self, rows: NDArray[Any] | slice) -> DecisionDataset:
        """Select rows."""
        arrays = {name: getattr(self, name)[rows] for name in _ARRAYS}
        return DecisionDataset(constraints=self.constraints.select(rows), **arrays)

    @classmethod
    def concatenate(cls, parts: Sequence[DecisionDataset]) -> DecisionDataset:
        """Concatenate datasets."""
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(constraints=InformationSet.concatenate([part.constraints for part in parts]), **arrays)

    def append(self, other: DecisionDataset) -> DecisionDataset:
        """Append the decisions of other episodes."""
        numbered = other.at(slice(None))
        numbered.episode[...] += self.episode.max() + 1 if len(self) else 0
        return DecisionDataset.concatenate([self, numbered])


_ARRAYS = tuple(field.name for field in fields(DecisionDataset) if field.name != "constraints")

TableChooser = Callable[[Tables, Indices], Indices]
"""Function that selects the tables to collect decisions from."""


class DatasetCollector(NullListener):
    """Listener that collects decisions at tables, and the ends of their episodes."""

    def __init__(self, engine: Engine, tables: int, choose: TableChooser = lambda tables, rows: rows) -> None:
        """Collect decisions at a number of tables, by default all decisions."""
        self._engine, self._choose = engine, choose
        self._seats = np.arange(len(engine.teams), dtype=np.int8)
        self._episode = np.arange(tables)  # [tables] the number of the episode there
        self._next_episode = tables
        self._batches: list[tuple[DecisionDataset, NDArray[np.int8]]] = []
        self._ends: list[tuple[Indices, NDArray[np.uint8]]] = []
        self._num_pending = np.zeros(tables, np.int64)  # [tables] decisions of the episode that is running
        self.num_complete = 0  # decisions whose episodes have ended

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Collect the decisions before the plays change the tables."""
        chosen = self._choose(tables, rows)
        if not chosen.size:
            return
        seen, truth = tables.observe(chosen), tables.hidden_hands(chosen)
        own = seen[:, self._engine.observation_features["hand"]].sum(axis=1, dtype=np.int64)
        known, hints, seat = tables.information_set(chosen), tables.belief_log_odds(chosen), tables.seat[chosen].copy()
        laid = tables.played_by_others(chosen, seat)  # until here; subtracted from the cards played at the end
        self._batches.append((DecisionDataset(seen, known, hints, truth, laid, own, self._episode[chosen]), seat))
        self._num_pending[chosen] += 1

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Store the cards played in the episode, from the view of each seat."""
        laid = [tables.played_by_others(rows, np.full(len(rows), seat)) for seat in self._seats]
        self._ends.append((self._episode[rows], np.stack(laid, axis=1)))
        self._episode[rows] = self._next_episode + np.arange(len(rows))
        self._next_episode += len(rows)
        self.num_complete += int(self._num_pending[rows].sum())
        self._num_pending[rows] = 0

    def to_dataset(self) -> DecisionDataset:
        """Return the decisions of the finished episodes."""
        views = DecisionDataset.concatenate([views for views, _ in self._batches])
        seat = np.concatenate([seats for _, seats in self._batches])
        ended, laid = (np.concatenate(column) for column in zip(*self._ends, strict=True))
        place = np.full(self._next_episode, -1)
        place[ended] = np.arange(len(ended))
        over = place[views.episode] >= 0
        views, seat = views.at(over), seat[over]
        views.played_later[...] = laid[place[views.episode], seat] - views.played_later
        return views


def collect_self_play(engine: Engine, agent: Agent, num_decisions: int, seed: int) -> DecisionDataset:
    """Collect at least ``num_decisions`` decisions of self-play, a sample of one in five."""
    tables = min(_MAX_TABLES, 1 + num_decisions // _DECISIONS_PER_TABLE)

    def choose(playing: Tables, rows: Indices) -> Indices:
        drawn = splitmix64_array(splitmix64_array(playing.keys[rows], playing.num_decisions[rows]), seed)
        return rows[scale_to_range_array(drawn, SAMPLE_INTERVAL) == 0]

    looking = DatasetCollector(engine, tables, choose)
    keys = splitmix64_array(np.full(tables, derive_key(seed), np.uint64), np.arange(tables))
    playing = engine.start_matches(keys, looking)
    playing.batch_rare_steps = True
    while looking.num_complete < num_decisions:
        over = np.flatnonzero(playing.winner != -1)
        if over.size:
            playing.begin_match(over, splitmix64_array(playing.keys[over], 1))
        giving = playing.rows_to_choose()
        if giving.size:
            drawn = splitmix64_array(playing.keys[giving], playing.num_decisions[giving])
            playing.choose(giving, agent.choose(playing.choices(giving), drawn))
        play_rows = playing.rows_to_play()
        drawn = splitmix64_array(playing.keys[play_rows], playing.num_decisions[play_rows])
        playing.play(play_rows, agent.play(playing.decisions(play_rows), drawn))
    return looking.to_dataset()
