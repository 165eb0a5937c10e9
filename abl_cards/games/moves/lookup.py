"""Move generation by table lookup, for games where every form is one set of cards.

In each order context, each cell of a form is then one kind of card. The cards of each form are stored for each context,
so nothing is enumerated. The kind of a cell may depend on the context, for instance on the trump suit;
``enumerate.py`` has the same slots in all contexts.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import device_function, kernel, scale_to_range, splitmix64
from abl_cards.games.description import PASS_TERM, Cells, Form, Forms
from abl_cards.games.moves.enumerate import ALL_LABELS
from abl_cards.games.types import NO_CARD


class MoveLookup(NamedTuple):
    """Card set of every form in every order context, for the lookup kernels."""

    rows: NDArray[np.uint8]  # [contexts, forms, max cards] the cards of each form, as in Moves
    is_playable: NDArray[np.uint8]  # [contexts, forms] 1 if the pack has the cards of the form
    label_forms: NDArray[np.int32]  # [labels, 2] first form of a label, and the form after its last
    form_order: NDArray[np.int32]  # [contexts, forms] forms in the order of move lists
    label_of: NDArray[np.int32]  # [forms] label of each form
    forms_by_size: NDArray[np.int32]  # [forms] forms sorted by number of cards
    size_start: NDArray[np.int32]  # [max cards + 2] position in forms_by_size of the first form of each size


def build_move_lookup(cells: Cells, forms: Forms, lists: NDArray[np.int32]) -> MoveLookup | None:
    """Build the lookup table of a game.

    Args:
        cells: Cells of the game, and the kinds of cards that act as them.
        forms: Forms of the game.
        lists: int32 [contexts, forms], forms in the order of move lists.

    Returns:
        The table; None if some form stands for several sets of cards, or may do so.
    """
    if any(map(_has_several_card_sets, forms.forms)):
        return None
    kind = np.full((len(cells.acts_as), len(cells)), -1, np.int64)
    for cell in forms.group_cells:
        acting = (cells.acts_as == cell).any(axis=2)
        if acting.sum(axis=1).max() > 1:
            return None
        kind[:, cell] = np.where(acting.any(axis=1), acting.argmax(axis=1), -1)
    rows = np.full((len(kind), len(forms), forms.max_cards), NO_CARD, np.uint8)
    is_playable = np.ones((len(kind), len(forms)), np.uint8)
    for index, form in enumerate(forms.forms):
        column = [group.cell for group in form.groups for _ in range(group.count)]
        rows[:, index, : len(column)] = np.where(kind[:, column] < 0, NO_CARD, kind[:, column])
        is_playable[:, index] = (kind[:, column] >= 0).all(axis=1)
    label_indices = np.arange(len(forms.labels))
    label_bounds = [
        np.searchsorted(forms.label_of, label_indices, "left"),
        np.searchsorted(forms.label_of, label_indices, "right"),
    ]
    order = np.argsort(forms.num_cards, kind="stable")
    size_start = np.searchsorted(forms.num_cards[order], np.arange(forms.max_cards + 2))
    return MoveLookup(
        rows, is_playable, np.stack(label_bounds, axis=1).astype(np.int32), lists, forms.label_of.astype(np.int32),
        order.astype(np.int32), size_start.astype(np.int32),
    )  # fmt: skip


def _has_several_card_sets(form: Form) -> bool:
    """Return True if a form needs more than a fixed number of cards of each cell."""
    is_restricted = any(group.only_kind is not None or group.min_natural for group in form.groups)
    return form.name != PASS_TERM and bool(
        is_restricted or form.max_wilds or form.suit is not None or form.has_mixed_suits or form.kickers
    )


@device_function
def _holds_cards(hand, row):
    """Return True if a hand has the cards of a row, in which equal cards are adjacent."""
    copies = 0
    for position in range(len(row)):
        card = row[position]
        if card == NO_CARD:
            break
        copies = copies + 1 if position > 0 and row[position - 1] == card else 1
        if hand[card] < copies:
            return False
    return True


@kernel
def sample_lookup_moves(lookup, form_row, hands, context, labels, allowed, keys, lo, hi, form, cards, num_found):
    """Draw a card set of one label for each of decisions lo..hi-1.

    Args:
        lookup: Card sets of the game.
        form_row: int32 [forms], row of ``allowed`` for each form.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        labels: int16 [n], the label of each decision; a negative one has no card set.
        allowed: uint8 [rows, n], nonzero where a form is allowed.
        keys: uint64 [n], random keys; empty to take the first card set.
        lo: First decision.
        hi: Decision after the last.
        form: int16 [n], receives the form.
        cards: uint8 [n, max cards], receives the cards.
        num_found: int64 [n], receives the number of card sets of the label; nothing else is written where it is 0.
    """
    rows, is_playable, bounds = lookup.rows, lookup.is_playable, lookup.label_forms
    for i in range(lo, hi):
        ctx, label, first, last = np.int64(context[i]), np.int64(labels[i]), np.int64(0), np.int64(0)
        if 0 <= label < len(bounds):
            first, last = np.int64(bounds[label, 0]), np.int64(bounds[label, 1])
        count, chosen = 0, first
        for index in range(first, last):
            if is_playable[ctx, index] and allowed[form_row[index], i] and _holds_cards(hands[i], rows[ctx, index]):
                chosen = index if count == 0 else chosen
                count += 1
        num_found[i] = count
        if count > 1 and len(keys) > 0:
            pick = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(count)))
            for index in range(first, last):
                if is_playable[ctx, index] and allowed[form_row[index], i] and _holds_cards(hands[i], rows[ctx, index]):
                    if pick == 0:
                        chosen = index
                    pick -= 1
        if count > 0:
            form[i] = chosen
            cards[i] = rows[ctx, chosen]


@kernel
def lookup_moves(lookup, form_row, hands, context, labels, legal, allowed, lo, hi, start, form, cards):
    """List the card sets of decisions lo..hi-1, in the order of move lists.

    Card sets for which ``form`` and ``cards`` have no row are counted, but not written.

    Args:
        lookup: Card sets of the game.
        form_row: int32 [forms], row of ``allowed`` for each form.
        hands: uint8 [n, kinds], copies of each card held.
        context: int16 [n], order context.
        labels: int16 [n], the label to list, or ``ALL_LABELS``.
        legal: uint8 [labels, n], mask of legal labels.
        allowed: uint8 [rows, n], nonzero where a form is allowed.
        lo: First decision.
        hi: Decision after the last.
        start: int64 [hi + 1]; ``start[lo]`` is read, ``start[lo + 1 : hi + 1]`` is filled as in ``MoveLists``.
        form: int16 [capacity], receives the form of each card set.
        cards: uint8 [capacity, max cards], receives the cards.

    Returns:
        Number of card sets, which may exceed the capacity.
    """
    rows, is_playable, bounds, form_order, label_of = (
        lookup.rows,
        lookup.is_playable,
        lookup.label_forms,
        lookup.form_order,
        lookup.label_of,
    )
    num_sets = np.int64(start[lo])
    for i in range(lo, hi):
        ctx, label = np.int64(context[i]), np.int64(labels[i])
        first, last = np.int64(0), np.int64(0)
        if label == ALL_LABELS:
            last = form_order.shape[1]
        else:
            first, last = np.int64(bounds[label, 0]), np.int64(bounds[label, 1])
        for position in range(first, last):
            index = np.int64(form_order[ctx, position]) if label == ALL_LABELS else position
            if (
                is_playable[ctx, index] and legal[label_of[index], i] and allowed[form_row[index], i]
                and _holds_cards(hands[i], rows[ctx, index])
            ):  # fmt: skip
                if num_sets < len(form):
                    form[num_sets] = index
                    cards[num_sets] = rows[ctx, index]
                num_sets += 1
        start[i + 1] = num_sets
    return num_sets


@kernel
def find_whole_hand_forms(lookup, hands, context):
    """Find the form that consists of all cards of a hand.

    Args:
        lookup: Card sets of the game.
        hands: uint8 [n, kinds], copies of each card.
        context: int16 [n], order context.

    Returns:
        int16 [n], the first such form, -1 if there is none.
    """
    rows, is_playable, forms = lookup.rows, lookup.is_playable, np.full(len(hands), -1, np.int16)
    forms_by_size, size_start = lookup.forms_by_size, lookup.size_start
    for i in range(len(hands)):
        hand_size = np.int64(0)
        for kind in range(hands.shape[1]):
            hand_size += hands[i, kind]
        first, last = np.int64(0), np.int64(0)
        if hand_size + 1 < len(size_start):
            first, last = np.int64(size_start[hand_size]), np.int64(size_start[hand_size + 1])
        for position in range(first, last):
            form = forms_by_size[position]
            if is_playable[context[i], form] and _holds_cards(hands[i], rows[context[i], form]):
                forms[i] = form
                break
    return forms
