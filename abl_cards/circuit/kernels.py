"""Numba kernels that evaluate circuits; only functions of `evaluation` import this module, on their first call.

Sixty-four states share a word. A block of states is cut into eight runs, and run k is bit k of every byte, so that
packing and unpacking are shifts of whole words.
"""

# mypy: disable-error-code="no-untyped-call,misc"
from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.circuit.lower import AND2, AND3, AND4, CLEAR, CONST_TRUE, FULL_ADD, HALF_ADD
from abl_cards.core import device_function, kernel

ONE = np.uint8(1)
ZERO = np.uint64(0)


LANES = 8
"""Words of a vector of the processor: whole vectors are faster than a remainder of single words."""


def padded_words(words: int) -> int:
    """Round a number of words up to that of a block: one, or a multiple of LANES."""
    return words if words < 2 else (words + LANES - 1) // LANES * LANES


@device_function
def pack_bits(rows: Any, slots: Any, first: int, words: int, buffer: Any) -> None:
    """Pack bytes (0 or 1) of `64 * words` states from column `first` on to bits; row i goes to slot `slots[i]`."""
    source, target = rows.reshape(rows.size), buffer.reshape(buffer.size).view(np.uint8)
    columns, width, run = np.uint64(rows.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(rows))):
        source_start, target_start = row * columns + np.uint64(first), np.uint64(slots[row]) * width
        for j in range(run):
            byte = source[source_start + np.uint64(7) * run + j] & ONE
            for k in range(1, 8):
                byte = (byte + byte) | (source[source_start + np.uint64(7 - k) * run + j] & ONE)
            target[target_start + j] = byte


@device_function
def set_one_hot_bits(one_hot: Any, first: int, states: int, words: int, buffer: Any) -> None:
    """Set the bit of slot `one_hot[map, state]` for each state from column `first` on; -1 stands for no slot."""
    target = buffer.reshape(buffer.size).view(np.uint8)
    width, run = 8 * buffer.shape[1], 8 * words
    for row in range(len(one_hot)):
        for k in range(8):
            for state in range(k * run, min(states, (k + 1) * run)):
                slot = np.int64(one_hot[row, first + state])
                if slot >= 0:
                    target[slot * width + state - k * run] |= ONE << np.uint8(k)


@device_function
def is_never_true(buffer: Any, literal: int, words: int) -> bool:
    """Return whether a literal is false in all states of a block, as most outputs are."""
    flat, start = buffer.reshape(buffer.size), np.uint64(literal >> 1) * np.uint64(buffer.shape[1])
    mask, any_bits = ZERO - np.uint64(literal & 1), ZERO
    for j in range(np.uint64(words)):
        any_bits |= flat[start + j] ^ mask
    return any_bits == ZERO


@device_function
def unpack_bits(buffer: Any, outputs: Any, first: int, words: int, out: Any) -> None:
    """Unpack the bits of output literals to bytes of `64 * words` states from column `first` on."""
    source, target = buffer.reshape(buffer.size).view(np.uint8), out.reshape(out.size)
    columns, width, run = np.uint64(out.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(outputs))):
        target_start, literal = row * columns + np.uint64(first), outputs[row]
        if literal < 0 or is_never_true(buffer, literal, words):
            out[row, first : first + 64 * words] = np.uint8(1 if literal == CONST_TRUE else 0)
            continue
        source_start, flip = np.uint64(literal >> 1) * width, np.uint8(255 * (literal & 1))
        for j in range(run):
            byte = source[source_start + j] ^ flip
            for k in range(8):
                target[target_start + np.uint64(k) * run + j] = (byte >> np.uint8(k)) & ONE


@device_function
def execute_operations(operations: Any, first: int, end: int, words: int, buffer: Any) -> bool:
    """Run operations [first, end) on a block; return whether an OR_ASSIGN changed a word."""
    # One flat array and unsigned indices avoid reference counts of views, and LLVM vectorises the loops.
    flat = buffer.reshape(buffer.size)
    stride = np.uint64(buffer.shape[1])
    length = np.uint64(words)
    risen = ZERO
    for index in range(first, end):
        code = operations[index, 0]
        target = np.uint64(operations[index, 1]) * stride
        if code == CLEAR:
            for j in range(length):
                flat[target + j] = ZERO
            continue
        a, ma = np.uint64(operations[index, 3] >> 1) * stride, ZERO - np.uint64(operations[index, 3] & 1)
        b, mb = np.uint64(operations[index, 4] >> 1) * stride, ZERO - np.uint64(operations[index, 4] & 1)
        c, mc = np.uint64(operations[index, 5] >> 1) * stride, ZERO - np.uint64(operations[index, 5] & 1)
        if code == AND2:
            for j in range(length):
                flat[target + j] = (flat[a + j] ^ ma) & (flat[b + j] ^ mb)
        elif code == AND3:
            for j in range(length):
                flat[target + j] = (flat[a + j] ^ ma) & (flat[b + j] ^ mb) & (flat[c + j] ^ mc)
        elif code == AND4:
            d, md = np.uint64(operations[index, 6] >> 1) * stride, ZERO - np.uint64(operations[index, 6] & 1)
            for j in range(length):
                both = (flat[a + j] ^ ma) & (flat[b + j] ^ mb)
                flat[target + j] = both & (flat[c + j] ^ mc) & (flat[d + j] ^ md)
        elif code == HALF_ADD:
            carry = np.uint64(operations[index, 2]) * stride
            for j in range(length):
                x, y = flat[a + j] ^ ma, flat[b + j] ^ mb
                flat[target + j] = x ^ y
                flat[carry + j] = x & y
        elif code == FULL_ADD:
            carry = np.uint64(operations[index, 2]) * stride
            for j in range(length):
                x, y, z = flat[a + j] ^ ma, flat[b + j] ^ mb, flat[c + j] ^ mc
                either = x ^ y
                flat[target + j] = either ^ z
                flat[carry + j] = (x & y) | (either & z)
        else:  # OR_ASSIGN
            for j in range(length):
                new = flat[target + j] | (flat[a + j] ^ ma)
                risen |= new ^ flat[target + j]
                flat[target + j] = new
    return risen != ZERO


@device_function
def execute_operations_word(operations: Any, first: int, end: int, flat: Any) -> bool:
    """Run operations [first, end) on slots of one word, where loops over words would take most of the time."""
    risen = ZERO
    for index in range(np.uint64(first), np.uint64(end)):
        code, target = operations[index, 0], np.uint64(operations[index, 1])
        if code == CLEAR:
            flat[target] = ZERO
            continue
        a = read_literal(flat, operations[index, 3])
        b = read_literal(flat, operations[index, 4])
        if code == AND2:
            flat[target] = a & b
        elif code == AND3:
            flat[target] = a & b & read_literal(flat, operations[index, 5])
        elif code == AND4:
            flat[target] = a & b & read_literal(flat, operations[index, 5]) & read_literal(flat, operations[index, 6])
        elif code == HALF_ADD:
            flat[target], flat[np.uint64(operations[index, 2])] = a ^ b, a & b
        elif code == FULL_ADD:
            c, either = read_literal(flat, operations[index, 5]), a ^ b
            flat[target], flat[np.uint64(operations[index, 2])] = either ^ c, (a & b) | (either & c)
        else:  # OR_ASSIGN
            new = flat[target] | a
            risen |= new ^ flat[target]
            flat[target] = new
    return risen != ZERO


@device_function
def read_literal(flat: Any, literal: int) -> Any:
    """Return the word of the literal `2 * slot + negated`."""
    return flat[np.uint64(literal >> 1)] ^ (ZERO - np.uint64(literal & 1))


@device_function
def run_segments(operations: Any, segments: Any, words: int, buffer: Any) -> None:
    """Run all segments; a repeated one until no word changes."""
    flat, single = buffer.reshape(buffer.size), buffer.shape[1] == 1
    for segment in range(len(segments)):
        first, end, repeated = segments[segment]
        if single:
            while execute_operations_word(operations, first, end, flat) and repeated:
                pass
        else:
            while execute_operations(operations, first, end, words, buffer) and repeated:
                pass


@device_function
def pack_partial_bits(rows: Any, slots: Any, first: int, states: int, words: int, buffer: Any) -> None:
    """Pack bytes of `states` states from column `first` on to bits of a block that is not full; its rest is 0."""
    source, target = rows.reshape(rows.size), buffer.reshape(buffer.size).view(np.uint8)
    columns, width, run = np.uint64(rows.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(rows))):
        source_start, target_start, num_left = (
            row * columns + np.uint64(first),
            np.uint64(slots[row]) * width,
            np.uint64(states),
        )
        for j in range(run):
            target[target_start + j] = 0
        bit = np.uint8(0)
        while num_left > 0:
            length = min(num_left, run)
            for j in range(length):
                target[target_start + j] |= (source[source_start + j] & ONE) << bit
            source_start, num_left, bit = source_start + length, num_left - length, bit + ONE


@device_function
def unpack_partial_bits(buffer: Any, outputs: Any, first: int, states: int, words: int, out: Any) -> None:
    """Unpack the bits of output literals to bytes of `states` states of a block that is not full."""
    source, target = buffer.reshape(buffer.size).view(np.uint8), out.reshape(out.size)
    columns, width, run = np.uint64(out.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(outputs))):
        target_start, literal, num_left = row * columns + np.uint64(first), outputs[row], np.uint64(states)
        if literal < 0 or is_never_true(buffer, literal, words):
            out[row, first : first + states] = np.uint8(1 if literal == CONST_TRUE else 0)
            continue
        source_start, flip, bit = np.uint64(literal >> 1) * width, np.uint8(literal & 1), np.uint8(0)
        while num_left > 0:
            length = min(num_left, run)
            for j in range(length):
                target[target_start + j] = ((source[source_start + j] >> bit) & ONE) ^ flip
            target_start, num_left, bit = target_start + length, num_left - length, bit + ONE


@kernel
def load_inputs(
    inputs: int, rows: Any, slots: Any, one_hot: Any, first: int, states: int, words: int, buffer: Any
) -> None:
    """Write the inputs of `states` states from column `first` on into a block, whose first slots hold the inputs.

    `rows` holds the inputs in `slots` as bytes; `one_hot` names true ones among the others.
    """
    if len(slots) < inputs:
        buffer[:inputs, :words] = ZERO
    if states == 64 * words:
        pack_bits(rows, slots, first, words, buffer)
    else:
        pack_partial_bits(rows, slots, first, states, words, buffer)
    set_one_hot_bits(one_hot, first, states, words, buffer)


@kernel
def evaluate_block(
    operations: Any, segments: Any, outputs: Any, out: Any, first: int, states: int, words: int, buffer: Any
) -> None:
    """Evaluate a block that holds all inputs, and write the outputs."""
    run_segments(operations, segments, words, buffer)
    if states == 64 * words:
        unpack_bits(buffer, outputs, first, words, out)
    else:  # the last few states
        unpack_partial_bits(buffer, outputs, first, states, words, out)


@kernel
def copy_bits(buffer: Any, outputs: Any, first: int, words: int, bits: Any) -> None:
    """Copy the words of output literals of a block to words `first` and following of `bits` [outputs, words]."""
    source, target = buffer.reshape(buffer.size), bits.reshape(bits.size)
    stride, width, length = np.uint64(buffer.shape[1]), np.uint64(bits.shape[1]), np.uint64(words)
    for row in range(np.uint64(len(outputs))):
        literal, target_start = outputs[row], row * width + np.uint64(first)
        if literal < 0:
            for j in range(length):
                target[target_start + j] = ZERO - np.uint64(literal == CONST_TRUE)
            continue
        source_start, mask = np.uint64(literal >> 1) * stride, ZERO - np.uint64(literal & 1)
        for j in range(length):
            target[target_start + j] = source[source_start + j] ^ mask


@kernel
def unpack_positions(bits: Any, position: Any, values: Any) -> None:
    """Write the bit of each state at `position` [states] of `bits` [rows, bytes] to `values` [rows, states]."""
    source, target = bits.reshape(bits.size), values.reshape(values.size)
    width, states = np.uint64(bits.shape[1]), np.uint64(len(position))
    for row in range(np.uint64(len(bits))):
        for state in range(states):
            place = np.uint64(position[state])
            byte = source[row * width + (place >> np.uint64(3))]
            target[row * states + state] = (byte >> np.uint8(place & np.uint64(7))) & ONE


@kernel
def add_weighted_rows(rows: Any, weights: Any, out: Any, totals: Any) -> None:
    """Add the weights of the rows that are 1 in a state to `totals[state]`."""
    block = 2048
    for start in range(0, len(totals), block):
        total = totals[start : start + block]
        for index in range(len(rows)):
            weight = weights[index]
            row = out[rows[index], start : start + block]
            for state in range(len(total)):
                total[state] += weight * np.int32(row[state])
