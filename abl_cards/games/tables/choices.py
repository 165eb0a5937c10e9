"""Choices between options, such as bids and card exchanges, at many tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.binding import make_array_writer
from abl_cards.games.compiled import raise_where, source_hint
from abl_cards.games.description import ColumnWriter, cards_from_counts
from abl_cards.games.state import NOT_PLAYING
from abl_cards.games.tables.decision_base import DecisionBase
from abl_cards.games.tables.view import NO_EVENT
from abl_cards.games.types import NO_CARD, MoveLists, check_lists, check_rows

NO_FORM = -1
"""Form of a move that chooses an option."""


class Choices(DecisionBase):
    """Choices between options at n tables, each from the view of the seat to decide."""

    def select(self, rows: NDArray[np.int64]) -> Choices:
        """Return the choices with these indices.

        Args:
            rows: int64 [m], indices of choices.

        Returns:
            m choices.

        Raises:
            GameError: An index is out of range.
        """
        return Choices(self.view.select(check_rows(rows, len(self.view))))

    @property
    def stage(self) -> NDArray[np.int8]:
        """Kind of choice [n], an index of ``InputSchema.stages``."""
        return self.view.state.choice[self.rows]

    @cached_property
    def column_writers(self) -> Mapping[str, ColumnWriter]:
        """Writers of circuit inputs by input group; no seat leads, and there is no play to beat."""
        nothing = np.full(len(self.view), NO_EVENT)
        trick = make_array_writer([np.full(len(self.view), NOT_PLAYING), nothing])
        return {
            **self.view.column_writers,
            "trick": trick,
            "event": make_array_writer([nothing, self.stage, nothing, self.view.seats]),
        }

    @cached_property
    def options(self) -> NDArray[np.uint8]:
        """Mask of legal options, uint8 [n, options]; raises TableError where there is none."""
        rules = self.rules
        if not len(self.view):  # rules without choices may be compared with others
            return np.zeros((0, len(rules.schema.options)), np.uint8)
        query = rules.option_query
        outputs = query.evaluate(len(self.view), self.column_writers)
        mask = np.zeros((len(self.view), len(rules.schema.options)), np.uint8)
        for (_, (option,)), truth in zip(query.circuit.outputs, outputs, strict=True):
            mask[:, rules.schema.options.index(option)] = truth
        if self.view.has_hand_sizes:
            raise_where(mask.max(axis=1) == 0, self.rows, self._no_option_text)
        return mask

    def _no_option_text(self, row: int) -> str:
        """Describe a choice without options."""
        stage, kb = self.rules.schema.stages[int(self.stage[row])], self.rules.kb
        hand = self.rules.card_codes.to_text(cards_from_counts(self.view.hand[row])) or "empty"
        return (
            f"nothing to choose for seat {self.view.seats[row]} in {stage}: `option/1` is "
            f"empty{source_hint(kb, 'option/1')} (hand {hand})"
        )

    def moves(self) -> MoveLists:
        """List the legal options as moves.

        Returns:
            Moves of form ``NO_FORM``, whose only card is the index of the option in ``InputSchema.options``.
        """
        decision, option = np.nonzero(self.options)
        cards = np.full((len(option), self.rules.forms.max_cards), NO_CARD, np.uint8)
        cards[:, 0] = option
        start = np.searchsorted(decision, np.arange(len(self.options) + 1))
        return MoveLists(start, np.full(len(option), NO_FORM, np.int16), cards)

    def check_moves(self, lists: MoveLists) -> None:
        """Raise GameError if lists do not hold options of these choices."""
        check_lists(lists, len(self.view), range(NO_FORM, NO_FORM + 1), len(self.rules.schema.options))

    def cards_given_away(self, lists: MoveLists) -> NDArray[np.uint8]:
        """Return the card that each option would give away.

        Args:
            lists: Options as ``moves`` lists them.

        Returns:
            uint8 [moves, 1], the card if the option names a card of the seat's own hand, else ``NO_CARD``.
        """
        kind_of, hand = self.rules.pack.index, self.view.hand
        kinds = np.array([kind_of.get(option, NO_CARD) for option in self.rules.schema.options], np.uint8)
        chosen = kinds[lists.cards[:, 0]]
        held_kinds = np.minimum(chosen, hand.shape[1] - 1)
        return np.where((chosen != NO_CARD) & (hand[lists.decision_index, held_kinds] > 0), chosen, np.uint8(NO_CARD))[
            :, None
        ]
