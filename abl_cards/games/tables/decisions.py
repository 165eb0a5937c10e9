"""Plays to decide: the legal labels, and the card sets that realise them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import TooManyMovesError, map_ranges, scale_to_range_array
from abl_cards.games.binding import ColumnWriter
from abl_cards.games.compiled import check_nonempty, check_sampled, raise_too_many
from abl_cards.games.description import cards_from_counts
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
    sample_packed_moves,
    sample_required_sets,
    scratch_for,
)
from abl_cards.games.state import count_cards
from abl_cards.games.tables.decision_base import DecisionBase
from abl_cards.games.tables.knowledge import compute_log_odds
from abl_cards.games.tables.tricks import takes_trick
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import LEADING, MAX_CARD_SETS, Indices, MoveLists, Moves

_GUESSED_RESPONSES = (
    32  # a guess at how many card sets follow a play; leading, it is about the square of the cards held
)
_MAX_GUESSED_CARDS = 60  # cards: a list for more is allocated when it is known how long it is
_MAX_LIST_BYTES = 1 << 30  # of the card sets of several decisions
_MIN_DECISIONS_PER_THREAD = 64  # decisions whose cards are walked that are worth a thread


LabelSampler = Callable[[int, int, NDArray[np.int16]], None]
"""Writes labels [n] of some decisions."""


class Decisions(DecisionBase):
    """The plays to decide at n tables, from the eyes of the seats that decide."""

    def __init__(self, view: PlayerView) -> None:
        """What these seats see."""
        super().__init__(view)
        self._move_query = view.rules.move_query
        self._cached_outputs: NDArray[np.uint8] | None = None

    @classmethod
    def with_masks(cls, view: PlayerView, legal_mask: NDArray[np.uint8], form_mask: NDArray[np.uint8]) -> Decisions:
        """Decisions of which somebody says what is legal: labels [labels, n] and forms [forms, n]."""
        decisions = cls(view)
        decisions._move_query = view.rules.full_move_query
        decisions._cached_outputs = np.concatenate([legal_mask, form_mask])
        return decisions

    @property
    def column_writers(self) -> Mapping[str, ColumnWriter]:
        """What fills each group of columns."""
        return self.view.column_writers

    @property
    def to_beat(self) -> NDArray[np.int16]:
        """[n] form, or LEADING."""
        return self.view.to_beat

    @property
    def context(self) -> NDArray[np.int16]:
        """[n] what the order of the labels depends on."""
        return self.view.context

    @property
    def _outputs(self) -> NDArray[np.uint8]:
        if self._cached_outputs is None:
            self._cached_outputs = self._move_query.query.evaluate(len(self.view), self.view.column_writers)
            self._drop_unreachable_labels()
        return self._cached_outputs

    def _drop_unreachable_labels(self) -> None:
        """Where a card must be among those laid down, labels that cannot hold it are not legal."""
        rows = self._restricted_rows
        if not rows.size:
            return
        if self._move_query.lookup is not None:
            self._drop_labels_by_lists(rows)
            return
        told = (
            self._move_query.move_tables,
            self.view.hand,
            self.view.context,
            self._leading,
            self._outputs,
            self.rules.label_kinds,
        )
        wanted, unsure = self._required, np.zeros(len(rows), np.bool_)
        map_ranges(len(rows), lambda lo, hi: drop_unreachable_labels(
            *told, rows, wanted, lo, hi, self._move_scratch(), *self._empty_moves(SCRATCH_SETS), unsure
        ), min_size=_MIN_DECISIONS_PER_THREAD)  # fmt: skip
        if unsure.any():
            self._drop_labels_by_lists(rows[unsure])

    def _drop_labels_by_lists(self, rows: NDArray[np.int64]) -> None:
        """The same for rows that want a card, by the lists of all their card sets."""
        wanted = self.required_cards.take(rows, axis=1)
        self.legal_mask[:, rows] &= can_reach_all(self.rules.label_kinds, wanted)
        lists = self.select(rows)._all_moves(np.full(len(rows), ALL_LABELS, np.int16))
        filter_labels(self.legal_mask, lists, self.rules.forms.label_of, wanted, rows)

    @cached_property
    def _leading(self) -> NDArray[np.int8]:
        """[n] 1 where the seat leads, 0 where it follows."""
        return (self.to_beat < 0).astype(np.int8)

    @cached_property
    def _restricted_rows(self) -> NDArray[np.int64]:
        """The decisions where some card must be among those laid down."""
        includes = self.required_cards
        rows = [includes[kind] for kind in self._move_query.requirable_cards] if len(includes) else []
        return np.flatnonzero(np.logical_or.reduce(rows) if len(rows) != 1 else rows[0].view(np.bool_))

    @cached_property
    def _required(self) -> NDArray[np.uint8]:
        """[kinds, those decisions] the cards that must be."""
        wanted, rows = np.zeros((len(self.required_cards), len(self._restricted_rows)), np.uint8), self._restricted_rows
        for kind in self._move_query.requirable_cards:
            wanted[kind] = self.required_cards[kind, rows]
        return wanted

    def select(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions; the circuit is not asked again."""
        some = Decisions(self.view.select(rows))
        some._move_query = self._move_query
        some._cached_outputs = (
            None if self._cached_outputs is None else np.ascontiguousarray(self._cached_outputs[:, rows])
        )
        return some

    def past_decisions(
        self, rows: Indices, hands: NDArray[np.uint8]
    ) -> Iterator[tuple[Indices, Decisions, NDArray[np.int16]]]:
        """What others had to decide in their last acts if they hold hands [m, others, kinds] now, and what they played.

        Rows [m] are of these decisions; the first of each three are places in them. Nothing where nobody remembers.
        """
        if self.view.history is not None:
            for asked, state, label in self.view.history.past_decisions(self.view, rows, hands):
                yield asked, Decisions(PlayerView(self.rules, state, np.arange(len(asked)), state.seat.copy())), label

    def belief_log_odds(self) -> NDArray[np.float32]:
        """[n, others, kinds] the logarithm of the factor by which what the others did changes the odds of a copy."""
        return compute_log_odds(self.rules, self.view)

    def seat_text(self, row: int) -> str:
        """The seat to decide, for messages."""
        return f"seat {self.view.seats[row]}" if self.view.has_hand_sizes else "a seat"

    def state_text(self, row: int) -> str:
        """What it holds, and what there is to beat, for messages."""
        form = int(self.to_beat[row])
        there = "leads" if form < 0 else f"to beat {self.rules.forms.forms[form].name}"
        return f"{there}, hand {self.rules.card_codes.to_text(cards_from_counts(self.view.hand[row])) or 'empty'}"

    @property
    def legal_mask(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""
        return self._outputs[: len(self.rules.labels)]

    @property
    def form_mask(self) -> NDArray[np.uint8]:
        """[forms, n] the forms the seat could lay down."""
        return self._outputs[self._move_query.answer_rows]

    @property
    def required_cards(self) -> NDArray[np.uint8]:
        """[kinds or 0, n] cards that must be among those laid down."""
        return self._outputs[self._move_query.first_card_row :]

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""
        return np.where(self.to_beat < 0, np.int16(LEADING), self.rules.forms.label_of[self.to_beat])

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""
        return self.rules.label_ranking[self.context]

    def takes_trick(self, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] whether the trick as it lies would be that of the seat to decide; never where there are none."""
        return takes_trick(self, lists)

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to."""
        return self.rules.forms.label_of[form]

    def first_moves(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in the order of lists of one legal label each.

        Raises TypeError or ValueError for what is no such label, TableError where the hand lacks the cards.
        """
        return self._choose_moves(labels, np.empty(0, np.uint64))

    def sample_moves(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly from keys [n]; raises as ``first_moves`` does."""
        return self._choose_moves(labels, keys)

    def sample_labels_and_moves(self, sample_labels: LabelSampler, keys: NDArray[np.uint64]) -> Moves:
        """The same for labels that ``sample_labels(lo, hi, labels)`` draws, each share before it is laid down."""
        labels = np.zeros(len(self.view), np.int16)
        return self._choose_moves(labels, keys, sample_labels)

    def try_sample_moves(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> tuple[Moves, NDArray[np.int64]]:
        """The same for any labels, and [n] how many card sets there were; none is no error."""
        return self._sample_card_sets(self._checked_labels(labels), keys)

    def _choose_moves(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], sample_labels: LabelSampler | None = None
    ) -> Moves:
        if sample_labels is None:
            labels = self._checked_labels(labels)
        moves, found = self._sample_card_sets(labels, keys, sample_labels)
        if self._restricted_rows.size:
            self._choose_required_moves(labels, keys, moves, found)
        if (found == 0).any():
            labels, row = self._checked_labels(labels), int((found == 0).argmax())
            if labels[row] >= 0 and not self.legal_mask[labels[row], row] and self.legal_mask[:, row].any():
                raise ValueError(f"{self.rules.label_texts[labels[row]]} is not legal here ({self.state_text(row)})")
            check_sampled(self.rules.kb, -(found == 0).astype(np.int16), labels, self.rules.label_texts, self)
        return moves

    def _choose_required_moves(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], moves: Moves, num_found: NDArray[np.int64]
    ) -> None:
        """Where a card must be among those laid down, choose among the card sets that hold it."""
        rows = self._restricted_rows
        if self._move_query.lookup is None:
            told = (
                self._move_query.move_tables,
                self.view.hand,
                self.view.context,
                self._leading,
                labels[rows],
                self.legal_mask,
            )
            wanted = self._required
            map_ranges(len(rows), lambda lo, hi: sample_required_sets(
                *told, self._outputs, keys, rows, wanted, lo, hi, self._move_scratch(),
                *self._empty_moves(SCRATCH_SETS), *moves, num_found
            ), min_size=_MIN_DECISIONS_PER_THREAD)  # fmt: skip
            rows = rows[num_found[rows] < 0]
            if not rows.size:
                return
        lists = self.select(rows).moves(labels[rows])
        num_found[rows] = np.diff(lists.start)
        there = num_found[rows] > 0
        some = rows[there]
        pick = scale_to_range_array(keys[some], num_found[some]) if len(keys) else np.zeros(len(some), np.int64)
        chosen = lists.start[:-1][there] + pick
        moves.form[some], moves.cards[some] = lists.form[chosen], lists.cards[chosen]

    def _sample_card_sets(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], sample_labels: LabelSampler | None = None
    ) -> tuple[Moves, NDArray[np.int64]]:
        """Card sets of labels [n], which may have to be drawn first; and [n] how many there were, 0 for no label."""
        n, view, asked, answers, way = len(self.view), self.view, self._move_query, self._outputs, self._leading
        moves, found = self._empty_moves(n), np.zeros(n, np.int64)

        def lay(lo: int, hi: int) -> None:
            if sample_labels is not None:
                sample_labels(lo, hi, labels)
            told = labels, answers, keys, lo, hi, *moves
            if asked.packed is not None:
                sample_packed_moves(asked.packed, view.hand, way, *told, self._packed_scratch(), found)
            elif asked.lookup is not None:
                sample_lookup_moves(asked.lookup, asked.answer_rows, view.hand, view.context, *told, found)
            else:
                sample_card_sets(asked.move_tables, view.hand, view.context, way, *told, self._move_scratch(), found)

        map_ranges(n, lay)
        return moves, found

    def _checked_labels(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """Labels [n] by their numbers, -1 for who found none; raises TypeError and ValueError.

        Whoever chooses where nothing is legal may name what it likes: the rules are to blame, not the label.
        """
        given, most = np.asarray(labels), len(self.rules.labels)
        if given.dtype.kind not in "iu":
            raise TypeError(f"labels are whole numbers, not {given.dtype}")
        if given.shape == (len(self.view),):
            if -1 <= given.min(initial=0) <= given.max(initial=0) < most:
                return given.astype(np.int16, copy=False)
            wrong = (given < 0) | (given >= most)
            if not self.legal_mask[:, wrong].any():
                return np.where(wrong, -1, given).astype(np.int16)
        raise ValueError(f"labels [{len(self.view)}] are numbers from 0 to {most - 1}")

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """All legal card sets in the order of lists, or those of one label each."""
        every = np.full(len(self.view), ALL_LABELS, np.int16)
        lists = self._all_moves(every if labels is None else self._checked_labels(labels))
        if self._restricted_rows.size:
            lists = filter_card_sets(lists, self.required_cards, self._restricted_rows)
        if labels is None and self.view.has_hand_sizes:
            check_nonempty(self.rules.kb, lists.start, self)
        return lists

    def _all_moves(self, labels: NDArray[np.int16]) -> MoveLists:
        """The card sets of labels [n], whatever cards must be among them."""
        n = len(self.view)
        held = np.minimum(count_cards(self.view.hand).astype(np.int64), _MAX_GUESSED_CARDS)
        every = np.where(self.to_beat < 0, held**2 * 5 // 4, _GUESSED_RESPONSES)
        guess = np.where(labels == ALL_LABELS, every, held)
        shares = map_ranges(n, lambda lo, hi: self._list(labels, lo, hi, int(guess[lo:hi].sum())))
        lengths = np.concatenate([np.diff(share.start) for share in shares])
        return MoveLists(
            np.concatenate([[0], lengths.cumsum()]),
            np.concatenate([share.form for share in shares]),
            np.concatenate([share.cards for share in shares]),
        )

    def _list(self, labels: NDArray[np.int16], lo: int, hi: int, capacity: int) -> MoveLists:
        start = np.zeros(hi + 1, np.int64)
        while True:
            moves = self._empty_moves(capacity)
            found = self._fill(labels, lo, hi, start, moves)
            if found <= capacity:
                self._check_list_sizes(labels, lo, start[lo:])
                return MoveLists(start[lo:], moves.form[:found], moves.cards[:found])
            self._check_list_sizes(labels, lo, start[lo:])
            capacity = found

    def _fill(self, labels: NDArray[np.int16], lo: int, hi: int, start: NDArray[np.int64], moves: Moves) -> int:
        """Write the card sets of labels [n] of decisions lo..hi-1 as far as there is room; returns how many there are.

        Start [hi + 1] is filled from lo + 1 on.
        """
        view, plain = self.view, self._move_query.packed
        told = view.hand, view.context, self._leading, labels, self.legal_mask, self._outputs, lo, hi, start, *moves
        if (table := self._move_query.lookup) is not None:
            return int(lookup_moves(table, self._move_query.answer_rows, *told[:2], *told[3:]))
        if plain is None:
            return int(enumerate_moves(self._move_query.move_tables, *told, self._move_scratch()))
        return int(enumerate_packed_moves(plain, *told, self._packed_scratch()))

    def _check_list_sizes(self, labels: NDArray[np.int16], lo: int, start: NDArray[np.int64]) -> None:
        """Raise TableError where a decision from lo on has too many card sets, and TooManyMovesError where all have."""
        many = np.diff(start) > MAX_CARD_SETS
        if many.any():
            self._raise_too_many(labels, lo + int(many.argmax()))
        cards = int(start[-1] - start[0]) * (self.rules.forms.max_cards + 2)
        if cards > _MAX_LIST_BYTES and len(many) > 1:
            raise TooManyMovesError(
                f"{int(start[-1] - start[0]):,} card sets of {len(many):,} decisions are too many to list at once: "
                "list those of fewer decisions"
            )

    def _raise_too_many(self, labels: NDArray[np.int16], row: int) -> None:
        """Raise TableError for a decision of too many card sets: it names the label of most of the first ones."""
        one, moves = self.select(np.array([row])), self._empty_moves(MAX_CARD_SETS)
        one._fill(labels[[row]], 0, 1, np.zeros(2, np.int64), moves)
        label = self.rules.label_texts[np.bincount(self.labels_of(moves.form)).argmax()]
        raise_too_many(self.rules.kb, np.ones(1, np.bool_), label, one)

    def _empty_moves(self, n: int) -> Moves:
        return Moves(np.empty(n, np.int16), np.empty((n, self.rules.forms.max_cards), np.uint8))

    def _packed_scratch(self) -> PackedScratch:
        book = self.rules.move_tables
        return new_packed_scratch(len(book.slot_kind), self.rules.forms.max_cards, max_kickers(book))

    def _move_scratch(self) -> MoveScratch:
        return scratch_for(self.rules.move_tables, self.rules.forms.max_cards)
