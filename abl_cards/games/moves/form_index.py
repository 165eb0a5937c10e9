"""Find the moves that play all cards of a hand at once, by an index of the forms by their numbers of cards.

A form that takes all cards of a hand has as many cards as the hand, and of each rank places for all of its natural
cards. For each number of cards, and for each rank and number of cards of it, the index has the blocks of forms with so
many places as a set of bits. Few blocks are left in the intersection, and only these are enumerated.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import borrow_arrays, device_function, kernel
from abl_cards.games.moves.enumerate import enumerate_block
from abl_cards.games.moves.move_tables import (
    GROUPS,
    KICKER_SIZE,
    KICKERS,
    LABEL,
    RANK,
    SIZE,
    TAIL_SIZE,
    MoveTables,
    OutputWindow,
    load_hand,
)
from abl_cards.games.types import MAX_CARD_SETS

_WORD_BITS = 64


class FormIndex(NamedTuple):
    """Blocks of forms by their numbers of cards, as sets of bits."""

    by_size: NDArray[np.uint64]  # [max cards + 1, words] blocks whose forms have so many cards
    at_least: NDArray[np.uint64]  # [ranks, cards + 1, words] blocks with places for at least so many cards of a rank
    place: NDArray[np.int32]  # [contexts, blocks] position of each block in the order of move lists


def build_form_index(move_tables: MoveTables, copies: NDArray[np.integer]) -> FormIndex:
    """Build the index of a game whose card sets are enumerated.

    Args:
        move_tables: Tables of the game.
        copies: int [kinds], copies of each card in the pack.

    Returns:
        The index.
    """
    blocks, fields, kinds = move_tables.blocks, move_tables.group_fields, move_tables.slot_kind
    ranks, num_blocks = len(kinds), len(blocks)
    is_of_rank = np.zeros((ranks, len(copies)), np.int64)
    rows, slots = np.nonzero(kinds >= 0)
    is_of_rank[rows, kinds[rows, slots]] = 1
    shares_kind = (is_of_rank @ is_of_rank.T > 0).astype(np.int64)  # ranks that a card may be of at once
    sizes = np.zeros((num_blocks, ranks), np.int64)
    for group in range(fields.shape[2]):
        has_group = np.flatnonzero(blocks[:, GROUPS] > group)
        np.add.at(sizes, (has_group, fields[has_group, RANK, group]), fields[has_group, SIZE, group])
    anywhere = blocks[:, TAIL_SIZE] + blocks[:, KICKERS] * blocks[:, KICKER_SIZE]  # cards that may be of any rank
    places, num_cards = sizes @ shares_kind + anywhere[:, None], sizes.sum(axis=1) + anywhere
    most = int((is_of_rank @ copies.astype(np.int64)).max(initial=0))
    order = move_tables.block_order
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(num_blocks, dtype=order.dtype)[None], axis=1)
    return FormIndex(
        _pack(num_cards[None] == np.arange(num_cards.max(initial=0) + 1)[:, None]),
        np.stack([_pack(count <= places.T) for count in range(most + 1)], axis=1),
        place,
    )


def _pack(is_member: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return sets of blocks [sets, blocks] as words of bits [sets, words]."""
    padding = (0, 0), (0, -is_member.shape[1] % _WORD_BITS)
    return np.ascontiguousarray(np.packbits(np.pad(is_member, padding), axis=1, bitorder="little")).view(np.uint64)


@kernel
def list_whole_hands(index, move_tables, hands, context, leading, legal, allowed, start, form, cards, scratch):
    """List the moves that play all cards of a hand, in the order of move lists.

    Card sets for which ``form`` and ``cards`` have no row are counted, but not written.

    Args:
        index: Index of the forms.
        move_tables: Tables of the game; row K of ``allowed`` is that of form K.
        hands: uint8 [n, kinds], copies of each card.
        context: int16 [n], order context.
        leading: int8 [n], 1 if the seat leads, 0 if it follows.
        legal: uint8 [labels, n or 1], mask of the labels that may be played.
        allowed: uint8 [forms, n or 1], mask of the forms that may be played.
        start: int64 [n + 1], filled as in ``MoveLists``.
        form: int16 [capacity], receives the form of each card set.
        cards: uint8 [capacity, max cards], receives the cards.
        scratch: Buffers of this thread.

    Returns:
        Number of card sets, which may exceed the capacity.
    """
    index, move_tables, scratch = borrow_arrays((index, move_tables, scratch))
    blocks, num_sets, num_words = move_tables.blocks, np.int64(0), index.by_size.shape[1]
    sets, found = np.empty(len(index.at_least), np.int64), np.empty(num_words * 64, np.int64)
    start[0] = 0
    for i in range(len(hands)):
        ctx, lead = np.int64(context[i]), np.int64(leading[i])
        load_hand(move_tables, ctx, hands[i], scratch)
        num_found = _find_blocks(index, hands[i], ctx, scratch.natural, sets, found)
        label_column, form_column = np.int64(i % legal.shape[1]), np.int64(i % allowed.shape[1])
        window = OutputWindow(
            np.int64(0), np.int64(form.shape[0]), num_sets + MAX_CARD_SETS + 1, np.int64(0), np.int64(0)
        )
        for position in range(num_found):
            block = found[position]
            if legal[blocks[block, LABEL], label_column]:
                num_sets = enumerate_block(
                    move_tables, block, ctx, lead, allowed, form_column, scratch, num_sets, window, form, cards
                )
        start[i + 1] = num_sets
    return num_sets


@device_function
def _find_blocks(index, hand, context, natural, sets, found):
    """Write the blocks that may take all cards of a loaded hand to ``found``, in the order of move lists.

    Returns:
        Number of these blocks.
    """
    by_size, at_least, place = index.by_size, index.at_least, index.place
    size, num_found = np.int64(0), np.int64(0)
    for kind in range(len(hand)):
        size += hand[kind]
    if size >= len(by_size):
        return num_found
    num_ranks, width = np.int64(0), by_size.shape[1]
    for rank in range(len(natural)):
        count = np.int64(0)
        for slot in range(natural.shape[1]):
            count += natural[rank, slot]
        if count >= at_least.shape[1]:
            return num_found
        if count:
            sets[num_ranks] = rank * at_least.shape[1] + count
            num_ranks += 1
    flat = at_least.reshape(at_least.size)
    for word in range(width):
        bits, position = by_size[size, word], np.int64(0)
        while bits and position < num_ranks:
            bits &= flat[sets[position] * width + word]
            position += 1
        block = np.int64(64 * word)
        while bits:
            if bits & np.uint64(1):
                position = num_found
                while position > 0 and place[context, found[position - 1]] > place[context, block]:
                    found[position] = found[position - 1]
                    position -= 1
                found[position] = block
                num_found += 1
            bits >>= np.uint64(1)
            block += 1
    return num_found
