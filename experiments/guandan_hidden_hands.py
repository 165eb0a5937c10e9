"""Error of estimates of the hidden hands, by the observer's number of cards; and the value of abduction.

The second table trains ABLN from random weights with revealed hands in some episodes only. The other hands are left
out, or abduced: the nearest hands to the network's estimate that explain counts, facts and later plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from abl_cards.agents import AblAgent, rules_fingerprint
from abl_cards.core import SEED_RANGE, Axis, ErrorCode, GameError, LinePlot, Plot, setting, share_axis
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.decision_dataset import DatasetCollector, DecisionDataset, collect_self_play
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.hand_estimates import (
    BASELINE_ESTIMATORS,
    EXACT_ESTIMATORS,
    Estimator,
    choose_revealed,
    network_estimators,
    squared_errors,
    train_abln,
)
from abl_cards.experiments.recorded_decisions import RecordedEpisodes
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine

CARDS_LEFT = (27, 20, 10, 5)
"""Columns of the table."""

_DECISIONS_TEXT = "means over decisions of both sides; the number of each hand size was not stored"


@dataclass(frozen=True)
class GuandanHiddenHandsConfig(RulesConfig, SeedsConfig):
    """Estimators, and amounts of training data."""

    agent: str = setting("abl", "agent whose ABLN is measured")
    records: Path | None = setting(None, "recorded games; by default those of the contest")
    last: int = setting(40, "last matches of the records, which are measured and not learned")
    decisions: int = setting(20_000, "measured decisions of the agent against itself")
    exact: bool = setting(False, "also measure the mean of all consistent deals (slow)")
    shares: tuple[float, ...] = setting(
        (0.0, 0.01, 0.1, 1.0), "shares of the training episodes whose hands are revealed", is_required=True
    )
    teacher: str = setting("kb", "agent whose self-play is learned from, besides the records")
    pretrain_decisions: int = setting(60_000, "decisions of the teacher", formerly="lessons")
    steps: int = setting(1_500, "steps of a training, 1,024 decisions each")
    seed: int = setting(0, "seed of games, weights and batches", SEED_RANGE)


@dataclass
class _Datasets:
    """Data sets, loaded on first use."""

    settings: GuandanHiddenHandsConfig
    engine: Engine
    records: RecordedEpisodes
    player: AgentSpec
    teacher: AgentSpec

    @cached_property
    def contest(self) -> DecisionDataset:
        """Decisions of the held-out matches."""
        return self._collect(self.records.last_matches(self.settings.last))

    @cached_property
    def own(self) -> DecisionDataset:
        """Decisions of the agent against itself."""
        return collect_self_play(self.engine, self.player.agent, self.settings.decisions, self.settings.seed + 1)

    @cached_property
    def lessons(self) -> DecisionDataset:
        """Decisions for training."""
        own = collect_self_play(self.engine, self.teacher.agent, self.settings.pretrain_decisions, self.settings.seed)
        earlier = self.records.without_last_matches(self.settings.last)
        return own.append(self._collect(earlier)) if len(earlier) else own

    def _collect(self, records: RecordedEpisodes) -> DecisionDataset:
        looking = DatasetCollector(self.engine, len(records))
        records.replay(self.engine, looking)
        return looking.to_dataset()

    def dataset(self, source: str) -> DecisionDataset:
        """Return the dataset of a source."""
        return self.contest if source == "contest" else self.own

    def inputs(self, *who: AgentSpec) -> dict[str, Any]:
        """Return the inputs that results depend on."""
        common = {"records": self.records.fingerprint, "last": self.settings.last, "seed": self.settings.seed}
        return {
            **common,
            "rules": rules_fingerprint(self.engine),
            "players": [[player.name, player.fingerprint] for player in who],
        }


SOURCES = {"contest": "held-out contest matches", "own": "the agent against itself"}


def run(settings: GuandanHiddenHandsConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Measure, then train."""
    engine = settings.load_engine("guandan")
    (player,), (teacher,) = load_agents([settings.agent], engine), load_agents([settings.teacher], engine)
    if not isinstance(player.agent, AblAgent) or player.agent.policy.networks.abln is None:
        raise GameError(f"agent '{player.name}' has no ABLN that could be measured", ErrorCode.AGENT_NOT_APPLICABLE)
    abln = player.agent.policy.networks.abln
    data = _Datasets(settings, engine, RecordedEpisodes.load(settings.records, engine.game), player, teacher)
    estimators = {**BASELINE_ESTIMATORS, **(EXACT_ESTIMATORS if settings.exact else {}), **network_estimators(abln)}
    trainings = [(share, abduce) for share in settings.shares for abduce in (False, True) if share < 1 or not abduce]
    workspace.plan_cells(len(SOURCES) * len(estimators) + len(trainings))
    errors = [MeasuredEstimate(place, name) for place in SOURCES for name in estimators]

    def measure(estimate: MeasuredEstimate | TrainedEstimate) -> dict[str, float]:
        if isinstance(estimate, TrainedEstimate):
            return _train_and_measure(workspace, data, estimate.revealed_share, estimate.abduces_hidden)
        return _measure_error(workspace, data, estimate.source, estimate.name, estimators[estimate.name])

    return report(
        workspace.measure_each([*errors, *(TrainedEstimate(*training) for training in trainings)], measure, report)
    )


class MeasuredEstimate(NamedTuple):
    """Cell of an estimate measured on one source."""

    source: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}, {SOURCES[self.source]}"


class TrainedEstimate(NamedTuple):
    """Cell of a training: share of revealed episodes, and whether other hands are abduced."""

    revealed_share: float
    abduces_hidden: bool

    def __str__(self) -> str:
        return (
            f"{self.revealed_share:.0%} revealed, {'the rest abduced' if self.abduces_hidden else 'the rest left out'}"
        )


def report(results: Mapping[MeasuredEstimate | TrainedEstimate, Mapping[str, float]]) -> ExperimentReport:
    """Make the tables of the sources, then the table of the trainings, from the finished cells."""
    errors: dict[str, dict[str, Mapping[str, float]]] = {}
    learning: dict[tuple[float, bool], Mapping[str, float]] = {}
    for estimate, result in results.items():
        if isinstance(estimate, TrainedEstimate):
            learning[estimate.revealed_share, estimate.abduces_hidden] = result
        else:
            errors.setdefault(estimate.source, {})[estimate.name] = result
    tables = [_table(place, of_place) for place, of_place in errors.items()]
    curves = [plot for place, of_place in errors.items() for plot in error_plots(place, of_place)]
    if not learning:
        return ExperimentReport(tables, curves)
    gap = _gap(learning, {place: errors[place]["counting"]["all"] for place in SOURCES})
    return ExperimentReport([*tables, gap], [*curves, gap_plot(learning)])


def _measure_error(
    workspace: ExperimentWorkspace, data: _Datasets, source: str, name: str, estimator: Estimator
) -> dict[str, float]:
    what = {"error": name, "place": source, "decisions": data.settings.decisions, **data.inputs(data.player)}

    def work(tell: ProgressCallback) -> dict[str, float]:
        tell(0, "looking")
        views = data.dataset(source)
        return squared_errors(views, estimator(views))

    return dict(workspace.measure_cell(what, work, str(MeasuredEstimate(source, name))))


def _train_and_measure(workspace: ExperimentWorkspace, data: _Datasets, share: float, abduce: bool) -> dict[str, float]:
    """Train an ABLN, and return its errors after projection, by source."""
    settings = data.settings
    sizes = {"lessons": settings.pretrain_decisions, "steps": settings.steps, "decisions": settings.decisions}
    what = {"share": share, "abduce": abduce, **sizes, **data.inputs(data.player, data.teacher)}

    def work(tell: ProgressCallback) -> dict[str, float]:
        tell(0, "playing for lessons")
        lessons = data.lessons
        revealed = choose_revealed(lessons, share, settings.seed)
        abln = train_abln(data.engine, lessons, revealed, abduce, settings.steps, settings.seed, tell)
        best = network_estimators(abln)["ABLN + projection"]
        return {place: squared_errors(data.dataset(place), best(data.dataset(place)))["all"] for place in SOURCES}

    return dict(workspace.measure_cell(what, work, str(TrainedEstimate(share, abduce)), settings.steps))


def _table(source: str, errors: Mapping[str, Mapping[str, float]]) -> ReportTable:
    columns = ("estimate", "all", *map(str, CARDS_LEFT), "below counting", "below counting + facts")
    rows: list[list[Cell]] = []
    for name, error in errors.items():
        less = [
            1 - error["all"] / errors[other]["all"] if other in errors else None
            for other in ("counting", "counting + facts")
        ]
        rows.append([name, error["all"], *(error.get(str(left)) for left in CARDS_LEFT), *less])
    note = "Squared error summed over the other seats and all cards: of all decisions, and by the observer's cards."
    title = f"Error of estimates: {SOURCES[source]}"
    return ReportTable(f"errors_{source}", title, columns, rows, note, frozenset(columns[-2:]))


def error_plots(source: str, errors: Mapping[str, Mapping[str, float]]) -> list[Plot]:
    """Plot the errors of a source by the observer's cards, and how far they are below those of counting."""
    lines = {
        name: sorted((int(left), value) for left, value in error.items() if left not in ("all", "0"))
        for name, error in errors.items()
    }
    title = f"Estimates of hidden hands: {SOURCES[source]}"
    across = Axis("cards of the observer", "cards", is_integer=True, is_reversed=True)
    plot = LinePlot(
        f"errors_{source}", title, across, Axis("squared error of a decision", "copies²"), lines, n=_DECISIONS_TEXT,
        interval="no interval: only means were stored",
    )  # fmt: skip
    return [plot, *_gain_plot(source, errors, across)]


def _gain_plot(source: str, errors: Mapping[str, Mapping[str, float]], across: Axis) -> list[Plot]:
    """Plot how far errors are below those of counting, which parts lines that nearly coincide."""
    base = errors.get("counting", {})
    lines = {
        name: sorted(
            (int(left), 1 - value / base[left])
            for left, value in error.items()
            if left not in ("all", "0") and base.get(left)
        )
        for name, error in errors.items()
        if name != "counting"
    }
    plot = LinePlot(
        f"gains_{source}", f"Error below that of counting: {SOURCES[source]}", across,
        share_axis("share of the squared error removed"), lines, n=_DECISIONS_TEXT,
        interval="no interval: only means were stored",
    )  # fmt: skip
    return [plot] if lines else []


def _gap(learning: Mapping[tuple[float, bool], Mapping[str, float]], counting: Mapping[str, float]) -> ReportTable:
    """Make the table of the value of abduction: the share of the gain by full revelation."""
    columns = ["hands revealed", "the rest"]
    for name in SOURCES:
        columns += [f"{name}: error", f"{name}: below counting", f"{name}: gap closed"]
    rows: list[list[Cell]] = []
    for (share, abduce), error in learning.items():
        row: list[Cell] = [f"{share:.0%}", "abduced" if abduce else "left out" if share < 1 else "–"]
        for place in SOURCES:
            row += [error[place], 1 - error[place] / counting[place], _gap_closed(learning, share, abduce, place)]
        rows.append(row)
    note = (
        "ABLN (small) with projection, trained from nothing. The gap is the one between leaving hidden hands out and "
        "revealing them all."
    )
    shares = frozenset(column for column in columns if column.endswith(("counting", "closed")))
    return ReportTable("abduction", "Training with hidden hands", tuple(columns), rows, note, shares, digits=3)


def _gap_closed(
    learning: Mapping[tuple[float, bool], Mapping[str, float]], share: float, abduce: bool, source: str
) -> float | None:
    if not abduce or (1.0, False) not in learning:
        return None
    left_out, full = learning[share, False][source], learning[1.0, False][source]
    return (left_out - learning[share, True][source]) / (left_out - full) if left_out != full else None


def gap_plot(learning: Mapping[tuple[float, bool], Mapping[str, float]]) -> Plot:
    """Plot the errors by the share of episodes with revealed hands."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for place, text in SOURCES.items():
        for abduce, treatment in ((False, "left out"), (True, "abduced")):
            points = [
                (100 * share, error[place])
                for (share, way), error in learning.items()
                if way == abduce or (abduce and share >= 1)
            ]
            if points:
                lines[f"{text}, the rest {treatment}"] = sorted(points)
    return LinePlot(
        "abduction", "Training with hidden hands", Axis("episodes with revealed hands", "%", scale="category"),
        Axis("squared error of a decision", "copies²"), lines, n="one training a point",
        interval="no interval: one seed",
    )  # fmt: skip


EXPERIMENT = Experiment(
    "Error of hidden-hand estimates by cards left; does abduction replace hands that are not revealed?",
    GuandanHiddenHandsConfig(),
    over_seeds(run),
    smoke={"last": 1, "decisions": 300, "pretrain_decisions": 600, "steps": 3, "shares": (0.0, 1.0)},
)
