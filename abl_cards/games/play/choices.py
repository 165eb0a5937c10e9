"""Choices to make: one of some options, from the eyes of the seats that are asked."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.play.view import View
from abl_cards.games.play.walk import NO_CARD
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, MoveLists
from abl_cards.games.telling.writer import columns_of

NO_FORM = -1
"""What is chosen has no form."""


class Choices:
    """One of some options at n tables."""

    def __init__(self, view: View) -> None:
        """What these seats see."""
        self.view = view

    @property
    def rules(self) -> Rules:
        """By what they play."""
        return self.view.rules

    @property
    def which(self) -> Indices:
        """[n] the tables."""
        return self.view.which

    @property
    def stage(self) -> NDArray[np.int8]:
        """[n] what is asked, a number of ``Words.stages``."""
        return self.view.state.choice[self.which]

    @cached_property
    def options(self) -> NDArray[np.uint8]:
        """[n, options] what may be chosen."""
        rules, state = self.rules, self.view.state
        told = rules.choosing
        stage, seat = self.stage, self.view.seats
        nothing = np.full(len(self.view), -1)
        event = columns_of([nothing, stage, nothing, seat])
        answers = told.ask(len(self.view), {**self.view.fills, "event": event})
        found = np.zeros((len(self.view), len(rules.words.options)), np.uint8)
        for (_, (option,)), truth in zip(told.circuit.outputs, answers, strict=True):
            found[:, rules.words.options.index(option)] = truth
        del state
        return found

    def moves(self) -> MoveLists:
        """The options as moves of one card and no form: the number of the option."""
        decision, option = np.nonzero(self.options)
        cards = np.full((len(option), self.rules.forms.most_cards), NO_CARD, np.uint8)
        cards[:, 0] = option
        start = np.searchsorted(decision, np.arange(len(self.options) + 1))
        return MoveLists(start, np.full(len(option), NO_FORM, np.int16), cards)
