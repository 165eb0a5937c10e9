"""Records played again, many at once at tables of their own, and compared line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.faults import TableError
from abl_cards.games.play.state import NOBODY
from abl_cards.games.play.tables import Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.games.results import Disagreement, Replay
from abl_cards.games.tables import Listener, Moves
from abl_cards.games.words.finding import find_options, find_plays
from abl_cards.games.words.records import Record, dealt_of, read_record, remembered, winner_of


def replay(
    rules: Rules,
    records: Sequence[Mapping[str, Any] | GameError],
    listener: Listener | None = None,
    kept: dict[str, Any] | None = None,
) -> Replay:
    """Play records again, one a line, all at once; a listener hears every episode at a table of its own.

    Each record tells all that it hangs on, so nothing is kept for the next piece of a file. A record that leads where
    the rules lead nowhere is wrong, and the others are judged; a listener has heard of it by then, so that is an error.
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
            again = Again(rules, read, listener)
            again.play()
        except TableError as problem:
            raise GameError(f"line {lines[problem.table]}: {problem}") from None
        wrong |= {lines[table]: text for table, text in again.wrong.items()}
        plays -= int((again.tables.clock - again.tables.state.acts).sum())  # choices are no plays
    return Replay(len(records), plays, tuple(Disagreement(line, text) for line, text in sorted(wrong.items())))


def left_behind(rules: Rules, records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | GameError]:
    """What the match remembers after each record, and whether it is over; or what is wrong with the record.

    They play side by side, each at a table of its own.
    """
    found: dict[int, dict[str, Any] | GameError] = {}
    read: dict[int, Record] = {}
    for place, record in enumerate(records):
        try:
            read[place] = read_record(rules, record)
        except GameError as problem:
            found[place] = problem
    if read:
        again = Again(rules, list(read.values()))
        again.play()
        over = again.tables.winner != -1
        for table, place in enumerate(read):
            wrong = again.wrong.get(table)
            memory = {**remembered(rules, again.tables, table), "over": bool(over[table])}
            found[place] = GameError(wrong) if wrong else memory
    return [found[place] for place in range(len(records))]


class Again:
    """Records at their tables; a table whose record is wrong is left alone from then on."""

    def __init__(self, rules: Rules, records: list[Record], listener: Listener | None = None) -> None:
        """A table for each record, where its cards are dealt."""
        self.records, self.wrong, self.done = records, dict[int, str](), 0
        self._heard = listener is not None  # what it has heard cannot be taken back
        self.tables = self._resume(rules, listener)
        for table in np.flatnonzero(self.tables.deals).tolist():
            self.wrong.setdefault(table, "hands: these cards are dealt again")

    def _resume(self, rules: Rules, listener: Listener | None) -> Tables:
        """The tables, dealt; in place of a record with which the rules lead nowhere another one lies there."""
        lying = list(range(len(self.records)))  # by table, the number of the record
        while True:
            try:
                return Tables.resume(rules, dealt_of([self.records[number] for number in lying]), listener)
            except TableError as problem:
                wrong = lying[problem.table]
                if self._heard or wrong in self.wrong:
                    raise
                self.wrong[wrong] = str(problem)
                good = next((number for number in range(len(lying)) if number not in self.wrong), None)
                if good is None:
                    return Tables(rules, len(lying))
                lying = [good if number in self.wrong else number for number in range(len(lying))]

    def play(self) -> None:
        """Play the records to their ends, and compare these."""
        while self.step([True] * len(self.records)):
            pass
        for table in np.flatnonzero(self.tables.episode > self._before()).tolist():
            if problem := self._end_problem(table):
                self.wrong.setdefault(table, problem)

    def _before(self) -> Any:
        return np.array([record.episode for record in self.records])

    def step(self, going: Sequence[bool]) -> bool:
        """Make one act at each of some tables that wait for one; False when none does."""
        waiting = [table for table in self._waiting() if going[table] and table not in self.wrong]
        for table in waiting:
            if problem := self._turn_problem(table):
                self.wrong[table] = problem
        right = [table for table in waiting if table not in self.wrong]
        if not right:
            return False
        playing = set(self.tables.playing().tolist())
        self._act(self._play, [table for table in right if table in playing])
        self._act(self._give, [table for table in right if table not in playing])
        self.done += 1
        return True

    def _act(self, act: Callable[[NDArray[np.int64]], None], tables: list[int]) -> None:
        """Let tables act; where the rules lead nowhere the record is wrong, and the others act without it."""
        while tables:
            kept = None if self._heard else {name: array.copy() for name, array in self.tables.arrays().items()}
            try:
                act(np.array(tables, np.int64))
                return
            except TableError as problem:
                if kept is None or problem.table not in tables:
                    raise
                for name, array in self.tables.arrays().items():
                    array[:] = kept[name]
                self.wrong.setdefault(problem.table, f"act {self.done + 1}: {problem}")
                tables = [table for table in tables if table not in self.wrong]

    def _waiting(self) -> list[int]:
        return sorted([*self.tables.playing().tolist(), *self.tables.choosing().tolist()])

    def _play(self, which: NDArray[np.int64]) -> None:
        if not which.size:
            return
        lists, found = find_plays(self.tables.decisions(which), self._acts(which))
        rows = self._rows(which, found)
        good = rows >= 0
        if good.any():
            moves: Moves = lists.rows(rows[good])
            self.tables.play(which[good], moves)

    def _give(self, which: NDArray[np.int64]) -> None:
        if not which.size:
            return
        options = find_options(self.tables.choices(which), self._acts(which))
        rows = self._rows(which, options)
        good = rows >= 0
        if good.any():
            self.tables.choose(which[good], rows[good].astype(np.uint8))
            for table in which[good][self.tables.deals[which[good]] > 0].tolist():
                self.wrong.setdefault(table, f"act {self.done + 1}: the cards are dealt again")

    def _acts(self, which: NDArray[np.int64]) -> list[Any]:
        """What the records say is done next."""
        return [self.records[table].acts[self.done][1] for table in which.tolist()]

    def _rows(self, which: NDArray[np.int64], found: Sequence[int | GameError]) -> NDArray[np.int64]:
        """The rows that were found, -1 where the record is wrong."""
        rows = np.full(len(which), -1, np.int64)
        for place, (table, each) in enumerate(zip(which.tolist(), found, strict=True)):
            if isinstance(each, GameError):
                self.wrong[table] = f"act {self.done + 1}: {each}"
            else:
                rows[place] = each
        return rows

    def _turn_problem(self, table: int) -> str | None:
        record, seat = self.records[table], int(self.tables.seat[table])
        if self.done >= len(record.acts):
            return f"the record ends after {self.done} acts, but seat {seat} is to act"
        if record.acts[self.done][0] != seat:
            return f"act {self.done + 1}: seat {record.acts[self.done][0]} acts where it is the turn of seat {seat}"
        return None

    def _end_problem(self, table: int) -> str | None:
        record, tables = self.records[table], self.tables
        acts = int(tables.clock[table])
        if len(record.acts) > acts:
            return f"act {acts + 1}: the episode is over"
        finish = tuple(seat for seat in tables.state.order[table].tolist() if seat != NOBODY)
        points = tuple(tables.points[table].tolist())
        if record.finish not in (None, finish):
            return f"finish is {list(record.finish or ())} where the plays lead to {list(finish)}"
        if record.points not in (None, points):
            return f"points are {list(record.points or ())} where the plays lead to {list(points)}"
        won = None if tables.winner[table] == -1 else winner_of(tables, table)
        if record.won is not None and record.won != won:
            return f"won is {record.won!r} where the plays lead to {won!r}"
        return None
