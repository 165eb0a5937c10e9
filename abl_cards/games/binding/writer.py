"""Column writers: functions that fill the columns of one group of inputs from arrays."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import SetBits
from abl_cards.core import kernel
from abl_cards.games.description import ColumnWriter


class BitSettingWriter(ABC):
    """Column writer that may set the input bits of a circuit directly, without writing columns."""

    @abstractmethod
    def __call__(self, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        """Fill columns of the group, as a ``ColumnWriter``.

        Args:
            lo: First state.
            hi: End of the states, exclusive.
            columns: int16 [used, n], modified.
            used: int64 [used], indices in the group.
        """

    @abstractmethod
    def make_bit_setter(self, slots: NDArray[np.int32]) -> SetBits | None:
        """Make a function that sets input bits.

        Args:
            slots: int32 [columns of the group, max_value], input that tests whether a column is at least 1, 2, …;
                -1 for none.

        Returns:
            The function; None if the columns must be written.
        """


def make_array_writer(values: Sequence[NDArray[np.integer]] | NDArray[np.integer]) -> ColumnWriter:
    """Make a writer of columns that are stored as arrays.

    Args:
        values: Arrays [n], one for each column of the group.
    """
    return make_lazy_writer(lambda column: values[column])


def make_lazy_writer(values: Callable[[int], NDArray[np.integer]]) -> ColumnWriter:
    """Make a writer of columns that are computed only if the circuit reads them.

    Args:
        values: Returns the array [n] of a column, by its index in the group.
    """

    def write_columns(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        for row, column in enumerate(used):
            columns[row, lo:hi] = values(column)[lo:hi]

    return write_columns


def make_sliced_writer(values: Callable[[int, slice], NDArray[np.integer]]) -> ColumnWriter:
    """Make a writer of columns that are computed slice by slice, for columns that are expensive to compute.

    Args:
        values: Returns a slice of a column, by the index of the column in the group.
    """

    def write_columns(lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]) -> None:
        for row, column in enumerate(used):
            columns[row, lo:hi] = values(column, slice(lo, hi))

    return write_columns


def make_gather_writer(values: NDArray[np.integer], rows: NDArray[np.int64]) -> ColumnWriter:
    """Make a writer of columns that are stored table by table.

    Args:
        values: [tables, columns of the group].
        rows: int64 [n], indices of tables.
    """
    return lambda lo, hi, columns, used: _gather(values, rows, used, lo, hi, columns)


def make_masked_writer(
    values: NDArray[np.integer], rows: NDArray[np.int64], seats: NDArray[np.int8], slot_owner: NDArray[np.int8],
    defaults: NDArray[np.integer],
) -> ColumnWriter:  # fmt: skip
    """Make a writer of columns that are stored table by table, and of which some are private to a seat.

    Args:
        values: [tables, columns of the group].
        rows: int64 [n], indices of tables.
        seats: int8 [n], seat that observes each table.
        slot_owner: int8 [columns of the group], seat that may observe the column, -1 for all seats.
        defaults: [columns of the group], values written for columns that the seat may not observe.
    """
    return lambda lo, hi, columns, used: _gather_masked(
        values, rows, seats, slot_owner, defaults, used, lo, hi, columns
    )


@kernel
def _gather_masked(values, rows, seats, slot_owner, defaults, used, lo, hi, columns):
    for i in range(lo, hi):
        row = rows[i]
        for column in range(len(used)):
            slot = used[column]
            is_visible = slot_owner[slot] < 0 or slot_owner[slot] == seats[i]
            columns[column, i] = values[row, slot] if is_visible else defaults[slot]


@kernel
def _gather(values, rows, used, lo, hi, columns):
    for i in range(lo, hi):
        row = rows[i]
        for column in range(len(used)):
            columns[column, i] = values[row, used[column]]
