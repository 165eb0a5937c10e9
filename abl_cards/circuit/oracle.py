"""Reference for circuits: clingo solves equal files for one state after another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
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
    """Answer of clingo for one state.

    Attributes:
        atoms: True atoms; None when an integrity constraint is violated.
        cost: Sum of the weights of the true ``cost(Name,Weight)``.
    """

    atoms: frozenset[Atom] | None
    cost: int


@dataclass(frozen=True)
class Mismatch:
    """Difference between circuit and clingo in one state.

    Attributes:
        state: Column of the state.
        message: The difference.
        inputs: Inputs that are true in the state.
    """

    state: int
    message: str
    inputs: tuple[Atom, ...]

    def __str__(self) -> str:
        return f"state {self.state}: {self.message}; inputs: {', '.join(map(str, self.inputs)) or 'none'}"


class Oracle:
    """Multi-shot clingo over the files of a knowledge base.

    Without constraints every state has an answer, in which ``violated(K)`` is true for violated constraints K.
    """

    def __init__(self, kb: KnowledgeBase, constraints: bool = True) -> None:
        """Ground the files.

        Args:
            kb: The knowledge base.
            constraints: Whether a state that violates a constraint has no answer.
        """
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
        """Solve one state.

        Args:
            true_inputs: Inputs that are true; all others are false.
            atoms: Atoms to look up; None for all, which is much slower.

        Returns:
            The true atoms among these, and the cost.

        Raises:
            KeyError: An atom of `true_inputs` is not an input.
        """
        with self._control.solve(assumptions=self._assumptions(true_inputs), yield_=True) as handle:
            for model in handle:
                return OracleAnswer(self._true_atoms(model, atoms), model.cost[0] if model.cost else 0)
        return OracleAnswer(None, 0)

    def find_literals(self, atoms: Sequence[Atom]) -> list[int]:
        """Return the literal of each atom for `solve_literals`, 0 for one that no rule derives."""
        return [self._literals.get(name, 0) for name in atoms]

    def solve_literals(self, true_inputs: Collection[Atom], literals: Sequence[int]) -> tuple[list[bool] | None, int]:
        """Solve one state, faster than `solve` where many atoms are looked up in many states.

        Args:
            true_inputs: Inputs that are true; all others are false.
            literals: Literals of the atoms to look up.

        Returns:
            Whether each is true, None where a constraint is violated; and the cost.
        """
        with self._control.solve(assumptions=self._assumptions(true_inputs), yield_=True) as handle:
            for model in handle:
                is_true = model.is_true
                values = [literal != 0 and is_true(literal) for literal in literals]
                return values, model.cost[0] if model.cost else 0
        return None, 0

    @cached_property
    def facts(self) -> frozenset[Atom]:
        """Atoms that the grounder found true in every state."""
        return frozenset(self._names[item.symbol] for item in self._control.symbolic_atoms if item.is_fact)

    def _assumptions(self, true_inputs: Collection[Atom]) -> list[int]:
        true_literals = {self._inputs[name] for name in true_inputs}
        return [literal if literal in true_literals else -literal for literal in self._inputs.values()]

    def _true_atoms(self, model: clingo.Model, among: Collection[Atom] | None) -> frozenset[Atom]:
        if among is None:
            return frozenset(map(self._names.__getitem__, model.symbols(atoms=True)))
        literals = self._literals
        return frozenset(name for name in among if name in literals and model.is_true(literals[name]))

    def answers(self, rows: NDArray[np.uint8], inputs: Sequence[Atom]) -> Iterable[OracleAnswer]:
        """Solve the states of a table.

        Args:
            rows: uint8[inputs, states] Values of the inputs.
            inputs: The inputs of the rows; all others are false.

        Yields:
            The answer for each state, with all atoms.
        """
        for state in range(rows.shape[1]):
            yield self.solve(true_atoms(rows, inputs, state))


def true_atoms(rows: NDArray[np.uint8], inputs: Sequence[Atom], state: int) -> list[Atom]:
    """Return the inputs that are true in a state.

    Args:
        rows: uint8[inputs, states] Values of the inputs.
        inputs: The inputs of the rows.
        state: Column of the state.

    Returns:
        The true inputs, in the order of the rows.
    """
    return [inputs[row] for row in rows[:, state].nonzero()[0].tolist()]


@dataclass(frozen=True)
class OutputTable:
    """Results of a circuit or of clingo for a number of states.

    Attributes:
        outputs: The output atoms.
        values: uint8[outputs, states] Their values; undefined for an inconsistent state.
        cost: int32[states] Costs, undefined for an inconsistent state; None where not all costs are known.
        consistent: bool[states] Whether no constraint is violated.
    """

    outputs: tuple[Atom, ...]
    values: NDArray[np.uint8]
    cost: NDArray[np.int32] | None
    consistent: NDArray[np.bool]

    def select(self, states: slice, outputs: NDArray[np.int64]) -> OutputTable:
        """Return the results of some states and outputs.

        Args:
            states: Columns to keep.
            outputs: int64[kept outputs] Rows to keep.

        Returns:
            A table of these.
        """
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
    """Solve the states of a table by clingo.

    Args:
        oracle: clingo with the ground rules.
        rows: uint8[inputs, states] Values of the inputs.
        inputs: The inputs of the rows; others are false.
        outputs: Atoms to look up.
        always_true: Further inputs that are true in all states.
        on_progress: Called with the number of solved states.

    Returns:
        Values of the outputs, costs, and consistency of each state.
    """
    import numpy as np

    states = rows.shape[1]
    values, cost = np.zeros((len(outputs), states), np.uint8), np.zeros(states, np.int32)
    consistent = np.zeros(states, np.bool_)
    literals = oracle.find_literals(outputs)
    for state in range(states):
        truth, state_cost = oracle.solve_literals((*true_atoms(rows, inputs, state), *always_true), literals)
        if truth is not None:
            consistent[state], cost[state], values[:, state] = True, state_cost, truth
        if on_progress is not None:
            on_progress(state + 1)
    return OutputTable(tuple(outputs), values, cost, consistent)


def compare_tables(
    circuit_table: OutputTable, oracle_table: OutputTable, inputs_of: Callable[[int], tuple[Atom, ...]]
) -> list[Mismatch]:
    """Compare two tables of equal outputs and states.

    Args:
        circuit_table: Results of the circuit.
        oracle_table: Results of clingo.
        inputs_of: Returns the true inputs of a state.

    Returns:
        All differences, by state.
    """
    import numpy as np

    both = circuit_table.consistent & oracle_table.consistent
    is_compared = np.array([output.name != "violated" for output in circuit_table.outputs], bool)
    differs = (circuit_table.values != oracle_table.values) & both & is_compared[:, None]
    cost_differs = both & False if circuit_table.cost is None else both & (circuit_table.cost != oracle_table.cost)
    mismatches = []
    for state in np.flatnonzero(
        differs.any(axis=0) | cost_differs | (circuit_table.consistent != oracle_table.consistent)
    ).tolist():
        for message in _differences(circuit_table, oracle_table, np.flatnonzero(differs[:, state]).tolist(), state):
            mismatches.append(Mismatch(state, message, inputs_of(state)))
    return mismatches


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
    """Compare a circuit with clingo: its outputs, its costs, and whether a constraint is violated.

    Args:
        kb: Knowledge base of the circuit.
        circuit: Circuit to verify; for clingo, inputs that it does not have are false, or as `specialise` fixed them.
        rows: uint8[inputs, states] Values of the inputs of the circuit.
        oracle: clingo with the ground rules; by default a new one.
        on_progress: Called with the number of states that clingo has solved.

    Returns:
        All differences, by state.
    """
    fixed_true = [name for name, value in circuit.fixed_inputs.items() if value]
    circuit_table = tabulate_circuit(kb, circuit, rows)
    oracle_table = tabulate_oracle(oracle or Oracle(kb), rows, circuit.inputs, circuit.outputs, fixed_true, on_progress)
    return compare_tables(
        circuit_table, oracle_table, lambda state: (*true_atoms(rows, circuit.inputs, state), *fixed_true)
    )


def tabulate_circuit(kb: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8]) -> OutputTable:
    """Evaluate a circuit for the states of a table.

    Args:
        kb: Knowledge base of the circuit.
        circuit: Circuit to evaluate.
        rows: uint8[inputs, states] Values of its inputs.

    Returns:
        Values of the outputs, consistency, and the costs when the circuit has all ``cost/2`` as outputs.
    """
    fixed_true = [name for name, value in circuit.fixed_inputs.items() if value]
    results = evaluate(circuit, rows)
    has_all_costs = len(circuit.cost_rows[0]) == len(kb.circuit("cost/2").outputs)
    cost = scores(circuit, results) if has_all_costs else None
    return OutputTable(circuit.outputs, results, cost, ~_find_violations(kb, circuit, rows, fixed_true))


def _find_violations(
    kb: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8], fixed_true: Sequence[Atom]
) -> NDArray[np.bool_]:
    """Return bool[states]: whether any constraint is violated, by a circuit of all constraints."""
    import numpy as np

    constraints = kb.circuit("violated/1")
    values_by_input = {name: rows[row] for row, name in enumerate(circuit.inputs)}
    full = np.zeros((len(constraints.inputs), rows.shape[1]), np.uint8)
    for row, name in enumerate(constraints.inputs):
        full[row] = values_by_input.get(name, 1 if name in fixed_true else 0)
    is_violated: NDArray[np.bool_] = np.any(evaluate(constraints, full), axis=0)
    return is_violated
