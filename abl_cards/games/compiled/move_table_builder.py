"""Build the tables from which kernels list moves, in the order of the game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.compiled.form_strength import rank_terms
from abl_cards.games.description import (
    NO_INDEX,
    Cells,
    Contexts,
    Forms,
    Pack,
    build_form_arrays,
    find_kicker_cells,
    parse_rank_and_suit,
    read_card_codes,
    require_int,
)
from abl_cards.games.moves import MoveTables


def build_move_tables(
    kb: KnowledgeBase, pack: Pack, cells: Cells, contexts: Contexts, forms: Forms, strength: NDArray[np.int64],
    is_enumerated: bool,
) -> MoveTables:  # fmt: skip
    """Build the tables from which kernels list moves.

    Args:
        kb: Knowledge base of the game.
        pack: Its pack.
        cells: What each kind of card may be used as.
        contexts: Values of the fluents that cells and strengths depend on.
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
    blocks, num_ranks = catalogue.blocks, len(catalogue.slots.kind)
    list_keys = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    key_ranks = rank_terms(list(list_keys.values()))
    num_blocks, num_tails = len(blocks.label), len(blocks.tail_form)
    first_form = [int(max(blocks.form[block], blocks.suit_form[block].max(), blocks.tail_form[block % num_tails].max()))
                  for block in range(num_blocks)]  # fmt: skip
    lists = []
    for context in range(len(contexts)):

        def sort_key(block: int, context: int = context) -> tuple[int, int, int]:
            label = forms.labels[blocks.label[block]]
            if not list_keys:
                return (0, 0, block)
            return (
                key_ranks.get(list_keys.get(label, ""), len(key_ranks) + 1),
                int(strength[context, first_form[block]]),
                block,
            )

        lists.append(sorted(range(num_blocks), key=sort_key))
    rank_order = _order_ranks(forms, strength, _find_rank_cells(forms, num_ranks))
    sorted_rows = all(isinstance(kind, int) or "(" not in kind for kind in pack.kinds)
    alphabet, main_letter = np.arange(num_ranks, dtype=np.int16), np.full(len(blocks.label), NO_INDEX, np.int16)
    if TEXT_ORDER in orders:
        card_codes = read_card_codes(kb, pack)
        texts = [
            card_codes.term_texts.get(cells.names[cell], str(cells.names[cell]))
            for cell in _find_rank_cells(forms, num_ranks)
        ]
        alphabet = np.array(sorted(range(num_ranks), key=texts.__getitem__), np.int16)
        has_other_kickers = (blocks.kicker_row != NO_INDEX) & (blocks.has_own_kickers == 0)
        main_letter = np.where(has_other_kickers, blocks.rank[:, 0], np.int16(NO_INDEX))
    return MoveTables.from_catalogue(
        catalogue, rank_order, np.array(lists, np.int32), alphabet, main_letter, len(forms), sorted_rows
    )


def order_forms(kb: KnowledgeBase, contexts: Contexts, forms: Forms, strength: NDArray[np.int64]) -> NDArray[np.int32]:
    """[contexts, forms] the forms in the order of lists: by ``listed(Label,Key)`` and strength, else by label."""
    list_keys = {label: key for label, key in kb.facts_as_dict("listed").items() if label in forms.label_index}
    key_ranks, form_indices = rank_terms(list(list_keys.values())), np.arange(len(forms))
    if not list_keys:
        return np.tile(form_indices, (len(contexts), 1)).astype(np.int32)
    key = np.array(
        [key_ranks.get(list_keys.get(forms.labels[label], ""), len(key_ranks) + 1) for label in forms.label_of]
    )
    return np.stack([np.lexsort((form_indices, strengths, key)) for strengths in strength]).astype(np.int32)


LAST_DESCENDING, TEXT_ORDER = "last_descending", "text"
"""Orders of the card sets of a label: the last card descending (combinations.py); by text, kickers included."""


def _read_set_orders(kb: KnowledgeBase) -> set[str]:
    orders = {str(name) for (name,) in kb.facts("order_of_sets", 1)}
    unknown = sorted(orders - {LAST_DESCENDING, TEXT_ORDER})
    if unknown:
        remedy = f"write {LAST_DESCENDING}, or {TEXT_ORDER}"
        raise make_kb_error(f"order_of_sets({unknown[0]}): no such order", remedy, ErrorCode.UNKNOWN_NAME)
    return orders


def _find_rank_cells(forms: Forms, ranks: int) -> list[int]:
    """Find the cell of each rank of the form arrays."""
    cells = sorted({group.cell for form in forms.forms for group in form.groups} | find_kicker_cells(forms))
    assert len(cells) == ranks
    return cells


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
