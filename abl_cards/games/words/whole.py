"""All whole plays of a decision, where plays are laid card by card: as card sets, each once, and no more than so many.

Whatever may be laid next is laid next, breadth first: all that is begun grows by a step at once, at tables of its own,
and what holds the same cards, laid by steps that the rules cannot tell apart, is one and the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play import tricks
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.shown import spread
from abl_cards.games.play.tables import Tables
from abl_cards.games.reading.rules import Rules, form_classes
from abl_cards.games.snapshots import copy_rows
from abl_cards.games.tables import NO_CARD, Indices, MoveLists, Moves
from abl_cards.games.words.once import once

MOST = 40_000
"""Whole plays of a decision: more are refused."""
_AT_ONCE = 1 << 12  # tables, for the sake of memory


def whole_plays(decisions: Decisions, row: int, most: int = MOST) -> Moves:
    """The whole plays of one of some decisions, those of few cards first; raises GameError for more than so many."""
    rules = decisions.rules
    if not rules.composing:
        return _listed(decisions.at(np.array([row])).moves(), rules.widest)
    begun, done = Tables(rules, 1), list[Moves]()
    copy_rows(decisions.view.state, decisions.which[[row]], begun.state)
    begun.state.seat[:] = decisions.view.seats[row]
    while len(begun):
        parts = [_step(begun, rows) for rows in _portions(len(begun))]
        done.append(_once(rules, _joined([moves for moves, _, _ in parts])))
        begun = _apart(rules, parts)
        if sum(len(moves.form) for moves in done) + len(begun) > most:
            raise GameError(f"more than {most:,} whole plays are legal here: lay them card by card")
    found = _once(rules, _joined(done))
    size = (found.cards != NO_CARD).sum(axis=1)
    order = np.lexsort((*found.cards.T[::-1], size))
    return Moves(found.form[order], found.cards[order])


def _listed(lists: MoveLists, widest: int) -> Moves:
    missing = widest - lists.cards.shape[1]
    return Moves(lists.form, np.pad(lists.cards, ((0, 0), (0, missing)), constant_values=NO_CARD))


def _portions(n: int) -> list[Indices]:
    return [np.arange(first, min(n, first + _AT_ONCE)) for first in range(0, n, _AT_ONCE)]


_Part = tuple[Moves, Tables, NDArray[np.int32]]
"""Plays that are whole; tables where one is begun, and by what it was continued there."""


def _step(tables: Tables, rows: Indices) -> _Part:
    """Lay at some tables whatever may be laid next."""
    rules, decisions = tables.rules, tables.decisions(rows)
    lists = _unlike(rules, decisions, decisions.moves())
    parent, moves = rows[lists.decision], Moves(lists.form, lists.cards)
    after = Tables(rules, len(parent))
    copy_rows(tables.state, parent, after.state)
    state, here = after.state, np.arange(len(parent))
    seats = state.seat.copy()
    whole, _ = tricks.lay(rules, state, here, moves, None)
    cards = np.full((len(whole), rules.widest), NO_CARD, np.uint8)
    spread(state.lies[whole, seats[whole]], cards, np.arange(len(whole)))
    going = np.flatnonzero(np.isin(here, whole, invert=True))
    begun = Tables(rules, len(going))
    copy_rows(state, going, begun.state)
    return Moves(state.laid[whole], cards), begun, _classes(rules)[moves.form[going]]


def _unlike(rules: Rules, decisions: Decisions, lists: MoveLists) -> MoveLists:
    """The moves but for those that lead where another one leads."""
    seats, rows = decisions.view.seats[lists.decision], np.arange(len(lists.form))
    trick = tricks.after(
        rules, decisions.view.state, decisions.which[lists.decision], seats, Moves(lists.form, lists.cards)
    )
    lies = trick.lies[rows, seats]
    kept = np.sort(_first(lies, _classes(rules)[lists.form]))
    start = np.searchsorted(lists.decision[kept], np.arange(len(lists.start)))
    return MoveLists(start, lists.form[kept], lists.cards[kept])


def _apart(rules: Rules, parts: list[_Part]) -> Tables:
    """The tables where a play is begun, of those alike one."""
    tables, classes = [begun for _, begun, _ in parts], np.concatenate([each for _, _, each in parts])
    lies = np.concatenate([each.state.lies[np.arange(len(each)), each.state.seat] for each in tables])
    kept = np.sort(_first(lies, classes))
    found, at, first = Tables(rules, len(kept)), 0, 0
    for each in tables:
        mine = kept[(kept >= first) & (kept < first + len(each))] - first
        some = Tables(rules, len(mine))
        copy_rows(each.state, mine, some.state)
        into = zip(found.arrays().values(), some.arrays().values(), strict=True)
        for target, source in into:
            target[at : at + len(mine)] = source
        at, first = at + len(mine), first + len(each)
    return found


def _first(cards: NDArray[np.uint8], classes: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first row of each set of cards [n, kinds] and class [n]."""
    keyed = np.concatenate([cards, classes.astype(np.int32).view(np.uint8).reshape(len(classes), 4)], axis=1)
    return np.unique(keyed.view(np.dtype((np.void, keyed.shape[1]))).ravel(), return_index=True)[1]


def _once(rules: Rules, moves: Moves) -> Moves:
    """Every card set once, however it was laid; of several forms the first."""
    order = np.argsort(moves.form, kind="stable")
    cards = np.ascontiguousarray(moves.cards[order])
    kept = order[np.unique(cards.view(np.dtype((np.void, rules.widest))).ravel(), return_index=True)[1]]
    return Moves(moves.form[kept], moves.cards[kept])


def _joined(parts: list[Moves]) -> Moves:
    return Moves(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@once
def _classes(rules: Rules) -> NDArray[np.int32]:
    """[forms] which steps the rules cannot tell apart when they say who takes the trick, and who goes on."""
    assert rules.taking is not None
    return form_classes(rules.taking, rules.words, rules.forms)[0]
