"""Replay records in parallel, each at a table of its own, and compare their results."""

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
    """Replay records in parallel, each at a table of its own.

    A record on which the rules get stuck is reported and the others are replayed. With a listener, which has received
    its events already, it is an error.

    Args:
        rules: Compiled game.
        records: JSON records, or the errors of lines that could not be read.
        listener: Listener to the events of all tables.
        carry_over: Not used, because each record is self-contained; other replay functions keep data between chunks.

    Returns:
        Number of records and plays, and the mismatches by line.

    Raises:
        GameError: The rules get stuck while a listener is given.
    """
    lines: list[int] = []
    parsed: list[Record] = []
    errors: dict[int, str] = {}
    for line, record in enumerate(records, start=1):
        try:
            if isinstance(record, GameError):
                raise record
            parsed.append(read_record(rules, record))
            lines.append(line)
        except GameError as error:
            errors[line] = str(error)
    plays = sum(len(record.acts) for record in parsed)
    if parsed:
        try:
            replayer = Replayer(rules, parsed, listener)
            replayer.run()
        except TableError as error:
            raise GameError(f"line {lines[error.table]}: {error}", ErrorCode.RULES_STUCK) from None
        errors |= {lines[table]: text for table, text in replayer.errors.items()}
        plays -= int((replayer.tables.num_decisions - replayer.tables.state.num_acts).sum())  # choices are not plays
    return ReplayResult(len(records), plays, tuple(ReplayMismatch(line, text) for line, text in sorted(errors.items())))


def match_states_after(rules: CompiledGame, records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | GameError]:
    """Compute the state of the match after each record.

    Args:
        rules: Compiled game.
        records: JSON records, each of one episode.

    Returns:
        For each record, the fluents that the match keeps and ``over``; or the error of the record.
    """
    states: dict[int, dict[str, Any] | GameError] = {}
    parsed: dict[int, Record] = {}
    for index, record in enumerate(records):
        try:
            parsed[index] = read_record(rules, record)
        except GameError as error:
            states[index] = error
    if parsed:
        replayer = Replayer(rules, list(parsed.values()))
        replayer.run()
        is_over = replayer.tables.winner != -1
        for table, index in enumerate(parsed):
            message = replayer.errors.get(table)
            match_state = {**lasting_fluents_json(rules, replayer.tables, table), "over": bool(is_over[table])}
            states[index] = GameError(message, ErrorCode.INVALID_RECORD) if message else match_state
    return [states[index] for index in range(len(records))]


class Replayer:
    """Replays records, each at a table of its own; a table with a wrong record is skipped from then on."""

    def __init__(self, rules: CompiledGame, records: list[Record], listener: Listener | None = None) -> None:
        """Deal the cards of each record at its table."""
        self.records, self.errors, self.n_acts_done = records, dict[int, str](), 0
        self._has_listener = listener is not None  # its events cannot be undone
        self.tables = self._resume(rules, listener)
        for table in np.flatnonzero(self.tables.num_deals).tolist():
            self.errors.setdefault(table, "hands: these cards are dealt again")

    def _resume(self, rules: CompiledGame, listener: Listener | None) -> Tables:
        """Return the dealt tables; a record on which the rules get stuck is replaced by another one."""
        record_indices = list(range(len(self.records)))  # index of the record at each table
        while True:
            try:
                return Tables.resume(rules, initial_deals([self.records[index] for index in record_indices]), listener)
            except TableError as error:
                failed = record_indices[error.table]
                if self._has_listener or failed in self.errors:
                    raise
                self.errors[failed] = str(error)
                replacement = next((index for index in range(len(record_indices)) if index not in self.errors), None)
                if replacement is None:
                    return Tables(rules, len(record_indices))
                record_indices = [
                    replacement if index in self.errors else index for index in range(len(record_indices))
                ]

    def run(self) -> None:
        """Play the records to their ends and compare the results."""
        while self.step([True] * len(self.records)):
            pass
        for table in np.flatnonzero(self.tables.num_episodes > self._first_episodes()).tolist():
            if message := self._end_error(table):
                self.errors.setdefault(table, message)

    def _first_episodes(self) -> Any:
        return np.array([record.episode for record in self.records])

    def step(self, active: Sequence[bool]) -> bool:
        """Make one act at each active table that waits for one; return False if there is none."""
        waiting = [table for table in self._waiting_tables() if active[table] and table not in self.errors]
        for table in waiting:
            if message := self._turn_error(table):
                self.errors[table] = message
        valid = [table for table in waiting if table not in self.errors]
        if not valid:
            return False
        playing = set(self.tables.rows_to_play().tolist())
        self._apply(self._play, [table for table in valid if table in playing])
        self._apply(self._choose, [table for table in valid if table not in playing])
        self.n_acts_done += 1
        return True

    def _apply(self, act: Callable[[NDArray[np.int64]], None], tables: list[int]) -> None:
        """Apply an act to tables; tables on which the rules get stuck are reported and skipped."""
        while tables:
            saved = None if self._has_listener else {name: array.copy() for name, array in self.tables.arrays().items()}
            try:
                act(np.array(tables, np.int64))
                return
            except TableError as error:
                if saved is None or error.table not in tables:
                    raise
                for name, array in self.tables.arrays().items():
                    array[:] = saved[name]
                self.errors.setdefault(error.table, f"act {self.n_acts_done + 1}: {error}")
                tables = [table for table in tables if table not in self.errors]

    def _waiting_tables(self) -> list[int]:
        return sorted([*self.tables.rows_to_play().tolist(), *self.tables.rows_to_choose().tolist()])

    def _play(self, tables: NDArray[np.int64]) -> None:
        if not tables.size:
            return
        lists, matches = find_plays(self.tables.decisions(tables), self._next_acts(tables))
        rows = self._matched_rows(tables, matches)
        valid = rows >= 0
        if valid.any():
            moves: Moves = lists.select(rows[valid])
            self.tables.play(tables[valid], moves)

    def _choose(self, tables: NDArray[np.int64]) -> None:
        if not tables.size:
            return
        options = find_options(self.tables.choices(tables), self._next_acts(tables))
        rows = self._matched_rows(tables, options)
        valid = rows >= 0
        if valid.any():
            self.tables.choose(tables[valid], rows[valid].astype(np.uint8))
            for table in tables[valid][self.tables.num_deals[tables[valid]] > 0].tolist():
                self.errors.setdefault(table, f"act {self.n_acts_done + 1}: the cards are dealt again")

    def _next_acts(self, tables: NDArray[np.int64]) -> list[Any]:
        """Return the next acts of the records."""
        return [self.records[table].acts[self.n_acts_done][1] for table in tables.tolist()]

    def _matched_rows(self, tables: NDArray[np.int64], matches: Sequence[int | GameError]) -> NDArray[np.int64]:
        """Return the matched rows, -1 where the record is wrong."""
        rows = np.full(len(tables), -1, np.int64)
        for index, (table, match) in enumerate(zip(tables.tolist(), matches, strict=True)):
            if isinstance(match, GameError):
                self.errors[table] = f"act {self.n_acts_done + 1}: {match}"
            else:
                rows[index] = match
        return rows

    def _turn_error(self, table: int) -> str | None:
        record, seat = self.records[table], int(self.tables.seat[table])
        if self.n_acts_done >= len(record.acts):
            return f"the record ends after {self.n_acts_done} acts, but seat {seat} is to act"
        acting = record.acts[self.n_acts_done][0]
        if acting != seat:
            return f"act {self.n_acts_done + 1}: seat {acting} acts, but it is the turn of seat {seat}"
        return None

    def _end_error(self, table: int) -> str | None:
        record, tables = self.records[table], self.tables
        acts = int(tables.num_decisions[table])
        if len(record.acts) > acts:
            return f"act {acts + 1}: the episode is over"
        finish = [seat for seat in tables.state.finish_order[table].tolist() if seat != NO_SEAT]
        points = tables.points[table].tolist()
        if record.finish not in (None, finish):
            return f"finish is {record.finish}, but the plays lead to {finish}"
        if record.points not in (None, points):
            return f"points are {record.points}, but the plays lead to {points}"
        won = None if tables.winner[table] == -1 else winner_json(tables, table)
        if record.won is not None and record.won != won:
            return f"won is {record.won!r}, but the plays lead to {won!r}"
        return None
