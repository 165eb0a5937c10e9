"""The numba kernels; importing this module imports numba, so only `evaluate` does, and only when it is called.

Sixty-four states share a word. Which of them is which bit does not matter as long as packing and unpacking agree:
a block of states is cut into eight runs, and run k lends bit k of every byte. So both are shifts of whole words.
"""

# mypy: disable-error-code="no-untyped-call,misc"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from abl_cards.logic.lower import ALWAYS, AND2, AND3, AND4, CLEAR, FULL, HALF

ONES = np.uint64(0x0101010101010101)
ZERO = np.uint64(0)
FLIP = np.uint64(0xFFFFFFFFFFFFFFFF)


@njit(nogil=True, cache=True)
def pack(rows: Any, first: int, words: int, buffer: Any) -> None:
    """Bytes (0 or 1) of `64 * words` states from column `first` on into one bit each."""
    run = 8 * words
    for row in range(len(rows)):
        target = buffer[row]
        for j in range(words):
            target[j] = ZERO
        for k in range(8):
            source = rows[row, first + k * run : first + (k + 1) * run].view(np.uint64)
            shift = np.uint64(k)
            for j in range(words):
                target[j] |= (source[j] & ONES) << shift


@njit(nogil=True, cache=True)
def unpack(buffer: Any, outputs: Any, first: int, words: int, out: Any) -> None:
    """The reverse of `pack`, for literals of slots."""
    run = 8 * words
    for row in range(len(outputs)):
        literal = outputs[row]
        if literal < 0:
            out[row, first : first + 8 * run] = np.uint8(1 if literal == ALWAYS else 0)
            continue
        source = buffer[literal >> 1]
        mask = FLIP if literal & 1 else ZERO
        for k in range(8):
            target = out[row, first + k * run : first + (k + 1) * run].view(np.uint64)
            shift = np.uint64(k)
            for j in range(words):
                target[j] = ((source[j] ^ mask) >> shift) & ONES


@njit(nogil=True, cache=True)
def execute(operations: Any, first: int, end: int, words: int, buffer: Any) -> bool:
    """Run operations [first, end) on a block; returns whether a RAISE changed a word."""
    risen = ZERO
    for index in range(first, end):
        code = operations[index, 0]
        target = buffer[operations[index, 1]]
        if code == CLEAR:
            for j in range(words):
                target[j] = ZERO
            continue
        a, ma = buffer[operations[index, 3] >> 1], FLIP if operations[index, 3] & 1 else ZERO
        b, mb = buffer[operations[index, 4] >> 1], FLIP if operations[index, 4] & 1 else ZERO
        if code == AND2:
            for j in range(words):
                target[j] = (a[j] ^ ma) & (b[j] ^ mb)
            continue
        c, mc = buffer[operations[index, 5] >> 1], FLIP if operations[index, 5] & 1 else ZERO
        if code == AND3:
            for j in range(words):
                target[j] = (a[j] ^ ma) & (b[j] ^ mb) & (c[j] ^ mc)
        elif code == AND4:
            d, md = buffer[operations[index, 6] >> 1], FLIP if operations[index, 6] & 1 else ZERO
            for j in range(words):
                target[j] = (a[j] ^ ma) & (b[j] ^ mb) & (c[j] ^ mc) & (d[j] ^ md)
        elif code == HALF:
            carry = buffer[operations[index, 2]]
            for j in range(words):
                x, y = a[j] ^ ma, b[j] ^ mb
                target[j] = x ^ y
                carry[j] = x & y
        elif code == FULL:
            carry = buffer[operations[index, 2]]
            for j in range(words):
                x, y, z = a[j] ^ ma, b[j] ^ mb, c[j] ^ mc
                either = x ^ y
                target[j] = either ^ z
                carry[j] = (x & y) | (either & z)
        else:  # RAISE
            for j in range(words):
                new = target[j] | (a[j] ^ ma)
                risen |= new ^ target[j]
                target[j] = new
    return risen != ZERO


@njit(nogil=True, cache=True)
def run(
    operations: Any, segments: Any, outputs: Any, rows: Any, out: Any, first: int, end: int, buffer: Any
) -> None:
    """Evaluate columns [first, end), a multiple of 64 of them, block by block."""
    start = first
    while start < end:
        words = min(buffer.shape[1], (end - start) // 64)
        pack(rows, start, words, buffer)
        for segment in range(len(segments)):
            again = True
            while again:
                again = execute(operations, segments[segment, 0], segments[segment, 1], words, buffer)
                again = again and segments[segment, 2] == 1
        unpack(buffer, outputs, start, words, out)
        start += 64 * words


@njit(nogil=True, cache=True)
def weigh(rows: Any, weights: Any, out: Any, totals: Any) -> None:
    """totals[state] += the weights of the rows that are 1 there."""
    block = 2048
    for start in range(0, len(totals), block):
        total = totals[start : start + block]
        for index in range(len(rows)):
            weight = weights[index]
            row = out[rows[index], start : start + block]
            for state in range(len(total)):
                total[state] += weight * np.int32(row[state])
