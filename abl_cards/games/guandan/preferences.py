"""The preferences of a knowledge base, evaluated for the candidates of many decisions at once.

What all the moves of a decision share is evaluated once a decision, the rest once a move (abl_cards.logic.split).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import MoveLists, PlaysLeft
from abl_cards.games.guandan import moves as kernels
from abl_cards.games.guandan.course import NOTHING, FactRows, write_facts
from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.moves import MOVE_INPUTS, MoveRows, SituationRows, move_rows, situation_rows
from abl_cards.games.guandan.rulebook import Rules, fact_rows_of
from abl_cards.logic import Atom, Circuit, evaluate, weigh
from abl_cards.logic.split import SHARED, split
from abl_cards.parallel import THREADS, each_share

MOVES_AT_ONCE = 1 << 11
"""Candidates evaluated together; their rows should stay in the cache."""

_COST, _VIOLATED = "cost", "violated"


@dataclass(frozen=True)
class Preferences:
    """The circuits of cost/2 and of the integrity constraints, and where their inputs lie."""

    rules: Rules
    plays_left: PlaysLeft
    shared: Circuit
    varying: Circuit
    facts: FactRows
    situation: SituationRows
    moves: MoveRows
    carried: NDArray[np.int64]  # [shared atoms used] their rows among the outputs of the shared half
    carried_to: NDArray[np.int64]  # and among the inputs of the varying half
    weights: NDArray[np.int32]  # [outputs] the cost of each, 0 for a constraint

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` and ``violated(K)``, the rows of ``fired``."""
        return self.varying.outputs

    def fired(self, decisions: Decisions | Exchanges, lists: MoveLists) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """What fires for the candidates, in portions: which moves, and uint8 [outputs, moves]."""
        portion = self._portions(decisions, lists)
        for part in _parts(len(lists.form)):
            yield part, portion(part)

    def costs(self, decisions: Decisions | Exchanges, lists: MoveLists) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The sum of the weights of each candidate, and whether no integrity constraint fires."""
        costs, consistent = np.zeros(len(lists.form), np.int32), np.ones(len(lists.form), np.bool_)
        constraints = np.array([name == _VIOLATED for name, _ in self.outputs])
        portion, parts = self._portions(decisions, lists), _parts(len(lists.form))

        def add_up(first: int, end: int) -> None:
            for part in parts[first:end]:
                fired = portion(part)
                costs[part] = weigh(self.weights, fired)
                if constraints.any():
                    consistent[part] = ~fired[constraints].any(axis=0)

        each_share(len(parts), add_up, least=1)
        return costs, consistent

    def _portions(self, decisions: Decisions | Exchanges, lists: MoveLists) -> Callable[[slice], NDArray[np.uint8]]:
        """Evaluate what the moves share; returns what evaluates some of the moves."""
        shared = evaluate(self.shared, self._shared_rows(decisions), threads=THREADS)
        decision, plays = lists.decision, self.plays_left(decisions, lists)

        def evaluate_part(part: slice) -> NDArray[np.uint8]:
            rows = self._move_rows(decisions, lists, decision[part], part, plays[part])
            kernels.carry_over(shared, self.carried, self.carried_to, decision[part], rows)
            return evaluate(self.varying, rows)

        return evaluate_part

    def _shared_rows(self, decisions: Decisions | Exchanges) -> NDArray[np.uint8]:
        n = len(decisions.which)
        rows = np.empty((len(self.shared.inputs), n), np.uint8)
        hands, situation, wild_suit = decisions.hands, decisions.situation, self.rules.book.wild_suit
        to_beat = decisions.to_beat if isinstance(decisions, Decisions) else np.full(n, NOTHING, np.int16)

        def write(lo: int, hi: int) -> None:
            write_facts(self.facts, hands, to_beat, lo, hi, rows)
            kernels.write_situation(self.situation, situation, hands.level, wild_suit, lo, hi, rows)

        each_share(n, write)
        return rows

    def _move_rows(
        self,
        decisions: Decisions | Exchanges,
        lists: MoveLists,
        decision: NDArray[np.int64],
        part: slice,
        plays: NDArray[np.uint8],
    ) -> NDArray[np.uint8]:
        n, level, wild_suit = len(decision), decisions.hands.level, self.rules.book.wild_suit
        form, cards = lists.form[part], lists.cards[part]
        left, rows = np.empty((n, 54), np.uint8), np.zeros((len(self.varying.inputs), n), np.uint8)
        each_share(n, lambda lo, hi: kernels.leave(decisions.situation.hand, decision, cards, lo, hi, left))
        each_share(
            n,
            lambda lo, hi: kernels.write_moves(self.moves, form, left, plays, level, decision, wild_suit, lo, hi, rows),
        )
        return rows


def _parts(moves: int) -> list[slice]:
    return [slice(first, min(first + MOVES_AT_ONCE, moves)) for first in range(0, moves, MOVES_AT_ONCE)]


def read_preferences(rules: Rules, plays_left: PlaysLeft) -> Preferences:
    """Compile the preferences of a knowledge base."""
    shared, varying = split(rules.kb.circuit("cost/2", "violated/1"), lambda atom: atom[0] in MOVE_INPUTS)
    used = {arguments[0]: row for row, (name, arguments) in enumerate(varying.inputs) if name == SHARED}
    carried = [row for row, (_, arguments) in enumerate(shared.outputs) if arguments[0] in used]
    return Preferences(
        rules=rules,
        plays_left=plays_left,
        shared=shared,
        varying=varying,
        facts=fact_rows_of(shared, rules.shapes),
        situation=situation_rows(shared),
        moves=move_rows(varying, rules.shapes),
        carried=np.array(carried, np.int64),
        carried_to=np.array([used[shared.outputs[row][1][0]] for row in carried], np.int64),
        weights=np.array([int(arguments[1]) if name == _COST else 0 for name, arguments in varying.outputs], np.int32),
    )
