"""Card sets of hands when leading, packed for compiled rollouts: one subtraction tells whether a hand has the cards.

A hand also serves its subsets, whose card sets are those for which they have the cards.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, kernel
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Decisions, PlayerView
from abl_cards.games.types import LEADING, NO_CARD, Indices

HAND_BITS = 64
"""Bits of a packed hand: for each kind of card a counter, and a bit that is free."""
USE_UNIT = 840
"""Cost of a card that one card set uses; a use is divided by the copies in the hand, without a rest for up to 8."""


class CardSets(NamedTuple):
    """Card sets of h hands; those of one form are a run."""

    field_start: NDArray[np.uint8]  # [h, kinds] first bit of the counter of each kind that is held
    guard_bits: NDArray[np.uint64]  # [h] the free bits
    run_start: Indices  # [h + 1] first run of each hand
    run_form: NDArray[np.int16]  # [runs]
    set_start: Indices  # [runs + 1] first card set of each run
    need: NDArray[np.uint64]  # [sets] the cards, packed
    cards: NDArray[np.uint8]  # [sets, max_cards] the cards, as in Moves
    cost: Indices  # [sets] how many card sets use the same cards


def find_card_sets(
    rules: CompiledGame, hands: NDArray[np.uint8], fluents: NDArray[np.int16], context: NDArray[np.int16]
) -> CardSets:
    """List what hands may lead.

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
    state = rules.create_state(len(hands))
    state.hands[:, 0], state.fluents[:], state.context[:] = hands, fluents, context
    state.to_beat[:] = LEADING
    view = PlayerView(rules, state, np.arange(len(hands)), state.seat.copy(), has_hand_sizes=False)
    lists = Decisions(view).moves()
    sets, largest = _pack(lists.start, lists.form, lists.cards, np.ascontiguousarray(hands))
    if largest > HAND_BITS:
        raise GameError(f"a hand takes {largest} bits, and {HAND_BITS} are there", ErrorCode.UNSUPPORTED_GAME)
    return CardSets(*sets)


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
def _pack(start, form, cards, hands):
    """Pack card sets; returns the fields of ``CardSets``, and the bits of the largest hand."""
    num_hands, kinds = hands.shape
    field_start, guard_bits = np.zeros((num_hands, kinds), np.uint8), np.zeros(num_hands, np.uint64)
    run_start, run_form, set_start = np.zeros(num_hands + 1, np.int64), form.copy(), np.zeros(len(form) + 1, np.int64)
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
                uses[kind] += USE_UNIT // hands[hand, kind]
        for row in range(start[hand], start[hand + 1]):
            for position in range(cards.shape[1]):
                if cards[row, position] == NO_CARD:
                    break
                cost[row] += uses[cards[row, position]]
            if row == start[hand] or form[row] != form[row - 1]:
                run_form[runs], set_start[runs] = form[row], row
                runs += 1
        run_start[hand + 1] = runs
    set_start[runs] = len(form)
    fields = (
        field_start, guard_bits, run_start, run_form[:runs].copy(), set_start[: runs + 1].copy(), need, cards, cost
    )  # fmt: skip
    return fields, largest
