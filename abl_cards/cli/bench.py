"""The commands ``bench`` and ``demo``; the latter is the main job of ``make run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from abl_cards import __version__
from abl_cards.cli.console import AsJson, find_game, folder_option, list_game_names, print_json, print_table
from abl_cards.cli.progress import show_status
from abl_cards.core import require_extra

GameOption = Annotated[
    str, typer.Option("--game", metavar="GAME", help=f"Game: {list_game_names()}; or a folder of rule files.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (bench, demo):
        app.command()(command)


def bench(
    game_name: GameOption = "guandan",
    quick: Annotated[bool, typer.Option("--quick", help="Measure for seconds, less precisely.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the benchmarks on this machine: medians, and ratios of two programs measured in turns.

    Figures published elsewhere are shown in a column of their own.

        abl-cards bench --quick
        abl-cards bench --game ./my-rules --quick
    """
    from abl_cards.bench import COLUMNS, describe_machine, run_benchmarks

    game = find_game(game_name)
    with show_status("measuring") as show:
        figures = run_benchmarks(game, quick, show)
    if as_json:
        print_json(
            {
                "game": game.name,
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
        str, typer.Option("--init-from", metavar="A", help="Initial policy: nothing, preferences, or an agent.")
    ] = "nothing",
    directory: Annotated[Path, folder_option("--dir", metavar="DIR", help="Folder of the report.")] = Path("runs/demo"),
    smoke: Annotated[bool, typer.Option("--smoke", help="Train for seconds instead of minutes.")] = False,
) -> None:
    """Run the demonstration of "make run": check rules, replay games, train for minutes, show what abduction does.

    The agent is trained from random weights and plays against random, greedy and kb before, during and after training,
    as the shipped agent does. Then errors of the estimated hands before and after projection are measured, with and
    without hints, and the candidates that the rules drop; a decision is explained. The command begins with the time
    that it takes and the share of each stage. The report folder holds tables and curves; an interrupted demonstration
    continues there.
    """
    require_extra("learning")
    from abl_cards.cli.demo_run import run_demo

    run_demo(game_name, start, directory, smoke)
