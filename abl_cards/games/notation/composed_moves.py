"""Enumerate the whole plays of a decision in games where plays are composed card by card.

Breadth-first search over partial plays: each step extends every partial play by every legal act, at a table of its
own. Partial plays with equal cards and equivalent steps are merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game, classify_forms
from abl_cards.games.tables import Decisions, Tables, apply_trick_plays, tricks_after_moves, write_card_rows
from abl_cards.games.types import NO_CARD, Indices, MoveLists, Moves, copy_rows

MAX_COMPOSED_PLAYS = 40_000
"""Largest number of whole plays listed for a decision."""
_BATCH_SIZE = 1 << 12  # tables per step; bounds memory


def list_composed_plays(decisions: Decisions, row: int, limit: int = MAX_COMPOSED_PLAYS) -> Moves:
    """List the whole plays of a decision, each set of cards once.

    Args:
        decisions: Decisions of tables.
        row: Index of the decision.
        limit: Largest number of whole and partial plays.

    Returns:
        Plays ordered by number of cards, then by cards.

    Raises:
        GameError: There are more plays than the limit.
    """
    rules = decisions.rules
    if not rules.has_composed_plays:
        return _pad_moves(decisions.select(np.array([row])).moves(), rules.max_play_cards)
    unfinished, finished = Tables(rules, 1), list[Moves]()
    copy_rows(decisions.view.state, decisions.rows[[row]], unfinished.state)
    unfinished.state.seat[:] = decisions.view.seats[row]
    while len(unfinished):
        parts = [_step(unfinished, rows) for rows in _batches(len(unfinished))]
        finished.append(_drop_repeated_cards(rules, _concatenate_moves([moves for moves, _, _ in parts])))
        unfinished = _merge_distinct(rules, parts)
        if sum(len(moves.form) for moves in finished) + len(unfinished) > limit:
            raise GameError(
                f"more than {limit:,} whole plays are legal here: lay them card by card", ErrorCode.TOO_MANY_MOVES
            )
    plays = _drop_repeated_cards(rules, _concatenate_moves(finished))
    size = (plays.cards != NO_CARD).sum(axis=1)
    order = np.lexsort((*plays.cards.T[::-1], size))
    return Moves(plays.form[order], plays.cards[order])


def _pad_moves(lists: MoveLists, widest: int) -> Moves:
    missing = widest - lists.cards.shape[1]
    return Moves(lists.form, np.pad(lists.cards, ((0, 0), (0, missing)), constant_values=NO_CARD))


def _batches(n: int) -> list[Indices]:
    return [np.arange(first, min(n, first + _BATCH_SIZE)) for first in range(0, n, _BATCH_SIZE)]


_StepResult = tuple[Moves, Tables, NDArray[np.int32]]
"""Whole plays; tables with partial plays; class of the last step at each of these tables."""


def _step(tables: Tables, rows: Indices) -> _StepResult:
    """Extend the partial plays at some tables by every legal act."""
    rules, decisions = tables.rules, tables.decisions(rows)
    lists = _drop_equivalent(rules, decisions, decisions.moves())
    parent, moves = rows[lists.decision_index], Moves(lists.form, lists.cards)
    after = Tables(rules, len(parent))
    copy_rows(tables.state, parent, after.state)
    state, all_rows = after.state, np.arange(len(parent))
    seats = state.seat.copy()
    whole, _ = apply_trick_plays(rules, state, all_rows, moves, None)
    cards = np.full((len(whole), rules.max_play_cards), NO_CARD, np.uint8)
    write_card_rows(state.trick_cards[whole, seats[whole]], cards, np.arange(len(whole)))
    ongoing = np.flatnonzero(np.isin(all_rows, whole, invert=True))
    unfinished = Tables(rules, len(ongoing))
    copy_rows(state, ongoing, unfinished.state)
    return Moves(state.last_form[whole], cards), unfinished, _form_class_of(rules)[moves.form[ongoing]]


def _drop_equivalent(rules: CompiledGame, decisions: Decisions, lists: MoveLists) -> MoveLists:
    """Return the moves without those that lead to the same trick as an earlier one."""
    seats, rows = decisions.view.seats[lists.decision_index], np.arange(len(lists.form))
    trick = tricks_after_moves(
        rules, decisions.view.state, decisions.rows[lists.decision_index], seats, Moves(lists.form, lists.cards)
    )
    trick_cards = trick.trick_cards[rows, seats]
    distinct = np.sort(_first_rows(trick_cards, _form_class_of(rules)[lists.form]))
    start = np.searchsorted(lists.decision_index[distinct], np.arange(len(lists.start)))
    return MoveLists(start, lists.form[distinct], lists.cards[distinct])


def _merge_distinct(rules: CompiledGame, parts: list[_StepResult]) -> Tables:
    """Return the tables with partial plays, one for each set of cards and class of steps."""
    tables, classes = [unfinished for _, unfinished, _ in parts], np.concatenate([part for _, _, part in parts])
    trick_cards = np.concatenate([part.state.trick_cards[np.arange(len(part)), part.state.seat] for part in tables])
    distinct = np.sort(_first_rows(trick_cards, classes))
    merged, end, offset = Tables(rules, len(distinct)), 0, 0
    for part in tables:
        selected = distinct[(distinct >= offset) & (distinct < offset + len(part))] - offset
        subset = Tables(rules, len(selected))
        copy_rows(part.state, selected, subset.state)
        pairs = zip(merged.arrays().values(), subset.arrays().values(), strict=True)
        for target, source in pairs:
            target[end : end + len(selected)] = source
        end, offset = end + len(selected), offset + len(part)
    return merged


def _first_rows(cards: NDArray[np.uint8], classes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the first row of each distinct pair of cards [n, kinds] and class [n]."""
    keyed = np.concatenate([cards, classes.astype(np.int32).view(np.uint8).reshape(len(classes), 4)], axis=1)
    return np.unique(keyed.view(np.dtype((np.void, keyed.shape[1]))).ravel(), return_index=True)[1]


def _drop_repeated_cards(rules: CompiledGame, moves: Moves) -> Moves:
    """Return each set of cards once, with its lowest form."""
    order = np.argsort(moves.form, kind="stable")
    cards = np.ascontiguousarray(moves.cards[order])
    distinct = order[np.unique(cards.view(np.dtype((np.void, rules.max_play_cards))).ravel(), return_index=True)[1]]
    return Moves(moves.form[distinct], moves.cards[distinct])


def _concatenate_moves(parts: list[Moves]) -> Moves:
    return Moves(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@cache_per_game
def _form_class_of(rules: CompiledGame) -> NDArray[np.int32]:
    """Return the class of each form [forms]; forms of a class are equivalent to the rules of tricks."""
    assert rules.trick_query is not None
    return classify_forms(rules.trick_query, rules.schema, rules.forms)[0]
