"""Cards as planes of suits by ranks, for convolutional networks (chapter 4 of the Tractor paper).

The name of a card, ``card(Rank,Suit)``, decides its cell of the grid. The cards of a named plane (``plane(Name,Cell)``)
and of a label depend on the order context, so both are tables by context.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, SINGLE_VALUED, Pack, parse_rank_and_suit
from abl_cards.games.tables.observations import build_feature_table
from abl_cards.games.types import NO_CARD


@dataclass(frozen=True)
class CardPlanes:
    """Grid positions of cards, and cards of planes and labels, for networks that read planes."""

    rows: int
    columns: int
    max_copies: int  # most copies of a card, each of which has a plane
    cell_index: NDArray[np.int64]  # [kinds] row * columns + column
    context_weights: NDArray[np.int64]  # [features] the context is the dot product of an observation and these
    named_planes: NDArray[np.uint8]  # [contexts, names, kinds] 1 for the cards of each named plane
    label_cards: NDArray[np.uint8]  # [contexts, labels, kinds] copies of cards in any form of the label


def raise_no_planes() -> CardPlanes:
    """Raise the error for planes without a game.

    Raises:
        GameError: Always.
    """
    raise GameError("no planes: no game is given", ErrorCode.UNSUPPORTED_GAME)


def build_planes(rules: CompiledGame) -> CardPlanes:
    """Build the planes of a game.

    Args:
        rules: Compiled rules.

    Returns:
        The planes.

    Raises:
        GameError: If a label stands for several card sets, or an observation does not contain the order context.
    """
    if rules.move_lookup is None:
        raise GameError(
            "no planes: some label of this game is several sets of cards in one position", ErrorCode.UNSUPPORTED_GAME
        )
    cell_index, rows, columns = compute_grid(rules.pack)
    copies = int(rules.pack.copies.max())
    return CardPlanes(
        rows,
        columns,
        copies,
        cell_index,
        _compute_context_weights(rules),
        _build_named_planes(rules),
        _count_label_cards(rules),
    )


def compute_grid(pack: Pack) -> tuple[NDArray[np.int64], int, int]:
    """Return the cell of each kind of card, and the number of rows and columns.

    Suits are rows and ranks columns, both in the order of kinds. Cards of no complete suit, such as jokers, fill extra
    columns from above.

    Args:
        pack: Pack of the game.

    Returns:
        int64 [kinds], row * columns + column; number of rows; number of columns.
    """
    names = [parse_rank_and_suit(name) or (name, None) for name in pack.kinds]
    suit_counts = Counter(suit for _, suit in names)
    max_count = max(suit_counts.values())
    suits = [suit for suit in dict.fromkeys(suit for _, suit in names) if suit_counts[suit] == max_count]
    ranks = list(dict.fromkeys(rank for rank, suit in names if suit in suits))
    others = [kind for kind, (_, suit) in enumerate(names) if suit not in suits]
    columns = len(ranks) + -(-len(others) // len(suits))
    cell_index = np.zeros(len(names), np.int64)
    for kind, (rank, suit) in enumerate(names):
        if kind not in others:
            cell_index[kind] = suits.index(suit) * columns + ranks.index(rank)
    for index, kind in enumerate(others):
        cell_index[kind] = (index % len(suits)) * columns + len(ranks) + index // len(suits)
    return cell_index, len(suits), columns


def _compute_context_weights(rules: CompiledGame) -> NDArray[np.int64]:
    """Return the contribution of each feature to the context index; raise GameError for a missing feature."""
    table, contexts = build_feature_table(rules), rules.contexts
    weights, weight = np.zeros(table.size, np.int64), len(contexts)
    for slot, size in zip(contexts.slots, contexts.sizes, strict=True):
        weight //= size
        fluent = next(candidate for candidate in rules.fluents.fluents if slot in candidate.slots)
        columns = table.slices.get(fluent.signature.name)
        if columns is None or len(fluent.keys) != 1 or fluent.value_type not in (SINGLE_VALUED, COUNTER):
            raise GameError(
                f"no planes: an observation does not contain {fluent.signature}, on which labels depend",
                ErrorCode.UNSUPPORTED_GAME,
            )
        values = np.arange(columns.stop - columns.start)
        weights[columns] = weight * (values + 1 if fluent.value_type == SINGLE_VALUED else 1)
    return weights


def _build_named_planes(rules: CompiledGame) -> NDArray[np.uint8]:
    """Return the cards of each named plane (``plane/2``) by context [contexts, names, kinds]."""
    facts = rules.kb.facts("plane", 2)
    names = list(dict.fromkeys(name for name, _ in facts))
    acts = rules.cells.acts_as
    planes = np.zeros((len(rules.contexts), len(names), len(rules.pack)), np.uint8)
    for name, cell in facts:
        cell_index = rules.cells.index.get(cell)
        if cell_index is not None:
            planes[:, names.index(name)] |= (acts == cell_index).any(axis=2)
    return planes


def _count_label_cards(rules: CompiledGame) -> NDArray[np.uint8]:
    """Return the copies of each card in the forms of a label by context [contexts, labels, kinds]."""
    assert rules.move_lookup is not None
    lookup, kinds = rules.move_lookup, len(rules.pack)
    label_cards = np.zeros((len(rules.contexts), len(rules.labels), kinds), np.uint8)
    for form, label in enumerate(lookup.label_of):
        is_playable, cards = lookup.is_playable[:, form] > 0, lookup.rows[:, form]
        copies = np.zeros((len(cards), kinds + 1), np.uint8)
        for column in cards.T:
            copies[np.arange(len(cards)), np.where(column == NO_CARD, kinds, column)] += 1
        label_cards[is_playable, label] = np.maximum(label_cards[is_playable, label], copies[is_playable, :kinds])
    return label_cards
