"""Evaluate a circuit for a table of states: a byte row for each atom, a column for each state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from abl_cards.logic.circuit import Circuit
from abl_cards.logic.lower import Code, lower
from abl_cards.parallel import each_share

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WORD = 64  # states in a machine word
MIN_WORDS = 8  # what is worth a thread
CACHE_BYTES = 1 << 18  # what the buffer of one block may take: a part of the second-level cache


def evaluate(
    circuit: Circuit, rows: NDArray[np.uint8], out: NDArray[np.uint8] | None = None, threads: int = 1
) -> NDArray[np.uint8]:
    """uint8[outputs, states] from uint8[inputs, states], both 0 or 1; written to `out` when it is given.

    Raises ValueError when a shape or a type does not fit the circuit.
    """
    rows, out = _checked(circuit, rows, out)
    if not out.flags.c_contiguous:
        out[:] = evaluate(circuit, rows, threads=threads)
        return out
    code, states = code_of(circuit), rows.shape[1]
    words = -(-states // WORD)
    each_share(words, lambda lo, hi: _run(code, rows, out, WORD * lo, min(states, WORD * hi)), threads, MIN_WORDS)
    return out


def evaluate_written(
    circuit: Circuit, states: int, write: Callable[[NDArray[np.uint8], int, int], None], threads: int = 1
) -> NDArray[np.uint8]:
    """uint8[outputs, states] of states that are written by the share: ``write(rows, lo, hi)`` into zeroed rows.

    A share is written and evaluated by one thread, while it is in its cache.
    """
    rows = np.zeros((len(circuit.inputs), states), np.uint8)
    out = np.empty((len(circuit.outputs), states), np.uint8)
    code, words = code_of(circuit), -(-states // WORD)

    def share(lo: int, hi: int) -> None:
        first, end = WORD * lo, min(states, WORD * hi)
        write(rows, first, end)
        _run(code, rows, out, first, end)

    each_share(words, share, threads, MIN_WORDS)
    return out


def scores(circuit: Circuit, out: NDArray[np.uint8]) -> NDArray[np.int32]:
    """int32[states]: the sum of the weights of the `cost(Name, Weight)` outputs that hold in each state."""
    rows, weights = circuit.cost_rows
    every = np.zeros(len(out), np.int32)
    every[rows] = weights
    return weigh(every, out)


def weigh(weights: NDArray[np.int32], out: NDArray[np.uint8]) -> NDArray[np.int32]:
    """int32[states]: the sum of the weights [outputs] of the outputs that hold in each state."""
    from abl_cards.logic import kernels

    totals, rows = np.zeros(out.shape[1], np.int32), np.flatnonzero(weights)
    kernels.weigh(rows, weights[rows], np.ascontiguousarray(out), totals)
    return totals


def code_of(circuit: Circuit) -> Code:
    """The word code of a circuit, made once."""
    code: Code | None = circuit.__dict__.get("_code")
    if code is None:
        code = lower(circuit)
        circuit.__dict__["_code"] = code
    return code


def _checked(
    circuit: Circuit, rows: NDArray[np.uint8], out: NDArray[np.uint8] | None
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    if rows.dtype == np.bool_:
        rows = rows.view(np.uint8)
    if rows.dtype != np.uint8 or rows.ndim != 2 or len(rows) != len(circuit.inputs):
        raise ValueError(
            f"rows must be uint8[{len(circuit.inputs)}, states], not {rows.dtype}[{', '.join(map(str, rows.shape))}]"
        )
    shape = (len(circuit.outputs), rows.shape[1])
    if out is None:
        out = np.empty(shape, np.uint8)
    elif out.dtype != np.uint8 or out.shape != shape:
        raise ValueError(f"out must be uint8[{shape[0]}, {shape[1]}]")
    return np.ascontiguousarray(rows), out


def _run(code: Code, rows: NDArray[np.uint8], out: NDArray[np.uint8], first: int, end: int) -> None:
    from abl_cards.logic import kernels

    words = max(1, min(-(-(end - first) // WORD), max(8, CACHE_BYTES // (8 * code.slots))))
    buffer = np.empty((code.slots, words), np.uint64)
    kernels.run(code.operations, code.segments, code.outputs, rows, out, first, end, buffer)
