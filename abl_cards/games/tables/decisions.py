"""Decisions about plays: legal labels, and the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import TooManyMovesError, map_ranges, scale_to_range_array
from abl_cards.games.compiled import check_nonempty, check_sampled, raise_too_many
from abl_cards.games.description import ColumnWriter, cards_from_counts
from abl_cards.games.moves import (
    ALL_LABELS,
    SCRATCH_SETS,
    MoveScratch,
    PackedScratch,
    can_reach_all,
    drop_unreachable_labels,
    enumerate_moves,
    enumerate_packed_moves,
    filter_card_sets,
    filter_labels,
    lookup_moves,
    max_kickers,
    new_packed_scratch,
    sample_card_sets,
    sample_lookup_moves,
    sample_required_sets,
    scratch_for,
)
from abl_cards.games.state import count_cards
from abl_cards.games.tables.decision_base import DecisionBase
from abl_cards.games.tables.knowledge import compute_log_odds
from abl_cards.games.tables.tricks import takes_trick
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import LEADING, MAX_CARD_SETS, Indices, MoveLists, Moves

_GUESSED_RESPONSES = 32  # expected card sets of a following seat; for a leading seat, the square of its cards
_MAX_GUESSED_CARDS = 60  # cards; lists of larger hands are allocated when their length is known
_MAX_LIST_BYTES = 1 << 30  # bytes of the card sets of several decisions
_MIN_DECISIONS_PER_THREAD = 64  # decisions with enumerated card sets that justify another thread


LabelSampler = Callable[[int, int, NDArray[np.int16]], None]
"""Function of ``lo, hi, labels`` that writes ``labels[lo:hi]``."""


class Decisions(DecisionBase):
    """Decisions about plays at n tables, each from the view of the seat to decide."""

    def __init__(self, view: PlayerView) -> None:
        """Wrap the view of the seats to decide."""
        super().__init__(view)
        self._move_query = view.rules.move_query
        self._cached_outputs: NDArray[np.uint8] | None = None

    @classmethod
    def with_masks(cls, view: PlayerView, legal_mask: NDArray[np.uint8], form_mask: NDArray[np.uint8]) -> Decisions:
        """Make decisions with given masks instead of circuit outputs.

        Args:
            view: View of the seats to decide.
            legal_mask: uint8 [labels, n], mask of legal labels.
            form_mask: uint8 [forms, n], mask of allowed forms.

        Returns:
            n decisions.
        """
        decisions = cls(view)
        decisions._move_query = view.rules.full_move_query
        decisions._cached_outputs = np.concatenate([legal_mask, form_mask])
        return decisions

    @property
    def column_writers(self) -> Mapping[str, ColumnWriter]:
        """Writers of circuit inputs by input group."""
        return self.view.column_writers

    @property
    def to_beat(self) -> NDArray[np.int16]:
        """Form to beat [n], ``LEADING`` if the seat leads."""
        return self.view.to_beat

    @property
    def context(self) -> NDArray[np.int16]:
        """Order context [n], which decides the order of the labels."""
        return self.view.context

    @property
    def _outputs(self) -> NDArray[np.uint8]:
        """Circuit outputs [rows, n]: labels, forms, required cards; computed when first read."""
        if self._cached_outputs is None:
            self._cached_outputs = self._move_query.query.evaluate(len(self.view), self.view.column_writers)
            self._drop_unreachable_labels()
        return self._cached_outputs

    def _drop_unreachable_labels(self) -> None:
        """Clear legal labels that have no card set with all required cards."""
        rows = self._restricted_rows
        if not rows.size:
            return
        if self._move_query.lookup is not None:
            self._drop_labels_by_lists(rows)
            return
        arguments = (
            self._move_query.move_tables,
            self.view.hand,
            self.view.context,
            self._leading,
            self._outputs,
            self.rules.label_kinds,
        )
        required, is_unsure = self._required, np.zeros(len(rows), np.bool_)
        map_ranges(len(rows), lambda lo, hi: drop_unreachable_labels(
            *arguments, rows, required, lo, hi, self._move_scratch(), *self._empty_moves(SCRATCH_SETS), is_unsure
        ), min_size=_MIN_DECISIONS_PER_THREAD)  # fmt: skip
        if is_unsure.any():
            self._drop_labels_by_lists(rows[is_unsure])

    def _drop_labels_by_lists(self, rows: NDArray[np.int64]) -> None:
        """Clear legal labels of rows [m] without a card set with all required cards, by listing all card sets."""
        required = self.required_cards.take(rows, axis=1)
        self.legal_mask[:, rows] &= can_reach_all(self.rules.label_kinds, required)
        lists = self.select(rows)._all_moves(np.full(len(rows), ALL_LABELS, np.int16))
        filter_labels(self.legal_mask, lists, self.rules.forms.label_of, required, rows)

    @cached_property
    def _leading(self) -> NDArray[np.int8]:
        """Role of the seat [n]: 1 if it leads, 0 if it follows."""
        return (self.to_beat < 0).astype(np.int8)

    @cached_property
    def _restricted_rows(self) -> NDArray[np.int64]:
        """Indices of the decisions with required cards."""
        includes = self.required_cards
        rows = [includes[kind] for kind in self._move_query.requirable_cards] if len(includes) else []
        return np.flatnonzero(np.logical_or.reduce(rows) if len(rows) != 1 else rows[0].view(np.bool_))

    @cached_property
    def _required(self) -> NDArray[np.uint8]:
        """Required cards [kinds, restricted rows]."""
        required, rows = (
            np.zeros((len(self.required_cards), len(self._restricted_rows)), np.uint8),
            self._restricted_rows,
        )
        for kind in self._move_query.requirable_cards:
            required[kind] = self.required_cards[kind, rows]
        return required

    def select(self, rows: NDArray[np.int64]) -> Decisions:
        """Return the decisions with these indices; circuit outputs that were computed are copied.

        Args:
            rows: int64 [m], indices of decisions.

        Returns:
            m decisions.
        """
        selected = Decisions(self.view.select(rows))
        selected._move_query = self._move_query
        selected._cached_outputs = (
            None if self._cached_outputs is None else np.ascontiguousarray(self._cached_outputs[:, rows])
        )
        return selected

    def past_decisions(
        self, rows: Indices, hands: NDArray[np.uint8]
    ) -> Iterator[tuple[Indices, Decisions, NDArray[np.int16]]]:
        """Reconstruct the last decisions of the other seats, given hypothetical hands.

        Args:
            rows: int64 [m], indices of decisions.
            hands: uint8 [m, others, kinds], hypothetical hands of the other seats now.

        Yields:
            For each past act: indices into ``rows`` [k], the k decisions of other seats, and the labels played [k].
            Nothing if the tables record no history.
        """
        if self.view.history is not None:
            for indices, state, label in self.view.history.past_decisions(self.view, rows, hands):
                yield (
                    indices,
                    Decisions(PlayerView(self.rules, state, np.arange(len(indices)), state.seat.copy())),
                    label,
                )

    def belief_log_odds(self) -> NDArray[np.float32]:
        """Return the change of log odds that the beliefs of the rules give each copy of a card.

        Returns:
            float32 [n, others, kinds], added to the log odds that the seat holds a copy.
        """
        return compute_log_odds(self.rules, self.view)

    def seat_text(self, row: int) -> str:
        """Name the seat to decide, for messages."""
        return f"seat {self.view.seats[row]}" if self.view.has_hand_sizes else "a seat"

    def state_text(self, row: int) -> str:
        """Describe the hand and the play to beat, for messages."""
        form = int(self.to_beat[row])
        turn = "leads" if form < 0 else f"to beat {self.rules.forms.forms[form].name}"
        return f"{turn}, hand {self.rules.card_codes.to_text(cards_from_counts(self.view.hand[row])) or 'empty'}"

    @property
    def legal_mask(self) -> NDArray[np.uint8]:
        """Mask of legal labels, uint8 [labels, n]."""
        return self._outputs[: len(self.rules.labels)]

    @property
    def form_mask(self) -> NDArray[np.uint8]:
        """Mask of the forms that the rules allow, uint8 [forms, n]."""
        return self._outputs[self._move_query.answer_rows]

    @property
    def required_cards(self) -> NDArray[np.uint8]:
        """Cards that a play must contain, uint8 [kinds, n]; [0, n] in games without such rules."""
        return self._outputs[self._move_query.first_card_row :]

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """Label of the play to beat [n], -1 if the seat leads."""
        return np.where(self.to_beat < 0, np.int16(LEADING), self.rules.forms.label_of[self.to_beat])

    @property
    def ranking(self) -> NDArray[np.int32]:
        """Rank of each label [n, labels] in the order from weak to strong."""
        return self.rules.label_ranking[self.context]

    def takes_trick(self, lists: MoveLists) -> NDArray[np.uint8]:
        """Return the moves that would take the trick in its present state.

        Args:
            lists: Moves of the n decisions.

        Returns:
            uint8 [moves], 1 where the seat to decide would take the trick; all 0 in games without tricks.
        """
        return takes_trick(self, lists)

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the label of each form.

        Args:
            form: int16 [any], forms.

        Returns:
            int16 [any], labels.
        """
        return self.rules.forms.label_of[form]

    def first_moves(self, labels: NDArray[np.int16]) -> Moves:
        """Return the first card set of one legal label for each decision.

        Args:
            labels: int16 [n], legal labels.

        Returns:
            n moves, the first of each label in the order of move lists.

        Raises:
            TypeError: If labels are no integers.
            ValueError: If a label is out of range or not legal.
            TableError: If the rules call a label legal for which the hand lacks the cards.
        """
        return self._choose_moves(labels, np.empty(0, np.uint64))

    def sample_moves(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """Draw a card set of one legal label for each decision, uniformly.

        Args:
            labels: int16 [n], legal labels.
            keys: uint64 [n], random keys.

        Returns:
            n moves.

        Raises:
            TypeError: If labels are no integers.
            ValueError: If a label is out of range or not legal.
            TableError: If the rules call a label legal for which the hand lacks the cards.
        """
        return self._choose_moves(labels, keys)

    def sample_labels_and_moves(self, sample_labels: LabelSampler, keys: NDArray[np.uint64]) -> Moves:
        """Draw a label and one of its card sets for each decision.

        Args:
            sample_labels: Function of ``lo, hi, labels`` that writes legal labels to ``labels[lo:hi]``; threads call it
                for disjoint ranges.
            keys: uint64 [n], random keys of the card sets.

        Returns:
            n moves.

        Raises:
            ValueError: If a label is out of range or not legal.
            TableError: If the rules call a label legal for which the hand lacks the cards.
        """
        labels = np.zeros(len(self.view), np.int16)
        return self._choose_moves(labels, keys, sample_labels)

    def try_sample_moves(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> tuple[Moves, NDArray[np.int64]]:
        """Draw a card set of one label for each decision, without error if there is none.

        Args:
            labels: int16 [n], any labels.
            keys: uint64 [n], random keys.

        Returns:
            n moves, and int64 [n] the number of card sets of each label; a move is undefined where it is 0.

        Raises:
            TypeError: If labels are no integers.
            ValueError: If a label is out of range.
        """
        return self._sample_card_sets(self._checked_labels(labels), keys)

    def _choose_moves(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], sample_labels: LabelSampler | None = None
    ) -> Moves:
        """Draw a card set for each label, or the first without keys; raise where there is none."""
        if sample_labels is None:
            labels = self._checked_labels(labels)
        moves, num_found = self._sample_card_sets(labels, keys, sample_labels)
        if self._restricted_rows.size:
            self._choose_required_moves(labels, keys, moves, num_found)
        if (num_found == 0).any():
            labels, row = self._checked_labels(labels), int((num_found == 0).argmax())
            if labels[row] >= 0 and not self.legal_mask[labels[row], row] and self.legal_mask[:, row].any():
                raise ValueError(f"{self.rules.label_texts[labels[row]]} is not legal here ({self.state_text(row)})")
            check_sampled(self.rules.kb, -(num_found == 0).astype(np.int16), labels, self.rules.label_texts, self)
        return moves

    def _choose_required_moves(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], moves: Moves, num_found: NDArray[np.int64]
    ) -> None:
        """Replace moves of decisions with required cards by a draw among the card sets that have them."""
        rows = self._restricted_rows
        if self._move_query.lookup is None:
            arguments = (
                self._move_query.move_tables,
                self.view.hand,
                self.view.context,
                self._leading,
                labels[rows],
                self.legal_mask,
            )
            required = self._required
            map_ranges(len(rows), lambda lo, hi: sample_required_sets(
                *arguments, self._outputs, keys, rows, required, lo, hi, self._move_scratch(),
                *self._empty_moves(SCRATCH_SETS), *moves, num_found
            ), min_size=_MIN_DECISIONS_PER_THREAD)  # fmt: skip
            rows = rows[num_found[rows] < 0]
            if not rows.size:
                return
        lists = self.select(rows).moves(labels[rows])
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

    def _sample_card_sets(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], sample_labels: LabelSampler | None = None
    ) -> tuple[Moves, NDArray[np.int64]]:
        """Draw card sets of labels [n], which ``sample_labels`` draws first if given; also return their number [n]."""
        n, view, query, outputs, leading = len(self.view), self.view, self._move_query, self._outputs, self._leading
        moves, num_found = self._empty_moves(n), np.zeros(n, np.int64)

        def sample(lo: int, hi: int) -> None:
            if sample_labels is not None:
                sample_labels(lo, hi, labels)
            arguments = labels, outputs, keys, lo, hi, *moves
            if query.lookup is not None:
                sample_lookup_moves(query.lookup, query.answer_rows, view.hand, view.context, *arguments, num_found)
            else:
                sample_card_sets(
                    query.move_tables, view.hand, view.context, leading, *arguments, self._move_scratch(), num_found
                )

        map_ranges(n, sample)
        return moves, num_found

    def _checked_labels(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """Convert labels [n] to int16; raise TypeError or ValueError for invalid ones.

        Where no label is legal, any label becomes -1, so that the rules are reported instead of the label.
        """
        values, num_labels = np.asarray(labels), len(self.rules.labels)
        if values.dtype.kind not in "iu":
            raise TypeError(f"labels are whole numbers, not {values.dtype}")
        if values.shape == (len(self.view),):
            if -1 <= values.min(initial=0) <= values.max(initial=0) < num_labels:
                return values.astype(np.int16, copy=False)
            is_invalid = (values < 0) | (values >= num_labels)
            if not self.legal_mask[:, is_invalid].any():
                return np.where(is_invalid, -1, values).astype(np.int16)
        raise ValueError(f"labels [{len(self.view)}] are numbers from 0 to {num_labels - 1}")

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """List legal card sets.

        Args:
            labels: int16 [n], the label to list for each decision; None for all legal labels.

        Returns:
            Card sets in the order of move lists.

        Raises:
            TableError: If a decision has no or too many card sets.
            TooManyMovesError: If the card sets of all decisions together exceed 1 GiB; list fewer decisions at a time.
        """
        all_labels = np.full(len(self.view), ALL_LABELS, np.int16)
        lists = self._all_moves(all_labels if labels is None else self._checked_labels(labels))
        if self._restricted_rows.size:
            lists = filter_card_sets(lists, self.required_cards, self._restricted_rows)
        if labels is None and self.view.has_hand_sizes:
            check_nonempty(self.rules.kb, lists.start, self)
        return lists

    def _all_moves(self, labels: NDArray[np.int16]) -> MoveLists:
        """List the card sets of labels [n], regardless of required cards."""
        n = len(self.view)
        hand_sizes = np.minimum(count_cards(self.view.hand).astype(np.int64), _MAX_GUESSED_CARDS)
        all_sizes = np.where(self.to_beat < 0, hand_sizes**2 * 5 // 4, _GUESSED_RESPONSES)
        capacities = np.where(labels == ALL_LABELS, all_sizes, hand_sizes)
        shares = map_ranges(n, lambda lo, hi: self._list(labels, lo, hi, int(capacities[lo:hi].sum())))
        lengths = np.concatenate([np.diff(share.start) for share in shares])
        return MoveLists(
            np.concatenate([[0], lengths.cumsum()]),
            np.concatenate([share.form for share in shares]),
            np.concatenate([share.cards for share in shares]),
        )

    def _list(self, labels: NDArray[np.int16], lo: int, hi: int, capacity: int) -> MoveLists:
        """List the card sets of decisions lo..hi-1, twice if they exceed the capacity at first."""
        start = np.zeros(hi + 1, np.int64)
        while True:
            moves = self._empty_moves(capacity)
            num_sets = self._fill(labels, lo, hi, start, moves)
            if num_sets <= capacity:
                self._check_list_sizes(labels, lo, start[lo:])
                return MoveLists(start[lo:], moves.form[:num_sets], moves.cards[:num_sets])
            self._check_list_sizes(labels, lo, start[lo:])
            capacity = num_sets

    def _fill(self, labels: NDArray[np.int16], lo: int, hi: int, start: NDArray[np.int64], moves: Moves) -> int:
        """Write the card sets of labels [n] of decisions lo..hi-1 that fit; return their number.

        ``start`` [hi + 1] is filled from lo + 1 on.
        """
        view, packed = self.view, self._move_query.packed
        arguments = (
            view.hand,
            view.context,
            self._leading,
            labels,
            self.legal_mask,
            self._outputs,
            lo,
            hi,
            start,
            *moves,
        )
        if (lookup := self._move_query.lookup) is not None:
            return int(lookup_moves(lookup, self._move_query.answer_rows, *arguments[:2], *arguments[3:]))
        if packed is None:
            return int(enumerate_moves(self._move_query.move_tables, *arguments, self._move_scratch()))
        return int(enumerate_packed_moves(packed, *arguments, self._packed_scratch()))

    def _check_list_sizes(self, labels: NDArray[np.int16], lo: int, start: NDArray[np.int64]) -> None:
        """Raise TableError if a decision has too many card sets, TooManyMovesError if all together have."""
        is_too_long = np.diff(start) > MAX_CARD_SETS
        if is_too_long.any():
            self._raise_too_many(labels, lo + int(is_too_long.argmax()))
        list_bytes = int(start[-1] - start[0]) * (self.rules.forms.max_cards + 2)
        if list_bytes > _MAX_LIST_BYTES and len(is_too_long) > 1:
            raise TooManyMovesError(
                f"{int(start[-1] - start[0]):,} card sets of {len(is_too_long):,} decisions are too many to list at "
                "once: list those of fewer decisions"
            )

    def _raise_too_many(self, labels: NDArray[np.int16], row: int) -> None:
        """Raise TableError for a decision of too many card sets, with the most frequent label of the first ones."""
        decision, moves = self.select(np.array([row])), self._empty_moves(MAX_CARD_SETS)
        decision._fill(labels[[row]], 0, 1, np.zeros(2, np.int64), moves)
        label = self.rules.label_texts[np.bincount(self.labels_of(moves.form)).argmax()]
        raise_too_many(self.rules.kb, np.ones(1, np.bool_), label, decision)

    def _empty_moves(self, n: int) -> Moves:
        """Allocate n moves."""
        return Moves(np.empty(n, np.int16), np.empty((n, self.rules.forms.max_cards), np.uint8))

    def _packed_scratch(self) -> PackedScratch:
        """Allocate buffers of the packed kernels."""
        move_tables = self.rules.move_tables
        return new_packed_scratch(len(move_tables.slot_kind), self.rules.forms.max_cards, max_kickers(move_tables))

    def _move_scratch(self) -> MoveScratch:
        """Return the buffers of this thread."""
        return scratch_for(self.rules.move_tables, self.rules.forms.max_cards)
