"""Find the cards with which a partial card set can be extended to one of a legal form, without listing card sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.description import PLAIN
from abl_cards.games.moves.move_tables import (
    CARRYING,
    FORM,
    FORM_ROW,
    GROUPS,
    KICKER_SIZE,
    KICKERS,
    LABEL,
    MODE,
    ONLY,
    RANK,
    SIZE,
    WILDS,
    MoveTables,
)

_KICKER_BITS = 16
"""Bits of the numbers of kickers of a rank, see ``MoveTables.allowed``."""
_MAX_GROUPS = 63
"""Most groups of kickers that are counted by the bits of a word."""


def find_extensions(
    move_tables: MoveTables, hand: NDArray[np.uint8], chosen: NDArray[np.uint8], context: int, leading: bool,
    legal: NDArray[np.uint8], allowed: NDArray[np.uint8],
) -> NDArray[np.bool_]:  # fmt: skip
    """Find the cards that can be added to chosen cards on the way to a whole card set.

    Ranks are counted: a form can be completed if the chosen cards of each rank fit into its groups and kickers, and the
    hand has the others. For blocks with wild cards, suits or last groups, and for excluded forms, only the number of
    cards is bounded. So a card may be found that no card set of such a form has.

    Args:
        move_tables: Tables of the game.
        hand: uint8 [kinds], cards held.
        chosen: uint8 [kinds], cards chosen so far, all of them held.
        context: Order context.
        leading: True if the seat leads.
        legal: uint8 [labels], labels to complete.
        allowed: uint8 [rows], circuit outputs; ``move_tables.form_row`` gives the row of each form.

    Returns:
        bool [kinds], True for cards that can be added.
    """
    blocks = _PlainBlocks(move_tables, hand, context, leading, legal, allowed)
    extensions = np.zeros(len(hand), np.bool_)
    by_class: dict[int, bool] = {}  # cards of a rank that no group names are alike
    for kind in np.flatnonzero(hand > chosen).tolist():
        more = chosen.copy()
        more[kind] += 1
        key = blocks.class_of(kind)
        if key not in by_class:
            by_class[key] = blocks.can_complete(more)
        extensions[kind] = by_class[key]
    return extensions


def rank_of_cards(move_tables: MoveTables, num_kinds: int) -> NDArray[np.int64]:
    """Return the cell of each card that most cards share, such as its rank.

    Args:
        move_tables: Tables of the game.
        num_kinds: Kinds of cards in the pack.

    Returns:
        int64 [kinds], row of ``slot_kind``; -1 for a card that is in no row.
    """
    rank, size = np.full(num_kinds, -1), np.zeros(num_kinds, np.int64)
    for index, slots in enumerate(move_tables.slot_kind):
        kinds = slots[slots >= 0]
        larger = kinds[size[kinds] <= len(kinds)]
        rank[larger], size[larger] = index, len(kinds)
    return rank


class _PlainBlocks:
    """Blocks of the legal labels by the cards of each rank that they take; groups of named cards belong to a rank."""

    def __init__(
        self, tables: MoveTables, hand: NDArray[np.uint8], context: int, leading: bool, legal: NDArray[np.uint8],
        allowed: NDArray[np.uint8],
    ) -> None:  # fmt: skip
        blocks, rank_of = tables.blocks, rank_of_cards(tables, len(hand))
        form_allowed = np.where(blocks[:, FORM] >= 0, allowed[np.maximum(blocks[:, FORM_ROW], 0)], 1)
        rows = np.flatnonzero((legal[blocks[:, LABEL]] > 0) & (form_allowed > 0))
        fields, num_groups = tables.group_fields[rows].astype(np.int64), blocks[rows, GROUPS]
        size = np.where(np.arange(fields.shape[2]) < num_groups[:, None], fields[:, SIZE], 0)
        kickers, kicker_size = blocks[rows, KICKERS].astype(np.int64), blocks[rows, KICKER_SIZE].astype(np.int64)
        kicker_bits = tables.allowed[blocks[rows, CARRYING], int(leading)].astype(np.int64)
        kicker_bits[kickers == 0] = 0
        is_rank = np.zeros(len(tables.slot_kind), np.bool_)
        is_rank[rank_of[rank_of >= 0]] = True
        wild = tables.wild_cards[context, : tables.num_wild_kinds, 0]
        has_wild = bool((hand[wild[wild >= 0]] > 0).any())
        is_plain = (blocks[rows, MODE] == PLAIN) & ~(has_wild & (blocks[rows, WILDS] > 0)) & (kickers <= _MAX_GROUPS)
        is_plain &= ~(kicker_bits[:, ~is_rank] > 0).any(axis=1)
        self._other_sizes = (size.sum(axis=1) + kickers * kicker_size)[~is_plain]
        self._rank_of = rank_of
        has_rank = rank_of >= 0
        self._held = np.bincount(rank_of[has_rank], hand[has_rank], len(is_rank)).astype(np.int64)  # by rank
        self._kickers, self._size = kickers[is_plain], np.maximum(kicker_size[is_plain], 1)
        self._allowed, self._needed = kicker_bits[is_plain], np.zeros((is_plain.sum(), len(is_rank)), np.int64)
        self._named = np.zeros((is_plain.sum(), len(hand)), np.int64)  # cards that groups of one kind take
        fields, size = fields[is_plain], size[is_plain]
        row, group = np.nonzero(size)
        cell, only, count = fields[row, RANK, group], fields[row, ONLY, group], size[row, group]
        kinds = np.sort(tables.slot_kind[cell], axis=1)[:, ::-1]  # those of a group first
        named = np.where(only >= 0, tables.slot_kind[cell, only], np.where(kinds[:, 1] < 0, kinds[:, 0], -1))
        np.add.at(self._needed, (row, rank_of[np.where(named >= 0, named, kinds[:, 0])]), count)
        np.add.at(self._named, (row[named >= 0], named[named >= 0]), count[named >= 0])
        self._is_held = (self._needed <= self._held).all(axis=1) & (self._named <= hand).all(axis=1)

    def class_of(self, kind: int) -> int:
        """Return a number that cards with equal extensions share: the rank, or one of its own for a named card."""
        is_alone = self._rank_of[kind] < 0 or self._named[:, kind].any()
        return -1 - kind if is_alone else int(self._rank_of[kind])

    def can_complete(self, chosen: NDArray[np.uint8]) -> bool:
        """Return whether a block has a card set with the chosen cards among those of the hand."""
        if (self._other_sizes >= chosen.sum()).any():
            return True
        if (chosen[self._rank_of < 0] > 0).any():
            return False
        with_named = np.maximum(self._named, chosen)  # cards that the card set has at least
        least = np.zeros_like(self._needed)
        for kind in np.flatnonzero(with_named.any(axis=0)):
            least[:, self._rank_of[kind]] += with_named[:, kind]
        reached = np.ones(len(least), np.uint64)  # bit K: K groups of kickers can be of the ranks so far
        for rank in np.flatnonzero(self._held).tolist():
            of_rank, num_held = np.zeros_like(reached), int(self._held[rank])
            for count in range(min(_KICKER_BITS, num_held + 1)):
                num_cards = self._needed[:, rank] + count * self._size
                fits = (num_cards >= least[:, rank]) & (num_cards <= num_held)
                if count:
                    fits &= (self._allowed[:, rank] >> count) & 1 == 1
                if fits.any():
                    of_rank |= np.where(fits, reached << np.uint64(count), np.uint64(0))
            reached = of_rank
        is_whole = (reached >> self._kickers.astype(np.uint64)) & np.uint64(1) == 1
        return bool((is_whole & self._is_held).any())
