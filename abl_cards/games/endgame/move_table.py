"""What hands can lay down, and on what: asked of the engine's circuits and lists, each hand once.

A hand that others are parts of is listed for all of them: what a part can lay down is what it has the cards for.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.endgame.card_sets import FOLLOWS, LEADS, MARK_SHIFT, MAX_HAND_BITS, compute_fields, encode_sets
from abl_cards.games.state import TableState
from abl_cards.games.tables import Decisions, PlayerView
from abl_cards.games.types import LEADING, NO_CARD, Indices


@dataclass(frozen=True)
class HandMoveTable:
    """The hands of n tables, no two of them the same."""

    hand_id: NDArray[np.int64]  # [n, seats] the number of each hand
    keys: NDArray[np.uint64]  # [sets] form and cards, hand after hand and sorted; none of hands that do not fit
    lead_follow: NDArray[np.int64]  # [sets] LEADS, FOLLOWS or both
    start: NDArray[np.int64]  # [hands + 1]
    field_start: NDArray[np.int64]  # [hands, kinds] where the field of each kind begins, NONE for what a hand has not
    guard_bits: NDArray[np.uint64]  # [hands] the bits that stay free
    is_encodable: NDArray[np.bool_]  # [hands] whether a hand can be written as a number
    reachable_forms: NDArray[np.bool_]  # [n, forms] what may come to be beaten at a table
    column_of: NDArray[
        np.int64
    ]  # [hands, forms + 1] the column that says what it may lay on a form; the last: it leads
    allowed: NDArray[np.uint8]  # [forms, columns]

    def find(self, hand: int, form: int, cards: NDArray[np.uint8]) -> int:
        """Which of the sets of a hand is of this form and these cards, as in Moves; -1 for none."""
        fields = self.field_start[hand][cards[cards != NO_CARD]]
        if (fields < 0).any():
            return -1
        key = np.uint64((form << MARK_SHIFT) + sum(1 << field for field in fields.tolist()))
        mine = self.keys[self.start[hand] : self.start[hand + 1]]
        place = int(np.searchsorted(mine, key))
        return place if place < len(mine) and mine[place] == key else -1


def build_move_table(
    rules: CompiledGame, state: TableState, rows: Indices, hands: NDArray[np.uint8] | None = None
) -> HandMoveTable:
    """List the hands at tables [n], or hands [n, seats, kinds] that they are parts of."""
    every = state.hands[rows] if hands is None else hands
    seats = every.shape[1]
    unlike, number = _number_hands(every, state.fluents[rows])
    hand, origin = number.reshape(len(rows), seats), np.array(unlike, np.int64)
    flat, fluents = every.reshape(-1, every.shape[2])[origin], state.fluents[rows[origin // seats]]
    asker = _MoveTableBuilder(rules, flat, fluents, int(state.num_acts[rows].min()))
    to_beat = state.to_beat[rows]
    coming = np.zeros((len(rows), len(rules.forms)), np.bool_)
    coming[np.flatnonzero(to_beat != LEADING), to_beat[to_beat != LEADING]] = True
    while True:
        wanted = _pending_queries(hand, asker.playable, rules.forms.pass_form, coming, asker.column_of)
        if not wanted.any():
            return HandMoveTable(hand, *asker.encode(), coming, asker.column_of, asker.allowed)
        asker.query(*np.nonzero(wanted))


def _number_hands(hands: NDArray[np.uint8], fluents: NDArray[np.int16]) -> tuple[list[int], Indices]:
    """Where each hand, with what its table remembers, is met first; and the number of each [n * seats]."""
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    number = np.empty(len(hands) * hands.shape[1], np.int64)
    for table, remembered in enumerate(fluents):
        told = remembered.tobytes()
        for seat, cards in enumerate(hands[table]):
            place = table * hands.shape[1] + seat
            number[place] = numbers.setdefault(cards.tobytes() + told, len(first))
            if number[place] == len(first):
                first.append(place)
    return first, number


class _MoveTableBuilder:
    """Asks about hands, each in what its table remembers."""

    def __init__(self, rules: CompiledGame, hands: NDArray[np.uint8], fluents: NDArray[np.int16], acts: int) -> None:
        n, forms = len(hands), len(rules.forms)
        self.rules, self.hands, self.fluents, self.acts = rules, np.ascontiguousarray(hands), fluents, acts
        self.context = rules.contexts.compute_index(fluents)
        self.column_of = np.full((n, forms + 1), -1, np.int64)
        self.allowed = np.zeros((forms, 0), np.uint8)
        self.playable = np.zeros((n, forms), np.bool_)  # what each hand may ever lay down
        self.lead_decisions = self.query(np.arange(n), np.full(n, forms))

    def query(self, hand: Indices, form: Indices) -> Decisions:
        """What hands [n] may lay on forms [n]; the number after the last form is to lead."""
        forms = len(self.rules.forms)
        found = Decisions(self._view(hand, np.where(form == forms, LEADING, form)))
        allowed = _mark_legal(found.form_mask, found.legal_mask, self.rules.forms.label_of, hand, self.playable)
        self.column_of[hand, form] = self.allowed.shape[1] + np.arange(len(hand))
        self.allowed = np.concatenate([self.allowed, allowed], axis=1) if self.allowed.size else allowed
        return found

    def _view(self, hand: Indices, to_beat: Indices) -> PlayerView:
        rules, n = self.rules, len(hand)
        state = rules.create_state(n)
        state.hands[:, 0], state.fluents[:], state.num_acts[:] = self.hands[hand], self.fluents[hand], self.acts
        state.context[:] = self.context[hand]
        state.to_beat[:], state.owner[:] = to_beat, np.where(to_beat == LEADING, 0, 1)
        return PlayerView(rules, state, np.arange(n), state.seat.copy(), has_hand_sizes=False)

    def encode(self) -> tuple[NDArray[np.uint64], Indices, Indices, Indices, NDArray[np.uint64], NDArray[np.bool_]]:
        """The card sets of the hands, and how they are written; see HandMoveTable."""
        book, forms = self.rules.move_tables, self.rules.forms
        n = len(self.hands)
        alike = bool((book.allowed[:, 0] == book.allowed[:, 1]).all())
        leading = self.lead_decisions.moves()
        leads = np.ascontiguousarray(self.allowed[:, self.column_of[:, len(forms)]])
        follows, legal = _forms_to_follow(self.playable, leads, forms.label_of, len(self.rules.labels), alike)
        some = 1 if forms.pass_form == 0 else 0
        following = Decisions.with_masks(self._view(np.arange(n), np.full(n, some)), legal, follows).moves()
        begin, guard, bits = compute_fields(self.hands)
        flag = LEADS | FOLLOWS if alike else LEADS
        keys, when, start = encode_sets(begin, bits, *leading, *following, flag)
        return keys, when, start, begin, guard, bits <= MAX_HAND_BITS


@njit(cache=True, nogil=True)
def _mark_legal(allowed, legal, label_of, hand, reach):
    """[forms, n] which forms are legal; what hands [n] can lay down is noted in reach [hands, forms]."""
    found = np.empty(allowed.shape, np.uint8)
    for form in range(allowed.shape[0]):
        label = label_of[form]
        for row in range(allowed.shape[1]):
            found[form, row] = allowed[form, row] & legal[label, row]
            if found[form, row]:
                reach[hand[row], form] = True
    return found


@njit(cache=True, nogil=True)
def _pending_queries(hand, reach, passing, coming, row_of):
    """[hands, forms] who is still to be asked about what; what may come at the tables is noted in coming [n, forms]."""
    wanted = np.zeros(reach.shape, np.bool_)
    for table in range(len(hand)):
        for form in range(reach.shape[1]):
            for seat in range(hand.shape[1]):
                coming[table, form] |= reach[hand[table, seat], form]
            coming[table, form] &= form != passing
            if coming[table, form]:
                for seat in range(hand.shape[1]):
                    wanted[hand[table, seat], form] |= row_of[hand[table, seat], form] < 0
    return wanted


@njit(cache=True, nogil=True)
def _forms_to_follow(reach, leads, label_of, labels, alike):
    """[forms, hands] what to list of what each hand can lay down, and [labels, hands] their labels.

    Where leading and following is alike, what may be led is listed.
    """
    hands, forms = reach.shape
    follows, legal = np.zeros((forms, hands), np.uint8), np.zeros((labels, hands), np.uint8)
    for form in range(forms):
        for hand in range(hands):
            if reach[hand, form] and not (alike and leads[form, hand]):
                follows[form, hand] = 1
                legal[label_of[form], hand] = 1
    return follows, legal
