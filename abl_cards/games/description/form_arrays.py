"""Forms as arrays: what the kernels read to lay down cards.

Forms of a label and size that differ only in their suit, or only in their last group, are walked together, so that
lists interleave their card sets; such a family is a *block*. Any other form is a block of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import KBError, Term, make_kb_error
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.combinations import CombinationTable, TooManyCombinations, build_combinations
from abl_cards.games.description.forms import CardGroup, Form, Forms
from abl_cards.games.description.pack import WILD, Pack, parse_rank_and_suit

PLAIN, MIXED, SUITED, TAILED = range(4)
NO_INDEX = -1
MAX_WILD_KINDS = 2
MAX_SUITS = 60
"""Suits of a game with forms of mixed suits: they are bits of a word."""


class RankSlots(NamedTuple):
    """Which kinds of cards act as the cells that forms speak of; rows are *ranks*, a word for such cells."""

    kind: NDArray[np.int16]  # [ranks, most] kinds in the order of vectors, NO_INDEX beyond the last
    natural: NDArray[np.uint8]  # [contexts, ranks, most] whether the kind acts as the cell there
    wild: NDArray[np.int16]  # [contexts, wilds] kinds that stand in, NO_INDEX for none
    wild_suit: NDArray[np.int16]  # [contexts, wilds] the number of its suit, NO_INDEX for none
    natural_slot: NDArray[np.int16]  # [contexts, wilds, ranks] the slot of such a card in ranks that it is of in others
    suit: NDArray[np.int16]  # [ranks, most] the number of the suit of each kind, NO_INDEX for none


class FormBlocks(NamedTuple):
    """The blocks, and the ranks that their groups are of."""

    label: NDArray[np.int16]  # [blocks]
    form: NDArray[np.int16]  # [blocks] the only form, or NO_INDEX
    mode: NDArray[np.int8]  # [blocks] PLAIN, MIXED (two suits at least), SUITED (one form a suit) or TAILED
    num_groups: NDArray[np.int8]  # [blocks] groups that all its forms share
    rank: NDArray[np.int16]  # [blocks, groups]
    size: NDArray[np.int16]  # [blocks, groups] their cards
    min_natural: NDArray[np.int16]  # [blocks, groups] how many of these must be real
    only_slot: NDArray[np.int16]  # [blocks, groups] the slot that they all are of, or NO_INDEX
    max_wilds: NDArray[np.int16]  # [blocks] wild cards that may stand for others
    num_cards: NDArray[np.int16]  # [blocks]
    tail_size: NDArray[np.int16]  # [blocks] cards of the last group, TAILED only
    tail_min_natural: NDArray[np.int16]  # [blocks or 1, ranks] of these natural, by the rank of the last group
    tail_form: NDArray[np.int16]  # [blocks or 1, ranks] the form by the rank of the last group, or NO_INDEX
    suit_form: NDArray[np.int16]  # [blocks, suits] the form by suit, or NO_INDEX
    num_kickers: NDArray[np.int8]  # [blocks] groups of kickers
    kicker_size: NDArray[np.int8]  # [blocks] cards in each
    kicker_row: NDArray[np.int16]  # [blocks] the row of the next field, NO_INDEX for no kickers
    allowed: NDArray[np.uint16]  # [carrying, 2, ranks] following, leading: bit K when K groups may be of this rank
    kickers_apart: NDArray[np.uint8]  # [blocks] whether the two kinds of jokers do not go together as kickers
    label_blocks: NDArray[np.int32]  # [labels, 2] the first block of a label and the one after its last


class FormArrays(NamedTuple):
    """What the walk reads."""

    blocks: FormBlocks
    slots: RankSlots
    combinations: CombinationTable


def build_form_arrays(
    pack: Pack, cells: Cells, forms: Forms, hand_order: Sequence[int], last_descending: bool, is_enumerated: bool = True
) -> FormArrays:
    """Lay out the forms of a game, cards of a rank in the order of hands; raises KBError.

    Where nobody walks it, as each form is one set of cards a context, it has cells as they are in the first context.
    """
    used = sorted({group.cell for form in forms.forms for group in form.groups} | find_kicker_cells(forms))
    rank_of = {cell: place for place, cell in enumerate(used)}
    suits = list(dict.fromkeys(parts[1] for parts in map(parse_rank_and_suit, pack.kinds) if parts))
    if not is_enumerated:
        cells = replace(cells, acts_as=np.repeat(cells.acts_as[:1], len(cells.acts_as), axis=0))
    _check_suit_count(forms, suits)
    slots = _build_slots(pack, cells, used, suits, hand_order)
    layout = _BlockBuilder(forms, rank_of, slots, suits).build()
    largest = max([1, *layout.size.ravel().tolist(), *layout.tail_size.tolist(), *_max_kicker_cards(forms)])
    candidates = slots.kind.shape[1] + slots.wild.shape[1]
    laid = [*slots.kind.ravel().tolist(), *slots.wild.ravel().tolist()]
    copies = max((int(pack.copies[kind]) for kind in laid if kind >= 0), default=1)
    try:
        table = build_combinations(candidates, copies, largest, last_descending)
    except TooManyCombinations:
        raise _cell_width_error(cells, used, slots, copies) from None
    return FormArrays(layout, slots, table)


def _check_suit_count(forms: Forms, suits: Sequence[Term]) -> None:
    """Raises KBError where the suits that a play shows are too many to be bits."""
    mixed = next((form.name for form in forms.forms if form.has_mixed_suits), None)
    if mixed is not None and len(suits) > MAX_SUITS:
        raise make_kb_error(
            f"mixed_suits({mixed}): the pack has {len(suits)} suits", f"at most {MAX_SUITS} where forms mix them"
        )


def _cell_width_error(cells: Cells, used: Sequence[int], slots: RankSlots, copies: int) -> KBError:
    widths = (slots.kind >= 0).sum(axis=1)
    cell, most = cells.names[used[int(widths.argmax())]], int(widths.max())
    wilds = slots.wild.shape[1]
    return make_kb_error(
        f"needs/4, kicker/3: {most} kinds of cards act as {cell}, whatever the fluents, {copies} copies of a kind, and "
        f"{wilds} kinds of wild cards may stand in: too many ways to take some",
        "leave out suits that do not matter, pack(Rank,Copies), or let forms take cells of fewer kinds",
    )


def find_kicker_cells(forms: Forms) -> set[int]:
    """What kickers may be."""
    return {cell for form in forms.forms if form.kickers for cell in form.kickers.allowed}


def _max_kicker_cards(forms: Forms) -> list[int]:
    carrying = [form.kickers for form in forms.forms if form.kickers]
    return [
        max((bits.bit_length() - 1 for bits in each.allowed.values()), default=1) * each.group_size for each in carrying
    ]


def _build_slots(
    pack: Pack, cells: Cells, used: Sequence[int], suits: Sequence[Term], hand_order: Sequence[int]
) -> RankSlots:
    contexts = len(cells.acts_as)
    acting = np.array([(cells.acts_as == cell).any(axis=2) for cell in used]).reshape(len(used), contexts, len(pack))
    kinds = [[kind for kind in hand_order if each[:, kind].any()] for each in acting]
    most = max(1, max(map(len, kinds), default=1))
    kind, suit = (np.full((len(used), most), NO_INDEX, np.int16) for _ in range(2))
    natural = np.zeros((contexts, len(used), most), np.uint8)
    for rank, found in enumerate(kinds):
        kind[rank, : len(found)] = found
        natural[:, rank, : len(found)] = acting[rank][:, found]
        parts = [parse_rank_and_suit(pack.kinds[each]) for each in found]
        suit[rank, : len(found)] = [suits.index(part[1]) if part else NO_INDEX for part in parts]
    wild = _find_wild_kinds(pack, cells)
    wild_suit = np.full(wild.shape, NO_INDEX, np.int16)
    own_slot = np.full((*wild.shape, len(used)), NO_INDEX, np.int16)
    for context, place in np.argwhere(wild >= 0):
        card = wild[context, place]
        own = parse_rank_and_suit(pack.kinds[card])
        wild_suit[context, place] = suits.index(own[1]) if own else NO_INDEX
        ranks, places = np.nonzero(kind == card)
        own_slot[context, place, ranks] = places
    return RankSlots(kind, natural, wild, wild_suit, own_slot, suit)


def _find_wild_kinds(pack: Pack, cells: Cells) -> NDArray[np.int16]:
    """[contexts, wilds] the kinds that stand in; raises KBError where there are too many."""
    by_context = [cells.find_kinds(WILD, context) for context in range(len(cells.acts_as))]
    most = max(map(len, by_context))
    if most > MAX_WILD_KINDS:
        names = ", ".join(str(pack.kinds[each]) for each in max(by_context, key=len))
        raise make_kb_error(f"{most} kinds of wild cards at once: {names}", f"at most {MAX_WILD_KINDS} may act as wild")
    wild = np.full((len(by_context), most), NO_INDEX, np.int16)
    for context, found in enumerate(by_context):
        wild[context, : len(found)] = found
    return wild


class _BlockBuilder:
    """Fills a layout family by family."""

    def __init__(self, forms: Forms, rank_of: dict[int, int], slots: RankSlots, suits: Sequence[Term]) -> None:
        self._forms, self._rank_of, self._slots, self._suits = forms, rank_of, slots, suits

    def build(self) -> FormBlocks:
        """All the blocks, in the order of labels and sizes."""
        families = self._group_forms()
        forms, ranks = self._forms.forms, len(self._rank_of)
        deep = max([1, *(len(form.groups) for form in forms)])
        tailed = any(mode == TAILED for mode, _ in families)
        carrying = sum(forms[members[0]].kickers is not None for _, members in families)

        def room(*shape: int, dtype: type = np.int16, fill: int = 0) -> NDArray[Any]:
            return np.full((len(families), *shape), fill, dtype)

        tails = (len(families) if tailed else 1, ranks)
        layout = FormBlocks(
            label=room(), form=room(fill=NO_INDEX), mode=room(dtype=np.int8), num_groups=room(dtype=np.int8),
            rank=room(deep), size=room(deep), min_natural=room(deep), only_slot=room(deep, fill=NO_INDEX),
            max_wilds=room(), num_cards=room(), tail_size=room(), tail_min_natural=np.zeros(tails, np.int16),
            tail_form=np.full(tails, NO_INDEX, np.int16), suit_form=room(max(1, len(self._suits)), fill=NO_INDEX),
            num_kickers=room(dtype=np.int8), kicker_size=room(dtype=np.int8), kicker_row=room(fill=NO_INDEX),
            allowed=np.zeros((max(1, carrying), 2, ranks), np.uint16), kickers_apart=room(dtype=np.uint8),
            label_blocks=np.zeros((len(self._forms.labels), 2), np.int32),
        )  # fmt: skip
        for block, (mode, members) in enumerate(families):
            self._fill_block(layout, block, mode, members)
        numbers = np.arange(len(self._forms.labels))
        for side, column in (("left", 0), ("right", 1)):
            layout.label_blocks[:, column] = np.searchsorted(layout.label, numbers, side)  # type: ignore[call-overload]
        return layout

    def _group_forms(self) -> list[tuple[int, list[int]]]:
        """The mode and the forms of each block."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for place, form in enumerate(self._forms.forms):
            found[form.label, form.num_cards].append(place)
        blocks: list[tuple[int, list[int]]] = []
        for members in found.values():
            forms = [self._forms.forms[each] for each in members]
            if self._differ_only_in_suit(forms):
                blocks.append((SUITED, members))
            elif len(members) > 1 and self._differ_only_in_tail(forms):
                blocks.append((TAILED, members))
            else:
                blocks += [(MIXED if self._forms.forms[each].has_mixed_suits else PLAIN, [each]) for each in members]
        return blocks

    def _differ_only_in_suit(self, forms: Sequence[Form]) -> bool:
        """Forms of one suit each, whatever else they are alike in."""
        suits = {form.suit for form in forms}
        plain = all(group.count == 1 and group.only_kind is None for form in forms for group in form.groups)
        alike = len({(form.groups, form.max_wilds, form.has_mixed_suits, form.kickers is None) for form in forms}) == 1
        if None in suits and suits != {None}:
            raise make_kb_error(
                f"same_suit/2 of some forms of {forms[0].name}'s label only", "give them labels of their own"
            )
        if suits == {None}:
            return False
        strangers = sorted(map(str, suits - set(self._suits)))
        if strangers or not plain or not alike or len(suits) < len(forms) or forms[0].kickers:
            remedy = (
                "a form of one suit has groups of one card, and differs from the others of its label in the suit alone"
            )
            raise make_kb_error(f"same_suit({forms[0].name},{strangers[0] if strangers else forms[0].suit})", remedy)
        return True

    def _differ_only_in_tail(self, forms: Sequence[Form]) -> bool:
        """Forms whose last group alone differs, in its rank, and that carry nothing."""
        first = forms[0]

        def without_tail(form: Form) -> tuple[object, ...]:
            return (
                form.groups[:-1],
                form.max_wilds,
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
            and first.groups[-1].only_kind is None
            and all(without_tail(form) == without_tail(first) for form in forms)
            and len(set(tails)) == len(tails)
        )

    def _fill_block(self, blocks: FormBlocks, block: int, mode: int, members: list[int]) -> None:
        forms = [self._forms.forms[each] for each in members]
        first = forms[0]
        blocks.label[block], blocks.mode[block], blocks.max_wilds[block] = first.label, mode, first.max_wilds
        blocks.num_cards[block], blocks.kickers_apart[block] = first.num_cards, first.has_kickers_apart
        shared = first.groups[:-1] if mode == TAILED else first.groups
        if mode == SUITED:
            for place, form in zip(members, forms, strict=True):
                blocks.suit_form[block, self._suits.index(form.suit)] = place
        elif mode == TAILED:
            blocks.tail_size[block] = first.groups[-1].count
            for place, form in zip(members, forms, strict=True):
                rank = self._rank_of[form.groups[-1].cell]
                blocks.tail_form[block, rank], blocks.tail_min_natural[block, rank] = place, form.groups[-1].min_natural
        else:
            blocks.form[block] = members[0]
        blocks.num_groups[block] = len(shared)
        for at, group in enumerate(shared):
            self._fill_group(blocks, block, at, group)
        if first.kickers:
            self._fill_kickers(blocks, block, first)

    def _fill_group(self, blocks: FormBlocks, block: int, at: int, group: CardGroup) -> None:
        rank = self._rank_of[group.cell]
        blocks.rank[block, at], blocks.size[block, at] = rank, group.count
        blocks.min_natural[block, at] = group.min_natural
        if group.only_kind is not None:
            slots = np.flatnonzero(self._slots.kind[rank] == group.only_kind)
            if not len(slots):
                raise make_kb_error(
                    f"only/3 of form {self._forms.forms[blocks.form[block]].name}", "the card is of another rank"
                )
            blocks.only_slot[block, at] = slots[0]

    def _fill_kickers(self, blocks: FormBlocks, block: int, form: Form) -> None:
        assert form.kickers
        row = int(blocks.kicker_row.max(initial=NO_INDEX)) + 1
        blocks.kicker_row[block], blocks.num_kickers[block] = row, form.kickers.num_groups
        blocks.kicker_size[block] = form.kickers.group_size
        for cell, bits in form.kickers.allowed.items():
            blocks.allowed[row, :, self._rank_of[cell]] = bits
            blocks.allowed[row, 1, self._rank_of[cell]] &= ~form.kickers.misread.get(cell, 0) & 0xFFFF
