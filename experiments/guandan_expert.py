"""Table 6 and figure 5 of Chen et al. 2025: agents beside recorded experts.

An action agrees when it has the expert's label: type and rank, and of a bomb the number of cards. A score is predicted
from a position by the agent playing all four seats to the end of the episode, and right when team and points are the
recorded ones. Positions are named by the entries of the record from there to its end, passes included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.arena import wilson
from abl_cards.games import Engine
from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk, Tell
from experiments.experiment import Experiment
from experiments.follow import FIRST, Follower
from experiments.players import Player, players
from experiments.recorded import Records
from experiments.report import Curves, Plot, Report, Table
from experiments.rules import ByRules

PAPER = {FIRST: (0.3936, 0.2429), 30: (0.5860, 0.3389), 20: (0.6305, 0.4124), 10: (0.6819, 0.5932),
         5: (0.7674, 0.7570), 1: (0.9479, 0.9537)}  # fmt: skip
"""Table 6, against human experts: actions and scores by step."""
FEWEST = 30  # episodes for a point of a curve


@dataclass(frozen=True)
class Settings(ByRules):
    """Who is compared with which experts."""

    agents: tuple[str, ...] = setting(("kb", "abl:supervised", "abl"), "who is compared")
    records: Path | None = setting(None, "recorded games; by default those of the contest")
    last: int = setting(40, "matches at the end of the records")
    steps: tuple[int, ...] = setting((60, 50, 40, 30, 25, 20, 15, 10, 7, 5, 3, 2, 1), "from which scores are predicted")
    seed: int = setting(0, "of agents that play at random", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Compare every agent."""
    engine = settings.engine_of("guandan")
    records = Records.of(settings.records, engine.game)
    last, there = records.last(settings.last), players(settings.agents, engine)
    desk.plan(len(there))
    by_name = {player.name: player for player in there}
    source = f"{len(last)} episodes of {records.file.name}, its last {last.matches[-1] + 1} matches."

    def compare(name: str) -> dict[str, Any]:
        return _compared(desk, engine, by_name[name], last, settings)

    def report(found: Mapping[str, Mapping[str, Any]]) -> Report:
        return Report([_agreement(found, source), _steps(found)], _curves(found))

    return report(desk.each(by_name, compare, report))


def _compared(desk: Desk, engine: Engine, player: Player, records: Records, settings: Settings) -> dict[str, Any]:
    steps = tuple(dict.fromkeys((*settings.steps, *((FIRST,) if settings.steps else ()))))
    what = {
        "follow": player.name, "mark": player.mark, "records": records.mark, "last": settings.last, "steps": steps,
        "seed": settings.seed,
    }  # fmt: skip

    def work(tell: Tell) -> dict[str, Any]:
        follower = Follower(engine, player.agent, records, steps, settings.seed)
        tell(0, "replaying")
        records.watch(engine, follower)
        choices = follower.choices()
        longest = int(choices.step.max())
        actions = {step: choices.at(step) for step in (*range(1, longest + 1), FIRST)}
        shares = choices.shares() | {"decisions": len(choices.step)}
        scores = follower.endings(tell)
        return {"shares": shares} | {
            name: {str(step): [float(right.mean()), len(right)] for step, right in each.items() if len(right)}
            for name, each in (("actions", actions), ("scores", scores))
        }

    return dict(desk.cell(what, work, player.name, len(records) * len(steps) or None))


def _agreement(found: Mapping[str, Mapping[str, Any]], source: str) -> Table:
    columns = ("agent", "decisions", "overall", "where the expert did not pass", "where more than one label is legal")
    rows = []
    for name, result in found.items():
        shares = result["shares"]
        rows.append([name, shares["decisions"], *(shares[part] for part in ("overall", "not passed", "choice"))])
    return Table("agreement", "Agreement with the recorded actions", columns, rows, source, frozenset(columns[2:]))


def _steps(found: Mapping[str, Mapping[str, Any]]) -> Table:
    """Table 6, with the figures of the paper beside."""
    columns = ["entries before the end", "episodes"]
    columns += [f"{name}: {what}" for name in found for what in ("action", "score")]
    columns += [f"{name}: score, {end}" for name in found for end in ("from", "to")]
    columns += ["paper: action", "paper: score"]
    rows: list[Sequence[str | int | float | None]] = []
    for step, paper in PAPER.items():
        parts = [result[what].get(str(step)) for result in found.values() for what in ("actions", "scores")]
        count = next((part[1] for part in parts if part), None)
        name = "-max" if step == FIRST else f"-{step}"
        scores = [result["scores"].get(str(step)) for result in found.values()]
        bounds = [bound for part in scores for bound in (wilson(*part) if part else (None, None))]
        rows.append([name, count, *(part[0] if part else None for part in parts), *bounds, *paper])
    note = "The paper's experts are human, ours are programs of a contest. Scores have 95 % intervals."
    return Table("steps", "By position (table 6)", tuple(columns), rows, note, frozenset(columns[2:]))


def _curves(found: Mapping[str, Mapping[str, Any]]) -> list[Plot]:
    """Figure 5."""
    plots: list[Plot] = []
    for place, (key, title) in enumerate((("actions", "Agreement with the action"), ("scores", "Score predicted"))):
        lines = {
            name: sorted(
                (int(step), share) for step, (share, count) in result[key].items() if int(step) > 0 and count >= FEWEST
            )
            for name, result in found.items()
        }
        drawn = {name: points for name, points in lines.items() if points}
        bands = {
            name: [(step, *wilson(share, result[key][str(int(step))][1])) for step, share in drawn.get(name, ())]
            for name, result in found.items()
        }
        paper = {"paper": sorted((step, each[place]) for step, each in PAPER.items() if step > 0)}
        plots.append(Curves(key, title, "entries before the end", "share", drawn, paper, bands, backwards=True))
    return plots


EXPERIMENT = Experiment(
    "Table 6 and figure 5: actions and scores of recorded experts, predicted",
    Settings(),
    run,
    smoke={"agents": ("kb", "random"), "last": 1, "steps": (5, 1)},
)
