"""Results of episodes by the rules: the winner of a match, and the role and side of each seat.

Contradictory results, such as two winners, are an error of the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.compiled import join_names, raise_where, source_hint
from abl_cards.games.types import DRAW, Indices

if TYPE_CHECKING:
    from abl_cards.games.state import TableState
    from abl_cards.games.tables.events import EventRules


def decide_matches(
    kb: KnowledgeBase, atoms: Sequence[Atom], outputs: NDArray[np.uint8], rows: Indices
) -> tuple[NDArray[np.bool_], NDArray[np.int8]]:
    """Decide which matches are over, and find their winners.

    Args:
        kb: Knowledge base of the game.
        atoms: Outputs ``points/3``, ``won/1``, ``drawn/0`` and ``match_over/0``.
        outputs: uint8 [outputs, n], their truth values.
        rows: int64 [n], tables.

    Returns:
        Whether the match is over, bool [n]; its winner, int8 [n]: a team, ``DRAW``, or -1 if points decide.

    Raises:
        TableError: If several have won a match.
    """
    is_over, winner = np.zeros(len(rows), np.bool_), np.full(len(rows), -1, np.int8)
    num_results = np.zeros(len(rows), np.int64)
    results = [index for index, atom in enumerate(atoms) if atom.name in ("won", "drawn")]
    for index in results:
        truth = outputs[index] == 1
        winner[truth] = int(atoms[index].args[0]) if atoms[index].args else DRAW
        num_results += truth
    for index, atom in enumerate(atoms):
        if atom.name != "points":
            is_over |= outputs[index] == 1

    def describe(row: int) -> str:
        names = join_names([str(atoms[index]) for index in results if outputs[index, row]])
        hint = source_hint(kb, "won/1", "drawn/0")
        return f"a match has one winner, or is drawn: `won/1` and `drawn/0` give {names} at once{hint}"

    raise_where(num_results > 1, rows, describe)
    return is_over, winner


def check_roles(rules: EventRules, state: TableState, rows: Indices) -> None:
    """Check that each seat has one role, and is of one side, where an episode is over.

    Args:
        rules: Course of play of a game.
        state: State of all tables.
        rows: int64 [n], tables.

    Raises:
        TableError: If a seat has several.
    """
    if rules.role_query is None:
        return
    atoms = rules.role_query.query.circuit.outputs
    rivals = defaultdict[tuple[str, object], list[int]](list)
    for index, atom in enumerate(atoms):
        rivals[atom.name, atom.args[0]].append(index)
    groups = [(*key, indices) for key, indices in rivals.items() if len(indices) > 1]
    if not groups:
        return
    outputs = rules.role_query.evaluate(state.fluents, rows, rules.column_writers(state, rows, "end"))
    for name, seat, indices in groups:

        def describe(row: int, name: str = name, seat: object = seat, indices: list[int] = indices) -> str:
            values = join_names([atoms[index].args[1] for index in indices if outputs[index, row]])
            hint = source_hint(rules.rules.kb, f"{name}/2")
            return f"`{name}/2` must give a seat one {name}, and gives seat {seat} {values}{hint}"

        raise_where(outputs[indices].sum(axis=0, dtype=np.int64) > 1, rows, describe)
