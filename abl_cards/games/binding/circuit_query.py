"""Convert columns of numbers to the input rows of a circuit.

A column holds one number for each state, such as the number of aces in a hand. An input of a circuit is a test of a
column: at least a value, equal to a value, or a bit. Columns form groups, and a writer fills the columns of a group.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import (
    Circuit,
    CircuitInputs,
    PackedOutputs,
    SetBits,
    evaluate_inputs,
    evaluate_packed,
    merge_inputs,
)
from abl_cards.core import NUM_THREADS, kernel, map_ranges
from abl_cards.games.binding.writer import BitSettingWriter
from abl_cards.games.description import AT_LEAST, BIT, EQUAL, ColumnWriter, InputSchema, find_test, group_widths

BLOCK_SIZE = 256
"""Number of states whose columns are compared at once."""


class ColumnTests(NamedTuple):
    """Tests that define the inputs of a circuit, sorted by column and comparison.

    Columns that are compared for equality with many values are looked up in maps, as at most one of the tests holds.
    """

    row: NDArray[np.int32]  # [tests] input row of the circuit
    column: NDArray[np.int32]  # [tests] index among the columns that the circuit reads
    comparison: NDArray[np.int8]  # [tests] AT_LEAST, EQUAL or BIT
    value: NDArray[np.int16]  # [tests] value or index of a bit
    lookup_column: NDArray[np.int32]  # [maps] index among the columns that the circuit reads
    lookup_min: NDArray[np.int32]  # [maps] lowest value with a row
    lookup_rows: NDArray[np.int32]  # [maps, values] input row of each value from the lowest on, -1 for none


MIN_LOOKUP_VALUES = 6
"""Minimum number of values from which on the input rows of a column are looked up by value."""


@dataclass(frozen=True)
class CircuitQuery:
    """Circuit with the columns that its inputs test.

    Attributes:
        circuit: Circuit to evaluate.
        groups: Groups with columns that the circuit reads, in the order of the columns.
        used_columns: int64 [used] for each group, indices in the group of the columns that the circuit reads.
        offsets: First column of each group, and the number of columns.
        group_sizes: Number of columns of each group, used or not.
        tests: Tests that define the inputs.
    """

    circuit: Circuit
    groups: tuple[str, ...]
    used_columns: tuple[NDArray[np.int64], ...]
    offsets: tuple[int, ...]
    group_sizes: Mapping[str, int]
    tests: ColumnTests

    @classmethod
    def from_circuit(cls, circuit: Circuit, schema: InputSchema, groups: frozenset[str] | None = None) -> CircuitQuery:
        """Build a query from a circuit.

        Args:
            circuit: Circuit to evaluate.
            schema: Numbering of the arguments of inputs.
            groups: Groups whose inputs are written; None for all groups. Other inputs, and those that can never hold,
                are false.
        """
        tests_by_row = [(row, find_test(schema, atom)) for row, atom in enumerate(circuit.inputs)]
        row_tests = [(row, test) for row, test in tests_by_row if test and (groups is None or test.group in groups)]
        columns: dict[str, set[int]] = {}
        for _, test in row_tests:
            columns.setdefault(test.group, set()).add(test.column)
        group_names = tuple(sorted(columns))
        used_columns = tuple(np.array(sorted(columns[name]), np.int64) for name in group_names)
        offsets = np.cumsum([0, *map(len, used_columns)]).tolist()
        column_index = {
            (name, int(column)): offset + position
            for name, group_columns, offset in zip(group_names, used_columns, offsets, strict=False)
            for position, column in enumerate(group_columns)
        }
        rows = [(column_index[test.group, test.column], test.comparison, test.value, row) for row, test in row_tests]
        return cls(circuit, group_names, used_columns, tuple(offsets), group_widths(schema), _build_tests(rows))

    def build_rows(self, n: int, writers: Mapping[str, ColumnWriter]) -> NDArray[np.uint8]:
        """Compute the input rows of n states.

        Args:
            n: Number of states.
            writers: Column writers by group.

        Returns:
            uint8 [inputs, n], truth of each input.
        """
        rows = np.zeros((len(self.circuit.inputs), n), np.uint8)
        self.write_rows(rows, writers)
        return rows

    def write_rows(self, rows: NDArray[np.uint8], writers: Mapping[str, ColumnWriter]) -> None:
        """Compute the input rows of n states in place.

        Args:
            rows: uint8 [inputs, n], modified; the inputs of the groups of this query must be zero.
            writers: Column writers by group.
        """
        n = rows.shape[1]
        columns, tests = self._allocate_columns(n), self.tests

        def write(lo: int, hi: int) -> None:
            self._write_columns(writers, columns, lo, hi)
            compare_columns(tests, columns, lo, hi, rows)
            write_lookup_rows(tests, columns, lo, hi, rows)

        map_ranges(n, write)

    def evaluate(self, n: int, writers: Mapping[str, ColumnWriter]) -> NDArray[np.uint8]:
        """Evaluate the circuit for n states.

        Args:
            n: Number of states.
            writers: Column writers by group.

        Returns:
            uint8 [outputs, n], truth of each output.
        """
        return evaluate_inputs(*self._merged._evaluation(n, writers))

    def evaluate_packed(
        self, n: int, writers: Mapping[str, ColumnWriter], packed: slice
    ) -> tuple[NDArray[np.uint8], PackedOutputs]:
        """Evaluate the circuit for n states, and leave some outputs packed.

        Args:
            n: Number of states.
            writers: Column writers by group.
            packed: Rows of the outputs to leave packed.

        Returns:
            uint8 [other outputs, n], truth of each other output, and the packed outputs.
        """
        circuit, inputs, write, threads, bit_setters = self._merged._evaluation(n, writers)
        return evaluate_packed(circuit, inputs, write, packed, threads, bit_setters)

    def _evaluation(
        self, n: int, writers: Mapping[str, ColumnWriter]
    ) -> tuple[Circuit, CircuitInputs, Callable[[int, int], None], int, list[SetBits]]:
        """Return the circuit, its inputs, their writer, the number of threads and the setters of further inputs."""
        bit_setters = self._make_bit_setters(writers)
        reduced, compact_tests = self._get_reduced(frozenset(bit_setters))
        tests, columns = reduced.tests, reduced._allocate_columns(n)
        inputs = CircuitInputs(
            np.empty((len(tests.row), n), np.uint8), tests.row, np.empty((len(tests.lookup_column), n), np.int32)
        )

        def write(lo: int, hi: int) -> None:
            reduced._write_columns(writers, columns, lo, hi)
            compare_columns(compact_tests, columns, lo, hi, inputs.rows)
            write_lookup_indices(tests, columns, lo, hi, inputs.one_hot)

        return self.circuit, inputs, write, NUM_THREADS, [*bit_setters.values()]

    @cached_property
    def _merged(self) -> CircuitQuery:
        """Query for evaluation: values that the circuit does not tell apart are looked up as one input."""
        looked_up = self.tests.lookup_rows[self.tests.lookup_rows >= 0].tolist()
        circuit, new_row = merge_inputs(self.circuit, looked_up)
        if circuit is self.circuit:
            return self
        tests, lookup_rows = self.tests, self.tests.lookup_rows
        return replace(
            self,
            circuit=circuit,
            tests=tests._replace(
                row=new_row[tests.row], lookup_rows=np.where(lookup_rows < 0, np.int32(-1), new_row[lookup_rows])
            ),
        )

    def _make_bit_setters(self, writers: Mapping[str, ColumnWriter]) -> dict[str, SetBits]:
        """Return the functions that set input bits, by group; groups without one are left out."""
        bit_setters = {}
        for group, slots in self._threshold_slots.items():
            writer = writers[group]
            bit_setter = writer.make_bit_setter(slots) if isinstance(writer, BitSettingWriter) else None
            if bit_setter is not None:
                bit_setters[group] = bit_setter
        return bit_setters

    @cached_property
    def _threshold_slots(self) -> dict[str, NDArray[np.int32]]:
        """Inputs [columns, max_value] that test whether a column is at least 1, 2, …, by group; -1 for none.

        Groups with any other test, or with two inputs for one test, such as ``holds(0,card(3,h),1)`` and
        ``holds(0,3,h,1)``, are left out.
        """
        slots_by_group = {}
        tests = self.tests
        for group, used, first, end in zip(
            self.groups, self.used_columns, self.offsets[:-1], self.offsets[1:], strict=True
        ):
            in_group = (tests.column >= first) & (tests.column < end)
            has_lookup = ((tests.lookup_column >= first) & (tests.lookup_column < end)).any()
            pairs = list(zip(tests.column[in_group].tolist(), tests.value[in_group].tolist(), strict=True))
            if (
                in_group.any()
                and not has_lookup
                and len(set(pairs)) == len(pairs)
                and ((tests.comparison == AT_LEAST) & (tests.value > 0))[in_group].all()
            ):
                slots = np.full((self.group_sizes[group], tests.value[in_group].max()), -1, np.int32)
                slots[used[tests.column[in_group] - first], tests.value[in_group] - 1] = tests.row[in_group]
                slots_by_group[group] = slots
        return slots_by_group

    def _get_reduced(self, excluded_groups: frozenset[str]) -> tuple[CircuitQuery, ColumnTests]:
        """Return the query without some groups, and its tests with consecutive rows."""
        cached = self._reduced_cache.get(excluded_groups)
        if cached is None:
            reduced = self._build_reduced(excluded_groups) if excluded_groups else self
            cached = reduced, reduced.tests._replace(row=np.arange(len(reduced.tests.row), dtype=np.int32))
            self._reduced_cache[excluded_groups] = cached
        return cached

    @cached_property
    def _reduced_cache(self) -> dict[frozenset[str], tuple[CircuitQuery, ColumnTests]]:
        """Results of _get_reduced: the same groups are excluded each time."""
        return {}

    def _build_reduced(self, excluded_groups: frozenset[str]) -> CircuitQuery:
        """Build the query without some groups; their tests must compare columns with values."""
        group_indices = [index for index, group in enumerate(self.groups) if group not in excluded_groups]
        old_columns = [column for index in group_indices for column in range(*self.offsets[index : index + 2])]
        new_index = np.full(self.offsets[-1], -1, np.int32)
        new_index[old_columns] = np.arange(len(old_columns))
        tests, used = self.tests, tuple(self.used_columns[index] for index in group_indices)
        is_retained = new_index[tests.column] >= 0
        reduced_tests = tests._replace(
            row=tests.row[is_retained], column=new_index[tests.column[is_retained]],
            comparison=tests.comparison[is_retained], value=tests.value[is_retained],
            lookup_column=new_index[tests.lookup_column],
        )  # fmt: skip
        offsets = np.cumsum([0, *map(len, used)]).tolist()
        return CircuitQuery(
            self.circuit,
            tuple(self.groups[index] for index in group_indices),
            used,
            tuple(offsets),
            self.group_sizes,
            reduced_tests,
        )

    def _allocate_columns(self, n: int) -> NDArray[np.int16]:
        """Allocate the columns [columns, n] that the circuit reads."""
        return np.zeros((self.offsets[-1], n), np.int16)

    def _write_columns(self, writers: Mapping[str, ColumnWriter], columns: NDArray[np.int16], lo: int, hi: int) -> None:
        for group, used, first, end in zip(
            self.groups, self.used_columns, self.offsets[:-1], self.offsets[1:], strict=True
        ):
            writers[group](lo, hi, columns[first:end], used)


def _build_tests(rows: list[tuple[int, int, int, int]]) -> ColumnTests:
    by_column: dict[int, list[tuple[int, int]]] = {}
    for column, comparison, value, row in rows:
        if comparison == EQUAL:
            by_column.setdefault(column, []).append((value, row))
    looked_up = {
        column
        for column, values in by_column.items()
        if len(values) >= MIN_LOOKUP_VALUES and len({value for value, _ in values}) == len(values)
    }
    compared = sorted(row for row in rows if not (row[1] == EQUAL and row[0] in looked_up))
    lows = [min(value for value, _ in by_column[column]) for column in sorted(looked_up)]
    span = max(
        (max(by_column[column])[0] - low + 1 for column, low in zip(sorted(looked_up), lows, strict=True)), default=1
    )
    maps = np.full((len(looked_up), span), -1, np.int32)
    for index, (column, low) in enumerate(zip(sorted(looked_up), lows, strict=True)):
        for value, row in by_column[column]:
            maps[index, value - low] = row
    columns = np.array(compared, np.int32).reshape(-1, 4).T
    return ColumnTests(
        columns[3].copy(), columns[0].copy(), columns[1].astype(np.int8), columns[2].astype(np.int16),
        np.array(sorted(looked_up), np.int32), np.array(lows, np.int32), maps,
    )  # fmt: skip


# Flat arrays with unsigned indices avoid reference counting of views, and let LLVM vectorise the loops.


@kernel
def compare_columns(tests, columns, lo, hi, rows):
    """Write the results of all tests that compare a column with a value.

    Args:
        tests: ColumnTests.
        columns: int16 [columns, n].
        lo: First state.
        hi: End of the states, exclusive.
        rows: uint8 [inputs, n], modified.
    """
    flat_columns, flat_rows, n = columns.reshape(columns.size), rows.reshape(rows.size), np.uint64(columns.shape[1])
    for start in range(lo, hi, BLOCK_SIZE):
        length = np.uint64(min(BLOCK_SIZE, hi - start))
        for test in range(len(tests.row)):
            source, target = (
                np.uint64(tests.column[test]) * n + np.uint64(start),
                np.uint64(tests.row[test]) * n + np.uint64(start),
            )
            value, comparison = tests.value[test], tests.comparison[test]
            if comparison == AT_LEAST:
                for i in range(length):
                    flat_rows[target + i] = np.uint8(flat_columns[source + i] >= value)
            elif comparison == BIT:
                for i in range(length):
                    flat_rows[target + i] = np.uint8((flat_columns[source + i] >> value) & np.int16(1))
            else:
                for i in range(length):
                    flat_rows[target + i] = np.uint8(flat_columns[source + i] == value)


@kernel
def write_lookup_rows(tests, columns, lo, hi, rows):
    """Set the inputs that stand for the values of columns with a map.

    Args:
        tests: ColumnTests.
        columns: int16 [columns, n].
        lo: First state.
        hi: End of the states, exclusive.
        rows: uint8 [inputs, n], zeros that are modified.
    """
    for index in range(len(tests.lookup_column)):
        column, low, table = tests.lookup_column[index], tests.lookup_min[index], tests.lookup_rows[index]
        for i in range(lo, hi):
            offset = np.int64(columns[column, i]) - low
            if 0 <= offset < len(table) and table[offset] >= 0:
                rows[table[offset], i] = 1


@kernel
def write_lookup_indices(tests, columns, lo, hi, indices):
    """Write the index of the input that stands for the value of each column with a map.

    Args:
        tests: ColumnTests.
        columns: int16 [columns, n].
        lo: First state.
        hi: End of the states, exclusive.
        indices: int32 [maps, n], modified; -1 if no input stands for the value.
    """
    for index in range(len(tests.lookup_column)):
        column, low, table = tests.lookup_column[index], tests.lookup_min[index], tests.lookup_rows[index]
        for i in range(lo, hi):
            offset = np.int64(columns[column, i]) - low
            indices[index, i] = table[offset] if 0 <= offset < len(table) else -1
