"""Plays composed card by card that are written as a whole: found again card by card, in an order that is legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.description import Cards
from abl_cards.games.tables import Decisions, Tables, apply_trick_plays
from abl_cards.games.types import NO_CARD, MoveLists, Moves, copy_rows

_FIRST_ROW = np.zeros(1, np.int64)


def compose_move(decisions: Decisions, row: int, cards: Cards) -> Moves | None:
    """The cards as one play of a decision; None where they cannot be laid so."""
    parts = compose_parts(decisions, row, cards)
    if parts is None:
        return None
    laid = np.full((1, decisions.rules.max_play_cards), NO_CARD, np.uint8)
    laid[0, : len(cards)] = sorted(cards)
    return Moves(parts[-1].form, laid)


def compose_parts(decisions: Decisions, row: int, cards: Cards) -> list[Moves] | None:
    """Split a composed play of these cards into its acts; None if the cards cannot be laid in this way."""
    return _complete_play(_copy_table(decisions, decisions.rows[row]), Counter(cards))


def _copy_table(decisions: Decisions, table: int) -> Tables:
    tables = Tables(decisions.rules, 1)
    copy_rows(decisions.view.state, np.array([table]), tables.state)
    return tables


def _complete_play(tables: Tables, left: Counter[int]) -> list[Moves] | None:
    """The parts of these cards that complete the play, if there are such."""
    decisions = tables.decisions(_FIRST_ROW)
    lists = decisions.moves()
    for move in _candidate_parts(tables, lists, left):
        part, after = lists.select(np.array([move])), _copy_table(decisions, 0)
        rest = left - Counter(move_cards(lists, move))
        done, _ = apply_trick_plays(tables.rules, after.state, _FIRST_ROW, part, None)
        if not rest and (done.size or _can_end(after)):
            return [part]
        if rest and not done.size and (found := _complete_play(after, rest)) is not None:
            return [part, *found]
    return None


def _candidate_parts(tables: Tables, lists: MoveLists, left: Counter[int]) -> Iterator[int]:
    """The moves that are laid of these cards; of single cards the first in the order of lists, once a kind of form."""
    seen = set()
    for move, form in enumerate(lists.form.tolist()):
        cards, kind = move_cards(lists, move), tables.rules.forms.forms[form].kind
        if cards and kind not in seen and not Counter(cards) - left:
            if len(cards) == 1:
                seen.add(kind)
            yield move


def move_cards(lists: MoveLists, move: int) -> list[int]:
    """The cards of a move."""
    cards: list[int] = lists.cards[move].tolist()
    return [card for card in cards if card != NO_CARD]


def _can_end(tables: Tables) -> bool:
    """Return whether a play of open length may end here with a pass."""
    legal = tables.decisions(_FIRST_ROW).legal_mask
    return bool(legal[tables.rules.forms.label_of[tables.rules.forms.pass_form], 0])


def append_move(lists: MoveLists, moves: Moves) -> tuple[MoveLists, int]:
    """The moves with one more at the end, of no decision's list, and its row."""
    width = max(lists.cards.shape[1], moves.cards.shape[1])

    def wide(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.pad(cards, ((0, 0), (0, width - cards.shape[1])), constant_values=NO_CARD)

    form = np.concatenate([lists.form, moves.form])
    return MoveLists(lists.start, form, np.concatenate([wide(lists.cards), wide(moves.cards)])), len(lists.form)
