"""Evaluate a circuit for many states at once, given as bytes with a row for each atom and a column for each state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from abl_cards.asp import load_or_compute
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.circuit_io import MIN_CACHED_GATES, pack_bytecode, unpack_bytecode
from abl_cards.circuit.lower import Bytecode, lower_circuit
from abl_cards.core import map_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD_BITS = 64
"""States in a machine word."""
MIN_WORDS = 16
"""Least words for one thread: an operation on half as many words takes three quarters of the time."""
BLOCK_BYTES = 1 << 20
"""Most bytes of the buffer of a block: long rows save more time than a buffer in the nearest cache would."""


def evaluate(
    circuit: Circuit, rows: NDArray[np.uint8 | np.bool_], out: NDArray[np.uint8] | None = None, threads: int = 1
) -> NDArray[np.uint8]:
    """Evaluate a circuit.

    Args:
        circuit: Circuit to evaluate.
        rows: uint8[inputs, states] or bool[inputs, states] Values of the inputs, 0 or 1.
        out: uint8[outputs, states] Array for the result; by default a new one.
        threads: Most threads to use.

    Returns:
        uint8[outputs, states] Values of the outputs, 0 or 1.

    Raises:
        ValueError: A shape or a dtype does not fit the circuit, or a value is neither 0 nor 1.
    """
    rows, out = _check_arrays(circuit, rows, out)
    if not out.flags.c_contiguous:
        out[:] = evaluate(circuit, rows.view(np.bool_), threads=threads)
        return out
    all_inputs = CircuitInputs(rows, np.arange(len(rows), dtype=np.int32), np.empty((0, rows.shape[1]), np.int32))
    return _evaluate(circuit, all_inputs, lambda lo, hi: None, (), out, threads)


class CircuitInputs(NamedTuple):
    """Values of the inputs of a circuit for a number of states.

    Attributes:
        rows: uint8[slots, states] Values 0 or 1 of the inputs in `slots`.
        slots: int32[slots] Index of the input of each row.
        one_hot: int32[maps, states] Index of an input that is true, -1 for none; inputs not named here are false.
    """

    rows: NDArray[np.uint8]
    slots: NDArray[np.int32]
    one_hot: NDArray[np.int32]


SetBits = Callable[[int, int, int, "NDArray[np.uint64]"], None]
"""Sets the bits of true inputs in a block: ``set_bits(first, states, words, block)``.

The block, uint64[slots, words], holds ``states`` states from column ``first`` on; input i owns row i. See
`kernels.set_one_hot_bits` for the order of the bits.
"""


def evaluate_inputs(
    circuit: Circuit,
    inputs: CircuitInputs,
    write_rows: Callable[[int, int], None],
    threads: int = 1,
    bit_setters: Sequence[SetBits] = (),
) -> NDArray[np.uint8]:
    """Evaluate a circuit whose inputs are written in the threads that evaluate them, while they are in the cache.

    Args:
        circuit: Circuit to evaluate.
        inputs: Arrays that `write_rows` fills. `one_hot` is for inputs of which one in many is true.
        write_rows: ``write_rows(first, end)`` writes the columns of these states to the arrays of `inputs`.
        threads: Most threads to use.
        bit_setters: Functions that set the bits of further inputs directly, for inputs of which few are true.

    Returns:
        uint8[outputs, states] Values of the outputs, 0 or 1.
    """
    out = np.empty((len(circuit.outputs), inputs.rows.shape[1]), np.uint8)
    return _evaluate(circuit, inputs, write_rows, bit_setters, out, threads)


class PackedOutputs(NamedTuple):
    """Values of outputs as bits, for outputs so many that bytes would take longer to write than to compute.

    Attributes:
        bits: uint8[outputs, bytes] Bits in the order of the blocks of the evaluation.
        position: int32[states] Position of the bit of each state: `8 * byte + bit`.
    """

    bits: NDArray[np.uint8]
    position: NDArray[np.int32]

    def select(self, states: NDArray[np.int64]) -> PackedOutputs:
        """Return the outputs of some states, which share the bits."""
        return PackedOutputs(self.bits, self.position[states])

    def unpack(self) -> NDArray[np.uint8]:
        """Return uint8[outputs, states] the values, 0 or 1."""
        from abl_cards.circuit import kernels

        values = np.empty((len(self.bits), len(self.position)), np.uint8)
        kernels.unpack_positions(self.bits, self.position, values)
        return values


def evaluate_packed(
    circuit: Circuit,
    inputs: CircuitInputs,
    write_rows: Callable[[int, int], None],
    packed: slice,
    threads: int = 1,
    bit_setters: Sequence[SetBits] = (),
) -> tuple[NDArray[np.uint8], PackedOutputs]:
    """Evaluate a circuit as `evaluate_inputs` does, and leave some outputs packed.

    Args:
        circuit: Circuit to evaluate.
        inputs: Arrays that `write_rows` fills.
        write_rows: ``write_rows(first, end)`` writes the columns of these states to the arrays of `inputs`.
        packed: Rows of the outputs to leave packed.
        threads: Most threads to use.
        bit_setters: Functions that set the bits of further inputs directly.

    Returns:
        uint8[other outputs, states] values of the other outputs, 0 or 1, and the packed ones.
    """
    from abl_cards.circuit import kernels

    states, is_packed = inputs.rows.shape[1], np.zeros(len(circuit.outputs), np.bool_)
    is_packed[packed] = True
    out = np.empty((int((~is_packed).sum()), states), np.uint8)
    words = kernels.padded_words(max(1, -(-states // WORD_BITS)))
    bits, position = np.empty((int(is_packed.sum()), words), np.uint64), np.empty(states, np.int32)
    _evaluate(circuit, inputs, write_rows, bit_setters, out, threads, (is_packed, bits, position))
    return out, PackedOutputs(bits.view(np.uint8), position)


_PackedTarget = tuple["NDArray[np.bool_]", "NDArray[np.uint64]", "NDArray[np.int32]"]
"""bool[outputs] which outputs to pack, the words of their bits, and the positions of the states."""


def _evaluate(
    circuit: Circuit, inputs: CircuitInputs, write_rows: Callable[[int, int], None], bit_setters: Sequence[SetBits],
    out: NDArray[np.uint8], threads: int, packed: _PackedTarget | None = None,
) -> NDArray[np.uint8]:  # fmt: skip
    code, states = get_bytecode(circuit), inputs.rows.shape[1]
    words = -(-states // WORD_BITS)

    def evaluate_share(first_word: int, end_word: int) -> None:
        first, end = WORD_BITS * first_word, min(states, WORD_BITS * end_word)
        write_rows(first, end)
        _run_blocks(code, len(circuit.inputs), inputs, bit_setters, out, first, end, packed)

    if packed is None:
        map_ranges(words, evaluate_share, threads, MIN_WORDS)
    else:  # packed words are padded to whole vectors
        from abl_cards.circuit.kernels import LANES

        map_ranges(
            -(-words // LANES), lambda lo, hi: evaluate_share(LANES * lo, LANES * hi), threads, MIN_WORDS // LANES
        )
    return out


def scores(circuit: Circuit, out: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Compute the cost of each state.

    Args:
        circuit: Circuit with outputs `cost(Name, Weight)`.
        out: uint8[outputs, states] Values of its outputs.

    Returns:
        int32[states] Sum of the weights of the true `cost(Name, Weight)`.
    """
    rows, weights = circuit.cost_rows
    output_weights = np.zeros(len(out), np.int32)
    output_weights[rows] = weights
    return weighted_sums(output_weights, out)


def weighted_sums(weights: NDArray[np.int32], out: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Compute the sum of the weights of the true outputs of each state.

    Args:
        weights: int32[outputs] Weight of each output.
        out: uint8[outputs, states] Values of the outputs.

    Returns:
        int32[states] The sums.

    Raises:
        ValueError: There is not a weight for each output.
    """
    from abl_cards.circuit import kernels

    if out.ndim != 2 or weights.shape != out.shape[:1]:
        raise ValueError(f"weights {list(weights.shape)} of outputs {list(out.shape)}: give one for each output")
    totals, rows = np.zeros(out.shape[1], np.int32), np.flatnonzero(weights)
    kernels.add_weighted_rows(rows, weights[rows], np.ascontiguousarray(out), totals)
    return totals


_bytecode_cache: WeakValueDictionary[bytes, Bytecode] = WeakValueDictionary()
"""Bytecode by the digest of its circuit, as long as a circuit with this digest exists."""


def get_bytecode(circuit: Circuit) -> Bytecode:
    """Return the bytecode of a circuit; circuits of equal content share it."""
    code: Bytecode | None = circuit.__dict__.get("_code")
    if code is None:
        code = _bytecode_cache.get(circuit.digest)
        if code is None:
            code = _bytecode_cache[circuit.digest] = _load_or_lower(circuit)
        circuit.__dict__["_code"] = code
    return code


def _load_or_lower(circuit: Circuit) -> Bytecode:
    if circuit.num_gates < MIN_CACHED_GATES:
        return lower_circuit(circuit)
    return load_or_compute(b"bytecode" + circuit.digest, lambda: lower_circuit(circuit), pack_bytecode, unpack_bytecode)


def _check_arrays(
    circuit: Circuit, rows: NDArray[np.uint8 | np.bool_], out: NDArray[np.uint8] | None
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    rows = np.asarray(rows)
    is_valid = rows.dtype == np.bool_
    if is_valid:
        rows = rows.view(np.uint8)
    if rows.dtype != np.uint8 or rows.ndim != 2 or len(rows) != len(circuit.inputs):
        raise ValueError(
            f"rows must be uint8[{len(circuit.inputs)}, states], not {rows.dtype}[{', '.join(map(str, rows.shape))}]"
        )
    if not is_valid and rows.max(initial=0) > 1:
        raise ValueError(f"rows must be 0 or 1, not {rows.max()}")
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
    packed: _PackedTarget | None,
) -> None:
    from abl_cards.circuit import kernels

    outputs = code.outputs if packed is None else code.outputs[~packed[0]]
    packed_outputs = None if packed is None else code.outputs[packed[0]]

    lanes, words = kernels.LANES, max(1, -(-(end - first) // WORD_BITS))
    block_words = min(kernels.padded_words(words), max(1, BLOCK_BYTES // (8 * code.slots * lanes)) * lanes)
    buffer = np.empty((code.slots, block_words), np.uint64)
    for start in range(first, end, WORD_BITS * block_words):
        states = min(WORD_BITS * block_words, end - start)
        words = min(block_words, kernels.padded_words(-(-states // WORD_BITS)))
        kernels.load_inputs(inputs, *circuit_inputs, start, states, words, buffer)
        for set_bits in bit_setters:
            set_bits(start, states, words, buffer)
        kernels.evaluate_block(code.operations, code.segments, outputs, out, start, states, words, buffer)
        if packed is not None:
            first_word, offset = start // WORD_BITS, np.arange(states, dtype=np.int32)
            kernels.copy_bits(buffer, packed_outputs, first_word, words, packed[1])
            packed[2][start : start + states] = (
                WORD_BITS * first_word + offset % (8 * words) * 8 + offset // (8 * words)
            )
