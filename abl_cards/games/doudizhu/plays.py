"""``plays_left``: about how many plays it takes to empty a hand; see abl_cards/games/plays.py.

The plays are the forms that labels.lp declares. Where it matters *which* cards a source lets go together (both jokers,
three equal ones, a leftover of the chain's own rank) the number can be too low.
``tests/games/doudizhu/test_plays.py`` says how often.

>>> from abl_cards.games.doudizhu.rulebook import rules_of
>>> from abl_cards.games.doudizhu.wire import read_hand
>>> counter = counter_of(rules_of())
>>> counter.plays_left(np.array([read_hand("34567"), read_hand("33344456"), read_hand("3579XD")], np.uint64)).tolist()
[1, 1, 5]
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from abl_cards.games.doudizhu.course import key_of_row
from abl_cards.games.doudizhu.knowledge import MOST_CARDS, RANKS
from abl_cards.games.doudizhu.rulebook import Rules
from abl_cards.games.doudizhu.shapes import Shape, key_of
from abl_cards.games.plays import Carriers, Chain, PlayCounter


def counter_of(rules: Rules) -> PlayCounter:
    """The counter of a knowledge base."""
    shapes = tuple(shape for shape in rules.shapes.shapes if shape.kind is not None)
    return PlayCounter.of(_chains(shapes), _carriers(shapes), MOST_CARDS)


@njit(cache=True, nogil=True)
def keys_laid(cards):
    """[moves] the cards of moves as keys."""
    keys = np.empty(len(cards), np.uint64)
    for move in range(len(cards)):
        keys[move] = key_of_row(cards[move])
    return keys


def _chains(shapes: tuple[Shape, ...]) -> frozenset[Chain]:
    """Every chain that carries nothing."""
    return frozenset(
        Chain(
            key_of([rank for rank, count in shape.main for _ in range(count)]),
            len(shape.main) * (shape.main[0][1] == 3),
        )
        for shape in shapes
        if len(shape.main) > 1 and not shape.kickers and shape.main[0][0] in RANKS
    )


def _carriers(shapes: tuple[Shape, ...]) -> Carriers:
    """What carries kickers among some shapes."""
    return Carriers.of((shape.main[0][1], len(shape.main), shape.kicker_size) for shape in shapes if shape.kickers)
