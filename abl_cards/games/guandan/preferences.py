"""What the preferences of Guandan are about: decisions, exchanges and moves as facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import MoveLists
from abl_cards.games.guandan import moves as kernels
from abl_cards.games.guandan.course import NOTHING, write_facts
from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.moves import MOVE_INPUTS, move_rows, situation_rows
from abl_cards.games.guandan.plays import PlayCounter
from abl_cards.games.guandan.rulebook import Rules, fact_rows_of
from abl_cards.games.preferences import WriteMoves, WriteShared
from abl_cards.logic import Circuit
from abl_cards.parallel import each_share


@dataclass(frozen=True)
class GuandanFacts:
    """The facts of tables that play by these rules."""

    rules: Rules

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move."""
        return MOVE_INPUTS

    def of_decisions(self, circuit: Circuit) -> WriteShared:
        """Hands, tricks and what everybody can see."""
        facts, public = fact_rows_of(circuit, self.rules.shapes), situation_rows(circuit)
        wild_suit = self.rules.book.wild_suit

        def write_all(decisions: Decisions | Exchanges) -> NDArray[np.uint8]:
            n = len(decisions.which)
            rows = np.empty((len(circuit.inputs), n), np.uint8)
            hands, situation = decisions.hands, decisions.situation
            to_beat = decisions.to_beat if isinstance(decisions, Decisions) else np.full(n, NOTHING, np.int16)

            def write(lo: int, hi: int) -> None:
                write_facts(facts, hands, to_beat, lo, hi, rows)
                kernels.write_situation(public, situation, hands.level, wild_suit, lo, hi, rows)

            each_share(n, write)
            return rows

        return write_all

    def of_moves(self, circuit: Circuit) -> Callable[[Decisions | Exchanges, MoveLists], WriteMoves]:
        """Labels, forms, what they leave in the hand, and in how many plays that is gone."""
        at, wild_suit = move_rows(circuit, self.rules.shapes), self.rules.book.wild_suit
        counter = PlayCounter.of(self.rules)

        def prepare(decisions: Decisions | Exchanges, lists: MoveLists) -> WriteMoves:
            decision, plays = lists.decision, counter.plays_left_after(decisions, lists)
            hand, level = decisions.situation.hand, decisions.hands.level

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                mine, form, cards, after = decision[part], lists.form[part], lists.cards[part], plays[part]
                n = len(mine)
                left, rows = np.empty((n, 54), np.uint8), np.zeros((len(circuit.inputs), n), np.uint8)
                each_share(n, lambda lo, hi: kernels.leave(hand, mine, cards, lo, hi, left))
                each_share(
                    n,
                    lambda lo, hi: kernels.write_moves(at, form, left, after, level, mine, wild_suit, lo, hi, rows),
                )
                return rows

            return write

        return prepare
