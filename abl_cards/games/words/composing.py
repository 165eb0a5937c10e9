"""Plays composed card by card that are written as a whole: found again card by card, in an order that is legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play import tricks
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.tables import Tables
from abl_cards.games.snapshots import copy_rows
from abl_cards.games.tables import NO_CARD, MoveLists, Moves
from abl_cards.games.words.letters import Cards

_HERE = np.zeros(1, np.int64)


def composed(decisions: Decisions, row: int, cards: Cards) -> Moves | None:
    """The cards as one play of a decision; None where they cannot be laid so."""
    parts = composed_of(decisions, row, cards)
    if parts is None:
        return None
    laid = np.full((1, decisions.rules.widest), NO_CARD, np.uint8)
    laid[0, : len(cards)] = sorted(cards)
    return Moves(parts[-1].form, laid)


def composed_of(decisions: Decisions, row: int, cards: Cards) -> list[Moves] | None:
    """What is laid one after the other to make one play of these cards; None where they cannot be laid so."""
    return _go_on(_copy(decisions, decisions.which[row]), Counter(cards))


def _copy(decisions: Decisions, table: int) -> Tables:
    tables = Tables(decisions.rules, 1)
    copy_rows(decisions.view.state, np.array([table]), tables.state)
    return tables


def _go_on(tables: Tables, left: Counter[int]) -> list[Moves] | None:
    """The parts of these cards that complete the play, if there are such."""
    decisions = tables.decisions(_HERE)
    lists = decisions.moves()
    for move in _parts(tables, lists, left):
        part, after = lists.rows(np.array([move])), _copy(decisions, 0)
        rest = left - Counter(cards_laid(lists, move))
        done, _ = tricks.lay(tables.rules, after.state, _HERE, part, None)
        if not rest and (done.size or _may_end(after)):
            return [part]
        if rest and not done.size and (found := _go_on(after, rest)) is not None:
            return [part, *found]
    return None


def _parts(tables: Tables, lists: MoveLists, left: Counter[int]) -> Iterator[int]:
    """The moves that are laid of these cards; of single cards the first in the order of lists, once a kind of form."""
    seen = set()
    for move, form in enumerate(lists.form.tolist()):
        cards, kind = cards_laid(lists, move), tables.rules.forms.forms[form].kind
        if cards and kind not in seen and not Counter(cards) - left:
            if len(cards) == 1:
                seen.add(kind)
            yield move


def cards_laid(lists: MoveLists, move: int) -> list[int]:
    """The cards of a move."""
    cards: list[int] = lists.cards[move].tolist()
    return [card for card in cards if card != NO_CARD]


def _may_end(tables: Tables) -> bool:
    """Whether a play of open length may end here: with a pass."""
    legal = tables.decisions(_HERE).legal
    return bool(legal[tables.rules.forms.label_of[tables.rules.forms.passing], 0])


def with_row(lists: MoveLists, moves: Moves) -> tuple[MoveLists, int]:
    """The moves with one more at the end, of no decision's list, and its row."""
    width = max(lists.cards.shape[1], moves.cards.shape[1])

    def wide(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.pad(cards, ((0, 0), (0, width - cards.shape[1])), constant_values=NO_CARD)

    form = np.concatenate([lists.form, moves.form])
    return MoveLists(lists.start, form, np.concatenate([wide(lists.cards), wide(moves.cards)])), len(lists.form)
