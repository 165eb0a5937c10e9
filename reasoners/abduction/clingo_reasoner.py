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
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import ClingoSolver, Limits, SolveOptions
from abl_cards.core import GameError
from abl_cards.games import Engine, check_open_rules
from abl_cards.games.description import Folder, OpenRules
from abl_cards.games.preferences import CompiledPreferences, InputWriter
from abl_cards.games.types import HandEstimate, MoveLists

if TYPE_CHECKING:
    from abl_cards.games.tables import Choices, Decisions

MAX_CACHED = 1 << 17
TIME_LIMIT_SECONDS = 20.0
"""For one candidate."""


@dataclass(frozen=True)
class ClingoReasoner(CompiledPreferences):
    """Judges moves by a folder that has no circuit; takes the place of a judge wherever there is one.

    It says what a move costs, and not by which preferences: answer sets differ in that.
    """

    solver: ClingoSolver = field(kw_only=True)
    input_writer: InputWriter = field(kw_only=True, repr=False)
    solve_options: SolveOptions = field(kw_only=True)
    cache: dict[bytes, tuple[int, bool]] = field(kw_only=True, default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, engine: Engine, folder: Path, limits: Limits | None = None, seconds: float = TIME_LIMIT_SECONDS
    ) -> Self:
        """By the rules of a folder, at tables of the engine; its profile is the engine's. Raises KBError."""
        rules = OpenRules(Folder(folder), engine.rules.profile)
        check_open_rules(rules)
        return cls.from_solver(engine, ClingoSolver(rules.build_request(), limits), seconds)

    @classmethod
    def from_solver(cls, engine: Engine, solver: ClingoSolver, seconds: float = TIME_LIMIT_SECONDS) -> Self:
        """By rules that are ground already."""
        own = engine.preference_model()
        given = {each.name: getattr(own, each.name) for each in fields(CompiledPreferences)}
        writer = InputWriter.from_preference_inputs(own.input_source, own.circuit, solver.inputs)
        return cls(
            **given, solver=solver, solve_options=SolveOptions(with_atoms=False, seconds=seconds), input_writer=writer
        )

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Nothing of the kind is known; raises GameError."""
        raise GameError("clingo tells what a move costs, and not why: see its answer sets (kb solve)")

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The least cost of the answer sets of each candidate, and whether there are any; raises GameError, KBError."""
        rows = self.input_writer.encode_moves(decisions, lists, estimate)
        packed = np.packbits(rows, axis=0)
        keys = [packed[:, move].tobytes() for move in range(packed.shape[1])]
        self._solve_new({key: move for move, key in enumerate(keys) if key not in self.cache}, rows)
        found = [self.cache[key] for key in keys]
        if len(self.cache) > MAX_CACHED:
            self.cache.clear()
        return np.array([cost for cost, _ in found], np.int32), np.array([sound for _, sound in found], np.bool_)

    def _solve_new(self, new: dict[bytes, int], rows: NDArray[np.uint8]) -> None:
        states = [np.flatnonzero(rows[:, move]).tolist() for move in new.values()]
        for key, solved in zip(new, self.solver.solve(states, self.solve_options), strict=True):
            proven = solved.satisfiable is False or solved.is_optimal in (True, None)
            if solved.satisfiable is None or not proven:
                raise GameError(
                    f"{self.solver.request.files[0].parent}: no optimum of a move within "
                    f"{self.solve_options.seconds:g} s (fewer choices, or allow more seconds)"
                )
            self.cache[key] = (min(solved.costs, default=0) if solved.costs else 0), solved.satisfiable
