"""``run``: experiments that end in tables and plots."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    Profile,
    RuleFolder,
    fail_usage,
    print_json,
    print_settings,
    print_table,
    read_settings,
    rule_assignments,
    show_progress,
)
from abl_cards.cli.ray_option import RayAddress, RayCommand, connect_cluster

if TYPE_CHECKING:
    from abl_cards.experiments import RemoteRunner


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(cls=RayCommand)(run)


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="[EXPERIMENT]", help="Which; without it, they are listed.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting; as often as needed.")
    ] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="A budget of seconds, to see whether it works.")] = False,
    rules: RuleFolder = None,
    profile: Profile = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="S", help="The same as --set seed=S.")] = None,
    directory: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Where results go; default: runs/EXPERIMENT.")
    ] = None,
    afresh: Annotated[bool, typer.Option("--afresh", help="Forget what was measured there before.")] = False,
    ray: RayAddress = None,
    show: Annotated[bool, typer.Option("--settings", help="Show the settings and what they mean.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run an experiment: tables and plots in runs/EXPERIMENT, with the settings and a log.

    What is finished is kept: an experiment that was stopped goes on when the command is given again, and so does one
    with other settings, as far as they leave results as they are. --kb and --profile are settings like others: the
    rules by which everything is played and learned. A setting with several values takes them separated by blanks.
    With --ray what is measured of each of several things is measured by processes side by side, here or in a cluster.
    --json prints {"experiment","directory","command","settings","marks","tables","plots"}, as in results.json; marks
    are those of the rules, records, weights and players.

        abl-cards run

        abl-cards run guandan_tournament --set "agents=random greedy kb" --set games=200
    """
    from abl_cards.experiments import find_experiments, run_experiment

    if name is None:
        _print_experiments(find_experiments(), as_json)
        return
    found = _find_experiment(name)
    words = [*(settings or []), *rule_assignments(rules, profile), *([f"seed={seed}"] if seed is not None else [])]
    chosen = read_settings(found.make_settings(smoke), words)
    if show:
        print_settings(chosen)
        return
    folder = directory or Path("runs") / (f"{name}-smoke" if smoke else name)
    if afresh and (folder / "cells.jsonl").exists():
        shutil.rmtree(folder)
    with _open_remote_cells(ray, name, chosen, folder) as elsewhere:
        results = run_experiment(name, chosen, folder, show_progress, elsewhere)
    if as_json:
        print_json(results)
    else:
        typer.echo((folder / "report.md").read_text("utf-8"))
        typer.echo(f"Everything is in {folder}.")


@contextmanager
def _open_remote_cells(ray: str | None, name: str, settings: Any, folder: Path) -> Iterator[RemoteRunner | None]:
    """Who measures for this process, if anybody does."""
    if ray is None:
        yield None
        return
    from abl_cards.experiments import RemoteCells

    with connect_cluster(ray) as there:
        yield RemoteCells(there, name, settings, folder)


def _find_experiment(name: str) -> Any:
    from abl_cards.core import GameError
    from abl_cards.experiments import get_experiment

    try:
        return get_experiment(name)
    except GameError as problem:
        fail_usage(problem)


def _print_experiments(known: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({name: each.summary for name, each in known.items()})
    else:
        print_table(("experiment", "what it asks"), [(name, each.summary) for name, each in known.items()])
