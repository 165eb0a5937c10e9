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

from abl_cards.agents import Agent, agent
from abl_cards.errors import GameError
from abl_cards.games import Engine, Tables, game
from abl_cards.plots import can_draw
from abl_cards.records import contest_records, sample_records
from abl_cards.streams import key_of, mix_all
from experiments.joint_loop import NOTHING, PREFERENCES

SEED = 7
SHIPPED = "abl"
PLAYS = 12
"""Plays before the drawn table: early enough for long hands, late enough for a trick to follow."""
MOVE = 33
"""The play of the first record that is explained: in the middle of its game."""


def tour(name: str, start: str, folder: Path, smoke: bool) -> None:
    """Show everything; an unknown game ends it. The loop starts where it is told, and reports into a folder."""
    begin = time.perf_counter()
    engine = game(name).engine()
    sample = sample_records(name)
    _step("The rules are answer-set programs; they are checked, ground and compiled", "kb", "check", name)
    if sample.is_file():
        records = sample if smoke else contest_records(name)
        _step("Real games of the contest, every play confirmed by the rules", "replay", name, str(records))
    _heading("A table in the middle of a game, with the legal labels of the seat to move")
    typer.echo(middle_of_a_game(engine))
    shipped = _shipped(engine)
    if shipped is None and start in (NOTHING, PREFERENCES):
        _step("Two agents, whole matches, each deal twice with the teams swapped", "match", name, "greedy", "random",
              "--games", "40", "--seed", str(SEED))  # fmt: skip
        report = ""
    else:
        _learn(name, start, shipped, folder, smoke)
        if sample.is_file():
            _explain(name, sample, None if smoke else shipped, folder)
        report = f" The report: {folder / 'report.md'}"
    typer.echo(f"\nThat was all: {time.perf_counter() - begin:.0f} seconds.{report}")


def _learn(name: str, start: str, shipped: str | None, folder: Path, smoke: bool) -> None:
    words = [*_set(game=name, start=start), "--dir", str(folder)]
    words += ["--smoke"] if smoke else _set(beside=shipped or "")
    _step("The joint abduction loop: play, abduce, learn; before, on the way, and after", "run", "joint_loop", *words)
    _pictures(folder)


def _set(**values: str) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def _pictures(folder: Path) -> None:
    """Say where the curves are."""
    for name in ("learned", "wins"):
        if (folder / f"{name}.png").exists():
            typer.echo(f"  {folder / name}.png")


def _explain(name: str, sample: Path, agent: str | None, folder: Path) -> None:
    """Let an agent, by default the one that has learned, explain a decision, and put the picture into the report."""
    (row,) = json.loads((folder / "results.json").read_text("utf-8"))["tables"]["training"]["rows"]
    words = [name, str(sample), "--move", str(MOVE), "--agent", agent or f"abl:weights={row['weights']}"]
    pictures = can_draw()
    if pictures:
        words += ["--png", str(folder / "decision.png")]
    _step("A decision explained: labels, card sets and their costs, the estimated hands", "explain", *words)
    if pictures:
        with (folder / "report.md").open("a", encoding="utf-8") as report:
            report.write(
                f"\n## A decision explained\n\n`abl-cards explain {shlex.join(words)}`\n\n![decision](decision.png)\n"
            )


def _shipped(engine: Engine) -> str | None:
    """The agent that comes with the game; None for a game that no weights come with."""
    from abl_cards.agents import checked_name
    from abl_cards.agents.learned import weights_of

    try:
        weights_of(checked_name(SHIPPED), engine)
    except GameError as problem:
        typer.echo(f"\n{problem}")
        return None
    return SHIPPED


def middle_of_a_game(engine: Engine) -> str:
    """A table as text after some plays of the greedy agent, with somebody to move who follows."""
    tables = engine.tables(mix_all(np.array([key_of(SEED)], np.uint64), 0))
    player = agent("greedy", engine)
    for _ in range(PLAYS):
        _one_play(tables, player)
    while not _follows(tables):
        _one_play(tables, player)
    return engine.draw(tables, 0)


def _follows(tables: Tables) -> bool:
    """Whether the seat to move has something to beat, and something to beat it with."""
    which = tables.playing()
    if not which.size:
        return False
    decisions = tables.decisions(which)
    return bool(decisions.label_to_beat[0] >= 0 and decisions.legal[:, 0].sum() > 2)


def _one_play(tables: Tables, player: Agent) -> None:
    for which, act in ((tables.choosing(), _exchange), (tables.playing(), _play)):
        if which.size:
            act(tables, which, player)


def _exchange(tables: Tables, which: np.ndarray, player: Agent) -> None:
    tables.choose(which, player.choose(tables.choices(which), tables.keys[which]))


def _play(tables: Tables, which: np.ndarray, player: Agent) -> None:
    tables.play(which, player.play(tables.decisions(which), tables.keys[which]))


def _step(title: str, *arguments: str) -> None:
    _heading(title, f"abl-cards {shlex.join(arguments)}")
    code = _command()(list(arguments), standalone_mode=False)
    if code:
        raise typer.Exit(int(code))


def _command() -> Callable[..., int | None]:
    from abl_cards.cli import app

    return app


def _heading(title: str, command: str = "") -> None:
    typer.secho(f"\n{title}", bold=True)
    if command:
        typer.echo(f"$ {command}")
