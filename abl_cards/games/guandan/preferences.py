"""The preferences of a knowledge base, evaluated for the candidates of many decisions at once.

What all the moves of a decision share is evaluated once a decision, the rest once a move (abl_cards.logic.split). An
estimate of the other hands belongs to what they share; without one, the rules that need it never hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import Estimate, GameError, MoveLists, PlaysLeft
from abl_cards.games.guandan import moves as kernels
from abl_cards.games.guandan.decisions import Decisions, Exchanges
from abl_cards.games.guandan.inputs import InputRows
from abl_cards.games.guandan.moves import ESTIMATE_INPUTS, MOVE_INPUTS
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.logic import Atom, Circuit, KnowledgeBase, evaluate, weigh
from abl_cards.logic.errors import suggestion
from abl_cards.logic.split import SHARED, split
from abl_cards.parallel import THREADS, each_share

MOVES_AT_ONCE = 1 << 11
"""Candidates evaluated together; their rows should stay in the cache."""

_COST, _VIOLATED = "cost", "violated"


@dataclass(frozen=True)
class _Halves:
    """A circuit cut in two, where the inputs of each half lie, and what is carried across the cut."""

    shared: Circuit
    varying: Circuit
    shared_rows: InputRows
    varying_rows: InputRows
    carried: NDArray[np.int64]  # [shared atoms used] their rows among the outputs of the shared half
    carried_to: NDArray[np.int64]  # and among the inputs of the varying half

    @classmethod
    def of(cls, circuit: Circuit, rules: Rules) -> _Halves:
        shared, varying = split(circuit, lambda atom: atom[0] in MOVE_INPUTS)
        used = {arguments[0]: row for row, (name, arguments) in enumerate(varying.inputs) if name == SHARED}
        carried = [row for row, (_, arguments) in enumerate(shared.outputs) if arguments[0] in used]
        return cls(
            shared=shared,
            varying=varying,
            shared_rows=InputRows.of(shared, rules),
            varying_rows=InputRows.of(varying, rules),
            carried=np.array(carried, np.int64),
            carried_to=np.array([used[shared.outputs[row][1][0]] for row in carried], np.int64),
        )


@dataclass(frozen=True)
class Preferences:
    """The circuit of cost/2 and of the integrity constraints, ready for many decisions."""

    rules: Rules  # of the tables
    kb: KnowledgeBase  # of the preferences; it need not be the one that the tables play by
    plays_left: PlaysLeft
    circuit: Circuit
    weights: NDArray[np.int32]  # [outputs] the cost of each, 0 for a constraint

    @cached_property
    def _seeing(self) -> _Halves:
        """For decisions with an estimate of the other hands."""
        return _Halves.of(self.circuit, self.rules)

    @cached_property
    def _blind(self) -> _Halves:
        """For decisions without one: what needs it costs no time."""
        beliefs = {atom: False for atom in self.circuit.inputs if atom[0] in ESTIMATE_INPUTS}
        return _Halves.of(self.circuit.specialise(beliefs), self.rules)

    @cached_property
    def _every(self) -> InputRows:
        """Where everything lies that the knowledge base may be told."""
        return InputRows.of(replace(self.circuit, inputs=self.kb.input_atoms), self.rules)

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` and ``violated(K)``, the rows of ``fired``."""
        return self.circuit.outputs

    def fired(
        self, decisions: Decisions | Exchanges, lists: MoveLists, estimate: Estimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """What fires for the candidates, in portions: which moves, and uint8 [outputs, moves]."""
        portion = self._portions(decisions, lists, estimate)
        for part in _parts(len(lists.form)):
            yield part, portion(part)

    def costs(
        self, decisions: Decisions | Exchanges, lists: MoveLists, estimate: Estimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The sum of the weights of each candidate, and whether no integrity constraint fires."""
        costs, consistent = np.zeros(len(lists.form), np.int32), np.ones(len(lists.form), np.bool_)
        constraints = np.array([name == _VIOLATED for name, _ in self.outputs])
        portion, parts = self._portions(decisions, lists, estimate), _parts(len(lists.form))

        def add_up(first: int, end: int) -> None:
            for part in parts[first:end]:
                fired = portion(part)
                costs[part] = weigh(self.weights, fired)
                if constraints.any():
                    consistent[part] = ~fired[constraints].any(axis=0)

        each_share(len(parts), add_up, least=1)
        return costs, consistent

    def facts(
        self, decisions: Decisions | Exchanges, lists: MoveLists, estimate: Estimate | None = None
    ) -> NDArray[np.uint8]:
        """[every input of the knowledge base, moves] what it is told of the candidates; see ``kb.input_atoms``."""
        every, decision, plays = self._every, lists.decision, self.plays_left(decisions, lists)
        rows = np.ascontiguousarray(every.tell_decisions(decisions, estimate)[:, decision])
        every.tell_moves(decisions, lists, decision, plays, rows)
        return rows

    def _portions(
        self, decisions: Decisions | Exchanges, lists: MoveLists, estimate: Estimate | None
    ) -> Callable[[slice], NDArray[np.uint8]]:
        """Evaluate what the moves share; returns what evaluates some of the moves."""
        halves = self._blind if estimate is None else self._seeing
        shared = evaluate(halves.shared, halves.shared_rows.tell_decisions(decisions, estimate), threads=THREADS)
        decision, plays = lists.decision, self.plays_left(decisions, lists)

        def evaluate_part(part: slice) -> NDArray[np.uint8]:
            mine = decision[part]
            rows = np.zeros((halves.varying_rows.inputs, len(mine)), np.uint8)
            halves.varying_rows.tell_moves(decisions, lists, mine, plays[part], rows, part)
            kernels.carry_over(shared, halves.carried, halves.carried_to, mine, rows)
            return evaluate(halves.varying, rows)

        return evaluate_part


def _parts(moves: int) -> list[slice]:
    return [slice(first, min(first + MOVES_AT_ONCE, moves)) for first in range(0, moves, MOVES_AT_ONCE)]


def read_preferences(
    rules: Rules, plays_left: PlaysLeft, without: Collection[str] = (), kb: KnowledgeBase | None = None
) -> Preferences:
    """Compile the preferences of a knowledge base, the rules' own or another, but for those of some groups.

    Raises GameError for a group that is none.
    """
    kb = kb or rules.kb
    circuit = _left_over(kb, without)
    weights = [int(arguments[1]) if name == _COST else 0 for name, arguments in circuit.outputs]
    return Preferences(rules, kb, plays_left, circuit, np.array(weights, np.int32))


def _left_over(kb: KnowledgeBase, without: Collection[str]) -> Circuit:
    """The circuit of the costs and the constraints, less the costs of some groups."""
    circuit = kb.circuit("cost/2", "violated/1")
    if not without:
        return circuit
    for group in without:
        if group not in kb.groups.values():
            known = sorted(set(kb.groups.values()))
            hint = suggestion(group, known) or f"there are: {', '.join(known)}"
            raise GameError(f"unknown group of preferences '{group}' ({hint})")
    kept = [
        row
        for row, (name, arguments) in enumerate(circuit.outputs)
        if name != _COST or kb.groups.get(str(arguments[0]).partition("(")[0]) not in without
    ]
    outputs = tuple(circuit.outputs[row] for row in kept)
    return replace(circuit, outputs=outputs, output_literals=circuit.output_literals[kept])
