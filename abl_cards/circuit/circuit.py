"""Circuits: a ground program as gates over inputs, to be evaluated for many states at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from abl_cards.asp import Atom, Term

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRUE, FALSE = 0, 1
"""The two literals of node 0."""
AND, OR, SUM = 0, 1, 2
"""Kinds of gates."""


@dataclass(frozen=True)
class CircuitStats:
    """Size of a circuit; `depth` counts the gates on the longest path, on which a loop counts as one gate."""

    inputs: int
    outputs: int
    gates: int
    literals: int
    depth: int
    loops: int


@dataclass(frozen=True, eq=False)
class Circuit:
    """Gates in topological order.

    Node 0 is the constant true, nodes 1 … are the inputs, then come the gates. A literal is `2 * node + negated`,
    so literal 0 is true and literal 1 is false. Gate g has the operands `literals[starts[g]:starts[g + 1]]`. It is
    their conjunction, their disjunction, or true when the weights of its true literals add up to at least its bound.
    Inside `loops` (ranges of gates) literals may point forward: start from false and repeat until nothing changes.

    Attributes:
        inputs: Input atoms.
        outputs: Output atoms.
        output_literals: int32[outputs] Literal of each output.
        kinds: int32[gates] AND, OR or SUM.
        starts: int32[gates + 1] Index of the first literal of each gate.
        literals: int32[literals] Operands of all gates.
        weights: int32[literals] Positive weights; 1 outside of sums.
        bounds: int32[gates] Least sum of weights of a SUM gate.
        loops: int32[loops, 2] First gate, and the gate behind the last one.
        fixed_inputs: Inputs that `specialise` fixed, with their values.
    """

    inputs: tuple[Atom, ...]
    outputs: tuple[Atom, ...]
    output_literals: NDArray[np.int32]
    kinds: NDArray[np.int32]
    starts: NDArray[np.int32]
    literals: NDArray[np.int32]
    weights: NDArray[np.int32]
    bounds: NDArray[np.int32]
    loops: NDArray[np.int32]
    fixed_inputs: Mapping[Atom, bool] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Circuit({self.stats})"

    def input_rows(self, name: str, arity: int) -> dict[tuple[Term, ...], int]:
        """Return the rows of an input predicate.

        Args:
            name: Name of the predicate.
            arity: Number of its arguments.

        Returns:
            The row by the arguments, for each instance that the outputs depend on.
        """
        return self._input_rows.get((name, arity), {})

    def output_rows(self, name: str, arity: int) -> dict[tuple[Term, ...], int]:
        """Return the rows of an output predicate.

        Args:
            name: Name of the predicate.
            arity: Number of its arguments.

        Returns:
            The row by the arguments, for each instance, constant ones included.
        """
        return self._output_rows.get((name, arity), {})

    def specialise(self, values: Mapping[Atom, bool]) -> Circuit:
        """Fix inputs, propagate the constants, and drop gates and inputs that no output depends on.

        Args:
            values: Inputs with their values.

        Returns:
            The smaller circuit, with equal outputs.
        """
        from abl_cards.circuit.compile import specialise_circuit

        return specialise_circuit(self, values)

    def without_false_outputs(self) -> Circuit:
        """Return a copy without the outputs that are constantly false."""
        rows = np.flatnonzero(self.output_literals != FALSE)
        outputs = tuple(self.outputs[row] for row in rows.tolist())
        return replace(self, outputs=outputs, output_literals=self.output_literals[rows])

    @property
    def num_gates(self) -> int:
        """Number of gates."""
        return len(self.kinds)

    @property
    def first_gate(self) -> int:
        """Node of gate 0."""
        return 1 + len(self.inputs)

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 digest of the content, fixed inputs included."""
        names = repr((self.inputs, self.outputs, sorted(self.fixed_inputs.items(), key=repr)))
        digest = sha256(names.encode())
        for values in (
            self.output_literals, self.kinds, self.starts, self.literals, self.weights, self.bounds, self.loops
        ):  # fmt: skip
            digest.update(len(values).to_bytes(8, "little") + values.astype(np.int32).tobytes())
        return digest.digest()

    @cached_property
    def stats(self) -> CircuitStats:
        """Size of the circuit."""
        depth = int(self.levels.max(initial=0))
        return CircuitStats(
            len(self.inputs), len(self.outputs), self.num_gates, len(self.literals), depth, len(self.loops)
        )

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """int32[gates] Length of the longest path to each gate; all gates of a loop have one level."""
        level = [0] * (self.first_gate + self.num_gates)
        loops = {int(first): int(end) for first, end in self.loops}
        nodes, starts = (self.literals >> 1).tolist(), self.starts.tolist()
        gate = 0
        while gate < self.num_gates:
            end = loops.get(gate, gate + 1)
            depth = 1 + max((level[node] for node in nodes[starts[gate] : starts[end]]), default=0)
            level[self.first_gate + gate : self.first_gate + end] = [depth] * (end - gate)
            gate = end
        return np.array(level[self.first_gate :], np.int32)

    @cached_property
    def cost_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """int64[costs] rows and int32[costs] weights of the `cost(Name, Weight)` outputs."""
        rows = self.output_rows("cost", 2)
        weights = [weight for _, weight in rows]
        return np.array(list(rows.values()), np.int64), np.array(weights, np.int32)

    @cached_property
    def _input_rows(self) -> dict[tuple[str, int], dict[tuple[Term, ...], int]]:
        return _by_predicate(self.inputs)

    @cached_property
    def _output_rows(self) -> dict[tuple[str, int], dict[tuple[Term, ...], int]]:
        return _by_predicate(self.outputs)


def _by_predicate(atoms: tuple[Atom, ...]) -> dict[tuple[str, int], dict[tuple[Term, ...], int]]:
    rows: dict[tuple[str, int], dict[tuple[Term, ...], int]] = {}
    for row, (name, args) in enumerate(atoms):
        rows.setdefault((name, len(args)), {})[args] = row
    return rows
