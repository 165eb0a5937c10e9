"""Fluents at the start of a match, by the ``init/1`` facts of a game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import (
    CompiledGame,
    cache_per_game,
)
from abl_cards.games.tables.fluent_updates import slot_and_value


def check_initial_fluents(rules: CompiledGame) -> None:
    """Check the ``init/1`` facts of a game.

    Args:
        rules: Compiled rules.

    Raises:
        KBError: If a fact names an unknown fluent, or two facts give one fluent different values.
    """
    list_initial_fluents(rules)


@cache_per_game
def list_initial_fluents(rules: CompiledGame) -> tuple[tuple[int, int], ...]:
    """Return slots and values of the ``init/1`` facts.

    Args:
        rules: Compiled game.

    Raises:
        KBError: A fact is about an unknown fluent, or two facts about one slot differ.
    """
    values: dict[int, int] = {}
    for (text,) in rules.kb.facts("init", 1):
        slot, value = slot_and_value(rules, text, "init")
        if values.setdefault(slot, value) != value:
            raise make_kb_error(
                f"init({text}): a match begins with another value as well",
                "keep one of them",
                ErrorCode.CONFLICTING_FACTS,
            )
    return tuple(values.items())


def initial_fluent_state(rules: CompiledGame) -> NDArray[np.int16]:
    """Return the fluents at the start of a match: int16 [slots], defaults and the values of the ``init/1`` facts.

    Args:
        rules: Compiled game.

    Raises:
        KBError: A fact is about an unknown fluent, or two facts about one slot differ.
    """
    state = rules.fluents.defaults.copy()
    for slot, value in list_initial_fluents(rules):
        state[slot] = value
    return state
