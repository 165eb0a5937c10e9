"""``abl-cards kb solve``: rule files with choices, disjunctions and negative loops, answered by clingo."""

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
        typer.Argument(
            metavar="STATE", help="A file of states, a JSON object a line; - is stdin; or the state itself."
        ),
    ],
    move: Annotated[str | None, typer.Option("--move", metavar="MOVE", help="Of this move: 'S5 H5', or pass.")] = None,
    moves: Annotated[bool, typer.Option("--moves", help="What every legal move costs, the cheapest first.")] = False,
    models: Annotated[
        int, typer.Option("--models", metavar="N", min=0, help="So many answer sets at most; 0: all of them.")
    ] = 1,
    every: Annotated[bool, typer.Option("--any", help="Answer sets whatever they cost, not the cheapest.")] = False,
    show: Annotated[
        list[str] | None, typer.Option("--show", metavar="NAME/N", help="What is told of them; may be repeated.")
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0.1,
            max=MAX_SECONDS,
            callback=check_finite,
            help="For grounding, and for each state.",
        ),
    ] = 20,
    megabytes: Annotated[
        int, typer.Option("--memory", metavar="MB", min=64, max=1 << 16, help="clingo takes no more.")
    ] = 2048,
    profile: Profile = None,
) -> None:
    """Answer rule files that have no circuit: choices, disjunctions, loops through a negation.

    A state is what "legal" takes, or the inputs that hold: {"inputs":["held(3,2)"]}. Where costs are derived the answer
    sets are the cheapest ones. Prints a JSON object a state:

        {"satisfiable","optimum","complete","answers","costs"}

        abl-cards kb solve my-plan '{"inputs":["held(3,1)","held(3,2)"]}' --models 0

        abl-cards kb solve my-plan states.jsonl --moves

    In a game, files with such rules are set aside for reading states. clingo is a child process, bounded in time
    and memory; what it could not prove in time says so: "optimum" is false, "satisfiable" null.
    """
    from abl_cards.asp import ClingoSolver, Limits, SolveOptions
    from abl_cards.games import check_open_rules
    from abl_cards.games.description import Folder, OpenRules

    if moves and (move is not None or every or show):
        fail_usage("--moves says what each move costs: leave out --move, --any and --show")
    game = find_game(directory)
    rules = OpenRules(Folder(game.folder.path), profile)
    wanted = SolveOptions(models, not every, True, frozenset(show or ()), seconds)
    with show_status("grounding"):
        check_open_rules(rules)
        solver = ClingoSolver(rules.build_request(), replace(Limits(), seconds=seconds, memory=megabytes << 20))
    with solver:
        desk = _StateSolver(game.name, rules, solver, wanted, move, moves)
        found = [desk.print_solution(value, number) for number, value in _read_states(state)]
    if any("error" in each for each in found):
        raise typer.Exit(1)


@dataclass
class _StateSolver:
    """Answers states, one after the other."""

    name: str
    rules: OpenRules
    solver: ClingoSolver
    options: SolveOptions
    move: str | None
    list_moves: bool
    _reasoner: list[ClingoReasoner] = field(default_factory=list)

    def print_solution(self, value: Any, number: int) -> dict[str, Any]:
        """Print what comes of a state; what is wrong with it is its answer."""
        from abl_cards.asp import KBError
        from abl_cards.core import GameError

        try:
            found = self._solve_state(value)
        except (GameError, KBError) as problem:
            found = {"error": f"line {number}: {shorten(' '.join(str(problem).split()))}"}
        print_json(found)
        return found

    def _solve_state(self, value: Any) -> dict[str, Any]:
        from abl_cards.core import GameError

        if isinstance(value, dict) and "inputs" in value:
            told = value["inputs"]
            if (
                set(value) != {"inputs"}
                or not isinstance(told, list)
                or not all(isinstance(each, str) for each in told)
            ):
                raise GameError('"inputs" is a list of atoms, such as ["held(3,2)"], and nothing stands beside it')
            return self._solve_inputs([self.solver.find_input_row(each) for each in told], self.options)
        moment = self.engine.read_decision_point(value)
        if self.list_moves:
            return {"moves": list(self._moves_with_costs(moment))}
        shown = self.options.shown_predicates or self.rules.open_predicates(self._closed_folder)
        return self._solve_inputs(self._find_inputs(moment), replace(self.options, shown_predicates=shown))

    def _solve_inputs(self, told: list[int], wanted: SolveOptions) -> dict[str, Any]:
        return self.solver.solve([told], wanted)[0].to_json()

    def _find_inputs(self, moment: DecisionPoint) -> list[int]:
        """The rows of the inputs that hold in a state, and after a move, if one is asked about."""
        import numpy as np

        from abl_cards.core import GameError
        from abl_cards.games.preferences import InputWriter

        own, row = self.engine.preference_model(), None
        writer = InputWriter.from_preference_inputs(own.input_source, own.circuit, self.solver.inputs)
        if self.move is not None:
            legal = [
                each.move_row for each in self.engine.derive_readings(moment, self.move) if each.move_row is not None
            ]
            if not legal:
                raise GameError(f"{self.move}: not legal here")
            row = legal[0]
        if row is None:
            told = writer.encode_decisions(moment.decision)[:, 0]
        else:
            told = writer.encode_moves(moment.decision, moment.move_lists)[:, row]
        return [int(each) for each in np.flatnonzero(told)]

    def _moves_with_costs(self, moment: DecisionPoint) -> Iterator[dict[str, Any]]:
        """Every legal move: those without an answer set last."""
        from abl_cards.reasoners.abduction import ClingoReasoner

        if not self._reasoner:
            self._reasoner.append(ClingoReasoner.from_solver(self.engine, self.solver, self.options.seconds))
        costs, sound = self._reasoner[0].costs(moment.decision, moment.move_lists)
        for row in sorted(range(len(costs)), key=lambda row: (not sound[row], int(costs[row]))):
            cost = int(costs[row]) if sound[row] else None
            yield {"move": moment.actions[row].to_json(), "satisfiable": bool(sound[row]), "cost": cost}

    @cached_property
    def _closed_folder(self) -> Any:
        return self.rules.to_compilable()

    @cached_property
    def engine(self) -> Engine:
        """The tables of the game, by the files that have a circuit; raises KBError, GameError."""
        from abl_cards.asp import KBError
        from abl_cards.core import GameError
        from abl_cards.games import Game

        try:
            return Game(self._closed_folder).engine(None, self.rules.profile)
        except KBError as problem:
            first = str(problem).splitlines()[0]
            raise GameError(
                f'no game is left without the rules that have no circuit, so give "inputs": {first}'
            ) from None


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
