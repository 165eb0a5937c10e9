"""Plans: circuits in a form in which the most probable consistent assignment follows by one pass from the inputs.

Each position of a sequence holds exactly one label. A plan consists of leaves (a set of labels at one position),
disjunctions whose parts mention equal positions, and conjunctions whose parts mention different positions. So the best
score of a conjunction is the sum of the best scores of its parts, that of a disjunction the maximum. In the literature
such a circuit is decomposable and smooth (Darwiche and Marquis 2002). Circuits of rules that process a sequence from
left to right nearly have this form. Others are rewritten, up to a bound on their size.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.circuit import FALSE, TRUE, Circuit

MAX_NODES = 1 << 21
"""Most nodes of a plan."""
LEAF, CONTEXT, CONJUNCTION, DISJUNCTION, CONSTANT = range(5)
"""Kinds of nodes."""
NOTHING, ANYTHING = 0, 1
"""Nodes of the constants false and true."""
_AND, _OR = 0, 1  # kinds of gates of a circuit; the third is a sum

Layer = tuple[tuple[int, int], ...]
"""Conditions that exclude one another, each a node, with the weight that each adds to a sum."""


class PlanTooLarge(Exception):
    """Raised where a circuit has no plan within the bound on nodes."""


class _Gates(NamedTuple):
    """Gates of a circuit as lists, and its inputs that are labels."""

    first: int  # number of the first gate
    kinds: list[int]
    starts: list[int]  # [gates + 1] first operand of each gate
    least: list[int]  # bound of each sum
    operands: list[int]  # literals
    weights: list[int]
    sums: set[int]  # numbers of the gates that are bounds on sums
    symbols: dict[int, tuple[int, int]]  # position and label by input

    @classmethod
    def of(cls, circuit: Circuit, symbol_rows: NDArray[np.int32]) -> _Gates:
        """Read the gates of a circuit, and the inputs of the labels at each position."""
        symbols = {
            int(row): (position, label)
            for position, rows in enumerate(symbol_rows)
            for label, row in enumerate(rows)
            if row >= 0
        }
        return cls(
            circuit.first_gate,
            circuit.kinds.tolist(),
            circuit.starts.tolist(),
            circuit.bounds.tolist(),
            circuit.literals.tolist(),
            circuit.weights.tolist(),
            set((circuit.first_gate + np.flatnonzero(circuit.kinds > _OR)).tolist()),
            symbols,
        )

    def read(self, literal: int) -> tuple[int, list[int]]:
        """Return kind and operands of the gate of a literal."""
        gate = (literal >> 1) - self.first
        return self.kinds[gate], self.operands[self.starts[gate] : self.starts[gate + 1]]

    def dependencies(self, literal: int) -> list[int]:
        """Return the literals from which the node of a literal is made."""
        if literal >> 1 < self.first:
            return []
        negated, (kind, operands) = literal & 1, self.read(literal)
        if kind not in (_AND, _OR):
            return operands + [operand ^ 1 for operand in operands if (operand >> 1) - 1 not in self.symbols]
        if negated:
            operands = [operand ^ 1 for operand in operands]
        is_disjunction = (kind == _OR) != bool(negated)
        if is_disjunction or not self.sums or self.sums.isdisjoint(operand >> 1 for operand in operands):
            return operands
        parts = [self.dependencies(operand) if operand >> 1 in self.sums else [operand] for operand in operands]
        return [operand for part in parts for operand in part]


class AssignmentPlan:
    """Plan of a circuit, built output by output; a node has a larger number than its parts.

    Attributes:
        kind: Kind of each node.
        first: Position of a leaf, input of a context node, first part of a conjunction.
        second: Labels of a leaf as the bits of an integer, polarity of a context node, second part of a conjunction.
        parts: Parts of each disjunction; empty for other nodes.
        scope: Positions that each node mentions, as the bits of an integer.
        is_full: Whether a node was rejected because the bound on their number was reached.
    """

    def __init__(self, circuit: Circuit, symbol_rows: NDArray[np.int32], constraints: Sequence[int]) -> None:
        """Begin a plan.

        Args:
            circuit: Circuit whose inputs are labels and context.
            symbol_rows: int32[length, labels] Input of each label at each position; -1 for none.
            constraints: Outputs that no consistent assignment makes true.

        Raises:
            PlanTooLarge: The circuit has loops, or the constraints need too many nodes.
        """
        if len(circuit.loops):
            raise PlanTooLarge
        self.kind = array("i", [CONSTANT, CONSTANT])
        self.first, self.second = array("i", [0, 1]), [0, 0]
        self._kernel_second, self._starts, self._members = array("i", [0, 0]), array("i", [0, 0, 0]), array("i")
        self.parts: list[tuple[int, ...]] = [(), ()]
        self.scope = [0, 0]
        self.is_full = False
        self.length, self.num_labels = symbol_rows.shape
        self._full = (1 << self.num_labels) - 1
        self._numbers: dict[tuple[object, ...], int] = {}
        self._joined: dict[tuple[int, int], int] = {}
        self._literals: dict[int, int] = {TRUE: ANYTHING, FALSE: NOTHING}
        self._sums: dict[tuple[Layer, ...], dict[int, int]] = {(): {0: ANYTHING}}
        self._layers_of_sum: dict[bytes, tuple[Layer, ...]] = {}
        self._outputs: dict[int, int] = {}
        self._circuit, self._gates = circuit, _Gates.of(circuit, symbol_rows)
        self._constraint = ANYTHING
        for row in constraints:
            violated = int(circuit.output_literals[row])
            self._constraint = self.conjoin(self._constraint, self._lower(violated ^ 1))

    def __len__(self) -> int:
        return len(self.kind)

    def output(self, row: int) -> int:
        """Return the node of an output that holds while no constraint is violated.

        Args:
            row: Output of the circuit.

        Raises:
            PlanTooLarge: The node needs too many others.
        """
        node = self._outputs.get(row)
        if node is None:
            node = self.conjoin(self._lower(int(self._circuit.output_literals[row])), self._constraint)
            self._outputs[row] = node
        return node

    def target(self, rows: Sequence[Sequence[int]]) -> int:
        """Return the node of assignments for which one output of each group holds; it mentions all positions.

        Args:
            rows: Groups of outputs.

        Raises:
            PlanTooLarge: The node needs too many others.
        """
        node = ANYTHING
        for group in rows:
            node = self.conjoin(node, self.disjoin(map(self.output, group)))
        return node if node == NOTHING else self._mention(node, (1 << self.length) - 1)

    def leaf(self, position: int, labels: int) -> int:
        """Return the node of a set of labels at one position.

        Args:
            position: The position.
            labels: The labels, as the bits of an integer.
        """
        if labels == 0:
            return NOTHING
        return self._add(LEAF, position, labels, (), 1 << position)

    def disjoin(self, nodes: Iterable[int]) -> int:
        """Return the node of a disjunction.

        Args:
            nodes: Its parts.
        """
        labels: dict[int, int] = defaultdict(int)
        others: set[int] = set()
        for node in nodes:
            if node == ANYTHING:
                return ANYTHING
            if self.kind[node] == LEAF:
                labels[self.first[node]] |= self.second[node]
            elif self.kind[node] == DISJUNCTION:
                others.update(self.parts[node])
            elif node != NOTHING:
                others.add(node)
        parts = sorted(others.union(self.leaf(position, bits) for position, bits in labels.items()))
        if len(parts) < 2:
            return parts[0] if parts else NOTHING
        scope = 0
        for node in parts:
            scope |= self.scope[node]
        smooth = tuple(sorted({self._mention(node, scope) for node in parts}))
        return smooth[0] if len(smooth) == 1 else self._add(DISJUNCTION, 0, 0, smooth, scope)

    def conjoin(self, one: int, other: int) -> int:
        """Return the node of a conjunction; parts that mention equal positions are multiplied out.

        Args:
            one: First part.
            other: Second part.

        Raises:
            PlanTooLarge: The node needs too many others.
        """
        if one > other:
            one, other = other, one
        if one == NOTHING or other == ANYTHING:
            return one
        if one in (ANYTHING, other):
            return other
        if not self.scope[one] & self.scope[other]:
            return self._add(CONJUNCTION, one, other, (), self.scope[one] | self.scope[other])
        node = self._joined.get((one, other))
        if node is None:
            node = self._joined[one, other] = self._multiply_out(one, other)
        return node

    def _multiply_out(self, one: int, other: int) -> int:
        kinds = self.kind[one], self.kind[other]
        if kinds == (LEAF, LEAF):
            return self.leaf(self.first[one], self.second[one] & self.second[other])
        if kinds[0] == CONJUNCTION or (kinds[1] != CONJUNCTION and kinds[0] == LEAF):
            one, other = other, one
        if self.kind[other] == CONJUNCTION:
            left, right = self.first[other], self.second[other]
            if not self.scope[left] & self.scope[one]:
                return self.conjoin(left, self.conjoin(right, one))
            return self.conjoin(right, self.conjoin(left, one))
        if self.kind[other] == LEAF or len(self.parts[one]) < len(self.parts[other]):
            one, other = other, one
        return self.disjoin([self.conjoin(part, one) for part in self.parts[other]])

    def _add(self, kind: int, first: int, second: int, parts: tuple[int, ...], scope: int) -> int:
        key = (kind, first, second, parts)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.kind)
            if number >= MAX_NODES:
                raise PlanTooLarge
            self.kind.append(kind)
            self.first.append(first)
            self.second.append(second)
            self.parts.append(parts)
            self.scope.append(scope)
            self._kernel_second.append(0 if kind == LEAF else second)
            if kind == LEAF:
                self._members.extend(label for label in range(self.num_labels) if second >> label & 1)
            else:
                self._members.extend(parts)
            self._starts.append(len(self._members))
        return number

    def to_arrays(self) -> tuple[NDArray[np.int32], ...]:
        """Return the nodes as arrays of `plan_kernels`.

        Returns:
            int32[nodes] kinds, first and second fields; int32[nodes + 1] first member of each node; members: parts of
            disjunctions and labels of leaves.
        """
        fields = self.kind, self.first, self._kernel_second, self._starts, self._members
        return tuple(np.array(field, np.int32) for field in fields)

    def _mention(self, node: int, scope: int) -> int:
        """Conjoin a node with leaves of all labels, so that it mentions these positions."""
        missing = scope & ~self.scope[node]
        while missing:
            position = (missing & -missing).bit_length() - 1
            node = self.conjoin(node, self.leaf(position, self._full))
            missing &= missing - 1
        return node

    def _lower(self, literal: int) -> int:
        """Return the node of a literal of the circuit; what it depends on is lowered first, without recursion."""
        nodes = self._literals
        stack = [literal]
        while stack:
            top = stack.pop()
            if top < 0:  # its dependencies are lowered
                top = ~top
                nodes[top] = self._lower_gate(top) if top >> 1 >= self._gates.first else self._lower_input(top)
            elif top not in nodes:
                stack.append(~top)
                stack += [operand for operand in self._gates.dependencies(top) if operand not in nodes]
        return nodes[literal]

    def _lower_input(self, literal: int) -> int:
        row, negated = (literal >> 1) - 1, literal & 1
        if row not in self._gates.symbols:
            return self._add(CONTEXT, row, 1 - negated, (), 0)
        position, label = self._gates.symbols[row]
        return self.leaf(position, self._full & ~(1 << label) if negated else 1 << label)

    def _lower_gate(self, literal: int) -> int:
        """Return the node of a gate, or of its negation; the nodes of its operands exist."""
        nodes, sum_gates, negated = self._literals, self._gates.sums, literal & 1
        kind, operands = self._gates.read(literal)
        if kind not in (_AND, _OR):
            return self._sum_between([literal])
        if negated:
            operands = [operand ^ 1 for operand in operands]
        if (kind == _OR) != bool(negated):
            return self.disjoin([nodes[operand] for operand in operands])
        sums = [operand for operand in operands if operand >> 1 in sum_gates] if sum_gates else []
        node = self._sum_between(sums) if sums else ANYTHING
        for operand in operands:
            if operand >> 1 not in sum_gates:
                node = self.conjoin(node, nodes[operand])
        return node

    def _sum_between(self, literals: Sequence[int]) -> int:
        """Return the node of a conjunction of bounds on sums; bounds on one sum are joined first."""
        bounds: dict[tuple[Layer, ...], tuple[int, int]] = {}
        starts, least = self._gates.starts, self._gates.least
        for literal in literals:
            gate = (literal >> 1) - self._gates.first
            layers = self._layers(starts[gate], starts[gate + 1])
            low, high = bounds.get(layers, (0, 1 << 31))
            bounds[layers] = (low, min(high, least[gate])) if literal & 1 else (max(low, least[gate]), high)
        node = ANYTHING
        for layers, (low, high) in bounds.items():
            states = self._sum_states(layers)
            node = self.conjoin(node, self.disjoin(states[total] for total in states if low <= total < high))
        return node

    def _layers(self, first: int, end: int) -> tuple[Layer, ...]:
        """Return the terms of a sum, given by its span of operands; bounds on one sum have equal terms."""
        key = self._circuit.literals[first:end].tobytes() + self._circuit.weights[first:end].tobytes()
        layers = self._layers_of_sum.get(key)
        if layers is None:
            layers = self._make_layers(self._gates.operands[first:end], self._gates.weights[first:end])
            self._layers_of_sum[key] = layers
        return layers

    def _make_layers(self, literals: Sequence[int], weights: Sequence[int]) -> tuple[Layer, ...]:
        """Return the terms of a sum, those of one position as one layer of conditions that exclude one another."""
        by_position: dict[int, list[int]] = {}
        others: list[Layer] = []
        for literal, weight in zip(literals, weights, strict=True):
            node = self._literals[literal]
            if self.kind[node] == LEAF:
                label_weights = by_position.setdefault(self.first[node], [0] * self.num_labels)
                for label in range(self.num_labels):
                    label_weights[label] += weight * (self.second[node] >> label & 1)
            else:
                others.append(((node, weight), (self._literals[literal ^ 1], 0)))
        layers = []
        for position, label_weights in sorted(by_position.items()):
            labels: dict[int, int] = defaultdict(int)
            for label, weight in enumerate(label_weights):
                labels[weight] |= 1 << label
            layers.append(tuple((self.leaf(position, bits), weight) for weight, bits in sorted(labels.items())))
        return (*layers, *sorted(others))

    def _sum_states(self, layers: tuple[Layer, ...]) -> dict[int, int]:
        """Return the node of each value that a sum can have."""
        count = len(layers)
        while layers[:count] not in self._sums:
            count -= 1
        states = self._sums[layers[:count]]
        for number in range(count, len(layers)):
            parts: dict[int, list[int]] = defaultdict(list)
            for total, node in states.items():
                for condition, weight in layers[number]:
                    parts[total + weight].append(self.conjoin(node, condition))
            states = {total: self.disjoin(nodes) for total, nodes in sorted(parts.items())}
            self._sums[layers[: number + 1]] = states
        return states
