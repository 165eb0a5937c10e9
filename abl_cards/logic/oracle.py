"""clingo as the reference: the same files, grounded once, solved for one state after another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import clingo

from abl_cards.logic.build import arguments
from abl_cards.logic.circuit import Circuit
from abl_cards.logic.evaluate import evaluate, scores
from abl_cards.logic.knowledge import KnowledgeBase
from abl_cards.logic.terms import Atom, atom

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COSTS = ":~ cost(Name,Weight). [Weight,Name] #defined cost/2."  # the engine's only weak constraint


@dataclass(frozen=True)
class Answer:
    """What clingo derives from one state; `atoms` is None when an integrity constraint is violated."""

    atoms: frozenset[Atom] | None
    cost: int


@dataclass(frozen=True)
class Mismatch:
    """A difference between circuit and clingo in one state (a column of the rows)."""

    state: int
    message: str
    inputs: tuple[Atom, ...]

    def __str__(self) -> str:
        return f"state {self.state}: {self.message}; inputs: {', '.join(map(str, self.inputs)) or 'none'}"


class Oracle:
    """Multi-shot clingo over the files of a knowledge base."""

    def __init__(self, kb: KnowledgeBase) -> None:
        options = [*arguments(kb.constants), "--warn=none", "--opt-mode=enum"]
        self._control = clingo.Control(options, logger=lambda code, text: None)
        for file in kb.files:
            self._control.load(str(file))
        self._control.add("base", [], COSTS)
        self._control.ground([("base", [])])
        self._names = {item.symbol: atom(item.symbol) for item in self._control.symbolic_atoms}
        self._literals = {self._names[item.symbol]: item.literal for item in self._control.symbolic_atoms}
        self._inputs = {name: self._literals[name] for name in kb.input_atoms}
        # Free externals under assumptions are faster than assigning the externals anew for every state.
        for literal in self._inputs.values():
            self._control.assign_external(literal, None)

    def solve(self, true_inputs: Collection[Atom], among: Collection[Atom] | None = None) -> Answer:
        """The atoms (those of `among`, which is much faster than all) and the cost of one state.

        Raises KeyError for an atom that is not an input.
        """
        true = {self._inputs[name] for name in true_inputs}
        assumptions = [literal if literal in true else -literal for literal in self._inputs.values()]
        with self._control.solve(assumptions=assumptions, yield_=True) as handle:
            for model in handle:
                return Answer(self._true_atoms(model, among), model.cost[0] if model.cost else 0)
        return Answer(None, 0)

    def _true_atoms(self, model: clingo.Model, among: Collection[Atom] | None) -> frozenset[Atom]:
        if among is None:
            return frozenset(map(self._names.__getitem__, model.symbols(atoms=True)))
        literals = self._literals
        return frozenset(name for name in among if name in literals and model.is_true(literals[name]))

    def answers(self, rows: NDArray[np.uint8], inputs: Sequence[Atom]) -> Iterable[Answer]:
        """The answer for every column of the rows of these inputs; all the other inputs are false."""
        for state in range(rows.shape[1]):
            yield self.solve(_true(rows, inputs, state))


def _true(rows: NDArray[np.uint8], inputs: Sequence[Atom], state: int) -> list[Atom]:
    return [inputs[row] for row in rows[:, state].nonzero()[0].tolist()]


def verify(
    kb: KnowledgeBase,
    circuit: Circuit,
    rows: NDArray[np.uint8],
    oracle: Oracle | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[Mismatch]:
    """Compare a circuit with clingo on every column: the outputs, the costs, and whether a constraint is violated.

    Inputs that the circuit does not have are false for clingo, or what `specialise` made them. `progress` is told
    how many states are done.
    """
    oracle = oracle or Oracle(kb)
    assumed = [name for name, value in circuit.assumed.items() if value]
    results = evaluate(circuit, rows)
    totals = scores(circuit, results)
    broken = _violations(kb, circuit, rows, assumed)
    compares_costs = len(circuit.cost_rows[0]) == len(kb.circuit("cost/2").outputs)
    mismatches = []
    for state in range(rows.shape[1]):
        inputs = (*_true(rows, circuit.inputs, state), *assumed)
        answer = oracle.solve(inputs, circuit.outputs)
        cost = int(totals[state]) if compares_costs else None
        for message in _differences(circuit, results[:, state].tolist(), cost, bool(broken[state]), answer):
            mismatches.append(Mismatch(state, message, inputs))
        if progress is not None:
            progress(state + 1)
    return mismatches


def _violations(
    kb: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8], assumed: Sequence[Atom]
) -> NDArray[np.bool_]:
    """bool[states] whether some constraint is violated, from a circuit of all the constraints."""
    import numpy as np

    constraints = kb.circuit("violated/1")
    given = {name: rows[row] for row, name in enumerate(circuit.inputs)}
    full = np.zeros((len(constraints.inputs), rows.shape[1]), np.uint8)
    for row, name in enumerate(constraints.inputs):
        full[row] = given.get(name, 1 if name in assumed else 0)
    broken: NDArray[np.bool_] = np.any(evaluate(constraints, full), axis=0)
    return broken


def _differences(
    circuit: Circuit, column: Sequence[int], cost: int | None, broken: bool, answer: Answer
) -> Iterable[str]:
    if broken != (answer.atoms is None):
        yield f"a constraint is {'violated' if broken else 'kept'} for the circuit, not for clingo"
    if answer.atoms is None or broken:
        return
    for name, value in zip(circuit.outputs, column, strict=True):
        if name.name != "violated" and bool(value) != (name in answer.atoms):
            yield f"{name} is {bool(value)} for the circuit, {not value} for clingo"
    if cost is not None and cost != answer.cost:
        yield f"the cost is {cost} for the circuit, {answer.cost} for clingo"
