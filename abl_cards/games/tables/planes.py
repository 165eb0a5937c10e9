"""Cards as planes of suits by ranks, which networks that look at pictures are told (chapter 4 of the Tractor paper).

Where a card lies follows from its name, ``card(Rank,Suit)``. Which cards belong to a plane of the folder's
(``plane(Name,Cell)``), and which cards a label stands for, depends on the context; so both are tables by context.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, SINGLE_VALUED, Pack, parse_rank_and_suit
from abl_cards.games.tables.observations import build_feature_table
from abl_cards.games.types import NO_CARD


@dataclass(frozen=True)
class CardPlanes:
    """The tables; seats come in the order of an observation, the observer first."""

    rows: int
    columns: int
    max_copies: int  # of a card at most: a picture has a plane a copy
    cell_index: NDArray[np.int64]  # [kinds] row * columns + column
    context_weights: NDArray[np.int64]  # [features] the context is an observation times these
    named_planes: NDArray[np.uint8]  # [contexts, names, kinds] which cards belong to each plane of the folder's
    label_cards: NDArray[
        np.uint8
    ]  # [contexts, labels, kinds] copies of the cards that realise a label, of any of its forms


def raise_no_planes() -> CardPlanes:
    """Of no game in particular; raises GameError."""
    raise GameError("no planes: of which game?")


def build_planes(rules: CompiledGame) -> CardPlanes:
    """The planes of a game; raises GameError where a label is not one set of cards, or an observation hides it."""
    if rules.move_lookup is None:
        raise GameError("no planes: some label of this game is several sets of cards in one position")
    place, rows, columns = compute_grid(rules.pack)
    copies = int(rules.pack.copies.max())
    return CardPlanes(
        rows,
        columns,
        copies,
        place,
        _compute_context_weights(rules),
        _build_named_planes(rules),
        _count_label_cards(rules),
    )


def compute_grid(pack: Pack) -> tuple[NDArray[np.int64], int, int]:
    """Where each kind lies, and how many rows and columns there are.

    Suits are rows and ranks columns, both in the order of the kinds; what is of no suit of all the ranks, a joker
    say, fills the last column from above.
    """
    named = [parse_rank_and_suit(kind) or (kind, None) for kind in pack.kinds]
    often = Counter(suit for _, suit in named)
    most = max(often.values())
    suits = [suit for suit in dict.fromkeys(suit for _, suit in named) if often[suit] == most]
    ranks = list(dict.fromkeys(rank for rank, suit in named if suit in suits))
    rest = [number for number, (_, suit) in enumerate(named) if suit not in suits]
    columns = len(ranks) + -(-len(rest) // len(suits))
    place = np.zeros(len(named), np.int64)
    for number, (rank, suit) in enumerate(named):
        if number not in rest:
            place[number] = suits.index(suit) * columns + ranks.index(rank)
    for at, number in enumerate(rest):
        place[number] = (at % len(suits)) * columns + len(ranks) + at // len(suits)
    return place, len(suits), columns


def _compute_context_weights(rules: CompiledGame) -> NDArray[np.int64]:
    """What each number of an observation adds to the number of the context; raises GameError."""
    table, contexts = build_feature_table(rules), rules.contexts
    weights, worth = np.zeros(table.size, np.int64), len(contexts)
    for slot, size in zip(contexts.slots, contexts.sizes, strict=True):
        worth //= size
        fluent = next(each for each in rules.fluents.fluents if slot in each.slots)
        part = table.slices.get(fluent.signature.name)
        if part is None or len(fluent.keys) != 1 or fluent.value_type not in (SINGLE_VALUED, COUNTER):
            raise GameError(f"no planes: an observation does not tell {fluent.signature}, on which labels depend")
        numbers = np.arange(part.stop - part.start)
        weights[part] = worth * (numbers + 1 if fluent.value_type == SINGLE_VALUED else 1)
    return weights


def _build_named_planes(rules: CompiledGame) -> NDArray[np.uint8]:
    """The facts ``plane(Name,Cell)``: cards that act as such a cell, by context."""
    said = rules.kb.facts("plane", 2)
    names = list(dict.fromkeys(name for name, _ in said))
    acts = rules.cells.acts_as
    found = np.zeros((len(rules.contexts), len(names), len(rules.pack)), np.uint8)
    for name, cell in said:
        number = rules.cells.index.get(cell)
        if number is not None:
            found[:, names.index(name)] |= (acts == number).any(axis=2)
    return found


def _count_label_cards(rules: CompiledGame) -> NDArray[np.uint8]:
    assert rules.move_lookup is not None
    fixed, kinds = rules.move_lookup, len(rules.pack)
    found = np.zeros((len(rules.contexts), len(rules.labels), kinds), np.uint8)
    for form, label in enumerate(fixed.label_of):
        there, cards = fixed.is_playable[:, form] > 0, fixed.rows[:, form]
        copies = np.zeros((len(cards), kinds + 1), np.uint8)
        for column in cards.T:
            copies[np.arange(len(cards)), np.where(column == NO_CARD, kinds, column)] += 1
        found[there, label] = np.maximum(found[there, label], copies[there, :kinds])
    return found
