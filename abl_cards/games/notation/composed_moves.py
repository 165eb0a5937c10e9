"""All whole plays of a decision, where plays are laid card by card: as card sets, each once, and no more than so many.

Whatever may be laid next is laid next, breadth first: all that is begun grows by a step at once, at tables of its own,
and what holds the same cards, laid by steps that the rules cannot tell apart, is one and the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game, classify_forms
from abl_cards.games.tables import Decisions, Tables, apply_trick_plays, tricks_after_moves, write_card_rows
from abl_cards.games.types import NO_CARD, Indices, MoveLists, Moves, copy_rows

MAX_COMPOSED_PLAYS = 40_000
"""Whole plays of a decision: more are refused."""
_BATCH_SIZE = 1 << 12  # tables, for the sake of memory


def list_composed_plays(decisions: Decisions, row: int, limit: int = MAX_COMPOSED_PLAYS) -> Moves:
    """The whole plays of one of some decisions, those of few cards first; raises GameError for more than so many."""
    rules = decisions.rules
    if not rules.has_composed_plays:
        return _pad_moves(decisions.select(np.array([row])).moves(), rules.max_play_cards)
    begun, done = Tables(rules, 1), list[Moves]()
    copy_rows(decisions.view.state, decisions.rows[[row]], begun.state)
    begun.state.seat[:] = decisions.view.seats[row]
    while len(begun):
        parts = [_step(begun, rows) for rows in _batches(len(begun))]
        done.append(_drop_repeated_cards(rules, _concatenate_moves([moves for moves, _, _ in parts])))
        begun = _merge_distinct(rules, parts)
        if sum(len(moves.form) for moves in done) + len(begun) > limit:
            raise GameError(
                f"more than {limit:,} whole plays are legal here: lay them card by card", ErrorCode.TOO_MANY_MOVES
            )
    found = _drop_repeated_cards(rules, _concatenate_moves(done))
    size = (found.cards != NO_CARD).sum(axis=1)
    order = np.lexsort((*found.cards.T[::-1], size))
    return Moves(found.form[order], found.cards[order])


def _pad_moves(lists: MoveLists, widest: int) -> Moves:
    missing = widest - lists.cards.shape[1]
    return Moves(lists.form, np.pad(lists.cards, ((0, 0), (0, missing)), constant_values=NO_CARD))


def _batches(n: int) -> list[Indices]:
    return [np.arange(first, min(n, first + _BATCH_SIZE)) for first in range(0, n, _BATCH_SIZE)]


_StepResult = tuple[Moves, Tables, NDArray[np.int32]]
"""Plays that are whole; tables where one is begun, and by what it was continued there."""


def _step(tables: Tables, rows: Indices) -> _StepResult:
    """Lay at some tables whatever may be laid next."""
    rules, decisions = tables.rules, tables.decisions(rows)
    lists = _drop_equivalent(rules, decisions, decisions.moves())
    parent, moves = rows[lists.decision_index], Moves(lists.form, lists.cards)
    after = Tables(rules, len(parent))
    copy_rows(tables.state, parent, after.state)
    state, here = after.state, np.arange(len(parent))
    seats = state.seat.copy()
    whole, _ = apply_trick_plays(rules, state, here, moves, None)
    cards = np.full((len(whole), rules.max_play_cards), NO_CARD, np.uint8)
    write_card_rows(state.trick_cards[whole, seats[whole]], cards, np.arange(len(whole)))
    going = np.flatnonzero(np.isin(here, whole, invert=True))
    begun = Tables(rules, len(going))
    copy_rows(state, going, begun.state)
    return Moves(state.last_form[whole], cards), begun, _form_class_of(rules)[moves.form[going]]


def _drop_equivalent(rules: CompiledGame, decisions: Decisions, lists: MoveLists) -> MoveLists:
    """The moves but for those that lead where another one leads."""
    seats, rows = decisions.view.seats[lists.decision_index], np.arange(len(lists.form))
    trick = tricks_after_moves(
        rules, decisions.view.state, decisions.rows[lists.decision_index], seats, Moves(lists.form, lists.cards)
    )
    lies = trick.trick_cards[rows, seats]
    kept = np.sort(_first_rows(lies, _form_class_of(rules)[lists.form]))
    start = np.searchsorted(lists.decision_index[kept], np.arange(len(lists.start)))
    return MoveLists(start, lists.form[kept], lists.cards[kept])


def _merge_distinct(rules: CompiledGame, parts: list[_StepResult]) -> Tables:
    """The tables where a play is begun, of those alike one."""
    tables, classes = [begun for _, begun, _ in parts], np.concatenate([each for _, _, each in parts])
    lies = np.concatenate([each.state.trick_cards[np.arange(len(each)), each.state.seat] for each in tables])
    kept = np.sort(_first_rows(lies, classes))
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


def _first_rows(cards: NDArray[np.uint8], classes: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first row of each set of cards [n, kinds] and class [n]."""
    keyed = np.concatenate([cards, classes.astype(np.int32).view(np.uint8).reshape(len(classes), 4)], axis=1)
    return np.unique(keyed.view(np.dtype((np.void, keyed.shape[1]))).ravel(), return_index=True)[1]


def _drop_repeated_cards(rules: CompiledGame, moves: Moves) -> Moves:
    """Every card set once, however it was laid; of several forms the first."""
    order = np.argsort(moves.form, kind="stable")
    cards = np.ascontiguousarray(moves.cards[order])
    kept = order[np.unique(cards.view(np.dtype((np.void, rules.max_play_cards))).ravel(), return_index=True)[1]]
    return Moves(moves.form[kept], moves.cards[kept])


def _concatenate_moves(parts: list[Moves]) -> Moves:
    return Moves(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@cache_per_game
def _form_class_of(rules: CompiledGame) -> NDArray[np.int32]:
    """[forms] which steps the rules cannot tell apart when they say who takes the trick, and who goes on."""
    assert rules.trick_query is not None
    return classify_forms(rules.trick_query, rules.schema, rules.forms)[0]
