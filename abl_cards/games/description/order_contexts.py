"""Contexts: combinations of the fluents on which the order of the plays and the cells of cards depend.

Circuits that depend on nothing else are evaluated once for every context; a table then stores the index of its context.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Signature, make_kb_error
from abl_cards.circuit import Circuit, evaluate
from abl_cards.core import ErrorCode, kernel
from abl_cards.games.description.fluents import COUNTER, SINGLE_VALUED, Fluents

MAX_CONTEXTS = 4096
"""Maximum number of contexts of a game."""


@dataclass(frozen=True)
class Contexts:
    """Contexts as the combinations of numbers in some slots of the fluents.

    Attributes:
        fluents: Fluents of the game.
        slots: Slots that matter.
        sizes: Number of values of each slot, NO_VALUE included.
        min_values: Least number in each slot.
    """

    fluents: Fluents
    slots: tuple[int, ...]
    sizes: tuple[int, ...]
    min_values: tuple[int, ...]

    def __len__(self) -> int:
        return prod(self.sizes)

    @cached_property
    def fluent_names(self) -> tuple[str, ...]:
        """Names of the fluents that matter, in the order of the fluents."""
        slots = set(self.slots)
        return tuple(fluent.signature.name for fluent in self.fluents.fluents if slots.intersection(fluent.slots))

    def compute_index(self, state: NDArray[np.int16]) -> NDArray[np.int16]:
        """Compute the indices of contexts.

        Args:
            state: int16 [n, slots], values of the fluents.

        Returns:
            int16 [n].
        """
        return self.compute_index_at(state, np.arange(len(state)))

    def compute_index_at(self, state: NDArray[np.int16], rows: NDArray[np.integer]) -> NDArray[np.int16]:
        """Compute the indices of contexts of some tables, reading only the slots that matter.

        Args:
            state: int16 [tables, slots], values of the fluents.
            rows: [n], indices of tables.

        Returns:
            int16 [n].
        """
        contexts: NDArray[np.int16] = _compute_index(state, rows, self._slot_table)
        return contexts

    @cached_property
    def _slot_table(self) -> NDArray[np.int64]:
        """[slots that matter, 3] slot, number of its values, and least value."""
        return np.array([self.slots, self.sizes, self.min_values], np.int64).T.copy()

    @cached_property
    def fluent_states(self) -> NDArray[np.int16]:
        """[contexts, slots] values of the fluents in each context; slots that do not matter have initial numbers."""
        state = np.tile(self.fluents.defaults, (len(self), 1))
        values = np.indices(self.sizes).reshape(len(self.sizes), len(self))
        for slot, lowest, column in zip(self.slots, self.min_values, values, strict=True):
            state[:, slot] = column + lowest
        state.flags.writeable = False  # cached, as it is read at every decision
        return state

    def input_rows(self, circuit: Circuit) -> NDArray[np.uint8]:
        """Compute the inputs of a circuit in each context.

        Args:
            circuit: Circuit; its inputs that are not fluents are false.

        Returns:
            uint8 [inputs, contexts].
        """
        return compute_fluent_inputs(self.fluents, circuit.inputs, self.fluent_states)

    def evaluate(self, circuit: Circuit) -> NDArray[np.uint8]:
        """Evaluate a circuit in each context.

        Args:
            circuit: Circuit; its inputs that are not fluents are false.

        Returns:
            uint8 [outputs, contexts].
        """
        return evaluate(circuit, self.input_rows(circuit))


@kernel
def _compute_index(state, rows, table):
    contexts = np.zeros(len(rows), np.int16)
    for i in range(len(rows)):
        index = np.int64(0)
        for position in range(len(table)):
            slot, size, lowest = table[position]
            index = index * size + max(np.int64(0), min(np.int64(state[rows[i], slot]) - lowest, size - 1))
        contexts[i] = index
    return contexts


def compute_fluent_inputs(fluents: Fluents, inputs: Sequence[Atom], state: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Compute which inputs hold for values of the fluents.

    Args:
        fluents: Fluents of the game.
        inputs: Inputs of a circuit; those that are not fluents are false.
        state: int16 [n, slots], values of the fluents.

    Returns:
        uint8 [inputs, n].
    """
    rows = np.zeros((len(inputs), len(state)), np.uint8)
    for row, (name, arguments) in enumerate(inputs):
        signature = Signature(name, len(arguments))
        fluent_slot = fluents[signature].locate(arguments) if signature in fluents else None
        if fluent_slot is not None:
            values = state[:, fluent_slot.slot]
            rows[row] = (
                values == fluent_slot.value
                if fluents[signature].value_type == SINGLE_VALUED
                else values >= fluent_slot.value
            )
    return rows


def find_contexts(fluents: Fluents, circuits: Iterable[Circuit]) -> Contexts:
    """Find the contexts of some circuits: the combinations of the fluents that they read.

    Args:
        fluents: Fluents of the game.
        circuits: Circuits of the order of plays and of the cells of cards.

    Raises:
        KBError: A circuit reads a private fluent, or there are too many combinations.
    """
    max_values: dict[int, int] = {}
    for name, arguments in (atom for circuit in circuits for atom in circuit.inputs):
        signature = Signature(name, len(arguments))
        if signature in fluents:
            fluent = fluents[signature]
            fluent_slot = fluent.locate(arguments)
            if fluent_slot is not None:
                max_value = len(fluent.values) - 1 if fluent.value_type == SINGLE_VALUED else fluent_slot.value
                max_values[fluent_slot.slot] = max(max_values.get(fluent_slot.slot, 1), max_value)
    if private := sorted(set(max_values) & set(fluents.private_slots[:, 0].tolist())):
        signature = next(fluent.signature for fluent in fluents.fluents if private[0] in fluent.slots)
        raise make_kb_error(
            f"private({signature.name},{signature.arity}): the order of the plays depends on it",
            "make it visible to all seats",
            ErrorCode.INVALID_FLUENT,
        )
    value_types = {slot: fluent.value_type for fluent in fluents.fluents for slot in fluent.slots}
    slots = tuple(sorted(max_values))
    min_values = tuple(-1 if value_types[slot] == SINGLE_VALUED else 0 for slot in slots)
    contexts = Contexts(
        fluents,
        slots,
        tuple(max_values[slot] - min_value + 1 for slot, min_value in zip(slots, min_values, strict=True)),
        min_values,
    )
    if len(contexts) > MAX_CONTEXTS:
        counts = [slot for slot in slots if value_types[slot] == COUNTER]
        advice = "let the order of the plays depend on fewer fluents" + (", and on no count" if counts else "")
        message = f"the order of the plays depends on {len(contexts)} combinations of fluents"
        raise make_kb_error(message, advice, ErrorCode.GAME_TOO_LARGE)
    return contexts
