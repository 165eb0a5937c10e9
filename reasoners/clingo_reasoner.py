"""Rules with choices, disjunctions and negative loops in the abduction loop: clingo judges every candidate by itself.

A move contradicts such rules where no answer set has it; else it costs what the cheapest of its answer sets costs. That
is what a circuit says of rules without choices, some thousand times slower. What was asked once is remembered.

>>> reasoner = ClingoReasoner.of(engine, Path("my-plan"))  # doctest: +SKIP
>>> Minimiser(reasoner).best(decisions)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Engine, Estimate, MoveLists
from abl_cards.games.preferences import FactWriter, Preferences
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.open_rules import OpenRules
from abl_cards.games.soundness import check_open
from abl_cards.logic import Limits
from abl_cards.logic.solver import Solver, Wanted

MOST_REMEMBERED = 1 << 17
SECONDS = 20.0
"""For one candidate."""


@dataclass(frozen=True)
class ClingoReasoner(Preferences):
    """Judges moves by a folder that has no circuit; takes the place of a judge wherever there is one.

    It says what a move costs, and not by which preferences: answer sets differ in that.
    """

    solver: Solver = field(kw_only=True)
    writer: FactWriter = field(kw_only=True, repr=False)
    wanted: Wanted = field(kw_only=True)
    known: dict[bytes, tuple[int, bool]] = field(kw_only=True, default_factory=dict, repr=False)

    @classmethod
    def of(cls, engine: Engine, folder: Path, limits: Limits | None = None, seconds: float = SECONDS) -> Self:
        """By the rules of a folder, at tables of the engine; its profile is the engine's. Raises KBError."""
        rules = OpenRules(Folder(folder), engine.rules.profile)
        check_open(rules)
        return cls.asking(engine, Solver(rules.request(), limits), seconds)

    @classmethod
    def asking(cls, engine: Engine, solver: Solver, seconds: float = SECONDS) -> Self:
        """By rules that are ground already."""
        own = engine.judge()
        given = {each.name: getattr(own, each.name) for each in fields(Preferences)}
        writer = FactWriter.of(own.told, own.circuit, solver.inputs)
        return cls(**given, solver=solver, wanted=Wanted(texts=False, seconds=seconds), writer=writer)

    def fired(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Nothing of the kind is known; raises GameError."""
        raise GameError("clingo tells what a move costs, and not why: see its answer sets (kb solve)")

    def costs(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The least cost of the answer sets of each candidate, and whether there are any; raises GameError, KBError."""
        rows = self.writer.about(decisions, lists, estimate)
        packed = np.packbits(rows, axis=0)
        keys = [packed[:, move].tobytes() for move in range(packed.shape[1])]
        self._learn({key: move for move, key in enumerate(keys) if key not in self.known}, rows)
        found = [self.known[key] for key in keys]
        if len(self.known) > MOST_REMEMBERED:
            self.known.clear()
        return np.array([cost for cost, _ in found], np.int32), np.array([sound for _, sound in found], np.bool_)

    def _learn(self, new: dict[bytes, int], rows: NDArray[np.uint8]) -> None:
        states = [np.flatnonzero(rows[:, move]).tolist() for move in new.values()]
        for key, solved in zip(new, self.solver.solve(states, self.wanted), strict=True):
            proven = solved.satisfiable is False or solved.optimum in (True, None)
            if solved.satisfiable is None or not proven:
                raise GameError(
                    f"{self.solver.request.files[0].parent}: no optimum of a move within {self.wanted.seconds:g} s "
                    "(fewer choices, or allow more seconds)"
                )
            self.known[key] = (min(solved.costs, default=0) if solved.costs else 0), solved.satisfiable
