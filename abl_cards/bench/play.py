"""Self-play, and complete move lists."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Keys, Random, agent
from abl_cards.bench.figures import Figure, seconds
from abl_cards.bench.marks import NO_MARKS, Mark, Marks
from abl_cards.games import Choices, Decisions, Engine, Indices, Moves, Tables
from abl_cards.streams import key_of, mix_all

TABLES = 4096
KB_TABLES = 1024


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    repetitions: int
    seconds: float  # of each repetition of self-play
    hands: int  # of each repetition of move lists
    decisions: int  # of an agent alone at its table


QUICK = Effort(repetitions=3, seconds=0.3, hands=1024, decisions=500)
FULL = Effort(repetitions=5, seconds=1.0, hands=2048, decisions=2000)
EPISODE = 350
"""Decisions of about one episode of random play."""


def figures(engine: Engine, effort: Effort, marks: Marks = NO_MARKS) -> list[Figure]:
    """Decisions, hands and moves a second, on all cores, beside what the game wants and others reach."""
    room = Room(engine, TABLES)
    room.spread(Random(), EPISODE)
    label = _pace(room, Random(), effort)
    listed = _pace(room, FromList(), effort)
    kb = _kb(engine, effort)
    return [
        _figure(f"random self-play by label, {TABLES:,} tables", label, "decisions/s", marks.get("labels")),
        _figure("… every legal card set listed", listed, "decisions/s", marks.get("lists")),
        *full_hands(engine, effort, marks.get("full_hands")),
        _figure(f"agent kb against itself, {KB_TABLES:,} tables", kb, "decisions/s", marks.get("kb")),
        *alone(engine, effort.decisions, marks.get("alone")),
    ]


def _figure(what: str, value: float, unit: str, mark: Mark | None, at_most: bool = False) -> Figure:
    if mark is None:
        return Figure(what, value, unit)
    return Figure(what, value, unit, mark.target, at_most, mark.others)


def _kb(engine: Engine, effort: Effort) -> float:
    """Every legal card set listed, its plays left counted and its preferences weighed, in the middle of games."""
    room, kb = Room(engine, KB_TABLES), agent("kb", engine)
    room.spread(Random(), EPISODE)
    return _pace(room, kb, effort)


def alone(engine: Engine, decisions: int, mark: Mark | None = None) -> list[Figure]:
    """A decision of kb where nobody else decides, as at a served table: choosing the move and laying it down.

    Whole games from their first decision on, tributes and returns among them.
    """
    room, kb = Room(engine, 1), agent("kb", engine)
    for _ in range(EPISODE):
        room.step(kb)
    room = Room(engine, 1)
    times = sorted(1000 * seconds(lambda: room.step(kb)) for _ in range(decisions))
    return [
        _figure("agent kb alone at a table, a decision", median(times), "ms", mark, at_most=True),
        Figure("… one in a hundred takes longer than", times[-1 - decisions // 100], "ms"),
    ]


def full_hands(engine: Engine, effort: Effort, mark: Mark | None = None) -> list[Figure]:
    """The complete lists of hands that lead with all their cards."""
    hands, moves = [], []
    engine.sample_leads(effort.hands, seed=0).moves()
    for repetition in range(effort.repetitions):
        decisions = engine.sample_leads(effort.hands, seed=repetition + 1)
        begin = time.perf_counter()
        lists = decisions.moves()
        passed = time.perf_counter() - begin
        hands.append(effort.hands / passed)
        moves.append(len(lists.form) / passed)
    return [
        _figure("complete lists of leading full hands", median(hands), "hands/s", mark),
        Figure("… card sets in them", median(moves), "moves/s"),
    ]  # fmt: skip


class FromList:
    """Uniform over the complete list of legal moves: how an engine without labels plays."""

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """Lists everything, takes one each."""
        lists = decisions.moves()
        lengths = np.diff(lists.start).astype(np.uint64)
        chosen = lists.start[:-1] + (((keys >> np.uint64(32)) * lengths) >> np.uint64(32)).astype(np.int64)
        return Moves(lists.form[chosen], lists.cards[chosen])

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The first card each."""
        return choices.options.argmax(axis=1).astype(np.uint8)


class Room:
    """Tables that never stop: where a match is over, the next one is dealt."""

    def __init__(self, engine: Engine, tables: int) -> None:
        """Deal so many matches."""
        self._fresh = tables
        self.tables: Tables = engine.tables(mix_all(np.full(tables, key_of(1), np.uint64), np.arange(tables)))
        self.tables.patient = True

    def step(self, agent: Agent, awake: NDArray[np.bool_] | None = None) -> int:
        """A decision at each table that is awake; returns how many were made."""
        tables, done = self.tables, 0
        choosing = _among(tables.choosing(), awake)
        if choosing.size:
            tables.choose(choosing, agent.choose(tables.choices(choosing), self._keys(choosing)))
        playing = _among(tables.playing(), awake)
        if playing.size:
            tables.play(playing, agent.play(tables.decisions(playing), self._keys(playing)))
        done = len(choosing) + len(playing)
        over = np.flatnonzero(tables.winner != -1)
        if over.size:
            tables.begin_match(over, mix_all(tables.keys[over], np.arange(self._fresh, self._fresh + len(over))))
            self._fresh += len(over)
        return done

    def spread(self, agent: Agent, steps: int) -> None:
        """Let the tables start one after another: they shall not all lead at once, nor end."""
        starts = np.arange(len(self.tables)) % steps
        for step in range(steps):
            self.step(agent, starts <= step)

    def pace(self, agent: Agent, seconds: float) -> float:
        """Decisions a second over this time."""
        done, begin = 0, time.perf_counter()
        while (passed := time.perf_counter() - begin) < seconds:
            done += self.step(agent)
        return done / passed

    def _keys(self, which: Indices) -> Keys:
        return mix_all(self.tables.keys[which], self.tables.clock[which])


def _among(which: Indices, awake: NDArray[np.bool_] | None) -> Indices:
    return which if awake is None else which[awake[which]]


def _pace(room: Room, agent: Agent, effort: Effort) -> float:
    for _ in range(3):
        room.step(agent)
    return median(room.pace(agent, effort.seconds) for _ in range(effort.repetitions))
