"""Choices to make: one of some options, from the eyes of the seats that are asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.binding import ColumnWriter, make_array_writer
from abl_cards.games.compiled import raise_where, source_hint
from abl_cards.games.description import cards_from_counts
from abl_cards.games.state import NOT_PLAYING
from abl_cards.games.tables.decision_base import DecisionBase
from abl_cards.games.tables.view import NO_EVENT
from abl_cards.games.types import NO_CARD, MoveLists

NO_FORM = -1
"""What is chosen has no form."""


class Choices(DecisionBase):
    """One of some options at n tables."""

    def select(self, rows: NDArray[np.int64]) -> Choices:
        """Some of the choices."""
        return Choices(self.view.select(rows))

    @property
    def stage(self) -> NDArray[np.int8]:
        """[n] what is asked, a number of ``InputSchema.stages``."""
        return self.view.state.choice[self.rows]

    @cached_property
    def column_writers(self) -> Mapping[str, ColumnWriter]:
        """What fills each group of columns: there is nothing to beat, and nobody leads."""
        nothing = np.full(len(self.view), NO_EVENT)
        trick = make_array_writer([np.full(len(self.view), NOT_PLAYING), nothing])
        return {
            **self.view.column_writers,
            "trick": trick,
            "event": make_array_writer([nothing, self.stage, nothing, self.view.seats]),
        }

    @cached_property
    def options(self) -> NDArray[np.uint8]:
        """[n, options] what may be chosen."""
        rules = self.rules
        told = rules.option_query
        answers = told.evaluate(len(self.view), self.column_writers)
        found = np.zeros((len(self.view), len(rules.schema.options)), np.uint8)
        for (_, (option,)), truth in zip(told.circuit.outputs, answers, strict=True):
            found[:, rules.schema.options.index(option)] = truth
        if self.view.has_hand_sizes:
            raise_where(found.max(axis=1) == 0, self.rows, self._no_option_text)
        return found

    def _no_option_text(self, row: int) -> str:
        stage, kb = self.rules.schema.stages[int(self.stage[row])], self.rules.kb
        hand = self.rules.card_codes.to_text(cards_from_counts(self.view.hand[row])) or "empty"
        return (
            f"nothing to choose for seat {self.view.seats[row]} in {stage}: `option/1` is "
            f"empty{source_hint(kb, 'option/1')} (hand {hand})"
        )

    def moves(self) -> MoveLists:
        """The options as moves of one card and no form: the number of the option."""
        decision, option = np.nonzero(self.options)
        cards = np.full((len(option), self.rules.forms.max_cards), NO_CARD, np.uint8)
        cards[:, 0] = option
        start = np.searchsorted(decision, np.arange(len(self.options) + 1))
        return MoveLists(start, np.full(len(option), NO_FORM, np.int16), cards)

    def cards_given_away(self, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves, 1] the card of the own hand that each choice names, NO_CARD where it names none: it is to go."""
        number, hand = self.rules.pack.index, self.view.hand
        kinds = np.array([number.get(option, NO_CARD) for option in self.rules.schema.options], np.uint8)
        chosen = kinds[lists.cards[:, 0]]
        named = np.minimum(chosen, hand.shape[1] - 1)
        return np.where((chosen != NO_CARD) & (hand[lists.decision_index, named] > 0), chosen, np.uint8(NO_CARD))[
            :, None
        ]
