"""Questions to a knowledge base as arrays: one dense array an input predicate in, one a output predicate out.

For questions asked once an episode; the ones asked at every decision have kernels of their own.
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
"""For each argument of a predicate the values it takes, in the order of the array's axis."""

BoolArray = NDArray[np.uint8]
"""0 or 1; the last axis runs over the states."""


@dataclass(frozen=True)
class ArrayQuery:
    """A circuit whose inputs and outputs are addressed as arrays.

    ``inputs`` and ``outputs`` give the axes of each predicate; a predicate of no arguments has none.
    """

    circuit: Circuit
    inputs: Mapping[str, Axes]
    outputs: Mapping[str, Axes]

    def evaluate(self, num_states: int, **facts: BoolArray) -> dict[str, BoolArray]:
        """Evaluate: facts ``name=[*axes, states]``, those not given are false; returns ``{name: [*axes, states]}``."""
        rows = np.zeros((len(self.circuit.inputs) + 1, num_states), dtype=np.uint8)
        for name, values in facts.items():
            at = self._input_rows[name]
            rows[at] = values.reshape(len(at), num_states)
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
    """[product of the axes] the row of each instance; the row behind the last where the circuit has no use for it."""
    position = {arguments: row for row, (predicate, arguments) in enumerate(atoms) if predicate == name}
    return np.fromiter(
        (position.get(arguments, len(atoms)) for arguments in product(*axes)), np.int64, prod(map(len, axes))
    )


def one_hot(values: NDArray[np.integer], size: int) -> BoolArray:
    """[..., n] numbers to [..., size, n]; a negative number has no one."""
    return (values[..., None, :] == np.arange(size)[:, None]).astype(np.uint8)


def thermometer(values: NDArray[np.integer], size: int) -> BoolArray:
    """[..., n] counts to [..., size, n]: at least 1, 2, ..., size."""
    return (values[..., None, :] > np.arange(size)[:, None]).astype(np.uint8)


def with_outputs(circuit: Circuit, outputs: Sequence[Atom]) -> Circuit:
    """The same circuit with these outputs in this order; an atom that no rule derives is false."""
    literals = dict(zip(circuit.outputs, circuit.output_literals.tolist(), strict=True))
    chosen = np.array([literals.get(atom, FALSE) for atom in outputs], np.int32)
    return replace(circuit, outputs=tuple(outputs), output_literals=chosen)
