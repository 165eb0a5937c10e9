"""``train``: the joint abduction loop, live."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    find_game,
    finite,
    load_engine,
    print_json,
    print_settings,
    progress,
    read_settings,
    rule_words,
)
from abl_cards.cli.elsewhere import Address, WithRay, cluster

if TYPE_CHECKING:
    from abl_cards.loop.settings import Settings
    from abl_cards.loop.staff import Staff
    from abl_cards.loop.training import Report

FIXED = ("directory", "game")
"""Settings that have an argument of their own."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(cls=WithRay)(train)


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
            callback=finite,
            help="Stop after so many minutes; the same command goes on later.",
        ),
    ] = None,
    plots: Annotated[
        bool,
        typer.Option("--plots", help="Draw wins with intervals, losses and pace into the run's folder, as it goes."),
    ] = False,
    ray: Address = None,
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
    chosen = _chosen(game_name, directory, [*(settings or []), *rule_words(rules, profile)])
    if show:
        print_settings(chosen, FIXED)
        return
    load_engine(game, chosen.kb, chosen.profile)  # once a process; here somebody's rules can be at fault
    with _staff(ray, chosen) as staff:
        _run(chosen, minutes, plots, as_json, staff)


@contextmanager
def _staff(ray: str | None, settings: Settings) -> Iterator[Staff]:
    """Whoever works on the run besides this process."""
    if ray is None:
        from abl_cards.loop.staff import OnThisMachine

        yield OnThisMachine()
        return
    from abl_cards.cluster.staff import OnRay, processors_for

    with cluster(ray, processors_for(settings)) as there:
        yield OnRay(there)


def _chosen(game_name: str, directory: Path | None, words: list[str]) -> Settings:
    """What the words say over what the run in the folder remembers; raises GameError for a run of another game."""
    from abl_cards.errors import GameError
    from abl_cards.loop.settings import fresh, name_of, remembered
    from learners.presets import usual_preset

    usual = fresh(game_name, usual_preset(game_name))
    preset = read_settings(usual, words, FIXED).preset
    folder = directory or Path("runs") / name_of(game_name, preset)
    kept = remembered(folder)
    if kept is None:
        return replace(read_settings(fresh(game_name, preset), words, FIXED), directory=folder)
    if kept.game != game_name:
        raise GameError(f"{folder}: a run of {kept.game}; choose another folder for {game_name}")
    return read_settings(kept, words, FIXED)


def _run(settings: Settings, minutes: float | None, plots: bool, as_json: bool, staff: Staff) -> None:
    from abl_cards.loop.curves import Pictures
    from abl_cards.loop.training import Run

    pictures = Pictures(settings.directory) if plots else None
    last: list[Report] = []
    with progress("preparing", None) as tell:
        run = Run(settings, tell=tell, staff=staff)
    with progress("training", settings.decisions) as tell:

        def show(report: Report) -> None:
            last[:] = [report]
            tell(report.decisions, report.remark())
            if pictures:
                pictures.now_and_then()

        run.go(show, minutes)
    if run.decisions >= settings.decisions:
        with progress("critic", None) as tell:
            run.value_positions(tell)
    drawn = [str(file) for file in pictures.draw()] if pictures else []
    summary = {"directory": str(settings.directory), "weights": str(run.weights), "decisions": run.decisions}
    if as_json:
        print_json(summary | ({"last": last[0].to_json()} if last else {}) | ({"plots": drawn} if plots else {}))
        return
    typer.echo(f"{run.decisions:,} decisions; weights: {run.weights}")
    if last:
        typer.echo(last[0].remark())
    if drawn:
        typer.echo(f"plots: {', '.join(drawn)}")
    typer.echo(f"try it: {_trial(settings, run.weights)}")


def _trial(settings: Settings, weights: Path) -> str:
    """The command that plays what has been trained against the agent kb, by the rules of the run."""
    rules = {"--kb": settings.kb, "--profile": settings.profile}
    more = [word for name, value in rules.items() if value for word in (name, str(value))]
    return shlex.join(["abl-cards", "match", settings.game, f"abl:weights={weights}", "kb", *more])
