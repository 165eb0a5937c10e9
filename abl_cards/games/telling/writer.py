"""From columns of numbers to the input rows of a circuit."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.telling.columns import AT_LEAST, BIT, EQUAL, Words, test_of
from abl_cards.logic import Circuit
from abl_cards.logic.evaluation import Inputs, Light, evaluate_told
from abl_cards.parallel import THREADS, each_share

BLOCK = 256
"""Columns compared at once."""


class Tests(NamedTuple):
    """The inputs of a circuit by the column that they test, those of one column and manner side by side."""

    row: NDArray[np.int32]  # [tests] of the circuit
    column: NDArray[np.int32]  # [tests] among the columns that the circuit needs
    how: NDArray[np.int8]  # [tests]
    value: NDArray[np.int16]  # [tests]
    map_column: NDArray[np.int32]  # [maps] columns with many values, of which one holds
    map_low: NDArray[np.int32]  # [maps] the lowest value
    maps: NDArray[np.int32]  # [maps, values] the row of a value, -1 for none


Fill = Callable[[int, int, NDArray[np.int16], NDArray[np.int64]], None]
"""Fills columns [used, n] for rows lo..hi-1: which columns of the group are wanted is told last."""


class Lighting(ABC):
    """A fill whose columns may go unwritten: it lights the inputs that hold."""

    @abstractmethod
    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """As any fill."""

    @abstractmethod
    def light(self, slots: NDArray[np.int32]) -> Light | None:
        """Lights inputs; None where the columns must be written.

        Slots [columns of the group, most] say which input holds where a column is at least 1, 2, …, -1 for none.
        """


def columns_of(values: Sequence[NDArray[np.integer]] | NDArray[np.integer]) -> Fill:
    """Columns that lie in arrays [n], one a column of the group."""
    return lazily(lambda column: values[column])


def lazily(values: Callable[[int], NDArray[np.integer]]) -> Fill:
    """The same, each made when it is wanted, by its number."""

    def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        for place, column in enumerate(used):
            columns[place, lo:hi] = values(column)[lo:hi]

    return fill


def by_share(values: Callable[[int, slice], NDArray[np.integer]]) -> Fill:
    """The same, each share of a column by itself: for what costs more to make than to copy."""

    def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        for place, column in enumerate(used):
            columns[place, lo:hi] = values(column, slice(lo, hi))

    return fill


def rows_of(values: NDArray[np.integer], which: NDArray[np.int64]) -> Fill:
    """Columns of the rows which [n] of values [tables, columns]: tables are read one after the other."""
    return lambda lo, hi, columns, used: _gather(values, which, used, lo, hi, columns)


def rows_seen(
    values: NDArray[np.integer], which: NDArray[np.int64], seats: NDArray[np.int8], whose: NDArray[np.int8],
    nothing: NDArray[np.integer],
) -> Fill:  # fmt: skip
    """The same, but that seats [n] are told nothing [columns] where whose [columns] is another seat, and not -1."""
    return lambda lo, hi, columns, used: _gather_seen(values, which, seats, whose, nothing, used, lo, hi, columns)


@njit(cache=True, nogil=True)
def _gather_seen(values, which, seats, whose, nothing, used, lo, hi, columns):
    for i in range(lo, hi):
        row = which[i]
        for place in range(len(used)):
            slot = used[place]
            told = whose[slot] < 0 or whose[slot] == seats[i]
            columns[place, i] = values[row, slot] if told else nothing[slot]


@njit(cache=True, nogil=True)
def _gather(values, which, used, lo, hi, columns):
    for i in range(lo, hi):
        row = which[i]
        for place in range(len(used)):
            columns[place, i] = values[row, used[place]]


MANY = 6
"""From so many values on, the row of a value is looked up."""


@dataclass(frozen=True)
class Told:
    """A circuit, and what it has to be told."""

    circuit: Circuit
    groups: tuple[str, ...]  # in the order of their columns
    used: tuple[NDArray[np.int64], ...]  # by group, which of its columns are needed
    offsets: tuple[int, ...]  # where the columns of each group begin; one more at the end
    widths: Mapping[str, int]  # how many columns each group has, needed or not
    tests: Tests

    @classmethod
    def of(cls, circuit: Circuit, words: Words, groups: frozenset[str] | None = None) -> Told:
        """Look up the tests of its inputs, or of those in some groups; inputs that can never hold are false."""
        found = [(row, test_of(words, atom)) for row, atom in enumerate(circuit.inputs)]
        kept = [(row, test) for row, test in found if test and (groups is None or test.group in groups)]
        columns: dict[str, set[int]] = {}
        for _, test in kept:
            columns.setdefault(test.group, set()).add(test.column)
        names = tuple(sorted(columns))
        used = tuple(np.array(sorted(columns[name]), np.int64) for name in names)
        offsets = np.cumsum([0, *map(len, used)]).tolist()
        at = {
            (name, int(column)): offset + place
            for name, each, offset in zip(names, used, offsets, strict=False)
            for place, column in enumerate(each)
        }
        rows = [(at[test.group, test.column], test.how, test.value, row) for row, test in kept]
        return cls(circuit, names, used, tuple(offsets), words.groups, _tests(rows))

    def rows(self, n: int, fills: Mapping[str, Fill]) -> NDArray[np.uint8]:
        """[inputs, n] what holds; the groups are filled by their names."""
        rows = np.zeros((len(self.circuit.inputs), n), np.uint8)
        self.add(rows, fills)
        return rows

    def add(self, rows: NDArray[np.uint8], fills: Mapping[str, Fill]) -> None:
        """Write what holds into rows [inputs, n], where the inputs of these groups are zero."""
        n = rows.shape[1]
        columns, tests = self._columns(n), self.tests

        def write(lo: int, hi: int) -> None:
            self._fill(fills, columns, lo, hi)
            compare(tests, columns, lo, hi, rows)
            look_up(tests, columns, lo, hi, rows)

        each_share(n, write)

    def ask(self, n: int, fills: Mapping[str, Fill]) -> NDArray[np.uint8]:
        """[outputs, n] the answers."""
        lights = self._lights(fills)
        rest, in_order = self._without(frozenset(lights))
        tests, columns = rest.tests, rest._columns(n)
        told = Inputs(
            np.empty((len(tests.row), n), np.uint8), tests.row, np.empty((len(tests.map_column), n), np.int32)
        )

        def write(lo: int, hi: int) -> None:
            rest._fill(fills, columns, lo, hi)
            compare(in_order, columns, lo, hi, told.rows)
            name_rows(tests, columns, lo, hi, told.hot)

        return evaluate_told(self.circuit, told, write, THREADS, [*lights.values()])

    def _lights(self, fills: Mapping[str, Fill]) -> dict[str, Light]:
        """By group, what lights its inputs."""
        found = {}
        for group, slots in self._at_least.items():
            fill = fills[group]
            light = fill.light(slots) if isinstance(fill, Lighting) else None
            if light is not None:
                found[group] = light
        return found

    @cached_property
    def _at_least(self) -> dict[str, NDArray[np.int32]]:
        """[columns, most] the input that says a column is at least 1, 2, …, -1 for none; of groups with such alone."""
        found = {}
        tests = self.tests
        for group, used, first, end in zip(self.groups, self.used, self.offsets[:-1], self.offsets[1:], strict=True):
            mine = (tests.column >= first) & (tests.column < end)
            looked_up = ((tests.map_column >= first) & (tests.map_column < end)).any()
            if mine.any() and not looked_up and ((tests.how == AT_LEAST) & (tests.value > 0))[mine].all():
                slots = np.full((self.widths[group], tests.value[mine].max()), -1, np.int32)
                slots[used[tests.column[mine] - first], tests.value[mine] - 1] = tests.row[mine]
                found[group] = slots
        return found

    def _without(self, lit: frozenset[str]) -> tuple[Told, Tests]:
        """What is left to be told without some groups, and its tests with their rows in their order."""
        found = self._rests.get(lit)
        if found is None:
            rest = self._rest(lit) if lit else self
            found = rest, rest.tests._replace(row=np.arange(len(rest.tests.row), dtype=np.int32))
            self._rests[lit] = found
        return found

    @cached_property
    def _rests(self) -> dict[frozenset[str], tuple[Told, Tests]]:
        """What was left without some groups: the same ones are lit each time."""
        return {}

    def _rest(self, lit: frozenset[str]) -> Told:
        """The same without some groups, all of whose tests compare a column with a value."""
        kept = [place for place, group in enumerate(self.groups) if group not in lit]
        old = [column for place in kept for column in range(*self.offsets[place : place + 2])]
        new = np.full(self.offsets[-1], -1, np.int32)
        new[old] = np.arange(len(old))
        tests, used = self.tests, tuple(self.used[place] for place in kept)
        mine = new[tests.column] >= 0
        told = tests._replace(
            row=tests.row[mine], column=new[tests.column[mine]], how=tests.how[mine], value=tests.value[mine],
            map_column=new[tests.map_column],
        )  # fmt: skip
        offsets = np.cumsum([0, *map(len, used)]).tolist()
        return Told(self.circuit, tuple(self.groups[place] for place in kept), used, tuple(offsets), self.widths, told)

    def _columns(self, n: int) -> NDArray[np.int16]:
        """[columns, n] as many as the circuit needs."""
        return np.zeros((self.offsets[-1], n), np.int16)

    def _fill(self, fills: Mapping[str, Fill], columns: NDArray[np.int16], lo: int, hi: int) -> None:
        for group, used, first, end in zip(self.groups, self.used, self.offsets[:-1], self.offsets[1:], strict=True):
            fills[group](lo, hi, columns[first:end], used)


def _tests(rows: list[tuple[int, int, int, int]]) -> Tests:
    by_column: dict[int, list[tuple[int, int]]] = {}
    for column, how, value, row in rows:
        if how == EQUAL:
            by_column.setdefault(column, []).append((value, row))
    looked_up = {column for column, values in by_column.items() if len(values) >= MANY}
    compared = sorted(row for row in rows if not (row[1] == EQUAL and row[0] in looked_up))
    lows = [min(value for value, _ in by_column[column]) for column in sorted(looked_up)]
    span = max(
        (max(by_column[column])[0] - low + 1 for column, low in zip(sorted(looked_up), lows, strict=True)), default=1
    )
    maps = np.full((len(looked_up), span), -1, np.int32)
    for place, (column, low) in enumerate(zip(sorted(looked_up), lows, strict=True)):
        for value, row in by_column[column]:
            maps[place, value - low] = row
    columns = np.array(compared, np.int32).reshape(-1, 4).T
    return Tests(
        columns[3].copy(), columns[0].copy(), columns[1].astype(np.int8), columns[2].astype(np.int16),
        np.array(sorted(looked_up), np.int32), np.array(lows, np.int32), maps,
    )  # fmt: skip


# Flat arrays and unsigned indices: no views to count references of, and loops that LLVM vectorises.


@njit(cache=True, nogil=True)
def compare(tests, columns, lo, hi, rows):
    """Write the tests that compare columns with a value into their rows of rows [any, n], for states lo..hi-1."""
    numbers, told, n = columns.reshape(columns.size), rows.reshape(rows.size), np.uint64(columns.shape[1])
    for start in range(lo, hi, BLOCK):
        length = np.uint64(min(BLOCK, hi - start))
        for test in range(len(tests.row)):
            at, to = (
                np.uint64(tests.column[test]) * n + np.uint64(start),
                np.uint64(tests.row[test]) * n + np.uint64(start),
            )
            value, how = tests.value[test], tests.how[test]
            if how == AT_LEAST:
                for i in range(length):
                    told[to + i] = np.uint8(numbers[at + i] >= value)
            elif how == BIT:
                for i in range(length):
                    told[to + i] = np.uint8((numbers[at + i] >> value) & np.int16(1))
            else:
                for i in range(length):
                    told[to + i] = np.uint8(numbers[at + i] == value)


@njit(cache=True, nogil=True)
def look_up(tests, columns, lo, hi, rows):
    """Raise the rows of zeroed rows [inputs, n] that stand for the values of columns, for states lo..hi-1."""
    for each in range(len(tests.map_column)):
        column, low, table = tests.map_column[each], tests.map_low[each], tests.maps[each]
        for i in range(lo, hi):
            place = np.int64(columns[column, i]) - low
            if 0 <= place < len(table) and table[place] >= 0:
                rows[table[place], i] = 1


@njit(cache=True, nogil=True)
def name_rows(tests, columns, lo, hi, hot):
    """Write which input stands for the value of each column into hot [maps, n], -1 for none, for states lo..hi-1."""
    for each in range(len(tests.map_column)):
        column, low, table = tests.map_column[each], tests.map_low[each], tests.maps[each]
        for i in range(lo, hi):
            place = np.int64(columns[column, i]) - low
            hot[each, i] = table[place] if 0 <= place < len(table) else -1
