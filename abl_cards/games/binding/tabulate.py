"""Circuit queries that read only a few fluents, evaluated by a lookup in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import KBError, Signature
from abl_cards.games.binding.circuit_query import CircuitQuery
from abl_cards.games.description import ColumnWriter, Contexts, Fluents, find_contexts


@dataclass(frozen=True)
class TabulatedQuery:
    """Circuit query with a table of its outputs, if these depend on a few fluents only.

    Attributes:
        query: Query that is evaluated if there is no table.
        contexts: Combinations of fluents; None if the query reads other inputs, or there are too many combinations.
        answers: uint8 [outputs, contexts], outputs in each context; None if there is no table.
    """

    query: CircuitQuery
    contexts: Contexts | None
    answers: NDArray[np.uint8] | None

    @classmethod
    def from_query(cls, query: CircuitQuery, fluents: Fluents) -> TabulatedQuery:
        """Tabulate the outputs of a query, if it reads fluents only.

        Args:
            query: Query to tabulate.
            fluents: Fluents of the game.
        """
        circuit = query.circuit
        if any(Signature(name, len(arguments)) not in fluents for name, arguments in circuit.inputs):
            return cls(query, None, None)
        try:
            contexts = find_contexts(fluents, [circuit])
        except KBError:  # too many combinations to tabulate
            return cls(query, None, None)
        return cls(query, contexts, contexts.evaluate(circuit))

    def evaluate(
        self, state: NDArray[np.int16], rows: NDArray[np.int64], writers: Mapping[str, ColumnWriter]
    ) -> NDArray[np.uint8]:
        """Look up or evaluate the outputs at some tables.

        Args:
            state: int16 [tables, slots], values of the fluents.
            rows: int64 [n], indices of tables.
            writers: Writers of the columns of each group, used if there is no table.

        Returns:
            uint8 [outputs, n].
        """
        if self.contexts is None or self.answers is None:
            return self.query.evaluate(len(rows), writers)
        # np.take gives a C-contiguous result, as evaluating a circuit does.
        return np.take(self.answers, self.contexts.compute_index(state[rows]), axis=1)
