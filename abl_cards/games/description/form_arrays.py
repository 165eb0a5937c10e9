"""Forms as arrays that the kernels read to enumerate card sets.

Forms of a label and size are enumerated together if they differ only in their suit, or only in their last group. So
their card sets interleave in lists. Such a family is a *block*. Any other form is a block of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import KBError, Term, make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.combinations import CombinationTable, TooManyCombinations, build_combinations
from abl_cards.games.description.forms import CardGroup, Form, Forms
from abl_cards.games.description.pack import NO_CELL, WILD, Pack, parse_rank_and_suit

PLAIN, MIXED, SUITED, TAILED = range(4)
"""Modes of blocks: one form; one form of mixed suits; one form for each suit; one form for each last group."""
NO_INDEX = -1
"""Index that stands for nothing."""
MAX_WILD_KINDS = 2
"""Maximum number of kinds of wild cards in a context."""
MAX_SUITS = 60
"""Maximum number of suits in a game with forms of mixed suits, as suits are bits of a word."""


class RankSlots(NamedTuple):
    """Kinds of cards that act as each cell that forms take; these cells are called *ranks* here."""

    kind: NDArray[np.int16]  # [ranks, slots] kinds in the order of hands, padded with NO_INDEX
    natural: NDArray[np.uint8]  # [contexts, ranks, slots] 1 if the kind acts as the rank in the context and is not wild
    wild: NDArray[np.int16]  # [contexts, wilds] kinds that act as wild, padded with NO_INDEX
    wild_suit: NDArray[np.int16]  # [contexts, wilds] index of the suit of each wild card, or NO_INDEX
    natural_slot: NDArray[np.int16]  # [contexts, wilds, ranks] slot of the wild card in its natural ranks, or NO_INDEX
    suit: NDArray[np.int16]  # [ranks, slots] index of the suit of each kind, or NO_INDEX


class FormBlocks(NamedTuple):
    """Blocks of forms, sorted by label, with the ranks and sizes of their groups."""

    label: NDArray[np.int16]  # [blocks]
    form: NDArray[np.int16]  # [blocks] only form, or NO_INDEX
    mode: NDArray[np.int8]  # [blocks] PLAIN, MIXED (at least two suits), SUITED (a form for each suit) or TAILED
    num_groups: NDArray[np.int8]  # [blocks] number of groups that all forms of the block share
    rank: NDArray[np.int16]  # [blocks, groups] rank of each group
    size: NDArray[np.int16]  # [blocks, groups] number of cards of each group
    min_natural: NDArray[np.int16]  # [blocks, groups] number of these that must not be wild
    only_slot: NDArray[np.int16]  # [blocks, groups] slot that all cards of the group must be from, or NO_INDEX
    max_wilds: NDArray[np.int16]  # [blocks] number of wild cards that may substitute
    min_wilds: NDArray[np.int16]  # [blocks] number of these that must
    num_cards: NDArray[np.int16]  # [blocks] number of cards, kickers included
    tail_size: NDArray[np.int16]  # [blocks] number of cards of the last group, TAILED only
    tail_min_natural: NDArray[np.int16]  # [blocks or 1, ranks] number that must not be wild, by rank of the last group
    tail_form: NDArray[np.int16]  # [blocks or 1, ranks] form by rank of the last group, or NO_INDEX
    suit_form: NDArray[np.int16]  # [blocks, suits] form by suit, or NO_INDEX
    num_kickers: NDArray[np.int8]  # [blocks] number of groups of kickers
    kicker_size: NDArray[np.int8]  # [blocks] number of cards in each of them
    kicker_row: NDArray[np.int16]  # [blocks] row of ``allowed``, NO_INDEX for no kickers
    # [blocks with kickers, 2, ranks] when following and when leading: bit K if K groups may be of the rank
    allowed: NDArray[np.uint16]
    kickers_apart: NDArray[np.uint8]  # [blocks] 1 if the two kinds of jokers may not be kickers together
    has_own_kickers: NDArray[np.uint8]  # [blocks] 1 if kickers may be of the rank of a group
    excluded_rows: NDArray[np.int32]  # [blocks, 2] first row of ``excluded``, and the end of its rows, exclusive
    # [excluded forms, groups, 4] rank, size, suit and only slot of each group, padded with NO_INDEX
    excluded: NDArray[np.int16]
    label_blocks: NDArray[np.int32]  # [labels, 2] first block of a label, and the end of its blocks, exclusive


class FormArrays(NamedTuple):
    """Arrays that the enumeration of card sets reads."""

    blocks: FormBlocks
    slots: RankSlots
    combinations: CombinationTable


def build_form_arrays(
    pack: Pack, cells: Cells, forms: Forms, hand_order: Sequence[int], last_descending: bool, is_enumerated: bool = True
) -> FormArrays:
    """Build the arrays of the forms of a game.

    Args:
        pack: Pack of the game.
        cells: Cells of the game.
        forms: Forms of the game.
        hand_order: Kinds of cards in the order of lists.
        last_descending: Order the last card of a combination downwards.
        is_enumerated: Card sets are enumerated with these arrays; otherwise only the first context is built.

    Raises:
        KBError: Forms contradict each other or take too many cards.
    """
    rank_cells = find_rank_cells(forms)
    rank_of = {cell: rank for rank, cell in enumerate(rank_cells)}
    suits = list(dict.fromkeys(parts[1] for parts in map(parse_rank_and_suit, pack.kinds) if parts))
    if not is_enumerated:
        cells = replace(cells, acts_as=np.repeat(cells.acts_as[:1], len(cells.acts_as), axis=0))
    _check_suit_count(forms, suits)
    slots = _build_slots(pack, cells, rank_cells, suits, hand_order)
    blocks = _BlockBuilder(forms, rank_of, slots, suits).build()
    max_cards = max([1, *blocks.size.ravel().tolist(), *blocks.tail_size.tolist(), *_max_cards_with_kickers(forms)])
    num_candidates = slots.kind.shape[1] + slots.wild.shape[1]
    all_kinds = [*slots.kind.ravel().tolist(), *slots.wild.ravel().tolist()]
    max_copies = max((int(pack.copies[kind]) for kind in all_kinds if kind >= 0), default=1)
    try:
        combinations = build_combinations(num_candidates, max_copies, max_cards, last_descending)
    except TooManyCombinations:
        raise _cell_width_error(cells, rank_cells, slots, max_copies) from None
    return FormArrays(blocks, slots, combinations)


def _check_suit_count(forms: Forms, suits: Sequence[Term]) -> None:
    """Raise KBError if a form of mixed suits is in a game with too many suits for the bits of a word."""
    mixed = next((form.name for form in forms.forms if form.has_mixed_suits), None)
    if mixed is not None and len(suits) > MAX_SUITS:
        raise make_kb_error(
            f"mixed_suits({mixed}): the pack has {len(suits)} suits",
            f"at most {MAX_SUITS} where forms mix them",
            ErrorCode.GAME_TOO_LARGE,
        )


def _cell_width_error(cells: Cells, rank_cells: Sequence[int], slots: RankSlots, copies: int) -> KBError:
    widths = (slots.kind >= 0).sum(axis=1)
    cell, width = cells.names[rank_cells[int(widths.argmax())]], int(widths.max())
    num_wilds = slots.wild.shape[1]
    return make_kb_error(
        f"needs/4, kicker/3: {width} kinds of cards act as {cell}, whatever the fluents, {copies} copies of a kind, "
        f"and {num_wilds} kinds of wild cards may stand in: too many combinations",
        "leave out suits that do not matter, pack(Rank,Copies), or let forms take cells of fewer kinds",
        ErrorCode.GAME_TOO_LARGE,
    )


def find_rank_cells(forms: Forms) -> list[int]:
    """Find the cells that groups or kickers may be: the ranks of the form arrays.

    Args:
        forms: Forms of the game.

    Returns:
        Indices of cells in ascending order.
    """
    kicker_cells = {cell for form in forms.forms if form.kickers for cell in form.kickers.allowed}
    return sorted(kicker_cells.union(forms.group_cells))


def _max_cards_with_kickers(forms: Forms) -> list[int]:
    """Return the most cards of one cell in each form with kickers, those of a group of the cell included."""
    return [
        max(
            (bits.bit_length() - 1) * form.kickers.group_size
            + sum(group.count for group in form.groups if group.cell == cell)
            for cell, bits in form.kickers.allowed.items()
        )
        for form in forms.forms
        if form.kickers
    ]


def _build_slots(
    pack: Pack, cells: Cells, rank_cells: Sequence[int], suits: Sequence[Term], hand_order: Sequence[int]
) -> RankSlots:
    contexts = len(cells.acts_as)
    acts_as = np.array([(cells.acts_as == cell).any(axis=2) for cell in rank_cells]).reshape(
        len(rank_cells), contexts, len(pack)
    )
    kinds = [[kind for kind in hand_order if rank_acts[:, kind].any()] for rank_acts in acts_as]
    num_slots = max(1, max(map(len, kinds), default=1))
    kind, suit = (np.full((len(rank_cells), num_slots), NO_INDEX, np.int16) for _ in range(2))
    natural = np.zeros((contexts, len(rank_cells), num_slots), np.uint8)
    is_wild = (cells.acts_as == cells.index.get(WILD, NO_CELL - 1)).any(
        axis=2
    )  # counted apart, also in cells of their own
    for rank, rank_kinds in enumerate(kinds):
        kind[rank, : len(rank_kinds)] = rank_kinds
        natural[:, rank, : len(rank_kinds)] = acts_as[rank][:, rank_kinds] & ~is_wild[:, rank_kinds]
        parts = [parse_rank_and_suit(pack.kinds[rank_kind]) for rank_kind in rank_kinds]
        suit[rank, : len(rank_kinds)] = [suits.index(part[1]) if part else NO_INDEX for part in parts]
    wild = _find_wild_kinds(pack, cells)
    wild_suit = np.full(wild.shape, NO_INDEX, np.int16)
    natural_slot = np.full((*wild.shape, len(rank_cells)), NO_INDEX, np.int16)
    for context, index in np.argwhere(wild >= 0):
        card = wild[context, index]
        rank_and_suit = parse_rank_and_suit(pack.kinds[card])
        wild_suit[context, index] = suits.index(rank_and_suit[1]) if rank_and_suit else NO_INDEX
        ranks, slots = np.nonzero(kind == card)
        natural_slot[context, index, ranks] = slots
    return RankSlots(kind, natural, wild, wild_suit, natural_slot, suit)


def _find_wild_kinds(pack: Pack, cells: Cells) -> NDArray[np.int16]:
    """Find the kinds that act as wild, [contexts, wilds]; raise KBError for too many."""
    by_context = [cells.find_kinds(WILD, context) for context in range(len(cells.acts_as))]
    num_wilds = max(map(len, by_context))
    if num_wilds > MAX_WILD_KINDS:
        names = ", ".join(str(pack.kinds[kind]) for kind in max(by_context, key=len))
        message = f"{num_wilds} kinds of wild cards at once: {names}"
        remedy = f"at most {MAX_WILD_KINDS} may act as wild; copies of a card are one kind: pack(Card,{num_wilds})."
        raise make_kb_error(message, remedy, ErrorCode.GAME_TOO_LARGE)
    wild = np.full((len(by_context), num_wilds), NO_INDEX, np.int16)
    for context, kinds in enumerate(by_context):
        wild[context, : len(kinds)] = kinds
    return wild


class _BlockBuilder:
    """Builder of the blocks of a game."""

    def __init__(self, forms: Forms, rank_of: dict[int, int], slots: RankSlots, suits: Sequence[Term]) -> None:
        self._forms, self._rank_of, self._slots, self._suits = forms, rank_of, slots, suits

    def build(self) -> FormBlocks:
        """Build all blocks, sorted by label and size."""
        families = self._group_forms()
        forms, ranks = self._forms.forms, len(self._rank_of)
        max_groups = max([1, *(len(form.groups) for form in forms)])
        tailed = any(mode == TAILED for mode, _ in families)
        num_with_kickers = sum(forms[members[0]].kickers is not None for _, members in families)
        num_excluded = sum(len(form.excluded_forms) for form in forms)

        def make(*shape: int, dtype: type = np.int16, fill: int = 0) -> NDArray[Any]:
            return np.full((len(families), *shape), fill, dtype)

        tail_shape = (len(families) if tailed else 1, ranks)
        blocks = FormBlocks(
            label=make(), form=make(fill=NO_INDEX), mode=make(dtype=np.int8), num_groups=make(dtype=np.int8),
            rank=make(max_groups), size=make(max_groups), min_natural=make(max_groups),
            only_slot=make(max_groups, fill=NO_INDEX), max_wilds=make(), min_wilds=make(), num_cards=make(),
            tail_size=make(), tail_min_natural=np.zeros(tail_shape, np.int16),
            tail_form=np.full(tail_shape, NO_INDEX, np.int16), suit_form=make(max(1, len(self._suits)), fill=NO_INDEX),
            num_kickers=make(dtype=np.int8), kicker_size=make(dtype=np.int8), kicker_row=make(fill=NO_INDEX),
            allowed=np.zeros((max(1, num_with_kickers), 2, ranks), np.uint16), kickers_apart=make(dtype=np.uint8),
            has_own_kickers=make(dtype=np.uint8), excluded_rows=np.zeros((len(families), 2), np.int32),
            excluded=np.full((num_excluded, max_groups, 4), NO_INDEX, np.int16),
            label_blocks=np.zeros((len(self._forms.labels), 2), np.int32),
        )  # fmt: skip
        for block, (mode, members) in enumerate(families):
            self._fill_block(blocks, block, mode, members)
            self._fill_excluded(blocks, block, forms[members[0]])
        labels = np.arange(len(self._forms.labels))
        for side, column in (("left", 0), ("right", 1)):
            blocks.label_blocks[:, column] = np.searchsorted(blocks.label, labels, side)  # type: ignore[call-overload]
        return blocks

    def _group_forms(self) -> list[tuple[int, list[int]]]:
        """Group the forms to blocks; return the mode and the indices of forms of each."""
        families: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, form in enumerate(self._forms.forms):
            families[form.label, form.num_cards].append(index)
        blocks: list[tuple[int, list[int]]] = []
        for members in families.values():
            forms = [self._forms.forms[member] for member in members]
            if self._differ_only_in_suit(forms):
                blocks.append((SUITED, members))
            elif len(members) > 1 and self._differ_only_in_tail(forms):
                blocks.append((TAILED, members))
            else:
                blocks += [
                    (MIXED if self._forms.forms[member].has_mixed_suits else PLAIN, [member]) for member in members
                ]
        return blocks

    def _differ_only_in_suit(self, forms: Sequence[Form]) -> bool:
        """Return True for forms that are equal but for their suits; raise KBError if only some have a suit."""
        suits = {form.suit for form in forms}
        has_single_cards = all(group.count == 1 and group.only_kind is None for form in forms for group in form.groups)
        are_equal = (
            len({(form.groups, *form.wild_range, form.has_mixed_suits, form.kickers is None) for form in forms}) == 1
        )
        if None in suits and suits != {None}:
            raise make_kb_error(
                f"same_suit/2 of some forms of {forms[0].name}'s label only",
                "give them labels of their own",
                ErrorCode.INVALID_FORM,
            )
        if suits == {None}:
            return False
        unknown = sorted(map(str, suits - set(self._suits)))
        if unknown or not has_single_cards or not are_equal or len(suits) < len(forms) or forms[0].kickers:
            remedy = (
                "a form of one suit has groups of one card, and differs from the others of its label in the suit alone"
            )
            message = f"same_suit({forms[0].name},{unknown[0] if unknown else forms[0].suit})"
            raise make_kb_error(message, remedy, ErrorCode.INVALID_FORM)
        return True

    def _differ_only_in_tail(self, forms: Sequence[Form]) -> bool:
        """Return True for forms without kickers that are equal but for the rank of their last group."""
        first = forms[0]

        def without_tail(form: Form) -> tuple[object, ...]:
            return (
                form.groups[:-1],
                form.wild_range,
                form.has_mixed_suits,
                form.kickers,
                form.groups[-1].count,
                form.groups[-1].only_kind,
            )

        tails = [form.groups[-1].cell for form in forms if form.groups]
        return (
            len(first.groups) > 1
            and not first.has_mixed_suits
            and first.kickers is None
            and not any(form.excluded_forms for form in forms)
            and first.groups[-1].only_kind is None
            and all(without_tail(form) == without_tail(first) for form in forms)
            and len(set(tails)) == len(tails)
        )

    def _fill_block(self, blocks: FormBlocks, block: int, mode: int, members: list[int]) -> None:
        forms = [self._forms.forms[member] for member in members]
        first = forms[0]
        blocks.label[block], blocks.mode[block] = first.label, mode
        blocks.min_wilds[block], blocks.max_wilds[block] = first.wild_range
        blocks.num_cards[block], blocks.kickers_apart[block] = first.num_cards, first.has_kickers_apart
        shared = first.groups[:-1] if mode == TAILED else first.groups
        if mode == SUITED:
            for form_index, form in zip(members, forms, strict=True):
                blocks.suit_form[block, self._suits.index(form.suit)] = form_index
        elif mode == TAILED:
            blocks.tail_size[block] = first.groups[-1].count
            for form_index, form in zip(members, forms, strict=True):
                rank = self._rank_of[form.groups[-1].cell]
                blocks.tail_form[block, rank], blocks.tail_min_natural[block, rank] = (
                    form_index,
                    form.groups[-1].min_natural,
                )
        else:
            blocks.form[block] = members[0]
        blocks.num_groups[block] = len(shared)
        for group_index, group in enumerate(shared):
            self._fill_group(blocks, block, group_index, group)
        if first.kickers:
            self._fill_kickers(blocks, block, first)

    def _fill_group(self, blocks: FormBlocks, block: int, group_index: int, group: CardGroup) -> None:
        rank = self._rank_of[group.cell]
        blocks.rank[block, group_index], blocks.size[block, group_index] = rank, group.count
        blocks.min_natural[block, group_index] = group.min_natural
        blocks.only_slot[block, group_index] = self._find_only_slot(self._forms.forms[blocks.form[block]], group)

    def _find_only_slot(self, form: Form, group: CardGroup) -> int:
        """Return the slot that all cards of a group must be from, or NO_INDEX."""
        if group.only_kind is None:
            return NO_INDEX
        slots = np.flatnonzero(self._slots.kind[self._rank_of[group.cell]] == group.only_kind)
        if not len(slots):
            message = f"only/3 of form {form.name}"
            raise make_kb_error(message, "the card is of another rank", ErrorCode.INVALID_FORM)
        return int(slots[0])

    def _fill_excluded(self, blocks: FormBlocks, block: int, form: Form) -> None:
        row = int(blocks.excluded_rows.max(initial=0))
        blocks.excluded_rows[block] = row, row + len(form.excluded_forms)
        for index, name in enumerate(form.excluded_forms):
            excluded = self._forms.forms[self._forms.index[name]]
            suit = NO_INDEX if excluded.suit is None else self._suits.index(excluded.suit)
            for group_index, group in enumerate(excluded.groups):
                only_slot = self._find_only_slot(excluded, group)
                blocks.excluded[row + index, group_index] = self._rank_of[group.cell], group.count, suit, only_slot

    def _fill_kickers(self, blocks: FormBlocks, block: int, form: Form) -> None:
        assert form.kickers
        row = int(blocks.kicker_row.max(initial=NO_INDEX)) + 1
        blocks.has_own_kickers[block] = form.has_own_kickers
        blocks.kicker_row[block], blocks.num_kickers[block] = row, form.kickers.num_groups
        blocks.kicker_size[block] = form.kickers.group_size
        for cell, bits in form.kickers.allowed.items():
            blocks.allowed[row, :, self._rank_of[cell]] = bits
            blocks.allowed[row, 1, self._rank_of[cell]] &= ~form.kickers.misread.get(cell, 0) & 0xFFFF
