"""Convert actions of the contest protocol to moves of the engine, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import ParsedPlay, canonical_notation, resolve_form
from abl_cards.games.notation import find_moves as find_engine_moves
from abl_cards.games.tables import Decisions
from abl_cards.games.types import NO_CARD, MoveLists
from abl_cards.protocols.contest.codec import ContestAction
from abl_cards.protocols.contest.match_state import fluents_at_level

NO_LABEL = -2
"""Label of an action whose type and rank belong to no label."""


def to_action(rules: CompiledGame, form: int, cards: NDArray[np.uint8]) -> ContestAction:
    """Return a play or a pass as an action; raises GameError if the rules define no canonical notation."""
    notation = canonical_notation(rules)
    if notation is None:
        raise GameError(
            'the rules have no notation of plays: add facts such as written(single(R),"Single",…)',
            ErrorCode.MISSING_FACT,
        )
    kind, rank = notation.labels[int(rules.forms.label_of[form])]
    return ContestAction(kind, rank, tuple(int(card) for card in cards if card != NO_CARD))


def to_parsed_play(rules: CompiledGame, action: ContestAction) -> ParsedPlay:
    """Return an action as a parsed play, by which moves are found."""
    notation = canonical_notation(rules)
    if notation is None or not action.cards:
        return ParsedPlay(())
    return ParsedPlay(
        action.cards, notation.label_by_words.get((action.type, action.rank, len(action.cards)), NO_LABEL)
    )


def find_form(rules: CompiledGame, level: int, action: ContestAction) -> int:
    """Return the form of a play of another seat; raises GameError if no hand could have led it at this level."""
    copies = np.bincount(np.array(action.cards, np.int64), minlength=len(rules.pack))
    if len(action.cards) > rules.forms.max_cards or (copies > rules.pack.copies).any():
        raise GameError(f"{action} is not a play", ErrorCode.INVALID_MESSAGE)
    context = int(rules.contexts.compute_index(fluents_at_level(rules, level)[None])[0])
    try:
        return resolve_form(rules, to_parsed_play(rules, action), context)
    except GameError:
        raise GameError(f"{action} is not a play at this level", ErrorCode.INVALID_MESSAGE) from None


def find_moves(decisions: Decisions, actions: Sequence[ContestAction]) -> tuple[MoveLists, NDArray[np.int64]]:
    """Find actions among the legal moves; cards may be in any order.

    Args:
        decisions: The n decisions.
        actions: One action for each decision.

    Returns:
        The legal moves, and int64 [n], the row of each action among them, -1 if it is not legal.
    """
    return find_engine_moves(decisions, [to_parsed_play(decisions.rules, action) for action in actions])
