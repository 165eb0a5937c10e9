"""Actions of the protocol and the forms that they are: from a move to its words, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARDS, hand_of
from abl_cards.games.game import GameError
from abl_cards.games.guandan.course import LEADING
from abl_cards.games.guandan.decisions import Decisions, decide
from abl_cards.games.guandan.expansion import MOST_CARDS, NO_CARD, NO_LABEL
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.wire import Action, wire_rank, wire_type
from abl_cards.games.tables import MoveLists


def action_of(rules: Rules, form: int, cards: NDArray[np.uint8]) -> Action:
    """A play or a pass in the words of the protocol."""
    label = rules.labels[rules.shapes.form_label[form]]
    return Action(wire_type(label), wire_rank(label), tuple(int(card) for card in cards if card != NO_CARD))


def identify(rules: Rules, level: int, action: Action) -> int:
    """The form that somebody has laid down; raises GameError when no hand could have led it so."""
    return identify_all(rules, level, [action])[0]


def identify_all(rules: Rules, level: int, actions: Sequence[Action]) -> list[int]:
    """The forms of several plays at one level; raises GameError for one that no hand could have led so."""
    hands = np.array([hand_of(action.cards) for action in actions], np.uint8).reshape(-1, CARDS)
    for action, hand in zip(actions, hands, strict=True):
        if len(action.cards) > MOST_CARDS or hand.max() > 2:
            raise GameError(f"{action} is no play")
    levels, leading = np.full(len(actions), level, np.int8), np.full(len(actions), LEADING, np.int16)
    lists, rows = find_moves(rules, decide(rules, hands, levels, leading), actions)
    for action, row in zip(actions, rows, strict=True):
        if row < 0:
            raise GameError(f"{action} is no play at this level")
    return [int(lists.form[row]) for row in rows]


def find_moves(rules: Rules, decisions: Decisions, actions: Sequence[Action]) -> tuple[MoveLists, list[int]]:
    """Legal moves, and the row of each action among them, -1 where it is not legal; its cards may come in any order."""
    named = rules.labels_by_action
    labels = np.array([named.get((each.type, each.rank, len(each.cards)), NO_LABEL) for each in actions], np.int16)
    lists = decisions.moves(labels)
    return lists, [_find(lists.start[row : row + 2], lists.cards, action) for row, action in enumerate(actions)]


def _find(bounds: NDArray[np.int64], cards: NDArray[np.uint8], action: Action) -> int:
    wanted = sorted(action.cards)
    for row in range(*bounds.tolist()):
        if sorted(card for card in cards[row].tolist() if card != NO_CARD) == wanted:
            return int(row)
    return -1
