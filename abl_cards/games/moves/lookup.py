"""The moves of games where every form is one set of cards: in each context each of its cells is one kind of card.

Nothing is walked: the cards of each form lie in a table, context by context. What a cell is may change with the
context, as where cards count by how they stand to the trump suit; enumerate.py has its slots once for all contexts.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import scale_to_range, splitmix64
from abl_cards.games.description import PASS_TERM, Cells, Form, Forms
from abl_cards.games.moves.enumerate import ALL_LABELS
from abl_cards.games.types import NO_CARD


class MoveLookup(NamedTuple):
    """What these kernels know of the rules."""

    rows: NDArray[np.uint8]  # [contexts, forms, most] the cards of each, as in Moves
    is_playable: NDArray[np.uint8]  # [contexts, forms] whether there are such cards at all
    label_forms: NDArray[np.int32]  # [labels, 2] the first form of a label and the one after its last
    form_order: NDArray[np.int32]  # [contexts, forms] in the order of lists
    label_of: NDArray[np.int32]  # [forms]
    forms_by_size: NDArray[np.int32]  # [forms] by how many cards they are
    size_start: NDArray[np.int32]  # [most + 2] where those of so many cards begin there


def build_move_lookup(cells: Cells, forms: Forms, lists: NDArray[np.int32]) -> MoveLookup | None:
    """Lay out the forms; None for a game where some form is several sets of cards, or may be."""
    if any(map(_has_several_card_sets, forms.forms)):
        return None
    used = sorted({group.cell for form in forms.forms for group in form.groups})
    kind = np.full((len(cells.acts_as), len(cells)), -1, np.int64)
    for cell in used:
        acting = (cells.acts_as == cell).any(axis=2)
        if acting.sum(axis=1).max() > 1:
            return None
        kind[:, cell] = np.where(acting.any(axis=1), acting.argmax(axis=1), -1)
    rows = np.full((len(kind), len(forms), forms.max_cards), NO_CARD, np.uint8)
    there = np.ones((len(kind), len(forms)), np.uint8)
    for place, form in enumerate(forms.forms):
        column = [group.cell for group in form.groups for _ in range(group.count)]
        rows[:, place, : len(column)] = np.where(kind[:, column] < 0, NO_CARD, kind[:, column])
        there[:, place] = (kind[:, column] >= 0).all(axis=1)
    numbers = np.arange(len(forms.labels))
    bounds = [np.searchsorted(forms.label_of, numbers, "left"), np.searchsorted(forms.label_of, numbers, "right")]
    sized = np.argsort(forms.num_cards, kind="stable")
    sizes = np.searchsorted(forms.num_cards[sized], np.arange(forms.max_cards + 2))
    return MoveLookup(
        rows, there, np.stack(bounds, axis=1).astype(np.int32), lists, forms.label_of.astype(np.int32),
        sized.astype(np.int32), sizes.astype(np.int32),
    )  # fmt: skip


def _has_several_card_sets(form: Form) -> bool:
    """Whether a form asks for more than so many cards of some cells."""
    only = any(group.only_kind is not None or group.min_natural for group in form.groups)
    return form.name != PASS_TERM and bool(
        only or form.max_wilds or form.suit is not None or form.has_mixed_suits or form.kickers
    )


@njit(cache=True, nogil=True, inline="always")
def _holds_cards(hand, row):
    """Whether a hand has the cards of a row, equal ones of which lie side by side."""
    copies = 0
    for place in range(len(row)):
        card = row[place]
        if card == NO_CARD:
            break
        copies = copies + 1 if place > 0 and row[place - 1] == card else 1
        if hand[card] < copies:
            return False
    return True


@njit(cache=True, nogil=True)
def sample_lookup_moves(lookup, form_row, hands, context, labels, allowed, keys, lo, hi, form, cards, num_found):
    """One card set of one label a decision, for decisions lo..hi-1: a random one, or the first without keys.

    ``form_row`` [forms] is the row of ``allowed`` that says whether a form is; ``num_found`` [n] how many there are.
    """
    rows, there, bounds = lookup.rows, lookup.is_playable, lookup.label_forms
    for i in range(lo, hi):
        ctx, label, first, last = np.int64(context[i]), np.int64(labels[i]), np.int64(0), np.int64(0)
        if 0 <= label < len(bounds):
            first, last = np.int64(bounds[label, 0]), np.int64(bounds[label, 1])
        count, chosen = 0, first
        for each in range(first, last):
            if there[ctx, each] and allowed[form_row[each], i] and _holds_cards(hands[i], rows[ctx, each]):
                chosen = each if count == 0 else chosen
                count += 1
        num_found[i] = count
        if count > 1 and len(keys) > 0:
            pick = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(count)))
            for each in range(first, last):
                if there[ctx, each] and allowed[form_row[each], i] and _holds_cards(hands[i], rows[ctx, each]):
                    if pick == 0:
                        chosen = each
                    pick -= 1
        if count > 0:
            form[i] = chosen
            cards[i] = rows[ctx, chosen]


@njit(cache=True, nogil=True)
def lookup_moves(lookup, form_row, hands, context, labels, legal, allowed, lo, hi, start, form, cards):
    """All card sets of decisions lo..hi-1 in the order of lists, or of a label each; fills start[lo + 1 : hi + 1].

    Writes as much as form and cards have room for and returns how many card sets there are.
    """
    rows, there, bounds, lists, label_of = (
        lookup.rows,
        lookup.is_playable,
        lookup.label_forms,
        lookup.form_order,
        lookup.label_of,
    )
    seen = np.int64(start[lo])
    for i in range(lo, hi):
        ctx, label = np.int64(context[i]), np.int64(labels[i])
        first, last = np.int64(0), np.int64(0)
        if label == ALL_LABELS:
            last = lists.shape[1]
        else:
            first, last = np.int64(bounds[label, 0]), np.int64(bounds[label, 1])
        for at in range(first, last):
            each = np.int64(lists[ctx, at]) if label == ALL_LABELS else at
            if (
                there[ctx, each] and legal[label_of[each], i] and allowed[form_row[each], i]
                and _holds_cards(hands[i], rows[ctx, each])
            ):  # fmt: skip
                if seen < len(form):
                    form[seen] = each
                    cards[seen] = rows[ctx, each]
                seen += 1
        start[i + 1] = seen
    return seen


@njit(cache=True, nogil=True)
def find_whole_hand_forms(lookup, hands, context):
    """[n] the first form whose cards are all of hands [n, kinds], -1 for none."""
    rows, there, found = lookup.rows, lookup.is_playable, np.full(len(hands), -1, np.int16)
    sized, sizes = lookup.forms_by_size, lookup.size_start
    for i in range(len(hands)):
        cards = np.int64(0)
        for kind in range(hands.shape[1]):
            cards += hands[i, kind]
        first, last = np.int64(0), np.int64(0)
        if cards + 1 < len(sizes):
            first, last = np.int64(sizes[cards]), np.int64(sizes[cards + 1])
        for place in range(first, last):
            form = sized[place]
            if there[context[i], form] and _holds_cards(hands[i], rows[context[i], form]):
                found[i] = form
                break
    return found
