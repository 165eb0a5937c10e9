"""``abl-cards kb``: check rule files, verify them against clingo, copy them for editing."""

from __future__ import annotations

import shutil
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from abl_cards.cli import kb_check, kb_describe, kb_solve, kb_test
from abl_cards.cli.aliases import AliasGroup
from abl_cards.cli.console import (
    MAX_STATES,
    AsJson,
    Commands,
    GameName,
    Profile,
    RuleFolder,
    Seed,
    fail,
    fail_usage,
    find_game,
    folder_argument,
    path_argument,
    print_json,
    print_table,
)
from abl_cards.cli.progress import show_progress
from abl_cards.core import DATA, make_folder

NEW_GAME = DATA / "new_game"
app = Commands(
    cls=AliasGroup, no_args_is_help=True, help="Check, verify, test, compare and copy the rule files of a game."
)


app.command()(kb_check.check)


@app.command()
def verify(
    game_name: GameName,
    states: Annotated[
        int,
        typer.Option("--states", metavar="N", min=1, max=MAX_STATES, help="Random states, or pairs of state and move."),
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
    directory: Annotated[Path, path_argument(metavar="DIR", help="New folder; it must not exist.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE ...]",
            help="Files to copy: rules, profiles/NAME or science/NAME; default: none.",
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

    game, word = find_game(game_name), quote(folder_argument(directory))
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
        f"  abl-cards kb diff {game.name} {word}\n"
        f"  abl-cards match {game.name} greedy random --kb {word}"
    )


@app.command()
def new(
    directory: Annotated[Path, path_argument(metavar="DIR", help="New folder; it must not exist.")],
) -> None:
    """Make a folder with a small working game as a template: docs/tutorials/write-a-game.md.

    It holds rule files for a game of singles and pairs with three seats, and test cases.

        abl-cards kb new mygame
    """
    if directory.exists():
        fail(f"{directory} exists already; name a new folder")
    word = quote(folder_argument(directory))
    with make_folder(directory):
        shutil.copytree(NEW_GAME, directory, dirs_exist_ok=True)
    typer.echo(
        f"A game of singles and pairs for three is in {directory}. Edit it, then:\n"
        f"  abl-cards kb check {word}\n"
        f"  abl-cards kb test {word} --only cases\n"
        f"  abl-cards match {word} greedy random"
    )


app.command("test")(kb_test.run_test)
app.command()(kb_solve.solve)
app.command()(kb_describe.describe)
