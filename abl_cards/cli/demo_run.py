"""The main job of ``make run``: check rules, replay records, train by abduction, explain a decision, write a report.

Each step is a command of its own. Finished steps are kept, so that an interrupted job continues.
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
"""Plays before the table that is shown: hands are still long, and there is a trick to follow."""
EXPLAINED_PLAY = 33
"""Number of the explained play in the first record, in the middle of its game."""


def run_demo(name: str, start: str, folder: Path, smoke: bool) -> None:
    """Run all steps of the demonstration.

    Args:
        name: Name of a game, or a folder of rule files.
        start: Initial policy: "nothing", "preferences", or an agent.
        folder: Folder of the report.
        smoke: Whether to train for seconds instead of minutes.
    """
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
    typer.echo(f"\nDone in {time.perf_counter() - begin:.0f} seconds.{report}")


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
    """Print the paths of the curves."""
    for name in ("learned", "wins"):
        if (folder / f"{name}.png").exists():
            typer.echo(f"  {folder / name}.png")


def _explain_decision(name: str, sample: Path, agent: str | None, folder: Path) -> None:
    """Explain a decision with an agent, by default the trained one, and add the plot to the report."""
    (row,) = json.loads((folder / "results.json").read_text("utf-8"))["tables"]["training"]["rows"]
    words = [name, str(sample), "--move", str(EXPLAINED_PLAY), "--agent", agent or f"abl:weights={row['weights']}"]
    can_plot = has_matplotlib()
    if can_plot:
        words += ["--png", str(folder / "decision.png")]
    _run_command("A decision explained: labels, card sets and their costs, the estimated hands", "explain", *words)
    if can_plot:
        with (folder / "report.md").open("a", encoding="utf-8") as report:
            report.write(
                f"\n## A decision explained\n\n`abl-cards explain {shlex.join(words)}`\n\n![decision](decision.png)\n"
            )


def _find_shipped_agent(engine: Engine) -> str | None:
    """Return the shipped agent; None for a game without shipped weights."""
    from abl_cards.agents import check_agent_name, find_weights

    try:
        find_weights(check_agent_name(SHIPPED_AGENT), engine)
    except GameError as problem:
        typer.echo(f"\n{problem}")
        return None
    return SHIPPED_AGENT


def render_mid_game(engine: Engine) -> str:
    """Render a table after some plays of the greedy agent, at a decision that follows a play."""
    from abl_cards.games.notation import render_table

    tables = engine.start_matches(splitmix64_array(np.array([derive_key(SEED)], np.uint64), 0))
    player = make_agent("greedy", engine)
    for _ in range(MIN_PLAYS):
        _play_once(tables, player)
    while not _is_following(tables):
        _play_once(tables, player)
    return render_table(engine.rules, tables, 0)


def _is_following(tables: Tables) -> bool:
    """Return whether the seat to move follows a play and can beat it."""
    rows = tables.rows_to_play()
    if not rows.size:
        return False
    decisions = tables.decisions(rows)
    return bool(decisions.label_to_beat[0] >= 0 and decisions.legal_mask[:, 0].sum() > 2)


def _play_once(tables: Tables, player: Agent) -> None:
    for rows, act in ((tables.rows_to_choose(), _exchange), (tables.rows_to_play(), _play)):
        if rows.size:
            act(tables, rows, player)


def _exchange(tables: Tables, rows: np.ndarray, player: Agent) -> None:
    tables.choose(rows, player.choose(tables.choices(rows), tables.keys[rows]))


def _play(tables: Tables, rows: np.ndarray, player: Agent) -> None:
    tables.play(rows, player.play(tables.decisions(rows), tables.keys[rows]))


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
