"""Retraction of cards from plays of several parts, by rules that see all hands (``event(shown)``, ``takes_back/3``).

Such a play is shown in full before it counts. A play of one part is never shown, because its legality does not depend
on hidden hands. Games whose rules derive nothing at ``event(shown)`` do not use this module.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.compiled import CompiledGame, TableError, cache_per_game, whole_hand_moves
from abl_cards.games.moves import find_whole_hand_forms
from abl_cards.games.state import TableState, count_cards
from abl_cards.games.types import NO_CARD, Indices, Moves

OnShown = Callable[[Indices], None]
"""Function of tables [n] that applies the updates of ``event(shown)``."""


def apply_retractions(
    rules: CompiledGame,
    state: TableState,
    table_rows: Indices,
    moves: Moves,
    num_laid: NDArray[np.int16],
    on_shown: OnShown,
) -> NDArray[np.int64]:
    """Show the plays of several parts, and update those from which cards are taken back.

    Args:
        rules: Compiled rules.
        state: State of all tables; changed in place.
        table_rows: int64 [n], tables with complete plays.
        moves: The n plays; form and cards are changed in place where cards are taken back.
        num_laid: int16 [n], cards of each play.
        on_shown: Function that applies the updates.

    Returns:
        int64 [k], indices into ``table_rows`` of the plays that lost cards.

    Raises:
        TableError: If a whole play is taken back.
    """
    rows = np.flatnonzero(num_laid > rules.forms.num_cards[moves.form])
    if not rows.size:
        return rows
    shown_tables, seats = table_rows[rows], state.seat[table_rows[rows]]
    state.last_actor[shown_tables], state.last_form[shown_tables] = seats, moves.form[rows]
    on_shown(shown_tables)
    trick_cards = state.trick_cards[shown_tables, seats]
    num_left = count_cards(trick_cards)
    changed = num_left != num_laid[rows]  # updates only take cards back, so the count shows every change
    changed_rows, trick_cards = rows[changed], trick_cards[changed]
    if not changed_rows.size:
        return changed_rows
    if not num_left[changed].all():
        raise TableError(
            int(table_rows[changed_rows[0]]), "`takes_back/3` takes back a whole play: at least one card must lie"
        )
    moves.form[changed_rows] = find_forms(
        rules, trick_cards, state.context[table_rows[changed_rows]], moves.form[changed_rows]
    )
    write_card_rows(trick_cards, moves.cards, changed_rows)
    state.trick_forms[table_rows[changed_rows], state.seat[table_rows[changed_rows]]] = moves.form[changed_rows]
    return changed_rows


def find_forms(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], default: NDArray[np.int16]
) -> NDArray[np.int16]:
    """Find the form that consists of all cards of a hand.

    Args:
        rules: Compiled rules.
        hands: uint8 [n, kinds], copies of each card.
        contexts: int16 [n], order contexts.
        default: int16 [n], form to return if there is none.

    Returns:
        int16 [n], the first such form.
    """
    if rules.move_lookup is not None:
        forms = find_whole_hand_forms(rules.move_lookup, hands, contexts)
    else:
        forms = _find_forms_cached(rules, hands, contexts)
    return np.where(forms < 0, default, forms)


@cache_per_game
def _form_cache(rules: CompiledGame) -> dict[bytes, int]:
    """Return the forms found so far, by context and hand."""
    return {}


def _find_forms_cached(rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> NDArray[np.int16]:
    """Find forms by enumeration, -1 if there is none; results are cached by hand and context."""
    cache = _form_cache(rules)
    key_bytes = np.column_stack([contexts.astype(np.int16).view(np.uint8).reshape(len(contexts), 2), hands])
    keys = [row.tobytes() for row in key_bytes]
    new = {key: row for row, key in enumerate(keys) if key not in cache}
    if new:
        cache |= zip(new, _find_first_forms(rules, hands[[*new.values()]], contexts[[*new.values()]]), strict=True)
    return np.array([cache[key] for key in keys], np.int16)


def _find_first_forms(rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> list[int]:
    """Find forms by enumeration, -1 if there is none."""
    lists = whole_hand_moves(rules, hands, contexts, np.zeros(len(hands), np.bool_))
    bounds = zip(lists.start[:-1].tolist(), lists.start[1:].tolist(), strict=True)
    return [min(lists.form[first:last].tolist(), default=-1) for first, last in bounds]


@kernel
def write_card_rows(counts, cards, rows):
    """Write cards as lists.

    Args:
        counts: uint8 [k, kinds], copies of each card.
        cards: uint8 [n, max cards], rows of cards as in ``Moves``; changed in place.
        rows: int64 [k], rows to write.
    """
    for i in range(len(rows)):
        write_card_row(counts[i], cards[rows[i]])


@kernel
def write_card_row(counts, row):
    """Write the cards of counts [kinds] that fit to a row as in ``Moves``; return the number of cards in counts."""
    num_cards = 0
    for kind in range(len(counts)):
        for _ in range(counts[kind]):
            if num_cards < len(row):
                row[num_cards] = kind
            num_cards += 1
    row[num_cards:] = NO_CARD
    return num_cards
