"""Check whether the episodes of a game can be played in one compiled loop."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.endgame import play_obstacles, read_fluent_slots, subset_obstacles
from abl_cards.games.rollouts.card_sets import HAND_BITS, largest_hand_bits
from abl_cards.games.tables import largest_hand


def check_rollouts_applicable(rules: CompiledGame) -> None:
    """Check that the episodes of a game can be played in one compiled loop.

    Args:
        rules: Compiled rules.

    Raises:
        GameError: If they cannot, with the reason.
    """
    for reason in _obstacles(rules):
        raise GameError(f"{rules.folder.name}: rollouts cannot be compiled: {reason}", ErrorCode.UNSUPPORTED_GAME)


def can_roll_out(rules: CompiledGame) -> bool:
    """Return True if the episodes of a game can be played in one compiled loop.

    Args:
        rules: Compiled rules.
    """
    return not _obstacles(rules)


@cache_per_game
def _obstacles(rules: CompiledGame) -> tuple[str, ...]:
    """Return reasons why not; random states are tested only if the rules show none."""
    return tuple(play_obstacles(rules)) or tuple(_form_obstacles(rules)) or subset_obstacles(rules)


def _form_obstacles(rules: CompiledGame) -> Iterator[str]:
    """Yield the reasons why the card sets of a hand, packed, are not all that it may ever play."""
    if not read_fluent_slots(rules.play_query) <= set(rules.contexts.slots):
        yield "legal moves depend on fluents besides those of the order of cards"
    if largest_hand_bits(rules.pack.copies, largest_hand(rules)) > HAND_BITS:
        yield f"hands are too large: the largest has {largest_hand(rules)} cards"
