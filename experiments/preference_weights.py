"""Fit the weights of the preferences to recorded games.

A conditional logit: the cost of a candidate is the sum of its weights, and candidates of the recorded label should be
likely under exp(-cost). A weight keeps its sign in the rule file, because the preference has to mean its sentence. The
last matches are held out for evaluation. The result is a suggestion; weights stay in the rule file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import rules_fingerprint
from abl_cards.core import SEED_RANGE, UNIT_INTERVAL, ErrorCode, GameError, setting, settings_to_json
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.recorded_decisions import DecisionListener, RecordedEpisodes
from abl_cards.experiments.report import ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Indices
from abl_cards.matches import sample_records_path
from abl_cards.reasoners.abduction import Minimiser

_POINTS_PER_LOG_ODDS = 8.0  # weights in the rule file for one unit of log-odds


@dataclass(frozen=True)
class PreferenceWeightsConfig(RulesConfig, SeedsConfig):
    """Amount of data, and duration of the fit."""

    records: Path | None = setting(None, "recorded games; by default those of the contest")
    game: str = setting("guandan", "the game of the records")
    share: float = setting(0.05, "share of the episodes that are read", UNIT_INTERVAL)
    held_out: int = setting(40, "last matches, which are measured and not fitted", range(1 << 31))
    steps: int = setting(120, "steps of the optimiser")
    seed: int = setting(0, "seed of the choice of episodes", SEED_RANGE)


@dataclass(frozen=True)
class PreferenceSamples:
    """Candidates of recorded decisions."""

    names: tuple[str, ...]  # of the preferences
    weights: NDArray[np.float32]  # [names] in the rule file
    counts: NDArray[np.uint8]  # [candidates, names] how often each fires
    decision: NDArray[np.int64]  # [candidates]
    is_played: NDArray[np.bool_]  # [candidates] of the recorded label
    held_out: NDArray[np.bool_]  # [decisions]


def collect_samples(settings: PreferenceWeightsConfig) -> PreferenceSamples:
    """Replay a share of the records, and record the preferences that fire."""
    engine = settings.load_engine(settings.game)
    records = RecordedEpisodes.load(settings.records, engine.game)
    held_out = records.find_held_out(settings.held_out)
    random = np.random.default_rng(settings.seed)
    sampled = random.random(len(records)) < settings.share
    judge = Minimiser(engine).preference_model
    costs = [(str(args[0]).partition("(")[0], args[1]) if name == "cost" else ("", 0) for name, args in judge.outputs]
    names = tuple(dict.fromkeys(name for name, _ in costs if name))
    column = np.array([names.index(name) if name else len(names) for name, _ in costs])
    weights = {name: float(weight) for name, weight in costs if name}
    parts: list[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]] = []

    def show(decisions: Decisions, played: NDArray[np.int16], episode: Indices) -> None:
        lists = decisions.moves()
        counts = np.zeros((len(names) + 1, len(lists.form)), np.uint8)
        for part, fired in judge.evaluate(decisions, lists):
            np.add.at(counts[:, part], column, fired)
        same = decisions.labels_of(lists.form) == played[lists.decision_index]
        parts.append((counts[:-1].T.copy(), np.diff(lists.start), same, held_out[episode]))

    records.replay(engine, DecisionListener(show, sampled))
    fired, lengths, same, out = records.join_decisions(parts)
    if out.all():
        raise GameError(
            f"{records.file}: all decisions looked at are held out; set a larger share", ErrorCode.NO_RECORDS
        )
    known: NDArray[np.bool_] = np.any(
        fired, axis=0
    )  # preferences that never fired (beliefs without an estimate) cannot be fitted
    names, fired = tuple(name for name, is_known in zip(names, known, strict=True) if is_known), fired[:, known]
    values = np.array([weights[name] for name in names], np.float32)
    return PreferenceSamples(names, values, fired, np.repeat(np.arange(len(lengths)), lengths), same, out)


def agreement(samples: PreferenceSamples, weights: NDArray[np.float32], held_out: bool) -> float | None:
    """Return the share of decisions whose cheapest candidate has the recorded label; None without decisions."""
    cost = samples.counts.astype(np.float32) @ weights
    order = np.lexsort((cost, samples.decision))
    first = order[np.searchsorted(samples.decision, np.arange(len(samples.held_out)))]
    hits = samples.is_played[first][samples.held_out == held_out]
    return float(hits.mean()) if len(hits) else None


def fit_weights(samples: PreferenceSamples, steps: int) -> NDArray[np.float32]:
    """Fit the weights [names] that make the recorded labels likeliest, in the units of the rule file."""
    import torch

    chosen = ~samples.held_out[samples.decision]
    fired = torch.tensor(samples.counts[chosen], dtype=torch.float32)
    played = torch.tensor(samples.is_played[chosen])
    group = torch.tensor(np.unique(samples.decision[chosen], return_inverse=True)[1])
    decisions = int(group.max()) + 1
    sign = torch.tensor(np.sign(samples.weights))
    size = torch.tensor(np.maximum(np.abs(samples.weights), 0.5) / _POINTS_PER_LOG_ODDS)
    free = torch.log(torch.expm1(size)).requires_grad_()
    optimiser = torch.optim.LBFGS([free], max_iter=steps, history_size=20, line_search_fn="strong_wolfe")

    def log_sum(score: torch.Tensor) -> torch.Tensor:
        peak = torch.full((decisions,), -1e9).scatter_reduce(0, group, score, "amax")
        total = torch.zeros(decisions).scatter_add(0, group, torch.exp(score - peak[group]))
        return peak + torch.log(total + 1e-30)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        weights = sign * torch.nn.functional.softplus(free)
        score = -(fired @ weights)
        missed = log_sum(score) - log_sum(torch.where(played, score, torch.tensor(-1e9)))
        value = missed.mean() + 1e-4 * (weights**2).sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    fitted: NDArray[np.float32] = (sign * torch.nn.functional.softplus(free)).detach().numpy() * np.float32(
        _POINTS_PER_LOG_ODDS
    )
    return fitted


def fit_preferences(settings: PreferenceWeightsConfig, on_progress: ProgressCallback) -> dict[str, Any]:
    """Fit the weights; returns plain values: the agreement of old and new weights with the records, and the weights."""
    on_progress(0, "replaying")
    samples = collect_samples(settings)
    on_progress(0, "fitting")
    fitted = fit_weights(samples, settings.steps)
    shares = {
        name: [agreement(samples, weights, held_out) for held_out in (False, True)]
        for name, weights in (("rule file", samples.weights), ("fit, rounded", np.round(fitted)))
    }
    order = np.argsort(-np.abs(fitted))
    weights = [[samples.names[row], int(samples.weights[row]), float(fitted[row])] for row in order]
    decisions = [len(samples.held_out), int(samples.held_out.sum())]
    return {"decisions": decisions, "agreement": shares, "weights": weights}


def report(result: Mapping[str, Any]) -> ExperimentReport:
    """Compare the weights of the file with the fitted ones, and their agreement with the records."""
    columns = ("weights", "fitted on", "held out")
    rows = [[name, *shares] for name, shares in result["agreement"].items()]
    all_, held_out = result["decisions"]
    note = f"{all_:,} decisions, {held_out:,} of them held out."
    agreed = ReportTable("agreement", "Agreement with the recorded label", columns, rows, note, frozenset(columns[1:]))
    names = ("preference", "rule file", "fit")
    return ExperimentReport([agreed, ReportTable("weights", "Weights", names, result["weights"], digits=1)])


def run(settings: PreferenceWeightsConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Fit the weights, or use the stored result."""
    engine = settings.load_engine(settings.game)
    mark = RecordedEpisodes.load(settings.records, engine.game).fingerprint
    fitted = {key: value for key, value in settings_to_json(settings).items() if key not in ("kb", "profile", "seeds")}
    what = {"fit": fitted | {"records": mark}, "rules": rules_fingerprint(engine)}
    return report(
        workspace.measure_cell(what, lambda tell: fit_preferences(settings, tell), "weights of the preferences")
    )


EXPERIMENT = Experiment(
    "Weights of the preferences, fitted to recorded games",
    PreferenceWeightsConfig(),
    over_seeds(run),
    smoke={"share": 0.2, "held_out": 1, "steps": 3, "records": sample_records_path("guandan")},
)
