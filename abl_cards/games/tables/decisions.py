"""Decisions about plays: legal labels, and the card sets that realise them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import check_integer
from abl_cards.games.compiled import check_nonempty, check_sampled
from abl_cards.games.description import ColumnWriter
from abl_cards.games.moves import ALL_LABELS
from abl_cards.games.tables.decision_base import DecisionBase
from abl_cards.games.tables.legal_card_sets import LabelSampler, LegalCardSets, check_labels
from abl_cards.games.tables.tricks import takes_trick
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import (
    LEADING,
    Indices,
    MoveLists,
    Moves,
    check_held,
    check_keys,
    check_lists,
    check_rows,
)

_MAX_LIMIT = 1 << 40  # more card sets than memory holds


class Decisions(DecisionBase):
    """Decisions about plays at n tables, each from the view of the seat to decide."""

    def __init__(self, view: PlayerView, card_sets: LegalCardSets | None = None) -> None:
        """Make decisions.

        Args:
            view: View of the seats to decide.
            card_sets: Legal card sets of the view; None to compute them by the rules.
        """
        super().__init__(view)
        self._card_sets = card_sets or LegalCardSets(view, view.rules.move_query)

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
        return cls(view, LegalCardSets(view, view.rules.full_move_query, np.concatenate([legal_mask, form_mask])))

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

    def select(self, rows: NDArray[np.int64]) -> Decisions:
        """Return the decisions with these indices; circuit outputs that were computed are copied.

        Args:
            rows: int64 [m], indices of decisions.

        Returns:
            m decisions.

        Raises:
            GameError: An index is out of range.
        """
        card_sets = self._card_sets.select(check_rows(rows, len(self.view)))
        return Decisions(card_sets.view, card_sets)

    def past_decisions(
        self, rows: Indices, hands: NDArray[np.uint8]
    ) -> Iterator[tuple[Indices, Decisions, NDArray[np.int16]]]:
        """Reconstruct the last decisions of the other seats, given hypothetical hands.

        Args:
            rows: int64 [m], indices of decisions.
            hands: uint8 [m, others, kinds], hypothetical hands of the other seats now.

        Yields:
            Parts, the last acts first: indices into ``rows`` [k], the k decisions of other seats, and the labels played
            [k]. Nothing if the tables record no history.
        """
        if self.view.history is not None:
            num_acts = self.rules.seating.seats - 1
            for indices, state, label in self.view.history.past_decisions(self.view, rows, hands, num_acts):
                view = PlayerView(self.rules, state, np.arange(len(indices)), state.seat.copy())
                yield indices, Decisions(view), label

    @property
    def legal_mask(self) -> NDArray[np.uint8]:
        """Mask of legal labels, uint8 [labels, n]."""
        return self._card_sets.legal_mask

    @property
    def form_mask(self) -> NDArray[np.uint8]:
        """Mask of the forms that the rules allow, uint8 [forms, n]."""
        return self._card_sets.form_mask

    @property
    def required_cards(self) -> NDArray[np.uint8]:
        """Cards that a play must contain, uint8 [kinds, n]; [0, n] in games without such rules."""
        return self._card_sets.required_cards

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

        Raises:
            GameError: The lists do not belong to the n decisions.
        """
        self.check_moves(lists)
        return takes_trick(self, lists)

    def check_moves(self, lists: MoveLists) -> None:
        """Raise GameError if lists do not hold moves of these decisions."""
        check_lists(lists, len(self.view), range(len(self.rules.forms.forms)), self.view.hand.shape[1])

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
            TypeError: If labels are not integers.
            ValueError: If a label is out of range or not legal.
            TableError: If the hand lacks the cards of a label that the rules derive as legal.
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
            TypeError: If labels are not integers.
            ValueError: If a label is out of range or not legal.
            GameError: If the number of keys differs from n.
            TableError: If the hand lacks the cards of a label that the rules derive as legal.
        """
        return self._choose_moves(labels, check_keys(keys, len(self.view)))

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
            GameError: If the number of keys differs from n.
            TableError: If the hand lacks the cards of a label that the rules derive as legal.
        """
        labels = np.zeros(len(self.view), np.int16)
        return self._choose_moves(labels, check_keys(keys, len(self.view)), sample_labels)

    def try_sample_moves(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> tuple[Moves, NDArray[np.int64]]:
        """Draw a card set of one label for each decision, without error if there is none.

        Args:
            labels: int16 [n], any labels.
            keys: uint64 [n], random keys.

        Returns:
            n moves, and int64 [n] the number of card sets of each label; a move is undefined where it is 0.

        Raises:
            TypeError: If labels are not integers.
            ValueError: If a label is out of range.
            GameError: If the number of keys differs from n.
        """
        return self._card_sets.draw(self._checked_labels(labels), check_keys(keys, len(self.view)))

    def _choose_moves(
        self, labels: NDArray[np.int16], keys: NDArray[np.uint64], sample_labels: LabelSampler | None = None
    ) -> Moves:
        """Draw a card set for each label, or the first without keys; raise where there is none."""
        if sample_labels is None:
            labels = self._checked_labels(labels)
        moves, num_found = self._card_sets.draw(labels, keys, sample_labels)
        if self._card_sets.restricted_rows.size:
            self._card_sets.draw_required(labels, keys, moves, num_found)
        if (num_found == 0).any():
            labels, row = self._checked_labels(labels), int((num_found == 0).argmax())
            if labels[row] >= 0 and not self.legal_mask[labels[row], row] and self.legal_mask[:, row].any():
                raise ValueError(f"{self.rules.label_texts[labels[row]]} is not legal here ({self.state_text(row)})")
            check_sampled(self.rules.kb, -(num_found == 0).astype(np.int16), labels, self.rules.label_texts, self)
        return moves

    def _checked_labels(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """Convert labels [n] to int16; raise TypeError or ValueError for invalid ones.

        Where no label is legal, any label becomes -1, so that the rules are reported instead of the label.
        """
        values = np.asarray(labels)
        if values.dtype.kind not in "iu" and values.size:
            raise TypeError(f"labels are whole numbers, not {values.dtype}")
        if values.shape == (len(self.view),):
            return check_labels(self._card_sets, values)
        raise ValueError(f"labels [{len(self.view)}] are numbers from 0 to {len(self.rules.labels) - 1}")

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
        lists = self._card_sets.list_legal(all_labels if labels is None else self._checked_labels(labels))
        if labels is None and self.view.has_hand_sizes:
            check_nonempty(self.rules.kb, lists.start, self)
        return lists

    def addable_cards(self, chosen: NDArray[np.uint8], labels: NDArray[np.int16] | None = None) -> NDArray[np.bool_]:
        """Find the cards that can be added to chosen cards on the way to a legal card set, to choose card by card.

        Args:
            chosen: uint8 [n, kinds], cards chosen so far, all of them in the hand.
            labels: int16 [n], the label of the play; None for any legal label.

        Returns:
            bool [n, kinds], exact in decisions with at most 4,096 card sets. In others only the numbers of cards of
            each rank are compared, so wild cards and excluded forms may let too many cards pass.

        Raises:
            GameError: If ``chosen`` has a wrong shape, or more cards than the hand holds.
        """
        checked = np.full(len(self.view), ALL_LABELS, np.int16) if labels is None else self._checked_labels(labels)
        return self._card_sets.addable_cards(checked, check_held("chosen", chosen, self.view.hand))

    def first_card_sets(
        self, limit: int, labels: NDArray[np.int16] | None = None, hands: NDArray[np.uint8] | None = None,
        one_per_rank: bool = False,
    ) -> tuple[MoveLists, NDArray[np.bool_]]:  # fmt: skip
        """List the first legal card sets of each decision.

        Args:
            limit: Largest number of card sets of a decision.
            labels: int16 [n], the label to list for each decision; None for all legal labels.
            hands: uint8 [n, kinds], cards of the hands that the card sets may use; None for all. Legality of labels
                and forms depends on the whole hands.
            one_per_rank: Leave out card sets that differ from an earlier one only in the cards that they take of a
                rank, such as in suits. Only in games without wild cards. Forms of suits keep all card sets, and so do
                decisions with required cards.

        Returns:
            Card sets in the order of move lists, and bool [n]: True for decisions that have more.

        Raises:
            TableError: If a decision has no card set; only where neither ``labels`` nor ``hands`` are given.
            GameError: If the limit is not a whole number from 0 on, or ``hands`` has cards that the hands do not hold.
            TooManyMovesError: If the card sets of all decisions together exceed 1 GiB; list fewer decisions at a time.
        """
        limit = min(check_integer("limit", limit, 0), _MAX_LIMIT)
        cards = None if hands is None else check_held("hands", hands, self.view.hand)
        all_labels = np.full(len(self.view), ALL_LABELS, np.int16)
        lists, is_cut = self._card_sets.list_first(
            all_labels if labels is None else self._checked_labels(labels), limit, cards, one_per_rank
        )
        if labels is None and hands is None and self.view.has_hand_sizes:
            check_nonempty(self.rules.kb, lists.start, self)
        return lists, is_cut
