"""Plays that are shown whole before they lie: the referee, who sees all hands, may give cards of them back.

Where the rules derive nothing at ``event(shown)`` nothing here is called. A play of one part, however many cards it
has, is not shown: what may be laid down at once is as legal as it looks.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, TableError, whole_hand_moves
from abl_cards.games.moves import find_whole_hand_forms
from abl_cards.games.state import TableState, count_cards
from abl_cards.games.types import NO_CARD, Indices, Moves

OnShown = Callable[[Indices], None]
"""Has the referee change what there is to change where plays have been shown."""


def apply_retractions(
    rules: CompiledGame,
    state: TableState,
    table_rows: Indices,
    moves: Moves,
    num_laid: NDArray[np.int16],
    on_shown: OnShown,
) -> NDArray[np.int64]:
    """Show the plays at these tables that have several parts; [k] the places in table_rows where cards came back.

    num_laid [n] is how many cards lie. The forms of these become those of what lies now, and so do their cards in
    moves.
    """
    rows = np.flatnonzero(num_laid > rules.forms.num_cards[moves.form])
    if not rows.size:
        return rows
    some, seats = table_rows[rows], state.seat[table_rows[rows]]
    state.last_actor[some], state.last_form[some] = seats, moves.form[rows]
    on_shown(some)
    after = state.trick_cards[some, seats]
    left = count_cards(after)
    changed = left != num_laid[rows]  # cards are taken back, and none laid besides
    back, after = rows[changed], after[changed]
    if not back.size:
        return back
    if not left[changed].all():
        raise TableError(int(table_rows[back[0]]), "`takes_back/3` takes back a whole play: at least one card must lie")
    moves.form[back] = find_forms(rules, after, state.context[table_rows[back]], moves.form[back])
    write_card_rows(after, moves.cards, back)
    state.trick_forms[table_rows[back], state.seat[table_rows[back]]] = moves.form[back]
    return back


def find_forms(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], default: NDArray[np.int16]
) -> NDArray[np.int16]:
    """[n] the first form that all the cards of each of hands [n, kinds] make; default [n] where there is none."""
    if rules.move_lookup is not None:
        found = find_whole_hand_forms(rules.move_lookup, hands, contexts)
    else:
        found = _find_forms_cached(rules, hands, contexts)
    return np.where(found < 0, default, found)


def _find_forms_cached(rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> NDArray[np.int16]:
    """The same, -1 where there is none; what was walked once is known."""
    known: dict[bytes, int] = rules.kb.memo.setdefault(("forms_of", id(rules)), (rules, {}))[1]
    keyed = np.column_stack([contexts.astype(np.int16).view(np.uint8).reshape(len(contexts), 2), hands])
    keys = [row.tobytes() for row in keyed]
    new = {key: row for row, key in enumerate(keys) if key not in known}
    if new:
        known |= zip(new, _find_first_forms(rules, hands[[*new.values()]], contexts[[*new.values()]]), strict=True)
    return np.array([known[key] for key in keys], np.int16)


def _find_first_forms(rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> list[int]:
    n = len(hands)
    labels, forms = (np.ones((count, n), np.uint8) for count in (len(rules.labels), len(rules.forms)))
    lists = whole_hand_moves(rules, hands, contexts, np.zeros(n, np.bool_), labels, forms)
    bounds = zip(lists.start[:-1].tolist(), lists.start[1:].tolist(), strict=True)
    return [min(lists.form[first:last].tolist(), default=-1) for first, last in bounds]


@njit(cache=True, nogil=True)
def write_card_rows(counts, cards, rows):
    """Write the cards of counts [k, kinds] into rows [k] of cards [n, most]."""
    for i in range(len(rows)):
        write_card_row(counts[i], cards[rows[i]])


@njit(cache=True, nogil=True)
def write_card_row(counts, row):
    """Write the cards of counts [kinds] into a row, as in Moves, as far as it goes; returns how many there are."""
    filled = 0
    for kind in range(len(counts)):
        for _ in range(counts[kind]):
            if filled < len(row):
                row[filled] = kind
            filled += 1
    row[filled:] = NO_CARD
    return filled
