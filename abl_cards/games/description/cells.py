"""Cells: what cards act as, by context."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.asp import KBError, Term, make_error, make_kb_error
from abl_cards.circuit import Circuit
from abl_cards.games.description.bit_inputs import set_bits_dense, set_bits_sparse
from abl_cards.games.description.order_contexts import Contexts
from abl_cards.games.description.pack import NO_CELL, WILD, Pack, parse_rank_and_suit
from abl_cards.games.types import Indices

MAX_CELLS = 8_000
_MAX_TABLE_ENTRIES = 1 << 24  # entries of a table of 32 MiB


class CellExceptions(NamedTuple):
    """Where kinds act otherwise than in most contexts."""

    offsets: NDArray[np.int64]  # [contexts + 1]
    kind: NDArray[np.int64]  # [exceptions]
    usual_cells: NDArray[np.int16]  # [exceptions, most] cells
    context_cells: NDArray[np.int16]  # [exceptions, most] cells


@dataclass(frozen=True)
class Cells:
    """The names of the cells, and which of them each kind of card counts for."""

    names: tuple[Term, ...]
    acts_as: NDArray[np.int16]  # [contexts, kinds, most] cells; NO_CELL beyond the last

    def __len__(self) -> int:
        return len(self.names)

    def add_counts(
        self, cards: NDArray[np.uint8], context: NDArray[np.integer], used: NDArray[np.int64], lo: int, hi: int,
        columns: NDArray[np.int16],
    ) -> None:  # fmt: skip
        """Add up how many of cards [n, kinds] act as each of the used cells: columns [used, n], zero so far."""
        fours = self._quad_groups(used)
        if fours is not None and cards.flags.c_contiguous:
            add_quad_counts(cards.view(np.uint32), fours, lo, hi, columns)
            return
        add_counts(cards, context, self._usual_cells, self._exceptions, self._used_positions(used), lo, hi, columns)

    def _quad_groups(self, used: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """[used] which four kinds side by side act as each of the used cells in all contexts; None where others do."""
        key = used.tobytes()
        if key not in self._quad_cache:
            acts, kinds = self.acts_as[:1], self.acts_as.shape[1]
            same = (self.acts_as == acts).all() and kinds % _QUAD == 0
            mine = (
                (acts[0][None] == used[:, None, None]).any(axis=2) if same else np.zeros((len(used), kinds), np.bool_)
            )
            first = mine.argmax(axis=1)
            there = same and (first % _QUAD == 0).all() and (mine.sum(axis=1) == _QUAD).all()
            there = there and all(row[at : at + _QUAD].all() for row, at in zip(mine, first, strict=True))
            self._quad_cache[key] = first // _QUAD if there else None
        return self._quad_cache[key]

    @cached_property
    def _quad_cache(self) -> dict[bytes, NDArray[np.int64] | None]:
        """What has been found out."""
        return {}

    def add_seat_counts(
        self, cards: NDArray[np.uint8], rows: Indices, context: NDArray[np.integer], used: NDArray[np.int64], lo: int,
        hi: int, columns: NDArray[np.int16],
    ) -> None:  # fmt: skip
        """The same seat by seat of the rows [n] of cards [tables, seats, kinds]; best where these are few."""
        flat, words = _flatten_cards(cards)
        places = self._used_positions(used, cards.shape[1]).reshape(cards.shape[1], -1)
        add_seat_counts(flat, words, rows, context, self.acts_as, places, lo, hi, columns)

    def set_bits_sparse(
        self, cards: NDArray[np.uint8], rows: Indices, context: NDArray[np.integer], slots: NDArray[np.int32],
        first: int, num_states: int, num_words: int, block: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """Light the inputs that say so many cards act as a cell, of states from first on: see bit_inputs.py.

        Of state i these are the cards of row rows[i] of cards [tables, blocks, kinds], which are whole words; best
        where there are few.
        """
        packed, single = _flatten_cards(cards)[1], self.has_single_kinds(slots)
        set_bits_sparse(
            packed, cards.shape[1], rows, context, self.acts_as, slots, single, first, num_states, num_words, block
        )

    @staticmethod
    def is_word_aligned(cards: NDArray[np.uint8]) -> bool:
        """Whether cards [tables, blocks, kinds] of a table are whole words."""
        return bool(_flatten_cards(cards)[1].shape[1])

    def set_bits_dense(
        self, cards: NDArray[np.uint8], rows: Indices, context: NDArray[np.integer], slots: NDArray[np.int32],
        first: int, num_states: int, num_words: int, block: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """The same, best where there are many; for slots that ``has_single_kinds`` accepts."""
        flat, kinds = _flatten_cards(cards)[0], self.acts_as.shape[1]
        set_bits_dense(flat, kinds, rows, context, self._kind_by_cell, slots, first, num_states, num_words, block)

    def has_single_kinds(self, slots: NDArray[np.int32]) -> bool:
        """Whether each cell that slots [blocks * cells, most] ask about is one kind of cards at most in any context."""
        found = self._single_kind_cache.get(id(slots))
        if found is None:
            asked = (slots >= 0).any(axis=1).reshape(-1, len(self)).any(axis=0)
            found = slots, bool((self._kind_by_cell[:, asked] != _SEVERAL_KINDS).all())
            self._single_kind_cache[id(slots)] = found  # with the slots, so that no others have their id
        return found[1]

    @cached_property
    def _single_kind_cache(self) -> dict[int, tuple[NDArray[np.int32], bool]]:
        """What has been found out."""
        return {}

    @cached_property
    def _kind_by_cell(self) -> NDArray[np.int16]:
        """[contexts, cells] the kind that acts as each cell, -1 for none, _SEVERAL for several."""
        found = np.full((len(self.acts_as), len(self)), -1, np.int16)
        for context, kind, place in np.argwhere(self.acts_as != NO_CELL):
            cell = self.acts_as[context, kind, place]
            found[context, cell] = kind if found[context, cell] in (-1, kind) else _SEVERAL_KINDS
        return found

    def iter_blocks(self, used: NDArray[np.int64], num_blocks: int) -> Iterator[tuple[int, slice]]:
        """Of columns that are cells block by block: which of the used ones are of each block that has any."""
        bounds = np.searchsorted(used, np.arange(num_blocks + 1) * len(self))
        for block in range(num_blocks):
            if bounds[block] < bounds[block + 1]:
                yield block, slice(int(bounds[block]), int(bounds[block + 1]))

    def _used_positions(self, used: NDArray[np.int64], num_blocks: int = 1) -> NDArray[np.int64]:
        """[blocks * cells] the place of each cell among those that are used, -1 for the others."""
        found = self._position_cache.get(key := (num_blocks, used.tobytes()))
        if found is None:
            found = np.full(num_blocks * len(self), -1, np.int64)
            found[used] = np.arange(len(used))
            self._position_cache[key] = found  # whole: several threads ask
        return found

    @cached_property
    def _position_cache(self) -> dict[tuple[int, bytes], NDArray[np.int64]]:
        """Circuits ask for the same cells each time."""
        return {}

    @cached_property
    def _usual_cells(self) -> NDArray[np.int16]:
        """[kinds, most] the cells of each kind in most contexts."""
        usual = np.empty(self.acts_as.shape[1:], np.int16)
        for kind in range(len(usual)):
            found, counts = np.unique(self.acts_as[:, kind], axis=0, return_counts=True)
            usual[kind] = found[counts.argmax()]
        return usual

    @cached_property
    def _exceptions(self) -> CellExceptions:
        unlike = (self.acts_as != self._usual_cells).any(axis=2)
        context, kind = np.nonzero(unlike)
        start = np.searchsorted(context, np.arange(len(self.acts_as) + 1))
        return CellExceptions(start, kind.astype(np.int64), self._usual_cells[kind], self.acts_as[context, kind])

    @cached_property
    def index(self) -> dict[Term, int]:
        """The place of each cell."""
        return {name: place for place, name in enumerate(self.names)}

    def find_kinds(self, name: Term, context: int) -> list[int]:
        """The kinds of cards that act as a cell in a context, in the order of vectors."""
        if name not in self.index:
            return []
        return np.flatnonzero((self.acts_as[context] == self.index[name]).any(axis=1)).tolist()


def default_cells(kind: Term) -> tuple[Term, ...]:
    """What a card acts as where no rule says it: itself, and its rank.

    >>> default_cells("card(3,h)"), default_cells(7)
    (('card(3,h)', 3), (7,))
    """
    parts = parse_rank_and_suit(kind)
    return (kind, parts[0]) if parts else (kind,)


def build_default_cells(pack: Pack, contexts: int) -> Cells:
    """The cells of a game that has no ``acts_as/2``: the same in all contexts."""
    return _build_cells(pack, [[default_cells(kind) for kind in pack.kinds]] * contexts)


def read_cells(pack: Pack, circuit: Circuit, contexts: Contexts) -> Cells:
    """The cells that ``acts_as/2`` gives; raises KBError for a card that there is not."""
    answers = contexts.evaluate(circuit)
    acts: list[list[list[Term]]] = [[[] for _ in pack.kinds] for _ in range(len(contexts))]
    for (_, (card, cell)), holds in zip(circuit.outputs, answers, strict=True):
        if card not in pack.index:
            raise make_kb_error(f"acts_as({card},{cell}): no such card in pack/2", "write a card of the pack")
        for context in np.flatnonzero(holds):
            acts[context][pack.index[card]].append(cell)
    return _build_cells(pack, acts)


def _build_cells(pack: Pack, acts: Sequence[Sequence[Sequence[Term]]]) -> Cells:
    """Cells of single kinds first, in the order of vectors; raises KBError."""
    _refuse_wild_and_natural(pack, acts)
    every = dict.fromkeys(cell for context in acts for cells in context for cell in cells)
    kinds = [kind for kind in pack.kinds if kind in every]
    names = tuple(
        dict.fromkeys([*kinds, *sorted((cell for cell in every if cell not in pack.index), key=_cell_sort_key)])
    )
    number = {name: place for place, name in enumerate(names)}
    most = max(1, max((len(cells) for context in acts for cells in context), default=1))
    if len(names) > MAX_CELLS or len(acts) * len(pack) * most > _MAX_TABLE_ENTRIES:
        raise make_kb_error(
            f"acts_as/2: {len(names)} cells, {most} of one card, in {len(acts)} contexts",
            "let cards act as fewer cells, and depend on fewer fluents",
        )
    table = np.full((len(acts), len(pack), most), NO_CELL, np.int16)
    for context, by_kind in enumerate(acts):
        for kind, found in enumerate(by_kind):
            table[context, kind, : len(found)] = [number[cell] for cell in found]
    return Cells(names, table)


def _refuse_wild_and_natural(pack: Pack, acts: Sequence[Sequence[Sequence[Term]]]) -> None:
    """Raises KBError where a card acts as wild and as something else at once: it would be counted twice."""
    for kind, cells in ((kind, cells) for context in acts for kind, cells in zip(pack.kinds, context, strict=True)):
        others = [cell for cell in cells if cell != WILD]
        if others and len(others) < len(cells):
            remedy = "let it act as wild alone; by fluents it may be one thing now and another later"
            raise KBError(
                make_error(None, f"acts_as({kind},{cell}): the card acts as {other} too", remedy)
                for cell, other in ((others[0], WILD), (WILD, others[0]))
            )


def _cell_sort_key(cell: Term) -> tuple[int, int, str]:
    """Numbers before words, as clingo has it."""
    return (0, cell, "") if isinstance(cell, int) else (1, 0, cell)


_SEVERAL_KINDS = -2
_QUAD = 4
_BLOCK_SIZE = 256
_WORD_BYTES = 8
"""Bytes of a word: so many kinds of cards are looked at at once."""


def _flatten_cards(cards: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """[tables, any] cards seat by seat, and [tables, any / 8 or 0] the same bytes as words."""
    flat = cards.reshape(len(cards), math.prod(cards.shape[1:]))
    return flat, flat.view(np.uint64) if flat.shape[1] % _WORD_BYTES == 0 else np.zeros((len(cards), 0), np.uint64)


@njit(cache=True, nogil=True)
def add_counts(cards, context, usual_cells, exceptions, positions, lo, hi, columns):
    """See Cells.add_counts; positions [cells] are rows of the columns, -1 for cells that nobody asks about."""
    flat, n = columns.reshape(columns.size), np.uint64(columns.shape[1])
    copies = np.empty(_BLOCK_SIZE, np.int16)
    for start in range(lo, hi, _BLOCK_SIZE):
        length = min(_BLOCK_SIZE, hi - start)
        for kind in range(cards.shape[1]):
            for i in range(length):
                copies[i] = cards[start + i, kind]
            for each in range(usual_cells.shape[1]):
                cell = usual_cells[kind, each]
                if cell == NO_CELL:
                    break
                if positions[cell] >= 0:
                    to = np.uint64(positions[cell]) * n + np.uint64(start)
                    for i in range(np.uint64(length)):
                        flat[to + i] += copies[i]
        if len(exceptions.kind) > 0:
            for i in range(start, start + length):
                for exception in range(exceptions.offsets[context[i]], exceptions.offsets[context[i] + 1]):
                    count = cards[i, exceptions.kind[exception]]
                    if count:
                        _add_to_cells(exceptions.usual_cells[exception], positions, columns, i, -np.int16(count))
                        _add_to_cells(exceptions.context_cells[exception], positions, columns, i, np.int16(count))


@njit(cache=True, nogil=True)
def add_quad_counts(words, quad_groups, lo, hi, columns):
    """As add_counts, where a cell is four kinds side by side.

    Words [n, kinds / 4] are hands, quad_groups [used] which of them.
    """
    flat, told = columns.reshape(columns.size), words.reshape(words.size)
    n, wide = np.uint64(columns.shape[1]), np.uint64(words.shape[1])
    for start in range(lo, hi, _BLOCK_SIZE):  # as many hands as the nearest cache holds
        length = np.uint64(min(_BLOCK_SIZE, hi - start))
        for place in range(len(quad_groups)):
            to, at = np.uint64(place) * n + np.uint64(start), np.uint64(start) * wide + np.uint64(quad_groups[place])
            for i in range(length):
                four = told[at + i * wide]
                half = (four & np.uint32(0x00FF00FF)) + ((four >> np.uint32(8)) & np.uint32(0x00FF00FF))
                flat[to + i] = np.int16((half + (half >> np.uint32(16))) & np.uint32(0xFFFF))


@njit(cache=True, nogil=True)
def add_seat_counts(cards, words, rows, context, acts_as, positions, lo, hi, columns):
    """See Cells.add_seat_counts; positions [seats, cells] are rows of the columns, -1 for cells that nobody asks about.

    Words [tables, any / 8] are the same bytes as cards [tables, seats * kinds], or none; most of them are zero.
    """
    kinds = acts_as.shape[1]
    for i in range(lo, hi):
        row = rows[i]
        for start in range(0, cards.shape[1], _WORD_BYTES):
            if words.shape[1] and words[row, start // _WORD_BYTES] == 0:
                continue
            for at in range(start, min(start + _WORD_BYTES, cards.shape[1])):
                if cards[row, at]:
                    _add_to_cells(
                        acts_as[context[i], at % kinds], positions[at // kinds], columns, i, np.int16(cards[row, at])
                    )


@njit(cache=True, nogil=True, inline="always")
def _add_to_cells(cells, positions, columns, i, count):
    for cell in cells:
        if cell == NO_CELL:
            break
        if positions[cell] >= 0:
            columns[positions[cell], i] += count
