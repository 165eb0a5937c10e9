"""Card sets of hands, packed for compiled rollouts: one subtraction tells whether a hand has the cards.

A hand also serves its subsets, whose card sets are those for which they have the cards.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, kernel, unique_rows
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.rollouts.rule_arrays import may_follow, may_lead
from abl_cards.games.tables import Decisions, PlayerView
from abl_cards.games.types import LEADING, NO_CARD, Indices, MoveLists

LEADS, FOLLOWS = 1, 2
"""Bits of what a card set may be played for: to lead, and to follow."""
HAND_BITS = 64
"""Bits of a packed hand: for each kind of card a counter, and a bit that is free."""
USE_UNIT = 840
"""Cost of a card that one card set uses; a use is divided by the copies in the hand, without a rest for up to 8."""


class CardSets(NamedTuple):
    """Card sets of h hands; those of one form and one use are a run."""

    field_start: NDArray[np.uint8]  # [h, kinds] first bit of the counter of each kind that is held
    guard_bits: NDArray[np.uint64]  # [h] the free bits
    run_start: Indices  # [h + 1] first run of each hand
    run_form: NDArray[np.int16]  # [runs]
    run_use: NDArray[np.uint8]  # [runs] LEADS, FOLLOWS, or both
    set_start: Indices  # [runs + 1] first card set of each run
    need: NDArray[np.uint64]  # [sets] the cards, packed
    cards: NDArray[np.uint8]  # [sets, max_cards] the cards, as in Moves
    cost: Indices  # [sets] how many card sets that may be led use the same cards


def find_card_sets(
    rules: CompiledGame, hands: NDArray[np.uint8], fluents: NDArray[np.int16], context: NDArray[np.int16]
) -> CardSets:
    """List what hands may lead, and what they may follow with.

    Args:
        rules: Compiled rules, to which rollouts apply.
        hands: uint8 [h, kinds].
        fluents: int16 [h, slots], fluents of the table of each hand.
        context: int16 [h], its order context.

    Returns:
        The card sets.

    Raises:
        GameError: A hand has too many cards.
    """
    view = _view_hands(rules, hands, fluents, context)
    lists = Decisions(view).moves()
    start, form, cards, use = lists.start, lists.form, lists.cards, np.full(len(lists.form), LEADS | FOLLOWS, np.uint8)
    if has_other_follows(rules):
        start, form, cards, use = _merge_follows(lists, _list_follows(view))
    sets, largest = _pack(start, form, cards, use, np.ascontiguousarray(hands))
    if largest > HAND_BITS:
        raise GameError(f"a hand takes {largest} bits, and {HAND_BITS} are there", ErrorCode.UNSUPPORTED_GAME)
    return CardSets(*sets)


def _view_hands(
    rules: CompiledGame, hands: NDArray[np.uint8], fluents: NDArray[np.int16], context: NDArray[np.int16]
) -> PlayerView:
    """Return the view of seats with hands [h, kinds], which lead."""
    state = rules.create_state(len(hands))
    state.hands[:, 0], state.fluents[:], state.context[:] = hands, fluents, context
    state.to_beat[:] = LEADING
    return PlayerView(rules, state, np.arange(len(hands)), state.seat.copy(), has_hand_sizes=False)


@cache_per_game
def has_other_follows(rules: CompiledGame) -> bool:
    """Return whether hands may follow with other card sets than they may lead: other kickers, or other forms."""
    allowed = rules.move_tables.allowed
    if not bool((allowed[:, 0] == allowed[:, 1]).all()):
        return True
    return any(bool((may_follow(rules, index) & ~may_lead(rules, index)).any()) for index in range(len(rules.contexts)))


def _list_follows(view: PlayerView) -> MoveLists:
    """List the card sets of hands that may follow some play; the view is changed to one of seats that follow."""
    rules = view.rules
    forms = np.array([may_follow(rules, index) for index in range(len(rules.contexts))], np.uint8)
    labels = np.zeros((len(rules.labels), len(view)), np.uint8)
    labels[rules.forms.label_of[forms.any(axis=0)]] = 1
    view.state.to_beat[:] = rules.forms.pass_form
    masks = labels, np.ascontiguousarray(forms[view.state.context].T)
    return Decisions.with_masks(view.select(np.arange(len(view))), *masks).moves()


def _merge_follows(
    leads: MoveLists, follows: MoveLists
) -> tuple[Indices, NDArray[np.int16], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return offsets, forms, cards and uses of the card sets in one list or both, by hand, form and use."""
    hand = np.concatenate([leads.decision_index, follows.decision_index])
    form, cards = np.concatenate([leads.form, follows.form]), np.concatenate([leads.cards, follows.cards])
    key = np.concatenate([hand.astype(np.int64)[:, None].view(np.uint8), form[:, None].view(np.uint8), cards], axis=1)
    first, index = unique_rows(key)
    use = np.zeros(len(first), np.uint8)
    np.bitwise_or.at(use, index, np.repeat(np.array([LEADS, FOLLOWS], np.uint8), [len(leads.form), len(follows.form)]))
    order = np.lexsort((first, use, form[first], hand[first]))
    rows = first[order]
    start = np.searchsorted(hand[rows], np.arange(len(leads.start)))
    return start, form[rows], np.ascontiguousarray(cards[rows]), use[order]


def largest_hand_bits(copies: NDArray[np.uint8], num_cards: int) -> int:
    """Return the most bits of a packed hand.

    Args:
        copies: uint8 [kinds], copies of each kind in the pack.
        num_cards: Cards of the hand.
    """
    bits, held = 0, 0
    for added, more in ((1, 2), (1, 1), (2, 1), (4, 1), (8, 1)):  # cards that lengthen a counter, by how many bits
        held += added
        lengthened = min(int((copies >= held).sum()), num_cards // added)
        bits, num_cards = bits + more * lengthened, num_cards - added * lengthened
    return bits


@kernel
def _pack(start, form, cards, use, hands):
    """Pack card sets; returns the fields of ``CardSets``, and the bits of the largest hand."""
    num_hands, kinds = hands.shape
    field_start, guard_bits = np.zeros((num_hands, kinds), np.uint8), np.zeros(num_hands, np.uint64)
    run_start, run_form, run_use = np.zeros(num_hands + 1, np.int64), form.copy(), use.copy()
    set_start = np.zeros(len(form) + 1, np.int64)
    need, cost = np.zeros(len(form), np.uint64), np.zeros(len(form), np.int64)
    uses, one, runs, largest = np.zeros(kinds, np.int64), np.uint64(1), 0, 0
    for hand in range(num_hands):
        bit = 0
        for kind in range(kinds):
            uses[kind] = 0
            if hands[hand, kind]:
                field_start[hand, kind] = min(bit, HAND_BITS - 1)
                while hands[hand, kind] >> (bit - field_start[hand, kind]):
                    bit += 1
                guard_bits[hand] |= one << np.uint64(min(bit, HAND_BITS - 1))
                bit += 1
        largest = max(largest, bit)
        for row in range(start[hand], start[hand + 1]):
            for position in range(cards.shape[1]):
                kind = cards[row, position]
                if kind == NO_CARD:
                    break
                need[row] += one << np.uint64(field_start[hand, kind])
                if use[row] & LEADS:
                    uses[kind] += USE_UNIT // hands[hand, kind]
        for row in range(start[hand], start[hand + 1]):
            for position in range(cards.shape[1]):
                if cards[row, position] == NO_CARD:
                    break
                cost[row] += uses[cards[row, position]]
            if row == start[hand] or form[row] != form[row - 1] or use[row] != use[row - 1]:
                run_form[runs], run_use[runs], set_start[runs] = form[row], use[row], row
                runs += 1
        run_start[hand + 1] = runs
    set_start[runs] = len(form)
    fields = (
        field_start, guard_bits, run_start, run_form[:runs].copy(), run_use[:runs].copy(), set_start[: runs + 1].copy(),
        need, cards, cost,
    )  # fmt: skip
    return fields, largest
