"""``abl-cards kb solve``: solve rule files with choices, disjunctions and negative loops by clingo."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    Profile,
    check_finite,
    fail_usage,
    find_game,
    parse_path,
    print_json,
    shorten,
    usage_errors,
)
from abl_cards.cli.progress import show_status
from abl_cards.core import NumberedLine

if TYPE_CHECKING:
    from abl_cards.reasoners.abduction import StateSolver

MAX_SECONDS = 86_400


def solve(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A folder of rule files, or a game by its name.")],
    state: Annotated[
        str,
        typer.Argument(metavar="STATE", help="A state, or a file of one JSON state per line; -: stdin."),
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
    costs, the answer sets of least cost are listed. Prints one JSON object per state,
    {"satisfiable","optimum","complete","answers","costs"}.

        abl-cards kb solve my-plan '{"inputs":["held(3,1)","held(3,2)"]}' --models 0
        abl-cards kb solve my-plan states.jsonl --moves

    In a game, the files without such rules read the states. clingo runs in a child process with limits of time and
    memory. Without a proof in time, "optimum" is false and "satisfiable" is null.
    """
    from abl_cards.asp import ClingoSolver, Limits, SolveOptions
    from abl_cards.games import check_open_rules
    from abl_cards.games.description import Folder, OpenRules
    from abl_cards.reasoners.abduction import StateSolver

    if moves and (move is not None or no_optimize or show):
        fail_usage("--moves excludes --move, --no-optimize and --show")
    game = find_game(directory)
    rules = OpenRules(Folder(game.folder.path), profile)
    with usage_errors():
        shown = rules.check_predicates(show or ())
    options = SolveOptions(models, not no_optimize, True, shown, seconds)
    with show_status("grounding"):
        check_open_rules(rules)
        solver = ClingoSolver(rules.build_request(), replace(Limits(), seconds=seconds, memory=megabytes << 20))
    with solver:
        state_solver = StateSolver(rules, solver, options, move, moves)
        solutions = [_print_solution(state_solver, line, number) for number, line in _read_states(state)]
    if any("error" in solution for solution in solutions):
        raise typer.Exit(1)


def _print_solution(solver: StateSolver, line: bytes, number: int) -> Mapping[str, Any]:
    """Print the solution of a state, or its error, as JSON."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError, parse_json_line

    try:
        solution = solver.solve(parse_json_line(line))
    except (GameError, KBError) as problem:
        solution = {"error": f"line {number}: {shorten(' '.join(str(problem).split()))}"}
    print_json(solution)
    return solution


def _read_states(text: str) -> Iterator[NumberedLine]:
    from itertools import chain

    from abl_cards.cli.legal import open_input
    from abl_cards.core import read_line_batches

    if text.lstrip().startswith("{"):
        yield 1, os.fsencode(text)
        return
    with open_input(None if text == "-" else parse_path(text)) as stream:
        for number, line in chain.from_iterable(read_line_batches(stream)):
            if line.strip():
                yield number, line
