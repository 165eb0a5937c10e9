"""Stages in which a seat chooses several cards one after the other: how many, and which choices complete one.

Rules state each choice by itself, so the number is found on a copy of the table, for the rules of any folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.notation import find_options
from abl_cards.games.tables import Tables
from abl_cards.games.types import ONLY_TABLE

MAX_CARDS_OF_STAGE = 64


def count_card_choices(tables: Tables) -> int | None:
    """Return how many cards the seat of the only table, which is to choose, chooses in this stage.

    Returns:
        Number of cards; None if an option is not a card, such as one that ends the stage.
    """
    stage, count = _Stage(tables), 0
    while stage.goes_on and count < MAX_CARDS_OF_STAGE:
        options = np.flatnonzero(stage.tables.choices(ONLY_TABLE).options[0])
        if not _are_cards(tables, options):
            return None
        stage.choose(int(options[0]))
        count += 1
    return None if stage.goes_on else count


def find_stage_options(tables: Tables, values: Sequence[Any]) -> list[int]:
    """Return the options that choose these cards one after the other and complete the stage.

    Raises:
        GameError: A card cannot be chosen, or there are too few or too many.
    """
    stage, options = _Stage(tables), list[int]()
    for value in values:
        if not stage.goes_on:
            break
        (option,) = find_options(stage.tables.choices(ONLY_TABLE), [value])
        if isinstance(option, GameError):
            raise option
        options.append(option)
        stage.choose(option)
    if stage.goes_on or len(options) < len(values):
        count = count_card_choices(tables)
        message = f"exactly {count} cards are chosen here, not {len(values)}"
        raise GameError(message, ErrorCode.WRONG_COUNT, [count or 0, len(values)])
    return options


def choose_like_agent(tables: Tables, agent: Agent, first: int) -> list[int]:
    """Return all options that an agent chooses in this stage, after a given first one."""
    stage, options = _Stage(tables), [first]
    stage.choose(first)
    while stage.goes_on and len(options) < MAX_CARDS_OF_STAGE:
        chosen = agent.choose(stage.tables.choices(ONLY_TABLE), np.array([len(options)], np.uint64))
        options.append(int(chosen[0]))
        stage.choose(options[-1])
    return options


def _are_cards(tables: Tables, options: NDArray[np.int64]) -> bool:
    pack, terms = tables.rules.pack.index, tables.rules.schema.options
    return all(terms[option] in pack for option in options.tolist())


class _Stage:
    """Copy of a table on which a seat completes the stage of its choice."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables.copy(ONLY_TABLE)
        self._start = self._position()

    def _position(self) -> tuple[int, int, int, int]:
        state = self.tables.state
        return (
            int(state.stage[0]), int(state.choice[0]), int(state.seat[0]), int(self.tables.num_deals[0]),
        )  # fmt: skip

    @property
    def goes_on(self) -> bool:
        """True if the same seat is to choose in the same stage."""
        return self._position() == self._start

    def choose(self, option: int) -> None:
        self.tables.choose(ONLY_TABLE, np.array([option], np.uint8))
