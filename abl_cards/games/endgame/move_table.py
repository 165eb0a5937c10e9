"""Table of the moves of hands, and of the plays they may follow, from the circuits and move lists of the engine.

Each distinct hand is listed once. A hand also serves its subsets, whose moves are those for which they have the cards.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.endgame.card_sets import FOLLOWS, LEADS, MARK_SHIFT, MAX_HAND_BITS, compute_fields, encode_sets
from abl_cards.games.state import TableState
from abl_cards.games.tables import Decisions, PlayerView
from abl_cards.games.types import LEADING, NO_CARD, Indices


@dataclass(frozen=True)
class HandMoveTable:
    """Moves of the distinct hands of n tables."""

    hand_id: NDArray[np.int64]  # [n, seats] index of each hand
    keys: NDArray[np.uint64]  # [sets] form and cards, sorted within each hand; none for hands that do not fit
    lead_follow: NDArray[np.int64]  # [sets] LEADS, FOLLOWS or both
    start: NDArray[np.int64]  # [hands + 1] start of each hand in keys
    field_start: NDArray[np.int64]  # [hands, kinds] first bit of each kind, NONE for kinds not held
    guard_bits: NDArray[np.uint64]  # [hands]
    is_encodable: NDArray[np.bool_]  # [hands] the hand fits in MAX_HAND_BITS
    reachable_forms: NDArray[np.bool_]  # [n, forms] forms that may come to be beaten at a table
    column_of: NDArray[np.int64]  # [hands, forms + 1] column of allowed for each form to beat, the last for leading
    allowed: NDArray[np.uint8]  # [forms, columns] 1 if the form may be played

    def find(self, hand: int, form: int, cards: NDArray[np.uint8]) -> int:
        """Find a card set of a hand.

        Args:
            hand: Index of the hand.
            form: Form of the set.
            cards: uint8 [max cards], cards as in ``Moves``.

        Returns:
            Index of the set among those of the hand, -1 if there is none.
        """
        fields = self.field_start[hand][cards[cards != NO_CARD]]
        if (fields < 0).any():
            return -1
        key = np.uint64((form << MARK_SHIFT) + sum(1 << field for field in fields.tolist()))
        hand_keys = self.keys[self.start[hand] : self.start[hand + 1]]
        index = int(np.searchsorted(hand_keys, key))
        return index if index < len(hand_keys) and hand_keys[index] == key else -1


def build_move_table(
    rules: CompiledGame, state: TableState, rows: Indices, hands: NDArray[np.uint8] | None = None
) -> HandMoveTable:
    """Build the table of the hands of some tables.

    Args:
        rules: Compiled rules.
        state: State of all tables.
        rows: int64 [n], tables.
        hands: uint8 [n, seats, kinds], supersets of the hands to list instead; None for the hands themselves.

    Returns:
        Table of the moves.
    """
    all_hands = state.hands[rows] if hands is None else hands
    seats = all_hands.shape[1]
    first_positions, hand_index = _number_hands(all_hands, state.fluents[rows])
    hand, origin = hand_index.reshape(len(rows), seats), np.array(first_positions, np.int64)
    flat, fluents = all_hands.reshape(-1, all_hands.shape[2])[origin], state.fluents[rows[origin // seats]]
    builder = _MoveTableBuilder(rules, flat, fluents, int(state.num_acts[rows].min()))
    to_beat = state.to_beat[rows]
    reachable = np.zeros((len(rows), len(rules.forms)), np.bool_)
    reachable[np.flatnonzero(to_beat != LEADING), to_beat[to_beat != LEADING]] = True
    while True:
        pending = _pending_queries(hand, builder.playable, rules.forms.pass_form, reachable, builder.column_of)
        if not pending.any():
            return HandMoveTable(hand, *builder.encode(), reachable, builder.column_of, builder.allowed)
        builder.query(*np.nonzero(pending))


def _number_hands(hands: NDArray[np.uint8], fluents: NDArray[np.int16]) -> tuple[list[int], Indices]:
    """Number distinct pairs of hand and fluents; return the first position of each, and the number of each position."""
    numbers: dict[bytes, int] = {}
    first_positions: list[int] = []
    hand_index = np.empty(len(hands) * hands.shape[1], np.int64)
    for table, table_fluents in enumerate(fluents):
        fluent_bytes = table_fluents.tobytes()
        for seat, cards in enumerate(hands[table]):
            position = table * hands.shape[1] + seat
            hand_index[position] = numbers.setdefault(cards.tobytes() + fluent_bytes, len(first_positions))
            if hand_index[position] == len(first_positions):
                first_positions.append(position)
    return first_positions, hand_index


class _MoveTableBuilder:
    """Evaluator of the moves of hands, each with the fluents of its table."""

    def __init__(self, rules: CompiledGame, hands: NDArray[np.uint8], fluents: NDArray[np.int16], acts: int) -> None:
        """Evaluate what each of hands [n, kinds] may lead."""
        n, forms = len(hands), len(rules.forms)
        self.rules, self.hands, self.fluents, self.acts = rules, np.ascontiguousarray(hands), fluents, acts
        self.context = rules.contexts.compute_index(fluents)
        self.column_of = np.full((n, forms + 1), -1, np.int64)
        self.allowed = np.zeros((forms, 0), np.uint8)
        self.playable = np.zeros((n, forms), np.bool_)  # forms that each hand may play in some situation
        self.lead_decisions = self.query(np.arange(n), np.full(n, forms))

    def query(self, hand: Indices, form: Indices) -> Decisions:
        """Evaluate what hands [n] may play on forms [n]; the index after the last form stands for leading."""
        forms = len(self.rules.forms)
        decisions = Decisions(self._view(hand, np.where(form == forms, LEADING, form)))
        allowed = _mark_legal(decisions.form_mask, decisions.legal_mask, self.rules.forms.label_of, hand, self.playable)
        self.column_of[hand, form] = self.allowed.shape[1] + np.arange(len(hand))
        self.allowed = np.concatenate([self.allowed, allowed], axis=1) if self.allowed.size else allowed
        return decisions

    def _view(self, hand: Indices, to_beat: Indices) -> PlayerView:
        """Make a view of hands [n] with forms to beat [n]."""
        rules, n = self.rules, len(hand)
        state = rules.create_state(n)
        state.hands[:, 0], state.fluents[:], state.num_acts[:] = self.hands[hand], self.fluents[hand], self.acts
        state.context[:] = self.context[hand]
        state.to_beat[:], state.owner[:] = to_beat, np.where(to_beat == LEADING, 0, 1)
        return PlayerView(rules, state, np.arange(n), state.seat.copy(), has_hand_sizes=False)

    def encode(self) -> tuple[NDArray[np.uint64], Indices, Indices, Indices, NDArray[np.uint64], NDArray[np.bool_]]:
        """Return the fields ``keys`` to ``is_encodable`` of ``HandMoveTable``."""
        move_tables, forms = self.rules.move_tables, self.rules.forms
        n = len(self.hands)
        is_alike = bool((move_tables.allowed[:, 0] == move_tables.allowed[:, 1]).all())
        lead_moves = self.lead_decisions.moves()
        leads = np.ascontiguousarray(self.allowed[:, self.column_of[:, len(forms)]])
        follows, legal = _forms_to_follow(self.playable, leads, forms.label_of, len(self.rules.labels), is_alike)
        any_play = 1 if forms.pass_form == 0 else 0
        follow_moves = Decisions.with_masks(self._view(np.arange(n), np.full(n, any_play)), legal, follows).moves()
        field_start, guard_bits, bits = compute_fields(self.hands)
        flag = LEADS | FOLLOWS if is_alike else LEADS
        keys, lead_follow, start = encode_sets(field_start, bits, *lead_moves, *follow_moves, flag)
        return keys, lead_follow, start, field_start, guard_bits, bits <= MAX_HAND_BITS


@kernel
def _mark_legal(allowed, legal, label_of, hand, reach):
    """Return the legal forms [forms, n], and set them for hands [n] in ``reach`` [hands, forms]."""
    is_legal = np.empty(allowed.shape, np.uint8)
    for form in range(allowed.shape[0]):
        label = label_of[form]
        for row in range(allowed.shape[1]):
            is_legal[form, row] = allowed[form, row] & legal[label, row]
            if is_legal[form, row]:
                reach[hand[row], form] = True
    return is_legal


@kernel
def _pending_queries(hand, reach, passing, coming, row_of):
    """Return the pairs [hands, forms] still to evaluate, and set the reachable forms in ``coming`` [n, forms]."""
    pending = np.zeros(reach.shape, np.bool_)
    for table in range(len(hand)):
        for form in range(reach.shape[1]):
            for seat in range(hand.shape[1]):
                coming[table, form] |= reach[hand[table, seat], form]
            coming[table, form] &= form != passing
            if coming[table, form]:
                for seat in range(hand.shape[1]):
                    pending[hand[table, seat], form] |= row_of[hand[table, seat], form] < 0
    return pending


@kernel
def _forms_to_follow(reach, leads, label_of, labels, alike):
    """Return the forms [forms, hands] to list beside the leads, and their labels [labels, hands].

    If form blocks allow the same kickers when leading and following (``alike``), forms that may be led are omitted.
    """
    hands, forms = reach.shape
    follows, legal = np.zeros((forms, hands), np.uint8), np.zeros((labels, hands), np.uint8)
    for form in range(forms):
        for hand in range(hands):
            if reach[hand, form] and not (alike and leads[form, hand]):
                follows[form, hand] = 1
                legal[label_of[form], hand] = 1
    return follows, legal
