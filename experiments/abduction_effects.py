"""Measure the effects of abduction: the error of estimated hands before and after projection, and candidates dropped.

The knowledge base enters in two places. Counts, facts and hints of ``hands.lp`` give a prior of the hidden hands, and
the projection makes the network's estimate agree with counts and facts. The rules leave some labels of all, each label
has several card sets, and the minimiser keeps the cheapest consistent one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import AblAgent, AgentName, rules_fingerprint
from abl_cards.core import SEED_RANGE, Axis, ErrorBarPlot, setting
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.decision_dataset import DecisionDataset, collect_self_play
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.hand_estimates import BASELINE_ESTIMATORS, Estimator, network_estimators
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.matches import Z_975
from abl_cards.reasoners.hidden_hands import HandEstimate


@dataclass(frozen=True)
class AbductionEffectsConfig(GameConfig):
    """Agents whose estimates are measured, and the number of decisions."""

    agents: tuple[str, ...] = setting(("abl",), "agents with an estimate of the hidden hands; none: priors alone")
    decisions: int = setting(2000, "decisions of agent kb whose hidden hands are estimated")
    positions: int = setting(2000, "random positions whose candidates are counted")
    seed: int = setting(0, "seed of deals and positions", SEED_RANGE)


def run(settings: AbductionEffectsConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Measure the estimates of the priors and of each agent, then count candidates."""
    engine = settings.engine
    agents = load_agents(settings.agents, engine)
    workspace.plan_cells(2 + len(agents))
    data: list[DecisionDataset] = []
    common = {"rules": rules_fingerprint(engine), "seed": settings.seed}

    def dataset(tell: ProgressCallback) -> DecisionDataset:
        if not data:
            tell(0, "playing")
            (kb,) = load_agents(["kb"], engine)
            data.append(collect_self_play(engine, kb.agent, settings.decisions, settings.seed))
        return data[0]

    def measure(spec: AgentSpec | None) -> dict[str, list[float]]:
        what = {**common, "estimates": spec.name if spec else "priors", "decisions": settings.decisions}
        what |= {"marks": spec.fingerprint} if spec else {}
        estimators = _estimators(spec)

        def compute(tell: ProgressCallback) -> dict[str, list[float]]:
            views = dataset(tell)
            return {name: _measure_estimate(views, estimate(views)) for name, estimate in estimators.items()}

        result: dict[str, list[float]] = workspace.measure_cell(what, compute, spec.name if spec else "priors")
        return result

    estimates = {name: row for spec in (None, *agents) for name, row in measure(spec).items()}
    what = {**common, "candidates": settings.positions}
    counts = workspace.measure_cell(
        what, lambda tell: count_candidates(engine, settings.positions, settings.seed), "candidates"
    )
    return report(estimates, counts)


def _estimators(spec: AgentSpec | None) -> dict[str, Estimator]:
    """Return the estimators of an agent, or those without a network."""
    if spec is None:
        return BASELINE_ESTIMATORS
    if not isinstance(spec.agent, AblAgent) or spec.agent.policy.networks.abln is None:
        return {}
    before, after = network_estimators(spec.agent.policy.networks.abln).values()
    name = _short_name(spec.name)
    return {f"{name}, before projection": before, f"{name}, after projection": after}


def _short_name(agent: str) -> str:
    """Return the name of an agent with the file of its weights in place of the whole path."""
    name = AgentName.parse(agent)
    options = tuple((key, Path(value).name if key == "weights" else value) for key, value in name.options)
    return str(AgentName(name.kind, options, name.numbers))


def _measure_estimate(views: DecisionDataset, estimate: HandEstimate) -> list[float]:
    """Return squared error, lower and upper bound over episodes, and cards that do not add up, of a decision."""
    truth = views.truth.astype(np.float32)
    error = ((estimate - truth) ** 2).sum(axis=(1, 2), dtype=np.float64)
    mean, radius = float(error.mean()), Z_975 * _clustered_error(error, views.episode)
    sizes = np.abs(estimate.sum(axis=2) - truth.sum(axis=2)).sum(axis=1)
    copies = np.abs(estimate.sum(axis=1) - truth.sum(axis=1)).sum(axis=1)
    return [mean, mean - radius, mean + radius, float((sizes + copies).mean())]


def _clustered_error(values: NDArray[np.float64], episode: NDArray[np.int64]) -> float:
    """Return the standard error of a mean whose values depend on each other within an episode."""
    _, number = np.unique(episode, return_inverse=True)
    residuals = np.bincount(number, values - values.mean())
    clusters = len(residuals)
    return sqrt(float((residuals**2).sum()) * clusters / max(1, clusters - 1)) / len(values)


def count_candidates(engine: Engine, positions: int, seed: int) -> dict[str, float]:
    """Count the candidates of a decision at each step of the abduction, as means over random positions.

    Args:
        engine: Compiled game.
        positions: Number of random positions.
        seed: Seed of the positions.

    Returns:
        Labels of the game, labels that the rules allow, their card sets, card sets that violate no constraint, and
        labels with a cheapest card set.
    """
    decisions = engine.sample_decisions(positions, seed)
    lists = decisions.moves()
    _, consistent = engine.preference_model().costs(decisions, lists)
    labels = engine.rules.forms.label_of[lists.form]
    kept = np.unique(lists.decision_index[consistent] * len(engine.labels) + labels[consistent])
    return {
        "labels of the game": float(len(engine.labels)),
        "labels that the rules allow": float(decisions.legal_mask.sum(axis=0).mean()),
        "card sets of these labels": len(lists.form) / positions,
        "card sets without a violated constraint": float(consistent.sum()) / positions,
        "cheapest card set of each label": len(kept) / positions,
    }


def report(estimates: Mapping[str, list[float]], counts: Mapping[str, float]) -> ExperimentReport:
    """Make the tables of errors and of candidates, and the plot of the errors."""
    columns = ("estimate", "squared error", "from", "to", "below counting", "cards that do not add up")
    base = next(iter(estimates.values()))[0]
    rows: list[list[Cell]] = [
        [name, *row[:3], 1 - row[0] / base if base else 0.0, row[3]] for name, row in estimates.items()
    ]
    note = (
        "Squared error of a decision, summed over the other seats and all cards; intervals of 95 % over episodes. "
        "counting: unseen cards in proportion to hand sizes; facts and hints come from hands.lp. The last column sums "
        "what is wrong in hand sizes and in copies of cards; projection removes it."
    )
    errors = ReportTable("errors", "Estimates of the hidden hands", columns, rows, note, frozenset({columns[4]}))
    steps = list(counts.items())
    shares = [None, *(1 - after / before for (_, before), (_, after) in pairwise(steps))]
    funnel: list[list[Cell]] = [
        [name, number, None if share is None or share < 0 else share]
        for (name, number), share in zip(steps, shares, strict=True)
    ]
    candidates = ReportTable(
        "candidates", "Candidates of a decision", ("candidates", "a decision", "dropped"), funnel,
        "Means over random positions. A label, such as a pair of nines, has several card sets.", frozenset({"dropped"}),
    )  # fmt: skip
    bars = {name: (row[0], row[1], row[2]) for name, row in estimates.items()}
    plot = ErrorBarPlot(
        "errors", "Error of estimates of the hidden hands", Axis("squared error of a decision", "copies²"), bars, base,
        interval="95 % intervals over episodes",
    )  # fmt: skip
    return ExperimentReport([errors, candidates], [plot])


EXPERIMENT = Experiment(
    "What abduction does: errors of estimated hands before and after projection, and candidates dropped by the rules",
    AbductionEffectsConfig(),
    run,
    smoke={"decisions": 100, "positions": 100, "agents": ()},
)
