"""An agent beside recorded experts: whether it chooses what they played, and reaches the score that they reached."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import Engine, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.streams import key_of, mix_all
from experiments.desk import Tell
from experiments.recorded import Records

FIRST = -1
"""The step of the first entry of an episode; the others are counted from its end."""


@dataclass(frozen=True)
class Choices:
    """An agent's choices at all recorded decisions."""

    agrees: NDArray[np.bool_]  # [n] with the label that was played
    passed: NDArray[np.bool_]  # [n] whether the expert passed
    open: NDArray[np.bool_]  # [n] whether more than one label was legal
    number: NDArray[np.int64]  # [n] entries of the episode before this one
    step: NDArray[np.int64]  # [n] entries of the episode from this one on: 1 for the last one

    def shares(self) -> dict[str, float | None]:
        """How often it agrees; None of decisions that there were none of."""
        parts = {"overall": np.ones_like(self.open), "not passed": ~self.passed, "choice": self.open}
        return {name: _share(self.agrees[rows]) for name, rows in parts.items()}

    def at(self, step: int) -> NDArray[np.bool_]:
        """[episodes] whether it agrees so many entries before the end, or with the first one."""
        return self.agrees[self.number == 0 if step == FIRST else self.step == step]


def _share(right: NDArray[np.bool_]) -> float | None:
    return float(right.mean()) if len(right) else None


class Follower(Quiet):
    """Hears a replay: asks the agent at every decision, and copies positions from which it is to play on."""

    def __init__(self, engine: Engine, agent: Agent, records: Records, steps: Collection[int], seed: int) -> None:
        """Copy the positions so many entries before the end."""
        self._engine, self._agent, self._seed = engine, agent, key_of(seed)
        self._length = np.array([len(plays) for plays in engine.plays_of(records.episodes)])
        self._acts = np.zeros(len(records), np.int64)
        self._steps = steps
        self._choices: list[tuple[NDArray[Any], ...]] = []
        self._copies: list[dict[str, NDArray[Any]]] = []
        self._places: list[tuple[NDArray[np.int64], Indices]] = []  # step and episode of the copies
        self._worth = np.zeros((len(records), len(engine.teams)), np.float32)

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Before the recorded move is made."""
        decisions = tables.decisions(which)
        number, step = self._acts[which], self._length[which] - self._acts[which]
        keys = mix_all(mix_all(np.full(len(which), self._seed), which), number)
        mine = decisions.labels_of(self._agent.play(decisions, keys).form)
        theirs = decisions.labels_of(moves.form)
        legal = decisions.legal.sum(axis=0) > 1
        self._choices.append((mine == theirs, theirs == self._engine.traits.pass_label, legal, number, step))
        if FIRST in self._steps:
            self._copy(tables, which[number == 0], np.full((number == 0).sum(), FIRST))
        wanted = np.isin(step, list(self._steps))
        self._copy(tables, which[wanted], step[wanted])
        self._acts[which] += 1

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Note what the episode was worth."""
        self._worth[which] = self._engine.rewards(tables, which)

    def choices(self) -> Choices:
        """Everything the agent was asked."""
        return Choices(*(np.concatenate(column) for column in zip(*self._choices, strict=True)))

    def endings(self, tell: Tell) -> dict[int, NDArray[np.bool_]]:
        """By step: [episodes] whether the agent, on all seats, reaches the recorded score from there."""
        if not self._copies:
            return {}
        saved = {name: np.concatenate([copy[name] for copy in self._copies]) for name in self._copies[0]}
        step, episode = (np.concatenate(column) for column in zip(*self._places, strict=True))
        reached = play_on(self._engine, self._agent, saved, tell)
        right = (reached == self._worth[episode]).all(axis=1)
        return {each: right[step == each] for each in self._steps}

    def _copy(self, tables: Any, which: Indices, step: NDArray[np.int64]) -> None:
        if which.size:
            self._copies.append({name: array[which] for name, array in tables.arrays().items()})
            self._places.append((step, which))


def play_on(engine: Engine, agent: Agent, saved: dict[str, NDArray[Any]], tell: Tell) -> NDArray[np.float32]:
    """[tables, seats] what the episodes are worth that an agent plays to their end from saved positions."""
    count = len(next(iter(saved.values())))
    tables: Tables = engine.tables(np.zeros(count, np.uint64))
    for name, array in tables.arrays().items():
        array[...] = saved[name]
    ends = _Ends(engine, count)
    tables.listener = ends
    while (which := np.flatnonzero(~ends.over)).size:
        keys = mix_all(mix_all(np.zeros(len(which), np.uint64), which), tables.clock[which])
        tables.play(which, agent.play(tables.decisions(which), keys))
        tell(int(ends.over.sum()), "positions played to their end")
    return ends.worth


class _Ends(Quiet):
    def __init__(self, engine: Engine, tables: int) -> None:
        self._engine = engine
        self.over = np.zeros(tables, np.bool_)
        self.worth = np.zeros((tables, len(engine.teams)), np.float32)

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """The first end is the one that counts."""
        self.worth[which] = self._engine.rewards(tables, which)
        self.over[which] = True
