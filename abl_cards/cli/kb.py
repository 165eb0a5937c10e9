"""``abl-cards kb``: check rule files, verify them against clingo, copy them for editing."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli import kb_describe, kb_solve, kb_test
from abl_cards.cli.aliases import AliasGroup
from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    Seed,
    fail,
    fail_usage,
    find_game,
    folder_argument,
    list_profiles,
    load_knowledge,
    print_json,
    print_problems,
    print_table,
    show_progress,
)
from abl_cards.core import DATA, pause_gc

if TYPE_CHECKING:
    from abl_cards.asp import KBError
    from abl_cards.circuit import KnowledgeBase
    from abl_cards.games import Game

NEW_GAME = DATA / "new_game"
app = typer.Typer(
    cls=AliasGroup, no_args_is_help=True, help="Check, verify, test, compare and copy the rule files of a game."
)


@app.command()
def check(
    game_name: GameName,
    directory: RuleFolder = None,
    profile: Profile = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ground again, without the disk cache.")] = False,
    as_json: AsJson = False,
) -> None:
    """Parse, ground and compile rule files, with every profile.

    Errors go to stderr, one per line, with file, line and columns; the exit code is then 1. At most 50 errors and 50
    warnings are printed; --json has all.

        abl-cards kb check guandan

        abl-cards kb check my-rules --profile standard
    """
    game = find_game(game_name)
    chosen: list[str | None] = [profile] if profile else [*list_profiles(game, directory)] or [None]
    with pause_gc():
        reports = [_check_profile(game, directory, name, not no_cache) for name in chosen]
    if as_json:
        print_json(
            {
                "game": game.name,
                "directory": str(directory or game.directory),
                "profiles": [report[0] for report in reports],
            }
        )
    else:
        _print_reports(game, directory or game.directory, reports)
    if any(report[0]["errors"] for report in reports):
        raise typer.Exit(1)


@app.command()
def verify(
    game_name: GameName,
    states: Annotated[
        int,
        typer.Option("--states", metavar="N", min=1, help="Random states, or pairs of state and move."),
    ] = 20_000,
    preferences: Annotated[
        bool,
        typer.Option("--preferences", help="Compare only the preferences, on moves from played games."),
    ] = False,
    seed: Seed = 0,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Compare the compiled circuit with clingo on random states; every difference is printed.

    Prints what the states covered. The last line is "N states, M mismatches"; the exit code is 1 if there are
    mismatches.

        abl-cards kb verify guandan --states 20000

    --preferences compares N moves, each in a state of its own: the preferences that fire, their sum, and the violated
    constraints. For every 200 of these pairs it compares 3 whole decisions, move by move, with the chosen move.
    """
    from abl_cards.rulelab.verification import verify_circuits, verify_preferences

    compare = verify_preferences if preferences else verify_circuits
    with show_progress("circuit and clingo", states) as show:

        def on_progress(done: int, total: int, remark: str) -> None:
            show(done, remark, total)

        result = compare(find_game(game_name), directory, profile, states, seed, on_progress)
    if as_json:
        print_json(result.to_json(seed) | {"mismatches": list(map(str, result.mismatches))})
    else:
        for mismatch in result.mismatches:
            typer.echo(str(mismatch))
        print_table(*result.table())
        for line in result.summary():
            typer.echo(line)
    if result.mismatches:
        raise typer.Exit(1)


@app.command()
def copy(
    game_name: GameName,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="New folder; it must not exist.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE ...]",
            help="Files to copy for editing, such as rules, profiles/NAME or science/NAME; default: none.",
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--standalone", help="Copy all files, also the common ones, and name no parent.")
    ] = False,
) -> None:
    """Make a variant of a game: a folder that holds only the differences from its parent.

    All other rules come from the parent, also after an update of abl-cards. Add rules and switches to variant.lp. The
    named files are copied for editing and replace the parent's.

        abl-cards kb copy guandan my-rules

        abl-cards kb copy guandan my-rules preferences
    """
    from abl_cards.rulelab.editor import UnknownRuleFile, copy_game, make_variant

    game, word = find_game(game_name), folder_argument(directory)
    if directory.exists():
        fail(f"{directory} exists already; name a new folder")
    if whole and files:
        fail_usage("--standalone copies all files; name none")
    try:
        message = copy_game(game, directory) if whole else make_variant(game, directory, files or [])
    except UnknownRuleFile as problem:
        fail_usage(problem)
    typer.echo(
        f"{message} Edit, then:\n"
        f"  abl-cards kb check {word}\n"
        f"  abl-cards kb diff {game.name} {directory}\n"
        f"  abl-cards match {game.name} greedy random --kb {directory}"
    )


@app.command()
def new(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="New folder; it must not exist.")],
) -> None:
    """Make a folder with a small working game as a template: docs/tutorials/write-a-game.md.

    abl-cards kb new mygame
    """
    if directory.exists():
        fail(f"{directory} exists already; name a new folder")
    word = folder_argument(directory)
    shutil.copytree(NEW_GAME, directory)
    typer.echo(
        f"A game of singles and pairs for three is in {directory}. Edit it, then:\n"
        f"  abl-cards kb check {word}\n"
        f"  abl-cards kb test {word} --only cases\n"
        f"  abl-cards match {word} greedy random"
    )


app.command("test")(kb_test.run_test)
app.command()(kb_solve.solve)
app.command()(kb_describe.describe)


def _check_profile(
    game: Game, folder: Path | None, profile: str | None, cache: bool
) -> tuple[dict[str, Any], list[str]]:
    """Check one profile; returns its report as a JSON object, and its problems as lines for stderr."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError

    try:
        knowledge = load_knowledge(game, folder, profile, cache)
        auxiliary = list(game.auxiliary_rules(folder, profile, cache))
        sizes = _compute_sizes(knowledge)
        limits = game.warnings(knowledge, folder, profile)
    except KBError as problem:
        return {"profile": profile, "warnings": [], "errors": _diagnostics_to_json(problem)}, str(problem).splitlines()
    except GameError as problem:
        error = {"code": str(problem.code), "location": None, "message": str(problem), "remedy": ""}
        return {"profile": profile, "warnings": [], "errors": [error]}, [f"error: {problem}"]
    program_warnings = [warning for program in (knowledge, *auxiliary) for warning in program.warnings]
    warnings = list(dict.fromkeys(map(str, [*program_warnings, *limits])))
    return {"profile": profile, **sizes, "warnings": warnings, "errors": []}, warnings


def _compute_sizes(knowledge: KnowledgeBase) -> dict[str, Any]:
    circuit = knowledge.circuit(*map(str, knowledge.request.outputs))
    return {
        "files": [str(file) for file in knowledge.files],
        "rules": len(knowledge.ground.kinds),
        "inputs": len(knowledge.input_atoms),
        "outputs": len(circuit.outputs),
        "gates": circuit.num_gates,
    }


def _diagnostics_to_json(problem: KBError) -> list[dict[str, Any]]:
    return [
        {
            "code": str(diagnostic.code),
            "location": asdict(diagnostic.location) if diagnostic.location else None,
            "message": diagnostic.message,
            "remedy": diagnostic.remedy,
        }
        for diagnostic in problem.diagnostics
    ]


def _print_reports(game: Game, folder: Path, reports: list[tuple[dict[str, Any], list[str]]]) -> None:
    print_problems([line for _, lines in reports for line in lines])
    columns = ("profile", "files", "ground rules", "inputs", "outputs", "gates")
    sound = [report for report, _ in reports if not report["errors"]]
    if sound:
        typer.echo(f"{game.title} {game.name}, rule files in {folder}")
        rows = [
            (
                report["profile"] or "–",
                *(f"{_count_items(report[name]):,}" for name in ("files", "rules", *columns[3:])),
            )
            for report in sound
        ]
        print_table(columns, rows, right_aligned=range(1, len(columns)))
    rejected = len(reports) - len(sound)
    typer.echo(f"{len(sound)} of {len(reports)} profiles are sound" if rejected else "no errors", err=bool(rejected))


def _count_items(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value)
