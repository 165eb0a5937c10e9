"""A circuit: the ground program as gates over input rows, ready to be evaluated for many states at once."""

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

TRUE, FALSE = 0, 1  # the two literals of node 0
AND, OR, SUM = 0, 1, 2  # kinds of gates


@dataclass(frozen=True)
class CircuitStats:
    """The size of a circuit; depth counts gates on the longest path (a recursive component counts its gates once)."""

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
    so literal 0 is true and literal 1 is false. Gate g holds `literals[starts[g]:starts[g + 1]]` and is their
    conjunction, their disjunction, or "the weights of its true literals add up to at least its bound".
    Inside `loops` (ranges of gates) literals may point forward: start from false and repeat until nothing changes.
    """

    inputs: tuple[Atom, ...]
    outputs: tuple[Atom, ...]
    output_literals: NDArray[np.int32]  # [outputs]
    kinds: NDArray[np.int32]  # [gates]
    starts: NDArray[np.int32]  # [gates + 1]
    literals: NDArray[np.int32]  # [literals]
    weights: NDArray[np.int32]  # [literals], positive; 1 outside of sums
    bounds: NDArray[np.int32]  # [gates]
    loops: NDArray[np.int32]  # [loops, 2], first gate and the gate after the last
    fixed_inputs: Mapping[Atom, bool] = field(default_factory=dict)  # inputs fixed by `specialise`

    def __repr__(self) -> str:
        return f"Circuit({self.stats})"

    def input_rows(self, name: str, arity: int) -> dict[tuple[Term, ...], int]:
        """The row of every instance of an input predicate that the outputs still depend on."""
        return self._input_rows.get((name, arity), {})

    def output_rows(self, name: str, arity: int) -> dict[tuple[Term, ...], int]:
        """The row of every instance of an output predicate, constant ones included."""
        return self._output_rows.get((name, arity), {})

    def specialise(self, values: Mapping[Atom, bool]) -> Circuit:
        """Fix some inputs: the constants are propagated and what no longer matters is dropped."""
        from abl_cards.circuit.compile import specialise_circuit

        return specialise_circuit(self, values)

    def without_false_outputs(self) -> Circuit:
        """The same without the outputs that are constantly false: nobody has to write them, or look at them."""
        kept = np.flatnonzero(self.output_literals != FALSE)
        outputs = tuple(self.outputs[output] for output in kept.tolist())
        return replace(self, outputs=outputs, output_literals=self.output_literals[kept])

    @property
    def num_gates(self) -> int:
        return len(self.kinds)

    @property
    def first_gate(self) -> int:
        """The node of gate 0."""
        return 1 + len(self.inputs)

    @cached_property
    def digest(self) -> bytes:
        """Equal for circuits of equal content, and for no others."""
        names = repr((self.inputs, self.outputs, sorted(self.fixed_inputs.items(), key=repr)))
        found = sha256(names.encode())
        for each in (
            self.output_literals, self.kinds, self.starts, self.literals, self.weights, self.bounds, self.loops
        ):  # fmt: skip
            found.update(len(each).to_bytes(8, "little") + each.astype(np.int32).tobytes())
        return found.digest()

    @cached_property
    def stats(self) -> CircuitStats:
        depth = int(self.levels.max(initial=0))
        return CircuitStats(
            len(self.inputs), len(self.outputs), self.num_gates, len(self.literals), depth, len(self.loops)
        )

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """[gates] the length of the longest path to each gate; all the gates of a loop share one level."""
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
        """Rows of the `cost(Name, Weight)` outputs and their weights."""
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
