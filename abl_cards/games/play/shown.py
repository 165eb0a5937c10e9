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

from abl_cards.games.faults import TableError
from abl_cards.games.play import fixed
from abl_cards.games.play.card_sets import card_sets
from abl_cards.games.play.state import State, count_cards
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD, Indices, Moves

Happen = Callable[[Indices], None]
"""Has the referee change what there is to change where plays have been shown."""


def show(
    rules: Rules, state: State, which: Indices, moves: Moves, laid: NDArray[np.int16], happen: Happen
) -> NDArray[np.int64]:
    """Show the plays at these tables that have several parts; [k] the rows of which[:] where cards were given back.

    Laid [n] is how many cards lie. The forms of these become those of what lies now, and so do their cards in moves.
    """
    rows = np.flatnonzero(laid > rules.forms.cards_of[moves.form])
    if not rows.size:
        return rows
    some, seats = which[rows], state.seat[which[rows]]
    state.acted[some], state.laid[some] = seats, moves.form[rows]
    happen(some)
    after = state.lies[some, seats]
    left = count_cards(after)
    changed = left != laid[rows]  # cards are taken back, and none laid besides
    back, after = rows[changed], after[changed]
    if not back.size:
        return back
    if not left[changed].all():
        raise TableError(int(which[back[0]]), "`takes_back/3` takes back a whole play: at least one card must lie")
    moves.form[back] = forms_of(rules, after, state.context[which[back]], moves.form[back])
    spread(after, moves.cards, back)
    state.lies_form[which[back], state.seat[which[back]]] = moves.form[back]
    return back


def forms_of(
    rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16], otherwise: NDArray[np.int16]
) -> NDArray[np.int16]:
    """[n] the first form that all the cards of each of hands [n, kinds] make; otherwise [n] where there is none."""
    if rules.fixed is not None:
        found = fixed.whole_forms(rules.fixed, hands, contexts)
    else:
        found = _forms_known(rules, hands, contexts)
    return np.where(found < 0, otherwise, found)


def _forms_known(rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> NDArray[np.int16]:
    """The same, -1 where there is none; what was walked once is known."""
    known: dict[bytes, int] = rules.kb.kept.setdefault(("forms_of", id(rules)), (rules, {}))[1]
    keyed = np.column_stack([contexts.astype(np.int16).view(np.uint8).reshape(len(contexts), 2), hands])
    keys = [row.tobytes() for row in keyed]
    new = {key: row for row, key in enumerate(keys) if key not in known}
    if new:
        known |= zip(new, _first_forms(rules, hands[[*new.values()]], contexts[[*new.values()]]), strict=True)
    return np.array([known[key] for key in keys], np.int16)


def _first_forms(rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> list[int]:
    n = len(hands)
    labels, forms = (np.ones((count, n), np.uint8) for count in (len(rules.labels), len(rules.forms)))
    lists = card_sets(rules, hands, contexts, np.zeros(n, np.bool_), labels, forms)
    bounds = zip(lists.start[:-1].tolist(), lists.start[1:].tolist(), strict=True)
    return [min(lists.form[first:last].tolist(), default=-1) for first, last in bounds]


@njit(cache=True, nogil=True)
def spread(counts, cards, rows):
    """Write the cards of counts [k, kinds] into rows [k] of cards [n, most]."""
    for i in range(len(rows)):
        lay_row(counts[i], cards[rows[i]])


@njit(cache=True, nogil=True)
def lay_row(counts, row):
    """Write the cards of counts [kinds] into a row, as in Moves, as far as it goes; returns how many there are."""
    filled = 0
    for kind in range(len(counts)):
        for _ in range(counts[kind]):
            if filled < len(row):
                row[filled] = kind
            filled += 1
    row[filled:] = NO_CARD
    return filled
