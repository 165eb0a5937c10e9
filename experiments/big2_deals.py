"""Deals of Big2 with few or many cards, measured some at a time, and games of two agents with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import game
from abl_cards.games.big2.engine import Big2Engine
from abl_cards.games.big2.knowledge import RANK_COUNT
from abl_cards.games.race import Race
from abl_cards.streams import key_of
from experiments.desk import Desk

AT_ONCE = 10
"""Deals in a cell: an experiment that is stopped loses no more."""

_HERE = np.zeros(1, np.int64)


def engine(kb: Path | None = None) -> Big2Engine:
    """The game by the rules of the paper, or of another folder."""
    return cast(Big2Engine, game("big2").engine(kb))


def deal(seed: int, cards: int, number: int) -> NDArray[np.uint8]:
    """[2, 13] the hands of a deal: so many cards each out of one pack."""
    deck = np.random.default_rng([seed, cards, number]).permutation(4 * RANK_COUNT) // 4
    hands = [np.bincount(deck[first : first + cards], minlength=RANK_COUNT) for first in (0, cards)]
    return np.stack(hands).astype(np.uint8)


def race_of(hands: NDArray[np.uint8]) -> Race:
    """The first hand leads."""
    return Race(tuple(hands[0].tolist()), tuple(hands[1].tolist()))


def cells(deals: int) -> int:
    """How many cells so many deals take."""
    return -(-deals // AT_ONCE)


def by_deal(
    desk: Desk, what: Mapping[str, Any], deals: int, measure: Callable[[int], dict[str, Any]], text: str
) -> list[dict[str, Any]]:
    """What was measured of each deal, ``AT_ONCE`` of them a cell; ``what`` names all that it depends on."""
    found: list[dict[str, Any]] = []
    for first in range(0, deals, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, deals))

        def work(tell: Callable[[int, str], None], numbers: range = numbers) -> list[dict[str, Any]]:
            results = []
            for done, number in enumerate(numbers):
                tell(done, f"deal {number}")
                results.append(measure(number))
            return results

        cell = {**what, "deals": [numbers.start, numbers.stop]}
        found += desk.cell(cell, work, f"{text}, deals {numbers.start + 1} to {numbers.stop}", len(numbers))
    return found


def play(rules: Big2Engine, hands: NDArray[np.uint8], agents: tuple[Agent, Agent]) -> int:
    """What the first agent, who leads, wins with these hands."""
    tables = rules.resume(hands[None])
    while tables.playing().size:
        key = np.array([key_of(int(tables.clock[0]))], np.uint64)
        tables.play(_HERE, agents[int(tables.seat[0])].play(tables.decisions(_HERE), key))
    return int(tables.outcome(_HERE)[0, 0])
