"""Table 6 and figure 5 of Chen et al. 2025: agreement of agents with recorded experts.

An action agrees when it has the expert's label: type and rank, and for a bomb the number of cards. To predict a score,
the agent plays all four seats from a position to the end of the episode. The score is right when team and points equal
the recorded ones. Positions are numbered by the entries of the record from there to its end, passes included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.core import SEED_RANGE, Axis, LinePlot, Plot, setting, share_axis
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.expert_agreement import FIRST_ENTRY, AgreementListener
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.recorded_decisions import RecordedEpisodes
from abl_cards.experiments.report import ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.matches import wilson_interval

PAPER_SHARES = {FIRST_ENTRY: (0.3936, 0.2429), 30: (0.5860, 0.3389), 20: (0.6305, 0.4124), 10: (0.6819, 0.5932),
         5: (0.7674, 0.7570), 1: (0.9479, 0.9537)}  # fmt: skip
"""Table 6, against human experts: actions and scores by step."""
MIN_EPISODES = 30  # episodes for a point of a curve
SINGLE_STEPS, BIN_WIDTH = 10, 5
"""Entries before the end with points of their own, and entries of a point before them."""


@dataclass(frozen=True)
class GuandanExpertConfig(RulesConfig):
    """Compared agents and experts."""

    agents: tuple[str, ...] = setting(("kb", "abl:supervised", "abl"), "agents to compare", is_required=True)
    records: Path | None = setting(None, "recorded games; by default those of the contest")
    last: int = setting(40, "matches at the end of the records")
    steps: tuple[int, ...] = setting(
        (60, 50, 40, 30, 25, 20, 15, 10, 7, 5, 3, 2, 1),
        "plays before the end from which scores are predicted",
        is_required=True,
    )
    seed: int = setting(0, "seed of agents that play at random", SEED_RANGE)


def run(settings: GuandanExpertConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Compare every agent."""
    engine = settings.load_engine("guandan")
    records = RecordedEpisodes.load(settings.records, engine.game)
    last, there = records.last_matches(settings.last), load_agents(settings.agents, engine)
    workspace.plan_cells(len(there))
    by_name = {player.name: player for player in there}
    source = f"{len(last)} episodes of {records.file.name}, its last {last.match_numbers[-1] + 1} matches."

    def compare(name: str) -> dict[str, Any]:
        return _compare(workspace, engine, by_name[name], last, settings)

    def report(results: Mapping[str, Mapping[str, Any]]) -> ExperimentReport:
        return ExperimentReport([_agreement(results, source), _steps(results)], agreement_plots(results))

    return report(workspace.measure_each(by_name, compare, report))


def _compare(
    workspace: ExperimentWorkspace,
    engine: Engine,
    player: AgentSpec,
    records: RecordedEpisodes,
    settings: GuandanExpertConfig,
) -> dict[str, Any]:
    steps = tuple(dict.fromkeys((*settings.steps, *((FIRST_ENTRY,) if settings.steps else ()))))
    what = {
        "follow": player.name, "mark": player.fingerprint, "records": records.fingerprint, "last": settings.last,
        "steps": steps,
        "seed": settings.seed,
    }  # fmt: skip

    def work(tell: ProgressCallback) -> dict[str, Any]:
        follower = AgreementListener(engine, player.agent, records, steps, settings.seed)
        tell(0, "replaying")
        records.replay(engine, follower)
        choices = follower.agreement()
        longest = int(choices.num_left.max())
        actions = {step: choices.agrees_at(step) for step in (*range(1, longest + 1), FIRST_ENTRY)}
        shares = choices.shares() | {"decisions": len(choices.num_left)}
        scores = follower.predict_scores(tell)
        return {"shares": shares} | {
            name: {str(step): [float(right.mean()), len(right)] for step, right in by_step.items() if len(right)}
            for name, by_step in (("actions", actions), ("scores", scores))
        }

    return dict(workspace.measure_cell(what, work, player.name, len(records) * len(steps) or None))


def _agreement(results: Mapping[str, Mapping[str, Any]], source: str) -> ReportTable:
    columns = ("agent", "decisions", "overall", "where the expert did not pass", "where more than one label is legal")
    rows = []
    for name, result in results.items():
        shares = result["shares"]
        rows.append([name, shares["decisions"], *(shares[part] for part in ("overall", "not passed", "choice"))])
    return ReportTable(
        "agreement", "Agreement with the recorded actions", columns, rows, source, frozenset(columns[2:])
    )


def _steps(results: Mapping[str, Mapping[str, Any]]) -> ReportTable:
    """Make table 6, beside the numbers of the paper."""
    columns = ["entries before the end", "episodes"]
    columns += [f"{name}: {what}" for name in results for what in ("action", "score")]
    columns += [f"{name}: score, {end}" for name in results for end in ("from", "to")]
    columns += ["paper: action", "paper: score"]
    rows: list[Sequence[str | int | float | None]] = []
    for step, paper in PAPER_SHARES.items():
        parts = [result[what].get(str(step)) for result in results.values() for what in ("actions", "scores")]
        count = next((part[1] for part in parts if part), None)
        name = "-max" if step == FIRST_ENTRY else f"-{step}"
        scores = [result["scores"].get(str(step)) for result in results.values()]
        bounds = [bound for part in scores for bound in (wilson_interval(*part) if part else (None, None))]
        rows.append([name, count, *(part[0] if part else None for part in parts), *bounds, *paper])
    note = "The paper's experts are human, ours are programs of a contest. Scores have 95 % intervals."
    return ReportTable("steps", "By position (table 6)", tuple(columns), rows, note, frozenset(columns[2:]))


def agreement_plots(results: Mapping[str, Mapping[str, Any]]) -> list[Plot]:
    """Plot figure 5."""
    plots: list[Plot] = []
    for place, (key, title) in enumerate((("actions", "Agreement with the action"), ("scores", "Score predicted"))):
        bins = {name: _bins(result[key]) for name, result in results.items()}
        drawn = {name: [(at, share) for at, share, _ in points] for name, points in bins.items() if points}
        bands = {name: [(at, *wilson_interval(share, count)) for at, share, count in bins[name]] for name in drawn}
        paper = {"paper": sorted((step, shares[place]) for step, shares in PAPER_SHARES.items() if step > 0)}
        counts = [round(count) for points in bins.values() for *_, count in points] or [0]
        plots.append(
            LinePlot(
                key, title, Axis("position before the end", "entries", is_integer=True), share_axis("share predicted"),
                drawn, paper, bands, reverse_x=True, n=f"{numbers_text(counts, 'episodes')} a point; beyond "
                f"{SINGLE_STEPS} entries a point is the mean of up to {BIN_WIDTH} neighbours",
                interval="95 % intervals (Wilson) over episodes; the paper gives none",
            )
        )  # fmt: skip
    return plots


def _bins(shares: Mapping[str, Sequence[float]]) -> list[tuple[float, float, float]]:
    """Return position, share and number of episodes of each point: neighbours far from the end are averaged."""
    bins: dict[int, list[tuple[int, float, float]]] = {}
    for step, (share, count) in sorted((int(step), tuple(values)) for step, values in shares.items()):
        if step > 0 and count >= MIN_EPISODES:
            start = (
                step if step <= SINGLE_STEPS else SINGLE_STEPS + (step - SINGLE_STEPS - 1) // BIN_WIDTH * BIN_WIDTH + 1
            )
            bins.setdefault(start, []).append((step, share, count))
    points = []
    for members in bins.values():
        steps, values, counts = np.array(members, np.float64).T
        points.append((float(steps.mean()), float(np.average(values, weights=counts)), float(counts.mean())))
    return points


EXPERIMENT = Experiment(
    "Table 6 and figure 5: actions and scores of recorded experts, predicted",
    GuandanExpertConfig(),
    run,
    smoke={"agents": ("kb", "random"), "last": 1, "steps": (5, 1)},
)
