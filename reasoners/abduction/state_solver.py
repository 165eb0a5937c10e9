"""Solve states by rules with choices, disjunctions and negative loops, which have no circuit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from abl_cards.asp import ClingoSolver, KBError, SolveOptions
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game
from abl_cards.games.description import Folder, OpenRules
from abl_cards.games.notation import derive_readings, include_play
from abl_cards.games.preferences import InputWriter
from abl_cards.games.tables import DecisionPoint
from abl_cards.reasoners.abduction.clingo_reasoner import ClingoReasoner


@dataclass(frozen=True)
class StateSolver:
    """Solves states of a game, or lists of true inputs, one after the other.

    Attributes:
        rules: Rule files with and without a circuit.
        solver: Solver with the ground rules.
        options: Options of the solver; without predicates to show, those of the rules without a circuit are shown.
        move: Move, as text, after which states are solved; None for the states themselves.
        list_moves: Whether to return the least cost of every legal move instead of answer sets.
    """

    rules: OpenRules
    solver: ClingoSolver
    options: SolveOptions
    move: str | None = None
    list_moves: bool = False

    def solve(self, value: Any) -> dict[str, Any]:
        """Solve a state.

        Args:
            value: State in JSON form, or ``{"inputs": [...]}`` with the atoms that are true.

        Returns:
            Answer sets and costs, or moves with costs, as JSON.

        Raises:
            GameError: The state is invalid, or the move is not legal.
            KBError: A bound on clingo was exceeded, or the rules with a circuit describe no game.
        """
        if isinstance(value, dict) and "inputs" in value:
            return self._solve_inputs(self._read_inputs(value), self.options)
        point = self.engine.read_decision_point(value)
        if self.list_moves:
            return {"moves": list(self._moves_with_costs(point))}
        shown = self.options.shown_predicates or self.rules.open_predicates(self._closed_folder)
        return self._solve_inputs(self._find_inputs(point), replace(self.options, shown_predicates=shown))

    def _read_inputs(self, value: dict[str, Any]) -> list[int]:
        """Return the rows of a list of atoms."""
        atoms = value["inputs"]
        if set(value) != {"inputs"} or not isinstance(atoms, list) or not all(isinstance(atom, str) for atom in atoms):
            problem = '"inputs" is a list of atoms, such as ["held(3,2)"], without other fields beside it'
            raise GameError(problem, ErrorCode.INVALID_JSON)
        return [self.solver.find_input_row(atom) for atom in atoms]

    def _solve_inputs(self, true_inputs: list[int], options: SolveOptions) -> dict[str, Any]:
        return self.solver.solve([true_inputs], options)[0].to_json()

    def _find_inputs(self, point: DecisionPoint) -> list[int]:
        """Return the rows of the inputs that hold in a state, or after the move."""
        own = self.engine.preference_model()
        writer = InputWriter.from_preference_inputs(own.input_source, own.circuit, self.solver.inputs)
        if self.move is None:
            bits = writer.encode_decisions(point.decision)[:, 0]
        else:
            point = include_play(self.engine.rules, point, self.move)
            readings = derive_readings(self.engine.rules, point, self.move)
            legal = [reading.move_row for reading in readings if reading.move_row is not None]
            if not legal:
                raise GameError(f"{self.move}: not legal here", ErrorCode.ILLEGAL_MOVE)
            bits = writer.encode_moves(point.decision, point.move_lists)[:, legal[0]]
        return [int(index) for index in np.flatnonzero(bits)]

    def _moves_with_costs(self, point: DecisionPoint) -> Iterator[dict[str, Any]]:
        """Yield every legal move by cost; those without an answer set come last."""
        costs, sound = self._reasoner.costs(point.decision, point.move_lists)
        for row in sorted(range(len(costs)), key=lambda row: (not sound[row], int(costs[row]))):
            cost = int(costs[row]) if sound[row] else None
            yield {"move": point.actions[row].to_json(), "satisfiable": bool(sound[row]), "cost": cost}

    @cached_property
    def _reasoner(self) -> ClingoReasoner:
        return ClingoReasoner.from_solver(self.engine, self.solver, self.options.seconds)

    @cached_property
    def _closed_folder(self) -> Folder:
        return self.rules.to_compilable()

    @cached_property
    def engine(self) -> Engine:
        """Game by the files that have a circuit; raises KBError, GameError."""
        try:
            return Game(self._closed_folder).engine(None, self.rules.profile)
        except KBError as problem:
            first = str(problem).splitlines()[0]
            message = f'the rules with a circuit do not describe a game, so give "inputs": {first}'
            raise GameError(message, problem.code) from None
