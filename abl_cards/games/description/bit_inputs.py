"""From cards to the bits of inputs that say how many of them act as a cell: no column of numbers in between.

A block has a row of bits for each input, see circuit/evaluation.py; 64 states share a word as circuit/kernels.py has
it: states are cut into eight runs, and run k lends bit k of every byte.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.description.pack import NO_CELL

_WORD_BYTES = 8
"""Bytes of a word: so many kinds of cards are looked at at once; and so many words of a block are."""
_COLUMN_PADDING = 64
"""Bytes between columns, which would come to lie on each other in the cache, were they a power of two apart."""

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
"""From each place on, six bits are a number of their own: times a single bit, the first six say which one it is."""
_LOWEST_BIT = np.array(
    [bit for _, bit in sorted(((1 << bit) * int(_DE_BRUIJN) % (1 << 64) >> 58, bit) for bit in range(64))]
)
_LOWEST_BIT = _LOWEST_BIT.astype(np.uint64)

# Flat arrays and unsigned indices: no views to count references of, and loops that LLVM vectorises.


@njit(cache=True, nogil=True)
def set_bits_sparse(
    packed, num_blocks, rows, context, acts_as, slots, has_single_kinds, first, num_states, num_words, block
):
    """Light inputs card by card: best where most kinds are not there.

    Of states from first on, rows [any] of packed [tables, any]: bytes of cards, seats * kinds, as words. context
    [any]; acts_as [contexts, kinds, most] cells; slots [seats * cells, most] the input that says at least 1, 2, …, -1
    for none. Single: no cell that is asked about is several kinds of cards at once.
    """
    target = block.reshape(block.size).view(np.uint8)
    width, run, one = np.uint64(8 * block.shape[1]), 8 * num_words, np.uint64(1)
    told, act, table, lowest = (
        packed.reshape(packed.size),
        acts_as.reshape(acts_as.size),
        slots.reshape(slots.size),
        _LOWEST_BIT,
    )
    packs, kinds, each = np.uint64(packed.shape[1]), np.uint64(acts_as.shape[1]), np.uint64(acts_as.shape[2])
    most, cells = np.uint64(slots.shape[1]), np.uint64(len(slots) // num_blocks)
    seen = np.zeros(len(slots), np.int64)  # by cell: the state that had it last, and how many cards
    below, acting = (
        np.zeros(packs * np.uint64(_WORD_BYTES), np.uint64),
        np.zeros(packs * np.uint64(_WORD_BYTES), np.uint64),
    )
    for at in range(
        np.uint64(num_blocks) * kinds
    ):  # of each byte: the cells of the seats before, and where its cells are
        below[at], acting[at] = at // kinds * cells, at % kinds * each
    there = np.empty(packs, np.uint64)
    for bit in range(8):
        mark = np.uint8(1 << bit)
        for byte in range(np.uint64(max(0, min(run, num_states - bit * run)))):
            i = np.uint64(first + bit * run) + byte
            first_word, mine, found = np.uint64(rows[i]) * packs, np.int64(i + one) << 16, np.uint64(0)
            here = np.uint64(context[i]) * kinds * each
            for word in range(packs):  # without a branch: which words have cards nobody can foresee
                there[found] = word
                found += np.uint64(told[first_word + word] != 0)
            for place in range(found):
                word = there[place]
                left = told[first_word + word]
                while left != 0:
                    shift = lowest[((left & (~left + one)) * _DE_BRUIJN) >> np.uint64(58)] & np.uint64(56)
                    copies = np.int64((left >> shift) & np.uint64(255))
                    left &= ~(np.uint64(255) << shift)
                    at = word * np.uint64(_WORD_BYTES) + (shift >> np.uint64(3))
                    for nth in range(each):
                        cell = act[here + acting[at] + nth]
                        if cell == NO_CELL:
                            break
                        counted, before = below[at] + np.uint64(cell), np.int64(0)
                        if not has_single_kinds:
                            before = max(seen[counted] - mine, np.int64(0))
                            seen[counted] = mine + before + copies
                        for least in range(np.uint64(before), min(np.uint64(before + copies), most)):
                            slot = table[counted * most + least]
                            if slot >= 0:
                                target[np.uint64(slot) * width + byte] |= mark


@njit(cache=True, nogil=True)
def set_bits_dense(cards, num_kinds, rows, context, kind_by_cell, slots, first, num_states, num_words, block):
    """Light inputs kind by kind, where a cell is one kind of cards a context: kind_by_cell [contexts, cells], or -1.

    Cards [tables, any] are those bytes; the rest as in `set_bits_sparse`. What a kind says is written down for some
    hundred states at once, which stay in the nearest cache, and goes to its cells context by context.
    """
    most, cells, run = slots.shape[1], kind_by_cell.shape[1], 8 * num_words
    number, contexts = _build_context_bits(context, len(kind_by_cell), first, num_states, num_words)
    flat = block.reshape(block.size)
    stride, length = np.uint64(block.shape[1]), min(num_words, _WORD_BYTES)
    columns, bits = (
        np.zeros((num_kinds, 64 * length + _COLUMN_PADDING), np.uint8),
        np.zeros((num_kinds, length), np.uint64),
    )
    for chunk in range(0, num_words, length):
        wide = np.uint64(min(length, num_words - chunk))
        for blocks in range(cards.shape[1] // num_kinds):
            _transpose_cards(cards, rows, blocks * num_kinds, first, num_states, 8 * chunk, run, 8 * length, columns)
            for least in range(most):
                _write_threshold_bits(columns, least + 1, bits)
                for ctx in range(len(number)):
                    if number[ctx] < 0:
                        continue
                    there = contexts[number[ctx], chunk:]
                    for cell in range(cells):
                        kind, slot = kind_by_cell[ctx, cell], slots[blocks * cells + cell, least]
                        if kind >= 0 and slot >= 0:
                            to, mine = np.uint64(slot) * stride + np.uint64(chunk), bits[kind]
                            for j in range(wide):
                                flat[to + j] |= there[j] & mine[j]


@njit(cache=True, nogil=True)
def _transpose_cards(cards, rows, column, first, num_states, byte, run, length, columns):
    """Write cards [tables, any] from a column on into columns [kinds, 8 * length].

    These are the states of so many bytes of a block from one on: of each of its eight runs so many, of those from first
    on that there are.
    """
    flat, turned = cards.reshape(cards.size), columns.reshape(columns.size)
    wide, long = np.uint64(cards.shape[1]), np.uint64(columns.shape[1])
    for bit in range(8):
        start = bit * run + byte
        there = np.uint64(max(0, min(length, min(run - byte, num_states - start))))
        for j in range(np.uint64(length)):
            to = np.uint64(bit * length) + j
            if j < there:
                at = np.uint64(rows[np.uint64(first + start) + j]) * wide + np.uint64(column)
                for kind in range(np.uint64(columns.shape[0])):
                    turned[kind * long + to] = flat[at + kind]
            else:
                for kind in range(np.uint64(columns.shape[0])):
                    turned[kind * long + to] = 0


@njit(cache=True, nogil=True)
def _write_threshold_bits(columns, threshold, bits):
    """Write into bits [kinds, words] where columns [kinds, 64 * words, and more] are at least so many."""
    source, target = columns.reshape(columns.size), bits.reshape(bits.size).view(np.uint8)
    run, value, long = np.uint64(8 * bits.shape[1]), np.uint8(threshold), np.uint64(columns.shape[1])
    for kind in range(np.uint64(columns.shape[0])):
        at, to = kind * long, kind * run
        for j in range(run):
            byte = np.uint8(source[at + np.uint64(7) * run + j] >= value)
            for k in range(1, 8):
                byte = (byte + byte) | np.uint8(source[at + np.uint64(7 - k) * run + j] >= value)
            target[to + j] = byte


@njit(cache=True, nogil=True)
def _build_context_bits(context, num_contexts, first, num_states, num_words):
    """[contexts] the number of each that some states are in, -1 for the others; [found, words] which states."""
    number, found = np.full(num_contexts, -1, np.int64), 0
    for i in range(first, first + num_states):
        if number[context[i]] < 0:
            number[context[i]] = found
            found += 1
    bits = np.zeros((found, num_words), np.uint64)
    target, run = bits.reshape(bits.size).view(np.uint8), 8 * num_words
    for bit in range(8):
        for byte in range(max(0, min(run, num_states - bit * run))):
            target[number[context[first + bit * run + byte]] * run + byte] |= np.uint8(1 << bit)
    return number, bits
