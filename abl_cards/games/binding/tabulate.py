"""Questions that look at nothing but a few fluents: their answers are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import KBError, Signature
from abl_cards.games.binding.writer import CircuitQuery, ColumnWriter
from abl_cards.games.description import Contexts, Fluents, find_contexts


@dataclass(frozen=True)
class TabulatedQuery:
    """A circuit, and its answers by context where they depend on nothing else."""

    query: CircuitQuery
    contexts: Contexts | None
    answers: NDArray[np.uint8] | None  # [outputs, contexts]

    @classmethod
    def from_query(cls, query: CircuitQuery, fluents: Fluents) -> TabulatedQuery:
        """Look up what can be looked up."""
        circuit = query.circuit
        if any(Signature(name, len(arguments)) not in fluents for name, arguments in circuit.inputs):
            return cls(query, None, None)
        try:
            contexts = find_contexts(fluents, [circuit])
        except KBError:  # too many to look up
            return cls(query, None, None)
        return cls(query, contexts, contexts.evaluate(circuit))

    def evaluate(
        self, state: NDArray[np.int16], rows: NDArray[np.int64], writers: Mapping[str, ColumnWriter]
    ) -> NDArray[np.uint8]:
        """[outputs, n] the answers at tables [n] of those that remember state [tables, slots]."""
        if self.contexts is None or self.answers is None:
            return self.query.evaluate(len(rows), writers)
        return np.take(
            self.answers, self.contexts.compute_index(state[rows]), axis=1
        )  # row by row in memory, as circuits answer
