"""Records played again, many at once at tables of their own, and compared line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, TableError
from abl_cards.games.notation.match_moves import find_options, find_plays
from abl_cards.games.notation.records import Record, initial_deals, lasting_fluents_json, read_record, winner_json
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import Listener, Tables
from abl_cards.games.types import Moves, ReplayMismatch, ReplayResult


def replay_records(
    rules: CompiledGame,
    records: Sequence[Mapping[str, Any] | GameError],
    listener: Listener | None = None,
    carry_over: dict[str, Any] | None = None,
) -> ReplayResult:
    """Replay records, one per line, in parallel; a listener is notified of every episode at a table of its own.

    Each record is self-contained, so nothing is kept between chunks of a file. A record on which the rules get stuck is
    reported and the others are replayed; with a listener, which has received its events already, it is an error.
    """
    lines: list[int] = []
    read: list[Record] = []
    wrong: dict[int, str] = {}
    for line, record in enumerate(records, start=1):
        try:
            if isinstance(record, GameError):
                raise record
            read.append(read_record(rules, record))
            lines.append(line)
        except GameError as problem:
            wrong[line] = str(problem)
    plays = sum(len(record.acts) for record in read)
    if read:
        try:
            again = Replayer(rules, read, listener)
            again.run()
        except TableError as problem:
            raise GameError(f"line {lines[problem.table]}: {problem}", ErrorCode.RULES_STUCK) from None
        wrong |= {lines[table]: text for table, text in again.errors.items()}
        plays -= int((again.tables.num_decisions - again.tables.state.num_acts).sum())  # choices are no plays
    return ReplayResult(len(records), plays, tuple(ReplayMismatch(line, text) for line, text in sorted(wrong.items())))


def match_states_after(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | GameError]:
    """Return the match state after each record, with its end; or the error of the record.

    Records are replayed in parallel, each at a table of its own.
    """
    found: dict[int, dict[str, Any] | GameError] = {}
    read: dict[int, Record] = {}
    for place, record in enumerate(records):
        try:
            read[place] = read_record(rules, record)
        except GameError as problem:
            found[place] = problem
    if read:
        again = Replayer(rules, list(read.values()))
        again.run()
        over = again.tables.winner != -1
        for table, place in enumerate(read):
            wrong = again.errors.get(table)
            memory = {**lasting_fluents_json(rules, again.tables, table), "over": bool(over[table])}
            found[place] = GameError(wrong, ErrorCode.INVALID_RECORD) if wrong else memory
    return [found[place] for place in range(len(records))]


class Replayer:
    """Records at their tables; a table whose record is wrong is left alone from then on."""

    def __init__(self, rules: CompiledGame, records: list[Record], listener: Listener | None = None) -> None:
        """A table for each record, where its cards are dealt."""
        self.records, self.errors, self.n_acts_done = records, dict[int, str](), 0
        self._has_listener = listener is not None  # what it has heard cannot be taken back
        self.tables = self._resume(rules, listener)
        for table in np.flatnonzero(self.tables.num_deals).tolist():
            self.errors.setdefault(table, "hands: these cards are dealt again")

    def _resume(self, rules: CompiledGame, listener: Listener | None) -> Tables:
        """The tables, dealt; in place of a record with which the rules lead nowhere another one lies there."""
        lying = list(range(len(self.records)))  # by table, the number of the record
        while True:
            try:
                return Tables.resume(rules, initial_deals([self.records[number] for number in lying]), listener)
            except TableError as problem:
                wrong = lying[problem.table]
                if self._has_listener or wrong in self.errors:
                    raise
                self.errors[wrong] = str(problem)
                good = next((number for number in range(len(lying)) if number not in self.errors), None)
                if good is None:
                    return Tables(rules, len(lying))
                lying = [good if number in self.errors else number for number in range(len(lying))]

    def run(self) -> None:
        """Play the records to their ends, and compare these."""
        while self.step([True] * len(self.records)):
            pass
        for table in np.flatnonzero(self.tables.num_episodes > self._first_episodes()).tolist():
            if problem := self._end_error(table):
                self.errors.setdefault(table, problem)

    def _first_episodes(self) -> Any:
        return np.array([record.episode for record in self.records])

    def step(self, active: Sequence[bool]) -> bool:
        """Make one act at each of some tables that wait for one; False when none does."""
        waiting = [table for table in self._waiting_tables() if active[table] and table not in self.errors]
        for table in waiting:
            if problem := self._turn_error(table):
                self.errors[table] = problem
        right = [table for table in waiting if table not in self.errors]
        if not right:
            return False
        playing = set(self.tables.rows_to_play().tolist())
        self._apply(self._play, [table for table in right if table in playing])
        self._apply(self._choose, [table for table in right if table not in playing])
        self.n_acts_done += 1
        return True

    def _apply(self, act: Callable[[NDArray[np.int64]], None], tables: list[int]) -> None:
        """Let tables act; where the rules lead nowhere the record is wrong, and the others act without it."""
        while tables:
            kept = None if self._has_listener else {name: array.copy() for name, array in self.tables.arrays().items()}
            try:
                act(np.array(tables, np.int64))
                return
            except TableError as problem:
                if kept is None or problem.table not in tables:
                    raise
                for name, array in self.tables.arrays().items():
                    array[:] = kept[name]
                self.errors.setdefault(problem.table, f"act {self.n_acts_done + 1}: {problem}")
                tables = [table for table in tables if table not in self.errors]

    def _waiting_tables(self) -> list[int]:
        return sorted([*self.tables.rows_to_play().tolist(), *self.tables.rows_to_choose().tolist()])

    def _play(self, tables: NDArray[np.int64]) -> None:
        if not tables.size:
            return
        lists, found = find_plays(self.tables.decisions(tables), self._next_acts(tables))
        rows = self._matched_rows(tables, found)
        good = rows >= 0
        if good.any():
            moves: Moves = lists.select(rows[good])
            self.tables.play(tables[good], moves)

    def _choose(self, tables: NDArray[np.int64]) -> None:
        if not tables.size:
            return
        options = find_options(self.tables.choices(tables), self._next_acts(tables))
        rows = self._matched_rows(tables, options)
        good = rows >= 0
        if good.any():
            self.tables.choose(tables[good], rows[good].astype(np.uint8))
            for table in tables[good][self.tables.num_deals[tables[good]] > 0].tolist():
                self.errors.setdefault(table, f"act {self.n_acts_done + 1}: the cards are dealt again")

    def _next_acts(self, tables: NDArray[np.int64]) -> list[Any]:
        """Return the next acts of the records."""
        return [self.records[table].acts[self.n_acts_done][1] for table in tables.tolist()]

    def _matched_rows(self, tables: NDArray[np.int64], found: Sequence[int | GameError]) -> NDArray[np.int64]:
        """The rows that were found, -1 where the record is wrong."""
        rows = np.full(len(tables), -1, np.int64)
        for place, (table, each) in enumerate(zip(tables.tolist(), found, strict=True)):
            if isinstance(each, GameError):
                self.errors[table] = f"act {self.n_acts_done + 1}: {each}"
            else:
                rows[place] = each
        return rows

    def _turn_error(self, table: int) -> str | None:
        record, seat = self.records[table], int(self.tables.seat[table])
        if self.n_acts_done >= len(record.acts):
            return f"the record ends after {self.n_acts_done} acts, but seat {seat} is to act"
        acting = record.acts[self.n_acts_done][0]
        if acting != seat:
            return f"act {self.n_acts_done + 1}: seat {acting} acts where it is the turn of seat {seat}"
        return None

    def _end_error(self, table: int) -> str | None:
        record, tables = self.records[table], self.tables
        acts = int(tables.num_decisions[table])
        if len(record.acts) > acts:
            return f"act {acts + 1}: the episode is over"
        finish = tuple(seat for seat in tables.state.finish_order[table].tolist() if seat != NO_SEAT)
        points = tuple(tables.points[table].tolist())
        if record.finish not in (None, finish):
            return f"finish is {list(record.finish or ())} where the plays lead to {list(finish)}"
        if record.points not in (None, points):
            return f"points are {list(record.points or ())} where the plays lead to {list(points)}"
        won = None if tables.winner[table] == -1 else winner_json(tables, table)
        if record.won is not None and record.won != won:
            return f"won is {record.won!r} where the plays lead to {won!r}"
        return None
