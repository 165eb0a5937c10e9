"""Build cells by rank or by ``acts_as/2``, with checks of wild and vacant cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abl_cards.asp import KBError, Term, make_error, make_kb_error
from abl_cards.circuit import Circuit
from abl_cards.core import ErrorCode
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.order_contexts import Contexts
from abl_cards.games.description.pack import NO_CELL, WILD, Pack, parse_rank_and_suit

MAX_CELLS = 8_000
"""Maximum number of cells."""
_MAX_TABLE_ENTRIES = 1 << 24  # 32 MiB of int16


def default_cells(kind: Term) -> tuple[Term, ...]:
    """Return the cells of a card in games without ``acts_as/2``: the card itself and its rank.

    >>> default_cells("card(3,h)"), default_cells(7)
    (('card(3,h)', 3), (7,))
    """
    parts = parse_rank_and_suit(kind)
    return (kind, parts[0]) if parts else (kind,)


def build_default_cells(pack: Pack, contexts: int, vacant: Sequence[Term] = ()) -> Cells:
    """Build the cells of a game without ``acts_as/2``, equal in all contexts.

    Args:
        pack: Pack of the game.
        contexts: Number of contexts.
        vacant: Cells of ``vacant/1``.

    Raises:
        KBError: There are vacant cells, which no wild card can take.
    """
    return _build_cells(pack, [[default_cells(kind) for kind in pack.kinds]] * contexts, vacant)


def read_cells(pack: Pack, circuit: Circuit, contexts: Contexts, vacant: Sequence[Term] = ()) -> Cells:
    """Read the cells of a game from ``acts_as/2``.

    Args:
        pack: Pack of the game.
        circuit: Circuit of ``acts_as/2``.
        contexts: Contexts of the game.
        vacant: Cells of ``vacant/1``.

    Raises:
        KBError: A card is not in the pack, acts as wild and as a cell of other cards; a card acts as a vacant cell; or
            there are too many cells.
    """
    answers = contexts.evaluate(circuit)
    acts: list[list[list[Term]]] = [[[] for _ in pack.kinds] for _ in range(len(contexts))]
    for (_, (card, cell)), holds in zip(circuit.outputs, answers, strict=True):
        if card not in pack.index:
            message = f"acts_as({card},{cell}): no such card in pack/2"
            raise make_kb_error(message, "write a card of the pack", ErrorCode.UNKNOWN_NAME)
        for context in np.flatnonzero(holds):
            acts[context][pack.index[card]].append(cell)
    return _build_cells(pack, acts, vacant)


def _build_cells(pack: Pack, acts: Sequence[Sequence[Sequence[Term]]], vacant: Sequence[Term]) -> Cells:
    """Build cells, those of single kinds first, in ascending order; raise KBError for too many."""
    _refuse_wild_and_natural(pack, acts)
    all_cells = dict.fromkeys(cell for context in acts for cells in context for cell in cells)
    _check_vacant_cells(pack, acts, vacant)
    all_cells |= dict.fromkeys(vacant)
    kinds = [kind for kind in pack.kinds if kind in all_cells]
    names = tuple(
        dict.fromkeys([*kinds, *sorted((cell for cell in all_cells if cell not in pack.index), key=_cell_sort_key)])
    )
    cell_index = {name: index for index, name in enumerate(names)}
    max_cells = max(1, max((len(cells) for context in acts for cells in context), default=1))
    if len(names) > MAX_CELLS or len(acts) * len(pack) * max_cells > _MAX_TABLE_ENTRIES:
        raise make_kb_error(
            f"acts_as/2: {len(names)} cells, {max_cells} of one card, in {len(acts)} contexts",
            "let cards act as fewer cells, and depend on fewer fluents",
            ErrorCode.GAME_TOO_LARGE,
        )
    table = np.full((len(acts), len(pack), max_cells), NO_CELL, np.int16)
    for context, by_kind in enumerate(acts):
        for kind, kind_cells in enumerate(by_kind):
            table[context, kind, : len(kind_cells)] = [cell_index[cell] for cell in kind_cells]
    return Cells(names, table)


def _refuse_wild_and_natural(pack: Pack, acts: Sequence[Sequence[Sequence[Term]]]) -> None:
    """Raise KBError if a card acts as wild and as a cell of cards that are not wild, as it would be counted twice."""
    for context in acts:
        shared = {cell for cells in context if WILD not in cells for cell in cells}
        for kind, cells in zip(pack.kinds, context, strict=True):
            if WILD in cells and (others := [cell for cell in cells if cell in shared]):
                remedy = "let it act as wild, and besides as cells of its own that no other card acts as"
                code = ErrorCode.CONFLICTING_FACTS
                raise KBError(
                    make_error(None, f"acts_as({kind},{cell}): the card acts as {other} too", remedy, code)
                    for cell, other in ((others[0], WILD), (WILD, others[0]))
                )


def _check_vacant_cells(pack: Pack, acts: Sequence[Sequence[Sequence[Term]]], vacant: Sequence[Term]) -> None:
    """Raise KBError if a card acts as a vacant cell, or if there is no wild card to take it."""
    owners = {cell: kind for context in acts for kind, cells in zip(pack.kinds, context, strict=True) for cell in cells}
    for cell in vacant:
        if cell in owners:
            message = f"vacant({cell}): {owners[cell]} acts as it"
            remedy = "leave the fact out, or name a cell that no card of the pack acts as"
            raise make_kb_error(message, remedy, ErrorCode.CONFLICTING_FACTS)
        if WILD not in owners:
            message = f"vacant({cell}): no card is wild, so nothing can lie there"
            raise make_kb_error(message, "write acts_as(Card,wild) for a card", ErrorCode.INVALID_FORM)


def _cell_sort_key(cell: Term) -> tuple[int, int, str]:
    """Return a key that sorts integers before names, as clingo does."""
    return (0, cell, "") if isinstance(cell, int) else (1, 0, cell)
