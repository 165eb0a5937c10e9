"""Cells: the ranks, cards and other terms that kinds of cards act as in each context."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.core import device_function, kernel
from abl_cards.games.description.bit_inputs import set_bits_dense, set_bits_sparse
from abl_cards.games.description.pack import NO_CELL
from abl_cards.games.types import Indices


class CellExceptions(NamedTuple):
    """Kinds of cards whose cells in some contexts differ from those in most contexts."""

    offsets: NDArray[np.int64]  # [contexts + 1] first exception of each context
    kind: NDArray[np.int64]  # [exceptions] kind of card
    usual_cells: NDArray[np.int16]  # [exceptions, max_cells] cells in most contexts
    context_cells: NDArray[np.int16]  # [exceptions, max_cells] cells in the context


@dataclass(frozen=True)
class Cells:
    """Cells of a game, and the cells that each kind of card acts as.

    Attributes:
        names: Terms of the cells.
        acts_as: int16 [contexts, kinds, max_cells], cells of each kind, padded with NO_CELL.
    """

    names: tuple[Term, ...]
    acts_as: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.names)

    def add_counts(
        self, cards: NDArray[np.uint8], context: NDArray[np.integer], used: NDArray[np.int64], lo: int, hi: int,
        columns: NDArray[np.int16],
    ) -> None:  # fmt: skip
        """Count the cards that act as each of some cells.

        Args:
            cards: uint8 [n, kinds], copies of each card.
            context: [n], index of the context of each state.
            used: int64 [used], indices of cells.
            lo: First state.
            hi: End of the states, exclusive.
            columns: int16 [used, n], zeros to which the counts are added.
        """
        quads = self._quad_groups(used)
        if quads is not None and cards.flags.c_contiguous:
            add_quad_counts(cards.view(np.uint32), quads, lo, hi, columns)
            return
        add_counts(cards, context, self._usual_cells, self._exceptions, self._used_positions(used), lo, hi, columns)

    def _quad_groups(self, used: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the group of four consecutive kinds that act as each of the used cells in all contexts.

        None if a used cell is not such a group.
        """
        key = used.tobytes()
        if key not in self._quad_cache:
            acts, kinds = self.acts_as[:1], self.acts_as.shape[1]
            is_constant = (self.acts_as == acts).all() and kinds % _QUAD == 0
            in_cell = (
                (acts[0][None] == used[:, None, None]).any(axis=2)
                if is_constant
                else np.zeros((len(used), kinds), np.bool_)
            )
            first = in_cell.argmax(axis=1)
            are_quads = is_constant and (first % _QUAD == 0).all() and (in_cell.sum(axis=1) == _QUAD).all()
            are_quads = are_quads and all(
                row[start : start + _QUAD].all() for row, start in zip(in_cell, first, strict=True)
            )
            self._quad_cache[key] = first // _QUAD if are_quads else None
        return self._quad_cache[key]

    @cached_property
    def _quad_cache(self) -> dict[bytes, NDArray[np.int64] | None]:
        """Results of _quad_groups."""
        return {}

    def add_seat_counts(
        self, cards: NDArray[np.uint8], rows: Indices, context: NDArray[np.integer], used: NDArray[np.int64], lo: int,
        hi: int, columns: NDArray[np.int16],
    ) -> None:  # fmt: skip
        """Count the cards of each seat that act as some cells; fast for sparse vectors of cards.

        Args:
            cards: uint8 [tables, seats, kinds], copies of each card.
            rows: int64 [n], indices of tables.
            context: [n], index of the context of each state.
            used: int64 [used], indices [seats * cells], seat by seat.
            lo: First state.
            hi: End of the states, exclusive.
            columns: int16 [used, n], zeros to which the counts are added.
        """
        flat, words = _flatten_cards(cards)
        positions = self._used_positions(used, cards.shape[1]).reshape(cards.shape[1], -1)
        add_seat_counts(flat, words, rows, context, self.acts_as, positions, lo, hi, columns)

    def set_bits_sparse(
        self, cards: NDArray[np.uint8], rows: Indices, context: NDArray[np.integer], slots: NDArray[np.int32],
        first: int, num_states: int, num_words: int, block: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """Set the input bits that test how many cards act as a cell; fast for sparse vectors of cards.

        Args:
            cards: uint8 [tables, blocks, kinds], copies of each card; ``is_word_aligned`` must accept them.
            rows: int64 [states], index of the table of each state.
            context: [states], index of the context of each state.
            slots: int32 [blocks * cells, max_count], input that tests for at least 1, 2, … cards; -1 for none.
            first: First state of the block.
            num_states: Number of states in the block.
            num_words: Number of words of a row of the block that the states take.
            block: uint64 [inputs, words], modified; the rows of these inputs must be zero.
        """
        packed, has_single_kinds = _flatten_cards(cards)[1], self.has_single_kinds(slots)
        set_bits_sparse(
            packed, cards.shape[1], rows, context, self.acts_as, slots, has_single_kinds, first, num_states, num_words,
            block,
        )  # fmt: skip

    @staticmethod
    def is_word_aligned(cards: NDArray[np.uint8]) -> bool:
        """Return True if the cards of a table take a multiple of 8 bytes.

        Args:
            cards: uint8 [tables, blocks, kinds], copies of each card.
        """
        return bool(_flatten_cards(cards)[1].shape[1])

    def set_bits_dense(
        self, cards: NDArray[np.uint8], rows: Indices, context: NDArray[np.integer], slots: NDArray[np.int32],
        first: int, num_states: int, num_words: int, block: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """Set the input bits that test how many cards act as a cell; fast for dense vectors of cards.

        Args:
            cards: uint8 [tables, blocks, kinds], copies of each card.
            rows: int64 [states], index of the table of each state.
            context: [states], index of the context of each state.
            slots: int32 [blocks * cells, max_count], input that tests for at least 1, 2, … cards; -1 for none;
                ``has_single_kinds`` must accept them.
            first: First state of the block.
            num_states: Number of states in the block.
            num_words: Number of words of a row of the block that the states take.
            block: uint64 [inputs, words], modified; the rows of these inputs must be zero.
        """
        flat, kinds = _flatten_cards(cards)[0], self.acts_as.shape[1]
        set_bits_dense(flat, kinds, rows, context, self._kind_by_cell, slots, first, num_states, num_words, block)

    def has_single_kinds(self, slots: NDArray[np.int32]) -> bool:
        """Return True if at most one kind of card acts as each tested cell, in any context.

        Args:
            slots: int32 [blocks * cells, max_count], input that tests for at least 1, 2, … cards; -1 for none.
        """
        cached = self._single_kind_cache.get(id(slots))
        if cached is None:
            is_tested = (slots >= 0).any(axis=1).reshape(-1, len(self)).any(axis=0)
            cached = slots, bool((self._kind_by_cell[:, is_tested] != _SEVERAL_KINDS).all())
            self._single_kind_cache[id(slots)] = cached  # the reference to slots keeps its id unique
        return cached[1]

    @cached_property
    def _single_kind_cache(self) -> dict[int, tuple[NDArray[np.int32], bool]]:
        """Results of has_single_kinds by id, with their argument."""
        return {}

    @cached_property
    def _kind_by_cell(self) -> NDArray[np.int16]:
        """[contexts, cells] kind of card that acts as each cell; -1 for none, _SEVERAL_KINDS for several."""
        kind_by_cell = np.full((len(self.acts_as), len(self)), -1, np.int16)
        for context, kind, position in np.argwhere(self.acts_as != NO_CELL):
            cell = self.acts_as[context, kind, position]
            kind_by_cell[context, cell] = kind if kind_by_cell[context, cell] in (-1, kind) else _SEVERAL_KINDS
        return kind_by_cell

    def iter_blocks(self, used: NDArray[np.int64], num_blocks: int) -> Iterator[tuple[int, slice]]:
        """Split the used columns of a group that has the columns of all cells for each block.

        Args:
            used: int64 [used], indices [blocks * cells] in ascending order.
            num_blocks: Number of blocks.

        Yields:
            Index of each block with used columns, and the slice of ``used`` that belongs to it.
        """
        bounds = np.searchsorted(used, np.arange(num_blocks + 1) * len(self))
        for block in range(num_blocks):
            if bounds[block] < bounds[block + 1]:
                yield block, slice(int(bounds[block]), int(bounds[block + 1]))

    def _used_positions(self, used: NDArray[np.int64], num_blocks: int = 1) -> NDArray[np.int64]:
        """Return the index of each cell [blocks * cells] among the used ones, -1 for the others."""
        positions = self._position_cache.get(key := (num_blocks, used.tobytes()))
        if positions is None:
            positions = np.full(num_blocks * len(self), -1, np.int64)
            positions[used] = np.arange(len(used))
            self._position_cache[key] = positions  # stored when complete, as several threads read it
        return positions

    @cached_property
    def _position_cache(self) -> dict[tuple[int, bytes], NDArray[np.int64]]:
        """Results of _used_positions, as each circuit uses the same cells every time."""
        return {}

    @cached_property
    def _usual_cells(self) -> NDArray[np.int16]:
        """[kinds, max_cells] cells of each kind in most contexts."""
        usual = np.empty(self.acts_as.shape[1:], np.int16)
        for kind in range(len(usual)):
            variants, counts = np.unique(self.acts_as[:, kind], axis=0, return_counts=True)
            usual[kind] = variants[counts.argmax()]
        return usual

    @cached_property
    def _exceptions(self) -> CellExceptions:
        is_exception = (self.acts_as != self._usual_cells).any(axis=2)
        context, kind = np.nonzero(is_exception)
        offsets = np.searchsorted(context, np.arange(len(self.acts_as) + 1))
        return CellExceptions(offsets, kind.astype(np.int64), self._usual_cells[kind], self.acts_as[context, kind])

    @cached_property
    def index(self) -> dict[Term, int]:
        """Index of each cell by its term."""
        return {name: index for index, name in enumerate(self.names)}

    def find_kinds(self, name: Term, context: int) -> list[int]:
        """Find the kinds of cards that act as a cell.

        Args:
            name: Term of the cell.
            context: Index of the context.

        Returns:
            Kinds in ascending order; empty for an unknown cell.
        """
        if name not in self.index:
            return []
        return np.flatnonzero((self.acts_as[context] == self.index[name]).any(axis=1)).tolist()


_SEVERAL_KINDS = -2
"""Entry of _kind_by_cell for a cell of several kinds."""
_QUAD = 4
"""Number of consecutive kinds of cards that are added at once."""
_BLOCK_SIZE = 256
"""Number of states that are processed at once: their hands fit in the L1 cache."""
_WORD_BYTES = 8
"""Bytes of a word: the number of kinds of cards that are read at once."""


def _flatten_cards(cards: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Return the cards [tables, blocks * kinds] seat by seat, and the same bytes as words; 0 words if not aligned."""
    flat = cards.reshape(len(cards), math.prod(cards.shape[1:]))
    return flat, flat.view(np.uint64) if flat.shape[1] % _WORD_BYTES == 0 else np.zeros((len(cards), 0), np.uint64)


@kernel
def add_counts(cards, context, usual_cells, exceptions, positions, lo, hi, columns):
    """Count the cards that act as each of some cells.

    Args:
        cards: uint8 [n, kinds], copies of each card.
        context: [n], index of the context of each state.
        usual_cells: int16 [kinds, max_cells], cells in most contexts.
        exceptions: CellExceptions.
        positions: int64 [cells], row of the columns; -1 for cells that are not counted.
        lo: First state.
        hi: End of the states, exclusive.
        columns: int16 [used, n], zeros to which the counts are added.
    """
    flat, n = columns.reshape(columns.size), np.uint64(columns.shape[1])
    copies = np.empty(_BLOCK_SIZE, np.int16)
    for start in range(lo, hi, _BLOCK_SIZE):
        length = min(_BLOCK_SIZE, hi - start)
        for kind in range(cards.shape[1]):
            for i in range(length):
                copies[i] = cards[start + i, kind]
            for index in range(usual_cells.shape[1]):
                cell = usual_cells[kind, index]
                if cell == NO_CELL:
                    break
                if positions[cell] >= 0:
                    target = np.uint64(positions[cell]) * n + np.uint64(start)
                    for i in range(np.uint64(length)):
                        flat[target + i] += copies[i]
        if len(exceptions.kind) > 0:
            for i in range(start, start + length):
                for exception in range(exceptions.offsets[context[i]], exceptions.offsets[context[i] + 1]):
                    count = cards[i, exceptions.kind[exception]]
                    if count:
                        _add_to_cells(exceptions.usual_cells[exception], positions, columns, i, -np.int16(count))
                        _add_to_cells(exceptions.context_cells[exception], positions, columns, i, np.int16(count))


@kernel
def add_quad_counts(words, quad_groups, lo, hi, columns):
    """Count the cards that act as each of some cells, if each cell is a group of four consecutive kinds.

    Args:
        words: uint32 [n, kinds / 4], copies of four kinds in the bytes of each word.
        quad_groups: int64 [used], index of the word of each cell.
        lo: First state.
        hi: End of the states, exclusive.
        columns: int16 [used, n], zeros that are overwritten.
    """
    flat_columns, flat_words = columns.reshape(columns.size), words.reshape(words.size)
    n, row_length = np.uint64(columns.shape[1]), np.uint64(words.shape[1])
    for start in range(lo, hi, _BLOCK_SIZE):
        length = np.uint64(min(_BLOCK_SIZE, hi - start))
        for index in range(len(quad_groups)):
            target, source = (
                np.uint64(index) * n + np.uint64(start),
                np.uint64(start) * row_length + np.uint64(quad_groups[index]),
            )
            for i in range(length):
                word = flat_words[source + i * row_length]
                pair_sums = (word & np.uint32(0x00FF00FF)) + ((word >> np.uint32(8)) & np.uint32(0x00FF00FF))
                flat_columns[target + i] = np.int16((pair_sums + (pair_sums >> np.uint32(16))) & np.uint32(0xFFFF))


@kernel
def add_seat_counts(cards, words, rows, context, acts_as, positions, lo, hi, columns):
    """Count the cards of each seat that act as some cells, skipping words without cards.

    Args:
        cards: uint8 [tables, seats * kinds], copies of each card.
        words: uint64 [tables, seats * kinds / 8], the same bytes as words; 0 columns if they are not aligned.
        rows: int64 [n], indices of tables.
        context: [n], index of the context of each state.
        acts_as: int16 [contexts, kinds, max_cells], cells of each kind, padded with NO_CELL.
        positions: int64 [seats, cells], row of the columns; -1 for cells that are not counted.
        lo: First state.
        hi: End of the states, exclusive.
        columns: int16 [used, n], zeros to which the counts are added.
    """
    kinds = acts_as.shape[1]
    for i in range(lo, hi):
        row = rows[i]
        for start in range(0, cards.shape[1], _WORD_BYTES):
            if words.shape[1] and words[row, start // _WORD_BYTES] == 0:
                continue
            for byte in range(start, min(start + _WORD_BYTES, cards.shape[1])):
                if cards[row, byte]:
                    _add_to_cells(
                        acts_as[context[i], byte % kinds],
                        positions[byte // kinds],
                        columns,
                        i,
                        np.int16(cards[row, byte]),
                    )


@device_function
def _add_to_cells(cells, positions, columns, i, count):
    for cell in cells:
        if cell == NO_CELL:
            break
        if positions[cell] >= 0:
            columns[positions[cell], i] += count
