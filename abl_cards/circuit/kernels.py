"""The numba kernels; importing this module imports numba, so only `evaluate` does, and only when it is called.

Sixty-four states share a word. Which of them is which bit does not matter as long as packing and unpacking agree:
a block of states is cut into eight runs, and run k lends bit k of every byte. So both are shifts of whole words.
"""

# mypy: disable-error-code="no-untyped-call,misc"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from abl_cards.circuit.lower import AND2, AND3, AND4, CLEAR, CONST_TRUE, FULL_ADD, HALF_ADD

ONE = np.uint8(1)
ZERO = np.uint64(0)


LANES = 8
"""Words that the machine works on at once: to go through a few more of them is sooner than to go one by one."""


def padded_words(words: int) -> int:
    """How many words a block of so many has: one, or a multiple of LANES."""
    return words if words < 2 else (words + LANES - 1) // LANES * LANES


@njit(nogil=True, cache=True, inline="always")
def pack_bits(rows: Any, slots: Any, first: int, words: int, buffer: Any) -> None:
    """Bytes (0 or 1) of `64 * words` states from column `first` on into one bit each; slots [rows] is where they go."""
    source, target = rows.reshape(rows.size), buffer.reshape(buffer.size).view(np.uint8)
    columns, width, run = np.uint64(rows.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(rows))):
        at, to = row * columns + np.uint64(first), np.uint64(slots[row]) * width
        for j in range(run):
            byte = source[at + np.uint64(7) * run + j] & ONE
            for k in range(1, 8):
                byte = (byte + byte) | (source[at + np.uint64(7 - k) * run + j] & ONE)
            target[to + j] = byte


@njit(nogil=True, cache=True, inline="always")
def set_bits(one_hot: Any, first: int, states: int, words: int, buffer: Any) -> None:
    """Set the bits that `one_hot` [maps, states] names by their slots, -1 for none; from column `first` on."""
    target = buffer.reshape(buffer.size).view(np.uint8)
    width, run = 8 * buffer.shape[1], 8 * words
    for each in range(len(one_hot)):
        for k in range(8):
            for state in range(k * run, min(states, (k + 1) * run)):
                slot = np.int64(one_hot[each, first + state])
                if slot >= 0:
                    target[slot * width + state - k * run] |= ONE << np.uint8(k)


@njit(nogil=True, cache=True, inline="always")
def is_never_true(buffer: Any, literal: int, words: int) -> bool:
    """Whether a literal holds in no state of a block, as most outputs do."""
    flat, at = buffer.reshape(buffer.size), np.uint64(literal >> 1) * np.uint64(buffer.shape[1])
    mask, some = ZERO - np.uint64(literal & 1), ZERO
    for j in range(np.uint64(words)):
        some |= flat[at + j] ^ mask
    return some == ZERO


@njit(nogil=True, cache=True, inline="always")
def unpack_bits(buffer: Any, outputs: Any, first: int, words: int, out: Any) -> None:
    """The reverse of `pack_bits`, for literals of slots."""
    source, target = buffer.reshape(buffer.size).view(np.uint8), out.reshape(out.size)
    columns, width, run = np.uint64(out.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(outputs))):
        to, literal = row * columns + np.uint64(first), outputs[row]
        if literal < 0 or is_never_true(buffer, literal, words):
            out[row, first : first + 64 * words] = np.uint8(1 if literal == CONST_TRUE else 0)
            continue
        at, flip = np.uint64(literal >> 1) * width, np.uint8(255 * (literal & 1))
        for j in range(run):
            byte = source[at + j] ^ flip
            for k in range(8):
                target[to + np.uint64(k) * run + j] = (byte >> np.uint8(k)) & ONE


@njit(nogil=True, cache=True)
def execute_operations(operations: Any, first: int, end: int, words: int, buffer: Any) -> bool:
    """Run operations [first, end) on a block; returns whether an OR_ASSIGN changed a word."""
    # One flat array and unsigned indices: no views to count references of, and loops that LLVM vectorises.
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


@njit(nogil=True, cache=True)
def execute_operations_word(operations: Any, first: int, end: int, flat: Any) -> bool:
    """As `execute_operations` does, where a slot is a single word: the loops over words would take most of the time."""
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


@njit(nogil=True, cache=True, inline="always")
def read_literal(flat: Any, literal: int) -> Any:
    """The word of `2 * slot + negated`."""
    return flat[np.uint64(literal >> 1)] ^ (ZERO - np.uint64(literal & 1))


@njit(nogil=True, cache=True, inline="always")
def run_segments(operations: Any, segments: Any, words: int, buffer: Any) -> None:
    """Run all the segments; a recursive one until nothing rises."""
    flat, single = buffer.reshape(buffer.size), buffer.shape[1] == 1
    for segment in range(len(segments)):
        first, end, repeated = segments[segment]
        if single:
            while execute_operations_word(operations, first, end, flat) and repeated:
                pass
        else:
            while execute_operations(operations, first, end, words, buffer) and repeated:
                pass


@njit(nogil=True, cache=True, inline="always")
def pack_partial_bits(rows: Any, slots: Any, first: int, states: int, words: int, buffer: Any) -> None:
    """As `pack_bits` does, of a block that is not full: the states that are not there are 0."""
    source, target = rows.reshape(rows.size), buffer.reshape(buffer.size).view(np.uint8)
    columns, width, run = np.uint64(rows.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(rows))):
        at, to, left = row * columns + np.uint64(first), np.uint64(slots[row]) * width, np.uint64(states)
        for j in range(run):
            target[to + j] = 0
        bit = np.uint8(0)
        while left > 0:
            length = min(left, run)
            for j in range(length):
                target[to + j] |= (source[at + j] & ONE) << bit
            at, left, bit = at + length, left - length, bit + ONE


@njit(nogil=True, cache=True, inline="always")
def unpack_partial_bits(buffer: Any, outputs: Any, first: int, states: int, words: int, out: Any) -> None:
    """The reverse of `pack_partial_bits`."""
    source, target = buffer.reshape(buffer.size).view(np.uint8), out.reshape(out.size)
    columns, width, run = np.uint64(out.shape[1]), np.uint64(8 * buffer.shape[1]), np.uint64(8 * words)
    for row in range(np.uint64(len(outputs))):
        to, literal, left = row * columns + np.uint64(first), outputs[row], np.uint64(states)
        if literal < 0 or is_never_true(buffer, literal, words):
            out[row, first : first + states] = np.uint8(1 if literal == CONST_TRUE else 0)
            continue
        at, flip, bit = np.uint64(literal >> 1) * width, np.uint8(literal & 1), np.uint8(0)
        while left > 0:
            length = min(left, run)
            for j in range(length):
                target[to + j] = ((source[at + j] >> bit) & ONE) ^ flip
            to, left, bit = to + length, left - length, bit + ONE


@njit(nogil=True, cache=True)
def load_inputs(
    inputs: int, rows: Any, slots: Any, one_hot: Any, first: int, states: int, words: int, buffer: Any
) -> None:
    """Write what so many states from column `first` on are told into a block.

    Of so many inputs, which own the first slots, rows [slots, states] are given as bytes, and others as `set_bits` has
    it.
    """
    if len(slots) < inputs:
        buffer[:inputs, :words] = ZERO
    if states == 64 * words:
        pack_bits(rows, slots, first, words, buffer)
    else:
        pack_partial_bits(rows, slots, first, states, words, buffer)
    set_bits(one_hot, first, states, words, buffer)


@njit(nogil=True, cache=True)
def evaluate_block(
    operations: Any, segments: Any, outputs: Any, out: Any, first: int, states: int, words: int, buffer: Any
) -> None:
    """Evaluate a block that has been told everything."""
    run_segments(operations, segments, words, buffer)
    if states == 64 * words:
        unpack_bits(buffer, outputs, first, words, out)
    else:  # the last few states
        unpack_partial_bits(buffer, outputs, first, states, words, out)


@njit(nogil=True, cache=True)
def add_weighted_rows(rows: Any, weights: Any, out: Any, totals: Any) -> None:
    """totals[state] += the weights of the rows that are 1 there."""
    block = 2048
    for start in range(0, len(totals), block):
        total = totals[start : start + block]
        for index in range(len(rows)):
            weight = weights[index]
            row = out[rows[index], start : start + block]
            for state in range(len(total)):
                total[state] += weight * np.int32(row[state])
