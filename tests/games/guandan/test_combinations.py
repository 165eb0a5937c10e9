"""The ways to take k cards of a rank come in the order that rules/guandan.md, 2.1, describes."""

import doctest
from itertools import combinations as choose
from itertools import product

import numpy as np

from abl_cards.games.guandan import combinations as module
from abl_cards.games.guandan.combinations import COPIES, KINDS, combinations
from abl_cards.games.guandan.shapes import LARGEST

TABLE = combinations()
PATTERNS = list(product(range(COPIES), repeat=KINDS))


def number_of(counts: tuple[int, ...]) -> int:
    """A candidate list as the table numbers it, spades first."""
    return sum(count * COPIES**kind for kind, count in enumerate(counts))


def listed(counts: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """The table's combinations as cards: kinds in the order they are laid down."""
    first, last = TABLE.start[number_of(counts), size : size + 2]
    return [tuple(np.repeat(np.arange(KINDS), row).tolist()) for row in TABLE.counts[first:last]]


def naive(counts: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """The rule by its letter: all positions but the last run upwards, the last downwards, repeats removed."""
    cards = [kind for kind, count in enumerate(counts) for _ in range(count)]
    if size == 1:
        return [(kind,) for kind in dict.fromkeys(cards)]
    found: dict[tuple[int, ...], None] = {}
    for head in choose(range(len(cards)), size - 1):
        for last in range(len(cards) - 1, head[-1], -1):
            found[tuple(cards[place] for place in (*head, last))] = None
    return list(found)


def test_order() -> None:
    """Every candidate list and every size against the rule by its letter."""
    for counts in PATTERNS:
        for size in range(1, LARGEST + 1):
            assert listed(counts, size) == naive(counts, size), (counts, size)


def test_nothing_is_one_way_to_take_nothing() -> None:
    """No cards are taken in one way."""
    assert all(listed(counts, 0) == [()] for counts in PATTERNS)


def test_all_of_them_once() -> None:
    """Over all sizes a candidate list has as many combinations as there are ways to take of each kind."""
    for counts in PATTERNS:
        found = [tuple(cards) for size in range(LARGEST + 1) for cards in listed(counts, size)]
        assert len(found) == len(set(found)) == np.prod([count + 1 for count in counts])
    assert len(TABLE.counts) == sum(np.prod([count + 1 for count in counts]) for counts in PATTERNS) == 7_776


def test_examples_of_the_rules() -> None:
    """S6 C6 D6 and SQ SQ CQ H2, as the rules list them."""
    spade, club, diamond, wild = 0, 2, 3, 4
    assert listed((1, 0, 1, 1, 0), 2) == [(spade, diamond), (spade, club), (club, diamond)]
    assert listed((2, 0, 1, 0, 1), 2) == [(spade, wild), (spade, club), (spade, spade), (club, wild)]


def test_examples_in_docstrings() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(module).failed == 0
