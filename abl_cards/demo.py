"""The tour of ``make run``: what the project does, in a minute, each step with the command that does it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import typer

from abl_cards.agents import Agent, agent
from abl_cards.games import Engine, Tables, game
from abl_cards.streams import key_of, mix_all

DATA = Path(__file__).parent / "data"
SEED = 7
PLAYS = 12
"""Plays before the drawn table: early enough for long hands, late enough for a trick to follow."""


def tour(name: str) -> None:
    """Show everything; an unknown game ends it."""
    begin = time.perf_counter()
    engine = game(name).engine()
    sample = DATA / f"{name}_contest_sample.jsonl.gz"
    _step("The rules are answer-set programs; they are checked, ground and compiled", "kb", "check", name)
    if sample.is_file():
        _step("Real games of the contest, every play confirmed by the rules", "replay", name, str(sample))
    _step("Two agents, whole matches, each deal twice with the teams swapped", "match", name, "greedy", "random",
          "--games", "40", "--seed", str(SEED))  # fmt: skip
    _heading("A table in the middle of a game, with the legal labels of the seat to move")
    typer.echo(middle_of_a_game(engine))
    _step("How fast it is, here and now (the whole table: abl-cards bench)", "bench", "--quick", "--game", name)
    typer.echo(f"\nThat was the tour: {time.perf_counter() - begin:.0f} seconds.")


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
    for which, act in ((tables.exchanging(), _exchange), (tables.playing(), _play)):
        if which.size:
            act(tables, which, player)


def _exchange(tables: Tables, which: np.ndarray, player: Agent) -> None:
    tables.give(which, player.give(tables.exchanges(which), tables.keys[which]))


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
