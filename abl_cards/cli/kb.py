"""``abl-cards kb``: check rule files, verify them against clingo, copy them to be edited."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli import kb_solve, kb_test, kb_words
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
app = typer.Typer(no_args_is_help=True, help="Check, verify and copy knowledge bases: the rule files of a game.")


@app.command()
def check(
    game_name: GameName,
    directory: RuleFolder = None,
    profile: Profile = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ground anew, whatever the disk cache holds.")] = False,
    as_json: AsJson = False,
) -> None:
    """Parse, ground and compile rule files, with every profile.

    What is wrong comes on stderr, one problem a line, with file, line and columns; then the exit code is 1. Of more
    than 50 errors the first 50 are printed and the others counted; --json has them all.

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
        int, typer.Option("--states", metavar="N", min=1, help="Random states, or pairs of state and move, to compare.")
    ] = 20_000,
    preferences: Annotated[
        bool,
        typer.Option("--preferences", help="The preferences alone, the way agents use them, on moves met in play."),
    ] = False,
    seed: Seed = 0,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Compare the compiled circuit with clingo on random states; every difference is printed.

    Says what the states covered; the last line is "N states, M mismatches", and any mismatch makes the exit code 1.

        abl-cards kb verify guandan --states 20000

    With --preferences, N moves are judged by both, each in a state of its own: which preferences fire, their sum,
    which constraints. Then for every 200 of these pairs 3 whole decisions, move by move, and which move is chosen.
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
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE ...]",
            help="Files to edit, such as rules, profiles/NAME or science/NAME; the others stay the parent's.",
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Copy every file, with the common ones, and name no parent.")
    ] = False,
) -> None:
    """Make a folder of your own from a game: a variant, which holds only what differs from its parent.

    It survives our next release: what you do not name goes on to come from the game. Add rules and switches to
    variant.lp; the files you name are copied, to be edited, and replace the parent's.

        abl-cards kb copy guandan my-rules

        abl-cards kb copy guandan my-rules preferences
    """
    from abl_cards.rulelab.editor import UnknownRuleFile, copy_game, make_variant

    game, word = find_game(game_name), folder_argument(directory)
    if directory.exists():
        fail(f"{directory} is there already, and nothing is overwritten; name a new folder")
    if whole and files:
        fail_usage("--whole copies every file; name none")
    try:
        said = copy_game(game, directory) if whole else make_variant(game, directory, files or [])
    except UnknownRuleFile as problem:
        fail_usage(problem)
    typer.echo(
        f"{said} Edit, then:\n"
        f"  abl-cards kb check {word}\n"
        f"  abl-cards kb diff {game.name} {directory}\n"
        f"  abl-cards match {game.name} greedy random --kb {directory}"
    )


@app.command()
def new(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
) -> None:
    """Make a small game that runs, to be made into another one: docs/tutorials/write-a-game.md.

    abl-cards kb new mygame
    """
    if directory.exists():
        fail(f"{directory} is there already, and nothing is overwritten; name a new folder")
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
app.command()(kb_words.words)


def _check_profile(
    game: Game, folder: Path | None, profile: str | None, cache: bool
) -> tuple[dict[str, Any], list[str]]:
    """What is to be said of one profile: as a JSON object, and as lines for stderr."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError

    try:
        knowledge = load_knowledge(game, folder, profile, cache)
        beside = list(game.auxiliary_rules(folder, profile, cache))
        sizes = _compute_sizes(knowledge)
        bounds = game.warnings(knowledge, folder, profile)
    except KBError as problem:
        return {"profile": profile, "warnings": [], "errors": _diagnostics_to_json(problem)}, str(problem).splitlines()
    except GameError as problem:
        nowhere = {"location": None, "message": str(problem), "remedy": ""}
        return {"profile": profile, "warnings": [], "errors": [nowhere]}, [f"error: {problem}"]
    said = [warning for each in (knowledge, *beside) for warning in each.warnings]
    warnings = list(dict.fromkeys(map(str, [*said, *bounds])))
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
            "location": asdict(each.location) if each.location else None,
            "message": each.message,
            "remedy": each.remedy,
        }
        for each in problem.diagnostics
    ]


def _print_reports(game: Game, folder: Path, reports: list[tuple[dict[str, Any], list[str]]]) -> None:
    print_problems([line for _, lines in reports for line in lines])
    columns = ("profile", "files", "ground rules", "inputs", "outputs", "gates")
    fine = [report for report, _ in reports if not report["errors"]]
    if fine:
        typer.echo(f"{game.title} {game.name}, rule files in {folder}")
        rows = [
            (
                report["profile"] or "–",
                *(f"{_count_items(report[name]):,}" for name in ("files", "rules", *columns[3:])),
            )
            for report in fine
        ]
        print_table(columns, rows, right_aligned=range(1, len(columns)))
    refused = len(reports) - len(fine)
    typer.echo(f"{len(fine)} of {len(reports)} profiles are sound" if refused else "no errors", err=bool(refused))


def _count_items(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value)
