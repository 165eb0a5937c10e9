"""Commands that show: ``bench`` measures, ``demo`` is the main job of ``make run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from abl_cards import __version__
from abl_cards.cli.console import AsJson, find_game, list_game_names, print_json, print_table, show_status
from abl_cards.core import require_extra

GameOption = Annotated[str, typer.Option("--game", metavar="GAME", help=f"The game to measure: {list_game_names()}.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (bench, demo):
        app.command()(command)


def bench(
    game_name: GameOption = "guandan",
    quick: Annotated[bool, typer.Option("--quick", help="Ten seconds instead of a minute, and rougher.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure, here and now: every figure is a median, every ratio is of two things done side by side.

    Figures published elsewhere, on machines like the one they are compared on, stand in a column of their own.

        abl-cards bench --quick
    """
    from abl_cards.bench import COLUMNS, describe_machine, run_benchmarks

    with show_status("measuring") as say:
        figures = run_benchmarks(find_game(game_name), quick, say)
    if as_json:
        print_json(
            {
                "game": game_name,
                "version": __version__,
                "machine": describe_machine(),
                "figures": [figure.to_json() for figure in figures],
            }
        )
    else:
        typer.echo(describe_machine())
        print_table(COLUMNS, [cells for figure in figures for cells in figure.to_rows()], right_aligned=(1, 4))


def demo(
    game_name: GameOption = "guandan",
    start: Annotated[
        str, typer.Option("--start", metavar="A", help="From nothing, from preferences, or an agent to train on.")
    ] = "nothing",
    directory: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where the report goes.")] = Path("runs/demo"),
    smoke: Annotated[bool, typer.Option("--smoke", help="Seconds of training instead of minutes.")] = False,
) -> None:
    """The main job of "make run": check the rules, replay real games, train for a few minutes, explain a decision.

    The agent begins with nothing and meets random, greedy and kb before, on the way and after; the shipped agent meets
    them too. Tables and curves are in the report folder; given again, the command goes on from what is there.
    """
    require_extra("learning")
    from abl_cards.cli.demo_run import run_demo

    run_demo(game_name, start, directory, smoke)
