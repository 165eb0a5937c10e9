"""``train``: the joint abduction loop, live."""

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
    GameName,
    Profile,
    RuleFolder,
    check_finite,
    find_game,
    load_engine,
    print_json,
    print_settings,
    read_settings,
    rule_assignments,
    show_progress,
)
from abl_cards.cli.ray_option import RayAddress, RayCommand, connect_cluster

if TYPE_CHECKING:
    from abl_cards.training import Launcher, TrainConfig, TrainingReport

FIXED_SETTINGS = ("directory", "game")
"""Settings that have an argument of their own."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(cls=RayCommand)(train)


def train(
    game_name: GameName,
    directory: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Where the run is kept; default: runs/GAME-PRESET.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the run; as often as needed.")
    ] = None,
    rules: RuleFolder = None,
    profile: Profile = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            min=0.001,
            callback=check_finite,
            help="Stop after so many minutes; the same command goes on later.",
        ),
    ] = None,
    plots: Annotated[
        bool,
        typer.Option("--plots", help="Draw wins with intervals, losses and pace into the run's folder, as it goes."),
    ] = False,
    ray: RayAddress = None,
    show: Annotated[bool, typer.Option("--settings", help="Show the settings and what they mean.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train agent abl: supervised on records if there are any, then by self-play with abduction.

    A run goes on from its checkpoint when the command is given again; its folder remembers the settings, so that --dir
    is enough, and refuses what cannot change on the way, other rules among it. metrics.jsonl has a line an update;
    --plots draws it, every minute and at the end, and TensorBoard shows it where it is installed. At the end the
    weights lie in the run's folder, with their card. With --ray this process learns from what others play, on this
    machine or in a cluster; a run may go on with it or without.

    A game of your own, or one without a shipped player, is learned from nothing: the preset quick, some minutes.

        abl-cards train mygame --plots
        abl-cards train guandan --dir runs/try --set decisions=2000000 --minutes 10
        abl-cards train guandan --dir runs/try
        abl-cards match guandan abl:weights=runs/try/guandan-small.safetensors kb --games 200
    """
    game = find_game(game_name)
    chosen = _resolve_settings(game_name, directory, [*(settings or []), *rule_assignments(rules, profile)])
    if show:
        print_settings(chosen, FIXED_SETTINGS)
        return
    load_engine(game, chosen.kb, chosen.profile)  # once a process; here somebody's rules can be at fault
    with _open_launcher(ray, chosen) as staff:
        _run_training(chosen, minutes, plots, as_json, staff)


@contextmanager
def _open_launcher(ray: str | None, settings: TrainConfig) -> Iterator[Launcher]:
    """Whoever works on the run besides this process."""
    if ray is None:
        from abl_cards.training import LocalLauncher

        yield LocalLauncher()
        return
    from abl_cards.cluster import RayLauncher, count_local_processes

    with connect_cluster(ray, count_local_processes(settings)) as there:
        yield RayLauncher(there)


def _resolve_settings(game_name: str, directory: Path | None, words: list[str]) -> TrainConfig:
    """What the words say over what the run in the folder remembers; raises GameError for a run of another game."""
    from abl_cards.core import GameError
    from abl_cards.learners import default_preset
    from abl_cards.training import create_config, read_config, run_name

    usual = create_config(game_name, default_preset(game_name))
    preset = read_settings(usual, words, FIXED_SETTINGS).preset
    folder = directory or Path("runs") / run_name(game_name, preset)
    kept = read_config(folder)
    if kept is None:
        return replace(read_settings(create_config(game_name, preset), words, FIXED_SETTINGS), directory=folder)
    if kept.game != game_name:
        raise GameError(f"{folder}: a run of {kept.game}; choose another folder for {game_name}")
    return read_settings(kept, words, FIXED_SETTINGS)


def _run_training(settings: TrainConfig, minutes: float | None, plots: bool, as_json: bool, staff: Launcher) -> None:
    from abl_cards.training import PlotWriter, Trainer

    pictures = PlotWriter(settings.directory) if plots else None
    last: list[TrainingReport] = []
    with show_progress("preparing", None) as tell:
        run = Trainer.from_config(settings, tell, staff)
    with show_progress("training", settings.total_decisions) as tell:

        def show(metrics: Mapping[str, Any]) -> None:
            assert run.last_report
            last[:] = [run.last_report]
            tell(run.last_report.decisions, run.last_report.summary())
            if pictures:
                pictures.draw_if_due()

        run.fit(minutes, callbacks=[show])
    if run.decisions >= settings.total_decisions:
        with show_progress("critic", None) as tell:
            run.finetune_critic(tell)
    drawn = [str(file) for file in pictures.draw()] if pictures else []
    summary = {"directory": str(settings.directory), "weights": str(run.weights_path), "decisions": run.decisions}
    if as_json:
        print_json(summary | ({"last": last[0].to_json()} if last else {}) | ({"plots": drawn} if plots else {}))
        return
    typer.echo(f"{run.decisions:,} decisions; weights: {run.weights_path}")
    if last:
        typer.echo(last[0].summary())
    if drawn:
        typer.echo(f"plots: {', '.join(drawn)}")
    typer.echo(f"try it: {_match_command(settings, run.weights_path)}")


def _match_command(settings: TrainConfig, weights: Path) -> str:
    """The command that plays what has been trained against the agent kb, by the rules of the run."""
    rules = {"--kb": settings.kb, "--profile": settings.profile}
    more = [word for name, value in rules.items() if value for word in (name, str(value))]
    return shlex.join(["abl-cards", "match", settings.game, f"abl:weights={weights}", "kb", *more])
