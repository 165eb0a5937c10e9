"""Deals of Big2 with few or many cards, measured some at a time, and games of two agents with them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import derive_key
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games import Engine
from abl_cards.games.endgame import OpenHandRace, RacePosition
from abl_cards.games.types import ONLY_TABLE

DEALS_PER_CELL = 10
"""Deals in a cell: an experiment that is stopped loses no more."""

_RANKS, _COPIES = 13, 4  # the pack of the paper


def load_engine(settings: RulesConfig) -> Engine:
    """Load the game with the rules of the settings, by default those of the paper."""
    return settings.load_engine("big2")


def deal_hands(seed: int, cards: int, number: int) -> NDArray[np.uint8]:
    """Deal two hands [2, 13] of a number of cards each from one pack."""
    deck = np.random.default_rng([seed, cards, number]).permutation(_COPIES * _RANKS) // _COPIES
    hands = [np.bincount(deck[first : first + cards], minlength=_RANKS) for first in (0, cards)]
    return np.stack(hands).astype(np.uint8)


def make_race(hands: NDArray[np.uint8]) -> RacePosition:
    """Return the position in which the first hand leads."""
    return RacePosition(tuple(hands[0].tolist()), tuple(hands[1].tolist()))


class DealRange(NamedTuple):
    """Consecutive deals of a series, measured as one cell."""

    series: Hashable  # key of the series
    first: int
    end: int


def split_deals(series: Hashable, deals: int) -> list[DealRange]:
    """Split the deals of a series into ranges of ``DEALS_PER_CELL``."""
    return [DealRange(series, first, min(first + DEALS_PER_CELL, deals)) for first in range(0, deals, DEALS_PER_CELL)]


def measure_deals(
    workspace: ExperimentWorkspace,
    inputs: Mapping[str, Any],
    deal_range: DealRange,
    measure: Callable[[int], dict[str, Any]],
    text: str,
) -> list[dict[str, Any]]:
    """Return the measurements of each deal of a range; ``inputs`` names all values they depend on."""
    numbers = range(deal_range.first, deal_range.end)

    def work(tell: Callable[[int, str], None]) -> list[dict[str, Any]]:
        results = []
        for done, number in enumerate(numbers):
            tell(done, f"deal {number}")
            results.append(measure(number))
        return results

    cell = {**inputs, "deals": [deal_range.first, deal_range.end]}
    measurements: list[dict[str, Any]] = workspace.measure_cell(
        cell, work, f"{text}, {_range_text(deal_range)}", len(numbers)
    )
    return measurements


def group_by_series(results_by_batch: Mapping[DealRange, Sequence[dict[str, Any]]]) -> dict[Any, list[dict[str, Any]]]:
    """Group the measured results of deals by series."""
    series: dict[Any, list[dict[str, Any]]] = {}
    for portion, results in results_by_batch.items():
        series.setdefault(portion.series, []).extend(results)
    return series


def _range_text(deal_range: DealRange) -> str:
    return f"deals {deal_range.first + 1} to {deal_range.end}"


def range_namer(text: Callable[[Any], str]) -> Callable[[DealRange], str]:
    """Return a function that names ranges by the names of their series."""
    return lambda portion: f"{text(portion.series)}, {_range_text(portion)}"


def play_race(game: OpenHandRace, hands: NDArray[np.uint8], agents: tuple[Agent, Agent]) -> int:
    """Return the points of the first agent, which leads with these hands."""
    tables = game.start_matches(hands[None])
    while tables.rows_to_play().size:
        key = np.array([derive_key(int(tables.num_decisions[0]))], np.uint64)
        tables.play(ONLY_TABLE, agents[int(tables.seat[0])].play(tables.decisions(ONLY_TABLE), key))
    return int(tables.match_returns(ONLY_TABLE)[0, 0])
