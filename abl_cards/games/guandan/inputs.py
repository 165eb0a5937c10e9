"""What a knowledge base is told of decisions and of their candidates, as input rows of one of its circuits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.guandan import moves as kernels
from abl_cards.games.guandan.course import NOTHING, FactRows, write_facts
from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.moves import (
    EstimateRows,
    MoveRows,
    SituationRows,
    estimate_rows,
    move_rows,
    situation_rows,
)
from abl_cards.games.guandan.rulebook import Rules, fact_rows_of
from abl_cards.games.hidden import Estimate
from abl_cards.games.tables import MoveLists
from abl_cards.logic import Circuit
from abl_cards.parallel import each_share


@dataclass(frozen=True)
class InputRows:
    """Where the facts of decisions and moves lie among the input rows of a circuit; others are left out."""

    inputs: int
    wild_suit: int
    facts: FactRows
    situation: SituationRows
    estimate: EstimateRows
    moves: MoveRows

    @classmethod
    def of(cls, circuit: Circuit, rules: Rules) -> InputRows:
        """Look them up; the tables play by the rules, whichever knowledge base the circuit comes from."""
        return cls(
            inputs=len(circuit.inputs),
            wild_suit=rules.book.wild_suit,
            facts=fact_rows_of(circuit, rules.shapes),
            situation=situation_rows(circuit),
            estimate=estimate_rows(circuit),
            moves=move_rows(circuit, rules.shapes),
        )

    def tell_decisions(self, decisions: Decisions | Exchanges) -> NDArray[np.uint8]:
        """[inputs, n] what all the moves of a decision share, but for beliefs."""
        n = len(decisions.which)
        rows = np.empty((self.inputs, n), np.uint8)
        hands, situation = decisions.hands, decisions.situation
        to_beat = decisions.to_beat if isinstance(decisions, Decisions) else np.full(n, NOTHING, np.int16)

        def write(lo: int, hi: int) -> None:
            write_facts(self.facts, hands, to_beat, lo, hi, rows)
            kernels.write_situation(self.situation, situation, hands.level, self.wild_suit, lo, hi, rows)

        each_share(n, write)
        return rows

    def tell_estimate(self, decisions: Decisions | Exchanges, estimate: Estimate, rows: NDArray[np.uint8]) -> None:
        """Add to rows [inputs, n] what is believed; estimate [n, 3, 54]. Raises ValueError for another shape."""
        n, level = len(decisions.which), decisions.hands.level
        if estimate.shape != (n, 3, 54):
            raise ValueError(f"estimate must be [{n}, 3, 54], not [{', '.join(map(str, estimate.shape))}]")
        beliefs = np.ascontiguousarray(estimate, np.float32)
        each_share(
            n, lambda lo, hi: kernels.write_estimate(self.estimate, beliefs, level, self.wild_suit, lo, hi, rows)
        )

    def tell_moves(
        self,
        decisions: Decisions | Exchanges,
        lists: MoveLists,
        decision: NDArray[np.int64],
        plays: NDArray[np.uint8],
        rows: NDArray[np.uint8],
        part: slice = slice(None),
    ) -> None:
        """Add to rows [inputs, moves] what some of the moves lay down and leave; decision, plays [moves] of these."""
        n, level, wild_suit = len(decision), decisions.hands.level, self.wild_suit
        form, cards, left = lists.form[part], lists.cards[part], np.empty((n, 54), np.uint8)
        each_share(n, lambda lo, hi: kernels.leave(decisions.situation.hand, decision, cards, lo, hi, left))
        each_share(
            n,
            lambda lo, hi: kernels.write_moves(self.moves, form, left, plays, level, decision, wild_suit, lo, hi, rows),
        )
