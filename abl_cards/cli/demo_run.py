"""The main job of ``make run``: rules, records, the joint abduction loop from nothing, an explained decision; a report.

Each step is a command that can be typed alone. What is finished is kept, so that the job goes on after an interruption.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import typer

from abl_cards.agents import Agent, make_agent
from abl_cards.core import GameError, derive_key, has_matplotlib, splitmix64_array
from abl_cards.experiments import FROM_NOTHING, FROM_PREFERENCES
from abl_cards.games import Engine, load
from abl_cards.games.tables import Tables
from abl_cards.matches import find_contest_records, sample_records_path

SEED = 7
SHIPPED_AGENT = "abl"
MIN_PLAYS = 12
"""Plays before the drawn table: early enough for long hands, late enough for a trick to follow."""
EXPLAINED_PLAY = 33
"""The play of the first record that is explained: in the middle of its game."""


def run_demo(name: str, start: str, folder: Path, smoke: bool) -> None:
    """Show everything; an unknown game ends it. The loop starts where it is told, and reports into a folder."""
    begin = time.perf_counter()
    engine = load(name).engine()
    sample = sample_records_path(name)
    _run_command("The rules are answer-set programs; they are checked, ground and compiled", "kb", "check", name)
    if sample.is_file():
        records = sample if smoke else find_contest_records(name)
        _run_command("Real games of the contest, every play confirmed by the rules", "replay", name, str(records))
    _print_heading("A table in the middle of a game, with the legal labels of the seat to move")
    typer.echo(render_mid_game(engine))
    shipped = _find_shipped_agent(engine)
    if shipped is None and start in (FROM_NOTHING, FROM_PREFERENCES):
        heading = "Two agents, whole matches, each deal twice with the teams swapped"
        _run_command(heading, "match", name, "greedy", "random", "--games", "40", "--seed", str(SEED))
        report = ""
    else:
        _run_training(name, start, shipped, folder, smoke)
        if sample.is_file():
            _explain_decision(name, sample, None if smoke else shipped, folder)
        report = f" The report: {folder / 'report.md'}"
    typer.echo(f"\nThat was all: {time.perf_counter() - begin:.0f} seconds.{report}")


def _run_training(name: str, start: str, shipped: str | None, folder: Path, smoke: bool) -> None:
    words = [*_set_options(game=name, init_from=start), "--dir", str(folder)]
    words += ["--smoke"] if smoke else _set_options(reference_agent=shipped or "")
    _run_command(
        "The joint abduction loop: play, abduce, learn; before, on the way, and after", "run", "joint_loop", *words
    )
    _print_plot_paths(folder)


def _set_options(**values: str) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def _print_plot_paths(folder: Path) -> None:
    """Say where the curves are."""
    for name in ("learned", "wins"):
        if (folder / f"{name}.png").exists():
            typer.echo(f"  {folder / name}.png")


def _explain_decision(name: str, sample: Path, agent: str | None, folder: Path) -> None:
    """Let an agent, by default the one that has learned, explain a decision, and put the picture into the report."""
    (row,) = json.loads((folder / "results.json").read_text("utf-8"))["tables"]["training"]["rows"]
    words = [name, str(sample), "--move", str(EXPLAINED_PLAY), "--agent", agent or f"abl:weights={row['weights']}"]
    pictures = has_matplotlib()
    if pictures:
        words += ["--png", str(folder / "decision.png")]
    _run_command("A decision explained: labels, card sets and their costs, the estimated hands", "explain", *words)
    if pictures:
        with (folder / "report.md").open("a", encoding="utf-8") as report:
            report.write(
                f"\n## A decision explained\n\n`abl-cards explain {shlex.join(words)}`\n\n![decision](decision.png)\n"
            )


def _find_shipped_agent(engine: Engine) -> str | None:
    """The agent that comes with the game; None for a game that no weights come with."""
    from abl_cards.agents import check_agent_name, find_weights

    try:
        find_weights(check_agent_name(SHIPPED_AGENT), engine)
    except GameError as problem:
        typer.echo(f"\n{problem}")
        return None
    return SHIPPED_AGENT


def render_mid_game(engine: Engine) -> str:
    """A table as text after some plays of the greedy agent, with somebody to move who follows."""
    tables = engine.start_matches(splitmix64_array(np.array([derive_key(SEED)], np.uint64), 0))
    player = make_agent("greedy", engine)
    for _ in range(MIN_PLAYS):
        _play_once(tables, player)
    while not _is_following(tables):
        _play_once(tables, player)
    return engine.render_table(tables, 0)


def _is_following(tables: Tables) -> bool:
    """Whether the seat to move has something to beat, and something to beat it with."""
    which = tables.rows_to_play()
    if not which.size:
        return False
    decisions = tables.decisions(which)
    return bool(decisions.label_to_beat[0] >= 0 and decisions.legal_mask[:, 0].sum() > 2)


def _play_once(tables: Tables, player: Agent) -> None:
    for which, act in ((tables.rows_to_choose(), _exchange), (tables.rows_to_play(), _play)):
        if which.size:
            act(tables, which, player)


def _exchange(tables: Tables, which: np.ndarray, player: Agent) -> None:
    tables.choose(which, player.choose(tables.choices(which), tables.keys[which]))


def _play(tables: Tables, which: np.ndarray, player: Agent) -> None:
    tables.play(which, player.play(tables.decisions(which), tables.keys[which]))


def _run_command(title: str, *arguments: str) -> None:
    _print_heading(title, f"abl-cards {shlex.join(arguments)}")
    code = _load_cli()(list(arguments), standalone_mode=False)
    if code:
        raise typer.Exit(int(code))


def _load_cli() -> Callable[..., int | None]:
    from abl_cards.cli.app import app

    return app


def _print_heading(title: str, command: str = "") -> None:
    typer.secho(f"\n{title}", bold=True)
    if command:
        typer.echo(f"$ {command}")
