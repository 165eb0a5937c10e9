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

from abl_cards.circuit import Circuit, CircuitInputs, SetBits, evaluate_inputs
from abl_cards.core import NUM_THREADS, map_ranges
from abl_cards.games.description import AT_LEAST, BIT, EQUAL, InputSchema, find_test

BLOCK_SIZE = 256
"""Columns compared at once."""


class ColumnTests(NamedTuple):
    """The inputs of a circuit by the column that they test, those of one column and manner side by side."""

    row: NDArray[np.int32]  # [tests] of the circuit
    column: NDArray[np.int32]  # [tests] among the columns that the circuit needs
    comparison: NDArray[np.int8]  # [tests]
    value: NDArray[np.int16]  # [tests]
    lookup_column: NDArray[np.int32]  # [maps] columns with many values, of which one holds
    lookup_min: NDArray[np.int32]  # [maps] the lowest value
    lookup_rows: NDArray[np.int32]  # [maps, values] the row of a value, -1 for none


ColumnWriter = Callable[[int, int, NDArray[np.int16], NDArray[np.int64]], None]
"""Fills columns [used, n] for rows lo..hi-1: which columns of the group are wanted is told last."""


class BitSettingWriter(ABC):
    """A fill whose columns may go unwritten: it lights the inputs that hold."""

    @abstractmethod
    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """As any fill."""

    @abstractmethod
    def make_bit_setter(self, slots: NDArray[np.int32]) -> SetBits | None:
        """Lights inputs; None where the columns must be written.

        Slots [columns of the group, most] say which input holds where a column is at least 1, 2, …, -1 for none.
        """


def make_array_writer(values: Sequence[NDArray[np.integer]] | NDArray[np.integer]) -> ColumnWriter:
    """Columns that lie in arrays [n], one a column of the group."""
    return make_lazy_writer(lambda column: values[column])


def make_lazy_writer(values: Callable[[int], NDArray[np.integer]]) -> ColumnWriter:
    """The same, each made when it is wanted, by its number."""

    def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        for place, column in enumerate(used):
            columns[place, lo:hi] = values(column)[lo:hi]

    return fill


def make_sliced_writer(values: Callable[[int, slice], NDArray[np.integer]]) -> ColumnWriter:
    """The same, each share of a column by itself: for what costs more to make than to copy."""

    def fill(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        for place, column in enumerate(used):
            columns[place, lo:hi] = values(column, slice(lo, hi))

    return fill


def make_gather_writer(values: NDArray[np.integer], rows: NDArray[np.int64]) -> ColumnWriter:
    """Columns of the rows [n] of values [tables, columns]: tables are read one after the other."""
    return lambda lo, hi, columns, used: _gather(values, rows, used, lo, hi, columns)


def make_masked_writer(
    values: NDArray[np.integer], rows: NDArray[np.int64], seats: NDArray[np.int8], slot_owner: NDArray[np.int8],
    defaults: NDArray[np.integer],
) -> ColumnWriter:  # fmt: skip
    """The same, but seats [n] are told defaults [columns] where slot_owner [columns] is another seat, and not -1."""
    return lambda lo, hi, columns, used: _gather_masked(
        values, rows, seats, slot_owner, defaults, used, lo, hi, columns
    )


@njit(cache=True, nogil=True)
def _gather_masked(values, rows, seats, slot_owner, defaults, used, lo, hi, columns):
    for i in range(lo, hi):
        row = rows[i]
        for place in range(len(used)):
            slot = used[place]
            told = slot_owner[slot] < 0 or slot_owner[slot] == seats[i]
            columns[place, i] = values[row, slot] if told else defaults[slot]


@njit(cache=True, nogil=True)
def _gather(values, rows, used, lo, hi, columns):
    for i in range(lo, hi):
        row = rows[i]
        for place in range(len(used)):
            columns[place, i] = values[row, used[place]]


MIN_LOOKUP_VALUES = 6
"""From so many values on, the row of a value is looked up."""


@dataclass(frozen=True)
class CircuitQuery:
    """A circuit, and what it has to be told."""

    circuit: Circuit
    groups: tuple[str, ...]  # in the order of their columns
    used_columns: tuple[NDArray[np.int64], ...]  # by group, which of its columns are needed
    offsets: tuple[int, ...]  # where the columns of each group begin; one more at the end
    group_sizes: Mapping[str, int]  # how many columns each group has, needed or not
    tests: ColumnTests

    @classmethod
    def from_circuit(cls, circuit: Circuit, schema: InputSchema, groups: frozenset[str] | None = None) -> CircuitQuery:
        """Look up the tests of its inputs, or of those in some groups; inputs that can never hold are false."""
        found = [(row, find_test(schema, atom)) for row, atom in enumerate(circuit.inputs)]
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
        rows = [(at[test.group, test.column], test.comparison, test.value, row) for row, test in kept]
        return cls(circuit, names, used, tuple(offsets), schema.group_sizes, _build_tests(rows))

    def build_rows(self, n: int, writers: Mapping[str, ColumnWriter]) -> NDArray[np.uint8]:
        """[inputs, n] what holds; the groups are filled by their names."""
        rows = np.zeros((len(self.circuit.inputs), n), np.uint8)
        self.write_rows(rows, writers)
        return rows

    def write_rows(self, rows: NDArray[np.uint8], writers: Mapping[str, ColumnWriter]) -> None:
        """Write what holds into rows [inputs, n], where the inputs of these groups are zero."""
        n = rows.shape[1]
        columns, tests = self._allocate_columns(n), self.tests

        def write(lo: int, hi: int) -> None:
            self._write_columns(writers, columns, lo, hi)
            compare_columns(tests, columns, lo, hi, rows)
            write_lookup_rows(tests, columns, lo, hi, rows)

        map_ranges(n, write)

    def evaluate(self, n: int, writers: Mapping[str, ColumnWriter]) -> NDArray[np.uint8]:
        """[outputs, n] the answers."""
        lights = self._make_bit_setters(writers)
        rest, in_order = self._get_reduced(frozenset(lights))
        tests, columns = rest.tests, rest._allocate_columns(n)
        told = CircuitInputs(
            np.empty((len(tests.row), n), np.uint8), tests.row, np.empty((len(tests.lookup_column), n), np.int32)
        )

        def write(lo: int, hi: int) -> None:
            rest._write_columns(writers, columns, lo, hi)
            compare_columns(in_order, columns, lo, hi, told.rows)
            write_lookup_indices(tests, columns, lo, hi, told.one_hot)

        return evaluate_inputs(self.circuit, told, write, NUM_THREADS, [*lights.values()])

    def _make_bit_setters(self, writers: Mapping[str, ColumnWriter]) -> dict[str, SetBits]:
        """By group, what lights its inputs."""
        found = {}
        for group, slots in self._threshold_slots.items():
            fill = writers[group]
            light = fill.make_bit_setter(slots) if isinstance(fill, BitSettingWriter) else None
            if light is not None:
                found[group] = light
        return found

    @cached_property
    def _threshold_slots(self) -> dict[str, NDArray[np.int32]]:
        """[columns, most] the input that says a column is at least 1, 2, …, -1 for none; of groups with such alone."""
        found = {}
        tests = self.tests
        for group, used, first, end in zip(
            self.groups, self.used_columns, self.offsets[:-1], self.offsets[1:], strict=True
        ):
            mine = (tests.column >= first) & (tests.column < end)
            looked_up = ((tests.lookup_column >= first) & (tests.lookup_column < end)).any()
            if mine.any() and not looked_up and ((tests.comparison == AT_LEAST) & (tests.value > 0))[mine].all():
                slots = np.full((self.group_sizes[group], tests.value[mine].max()), -1, np.int32)
                slots[used[tests.column[mine] - first], tests.value[mine] - 1] = tests.row[mine]
                found[group] = slots
        return found

    def _get_reduced(self, excluded_groups: frozenset[str]) -> tuple[CircuitQuery, ColumnTests]:
        """What is left to be told without some groups, and its tests with their rows in their order."""
        found = self._reduced_cache.get(excluded_groups)
        if found is None:
            rest = self._build_reduced(excluded_groups) if excluded_groups else self
            found = rest, rest.tests._replace(row=np.arange(len(rest.tests.row), dtype=np.int32))
            self._reduced_cache[excluded_groups] = found
        return found

    @cached_property
    def _reduced_cache(self) -> dict[frozenset[str], tuple[CircuitQuery, ColumnTests]]:
        """What was left without some groups: the same ones are lit each time."""
        return {}

    def _build_reduced(self, excluded_groups: frozenset[str]) -> CircuitQuery:
        """The same without some groups, all of whose tests compare a column with a value."""
        kept = [place for place, group in enumerate(self.groups) if group not in excluded_groups]
        old = [column for place in kept for column in range(*self.offsets[place : place + 2])]
        new = np.full(self.offsets[-1], -1, np.int32)
        new[old] = np.arange(len(old))
        tests, used = self.tests, tuple(self.used_columns[place] for place in kept)
        mine = new[tests.column] >= 0
        told = tests._replace(
            row=tests.row[mine], column=new[tests.column[mine]], comparison=tests.comparison[mine],
            value=tests.value[mine], lookup_column=new[tests.lookup_column],
        )  # fmt: skip
        offsets = np.cumsum([0, *map(len, used)]).tolist()
        return CircuitQuery(
            self.circuit, tuple(self.groups[place] for place in kept), used, tuple(offsets), self.group_sizes, told
        )

    def _allocate_columns(self, n: int) -> NDArray[np.int16]:
        """[columns, n] as many as the circuit needs."""
        return np.zeros((self.offsets[-1], n), np.int16)

    def _write_columns(self, writers: Mapping[str, ColumnWriter], columns: NDArray[np.int16], lo: int, hi: int) -> None:
        for group, used, first, end in zip(
            self.groups, self.used_columns, self.offsets[:-1], self.offsets[1:], strict=True
        ):
            writers[group](lo, hi, columns[first:end], used)


def _build_tests(rows: list[tuple[int, int, int, int]]) -> ColumnTests:
    by_column: dict[int, list[tuple[int, int]]] = {}
    for column, how, value, row in rows:
        if how == EQUAL:
            by_column.setdefault(column, []).append((value, row))
    looked_up = {column for column, values in by_column.items() if len(values) >= MIN_LOOKUP_VALUES}
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
    return ColumnTests(
        columns[3].copy(), columns[0].copy(), columns[1].astype(np.int8), columns[2].astype(np.int16),
        np.array(sorted(looked_up), np.int32), np.array(lows, np.int32), maps,
    )  # fmt: skip


# Flat arrays and unsigned indices: no views to count references of, and loops that LLVM vectorises.


@njit(cache=True, nogil=True)
def compare_columns(tests, columns, lo, hi, rows):
    """Write the tests that compare columns with a value into their rows of rows [any, n], for states lo..hi-1."""
    numbers, told, n = columns.reshape(columns.size), rows.reshape(rows.size), np.uint64(columns.shape[1])
    for start in range(lo, hi, BLOCK_SIZE):
        length = np.uint64(min(BLOCK_SIZE, hi - start))
        for test in range(len(tests.row)):
            at, to = (
                np.uint64(tests.column[test]) * n + np.uint64(start),
                np.uint64(tests.row[test]) * n + np.uint64(start),
            )
            value, how = tests.value[test], tests.comparison[test]
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
def write_lookup_rows(tests, columns, lo, hi, rows):
    """Raise the rows of zeroed rows [inputs, n] that stand for the values of columns, for states lo..hi-1."""
    for each in range(len(tests.lookup_column)):
        column, low, table = tests.lookup_column[each], tests.lookup_min[each], tests.lookup_rows[each]
        for i in range(lo, hi):
            place = np.int64(columns[column, i]) - low
            if 0 <= place < len(table) and table[place] >= 0:
                rows[table[place], i] = 1


@njit(cache=True, nogil=True)
def write_lookup_indices(tests, columns, lo, hi, indices):
    """Write which input stands for the value of each column to indices [maps, n], -1 for none, for states lo..hi-1."""
    for each in range(len(tests.lookup_column)):
        column, low, table = tests.lookup_column[each], tests.lookup_min[each], tests.lookup_rows[each]
        for i in range(lo, hi):
            place = np.int64(columns[column, i]) - low
            indices[each, i] = table[place] if 0 <= place < len(table) else -1
