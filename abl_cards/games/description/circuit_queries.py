"""Evaluate circuits with one dense array for each input predicate and each output predicate.

Used for queries that are evaluated once an episode; queries of every decision have kernels of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Term
from abl_cards.circuit import FALSE, Circuit, evaluate

Axes = tuple[tuple[Term, ...], ...]
"""Values of each argument of a predicate, in the order of the array's axis."""

BoolArray = NDArray[np.uint8]
"""0 or 1; the last axis runs over the states."""


@dataclass(frozen=True)
class ArrayQuery:
    """Circuit whose inputs and outputs are addressed as arrays.

    Attributes:
        circuit: Circuit to evaluate.
        inputs: Axes of each input predicate; a predicate without arguments has none.
        outputs: Axes of each output predicate.
    """

    circuit: Circuit
    inputs: Mapping[str, Axes]
    outputs: Mapping[str, Axes]

    def evaluate(self, num_states: int, **facts: BoolArray) -> dict[str, BoolArray]:
        """Evaluate the circuit.

        Args:
            num_states: Number of states.
            **facts: Array [*axes, states] of each input predicate; predicates without an array are false.

        Returns:
            Array uint8 [*axes, states] of each output predicate.
        """
        rows = np.zeros((len(self.circuit.inputs) + 1, num_states), dtype=np.uint8)
        for name, values in facts.items():
            predicate_rows = self._input_rows[name]
            rows[predicate_rows] = values.reshape(len(predicate_rows), num_states)
        answers = np.zeros((len(self.circuit.outputs) + 1, num_states), dtype=np.uint8)
        answers[:-1] = evaluate(self.circuit, rows[:-1])
        return {
            name: answers[self._output_rows[name]].reshape(*map(len, axes), num_states)
            for name, axes in self.outputs.items()
        }

    @cached_property
    def _input_rows(self) -> dict[str, NDArray[np.int64]]:
        return {name: atom_rows(self.circuit.inputs, name, axes) for name, axes in self.inputs.items()}

    @cached_property
    def _output_rows(self) -> dict[str, NDArray[np.int64]]:
        return {name: atom_rows(self.circuit.outputs, name, axes) for name, axes in self.outputs.items()}


def atom_rows(atoms: Sequence[tuple[str, tuple[Term, ...]]], name: str, axes: Axes) -> NDArray[np.int64]:
    """Find the row of each instance of a predicate.

    Args:
        atoms: Inputs or outputs of a circuit.
        name: Name of the predicate.
        axes: Values of each argument.

    Returns:
        int64 [product of the axes]; ``len(atoms)`` for instances that the circuit does not have.
    """
    position = {arguments: row for row, (predicate, arguments) in enumerate(atoms) if predicate == name}
    return np.fromiter(
        (position.get(arguments, len(atoms)) for arguments in product(*axes)), np.int64, prod(map(len, axes))
    )


def one_hot(values: NDArray[np.integer], size: int) -> BoolArray:
    """Encode numbers as one-hot vectors; negative numbers are encoded as zeros.

    Args:
        values: [..., n].
        size: Length of the vectors.

    Returns:
        uint8 [..., size, n].
    """
    return (values[..., None, :] == np.arange(size)[:, None]).astype(np.uint8)


def thermometer(values: NDArray[np.integer], size: int) -> BoolArray:
    """Encode counts as thermometer vectors: at least 1, 2, …, size.

    Args:
        values: [..., n].
        size: Length of the vectors.

    Returns:
        uint8 [..., size, n].
    """
    return (values[..., None, :] > np.arange(size)[:, None]).astype(np.uint8)


def with_outputs(circuit: Circuit, outputs: Sequence[Atom]) -> Circuit:
    """Return a circuit with other outputs.

    Args:
        circuit: Circuit.
        outputs: Outputs of the result, in this order; atoms that no rule derives are false.
    """
    literals = dict(zip(circuit.outputs, circuit.output_literals.tolist(), strict=True))
    chosen = np.array([literals.get(atom, FALSE) for atom in outputs], np.int32)
    return replace(circuit, outputs=tuple(outputs), output_literals=chosen)
