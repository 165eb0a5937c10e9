"""The main job of ``make run``: check rules, replay records, train by abduction, explain a decision, write a report.

Each step is a command of its own. Finished steps are kept, so that an interrupted job continues.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import typer

from abl_cards.agents import Agent, make_agent
from abl_cards.cli.progress import duration_text
from abl_cards.core import GameError, derive_key, has_matplotlib, splitmix64_array
from abl_cards.experiments import FROM_NOTHING, FROM_PREFERENCES, get_experiment
from abl_cards.games import Engine, load
from abl_cards.games.tables import Tables
from abl_cards.matches import find_contest_records, sample_records_path

SEED = 7
SHIPPED_AGENT = "abl"
MIN_PLAYS = 12
"""Plays before the table that is shown: hands are still long, and there is a trick to follow."""
EXPLAINED_PLAY = 33
"""Number of the explained play in the first record, in the middle of its game."""


STAGE_SECONDS = {
    "rules": 75, "records": 20, "table": 40, "training": 290, "abduction": 6, "match": 15, "decision": 2,
}  # fmt: skip
"""Seconds of each stage on two idle cores where nothing is compiled yet; training adds the minutes of its settings."""
SMOKE_SHARE = 0.2
"""Estimated share of these seconds that a smoke test takes."""


@dataclass
class _Stages:
    """Stages of the demonstration, with the seconds that each is expected to take.

    Attributes:
        seconds: Expected seconds by stage, in order.
    """

    seconds: dict[str, float]
    _started: float = field(default_factory=time.perf_counter)
    _done: int = 0

    def announce(self) -> None:
        """Print how long everything takes, and the share of each stage."""
        total = sum(self.seconds.values())
        duration = f"{total / 60:.0f} minutes" if total >= 90 else f"{total:.0f} seconds"
        shares = ", ".join(f"{stage} {seconds / total:.0%}" for stage, seconds in self.seconds.items())
        typer.echo(f"This takes about {duration} the first time, on two idle cores with compiling: {shares}.")

    def begin(self, stage: str) -> str:
        """Return the text before the heading of a stage; prints how long the stage before took."""
        self.finish()
        self._done += 1
        self._started = time.perf_counter()
        share = self.seconds[stage] / sum(self.seconds.values())
        return f"[{self._done}/{len(self.seconds)}, about {share:.0%}] "

    def finish(self) -> None:
        """Print how long the running stage took."""
        if self._done:
            typer.echo(f"({duration_text(time.perf_counter() - self._started)})")


def plan_stages(has_records: bool, trains: bool, smoke: bool) -> dict[str, float]:
    """Return the stages of the demonstration with their expected seconds.

    Args:
        has_records: Whether the game has a sample of records.
        trains: Whether an agent is trained; else two agents play.
        smoke: Whether to train for seconds instead of minutes.
    """
    stages = ["rules", *(["records"] if has_records else []), "table"]
    stages += ["training", "abduction", *(["decision"] if has_records else [])] if trains else ["match", "abduction"]
    seconds = {stage: STAGE_SECONDS[stage] * (SMOKE_SHARE if smoke else 1.0) for stage in stages}
    if trains:
        seconds["training"] += 60 * get_experiment("joint_loop").make_settings(smoke).minutes
    return seconds


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
    shipped = _find_shipped_agent(engine)
    trains = shipped is not None or start not in (FROM_NOTHING, FROM_PREFERENCES)
    stages = _Stages(plan_stages(sample.is_file(), trains, smoke))
    stages.announce()
    title = "The rules are answer-set programs; they are checked, ground and compiled"
    _run_command(stages.begin("rules") + title, "kb", "check", name)
    if sample.is_file():
        records = sample if smoke else find_contest_records(name)
        title = "Real games of the contest, every play confirmed by the rules"
        _run_command(stages.begin("records") + title, "replay", name, str(records))
    _print_heading(stages.begin("table") + "A table in the middle of a game, with the legal labels of the seat to move")
    typer.echo(render_mid_game(engine))
    if trains:
        _run_training(stages.begin("training"), name, start, shipped, folder, smoke)
        agents = [f"abl:weights={_trained_weights(folder)}", *([shipped] if shipped and not smoke else [])]
        _show_abduction(stages.begin("abduction"), name, agents, folder, smoke)
        if sample.is_file():
            _explain_decision(stages.begin("decision"), name, sample, None if smoke else shipped, folder)
        report = f" The report: {folder / 'report.md'}"
    else:
        heading = stages.begin("match") + "Two agents, whole matches, each deal twice with the teams swapped"
        _run_command(heading, "match", name, "greedy", "random", "--games", "40", "--seed", str(SEED))
        _show_abduction(stages.begin("abduction"), name, [], folder, smoke)
        report = ""
    stages.finish()
    typer.echo(f"\nDone in {duration_text(time.perf_counter() - begin)}.{report}")


def _show_abduction(prefix: str, name: str, agents: list[str], folder: Path, smoke: bool) -> None:
    """Measure the estimates of hidden hands before and after projection, and candidates that the rules drop."""
    words = [*_set_options(game=name, agents=" ".join(agents)), "--dir", str(folder / "abduction")]
    words += ["--set", "decisions=100", "--set", "positions=100"] if smoke else []
    title = "What abduction does: errors of estimated hands before and after projection, and candidates dropped"
    _run_command(prefix + title, "run", "abduction_effects", *words)


def _trained_weights(folder: Path) -> str:
    """Return the path of the weights that the training stage has written."""
    (row,) = json.loads((folder / "results.json").read_text("utf-8"))["tables"]["training"]["rows"]
    return str(row["weights"])


def _run_training(prefix: str, name: str, start: str, shipped: str | None, folder: Path, smoke: bool) -> None:
    words = [*_set_options(game=name, init_from=start), "--dir", str(folder)]
    words += ["--smoke"] if smoke else _set_options(reference_agent=shipped or "")
    _run_command(
        prefix + "The joint abduction loop: play, abduce, learn; before, on the way, and after",
        "run",
        "joint_loop",
        *words,
    )
    _print_plot_paths(folder)


def _set_options(**values: str) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def _print_plot_paths(folder: Path) -> None:
    """Print the paths of the curves."""
    for name in ("learned", "wins"):
        if (folder / f"{name}.svg").exists():
            typer.echo(f"  {folder / name}.svg")


def _explain_decision(prefix: str, name: str, sample: Path, agent: str | None, folder: Path) -> None:
    """Explain a decision with an agent, by default the trained one, and add the plot to the report."""
    words = [name, str(sample), "--move", str(EXPLAINED_PLAY)]
    words += ["--agent", agent or f"abl:weights={_trained_weights(folder)}"]
    can_plot = has_matplotlib()
    if can_plot:
        words += ["--png", str(folder / "decision.png")]
    title = "A decision explained: labels, card sets and their costs, the estimated hands"
    _run_command(prefix + title, "explain", *words)
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
