"""Actions of the protocol and the engine's forms: from a move to its words, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import ParsedPlay, canonical_notation, resolve_form
from abl_cards.games.notation import find_moves as find
from abl_cards.games.tables import Decisions
from abl_cards.games.types import NO_CARD, MoveLists
from abl_cards.protocols.contest.codec import ContestAction
from abl_cards.protocols.contest.match_state import fluents_at_level

NO_LABEL = -2
"""Of words that no label has: no form is meant."""


def to_action(rules: CompiledGame, form: int, cards: NDArray[np.uint8]) -> ContestAction:
    """A play or a pass in the words of the protocol."""
    words = canonical_notation(rules)
    if words is None:
        raise GameError(
            'the rules do not say how plays are written: written(single(R),"Single",…)', ErrorCode.MISSING_FACT
        )
    kind, rank = words.labels[int(rules.forms.label_of[form])]
    return ContestAction(kind, rank, tuple(int(card) for card in cards if card != NO_CARD))


def to_parsed_play(rules: CompiledGame, action: ContestAction) -> ParsedPlay:
    """An action as it is looked for among moves."""
    words = canonical_notation(rules)
    if words is None or not action.cards:
        return ParsedPlay(())
    return ParsedPlay(action.cards, words.label_by_words.get((action.type, action.rank, len(action.cards)), NO_LABEL))


def find_form(rules: CompiledGame, level: int, action: ContestAction) -> int:
    """The form that somebody has laid down; raises GameError when no hand could have led it so."""
    copies = np.bincount(np.array(action.cards, np.int64), minlength=len(rules.pack))
    if len(action.cards) > rules.forms.max_cards or (copies > rules.pack.copies).any():
        raise GameError(f"{action} is no play", ErrorCode.INVALID_MESSAGE)
    context = int(rules.contexts.compute_index(fluents_at_level(rules, level)[None])[0])
    try:
        return resolve_form(rules, to_parsed_play(rules, action), context)
    except GameError:
        raise GameError(f"{action} is no play at this level", ErrorCode.INVALID_MESSAGE) from None


def find_moves(decisions: Decisions, actions: Sequence[ContestAction]) -> tuple[MoveLists, NDArray[np.int64]]:
    """Legal moves, and the row of each action among them, -1 where it is not legal; its cards may come in any order."""
    return find(decisions, [to_parsed_play(decisions.rules, action) for action in actions])
