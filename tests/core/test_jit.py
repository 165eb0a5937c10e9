"""Decorators of compiled functions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from abl_cards.core import borrow_arrays, copy_values, device_function, kernel


def test_values_are_copied() -> None:
    @njit
    def copy(source, target, count):  # type: ignore[no-untyped-def]
        copy_values(source, target, count)

    target = np.full(4, 9, np.int64)
    copy(np.arange(6, dtype=np.uint8)[1:], target[1:], 2)
    assert target.tolist() == [9, 1, 2, 9]


class Inner(NamedTuple):
    values: Any
    factor: int


class Outer(NamedTuple):
    inner: Inner
    name: str
    bits: Any


def test_borrowed_arrays_are_those_of_the_caller() -> None:
    @njit
    def add(inner, amount):  # type: ignore[no-untyped-def]
        for index in range(len(inner.values)):
            inner.values[index] += amount * inner.factor

    @njit
    def run(outer, matrix):  # type: ignore[no-untyped-def]
        outer, matrix = borrow_arrays(outer), borrow_arrays(matrix)
        for index in range(2):
            matrix[0, index] = outer.bits[index]
        add(outer.inner, 2)
        return len(outer.name)

    outer = Outer(Inner(np.arange(4), 3), "four", np.ones(3, np.bool_))
    matrix = np.zeros((2, 2))
    for _ in range(1000):  # more often than a count that is lowered only would bear
        assert run(outer, matrix) == 4
    assert outer.inner.values.tolist() == [6000, 6001, 6002, 6003]
    assert matrix.tolist() == [[1, 1], [0, 0]]


def test_calls_with_constants_share_their_code() -> None:
    @device_function
    def add(value, amount):  # type: ignore[no-untyped-def]
        return value + amount

    @kernel
    def run(value):  # type: ignore[no-untyped-def]
        return add(value, 1) + add(value, 2) + add(value=value, amount=3) + add(value, value)

    assert run(5) == 6 + 7 + 8 + 10
    assert len(add.signatures) == 1
