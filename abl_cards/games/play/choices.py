"""Choices to make: one of some options, from the eyes of the seats that are asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.faults import blame, stop_where
from abl_cards.games.play.decider import Decider
from abl_cards.games.play.state import NOTHING
from abl_cards.games.play.view import NO_EVENT
from abl_cards.games.tables import NO_CARD, MoveLists
from abl_cards.games.telling.writer import Fill, columns_of
from abl_cards.games.words.letters import cards_of

NO_FORM = -1
"""What is chosen has no form."""


class Choices(Decider):
    """One of some options at n tables."""

    def at(self, rows: NDArray[np.int64]) -> Choices:
        """Some of the choices."""
        return Choices(self.view.at(rows))

    @property
    def stage(self) -> NDArray[np.int8]:
        """[n] what is asked, a number of ``Words.stages``."""
        return self.view.state.choice[self.which]

    @cached_property
    def fills(self) -> Mapping[str, Fill]:
        """What fills each group of columns: there is nothing to beat, and nobody leads."""
        nothing = np.full(len(self.view), NO_EVENT)
        trick = columns_of([np.full(len(self.view), NOTHING), nothing])
        return {**self.view.fills, "trick": trick, "event": columns_of([nothing, self.stage, nothing, self.view.seats])}

    @cached_property
    def options(self) -> NDArray[np.uint8]:
        """[n, options] what may be chosen."""
        rules = self.rules
        told = rules.choosing
        answers = told.ask(len(self.view), self.fills)
        found = np.zeros((len(self.view), len(rules.words.options)), np.uint8)
        for (_, (option,)), truth in zip(told.circuit.outputs, answers, strict=True):
            found[:, rules.words.options.index(option)] = truth
        if self.view.at_table:
            stop_where(found.max(axis=1) == 0, self.which, self._nothing)
        return found

    def _nothing(self, row: int) -> str:
        stage, kb = self.rules.words.stages[int(self.stage[row])], self.rules.kb
        hand = self.rules.letters.spoken(cards_of(self.view.hand[row])) or "empty"
        return (
            f"nothing to choose for seat {self.view.seats[row]} in {stage}: `option/1` is empty{blame(kb, 'option/1')} "
            f"(hand {hand})"
        )

    def moves(self) -> MoveLists:
        """The options as moves of one card and no form: the number of the option."""
        decision, option = np.nonzero(self.options)
        cards = np.full((len(option), self.rules.forms.most_cards), NO_CARD, np.uint8)
        cards[:, 0] = option
        start = np.searchsorted(decision, np.arange(len(self.options) + 1))
        return MoveLists(start, np.full(len(option), NO_FORM, np.int16), cards)

    def cards_given(self, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves, 1] the card of the own hand that each choice names, NO_CARD where it names none: it is to go."""
        number, hand = self.rules.pack.number, self.view.hand
        kinds = np.array([number.get(option, NO_CARD) for option in self.rules.words.options], np.uint8)
        chosen = kinds[lists.cards[:, 0]]
        named = np.minimum(chosen, hand.shape[1] - 1)
        return np.where((chosen != NO_CARD) & (hand[lists.decision, named] > 0), chosen, np.uint8(NO_CARD))[:, None]
