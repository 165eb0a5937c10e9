"""The joint abduction loop for a few minutes, from weights that there are: what the agent gains by it.

The run goes on in its folder until it has had its minutes, so the same command after an interruption trains no longer
than it should, and with more minutes goes on where it was. The critic does not come with weights and learns alone at
first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.agents import checked_name
from abl_cards.agents.learned import weights_of
from abl_cards.games import Engine, GameError
from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk
from experiments.experiment import Experiment
from experiments.matches import Outcome, matches
from experiments.players import mark, players
from experiments.report import Cell, Curves, Plot, Report, Table
from experiments.rules import ByRules


@dataclass(frozen=True)
class Settings(ByRules):
    """Where the loop begins, and how long it goes."""

    game: str = setting("guandan", "what is played")
    start: str = setting("abl", "the agent whose weights are trained on")
    minutes: float = setting(3.0, "of training")
    tables: int = setting(256, "played side by side")
    opponents: tuple[str, ...] = setting(("kb", "greedy"), "whom the agent meets before and after")
    games: int = setting(60, "whole matches against each, on the same deals before and after")
    seed: int = setting(0, "of deals and choices", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Measure, train, measure."""
    engine = settings.engine_of(settings.game)
    name = checked_name(settings.start)
    if name.kind != "abl":
        raise GameError(f"agent '{name}' does not learn: start from abl, or abl:weights=FILE")
    opponents = players(settings.opponents, engine)
    desk.plan(2 * len(opponents))
    (start,) = players([settings.start], engine)
    before = [matches(desk, engine, (start, each), settings.games, settings.seed) for each in opponents]
    weights, metrics = _train(settings, desk, engine)
    (trained,) = players([f"abl:weights={weights}"], engine)
    after = [matches(desk, engine, (trained, each), settings.games, settings.seed) for each in opponents]
    return Report([_table(before, after), _training(metrics, weights)], _plots(metrics))


def _train(settings: Settings, desk: Desk, engine: Engine) -> tuple[Path, list[dict[str, Any]]]:
    """The weights after the minutes of the settings, and what the run measured of itself."""
    from abl_cards.loop.metrics import read_metrics
    from abl_cards.loop.settings import Settings as LoopSettings
    from abl_cards.loop.training import Run
    from learners.store import load_card

    name = checked_name(settings.start)
    file = weights_of(name, engine)
    card = load_card(file)
    chosen = LoopSettings(
        directory=desk.folder / f"loop-{mark(name, engine)}", game=engine.game, preset=card.preset, abln=card.abln,
        seed=settings.seed, tables=settings.tables, start=file, save_every=5,
    )  # fmt: skip
    with desk.bar("joint abduction loop", None) as tell:
        loop = Run(chosen, tell)
        left = settings.minutes - loop.seconds / 60
        if left > 0:
            loop.go(lambda report: tell(report.decisions, report.remark()), left)
    desk.log(f"{loop.update} updates, {loop.decisions} decisions, {loop.seconds / 60:.1f} minutes")
    return loop.weights, read_metrics(chosen.directory)


def _table(before: Sequence[Outcome], after: Sequence[Outcome]) -> Table:
    columns = ("against", "matches", "before", "from", "to", "after", "from ", "to ")
    rows: list[list[Cell]] = [
        [old.names[1], old.games, old.rate, *old.interval, new.rate, *new.interval]
        for old, new in zip(before, after, strict=True)
    ]
    note = "Share of the matches won, with 95 % intervals; the deals are the same before and after."
    return Table("matches", "Before and after", columns, rows, note, frozenset(columns[2:]))


def _training(metrics: Sequence[Mapping[str, Any]], weights: Path) -> Table:
    last = metrics[-1]
    columns = ("updates", "decisions", "minutes", "decisions a second", "weights")
    row: list[Cell] = [
        last["update"],
        last["decisions"],
        last["seconds"] / 60,
        round(last["decisions"] / last["seconds"]),
        str(weights),
    ]
    return Table("training", "The joint abduction loop", columns, [row])


_SHOWN = {
    "wins": ("Wins while training (episodes)", "share won", ("wins against kb", "wins against its past")),
    "hands": ("Squared error of ABLN on own games", "mean squared error a card", ("hands_loss",)),
    "critic": ("Error of the critic", "squared error", ("value_loss",)),
    "policy": ("Entropy of the policy", "nats", ("entropy",)),
    "pace": ("Throughput, learning included", "decisions a second", ("pace",)),
}
"""Plots: title, axis, and what they show of the metrics."""


def _plots(metrics: Sequence[Mapping[str, Any]]) -> list[Plot]:
    plots: list[Plot] = []
    for name, (title, axis, keys) in _SHOWN.items():
        lines = {key: [(line["decisions"], line[key]) for line in metrics if line.get(key) is not None] for key in keys}
        drawn = {key: points for key, points in lines.items() if points}
        plots.append(Curves(name, title, "decisions", axis, drawn))
    return plots


EXPERIMENT = Experiment(
    "The joint abduction loop for some minutes: the agent before and after, against kb and greedy",
    Settings(),
    run,
    smoke={"minutes": 0.02, "games": 2, "tables": 64},
)
