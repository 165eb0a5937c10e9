"""Speed of exact solutions of open hands, for games that are a race of two hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.bench.measurements import Measurement, find_target, measure_seconds
from abl_cards.bench.targets import NO_TARGETS, BenchTargets
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.endgame import OpenHandRace, RacePosition, build_race
from abl_cards.reasoners.search import RaceSearch, SearchTables


@dataclass(frozen=True)
class SolvingBenchConfig:
    """Size of the measurement."""

    num_deals: int  # of each size


QUICK, FULL = SolvingBenchConfig(20), SolvingBenchConfig(100)
HAND_SIZES = (10, 12, 14)
"""Cards of each of the two hands."""


def measure_solving(
    engine: Engine, config: SolvingBenchConfig, targets: BenchTargets = NO_TARGETS
) -> list[Measurement]:
    """Measure the time to solve a random deal, by the number of cards.

    Args:
        engine: The compiled game.
        config: Size of the measurement.
        targets: Targets of the game.

    Returns:
        The median time of each size; nothing for a game that is not a race of open hands.
    """
    try:
        game = build_race(engine.rules)
    except GameError:
        return []
    tables, full = SearchTables(game.combinations), _deal_full_hands(engine, game, config.num_deals)
    RaceSearch(tables, reduce_hands(full[0], 8, np.random.default_rng(0))).best()  # compile before anything is measured
    return [_measure_size(tables, full, cards, targets) for cards in HAND_SIZES]


def reduce_hands(race: RacePosition, hand_size: int, rng: np.random.Generator) -> RacePosition:
    """Draw some cards of each hand.

    Args:
        race: Two full hands.
        hand_size: Cards to keep of each.
        rng: Source of random numbers.

    Returns:
        The race with the smaller hands.
    """
    own, other = (_sample_cards(hand, hand_size, rng) for hand in (race.own_hand, race.other_hand))
    return RacePosition(tuple(own.tolist()), tuple(other.tolist()))


def _sample_cards(hand: tuple[int, ...], cards: int, random: np.random.Generator) -> NDArray[np.int64]:
    all_cards = np.repeat(np.arange(len(hand)), hand)
    return np.bincount(random.permutation(all_cards)[:cards], minlength=len(hand))


def _deal_full_hands(engine: Engine, game: OpenHandRace, deals: int) -> list[RacePosition]:
    return game.positions(engine.start_matches(np.arange(deals, dtype=np.uint64)).decisions(np.arange(deals)))


def _measure_size(tables: SearchTables, full: list[RacePosition], cards: int, targets: BenchTargets) -> Measurement:
    random, times = np.random.default_rng(cards), []
    for race in full:
        search = RaceSearch(tables, reduce_hands(race, cards, random))
        times.append(1000 * measure_seconds(search.best))
    name = f"{cards} + {cards} cards solved exactly, median of {len(full)} deals"
    return Measurement(name, float(np.median(times)), "ms", find_target(targets, f"solve_{cards}"), at_most=True)
