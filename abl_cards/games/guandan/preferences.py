"""What the preferences of Guandan are about: decisions, exchanges and moves as facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.inputs import InputRows
from abl_cards.games.guandan.moves import ESTIMATE_INPUTS, MOVE_INPUTS
from abl_cards.games.guandan.plays import PlayCounter
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.preferences import WriteEstimate, WriteMoves, WriteShared
from abl_cards.games.tables import MoveLists
from abl_cards.logic import Circuit


@dataclass(frozen=True)
class GuandanFacts:
    """The facts of tables that play by these rules."""

    rules: Rules

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move."""
        return MOVE_INPUTS

    @property
    def estimate_inputs(self) -> frozenset[str]:
        """The inputs that are false where nobody estimates the other hands."""
        return ESTIMATE_INPUTS

    def of_decisions(self, circuit: Circuit) -> WriteShared:
        """Hands, tricks and what everybody can see."""
        return InputRows.of(circuit, self.rules).tell_decisions

    def of_estimates(self, circuit: Circuit) -> WriteEstimate:
        """What is believed of the other hands."""
        return InputRows.of(circuit, self.rules).tell_estimate

    def of_moves(self, circuit: Circuit) -> Callable[[Decisions | Exchanges, MoveLists], WriteMoves]:
        """Labels, forms, what they leave in the hand, and in how many plays that is gone."""
        at, counter = InputRows.of(circuit, self.rules), PlayCounter.of(self.rules)

        def prepare(decisions: Decisions | Exchanges, lists: MoveLists) -> WriteMoves:
            decision, plays = lists.decision, counter.plays_left_after(decisions, lists)

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                mine = decision[part]
                rows = np.zeros((len(circuit.inputs), len(mine)), np.uint8)
                at.tell_moves(decisions, lists, mine, plays[part], rows, part)
                return rows

            return write

        return prepare
