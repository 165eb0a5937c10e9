"""Evaluate a circuit for a table of states: a byte row for each atom, a column for each state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.lower import Bytecode, lower_circuit
from abl_cards.core import map_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD_BITS = 64  # states in a machine word
MIN_WORDS = 16  # what is worth a thread: an operation on half as many words takes three quarters of the time
BLOCK_BYTES = 1 << 20  # what the buffer of one block may take: long rows are worth more than the nearest cache


def evaluate(
    circuit: Circuit, rows: NDArray[np.uint8], out: NDArray[np.uint8] | None = None, threads: int = 1
) -> NDArray[np.uint8]:
    """uint8[outputs, states] from uint8[inputs, states], both 0 or 1; written to `out` when it is given.

    Raises ValueError when a shape or a type does not fit the circuit.
    """
    rows, out = _check_arrays(circuit, rows, out)
    if not out.flags.c_contiguous:
        out[:] = evaluate(circuit, rows, threads=threads)
        return out
    every = CircuitInputs(rows, np.arange(len(rows), dtype=np.int32), np.empty((0, rows.shape[1]), np.int32))
    return _evaluate(circuit, every, lambda lo, hi: None, (), out, threads)


class CircuitInputs(NamedTuple):
    """What some states are told: some inputs as bytes, and of others which hold."""

    rows: NDArray[np.uint8]  # [slots, states] 0 or 1
    slots: NDArray[np.int32]  # the number of the input that each row is about
    one_hot: NDArray[np.int32]  # [maps, states] the number of an input that holds, -1 for none; all others do not


SetBits = Callable[[int, int, int, "NDArray[np.uint64]"], None]
"""Sets the bits of inputs that hold: ``set_bits(first, states, words, block)``, of ``states`` states from ``first`` on.

An input owns the row of its number in the block; `kernels.set_bits` says which bit is whose.
"""


def evaluate_inputs(
    circuit: Circuit,
    inputs: CircuitInputs,
    write_rows: Callable[[int, int], None],
    threads: int = 1,
    bit_setters: Sequence[SetBits] = (),
) -> NDArray[np.uint8]:
    """uint8[outputs, states] of what `write_rows(lo, hi)` tells the states lo..hi-1, and bit setters tell besides.

    A share is written and evaluated by one thread, while it is in its cache. Where an input says which of many values
    something has, its number is told and not a row for each of them. Where few of many inputs hold, they are lit.
    """
    out = np.empty((len(circuit.outputs), inputs.rows.shape[1]), np.uint8)
    return _evaluate(circuit, inputs, write_rows, bit_setters, out, threads)


def _evaluate(
    circuit: Circuit, inputs: CircuitInputs, write_rows: Callable[[int, int], None], bit_setters: Sequence[SetBits],
    out: NDArray[np.uint8], threads: int,
) -> NDArray[np.uint8]:  # fmt: skip
    code, states = get_bytecode(circuit), inputs.rows.shape[1]
    words = -(-states // WORD_BITS)

    def share(lo: int, hi: int) -> None:
        first, end = WORD_BITS * lo, min(states, WORD_BITS * hi)
        write_rows(first, end)
        _run_blocks(code, len(circuit.inputs), inputs, bit_setters, out, first, end)

    map_ranges(words, share, threads, MIN_WORDS)
    return out


def scores(circuit: Circuit, out: NDArray[np.uint8]) -> NDArray[np.int32]:
    """int32[states]: the sum of the weights of the `cost(Name, Weight)` outputs that hold in each state."""
    rows, weights = circuit.cost_rows
    every = np.zeros(len(out), np.int32)
    every[rows] = weights
    return weighted_sums(every, out)


def weighted_sums(weights: NDArray[np.int32], out: NDArray[np.uint8]) -> NDArray[np.int32]:
    """int32[states]: the sum of the weights [outputs] of the outputs that hold in each state."""
    from abl_cards.circuit import kernels

    totals, rows = np.zeros(out.shape[1], np.int32), np.flatnonzero(weights)
    kernels.add_weighted_rows(rows, weights[rows], np.ascontiguousarray(out), totals)
    return totals


_bytecode_cache: WeakValueDictionary[bytes, Bytecode] = WeakValueDictionary()
"""By the circuits that they are of, as long as one of these is there; see
`abl_cards.circuit.compile.specialise_circuit`.
"""


def get_bytecode(circuit: Circuit) -> Bytecode:
    """The word code of a circuit, made once."""
    code: Bytecode | None = circuit.__dict__.get("_code")
    if code is None:
        code = _bytecode_cache.get(circuit.digest)
        if code is None:
            code = _bytecode_cache[circuit.digest] = lower_circuit(circuit)
        circuit.__dict__["_code"] = code
    return code


def _check_arrays(
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


def _run_blocks(
    code: Bytecode,
    inputs: int,
    circuit_inputs: CircuitInputs,
    bit_setters: Sequence[SetBits],
    out: NDArray[np.uint8],
    first: int,
    end: int,
) -> None:
    from abl_cards.circuit import kernels

    lanes, words = kernels.LANES, max(1, -(-(end - first) // WORD_BITS))
    most = min(kernels.padded_words(words), max(1, BLOCK_BYTES // (8 * code.slots * lanes)) * lanes)
    buffer = np.empty((code.slots, most), np.uint64)
    for start in range(first, end, WORD_BITS * most):
        states = min(WORD_BITS * most, end - start)
        words = min(most, kernels.padded_words(-(-states // WORD_BITS)))
        kernels.load_inputs(inputs, *circuit_inputs, start, states, words, buffer)
        for light in bit_setters:
            light(start, states, words, buffer)
        kernels.evaluate_block(code.operations, code.segments, code.outputs, out, start, states, words, buffer)
