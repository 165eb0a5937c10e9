"""Set the bits of inputs that count the cards acting as a cell, without columns of numbers in between.

A block has a row of bits for each input, see circuit/evaluation.py. 64 states share a word, in the layout of
circuit/kernels.py: states are divided into eight runs, and run k supplies bit k of every byte.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.core import device_function, kernel
from abl_cards.games.description.pack import NO_CELL

_WORD_BYTES = 8
"""Bytes of a word: the number of kinds of cards that are read at once, and of words of a block that are written."""
_COLUMN_PADDING = 64
"""Bytes between columns: columns a power of two apart would share lines of the cache."""

_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
"""De Bruijn sequence: multiplied by a single bit, its six highest bits identify the index of that bit."""
_LOWEST_BIT = np.array(
    [bit for _, bit in sorted(((1 << bit) * int(_DE_BRUIJN) % (1 << 64) >> 58, bit) for bit in range(64))]
)
_LOWEST_BIT = _LOWEST_BIT.astype(np.uint64)

# Flat arrays with unsigned indices avoid reference counting of views, and let LLVM vectorise the loops.


@kernel
def set_bits_sparse(
    packed, num_blocks, rows, context, acts_as, slots, has_single_kinds, first, num_states, num_words, block
):
    """Set input bits card by card, which is fast for sparse vectors of cards.

    Args:
        packed: uint64 [tables, words], copies of each card in bytes [seats * kinds], viewed as words.
        num_blocks: Number of seats.
        rows: int64 [states], index of the table of each state.
        context: [states], index of the context of each state.
        acts_as: int16 [contexts, kinds, max_cells], cells of each kind of card, padded with NO_CELL.
        slots: int32 [seats * cells, max_count], input that tests for at least 1, 2, … cards of a cell; -1 for none.
        has_single_kinds: No tested cell stands for several kinds of cards in one context.
        first: First state of the block.
        num_states: Number of states in the block.
        num_words: Number of words of a row of the block that the states take.
        block: uint64 [inputs, words], modified; the rows of these inputs must be zero.
    """
    target = block.reshape(block.size).view(np.uint8)
    width, run_length, one_word = np.uint64(8 * block.shape[1]), 8 * num_words, np.uint64(1)
    flat_packed, flat_acts_as = packed.reshape(packed.size), acts_as.reshape(acts_as.size)
    flat_slots, lowest_bit, words_per_row = slots.reshape(slots.size), _LOWEST_BIT, np.uint64(packed.shape[1])
    kinds, max_cells = np.uint64(acts_as.shape[1]), np.uint64(acts_as.shape[2])
    max_count, cells = np.uint64(slots.shape[1]), np.uint64(len(slots) // num_blocks)
    cell_counts = np.zeros(len(slots), np.int64)  # [seats * cells] tag of the last state with such a card; its count
    first_cell = np.zeros(words_per_row * np.uint64(_WORD_BYTES), np.uint64)  # of the seat of each byte
    acts_as_offset = np.zeros(words_per_row * np.uint64(_WORD_BYTES), np.uint64)  # of the kind of each byte
    for index in range(np.uint64(num_blocks) * kinds):
        first_cell[index], acts_as_offset[index] = index // kinds * cells, index % kinds * max_cells
    occupied = np.empty(words_per_row, np.uint64)
    for bit in range(8):
        bit_mask = np.uint8(1 << bit)
        for byte_index in range(np.uint64(max(0, min(run_length, num_states - bit * run_length)))):
            state = np.uint64(first + bit * run_length) + byte_index
            first_word, state_tag = np.uint64(rows[state]) * words_per_row, np.int64(state + one_word) << 16
            num_occupied = np.uint64(0)
            context_offset = np.uint64(context[state]) * kinds * max_cells
            for word in range(words_per_row):  # no branch, as it would be unpredictable which words have cards
                occupied[num_occupied] = word
                num_occupied += np.uint64(flat_packed[first_word + word] != 0)
            for occupied_index in range(num_occupied):
                word = occupied[occupied_index]
                remaining = flat_packed[first_word + word]
                while remaining != 0:
                    shift = lowest_bit[
                        ((remaining & (~remaining + one_word)) * _DE_BRUIJN) >> np.uint64(58)
                    ] & np.uint64(56)
                    copies = np.int64((remaining >> shift) & np.uint64(255))
                    remaining &= ~(np.uint64(255) << shift)
                    index = word * np.uint64(_WORD_BYTES) + (shift >> np.uint64(3))
                    for cell_index in range(max_cells):
                        cell = flat_acts_as[context_offset + acts_as_offset[index] + cell_index]
                        if cell == NO_CELL:
                            break
                        target_cell, count_before = first_cell[index] + np.uint64(cell), np.int64(0)
                        if not has_single_kinds:
                            count_before = max(cell_counts[target_cell] - state_tag, np.int64(0))
                            cell_counts[target_cell] = state_tag + count_before + copies
                        for threshold in range(
                            np.uint64(count_before), min(np.uint64(count_before + copies), max_count)
                        ):
                            slot = flat_slots[target_cell * max_count + threshold]
                            if slot >= 0:
                                target[np.uint64(slot) * width + byte_index] |= bit_mask


@kernel
def set_bits_dense(cards, num_kinds, rows, context, kind_by_cell, slots, first, num_states, num_words, block):
    """Set input bits kind by kind, which is fast for dense vectors of cards; each cell must be one kind of card.

    The bits of a kind are computed for some hundred states at once, which fit in the L1 cache, and are then copied to
    its cells for each context.

    Args:
        cards: uint8 [tables, blocks * kinds], copies of each card.
        num_kinds: Number of kinds of cards.
        rows: int64 [states], index of the table of each state.
        context: [states], index of the context of each state.
        kind_by_cell: int16 [contexts, cells], kind of card that acts as each cell; negative for none.
        slots: int32 [blocks * cells, max_count], input that tests for at least 1, 2, … cards of a cell; -1 for none.
        first: First state of the block.
        num_states: Number of states in the block.
        num_words: Number of words of a row of the block that the states take.
        block: uint64 [inputs, words], modified; the rows of these inputs must be zero.
    """
    max_count, cells, run_length = slots.shape[1], kind_by_cell.shape[1], 8 * num_words
    context_slot, context_bits = _build_context_bits(context, len(kind_by_cell), first, num_states, num_words)
    flat_block = block.reshape(block.size)
    stride, length = np.uint64(block.shape[1]), min(num_words, _WORD_BYTES)
    columns, bits = (
        np.zeros((num_kinds, 64 * length + _COLUMN_PADDING), np.uint8),
        np.zeros((num_kinds, length), np.uint64),
    )
    for chunk in range(0, num_words, length):
        chunk_words = np.uint64(min(length, num_words - chunk))
        for seat in range(cards.shape[1] // num_kinds):
            _transpose_cards(
                cards, rows, seat * num_kinds, first, num_states, 8 * chunk, run_length, 8 * length, columns
            )
            for threshold in range(max_count):
                _write_threshold_bits(columns, threshold + 1, bits)
                for context_index in range(len(context_slot)):
                    if context_slot[context_index] < 0:
                        continue
                    states_in_context = context_bits[context_slot[context_index], chunk:]
                    for cell in range(cells):
                        kind, slot = kind_by_cell[context_index, cell], slots[seat * cells + cell, threshold]
                        if kind >= 0 and slot >= 0:
                            target, kind_bits = np.uint64(slot) * stride + np.uint64(chunk), bits[kind]
                            for j in range(chunk_words):
                                flat_block[target + j] |= states_in_context[j] & kind_bits[j]


@device_function
def _transpose_cards(cards, rows, column, first, num_states, byte, run, length, columns):
    """Transpose cards [tables, any] from a column on into columns [kinds, 8 * length].

    The states are those of ``length`` bytes of a block from ``byte`` on: ``length`` states of each of its eight runs,
    filled up with zeros.
    """
    flat_cards, flat_columns = cards.reshape(cards.size), columns.reshape(columns.size)
    row_length, column_length = np.uint64(cards.shape[1]), np.uint64(columns.shape[1])
    for bit in range(8):
        start = bit * run + byte
        num_present = np.uint64(max(0, min(length, min(run - byte, num_states - start))))
        for j in range(np.uint64(length)):
            target = np.uint64(bit * length) + j
            if j < num_present:
                source = np.uint64(rows[np.uint64(first + start) + j]) * row_length + np.uint64(column)
                for kind in range(np.uint64(columns.shape[0])):
                    flat_columns[kind * column_length + target] = flat_cards[source + kind]
            else:
                for kind in range(np.uint64(columns.shape[0])):
                    flat_columns[kind * column_length + target] = 0


@device_function
def _write_threshold_bits(columns, threshold, bits):
    """Write to bits [kinds, words] where columns [kinds, 64 * words and padding] are at least a threshold."""
    source, target = columns.reshape(columns.size), bits.reshape(bits.size).view(np.uint8)
    run_length, value, column_length = np.uint64(8 * bits.shape[1]), np.uint8(threshold), np.uint64(columns.shape[1])
    for kind in range(np.uint64(columns.shape[0])):
        first, target_row = kind * column_length, kind * run_length
        for j in range(run_length):
            packed_bits = np.uint8(source[first + np.uint64(7) * run_length + j] >= value)
            for k in range(1, 8):
                packed_bits = (packed_bits + packed_bits) | np.uint8(
                    source[first + np.uint64(7 - k) * run_length + j] >= value
                )
            target[target_row + j] = packed_bits


@device_function
def _build_context_bits(context, num_contexts, first, num_states, num_words):
    """Return the slot [contexts] of each context that occurs, else -1, and the bits [slots, words] of its states."""
    context_slot, num_found = np.full(num_contexts, -1, np.int64), 0
    for i in range(first, first + num_states):
        if context_slot[context[i]] < 0:
            context_slot[context[i]] = num_found
            num_found += 1
    bits = np.zeros((num_found, num_words), np.uint64)
    target, run_length = bits.reshape(bits.size).view(np.uint8), 8 * num_words
    for bit in range(8):
        for byte in range(max(0, min(run_length, num_states - bit * run_length))):
            target[context_slot[context[first + bit * run_length + byte]] * run_length + byte] |= np.uint8(1 << bit)
    return context_slot, bits
