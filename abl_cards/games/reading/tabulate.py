"""Questions that look at nothing but a few fluents: their answers are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.contexts import Contexts, contexts_of
from abl_cards.games.reading.fluents import Fluents
from abl_cards.games.telling.writer import Fill, Told
from abl_cards.logic import KBError, Signature


@dataclass(frozen=True)
class Question:
    """A circuit, and its answers by context where they depend on nothing else."""

    told: Told
    contexts: Contexts | None
    answers: NDArray[np.uint8] | None  # [outputs, contexts]

    @classmethod
    def of(cls, told: Told, fluents: Fluents) -> Question:
        """Look up what can be looked up."""
        circuit = told.circuit
        if any(Signature(name, len(arguments)) not in fluents for name, arguments in circuit.inputs):
            return cls(told, None, None)
        try:
            contexts = contexts_of(fluents, [circuit])
        except KBError:  # too many to look up
            return cls(told, None, None)
        return cls(told, contexts, contexts.ask(circuit))

    def ask(self, state: NDArray[np.int16], which: NDArray[np.int64], fills: Mapping[str, Fill]) -> NDArray[np.uint8]:
        """[outputs, n] the answers at tables [n] of those that remember state [tables, slots]."""
        if self.contexts is None or self.answers is None:
            return self.told.ask(len(which), fills)
        return np.take(self.answers, self.contexts.of(state[which]), axis=1)  # row by row in memory, as circuits answer
