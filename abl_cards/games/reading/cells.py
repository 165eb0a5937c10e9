"""Cells: what cards act as, by context."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.contexts import Contexts
from abl_cards.games.reading.pack import Pack, rank_and_suit
from abl_cards.games.rule_files import kb_error
from abl_cards.logic import Circuit, Term

WILD = "wild"
NO_CELL = -1


@dataclass(frozen=True)
class Cells:
    """The names of the cells, and which of them each kind of card counts for."""

    names: tuple[Term, ...]
    acts: NDArray[np.int16]  # [contexts, kinds, most] cells; NO_CELL beyond the last

    def __len__(self) -> int:
        return len(self.names)

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


def plain_cells(pack: Pack) -> Cells:
    """The cells of a game that has no ``acts_as/2``."""
    return _cells(pack, [[default_cells(kind) for kind in pack.kinds]])


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


def _cells(pack: Pack, acts: list[list[list[Term]]] | list[list[tuple[Term, ...]]]) -> Cells:
    """Cells of single kinds first, in the order of vectors."""
    every = dict.fromkeys(cell for context in acts for cells in context for cell in cells)
    kinds = [kind for kind in pack.kinds if kind in every]
    names = tuple(dict.fromkeys([*kinds, *sorted((cell for cell in every if cell not in pack.number), key=_order)]))
    number = {name: place for place, name in enumerate(names)}
    most = max(1, max((len(cells) for context in acts for cells in context), default=1))
    table = np.full((len(acts), len(pack), most), NO_CELL, np.int16)
    for context, by_kind in enumerate(acts):
        for kind, cells in enumerate(by_kind):
            table[context, kind, : len(cells)] = [number[cell] for cell in cells]
    return Cells(names, table)


def _order(cell: Term) -> tuple[int, int, str]:
    """Numbers before words, as clingo has it."""
    return (0, cell, "") if isinstance(cell, int) else (1, 0, cell)
