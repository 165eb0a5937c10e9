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
from abl_cards.games.play.card_sets import card_sets
from abl_cards.games.play.state import State
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD, Indices, Moves

Happen = Callable[[Indices], None]
"""Has the referee change what there is to change where plays have been shown."""


def show(rules: Rules, state: State, which: Indices, moves: Moves, happen: Happen) -> NDArray[np.int64]:
    """Show the plays at these tables that have several parts; [k] the rows of which[:] where cards were given back.

    The forms of these become those of what lies now, and so do their cards in moves.
    """
    cards = (moves.cards != NO_CARD).sum(axis=1)
    rows = np.flatnonzero(cards > rules.forms.cards_of[moves.form])
    if not rows.size:
        return rows
    some, seats = which[rows], state.seat[which[rows]]
    state.acted[some], state.laid[some] = seats, moves.form[rows]
    before = state.lies[some, seats]
    happen(some)
    after = state.lies[some, seats]
    changed = (after != before).any(axis=1)
    back, after = rows[changed], after[changed]
    if not back.size:
        return back
    if not after.any(axis=1).all():
        raise TableError(int(which[back[0]]), "`takes_back/3` takes back a whole play: at least one card must lie")
    moves.form[back] = forms_of(rules, after, state.context[which[back]], moves.form[back])
    spread(after, moves.cards, back)
    state.lies_form[which[back], state.seat[which[back]]] = moves.form[back]
    return back


def forms_of(
    rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16], otherwise: NDArray[np.int16]
) -> NDArray[np.int16]:
    """[n] the first form that all the cards of each of hands [n, kinds] make; otherwise [n] where there is none."""
    known: dict[bytes, int] = rules.kb.kept.setdefault(("forms_of", id(rules)), (rules, {}))[1]
    keyed = np.column_stack([contexts.astype(np.int16).view(np.uint8).reshape(len(contexts), 2), hands])
    keys = [row.tobytes() for row in keyed]
    new = {key: row for row, key in enumerate(keys) if key not in known}
    if new:
        known |= zip(new, _first_forms(rules, hands[[*new.values()]], contexts[[*new.values()]]), strict=True)
    found = np.array([known[key] for key in keys], np.int16)
    return np.where(found < 0, otherwise, found)


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
        filled = 0
        for kind in range(counts.shape[1]):
            for _ in range(counts[i, kind]):
                cards[rows[i], filled] = kind
                filled += 1
        for place in range(filled, cards.shape[1]):
            cards[rows[i], place] = NO_CARD


@njit(cache=True, nogil=True)
def take_back(answers, which, backs, lies, hands, played):
    """Give cards back at tables which[:] by answers [outputs, n]; backs [m, 4] is an output, a seat, a kind, copies.

    Of several numbers of copies the largest counts. Returns the first of which[:] where the cards do not lie, and the
    row of backs; else -1, -1. Rows are sorted by seat, kind, and copies downwards.
    """
    for i in range(len(which)):
        table, seat, kind = which[i], -1, -1
        for row in range(len(backs)):
            if answers[backs[row, 0], i] and not (backs[row, 1] == seat and backs[row, 2] == kind):
                seat, kind, copies = backs[row, 1], backs[row, 2], backs[row, 3]
                if lies[table, seat, kind] < copies:
                    return i, row
                lies[table, seat, kind] -= copies
                played[table, seat, kind] -= copies
                hands[table, seat, kind] += copies
    return -1, -1
