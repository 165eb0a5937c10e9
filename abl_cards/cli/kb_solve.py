"""``abl-cards kb solve``: solve rule files with choices, disjunctions and negative loops by clingo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import Profile, check_finite, fail_usage, find_game, print_json, shorten, show_status

if TYPE_CHECKING:
    from abl_cards.asp import ClingoSolver, SolveOptions
    from abl_cards.games import Engine
    from abl_cards.games.description import OpenRules
    from abl_cards.games.tables import DecisionPoint
    from abl_cards.reasoners.abduction import ClingoReasoner

MAX_SECONDS = 86_400


def solve(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A folder of rule files, or a game by its name.")],
    state: Annotated[
        str,
        typer.Argument(metavar="STATE", help="File of states, one JSON object per line; - for stdin; or a state."),
    ],
    move: Annotated[
        str | None, typer.Option("--move", metavar="MOVE", help="Solve after this move: 'S5 H5', or pass.")
    ] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Print the cost of every legal move, ascending.")] = False,
    models: Annotated[
        int, typer.Option("--models", metavar="N", min=0, help="Maximal number of answer sets; 0: all.")
    ] = 1,
    no_optimize: Annotated[bool, typer.Option("--no-optimize", help="List answer sets of any cost.")] = False,
    show: Annotated[
        list[str] | None, typer.Option("--show", metavar="NAME/N", help="Predicate to print; may be repeated.")
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0.1,
            max=MAX_SECONDS,
            callback=check_finite,
            help="Time limit for grounding and for each state.",
        ),
    ] = 20,
    megabytes: Annotated[
        int, typer.Option("--memory", metavar="MB", min=64, max=1 << 16, help="Memory limit of clingo.")
    ] = 2048,
    profile: Profile = None,
) -> None:
    """Solve rule files that have no circuit: with choices, disjunctions, or loops through negation.

    A state has the form that "legal" reads, or lists the true inputs: {"inputs":["held(3,2)"]}. If the rules derive
    costs, the answer sets of least cost are listed. Prints one JSON object per state:

        {"satisfiable","optimum","complete","answers","costs"}

        abl-cards kb solve my-plan '{"inputs":["held(3,1)","held(3,2)"]}' --models 0

        abl-cards kb solve my-plan states.jsonl --moves

    In a game, states are read by the files without such rules. clingo runs in a child process with limits of time and
    memory; without a proof in time "optimum" is false and "satisfiable" null.
    """
    from abl_cards.asp import ClingoSolver, Limits, SolveOptions
    from abl_cards.games import check_open_rules
    from abl_cards.games.description import Folder, OpenRules

    if moves and (move is not None or no_optimize or show):
        fail_usage("--moves excludes --move, --no-optimize and --show")
    game = find_game(directory)
    rules = OpenRules(Folder(game.folder.path), profile)
    options = SolveOptions(models, not no_optimize, True, frozenset(show or ()), seconds)
    with show_status("grounding"):
        check_open_rules(rules)
        solver = ClingoSolver(rules.build_request(), replace(Limits(), seconds=seconds, memory=megabytes << 20))
    with solver:
        state_solver = _StateSolver(game.name, rules, solver, options, move, moves)
        solutions = [state_solver.print_solution(value, number) for number, value in _read_states(state)]
    if any("error" in solution for solution in solutions):
        raise typer.Exit(1)


@dataclass
class _StateSolver:
    """Solves states one after the other."""

    name: str
    rules: OpenRules
    solver: ClingoSolver
    options: SolveOptions
    move: str | None
    list_moves: bool
    _reasoner: list[ClingoReasoner] = field(default_factory=list)

    def print_solution(self, value: Any, number: int) -> dict[str, Any]:
        """Print the solution of a state, or its error, as JSON."""
        from abl_cards.asp import KBError
        from abl_cards.core import GameError

        try:
            solution = self._solve_state(value)
        except (GameError, KBError) as problem:
            solution = {"error": f"line {number}: {shorten(' '.join(str(problem).split()))}"}
        print_json(solution)
        return solution

    def _solve_state(self, value: Any) -> dict[str, Any]:
        from abl_cards.core import ErrorCode, GameError

        if isinstance(value, dict) and "inputs" in value:
            atoms = value["inputs"]
            if (
                set(value) != {"inputs"}
                or not isinstance(atoms, list)
                or not all(isinstance(atom, str) for atom in atoms)
            ):
                raise GameError(
                    '"inputs" is a list of atoms, such as ["held(3,2)"], without other fields beside it',
                    ErrorCode.INVALID_JSON,
                )
            return self._solve_inputs([self.solver.find_input_row(atom) for atom in atoms], self.options)
        point = self.engine.read_decision_point(value)
        if self.list_moves:
            return {"moves": list(self._moves_with_costs(point))}
        shown = self.options.shown_predicates or self.rules.open_predicates(self._closed_folder)
        return self._solve_inputs(self._find_inputs(point), replace(self.options, shown_predicates=shown))

    def _solve_inputs(self, true_inputs: list[int], options: SolveOptions) -> dict[str, Any]:
        return self.solver.solve([true_inputs], options)[0].to_json()

    def _find_inputs(self, point: DecisionPoint) -> list[int]:
        """Return the rows of the inputs that hold in a state, or after the move of the command."""
        import numpy as np

        from abl_cards.core import ErrorCode, GameError
        from abl_cards.games.notation import derive_readings
        from abl_cards.games.preferences import InputWriter

        own, row = self.engine.preference_model(), None
        writer = InputWriter.from_preference_inputs(own.input_source, own.circuit, self.solver.inputs)
        if self.move is not None:
            readings = derive_readings(self.engine.rules, point, self.move)
            legal = [reading.move_row for reading in readings if reading.move_row is not None]
            if not legal:
                raise GameError(f"{self.move}: not legal here", ErrorCode.ILLEGAL_MOVE)
            row = legal[0]
        if row is None:
            bits = writer.encode_decisions(point.decision)[:, 0]
        else:
            bits = writer.encode_moves(point.decision, point.move_lists)[:, row]
        return [int(index) for index in np.flatnonzero(bits)]

    def _moves_with_costs(self, point: DecisionPoint) -> Iterator[dict[str, Any]]:
        """Yield every legal move by cost; those without an answer set come last."""
        from abl_cards.reasoners.abduction import ClingoReasoner

        if not self._reasoner:
            self._reasoner.append(ClingoReasoner.from_solver(self.engine, self.solver, self.options.seconds))
        costs, sound = self._reasoner[0].costs(point.decision, point.move_lists)
        for row in sorted(range(len(costs)), key=lambda row: (not sound[row], int(costs[row]))):
            cost = int(costs[row]) if sound[row] else None
            yield {"move": point.actions[row].to_json(), "satisfiable": bool(sound[row]), "cost": cost}

    @cached_property
    def _closed_folder(self) -> Any:
        return self.rules.to_compilable()

    @cached_property
    def engine(self) -> Engine:
        """Game by the files that have a circuit; raises KBError, GameError."""
        from abl_cards.asp import KBError
        from abl_cards.core import GameError
        from abl_cards.games import Game

        try:
            return Game(self._closed_folder).engine(None, self.rules.profile)
        except KBError as problem:
            first = str(problem).splitlines()[0]
            message = f'the rules with a circuit do not describe a game, so give "inputs": {first}'
            raise GameError(message, problem.code) from None


def _read_states(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    from itertools import chain

    from abl_cards.cli.legal import open_input
    from abl_cards.core import parse_json_line, read_line_batches

    if text.lstrip().startswith("{"):
        yield 1, parse_json_line(text.encode())
        return
    with open_input(None if text == "-" else Path(text)) as stream:
        for number, line in chain.from_iterable(read_line_batches(stream)):
            if line.strip():
                yield number, parse_json_line(line)
