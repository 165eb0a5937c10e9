"""Open hands that race to be empty, solved exactly; of games that are no such race nothing is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.bench.figures import Figure, seconds, target_of
from abl_cards.bench.marks import NO_MARKS, Marks
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.race import Race, Racing
from reasoners.search import Search
from reasoners.search_tables import SearchTables


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    deals: int  # of each size


QUICK, FULL = Effort(20), Effort(100)
SIZES = (10, 12, 14)
"""Cards each."""


def figures(engine: Engine, effort: Effort, marks: Marks = NO_MARKS) -> list[Figure]:
    """The time of a random deal, by the number of cards."""
    try:
        game = engine.as_race()
    except GameError:
        return []
    tables, full = SearchTables(game.combinations), _full(engine, game, effort.deals)
    Search(tables, few(full[0], 8, np.random.default_rng(0))).best()  # compile before anything is measured
    return [_figure(tables, full, cards, marks) for cards in SIZES]


def few(race: Race, cards: int, random: np.random.Generator) -> Race:
    """The same to begin with, but of each hand only so many cards."""
    own, other = (_some(hand, cards, random) for hand in (race.own, race.other))
    return Race(tuple(own.tolist()), tuple(other.tolist()))


def _some(hand: tuple[int, ...], cards: int, random: np.random.Generator) -> NDArray[np.int64]:
    all_cards = np.repeat(np.arange(len(hand)), hand)
    return np.bincount(random.permutation(all_cards)[:cards], minlength=len(hand))


def _full(engine: Engine, game: Racing, deals: int) -> list[Race]:
    return game.races(engine.tables(np.arange(deals, dtype=np.uint64)).decisions(np.arange(deals)))


def _figure(tables: SearchTables, full: list[Race], cards: int, marks: Marks) -> Figure:
    random, times = np.random.default_rng(cards), []
    for race in full:
        search = Search(tables, few(race, cards, random))
        times.append(1000 * seconds(search.best))
    what = f"{cards} + {cards} cards solved exactly, median of {len(full)} deals"
    return Figure(what, float(np.median(times)), "ms", target_of(marks, f"solve_{cards}"), at_most=True)
