"""The command ``run``: experiments that write tables and plots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    CsvFile,
    Profile,
    RuleFolder,
    folder_option,
    print_json,
    print_settings,
    print_table,
    read_settings,
    report_interrupt,
    rule_assignments,
    usage_errors,
    write_csv_file,
)
from abl_cards.cli.progress import show_progress
from abl_cards.cli.ray_option import RayAddress, RayCommand, connect_cluster

if TYPE_CHECKING:
    from abl_cards.experiments import RemoteRunner


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(cls=RayCommand)(run)


def run(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[EXPERIMENT]", help="Experiment to run, or FILE.py of your own; default: list all."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated.")
    ] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="Use a budget of seconds, as a smoke test.")] = False,
    rules: RuleFolder = None,
    profile: Profile = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", max=2**63 - 1, help="Random seed, as --set seed=S.")
    ] = None,
    directory: Annotated[
        Path | None,
        folder_option("--dir", metavar="DIR", help="Folder of the results; default: runs/EXPERIMENT."),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Delete earlier measurements in the folder.")] = False,
    csv: CsvFile = None,
    ray: RayAddress = None,
    show: Annotated[bool, typer.Option("--settings", help="Print the settings and their meanings.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run an experiment and write tables, plots, settings and a log to runs/EXPERIMENT.

    Finished measurements are kept: the same command continues an interrupted experiment. Changed settings repeat only
    the measurements that depend on them. --kb and --profile are settings too: the rules of all play and training.
    Values of a setting with several values are separated by spaces. --ray measures independent cells in parallel, on
    this machine or in a cluster. --json prints the content of results.json,
    {"experiment","summary","directory","command","settings","marks","tables","plots"}; marks are digests of the rules,
    records, weights and agents. --csv writes one row a measurement.

    An experiment of your own is a Python file that defines EXPERIMENT; FILE.py:NAME is another name in it.

        abl-cards run
        abl-cards run guandan_tournament --set "agents=random greedy kb" --set games=200
        abl-cards run mine.py --smoke
    """
    from abl_cards.experiments import find_experiments, remove_results, run_experiment, short_name

    if name is None:
        _print_experiments(find_experiments(), as_json)
        return
    experiment = _find_experiment(name)
    words = [*(settings or []), *rule_assignments(rules, profile), *([f"seed={seed}"] if seed is not None else [])]
    chosen = read_settings(experiment.make_settings(smoke), words)
    if show:
        print_settings(chosen, as_json=as_json)
        return
    folder = directory or Path("runs") / (f"{short_name(name)}-smoke" if smoke else short_name(name))
    if restart and (folder / "cells.jsonl").exists():
        with usage_errors():
            remove_results(name, folder)
    with report_interrupt(folder), _open_remote_cells(ray, name, chosen, folder) as remote:
        results = run_experiment(name, chosen, folder, show_progress, remote)
    if csv:
        from abl_cards.experiments import read_rows

        write_csv_file(csv, read_rows(folder / "cells.jsonl") if (folder / "cells.jsonl").exists() else [])
    if as_json:
        print_json(results)
    else:
        typer.echo((folder / "report.md").read_text("utf-8"))
        typer.echo(f"Everything is in {folder}.")


@contextmanager
def _open_remote_cells(ray: str | None, name: str, settings: Any, folder: Path) -> Iterator[RemoteRunner | None]:
    """Connect to Ray for the cells of an experiment, if an address is given."""
    if ray is None:
        yield None
        return
    from abl_cards.experiments import RemoteCells, absolute_name

    with connect_cluster(ray) as cluster:
        yield RemoteCells(cluster, absolute_name(name), settings, folder)


def _find_experiment(name: str) -> Any:
    from abl_cards.experiments import get_experiment

    with usage_errors():
        return get_experiment(name)


def _print_experiments(known: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({name: experiment.summary for name, experiment in known.items()})
    else:
        print_table(("experiment", "question"), [(name, experiment.summary) for name, experiment in known.items()])
