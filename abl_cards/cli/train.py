"""The command ``train``: run the joint abduction loop."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    CsvFile,
    GameName,
    Profile,
    RuleFolder,
    check_finite,
    find_game,
    folder_option,
    load_engine,
    print_json,
    print_settings,
    read_settings,
    report_interrupt,
    rule_assignments,
    usage_errors,
    write_csv_file,
)
from abl_cards.cli.progress import show_progress
from abl_cards.cli.ray_option import RayAddress, RayCommand, connect_cluster

if TYPE_CHECKING:
    from abl_cards.training import Launcher, TrainConfig, TrainingReport

FIXED_SETTINGS = ("directory", "game")
"""Settings that are arguments of the command, not assignable by ``--set``."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(cls=RayCommand)(train)


def train(
    game_name: GameName,
    directory: Annotated[
        Path | None,
        folder_option("--dir", metavar="DIR", help="Folder of the run; default: runs/GAME-PRESET."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated.")
    ] = None,
    rules: RuleFolder = None,
    profile: Profile = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            min=0.001,
            callback=check_finite,
            help="Stop after this time; the same command resumes the run.",
        ),
    ] = None,
    plots: Annotated[
        bool,
        typer.Option("--plots", help="Plot wins with intervals, losses and speed in the run's folder."),
    ] = False,
    csv: CsvFile = None,
    ray: RayAddress = None,
    show: Annotated[bool, typer.Option("--settings", help="Print the settings and their meanings.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train agent abl: supervised on records if there are any, then by self-play with abduction.

    The same command resumes a run from its checkpoint. The folder stores the settings, so that --dir suffices, and
    rejects changes that a run cannot take, such as other rules. metrics.jsonl has one line per update; --plots plots
    it every minute and at the end, and TensorBoard shows it if installed. The weights and their card are written to
    the run's folder; --csv writes the metrics as CSV. With --ray other processes play, on this machine or in a
    cluster, and this one learns; a run can resume with or without it.

    A new game, or one without a shipped agent, is trained from random weights: preset quick, some minutes.

        abl-cards train mygame --plots
        abl-cards train guandan --dir runs/try --set total_decisions=2000000 --minutes 10
        abl-cards train guandan --dir runs/try
        abl-cards match guandan abl:weights=runs/try/guandan-small.safetensors kb --games 200
    """
    from abl_cards.training import get_preset

    game = find_game(game_name)
    chosen = _resolve_settings(game_name, directory, [*(settings or []), *rule_assignments(rules, profile)])
    if show:
        print_settings(chosen, FIXED_SETTINGS, as_json)
        return
    with usage_errors():
        get_preset(chosen)
    load_engine(game, chosen.kb, chosen.profile)  # reports errors of the rules before any worker starts
    with report_interrupt(chosen.directory), _open_launcher(ray, chosen) as launcher:
        _run_training(chosen, minutes, plots, as_json, launcher)
    if csv:
        from abl_cards.training import read_metrics

        write_csv_file(csv, read_metrics(chosen.directory))


@contextmanager
def _open_launcher(ray: str | None, settings: TrainConfig) -> Iterator[Launcher]:
    """Return the launcher of worker processes: local, or on Ray."""
    if ray is None:
        from abl_cards.training import LocalLauncher

        yield LocalLauncher()
        return
    from abl_cards.cluster import RayLauncher, count_local_processes

    with connect_cluster(ray, count_local_processes(settings)) as cluster:
        yield RayLauncher(cluster)


def _resolve_settings(game_name: str, directory: Path | None, assignments: list[str]) -> TrainConfig:
    """Apply assignments to the stored settings of a run or the defaults; raises GameError for another game's run."""
    from abl_cards.core import ErrorCode, GameError
    from abl_cards.learners import default_preset
    from abl_cards.training import create_config, read_config, run_name

    defaults = create_config(game_name, default_preset(game_name))
    preset = read_settings(defaults, assignments, FIXED_SETTINGS).preset
    folder = directory or Path("runs") / run_name(game_name, preset)
    stored = read_config(folder)
    if stored is None:
        return replace(read_settings(create_config(game_name, preset), assignments, FIXED_SETTINGS), directory=folder)
    if stored.game != game_name:
        raise GameError(
            f"{folder}: a run of {stored.game}; choose another folder for {game_name}", ErrorCode.INVALID_VALUE
        )
    return read_settings(stored, assignments, FIXED_SETTINGS)


def _run_training(settings: TrainConfig, minutes: float | None, plots: bool, as_json: bool, launcher: Launcher) -> None:
    from abl_cards.training import PlotWriter, Trainer

    plotter = PlotWriter(settings.directory) if plots else None
    last: list[TrainingReport] = []
    with show_progress("preparing", None) as show:
        run = Trainer.from_config(settings, show, launcher)
    with show_progress("training", settings.total_decisions, done=run.decisions) as show:

        def on_update(metrics: Mapping[str, Any]) -> None:
            assert run.last_report
            last[:] = [run.last_report]
            show(run.last_report.decisions, run.last_report.summary())
            if plotter:
                plotter.draw_if_due()

        run.fit(minutes, callbacks=[on_update])
    if run.decisions >= settings.total_decisions:
        with show_progress("critic", None) as show:
            run.finetune_critic(show)
        with show_progress("rollout network", None) as show:
            run.distill_rollout_network(show)
    plot_files = [str(file) for file in plotter.draw()] if plotter else []
    summary = {"directory": str(settings.directory), "weights": str(run.weights_path), "decisions": run.decisions}
    if as_json:
        print_json(summary | ({"last": last[0].to_json()} if last else {}) | ({"plots": plot_files} if plots else {}))
        return
    typer.echo(f"{run.decisions:,} decisions; weights: {run.weights_path}")
    if last:
        typer.echo(last[0].summary())
    if plot_files:
        typer.echo(f"plots: {', '.join(plot_files)}")
    typer.echo(f"try it: {_match_command(settings, run.weights_path)}")


def _match_command(settings: TrainConfig, weights: Path) -> str:
    """Return the command that plays the trained agent against kb, by the rules of the run."""
    rules = {"--kb": settings.kb, "--profile": settings.profile}
    options = [word for name, value in rules.items() if value for word in (name, str(value))]
    return shlex.join(["abl-cards", "match", settings.game, f"abl:weights={weights}", "kb", *options])
