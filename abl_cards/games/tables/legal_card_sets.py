"""Legal labels at tables, and the kernels that list or draw the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import PackedOutputs
from abl_cards.core import TooManyMovesError, map_ranges, scale_to_range_array
from abl_cards.games.compiled import CompiledGame, MoveQuery, raise_too_many
from abl_cards.games.moves import (
    ALL_LABELS,
    SCRATCH_SETS,
    MoveScratch,
    MoveTables,
    PackedScratch,
    can_reach_all,
    drop_unreachable_labels,
    enumerate_moves,
    enumerate_packed_moves,
    filter_card_sets,
    filter_labels,
    find_extensions,
    lookup_moves,
    new_packed_scratch,
    sample_card_sets,
    sample_lookup_moves,
    sample_required_sets,
    scratch_for,
    unpack_label_forms,
)
from abl_cards.games.state import count_cards
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import MAX_CARD_SETS, MoveLists, Moves, count_move_cards, join_lists

_GUESSED_RESPONSES = 32  # expected card sets of a following seat; for a leading seat, the square of its cards
_MAX_GUESSED_CARDS = 60  # cards; lists of larger hands are allocated when their length is known
_MAX_LIST_BYTES = 1 << 30  # bytes of the card sets of several decisions
_UNPACKED_DECISIONS = 256  # decisions for which the answers of drawn labels are unpacked at a time
_MAX_LISTED = 1 << 12  # card sets of a decision that are listed to find the cards that can be added to chosen ones
_MIN_DECISIONS_PER_THREAD = 64  # decisions with enumerated card sets that justify another thread


_Bounds = tuple[np.int64, np.int64]
"""Most card sets of a decision to list, and 1 to leave out those that differ from an earlier one in suits only."""

LabelSampler = Callable[[int, int, NDArray[np.int16]], None]
"""Function of ``lo, hi, labels`` that writes ``labels[lo:hi]``."""


@dataclass(frozen=True)
class _PartialOutputs:
    """Circuit outputs of n decisions, those for forms packed.

    Attributes:
        labels_and_cards: uint8 [labels + cards, n], mask of legal labels, and required cards.
        forms: Outputs for forms that are not allowed exactly where their label is legal.
    """

    labels_and_cards: NDArray[np.uint8]
    forms: PackedOutputs

    def select(self, rows: NDArray[np.int64]) -> _PartialOutputs:
        """Return the outputs of some decisions."""
        return _PartialOutputs(np.ascontiguousarray(self.labels_and_cards[:, rows]), self.forms.select(rows))

    def unpack(self, num_labels: int) -> NDArray[np.uint8]:
        """Return all outputs [rows, n]: labels, forms, required cards."""
        labels, cards = np.split(self.labels_and_cards, [num_labels])
        return np.concatenate([labels, self.forms.unpack(), cards])


class LegalCardSets:
    """Circuit outputs of n decisions about plays, and the card sets that realise their legal labels."""

    def __init__(
        self,
        view: PlayerView,
        query: MoveQuery,
        outputs: NDArray[np.uint8] | None = None,
        partial: _PartialOutputs | None = None,
    ) -> None:
        """Make the card sets of decisions.

        Args:
            view: View of the seats to decide.
            query: Query of legal labels and allowed forms.
            outputs: uint8 [rows, n], its outputs; None to compute them when they are first read.
            partial: Its outputs, those for forms packed, in games with very many forms.
        """
        self.view, self.query, self._known_outputs, self._partial = view, query, outputs, partial

    @property
    def rules(self) -> CompiledGame:
        """Compiled rules of the game."""
        return self.view.rules

    def select(self, rows: NDArray[np.int64]) -> LegalCardSets:
        """Return the card sets of some decisions; circuit outputs that were computed are copied.

        Args:
            rows: int64 [m], indices of decisions.

        Returns:
            Card sets of m decisions.
        """
        known = self._known_outputs
        outputs = None if known is None else np.ascontiguousarray(known[:, rows])
        partial = None if self._partial is None else self._partial.select(rows)
        return LegalCardSets(self.view.select(rows), self.query, outputs, partial)

    @property
    def legal_mask(self) -> NDArray[np.uint8]:
        """Mask of legal labels, uint8 [labels, n]."""
        return self._labels_and_cards[: len(self.rules.labels)]

    @property
    def form_mask(self) -> NDArray[np.uint8]:
        """Mask of the forms that the rules allow, uint8 [forms, n]."""
        return self.outputs[self.query.answer_rows]

    @property
    def required_cards(self) -> NDArray[np.uint8]:
        """Cards that a play must contain, uint8 [kinds, n]; [0, n] in games without such rules."""
        outputs = self._labels_and_cards
        return outputs[len(self.rules.labels) if self._known_outputs is None else self.query.first_card_row :]

    @property
    def outputs(self) -> NDArray[np.uint8]:
        """Circuit outputs [rows, n]: labels, forms, required cards; computed when first read."""
        if self._known_outputs is None:
            self._evaluate()
        if self._known_outputs is None:
            assert self._partial
            self._known_outputs, self._partial = self._partial.unpack(len(self.rules.labels)), None
        return self._known_outputs

    @property
    def _labels_and_cards(self) -> NDArray[np.uint8]:
        """Circuit outputs [rows, n], those for forms left out if they are packed."""
        if self._known_outputs is None and self._partial is None:
            self._evaluate()
        if self._known_outputs is not None:
            return self._known_outputs
        assert self._partial
        return self._partial.labels_and_cards

    def _evaluate(self) -> None:
        """Compute the circuit outputs, those for forms packed in games with very many."""
        if self._partial is not None:
            return
        query, size = self.query.query, len(self.view)
        if self.query.label_forms is None:
            self._known_outputs = query.evaluate(size, self.view.column_writers)
        else:
            forms = slice(len(self.rules.labels), self.query.first_card_row)
            self._partial = _PartialOutputs(*query.evaluate_packed(size, self.view.column_writers, forms))
        self._drop_unreachable_labels()

    def _drop_unreachable_labels(self) -> None:
        """Clear legal labels that have no card set with all required cards."""
        rows = self.restricted_rows
        if not rows.size:
            return
        if self.query.lookup is not None:
            _drop_labels_by_lists(self, rows)
            return
        required, is_unsure = self._required, np.zeros(len(rows), np.bool_)
        arguments = *self._kernel_inputs, self.outputs, self.rules.label_kinds, rows, required
        map_ranges(len(rows), lambda lo, hi: drop_unreachable_labels(
            *arguments, lo, hi, self._move_scratch(), *self._empty_moves(SCRATCH_SETS), is_unsure
        ), min_size=_MIN_DECISIONS_PER_THREAD)  # fmt: skip
        if is_unsure.any():
            _drop_labels_by_lists(self, rows[is_unsure])

    @cached_property
    def _leading(self) -> NDArray[np.int8]:
        """Role of the seat [n]: 1 if it leads, 0 if it follows."""
        return (self.view.to_beat < 0).astype(np.int8)

    @property
    def _kernel_inputs(self) -> tuple[MoveTables, NDArray[np.uint8], NDArray[np.int16], NDArray[np.int8]]:
        """First arguments of the kernels: tables, hands, order contexts, roles."""
        return self.query.move_tables, self.view.hand, self.view.context, self._leading

    @cached_property
    def restricted_rows(self) -> NDArray[np.int64]:
        """Indices of the decisions with required cards."""
        includes = self.required_cards
        rows = [includes[kind] for kind in self.query.requirable_cards] if len(includes) else []
        return np.flatnonzero(np.logical_or.reduce(rows) if len(rows) != 1 else rows[0].view(np.bool_))

    @cached_property
    def _required(self) -> NDArray[np.uint8]:
        """Required cards [kinds, restricted rows]."""
        rows = self.restricted_rows
        required = np.zeros((len(self.required_cards), len(rows)), np.uint8)
        for kind in self.query.requirable_cards:
            required[kind] = self.required_cards[kind, rows]
        return required

    def draw_required(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], moves: Moves, num_found: NDArray[np.int64]
    ) -> None:
        """Replace moves of decisions with required cards by a draw among the card sets that have them."""
        rows = self.restricted_rows
        if self.query.lookup is None:
            arguments = (
                *self._kernel_inputs, labels[rows], self.legal_mask, self.outputs, keys, rows, self._required
            )  # fmt: skip
            map_ranges(len(rows), lambda lo, hi: sample_required_sets(
                *arguments, lo, hi, self._move_scratch(),
                *self._empty_moves(SCRATCH_SETS), *moves, num_found
            ), min_size=_MIN_DECISIONS_PER_THREAD)  # fmt: skip
            rows = rows[num_found[rows] < 0]
            if not rows.size:
                return
        lists = self.select(rows).list_legal(labels[rows])
        num_found[rows] = np.diff(lists.start)
        has_moves = num_found[rows] > 0
        chosen_rows = rows[has_moves]
        offset = (
            scale_to_range_array(keys[chosen_rows], num_found[chosen_rows])
            if len(keys)
            else np.zeros(len(chosen_rows), np.int64)
        )
        chosen = lists.start[:-1][has_moves] + offset
        moves.form[chosen_rows], moves.cards[chosen_rows] = lists.form[chosen], lists.cards[chosen]

    def draw(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], sample_labels: LabelSampler | None = None
    ) -> tuple[Moves, NDArray[np.int64]]:
        """Draw card sets of labels [n], which ``sample_labels`` draws first if given; also return their number [n]."""
        n, query, inputs, _ = len(self.view), self.query, self._kernel_inputs, self._labels_and_cards
        moves, num_found = self._empty_moves(n), np.zeros(n, np.int64)
        outputs = self.outputs if self._partial is None else None

        def sample(lo: int, hi: int) -> None:
            if sample_labels is not None:
                _draw_labels(self, sample_labels, lo, hi, labels)
            if outputs is None:
                _draw_packed(self, labels, keys, lo, hi, moves, num_found)
                return
            arguments = labels, outputs, keys, lo, hi, *moves
            if query.lookup is not None:
                sample_lookup_moves(query.lookup, query.answer_rows, *inputs[1:3], *arguments, num_found)
            else:
                sample_card_sets(*inputs, *arguments, self._move_scratch(), num_found)

        map_ranges(n, sample)
        return moves, num_found

    def list_legal(self, labels: NDArray[np.int16]) -> MoveLists:
        """List the card sets of labels [n] that have all required cards."""
        lists = self.list_all(labels)
        self._check_list_sizes(labels, lists.start)
        if self.restricted_rows.size:
            lists = filter_card_sets(lists, self.required_cards, self.restricted_rows)
        return lists

    def list_first(
        self, labels: NDArray[np.int16], limit: int, hands: NDArray[np.uint8] | None = None, one_per_rank: bool = False
    ) -> tuple[MoveLists, NDArray[np.bool_]]:
        """List the first card sets of labels [n] that have all required cards.

        Args:
            labels: int16 [n], the label to list for each decision, or ``ALL_LABELS``.
            limit: Largest number of card sets of a decision.
            hands: uint8 [n, kinds], cards of the hands that the card sets may use; None for all.
            one_per_rank: Leave out card sets that differ from an earlier one in suits only, see ``enumerate_moves``.

        Returns:
            The card sets, and bool [n]: True for decisions that have more.
        """
        lists, is_cut = _keep_first(self.list_all(labels, limit, hands, one_per_rank), limit)
        if self.restricted_rows.size:
            lists = filter_card_sets(lists, self.required_cards, self.restricted_rows)
        return lists, is_cut

    def addable_cards(self, labels: NDArray[np.int16], chosen: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Find the cards that can be added to chosen cards [n, kinds]: bool [n, kinds], see ``Decisions``."""
        lists, is_cut = self.list_first(labels, _MAX_LISTED)
        addable = np.zeros(chosen.shape, np.bool_)
        for row in range(len(chosen)):
            if is_cut[row]:
                addable[row] = self.find_extensions(row, int(labels[row]), chosen[row])
                continue
            counts = count_move_cards(lists.cards[lists.start[row] : lists.start[row + 1]], chosen.shape[1])
            addable[row] = (counts[(counts >= chosen[row]).all(axis=1)] > chosen[row]).any(axis=0)
        return addable

    def find_extensions(self, row: int, label: int, chosen: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Find the cards that can be added to chosen cards of a decision, without listing card sets.

        Args:
            row: Index of the decision.
            label: The label to complete, or ``ALL_LABELS``.
            chosen: uint8 [kinds], cards chosen so far.

        Returns:
            bool [kinds], see ``moves.completions``.
        """
        legal, view = self.legal_mask[:, row], self.view
        if label != ALL_LABELS:
            legal = np.where(np.arange(len(legal)) == label, legal, np.uint8(0))
        return find_extensions(
            self.query.move_tables, view.hand[row], chosen, int(view.context[row]), bool(view.to_beat[row] < 0),
            legal, self.outputs[:, row],
        )  # fmt: skip

    def list_all(
        self, labels: NDArray[np.int16], limit: int = MAX_CARD_SETS, hands: NDArray[np.uint8] | None = None,
        one_per_rank: bool = False,
    ) -> MoveLists:  # fmt: skip
        """List the card sets of labels [n], regardless of required cards; a decision with more ends above the limit."""
        bounds = np.int64(limit), np.int64(one_per_rank and not self.restricted_rows.size)
        n, hands = len(self.view), self.view.hand if hands is None else hands
        hand_sizes = np.minimum(count_cards(hands).astype(np.int64), _MAX_GUESSED_CARDS)
        all_sizes = np.where(self.view.to_beat < 0, hand_sizes**2 * 5 // 4, _GUESSED_RESPONSES)
        capacities = np.where(labels == ALL_LABELS, all_sizes, hand_sizes)
        shares = map_ranges(n, lambda lo, hi: self._list(labels, bounds, hands, lo, hi, int(capacities[lo:hi].sum())))
        return join_lists(shares)

    def _list(
        self, labels: NDArray[np.int16], bounds: _Bounds, hands: NDArray[np.uint8], lo: int, hi: int, capacity: int
    ) -> MoveLists:
        """List the card sets of decisions lo..hi-1, twice if they exceed the capacity at first."""
        start = np.zeros(hi + 1, np.int64)
        while True:
            moves = self._empty_moves(capacity)
            num_sets = self._fill(labels, bounds, hands, lo, hi, start, moves)
            _check_total_size(self.rules, start[lo:])
            if num_sets <= capacity:
                return MoveLists(start[lo:], moves.form[:num_sets], moves.cards[:num_sets])
            capacity = num_sets

    def _fill(
        self, labels: NDArray[np.int16], bounds: _Bounds, hands: NDArray[np.uint8], lo: int, hi: int,
        start: NDArray[np.int64], moves: Moves,
    ) -> int:  # fmt: skip
        """Write the card sets of labels [n] of decisions lo..hi-1 that fit; return their number.

        ``start`` [hi + 1] is filled from lo + 1 on. A decision with more card sets than the limit ends above it.
        """
        query, context = self.query, self.view.context
        arguments = labels, self.legal_mask, self.outputs, lo, hi
        if query.lookup is not None:
            return int(lookup_moves(query.lookup, query.answer_rows, hands, context, *arguments, start, *moves))
        inputs = hands, context, self._leading, *arguments, *bounds, start, *moves
        if query.packed is None:
            return int(enumerate_moves(query.move_tables, *inputs, self._move_scratch()))
        packed_inputs = hands, context, self._leading, *arguments, bounds[0], start, *moves
        return int(enumerate_packed_moves(query.packed, *packed_inputs, _packed_scratch(self.rules)))

    def _check_list_sizes(self, labels: NDArray[np.int16], start: NDArray[np.int64]) -> None:
        """Raise TableError if a decision has too many card sets, and name the most frequent label of the first ones."""
        is_too_long = np.diff(start) > MAX_CARD_SETS
        if is_too_long.any():
            row = int(is_too_long.argmax())
            selected, moves = self.select(np.array([row])), self._empty_moves(MAX_CARD_SETS)
            bounds = np.int64(MAX_CARD_SETS), np.int64(0)
            selected._fill(labels[[row]], bounds, selected.view.hand, 0, 1, np.zeros(2, np.int64), moves)
            label = self.rules.label_texts[np.bincount(self.rules.forms.label_of[moves.form]).argmax()]
            raise_too_many(self.rules.kb, np.ones(1, np.bool_), label, selected.view)

    def _empty_moves(self, n: int) -> Moves:
        """Allocate n moves."""
        return Moves(np.empty(n, np.int16), np.empty((n, self.rules.forms.max_cards), np.uint8))

    def _move_scratch(self) -> MoveScratch:
        """Return the buffers of this thread."""
        return scratch_for(self.rules.move_tables, self.rules.forms.max_cards)


def _keep_first(lists: MoveLists, limit: int) -> tuple[MoveLists, NDArray[np.bool_]]:
    """Keep the first card sets of each decision; also return bool [n], True for decisions that had more."""
    lengths = np.diff(lists.start)
    is_cut: NDArray[np.bool_] = lengths > limit
    if not is_cut.any():
        return lists, is_cut
    keep = np.arange(len(lists.form)) - np.repeat(lists.start[:-1], lengths) < limit
    start = np.concatenate([[0], np.minimum(lengths, limit).cumsum()])
    return MoveLists(start, lists.form[keep], lists.cards[keep]), is_cut


def _draw_labels(card_sets: LegalCardSets, sample: LabelSampler, lo: int, hi: int, labels: NDArray[np.int16]) -> None:
    """Draw labels ``lo..hi-1``, and check them, since kernels read masks there."""
    sample(lo, hi, labels)
    labels[lo:hi] = check_labels(card_sets, labels[lo:hi], lo)


def check_labels(card_sets: LegalCardSets, labels: NDArray[np.integer], first: int = 0) -> NDArray[np.int16]:
    """Return labels as int16, those that do not exist as -1 where none is legal: the rules are at fault there.

    Args:
        card_sets: Legal card sets of decisions.
        labels: int [n], labels of n of the decisions.
        first: First of these decisions.

    Raises:
        ValueError: A label does not exist, and others are legal.
    """
    num_labels = len(card_sets.rules.labels)
    if 0 <= labels.min(initial=0) <= labels.max(initial=0) < num_labels:
        return labels.astype(np.int16, copy=False)
    is_invalid = (labels < 0) | (labels >= num_labels)
    if card_sets.legal_mask[:, first : first + len(labels)][:, is_invalid].any():
        raise ValueError(f"labels [{len(labels)}] are numbers from 0 to {num_labels - 1}")
    return np.where(is_invalid, -1, labels).astype(np.int16)


def _draw_packed(
    card_sets: LegalCardSets, labels: NDArray[np.int16], keys: NDArray[np.uint64], lo: int, hi: int, moves: Moves,
    num_found: NDArray[np.int64],
) -> None:  # fmt: skip
    """Draw card sets of labels ``lo..hi-1``, and unpack the answers only for the forms of these labels."""
    forms, partial = card_sets.query.label_forms, card_sets._partial
    assert forms
    assert partial
    _, hands, contexts, leading = card_sets._kernel_inputs
    allowed = np.empty((forms.max_forms, min(_UNPACKED_DECISIONS, hi - lo)), np.uint8)
    scratch, legal_mask = card_sets._move_scratch(), card_sets.legal_mask
    for first in range(lo, hi, _UNPACKED_DECISIONS):
        part = slice(first, min(hi, first + _UNPACKED_DECISIONS))
        unpack_label_forms(
            forms.answer_rows, forms.first_form, labels[part], legal_mask[:, part], partial.forms.bits,
            partial.forms.position[part], allowed,
        )  # fmt: skip
        sample_card_sets(
            forms.move_tables, hands[part], contexts[part], leading[part], labels[part], allowed, keys[part],
            0, part.stop - part.start, moves.form[part], moves.cards[part], scratch, num_found[part],
        )  # fmt: skip


def _check_total_size(rules: CompiledGame, start: NDArray[np.int64]) -> None:
    """Raise TooManyMovesError if the card sets of several decisions are too many to hold."""
    list_bytes = int(start[-1] - start[0]) * (rules.forms.max_cards + 2)
    if list_bytes > _MAX_LIST_BYTES and len(start) > 2:
        raise TooManyMovesError(
            f"{int(start[-1] - start[0]):,} card sets of {len(start) - 1:,} decisions are too many to list at "
            "once: list those of fewer decisions"
        )


def _packed_scratch(rules: CompiledGame) -> PackedScratch:
    """Allocate buffers of the packed kernels."""
    move_tables = rules.move_tables
    return new_packed_scratch(len(move_tables.slot_kind), rules.forms.max_cards, move_tables.max_kickers)


def _drop_labels_by_lists(card_sets: LegalCardSets, rows: NDArray[np.int64]) -> None:
    """Clear legal labels of rows [m] without a card set with all required cards, by listing all card sets."""
    required = card_sets.required_cards.take(rows, axis=1)
    card_sets.legal_mask[:, rows] &= can_reach_all(card_sets.rules.label_kinds, required)
    selected, labels = card_sets.select(rows), np.full(len(rows), ALL_LABELS, np.int16)
    lists = selected.list_all(labels)
    selected._check_list_sizes(labels, lists.start)
    filter_labels(card_sets.legal_mask, lists, card_sets.rules.forms.label_of, required, rows)
