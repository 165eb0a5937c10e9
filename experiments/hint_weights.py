"""Fit the weights of the hints to recorded games.

The model is a conditional logit. Every unseen copy lies with one of the other seats; the odds are the seat's free cards
times the effect of the hints. The last matches are left out of the fit. The result is a suggestion; weights stay in the
rule file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import rules_fingerprint
from abl_cards.core import SEED_RANGE, UNIT_INTERVAL, ErrorCode, GameError, setting, settings_to_json
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.recorded_decisions import RecordedEpisodes
from abl_cards.experiments.report import ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.games.tables import (
    LOG_ODDS_SCALE,
    BeliefModel,
    NullListener,
    evaluate_beliefs,
    find_belief_cells,
    get_belief_model,
)
from abl_cards.games.types import Indices, InformationSet, Moves
from abl_cards.matches import sample_records_path

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

_PRIOR = 1e-4  # keeps habits that these players never break from being taken for rules
_IMPOSSIBLE_LOG_ODDS = -30.0  # log-odds of a seat that the facts deny a card


@dataclass(frozen=True)
class HintWeightsConfig(RulesConfig, SeedsConfig):
    """Amount of data, and duration of the fit."""

    records: Path | None = setting(None, "recorded games; by default those of the contest")
    share: float = setting(0.08, "share of the decisions that are read", UNIT_INTERVAL)
    held_out: int = setting(40, "last matches, which are measured and not fitted", range(1 << 31))
    steps: int = setting(60, "steps of the optimiser")
    seed: int = setting(0, "seed of the choice of decisions", SEED_RANGE)


@dataclass(frozen=True)
class HintSamples:
    """Copies held by the other seats, and the hints that applied."""

    rules: tuple[tuple[str, int], ...]  # hint and weight of each rule, as the rule file has them
    rule_counts: NDArray[np.float32]  # [n, others, classes of cards, rules]
    offset: NDArray[np.float32]  # [n, others, classes] log-odds without hints
    copies: NDArray[np.float32]  # [n, others, classes] that are not known


@dataclass
class _HintCollector(NullListener):
    """Listener of a replay that samples decisions."""

    hints: BeliefModel
    settings: HintWeightsConfig

    def __post_init__(self) -> None:
        self.parts: list[tuple[NDArray[Any], ...]] = []
        self.rules = tuple(dict.fromkeys(zip(self.hints.names, self._weights, strict=True)))
        self._rng = np.random.default_rng(self.settings.seed)

    @property
    def _weights(self) -> list[int]:
        return [int(weight) for weight in self.hints.weights]

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Record the hints and the true hands."""
        chosen = rows[self._rng.random(len(rows)) < self.settings.share]
        if not chosen.size:
            return
        view = tables.view(chosen)
        cells = find_belief_cells(tables.rules, view.context)
        copies = _count_copies(
            self.hints.num_cells + 1, cells, tables.information_set(chosen), tables.hidden_hands(chosen)
        )
        self.parts.append((self._count_rules(evaluate_beliefs(tables.rules, view)), *copies))

    def _count_rules(self, there: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Count the outputs of each rule that hold: [n, others, classes, rules]."""
        applies = np.zeros((*there.shape[1:], self.hints.num_cells + 1, len(self.rules)), np.float32)
        for output, rule in enumerate(zip(self.hints.names, self._weights, strict=True)):
            applies[:, :, self.hints.belief_cells[output], self.rules.index(rule)] += there[output]
        return applies


def _count_copies(
    count: int, classes: NDArray[np.int64], known: InformationSet, truth: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Compute the log-odds without hints [n, others, count], and the copies that the facts leave open."""
    rows, seats = np.ogrid[: len(classes), : truth.shape[1]]
    possible, copies = (np.zeros((*truth.shape[:2], count), np.float32) for _ in range(2))
    for card in range(truth.shape[2]):
        place = rows, seats, classes[:, card, None]
        copies[place] += truth[:, :, card] - known.min_copies[:, :, card]
        possible[place] += known.max_copies[:, :, card] > known.min_copies[:, :, card]
    open_cards = known.cards_left - known.min_copies.sum(axis=2, dtype=np.float32)
    odds = np.log(np.maximum(open_cards, 1e-9))[:, :, None]
    return np.where(possible > 0, odds, np.float32(_IMPOSSIBLE_LOG_ODDS)).astype(np.float32), copies


def collect_samples(settings: HintWeightsConfig) -> HintSamples:
    """Replay the records and collect a share of their decisions."""
    engine: Engine = settings.load_engine("guandan")
    records = RecordedEpisodes.load(settings.records, engine.game)
    records = records.select(~records.find_held_out(settings.held_out))
    hints = get_belief_model(engine.rules)
    if hints is None:
        raise GameError("these rules believe nothing: there is no belief/3", ErrorCode.UNSUPPORTED_GAME)
    watcher = _HintCollector(hints, settings)
    records.replay(engine, watcher)
    applies, offset, copies = records.join_decisions(watcher.parts)
    return HintSamples(watcher.rules, applies, offset, copies)


def fit_weights(samples: HintSamples, steps: int) -> tuple[NDArray[np.float32], float, float]:
    """Fit the weights [rules] in points; also returns the mean log-likelihood before and after."""
    import torch

    applies, offset, copies = map(torch.from_numpy, (samples.rule_counts, samples.offset, samples.copies))
    written = torch.tensor([weight for _, weight in samples.rules], dtype=torch.float32) / float(LOG_ODDS_SCALE)

    def likelihood(weights: torch.Tensor) -> torch.Tensor:
        chances = torch.log_softmax(offset + applies @ weights, dim=1)
        return (copies * chances).sum() / copies.sum()

    fitted = written.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([fitted], max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = _PRIOR * (fitted**2).sum() - likelihood(fitted)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        points: NDArray[np.float32] = (fitted * float(LOG_ODDS_SCALE)).numpy()
        return points, float(likelihood(written)), float(likelihood(fitted))


def fit_hints(settings: HintWeightsConfig, on_progress: ProgressCallback) -> dict[str, Any]:
    """Fit the weights; returns plain values: the weights, and the mean log-likelihood of the true hands."""
    on_progress(0, "replaying")
    samples = collect_samples(settings)
    on_progress(0, "fitting")
    points, before, after = fit_weights(samples, settings.steps)
    weights = [[*samples.rules[row], float(points[row])] for row in np.argsort(-np.abs(points))]
    return {"copies": int(samples.copies.sum()), "likelihood": [before, after], "weights": weights}


def report(result: Mapping[str, Any]) -> ExperimentReport:
    """Compare the weights of the file with the fitted ones."""
    before, after = result["likelihood"]
    note = f"{result['copies']:,} copies, log-likelihood {before:.4f} with the file's weights, {after:.4f} fitted."
    return ExperimentReport(
        [ReportTable("weights", "Weights of the hints", ("hint", "rule file", "fit"), result["weights"], note)]
    )


def run(settings: HintWeightsConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Fit the weights, or use the stored result."""
    engine = settings.load_engine("guandan")
    mark = RecordedEpisodes.load(settings.records, engine.game).fingerprint
    fitted = {key: value for key, value in settings_to_json(settings).items() if key not in ("kb", "profile", "seeds")}
    what = {"fit": fitted | {"records": mark}, "rules": rules_fingerprint(engine)}
    return report(workspace.measure_cell(what, lambda tell: fit_hints(settings, tell), "weights of the hints"))


EXPERIMENT = Experiment(
    "Weights of the hints about hidden hands, fitted to recorded games",
    HintWeightsConfig(),
    over_seeds(run),
    smoke={"share": 0.2, "held_out": 0, "steps": 3, "records": sample_records_path("guandan")},
)
