"""Split plays that are written as a whole into legal acts, in games where plays are composed card by card."""

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
    """Make one play of a decision from its cards.

    Args:
        decisions: Decisions of tables.
        row: Index of the decision.
        cards: Cards of the whole play.

    Returns:
        The play, with the form of its last act; None if no legal order of acts exists.
    """
    parts = compose_parts(decisions, row, cards)
    if parts is None:
        return None
    row_cards = np.full((1, decisions.rules.max_play_cards), NO_CARD, np.uint8)
    row_cards[0, : len(cards)] = sorted(cards)
    return Moves(parts[-1].form, row_cards)


def compose_parts(decisions: Decisions, row: int, cards: Cards) -> list[Moves] | None:
    """Split a composed play into its acts.

    Args:
        decisions: Decisions of tables.
        row: Index of the decision.
        cards: Cards of the whole play.

    Returns:
        Acts in a legal order; None if there is none.
    """
    return _complete_play(_copy_table(decisions, decisions.rows[row]), Counter(cards))


def _copy_table(decisions: Decisions, table: int) -> Tables:
    tables = Tables(decisions.rules, 1)
    copy_rows(decisions.view.state, np.array([table]), tables.state)
    return tables


def _complete_play(tables: Tables, cards: Counter[int]) -> list[Moves] | None:
    """Return acts that complete the play with exactly these cards; None if there are none."""
    decisions = tables.decisions(_FIRST_ROW)
    lists = decisions.moves()
    for move in _candidate_parts(tables, lists, cards):
        act, after = lists.select(np.array([move])), _copy_table(decisions, 0)
        remaining = cards - Counter(move_cards(lists, move))
        done, _ = apply_trick_plays(tables.rules, after.state, _FIRST_ROW, act, None)
        if not remaining and (done.size or _can_end(after)):
            return [act]
        if remaining and not done.size and (following := _complete_play(after, remaining)) is not None:
            return [act, *following]
    return None


def _candidate_parts(tables: Tables, lists: MoveLists, available: Counter[int]) -> Iterator[int]:
    """Yield the moves within the available cards; single cards once for each kind of form."""
    seen = set()
    for move, form in enumerate(lists.form.tolist()):
        cards, kind = move_cards(lists, move), tables.rules.forms.forms[form].kind
        if cards and kind not in seen and not Counter(cards) - available:
            if len(cards) == 1:
                seen.add(kind)
            yield move


def move_cards(lists: MoveLists, move: int) -> list[int]:
    """Return the cards of a move without padding."""
    cards: list[int] = lists.cards[move].tolist()
    return [card for card in cards if card != NO_CARD]


def _can_end(tables: Tables) -> bool:
    """Return whether a play of open length may end here with a pass."""
    legal = tables.decisions(_FIRST_ROW).legal_mask
    return bool(legal[tables.rules.forms.label_of[tables.rules.forms.pass_form], 0])


def append_move(lists: MoveLists, moves: Moves) -> tuple[MoveLists, int]:
    """Append a move that belongs to no decision; return the lists and its row."""
    width = max(lists.cards.shape[1], moves.cards.shape[1])

    def pad(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.pad(cards, ((0, 0), (0, width - cards.shape[1])), constant_values=NO_CARD)

    form = np.concatenate([lists.form, moves.form])
    return MoveLists(lists.start, form, np.concatenate([pad(lists.cards), pad(moves.cards)])), len(lists.form)
