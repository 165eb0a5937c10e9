"""The facts of labels.lp as arrays: what the kernels read to lay down cards.

A set of cards is a *key*: a number with four bits a rank, the copies of rank R at bit 4 * (R - 3). Keys add up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu.knowledge import MOST_CARDS, VALUES
from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import number, numbered_labels, one_each
from abl_cards.logic import KnowledgeBase

FIRST = VALUES[0]
"""The lowest rank; arrays are indexed by rank - FIRST."""
COUNT = len(VALUES)
MOST_KICKERS = 6
KICKER_SIZES = (1, 2)
ROW = 24
"""Places of a move's cards: the most there can be, rounded up to whole words."""
NO_CARD = 255

Key = int
"""Four bits a rank; see the module."""


class Layout(NamedTuple):
    """The labels as arrays; see Shape."""

    main: NDArray[np.uint64]  # [labels] key of the main cards
    first: NDArray[np.int8]  # [labels] their lowest rank, from 0; the main ranks follow each other
    last: NDArray[np.int8]  # [labels] their highest rank, from 0
    size: NDArray[np.int8]  # [labels] how many main cards there are
    kickers: NDArray[np.int8]  # [labels] groups of kickers
    kicker_size: NDArray[np.int8]  # [labels] cards in each
    allowed: NDArray[np.uint8]  # [2, labels, 15] following, leading: bit K when K groups may be of this rank
    apart: NDArray[np.uint8]  # [labels] whether the jokers do not go together as kickers


@dataclass(frozen=True)
class Shape:
    """What a label looks like; ranks are 3..17."""

    label: str
    kind: str | None  # None where the profile knows no such play
    main: tuple[tuple[int, int], ...]  # (rank, cards), low to high
    kickers: int
    kicker_size: int
    strength: int  # the main rank, 0 for a pass

    @property
    def cards(self) -> int:
        """How many cards are laid down."""
        return sum(count for _, count in self.main) + self.kickers * self.kicker_size


@dataclass(frozen=True)
class Shapes:
    """The labels of one knowledge base."""

    shapes: tuple[Shape, ...]
    layout: Layout

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the labels."""
        return tuple(shape.label for shape in self.shapes)

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of each label."""
        return {label: place for place, label in enumerate(self.labels)}


def key_of(cards: tuple[int, ...] | list[int]) -> Key:
    """The key of some ranks 3..17, equal ones repeated."""
    return sum(1 << 4 * (rank - FIRST) for rank in cards)


def cards_of(key: Key) -> tuple[int, ...]:
    """The ranks of a key, low to high.

    >>> cards_of(key_of([5, 3, 3]))
    (3, 3, 5)
    """
    return tuple(rank for rank in VALUES for _ in range(int(key) >> 4 * (rank - FIRST) & 15))


def read_shapes(kb: KnowledgeBase) -> Shapes:
    """The labels that a knowledge base declares; raises KBError where they cannot be laid down."""
    labels = numbered_labels(kb)
    kinds, strengths = one_each(kb, "kind", 2, 1), one_each(kb, "strength", 2, 1)
    main: dict[str, dict[int, int]] = defaultdict(dict)
    for form, rank, count in kb.facts("needs", 3):
        fact = f"needs({form},{rank},{count})"
        if number(rank, fact) not in VALUES or not 1 <= number(count, fact) <= 4 or rank in main[str(form)]:
            raise kb_error(f"{fact} is no group of main cards", "each rank 3 to 17 once a form, 1 to 4 cards")
        main[str(form)][number(rank, fact)] = number(count, fact)
    kickers = {str(form): (number(n, "kickers"), number(size, "kickers")) for form, n, size in kb.facts("kickers", 3)}
    forms = _forms(kb, labels)
    missing = sorted(form for form in forms if (form,) not in kinds)
    if missing:
        raise kb_error(f"there is no kind/2 of {missing[0]}", "say in labels.lp what it may be compared with")
    shapes = tuple(
        Shape(
            label,
            str(kinds[label,]) if label in forms else None,
            tuple(sorted(main[label].items())),
            *kickers.get(label, (0, 0)),
            number(strengths.get((label,), 0), f"strength of {label}"),
        )
        for label in labels
    )
    for shape in shapes:
        _check(shape)
    return Shapes(shapes, _layout(kb, shapes))


def _forms(kb: KnowledgeBase, labels: tuple[str, ...]) -> frozenset[str]:
    found = set()
    for label, form in kb.facts("form", 2):
        if str(label) not in labels or label != form:
            raise kb_error(f"form({label},{form})", "every form is a label here, and is its own form")
        found.add(str(form))
    return frozenset(found)


def _check(shape: Shape) -> None:
    """What the kernels take for granted."""
    ranks = [rank for rank, _ in shape.main]
    follow = not ranks or ranks == list(range(ranks[0], ranks[0] + len(ranks)))
    if not follow or (not ranks and shape.kind is not None and shape.label != "pass"):
        raise kb_error(f"the main ranks of {shape.label} do not follow each other", "see needs/3 in labels.lp")
    if shape.kickers > MOST_KICKERS or shape.cards > MOST_CARDS:
        raise kb_error(f"{shape.label} is too large", f"at most {MOST_CARDS} cards and {MOST_KICKERS} kickers")
    if shape.kickers < 0 or (shape.kickers and shape.kicker_size not in KICKER_SIZES):
        raise kb_error(f"kickers({shape.label},{shape.kickers},{shape.kicker_size})", "groups of one or two cards")
    if shape.label == "pass" and shape.cards:
        raise kb_error("a pass lays down cards", "see needs/3 and kickers/3 in labels.lp")


def _layout(kb: KnowledgeBase, shapes: tuple[Shape, ...]) -> Layout:
    index = {shape.label: place for place, shape in enumerate(shapes)}
    allowed = np.zeros((2, len(shapes), COUNT), np.uint8)

    def places(name: str) -> Iterator[tuple[int, int, int]]:
        """Label, rank from 0 and number of groups of each fact."""
        for form, rank, count in kb.facts(name, 3):
            fact = f"{name}({form},{rank},{count})"
            label = index.get(str(form))
            if label is None or rank not in VALUES or not 1 <= number(count, fact) <= shapes[label].kickers:
                raise kb_error(f"{fact} is no kicker of a label", "ranks are 3 to 17, groups 1 to those of kickers/3")
            yield label, number(rank, fact) - FIRST, number(count, fact)

    for label, rank, count in places("kicker"):
        allowed[:, label, rank] |= 1 << count
    for label, rank, count in places("misread"):
        allowed[1, label, rank] &= 255 - (1 << count)
    apart = {str(form) for (form,) in kb.facts("apart", 1)}

    def row(values: list[int], dtype: type[np.generic]) -> NDArray[Any]:
        return np.array(values, dtype)

    return Layout(
        main=row([key_of([rank for rank, n in each.main for _ in range(n)]) for each in shapes], np.uint64),
        first=row([each.main[0][0] - FIRST if each.main else 0 for each in shapes], np.int8),
        last=row([each.main[-1][0] - FIRST if each.main else -1 for each in shapes], np.int8),
        size=row([sum(n for _, n in each.main) for each in shapes], np.int8),
        kickers=row([each.kickers for each in shapes], np.int8),
        kicker_size=row([each.kicker_size for each in shapes], np.int8),
        allowed=allowed,
        apart=row([each.label in apart for each in shapes], np.uint8),
    )
