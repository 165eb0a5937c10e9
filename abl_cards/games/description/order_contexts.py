"""Contexts: combinations of the fluents on which the order of the plays and what cards act as depend.

What depends on nothing else is asked about every context once; a table then knows its context by a number.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.asp import Atom, Signature, make_kb_error
from abl_cards.circuit import Circuit, evaluate
from abl_cards.games.description.fluents import COUNTER, SINGLE_VALUED, Fluents

MAX_CONTEXTS = 4096


@dataclass(frozen=True)
class Contexts:
    """Some slots of the fluents, and how many values each has; none of a single value is one of them."""

    fluents: Fluents
    slots: tuple[int, ...]
    sizes: tuple[int, ...]
    min_values: tuple[int, ...]  # the number that a slot has at least

    def __len__(self) -> int:
        return prod(self.sizes)

    def compute_index(self, state: NDArray[np.int16]) -> NDArray[np.int16]:
        """[n] the contexts of tables that remember [n, slots]."""
        return self.compute_index_at(state, np.arange(len(state)))

    def compute_index_at(self, state: NDArray[np.int16], rows: NDArray[np.integer]) -> NDArray[np.int16]:
        """[n] the contexts of tables rows [n] of those that remember [tables, slots]; reads no other slots."""
        found: NDArray[np.int16] = _compute_index(state, rows, self._slot_table)
        return found

    @cached_property
    def _slot_table(self) -> NDArray[np.int64]:
        """[slots of contexts, 3] the slot, how many values it has, and the lowest."""
        return np.array([self.slots, self.sizes, self.min_values], np.int64).T.copy()

    @cached_property
    def fluent_states(self) -> NDArray[np.int16]:
        """[contexts, slots of all fluents] what tables remember in each; what does not matter is as at first."""
        state = np.tile(self.fluents.defaults, (len(self), 1))
        values = np.indices(self.sizes).reshape(len(self.sizes), len(self))
        for slot, lowest, column in zip(self.slots, self.min_values, values, strict=True):
            state[:, slot] = column + lowest
        state.flags.writeable = False  # kept: it is asked for at every decision
        return state

    def input_rows(self, circuit: Circuit) -> NDArray[np.uint8]:
        """[inputs, contexts] what a circuit is told of each; inputs that are no fluents are false."""
        return compute_fluent_inputs(self.fluents, circuit.inputs, self.fluent_states)

    def evaluate(self, circuit: Circuit) -> NDArray[np.uint8]:
        """[outputs, contexts] the answers in each."""
        return evaluate(circuit, self.input_rows(circuit))


@njit(cache=True, nogil=True)
def _compute_index(state, rows, table):
    found = np.zeros(len(rows), np.int16)
    for i in range(len(rows)):
        number = np.int64(0)
        for place in range(len(table)):
            slot, size, lowest = table[place]
            number = number * size + max(np.int64(0), min(np.int64(state[rows[i], slot]) - lowest, size - 1))
        found[i] = number
    return found


def compute_fluent_inputs(fluents: Fluents, inputs: Sequence[Atom], state: NDArray[np.int16]) -> NDArray[np.uint8]:
    """[inputs, n] which inputs hold at tables that remember [n, slots]; those that are no fluents do not."""
    rows = np.zeros((len(inputs), len(state)), np.uint8)
    for row, (name, arguments) in enumerate(inputs):
        signature = Signature(name, len(arguments))
        place = fluents[signature].locate(arguments) if signature in fluents else None
        if place is not None:
            numbers = state[:, place.slot]
            rows[row] = (
                numbers == place.value if fluents[signature].value_type == SINGLE_VALUED else numbers >= place.value
            )
    return rows


def find_contexts(fluents: Fluents, circuits: Iterable[Circuit]) -> Contexts:
    """The fluents that some circuits depend on; raises KBError where they have too many combinations."""
    largest: dict[int, int] = {}
    for name, arguments in (atom for circuit in circuits for atom in circuit.inputs):
        signature = Signature(name, len(arguments))
        if signature in fluents:
            fluent = fluents[signature]
            place = fluent.locate(arguments)
            if place is not None:
                most = len(fluent.values) - 1 if fluent.value_type == SINGLE_VALUED else place.value
                largest[place.slot] = max(largest.get(place.slot, 1), most)
    if secret := sorted(set(largest) & set(fluents.private_slots[:, 0].tolist())):
        whose = next(each.signature for each in fluents.fluents if secret[0] in each.slots)
        raise make_kb_error(
            f"private({whose.name},{whose.arity}): the order of the plays depends on it", "let everybody know it"
        )
    manner = {slot: fluent.value_type for fluent in fluents.fluents for slot in fluent.slots}
    slots = tuple(sorted(largest))
    lowest = tuple(-1 if manner[slot] == SINGLE_VALUED else 0 for slot in slots)
    found = Contexts(
        fluents, slots, tuple(largest[slot] - low + 1 for slot, low in zip(slots, lowest, strict=True)), lowest
    )
    if len(found) > MAX_CONTEXTS:
        counts = [slot for slot in slots if manner[slot] == COUNTER]
        advice = "let the order of the plays depend on fewer fluents" + (", and on no count" if counts else "")
        raise make_kb_error(f"the order of the plays depends on {len(found)} combinations of fluents", advice)
    return found
