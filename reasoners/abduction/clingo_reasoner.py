"""Use rules with choices, disjunctions and negative loops in the abduction loop: clingo evaluates each candidate.

A move is inconsistent when it has no answer set; else its cost is the least cost of its answer sets. For rules without
choices a circuit gives equal results, some thousand times faster. Results are cached.

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
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, check_open_rules
from abl_cards.games.description import Folder, OpenRules
from abl_cards.games.preferences import CompiledPreferences, InputWriter
from abl_cards.games.types import HandEstimate, MoveLists

if TYPE_CHECKING:
    from abl_cards.games.tables import Choices, Decisions

MAX_CACHED = 1 << 17
"""Most results in the cache."""
TIME_LIMIT_SECONDS = 20.0
"""Time for one candidate, in seconds."""


@dataclass(frozen=True)
class ClingoReasoner(CompiledPreferences):
    """Preference model that evaluates moves by a folder of rules without a circuit.

    It computes the cost of a move, but not the preferences that fire, because they differ between answer sets.

    Attributes:
        solver: Solver with the ground rules.
        input_writer: Writes the inputs of the rules.
        solve_options: Options of the solver.
        cache: Cost and consistency by the packed inputs.
    """

    solver: ClingoSolver = field(kw_only=True)
    input_writer: InputWriter = field(kw_only=True, repr=False)
    solve_options: SolveOptions = field(kw_only=True)
    cache: dict[bytes, tuple[int, bool]] = field(kw_only=True, default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, engine: Engine, folder: Path, limits: Limits | None = None, seconds: float = TIME_LIMIT_SECONDS
    ) -> Self:
        """Load the rules of a folder.

        Args:
            engine: Engine of the game; its profile selects that of the folder.
            folder: Folder of rules.
            limits: Bounds on clingo.
            seconds: Time for one candidate, in seconds.

        Returns:
            The reasoner.

        Raises:
            KBError: The rules are refused.
        """
        rules = OpenRules(Folder(folder), engine.rules.profile)
        check_open_rules(rules)
        return cls.from_solver(engine, ClingoSolver(rules.build_request(), limits), seconds)

    @classmethod
    def from_solver(cls, engine: Engine, solver: ClingoSolver, seconds: float = TIME_LIMIT_SECONDS) -> Self:
        """Make a reasoner from ground rules.

        Args:
            engine: Engine of the game.
            solver: Solver with the ground rules.
            seconds: Time for one candidate, in seconds.

        Returns:
            The reasoner.
        """
        preferences = engine.preference_model()
        preference_fields = {
            preference_field.name: getattr(preferences, preference_field.name)
            for preference_field in fields(CompiledPreferences)
        }
        writer = InputWriter.from_preference_inputs(preferences.input_source, preferences.circuit, solver.inputs)
        return cls(
            **preference_fields,
            solver=solver,
            solve_options=SolveOptions(with_atoms=False, seconds=seconds),
            input_writer=writer,
        )

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Raise GameError, because the preferences that fire are not known."""
        message = "clingo computes the cost of a move, but not its reasons: see its answer sets (kb solve)"
        raise GameError(message, ErrorCode.INVALID_REASONER)

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Compute the costs of candidates.

        Args:
            decisions: The decisions.
            lists: Their m candidates.
            estimate: Expected copies of the hidden hands.

        Returns:
            int32[m] Least cost of the answer sets, and bool[m] whether there are any.

        Raises:
            GameError: No optimum was found in time.
            KBError: A bound on clingo was exceeded.
        """
        rows = self.input_writer.encode_moves(decisions, lists, estimate)
        packed = np.packbits(rows, axis=0)
        keys = [packed[:, move].tobytes() for move in range(packed.shape[1])]
        self._solve_new({key: move for move, key in enumerate(keys) if key not in self.cache}, rows)
        costs = [self.cache[key] for key in keys]
        if len(self.cache) > MAX_CACHED:
            self.cache.clear()
        return np.array([cost for cost, _ in costs], np.int32), np.array(
            [is_consistent for _, is_consistent in costs], np.bool_
        )

    def _solve_new(self, new: dict[bytes, int], rows: NDArray[np.uint8]) -> None:
        states = [np.flatnonzero(rows[:, move]).tolist() for move in new.values()]
        for key, answer in zip(new, self.solver.solve(states, self.solve_options), strict=True):
            is_proven = answer.satisfiable is False or answer.is_optimal in (True, None)
            if answer.satisfiable is None or not is_proven:
                raise GameError(
                    f"{self.solver.request.files[0].parent}: no optimum of a move within "
                    f"{self.solve_options.seconds:g} s (use fewer choices, or allow more seconds)",
                    ErrorCode.LIMIT_EXCEEDED,
                )
            self.cache[key] = (min(answer.costs, default=0) if answer.costs else 0), answer.satisfiable
