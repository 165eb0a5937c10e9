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

from abl_cards.games.reading.contexts import Contexts
from abl_cards.games.reading.lighting import light_few, light_many
from abl_cards.games.reading.pack import NO_CELL, WILD, Pack, rank_and_suit
from abl_cards.games.tables import Indices
from abl_cards.logic import Circuit, KBError, Term
from abl_cards.logic.errors import error, kb_error

MOST_CELLS = 8_000
_MOST_ACTS = 1 << 24  # entries of a table of 32 MiB


class Exceptions(NamedTuple):
    """Where kinds act otherwise than in most contexts."""

    start: NDArray[np.int64]  # [contexts + 1]
    kind: NDArray[np.int64]  # [exceptions]
    usual: NDArray[np.int16]  # [exceptions, most] cells
    here: NDArray[np.int16]  # [exceptions, most] cells


@dataclass(frozen=True)
class Cells:
    """The names of the cells, and which of them each kind of card counts for."""

    names: tuple[Term, ...]
    acts: NDArray[np.int16]  # [contexts, kinds, most] cells; NO_CELL beyond the last

    def __len__(self) -> int:
        return len(self.names)

    def fold(
        self, cards: NDArray[np.uint8], context: NDArray[np.integer], used: NDArray[np.int64], lo: int, hi: int,
        columns: NDArray[np.int16],
    ) -> None:  # fmt: skip
        """Add up how many of cards [n, kinds] act as each of the used cells: columns [used, n], zero so far."""
        fours = self._fours(used)
        if fours is not None and cards.flags.c_contiguous:
            add_fours(cards.view(np.uint32), fours, lo, hi, columns)
            return
        fold(cards, context, self._usual, self._exceptions, self._places(used), lo, hi, columns)

    def _fours(self, used: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """[used] which four kinds side by side act as each of the used cells in all contexts; None where others do."""
        key = used.tobytes()
        if key not in self._kept_fours:
            acts, kinds = self.acts[:1], self.acts.shape[1]
            same = (self.acts == acts).all() and kinds % _FOUR == 0
            mine = (
                (acts[0][None] == used[:, None, None]).any(axis=2) if same else np.zeros((len(used), kinds), np.bool_)
            )
            first = mine.argmax(axis=1)
            there = same and (first % _FOUR == 0).all() and (mine.sum(axis=1) == _FOUR).all()
            there = there and all(row[at : at + _FOUR].all() for row, at in zip(mine, first, strict=True))
            self._kept_fours[key] = first // _FOUR if there else None
        return self._kept_fours[key]

    @cached_property
    def _kept_fours(self) -> dict[bytes, NDArray[np.int64] | None]:
        """What has been found out."""
        return {}

    def fold_seats(
        self, cards: NDArray[np.uint8], which: Indices, context: NDArray[np.integer], used: NDArray[np.int64], lo: int,
        hi: int, columns: NDArray[np.int16],
    ) -> None:  # fmt: skip
        """The same seat by seat of the rows which [n] of cards [tables, seats, kinds]; best where these are few."""
        flat, words = _flat(cards)
        places = self._places(used, cards.shape[1]).reshape(cards.shape[1], -1)
        fold_seats(flat, words, which, context, self.acts, places, lo, hi, columns)

    def light_few(
        self, cards: NDArray[np.uint8], which: Indices, context: NDArray[np.integer], slots: NDArray[np.int32],
        first: int, states: int, words: int, block: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """Light the inputs that say so many cards act as a cell, of states from first on: see reading/lighting.py.

        Of state i these are the cards of row which[i] of cards [tables, blocks, kinds], which are ``packed``; best
        where there are few.
        """
        packed, single = _flat(cards)[1], self.single(slots)
        light_few(packed, cards.shape[1], which, context, self.acts, slots, single, first, states, words, block)

    @staticmethod
    def packed(cards: NDArray[np.uint8]) -> bool:
        """Whether cards [tables, blocks, kinds] of a table are whole words."""
        return bool(_flat(cards)[1].shape[1])

    def light_many(
        self, cards: NDArray[np.uint8], which: Indices, context: NDArray[np.integer], slots: NDArray[np.int32],
        first: int, states: int, words: int, block: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """The same, best where there are many; for slots of cells that are ``single``."""
        flat, kinds = _flat(cards)[0], self.acts.shape[1]
        light_many(flat, kinds, which, context, self._kind_of, slots, first, states, words, block)

    def single(self, slots: NDArray[np.int32]) -> bool:
        """Whether each cell that slots [blocks * cells, most] ask about is one kind of cards at most in any context."""
        found = self._kept_single.get(id(slots))
        if found is None:
            asked = (slots >= 0).any(axis=1).reshape(-1, len(self)).any(axis=0)
            found = slots, bool((self._kind_of[:, asked] != _SEVERAL).all())
            self._kept_single[id(slots)] = found  # with the slots, so that no others have their id
        return found[1]

    @cached_property
    def _kept_single(self) -> dict[int, tuple[NDArray[np.int32], bool]]:
        """What has been found out."""
        return {}

    @cached_property
    def _kind_of(self) -> NDArray[np.int16]:
        """[contexts, cells] the kind that acts as each cell, -1 for none, _SEVERAL for several."""
        found = np.full((len(self.acts), len(self)), -1, np.int16)
        for context, kind, place in np.argwhere(self.acts != NO_CELL):
            cell = self.acts[context, kind, place]
            found[context, cell] = kind if found[context, cell] in (-1, kind) else _SEVERAL
        return found

    def blocks(self, used: NDArray[np.int64], blocks: int) -> Iterator[tuple[int, slice]]:
        """Of columns that are cells block by block: which of the used ones are of each block that has any."""
        bounds = np.searchsorted(used, np.arange(blocks + 1) * len(self))
        for block in range(blocks):
            if bounds[block] < bounds[block + 1]:
                yield block, slice(int(bounds[block]), int(bounds[block + 1]))

    def _places(self, used: NDArray[np.int64], blocks: int = 1) -> NDArray[np.int64]:
        """[blocks * cells] the place of each cell among those that are used, -1 for the others."""
        found = self._kept.get(key := (blocks, used.tobytes()))
        if found is None:
            found = np.full(blocks * len(self), -1, np.int64)
            found[used] = np.arange(len(used))
            self._kept[key] = found  # whole: several threads ask
        return found

    @cached_property
    def _kept(self) -> dict[tuple[int, bytes], NDArray[np.int64]]:
        """Circuits ask for the same cells each time."""
        return {}

    @cached_property
    def _usual(self) -> NDArray[np.int16]:
        """[kinds, most] the cells of each kind in most contexts."""
        usual = np.empty(self.acts.shape[1:], np.int16)
        for kind in range(len(usual)):
            found, counts = np.unique(self.acts[:, kind], axis=0, return_counts=True)
            usual[kind] = found[counts.argmax()]
        return usual

    @cached_property
    def _exceptions(self) -> Exceptions:
        unlike = (self.acts != self._usual).any(axis=2)
        context, kind = np.nonzero(unlike)
        start = np.searchsorted(context, np.arange(len(self.acts) + 1))
        return Exceptions(start, kind.astype(np.int64), self._usual[kind], self.acts[context, kind])

    @cached_property
    def number(self) -> dict[Term, int]:
        """The place of each cell."""
        return {name: place for place, name in enumerate(self.names)}

    def kinds(self, name: Term, context: int) -> list[int]:
        """The kinds of cards that act as a cell in a context, in the order of vectors."""
        if name not in self.number:
            return []
        return np.flatnonzero((self.acts[context] == self.number[name]).any(axis=1)).tolist()


def default_cells(kind: Term) -> tuple[Term, ...]:
    """What a card acts as where no rule says it: itself, and its rank.

    >>> default_cells("card(3,h)"), default_cells(7)
    (('card(3,h)', 3), (7,))
    """
    parts = rank_and_suit(kind)
    return (kind, parts[0]) if parts else (kind,)


def plain_cells(pack: Pack, contexts: int) -> Cells:
    """The cells of a game that has no ``acts_as/2``: the same in all contexts."""
    return _cells(pack, [[default_cells(kind) for kind in pack.kinds]] * contexts)


def read_cells(pack: Pack, circuit: Circuit, contexts: Contexts) -> Cells:
    """The cells that ``acts_as/2`` gives; raises KBError for a card that there is not."""
    answers = contexts.ask(circuit)
    acts: list[list[list[Term]]] = [[[] for _ in pack.kinds] for _ in range(len(contexts))]
    for (_, (card, cell)), holds in zip(circuit.outputs, answers, strict=True):
        if card not in pack.number:
            raise kb_error(f"acts_as({card},{cell}): no such card in pack/2", "write a card of the pack")
        for context in np.flatnonzero(holds):
            acts[context][pack.number[card]].append(cell)
    return _cells(pack, acts)


def _cells(pack: Pack, acts: Sequence[Sequence[Sequence[Term]]]) -> Cells:
    """Cells of single kinds first, in the order of vectors; raises KBError."""
    _refuse_wild_and_natural(pack, acts)
    every = dict.fromkeys(cell for context in acts for cells in context for cell in cells)
    kinds = [kind for kind in pack.kinds if kind in every]
    names = tuple(dict.fromkeys([*kinds, *sorted((cell for cell in every if cell not in pack.number), key=_order)]))
    number = {name: place for place, name in enumerate(names)}
    most = max(1, max((len(cells) for context in acts for cells in context), default=1))
    if len(names) > MOST_CELLS or len(acts) * len(pack) * most > _MOST_ACTS:
        raise kb_error(
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
                error(None, f"acts_as({kind},{cell}): the card acts as {other} too", remedy)
                for cell, other in ((others[0], WILD), (WILD, others[0]))
            )


def _order(cell: Term) -> tuple[int, int, str]:
    """Numbers before words, as clingo has it."""
    return (0, cell, "") if isinstance(cell, int) else (1, 0, cell)


_SEVERAL = -2
_FOUR = 4
_BLOCK = 256
_WORD = 8
"""Bytes of a word: so many kinds of cards are looked at at once."""


def _flat(cards: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """[tables, any] cards seat by seat, and [tables, any / 8 or 0] the same bytes as words."""
    flat = cards.reshape(len(cards), math.prod(cards.shape[1:]))
    return flat, flat.view(np.uint64) if flat.shape[1] % _WORD == 0 else np.zeros((len(cards), 0), np.uint64)


@njit(cache=True, nogil=True)
def fold(cards, context, usual, exceptions, places, lo, hi, columns):
    """See Cells.fold; places [cells] are rows of the columns, -1 for cells that nobody asks about."""
    flat, n = columns.reshape(columns.size), np.uint64(columns.shape[1])
    copies = np.empty(_BLOCK, np.int16)
    for start in range(lo, hi, _BLOCK):
        length = min(_BLOCK, hi - start)
        for kind in range(cards.shape[1]):
            for i in range(length):
                copies[i] = cards[start + i, kind]
            for each in range(usual.shape[1]):
                cell = usual[kind, each]
                if cell == NO_CELL:
                    break
                if places[cell] >= 0:
                    to = np.uint64(places[cell]) * n + np.uint64(start)
                    for i in range(np.uint64(length)):
                        flat[to + i] += copies[i]
        if len(exceptions.kind) > 0:
            for i in range(start, start + length):
                for exception in range(exceptions.start[context[i]], exceptions.start[context[i] + 1]):
                    count = cards[i, exceptions.kind[exception]]
                    if count:
                        _move(exceptions.usual[exception], places, columns, i, -np.int16(count))
                        _move(exceptions.here[exception], places, columns, i, np.int16(count))


@njit(cache=True, nogil=True)
def add_fours(words, fours, lo, hi, columns):
    """As fold, where a cell is four kinds side by side: words [n, kinds / 4] are hands, fours [used] which of them."""
    flat, told = columns.reshape(columns.size), words.reshape(words.size)
    n, wide = np.uint64(columns.shape[1]), np.uint64(words.shape[1])
    for start in range(lo, hi, _BLOCK):  # as many hands as the nearest cache holds
        length = np.uint64(min(_BLOCK, hi - start))
        for place in range(len(fours)):
            to, at = np.uint64(place) * n + np.uint64(start), np.uint64(start) * wide + np.uint64(fours[place])
            for i in range(length):
                four = told[at + i * wide]
                half = (four & np.uint32(0x00FF00FF)) + ((four >> np.uint32(8)) & np.uint32(0x00FF00FF))
                flat[to + i] = np.int16((half + (half >> np.uint32(16))) & np.uint32(0xFFFF))


@njit(cache=True, nogil=True)
def fold_seats(cards, words, which, context, acts, places, lo, hi, columns):
    """See Cells.fold_seats; places [seats, cells] are rows of the columns, -1 for cells that nobody asks about.

    Words [tables, any / 8] are the same bytes as cards [tables, seats * kinds], or none; most of them are zero.
    """
    kinds = acts.shape[1]
    for i in range(lo, hi):
        row = which[i]
        for start in range(0, cards.shape[1], _WORD):
            if words.shape[1] and words[row, start // _WORD] == 0:
                continue
            for at in range(start, min(start + _WORD, cards.shape[1])):
                if cards[row, at]:
                    _move(acts[context[i], at % kinds], places[at // kinds], columns, i, np.int16(cards[row, at]))


@njit(cache=True, nogil=True, inline="always")
def _move(cells, places, columns, i, count):
    for cell in cells:
        if cell == NO_CELL:
            break
        if places[cell] >= 0:
            columns[places[cell], i] += count
