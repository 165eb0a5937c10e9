"""clingo as the reference: the same files, grounded once, solved for one state after another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import clingo

from abl_cards.asp import (
    Atom,
    Limits,
    atom_from_symbol,
    clingo_arguments,
    ground_with_costs,
    read_rewritten_statements,
    read_statements,
)
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.evaluation import evaluate, scores
from abl_cards.circuit.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class OracleAnswer:
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
    """Multi-shot clingo over the files of a knowledge base.

    Without the constraints every state has an answer, in which ``violated(K)`` holds of those that are violated.
    """

    def __init__(self, kb: KnowledgeBase, constraints: bool = True) -> None:
        options = [*clingo_arguments(kb.constants), "--warn=none", "--opt-mode=enum"]
        self._control = clingo.Control(options, logger=lambda code, text: None)
        if constraints:
            ground_with_costs(self._control, read_statements(kb.files, Limits().file_bytes, kb.request.library))
        else:
            ground_with_costs(self._control, read_rewritten_statements(kb.request, Limits())[0])
        self._names = {item.symbol: atom_from_symbol(item.symbol) for item in self._control.symbolic_atoms}
        self._literals = {self._names[item.symbol]: item.literal for item in self._control.symbolic_atoms}
        self._inputs = {name: self._literals[name] for name in kb.input_atoms}
        # Free externals under assumptions are faster than assigning the externals anew for every state.
        for literal in self._inputs.values():
            self._control.assign_external(literal, None)

    def solve(self, true_inputs: Collection[Atom], atoms: Collection[Atom] | None = None) -> OracleAnswer:
        """The atoms (those of `atoms`, which is much faster than all) and the cost of one state.

        Raises KeyError for an atom that is not an input.
        """
        true = {self._inputs[name] for name in true_inputs}
        assumptions = [literal if literal in true else -literal for literal in self._inputs.values()]
        with self._control.solve(assumptions=assumptions, yield_=True) as handle:
            for model in handle:
                return OracleAnswer(self._true_atoms(model, atoms), model.cost[0] if model.cost else 0)
        return OracleAnswer(None, 0)

    def _true_atoms(self, model: clingo.Model, among: Collection[Atom] | None) -> frozenset[Atom]:
        if among is None:
            return frozenset(map(self._names.__getitem__, model.symbols(atoms=True)))
        literals = self._literals
        return frozenset(name for name in among if name in literals and model.is_true(literals[name]))

    def answers(self, rows: NDArray[np.uint8], inputs: Sequence[Atom]) -> Iterable[OracleAnswer]:
        """The answer for every column of the rows of these inputs; all the other inputs are false."""
        for state in range(rows.shape[1]):
            yield self.solve(true_atoms(rows, inputs, state))


def true_atoms(rows: NDArray[np.uint8], inputs: Sequence[Atom], state: int) -> list[Atom]:
    """The inputs that hold in a column."""
    return [inputs[row] for row in rows[:, state].nonzero()[0].tolist()]


@dataclass(frozen=True)
class OutputTable:
    """What is so in some states, according to a circuit or to clingo."""

    outputs: tuple[Atom, ...]
    values: NDArray[np.uint8]  # [outputs, states], of no meaning where a state is inconsistent
    cost: NDArray[np.int32] | None  # [states] likewise; None where not all the costs are known
    consistent: NDArray[np.bool_]  # [states] whether no constraint is violated

    def select(self, states: slice, outputs: NDArray[np.int64]) -> OutputTable:
        """Some of the states and of the outputs."""
        return OutputTable(
            tuple(self.outputs[output] for output in outputs),
            self.values[outputs, states],
            None if self.cost is None else self.cost[states],
            self.consistent[states],
        )


def tabulate_oracle(
    oracle: Oracle,
    rows: NDArray[np.uint8],
    inputs: Sequence[Atom],
    outputs: Sequence[Atom],
    always_true: Sequence[Atom] = (),
    on_progress: Callable[[int], object] | None = None,
) -> OutputTable:
    """Clingo's answers for every column of the rows of these inputs.

    Other inputs are false, but for those that are always true. `on_progress` is told how many states are done.
    """
    import numpy as np

    states = rows.shape[1]
    values, cost = np.zeros((len(outputs), states), np.uint8), np.zeros(states, np.int32)
    consistent = np.zeros(states, np.bool_)
    for state in range(states):
        answer = oracle.solve((*true_atoms(rows, inputs, state), *always_true), outputs)
        if answer.atoms is not None:
            consistent[state], cost[state] = True, answer.cost
            values[:, state] = [name in answer.atoms for name in outputs]
        if on_progress is not None:
            on_progress(state + 1)
    return OutputTable(tuple(outputs), values, cost, consistent)


def compare_tables(
    circuit_table: OutputTable, oracle_table: OutputTable, inputs_of: Callable[[int], tuple[Atom, ...]]
) -> list[Mismatch]:
    """Where a circuit's answers differ from clingo's for the same outputs; ``inputs_of`` gives those of a state."""
    import numpy as np

    both = circuit_table.consistent & oracle_table.consistent
    asked = np.array([output.name != "violated" for output in circuit_table.outputs], bool)
    differs = (circuit_table.values != oracle_table.values) & both & asked[:, None]
    dearer = both & False if circuit_table.cost is None else both & (circuit_table.cost != oracle_table.cost)
    found = []
    for state in np.flatnonzero(
        differs.any(axis=0) | dearer | (circuit_table.consistent != oracle_table.consistent)
    ).tolist():
        for message in _differences(circuit_table, oracle_table, np.flatnonzero(differs[:, state]).tolist(), state):
            found.append(Mismatch(state, message, inputs_of(state)))
    return found


def _differences(claimed: OutputTable, solved: OutputTable, outputs: Sequence[int], state: int) -> Iterable[str]:
    if claimed.consistent[state] != solved.consistent[state]:
        yield f"a constraint is {'kept' if claimed.consistent[state] else 'violated'} for the circuit, not for clingo"
        return
    for output in outputs:
        value = bool(claimed.values[output, state])
        yield f"{claimed.outputs[output]} is {value} for the circuit, {not value} for clingo"
    if claimed.cost is not None and solved.cost is not None and claimed.cost[state] != solved.cost[state]:
        yield f"the cost is {claimed.cost[state]} for the circuit, {solved.cost[state]} for clingo"


def verify(
    kb: KnowledgeBase,
    circuit: Circuit,
    rows: NDArray[np.uint8],
    oracle: Oracle | None = None,
    on_progress: Callable[[int], object] | None = None,
) -> list[Mismatch]:
    """Compare a circuit with clingo on every column: the outputs, the costs, and whether a constraint is violated.

    Inputs that the circuit does not have are false for clingo, or what `specialise` made them. `on_progress` is told
    how many states are done.
    """
    assumed = [name for name, value in circuit.fixed_inputs.items() if value]
    claimed = tabulate_circuit(kb, circuit, rows)
    solved = tabulate_oracle(oracle or Oracle(kb), rows, circuit.inputs, circuit.outputs, assumed, on_progress)
    return compare_tables(claimed, solved, lambda state: (*true_atoms(rows, circuit.inputs, state), *assumed))


def tabulate_circuit(kb: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8]) -> OutputTable:
    """What a circuit says of every column of its input rows; the costs where it has them all."""
    assumed = [name for name, value in circuit.fixed_inputs.items() if value]
    results = evaluate(circuit, rows)
    complete = len(circuit.cost_rows[0]) == len(kb.circuit("cost/2").outputs)
    cost = scores(circuit, results) if complete else None
    return OutputTable(circuit.outputs, results, cost, ~_find_violations(kb, circuit, rows, assumed))


def _find_violations(
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
