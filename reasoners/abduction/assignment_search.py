"""Search for consistent assignments of labels to the positions of a sequence, on the circuit of a program.

Where the circuit has a plan, the most probable assignments follow by dynamic programming over the part of the plan that
the requested results depend on. Otherwise a best-first search extends assignments position by position. It evaluates 64
partial assignments in a word. The circuit has two values for each gate: whether it can be true, and whether it must be.
Assignments that cannot lead to the requested result are cut off.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice, pairwise, product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import Circuit, CircuitInputs, evaluate, evaluate_inputs
from abl_cards.reasoners.abduction.assignment_plans import NOTHING, AssignmentPlan, PlanTooLarge
from abl_cards.reasoners.abduction.programs import CompiledProgram

Groups = tuple[tuple[int, ...], ...]
"""Outputs of a requested result: one output of each group must hold."""
BLOCK_STATES = 4096
"""Assignments that are evaluated together."""
_DIGITS = 9  # decimal digits to which bounds are compared, which hides errors of rounding
MAX_EXPANSIONS = 8
"""Partial assignments of an example that are extended at once."""


class AssignmentSolver(Protocol):
    """Finds consistent assignments of one length."""

    def best(
        self, groups: Sequence[Groups], scores: NDArray[np.float64], context: Sequence[Sequence[int]], k: int
    ) -> NDArray[np.int16]:
        """Find the best assignments of examples.

        Args:
            groups: Requested results of each of n examples.
            scores: float64[n, length, labels] Scores of labels, to be added up.
            context: True context inputs of each example.
            k: Number of assignments.

        Returns:
            int16[n, k, length] Labels, best assignment first; -1 where there are fewer.
        """
        ...

    def revisions(
        self, groups: Groups, current: NDArray[np.int16], context: Sequence[int], most: int, more: int
    ) -> NDArray[np.int16]:
        """Find the consistent assignments with few changes, in the order of ``KBBase._abduce_by_search``.

        Args:
            groups: Requested results.
            current: int16[length] Labels to revise.
            context: True context inputs.
            most: Most positions that change.
            more: Further changes beyond the least number that gives an assignment.

        Returns:
            int16[m, length] The assignments.
        """
        ...


class _Cone(NamedTuple):
    """Nodes that a target depends on, as arrays of `plan_kernels`."""

    nodes: NDArray[np.int32]  # [3, nodes] kind, first and second field
    start: NDArray[np.int32]  # [nodes + 1] first member of each node
    members: NDArray[np.int32]  # parts of disjunctions, labels of leaves


@dataclass(frozen=True, eq=False)
class PlanSolver:
    """Solver by dynamic programming over a plan, which grows as results are requested.

    Where it would exceed its bound, `CircuitSolver` takes over.

    Attributes:
        program: The compiled program.
        plan: Plan of its circuit.
    """

    program: CompiledProgram
    plan: AssignmentPlan

    @classmethod
    def of(cls, program: CompiledProgram) -> PlanSolver | None:
        """Make the plan of a program.

        Args:
            program: The compiled program.

        Returns:
            The solver; None where the circuit has loops, or its constraints alone need too large a plan.
        """
        try:
            plan = AssignmentPlan(program.circuit, program.symbol_rows, program.violation_rows)
        except (PlanTooLarge, RecursionError):
            return None
        return cls(program, plan)

    @cached_property
    def _search(self) -> CircuitSolver:
        return CircuitSolver(self.program)

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        """uint64[length, labels] Random numbers that distinguish assignments."""
        shape = (self.plan.length, self.plan.num_labels)
        return np.random.default_rng(0).integers(0, 1 << 64, shape, np.uint64)

    @cached_property
    def _cones(self) -> dict[Groups, _Cone | None]:
        return {}

    def best(
        self, groups: Sequence[Groups], scores: NDArray[np.float64], context: Sequence[Sequence[int]], k: int
    ) -> NDArray[np.int16]:
        """Find the best assignments of examples; see `AssignmentSolver.best`."""
        from abl_cards.reasoners.abduction import plan_kernels

        if not self._add_cones(groups):
            return self._search.best(groups, scores, context, k)
        distinct = {target: index for index, target in enumerate(dict.fromkeys(groups))}
        cones = [self._cones[target] for target in distinct]
        valid_cones = [cone for cone in cones if cone is not None]
        out = np.full((len(groups), k, self.plan.length), -1, np.int16)
        if not valid_cones:
            return out
        numbers = np.cumsum([cone is not None for cone in cones]) - 1
        number_of = np.where([cone is not None for cone in cones], numbers, -1).astype(np.int32)
        cone_of = number_of[[distinct[target] for target in groups]]
        arrays = (
            np.concatenate([cone.nodes for cone in valid_cones], axis=1),
            np.concatenate([cone.start for cone in valid_cones]),
            np.concatenate([cone.members for cone in valid_cones]),
            *(
                np.cumsum([0, *map(len, parts)])
                for parts in (
                    [cone.nodes[0] for cone in valid_cones],
                    [cone.start for cone in valid_cones],
                    [cone.members for cone in valid_cones],
                )
            ),
            cone_of,
            np.ascontiguousarray(scores, np.float64),
            self._context_values(context),
        )
        if k == 1:
            plan_kernels.best_assignments(*arrays, out)
        else:
            plan_kernels.several_assignments(*arrays, self._keys, out)
        return out

    def revisions(
        self, groups: Groups, current: NDArray[np.int16], context: Sequence[int], most: int, more: int
    ) -> NDArray[np.int16]:
        """Find the consistent assignments with few changes; see `AssignmentSolver.revisions`."""
        from abl_cards.reasoners.abduction import plan_kernels

        if not self._add_cones([groups]):
            return self._search.revisions(groups, current, context, most, more)
        length = self.plan.length
        changes = np.full((1, length, self.plan.num_labels), -1.0)
        changes[0, np.arange(length), current] = 0.0
        nearest = self.best([groups], changes, [context], 1)[0, 0]
        least = int((nearest != current).sum())
        cone = self._cones[groups]
        if cone is None or (length and nearest[0] < 0) or least > most:
            return np.empty((0, length), np.int16)
        values = self._context_values([context])[0]
        return np.concatenate(
            [
                plan_kernels.revise_exactly(*cone, current, self.plan.num_labels, revisions, values)
                for revisions in range(least, min(least + more, most, length) + 1)
            ]
        )

    def _context_values(self, context: Sequence[Sequence[int]]) -> NDArray[np.uint8]:
        """uint8[n, inputs] Values of the inputs of the circuit, of which plans read those of the context."""
        if not any(context):
            return np.zeros((len(context), 1 + max(self.program.context_rows.values(), default=0)), np.uint8)
        values = np.zeros((len(context), len(self.program.circuit.inputs)), np.uint8)
        for row, true_inputs in enumerate(context):
            values[row, list(true_inputs)] = 1
        return values

    def _add_cones(self, groups: Sequence[Groups]) -> bool:
        """Find the part of the plan that each target depends on; return whether the plan is within its bound."""
        from abl_cards.reasoners.abduction import plan_kernels

        missing = [target for target in dict.fromkeys(groups) if target not in self._cones]
        if not missing:
            return True
        if self.plan.is_full:
            return False
        try:
            nodes = [NOTHING if any(not group for group in target) else self.plan.target(target) for target in missing]
        except (PlanTooLarge, RecursionError):
            self.plan.is_full = True
            return False
        arrays, size = self.plan.to_arrays(), len(self.plan)
        visited, stack, numbers = np.zeros(size, np.bool_), np.empty(size, np.int32), np.empty(size, np.int32)
        for target, node in zip(missing, nodes, strict=True):
            if node == NOTHING:
                self._cones[target] = None
                continue
            members = plan_kernels.find_cone(*arrays, node, visited, stack)
            cone = plan_kernels.renumber_cone(*arrays, members, numbers)
            self._cones[target] = _Cone(*cone)
        return True


@dataclass(frozen=True, eq=False)
class CircuitSolver:
    """Solver by best-first search, for circuits without a plan.

    Attributes:
        program: The compiled program.
    """

    program: CompiledProgram

    def best(
        self, groups: Sequence[Groups], scores: NDArray[np.float64], context: Sequence[Sequence[int]], k: int
    ) -> NDArray[np.int16]:
        """Find the best assignments of examples; see `AssignmentSolver.best`."""
        length = self.program.length
        out = np.full((len(groups), k, length), -1, np.int16)
        searches = [_BestFirst(row, score, out[row]) for row, score in enumerate(scores) if all(map(len, groups[row]))]
        while searches:
            extensions = [search.extend() for search in searches]
            if not any(map(len, extensions)):
                break
            assignments = np.concatenate(extensions)
            sizes = list(map(len, extensions))
            owner = np.repeat([search.row for search in searches], sizes)
            possible = self._are_possible(assignments, [groups[row] for row in owner], [context[row] for row in owner])
            for search, end, size in zip(searches, np.cumsum(sizes), sizes, strict=True):
                search.add(assignments[end - size : end][possible[end - size : end]])
            searches = [search for search in searches if not search.is_done]
        return out

    def revisions(
        self, groups: Groups, current: NDArray[np.int16], context: Sequence[int], most: int, more: int
    ) -> NDArray[np.int16]:
        """Find the consistent assignments with few changes; see `AssignmentSolver.revisions`."""
        length = self.program.length
        revised_blocks: list[NDArray[np.int16]] = []
        last = min(most, length)
        for revisions in range(min(most, length) + 1):
            if revisions > last:
                break
            consistent = self._revise_exactly(groups, current, context, revisions)
            if len(consistent) and not revised_blocks:
                last = min(last, revisions + more)
            revised_blocks += [consistent] if len(consistent) else []
        return np.concatenate([np.empty((0, length), np.int16), *revised_blocks])

    def _revise_exactly(
        self, groups: Groups, current: NDArray[np.int16], context: Sequence[int], revisions: int
    ) -> NDArray[np.int16]:
        blocks = [np.empty((0, len(current)), np.int16)]
        if all(map(len, groups)):
            states = _iter_revisions(current.tolist(), self.program.symbol_rows.shape[1], revisions)
            while block := list(islice(states, BLOCK_STATES)):
                assignments = np.array(block, np.int16).reshape(len(block), len(current))
                blocks.append(assignments[self.are_consistent(assignments, groups, context)])
        return np.concatenate(blocks)

    def are_consistent(
        self, assignments: NDArray[np.int16], groups: Groups, context: Sequence[int]
    ) -> NDArray[np.bool_]:
        """Evaluate the program.

        Args:
            assignments: int16[n, length] Labels.
            groups: Requested results.
            context: True context inputs.

        Returns:
            bool[n] Whether the result holds and no constraint is violated.
        """
        out = evaluate_assignments(self.program, assignments, context)
        consistent: NDArray[np.bool_] = ~np.any(out[self.program.violation_rows], axis=0)
        for group in groups:
            consistent &= out[list(group)].any(axis=0)
        return consistent

    @cached_property
    def _dual(self) -> Circuit:
        return make_dual_circuit(self.program.circuit, self.program.violation_rows)

    def _are_possible(
        self, assignments: NDArray[np.int16], groups: Sequence[Groups], context: Sequence[Sequence[int]]
    ) -> NDArray[np.bool_]:
        """Return bool[n] whether partial assignments, with -1 for free positions, may lead to the requested results."""
        symbol_rows = self.program.symbol_rows
        num_states, num_labels = len(assignments), symbol_rows.shape[1]
        rows = np.zeros((2 * len(self.program.circuit.inputs), num_states), np.uint8)
        used = symbol_rows >= 0
        chosen = assignments.T[:, None, :] == np.arange(num_labels)[None, :, None]
        rows[2 * symbol_rows[used]] = (chosen | (assignments.T < 0)[:, None, :])[used]
        rows[2 * symbol_rows[used] + 1] = chosen[used]
        for state, true_inputs in enumerate(context):
            for row in true_inputs:
                rows[2 * row : 2 * row + 2, state] = 1
        out = evaluate(self._dual, rows).astype(np.bool_)
        possible: NDArray[np.bool_] = ~np.any(out[len(self.program.circuit.outputs) :], axis=0)
        starts = [0, *(i for i in range(1, num_states) if groups[i] is not groups[i - 1]), num_states]
        for first, end in pairwise(starts):
            for group in groups[first]:
                possible[first:end] &= out[list(group), first:end].any(axis=0)
        return possible


class _BestFirst:
    """Best-first search of one example."""

    def __init__(self, row: int, scores: NDArray[np.float64], out: NDArray[np.int16]) -> None:
        """Begin with the empty assignment; `scores` [length, labels], `out` [k, length] receives the results."""
        self.row, self.out, self.found = row, out, 0
        self._scores = scores
        best_left = np.cumsum(scores.max(axis=1)[::-1])[::-1]
        self._bounds = scores + np.append(best_left[1:], 0.0)[:, None]  # of a label, with the best ones behind it
        # least first: by the bound, then the longest, because equal bounds are many where a model is unsure
        self._heap: list[tuple[float, int, int, tuple[int, ...], float]] = [
            (-float(best_left[:1].sum()), 0, 0, (), 0.0)
        ]
        self._expanded: list[tuple[tuple[int, ...], float]] = []
        self._count = 0

    @property
    def is_done(self) -> bool:
        """True if all requested assignments are found, or no others exist."""
        return self.found == len(self.out) or not self._heap

    def extend(self) -> NDArray[np.int16]:
        """Take the best partial assignments, and return int16[n, length] their extensions by one label."""
        length, num_labels = self._scores.shape
        self._expanded = []
        while self._heap and self.found < len(self.out) and len(self._expanded) < MAX_EXPANSIONS:
            prefix = self._heap[0][3]
            if len(prefix) == length:
                if self._expanded:
                    break
                self.out[self.found] = prefix
                self.found += 1
                heapq.heappop(self._heap)
            else:
                self._expanded.append((prefix, heapq.heappop(self._heap)[4]))
        states = np.full((len(self._expanded) * num_labels, length), -1, np.int16)
        for index, (prefix, _) in enumerate(self._expanded):
            block = states[index * num_labels : (index + 1) * num_labels]
            block[:, : len(prefix)] = prefix
            block[:, len(prefix)] = np.arange(num_labels)
        return states

    def add(self, assignments: NDArray[np.int16]) -> None:
        """Add extensions that may lead to the requested result."""
        before = dict(self._expanded)
        for labels in assignments.tolist():
            size = labels.index(-1) if labels[-1] < 0 else len(labels)
            prefix = tuple(labels[:size])
            score = before[prefix[:-1]]
            bound = score + float(self._bounds[size - 1, prefix[-1]])
            score += float(self._scores[size - 1, prefix[-1]])
            self._count += 1
            heapq.heappush(self._heap, (round(-bound, _DIGITS), -size, self._count, prefix, score))


def _iter_revisions(current: Sequence[int], num_labels: int, revisions: int) -> Iterator[list[int]]:
    """Yield the assignments that differ at exactly `revisions` positions: by positions, then by labels."""
    others = [[label for label in range(num_labels) if label != old] for old in current]
    for positions in combinations(range(len(current)), revisions):
        for labels in product(*(others[position] for position in positions)):
            revised = list(current)
            for position, label in zip(positions, labels, strict=True):
                revised[position] = label
            yield revised


def evaluate_assignments(
    program: CompiledProgram, assignments: NDArray[np.int16], context: Sequence[int]
) -> NDArray[np.bool_]:
    """Evaluate the circuit of a program.

    Args:
        program: The program.
        assignments: int16[n, length] Labels.
        context: True context inputs.

    Returns:
        bool[outputs, n] Values of its outputs.
    """
    symbols = program.symbol_rows[np.arange(program.length), assignments].T  # [length, n]
    fixed = np.repeat(np.array(context, np.int32)[:, None], len(assignments), axis=1)
    one_hot = np.ascontiguousarray(np.concatenate([symbols, fixed]), np.int32)
    inputs = CircuitInputs(np.empty((0, len(assignments)), np.uint8), np.empty(0, np.int32), one_hot)
    return evaluate_inputs(program.circuit, inputs, lambda first, end: None).astype(np.bool_)


def make_dual_circuit(circuit: Circuit, violations: Sequence[int]) -> Circuit:
    """Make a circuit of the outputs that can be true and those that must be, where some inputs are unknown.

    Args:
        circuit: Circuit over inputs i.
        violations: Outputs for which the circuit also computes whether they must be true.

    Returns:
        Circuit over inputs 2i (input i can be true) and 2i + 1 (it must be). Its outputs are whether each output of the
        circuit can be true, then whether each of `violations` must be.
    """

    def double(literals: NDArray[np.int32], must: bool) -> NDArray[np.int32]:
        node, negated = literals >> 1, literals & 1
        certain = (negated == 1) != must  # a negated literal can be true where its node need not be
        return np.where(node == 0, literals, 2 * (2 * node - 1 + certain) + negated).astype(np.int32)

    lengths = np.diff(circuit.starts)
    order = np.argsort(np.concatenate([2 * np.repeat(np.arange(len(lengths)), lengths)] * 2)
                       + np.repeat([0, 1], len(circuit.literals)), kind="stable")  # fmt: skip
    literals = np.concatenate([double(circuit.literals, False), double(circuit.literals, True)])[order]
    must_violate = double(circuit.output_literals[list(violations)], True)
    return replace(
        circuit,
        inputs=tuple(atom for atom in circuit.inputs for _ in range(2)),
        outputs=(*circuit.outputs, *(circuit.outputs[row] for row in violations)),
        output_literals=np.concatenate([double(circuit.output_literals, False), must_violate]),
        kinds=np.repeat(circuit.kinds, 2),
        starts=np.concatenate([[0], np.repeat(lengths, 2).cumsum()]).astype(np.int32),
        literals=literals,
        weights=np.concatenate([circuit.weights, circuit.weights])[order],
        bounds=np.repeat(circuit.bounds, 2),
        loops=2 * circuit.loops,
    )
