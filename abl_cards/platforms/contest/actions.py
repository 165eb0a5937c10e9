"""Actions of the protocol and the engine's forms: from a move to its words, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Decisions
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD, MoveLists
from abl_cards.games.words.finding import find_moves as find
from abl_cards.games.words.plays import Wanted, form_of
from abl_cards.games.words.written import written
from abl_cards.platforms.contest.standings import at_level
from abl_cards.platforms.contest.wire import Action

NO_LABEL = -2
"""Of words that no label has: no form is meant."""


def action_of(rules: Rules, form: int, cards: NDArray[np.uint8]) -> Action:
    """A play or a pass in the words of the protocol."""
    words = written(rules)
    if words is None:
        raise GameError('the rules do not say how plays are written: written(single(R),"Single",…)')
    kind, rank = words.labels[int(rules.forms.label_of[form])]
    return Action(kind, rank, tuple(int(card) for card in cards if card != NO_CARD))


def wanted_of(rules: Rules, action: Action) -> Wanted:
    """An action as it is looked for among moves."""
    words = written(rules)
    if words is None or not action.cards:
        return Wanted(())
    return Wanted(action.cards, words.meant.get((action.type, action.rank, len(action.cards)), NO_LABEL))


def identify(rules: Rules, level: int, action: Action) -> int:
    """The form that somebody has laid down; raises GameError when no hand could have led it so."""
    copies = np.bincount(np.array(action.cards, np.int64), minlength=len(rules.pack))
    if len(action.cards) > rules.forms.most_cards or (copies > rules.pack.copies).any():
        raise GameError(f"{action} is no play")
    context = int(rules.contexts.of(at_level(rules, level)[None])[0])
    try:
        return form_of(rules, wanted_of(rules, action), context)
    except GameError:
        raise GameError(f"{action} is no play at this level") from None


def find_moves(decisions: Decisions, actions: Sequence[Action]) -> tuple[MoveLists, NDArray[np.int64]]:
    """Legal moves, and the row of each action among them, -1 where it is not legal; its cards may come in any order."""
    return find(decisions, [wanted_of(decisions.rules, action) for action in actions])
