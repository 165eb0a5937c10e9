"""Build the tables from which kernels list moves, in the order of the game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description import (
    NO_INDEX,
    Cells,
    FormBlocks,
    Forms,
    Pack,
    build_form_arrays,
    find_rank_cells,
    number_terms,
    parse_rank_and_suit,
    read_card_codes,
    require_int,
)
from abl_cards.games.moves import MoveTables


def build_move_tables(
    kb: KnowledgeBase, pack: Pack, cells: Cells, forms: Forms, strength: NDArray[np.int64], is_enumerated: bool
) -> MoveTables:  # fmt: skip
    """Build the tables from which kernels list moves.

    Args:
        kb: Knowledge base of the game.
        pack: Its pack.
        cells: What each kind of card may be used as.
        forms: Forms of plays.
        strength: [contexts, forms] rank of each form.
        is_enumerated: True if card sets are listed by combinations; False if each form is one set of cards.

    Raises:
        KBError: ``order_of_sets/1`` names an unknown order.
    """
    orders = _read_set_orders(kb)
    catalogue = build_form_arrays(
        pack, cells, forms, _read_hand_order(kb, pack), LAST_DESCENDING in orders, is_enumerated
    )
    blocks, rank_cells = catalogue.blocks, find_rank_cells(forms)
    assert len(rank_cells) == len(catalogue.slots.kind)
    lists = _order_blocks(blocks, _read_list_keys(kb, forms), strength)
    sorted_rows = all(isinstance(kind, int) or "(" not in kind for kind in pack.kinds)
    alphabet = np.arange(len(rank_cells), dtype=np.int16)
    main_letter = np.full(len(blocks.label), NO_INDEX, np.int16)
    if TEXT_ORDER in orders:
        card_codes = read_card_codes(kb, pack)
        texts = [card_codes.term_texts.get(cells.names[cell], str(cells.names[cell])) for cell in rank_cells]
        alphabet = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int16)
        has_other_kickers = (blocks.kicker_row != NO_INDEX) & (blocks.has_own_kickers == 0)
        main_letter = np.where(has_other_kickers, blocks.rank[:, 0], np.int16(NO_INDEX))
    rank_order = _order_ranks(forms, strength, rank_cells)
    return MoveTables.from_catalogue(catalogue, rank_order, lists, alphabet, main_letter, len(forms), sorted_rows)


def _read_list_keys(kb: KnowledgeBase, forms: Forms) -> NDArray[np.int64] | None:
    """[labels] place of each label in lists, by ``listed(Label,Key)``, those without it last; None without any."""
    list_keys = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    if not list_keys:
        return None
    key_ranks = number_terms(list(list_keys.values()))
    last = len(key_ranks) + 1
    return np.array([key_ranks[list_keys[label]] if label in list_keys else last for label in forms.labels])


def _order_blocks(
    blocks: FormBlocks, label_keys: NDArray[np.int64] | None, strength: NDArray[np.int64]
) -> NDArray[np.int32]:
    """[contexts, blocks] the blocks in the order of lists: by the keys of labels and strength, else as they are."""
    block_indices = np.arange(len(blocks.label))
    if label_keys is None:
        return np.tile(block_indices, (len(strength), 1)).astype(np.int32)
    tails = blocks.tail_form[block_indices % len(blocks.tail_form)]
    first_form = np.maximum(np.maximum(blocks.form, blocks.suit_form.max(axis=1)), tails.max(axis=1))
    keys = label_keys[blocks.label]
    return np.stack([np.lexsort((block_indices, row[first_form], keys)) for row in strength]).astype(np.int32)


def order_forms(kb: KnowledgeBase, forms: Forms, strength: NDArray[np.int64]) -> NDArray[np.int32]:
    """[contexts, forms] the forms in the order of lists: by ``listed(Label,Key)`` and strength, else by label."""
    label_keys, form_indices = _read_list_keys(kb, forms), np.arange(len(forms))
    if label_keys is None:
        return np.tile(form_indices, (len(strength), 1)).astype(np.int32)
    keys = label_keys[forms.label_of]
    return np.stack([np.lexsort((form_indices, row, keys)) for row in strength]).astype(np.int32)


LAST_DESCENDING, TEXT_ORDER = "last_descending", "text"
"""Orders of the card sets of a label: the last card descending (combinations.py); by text, kickers included."""


def _read_set_orders(kb: KnowledgeBase) -> set[str]:
    orders = {str(name) for (name,) in kb.facts("order_of_sets", 1)}
    unknown = sorted(orders - {LAST_DESCENDING, TEXT_ORDER})
    if unknown:
        remedy = f"write {LAST_DESCENDING}, or {TEXT_ORDER}"
        raise make_kb_error(f"order_of_sets({unknown[0]}): no such order", remedy, ErrorCode.UNKNOWN_NAME)
    return orders


def _order_ranks(forms: Forms, strength: NDArray[np.int64], cells: list[int]) -> NDArray[np.int16]:
    """Order the ranks [contexts, ranks] by the strength of their smallest form of one group; ranks without one last."""
    rank_strength = np.full((len(strength), len(cells)), np.iinfo(np.int64).max)
    smallest = np.full(len(cells), np.iinfo(np.int64).max)
    for index, form in enumerate(forms.forms):
        if len(form.groups) == 1 and not form.kickers:
            rank = cells.index(form.groups[0].cell)
            if form.num_cards < smallest[rank]:
                smallest[rank], rank_strength[:, rank] = form.num_cards, strength[:, index]
    return np.argsort(rank_strength, axis=1, kind="stable").astype(np.int16)


def _read_hand_order(kb: KnowledgeBase, pack: Pack) -> list[int]:
    """Order the kinds of cards in lists of card sets: by ``hand_order(Suit,I)``, else by index."""
    suit_order = {suit: require_int(place, "hand_order") for suit, place in kb.facts_as_dict("hand_order").items()}

    def sort_key(kind: int) -> tuple[int, int]:
        parts = parse_rank_and_suit(pack.kinds[kind])
        return (suit_order.get(parts[1], len(suit_order)) if parts else 0), kind

    return sorted(range(len(pack)), key=sort_key)
