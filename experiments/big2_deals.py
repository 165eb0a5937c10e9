"""Deals of Big2 with few or many cards, measured some at a time, and games of two agents with them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import Engine
from abl_cards.games.race import Race, Racing
from abl_cards.streams import key_of
from experiments.desk import Desk
from experiments.rules import ByRules

AT_ONCE = 10
"""Deals in a cell: an experiment that is stopped loses no more."""

_RANKS, _COPIES = 13, 4  # the pack of the paper
_HERE = np.zeros(1, np.int64)


def engine(settings: ByRules) -> Engine:
    """The game by the rules of the settings, by default those of the paper."""
    return settings.engine_of("big2")


def deal(seed: int, cards: int, number: int) -> NDArray[np.uint8]:
    """[2, 13] the hands of a deal: so many cards each out of one pack."""
    deck = np.random.default_rng([seed, cards, number]).permutation(_COPIES * _RANKS) // _COPIES
    hands = [np.bincount(deck[first : first + cards], minlength=_RANKS) for first in (0, cards)]
    return np.stack(hands).astype(np.uint8)


def race_of(hands: NDArray[np.uint8]) -> Race:
    """The first hand leads."""
    return Race(tuple(hands[0].tolist()), tuple(hands[1].tolist()))


class Portion(NamedTuple):
    """Some deals of one series of them: what is measured at once."""

    series: Hashable  # what the series is of
    first: int
    end: int


def portions(series: Hashable, deals: int) -> list[Portion]:
    """A series of so many deals, ``AT_ONCE`` at a time."""
    return [Portion(series, first, min(first + AT_ONCE, deals)) for first in range(0, deals, AT_ONCE)]


def by_deal(
    desk: Desk, what: Mapping[str, Any], portion: Portion, measure: Callable[[int], dict[str, Any]], text: str
) -> list[dict[str, Any]]:
    """What was measured of each deal of a portion; ``what`` names all that it depends on."""
    numbers = range(portion.first, portion.end)

    def work(tell: Callable[[int, str], None]) -> list[dict[str, Any]]:
        results = []
        for done, number in enumerate(numbers):
            tell(done, f"deal {number}")
            results.append(measure(number))
        return results

    cell = {**what, "deals": [portion.first, portion.end]}
    found: list[dict[str, Any]] = desk.cell(cell, work, f"{text}, {_deals(portion)}", len(numbers))
    return found


def joined(found: Mapping[Portion, Sequence[dict[str, Any]]]) -> dict[Any, list[dict[str, Any]]]:
    """By series what was measured of its deals, as far as they have been measured."""
    series: dict[Any, list[dict[str, Any]]] = {}
    for portion, results in found.items():
        series.setdefault(portion.series, []).extend(results)
    return series


def _deals(portion: Portion) -> str:
    return f"deals {portion.first + 1} to {portion.end}"


def named(text: Callable[[Any], str]) -> Callable[[Portion], str]:
    """What portions are called, from what their series are called."""
    return lambda portion: f"{text(portion.series)}, {_deals(portion)}"


def play(game: Racing, hands: NDArray[np.uint8], agents: tuple[Agent, Agent]) -> int:
    """What the first agent, who leads, wins with these hands."""
    tables = game.tables(hands[None])
    while tables.playing().size:
        key = np.array([key_of(int(tables.clock[0]))], np.uint64)
        tables.play(_HERE, agents[int(tables.seat[0])].play(tables.decisions(_HERE), key))
    return int(tables.outcome(_HERE)[0, 0])
