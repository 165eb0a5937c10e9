"""Fit the weights of the hints to recorded games.

A conditional logit: every unseen copy lies with one of the other seats, which is as likely as the seat has cards open,
times what the hints say. The last matches are left out of the fit. The result is a suggestion; the rule file stays the
place where weights live.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Engine, Indices, Moves
from abl_cards.games.audience import Quiet
from abl_cards.games.hidden import Constraints
from abl_cards.games.telling.knowledge import SCALE, Hints, classes, fired, hints_of
from abl_cards.records import sample_records
from abl_cards.settings import SEEDS, plain, setting
from experiments.desk import Desk, Tell
from experiments.experiment import Experiment
from experiments.players import rules_mark
from experiments.recorded import Records
from experiments.report import Report, Table
from experiments.rules import ByRules

_PRIOR = 1e-4  # keeps habits that these players never break from being taken for rules
_IMPOSSIBLE = -30.0  # log-odds of a seat that the facts deny a card


@dataclass(frozen=True)
class Settings(ByRules):
    """How much is read and how long is fitted."""

    records: Path | None = setting(None, "recorded games; by default those of the contest")
    share: float = setting(0.08, "of the decisions that are looked at")
    held_out: int = setting(40, "matches at the end that are not fitted")
    steps: int = setting(60, "of the optimiser")
    seed: int = setting(0, "of the choice of decisions", SEEDS)


@dataclass(frozen=True)
class Samples:
    """Copies that lay with the other seats, and which hints there were."""

    rules: tuple[tuple[str, int], ...]  # hint and weight of each rule, as the rule file has them
    applies: NDArray[np.float32]  # [n, others, classes of cards, rules]
    offset: NDArray[np.float32]  # [n, others, classes] log-odds without hints
    copies: NDArray[np.float32]  # [n, others, classes] that are not known


@dataclass
class _Watcher(Quiet):
    """Listens to a replay and looks at some decisions."""

    hints: Hints
    settings: Settings

    def __post_init__(self) -> None:
        self.parts: list[tuple[NDArray[Any], ...]] = []
        self.rules = tuple(dict.fromkeys(zip(self.hints.names, self._weights, strict=True)))
        self._random = np.random.default_rng(self.settings.seed)

    @property
    def _weights(self) -> list[int]:
        return [int(weight) for weight in self.hints.weights]

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Write down the hints and the truth."""
        chosen = which[self._random.random(len(which)) < self.settings.share]
        if not chosen.size:
            return
        view = tables.view(chosen)
        cells = classes(tables.rules, view.context)
        copies = _copies(self.hints.cells + 1, cells, tables.hidden(chosen), tables.others(chosen))
        self.parts.append((self._applies(fired(tables.rules, view)), *copies))

    def _applies(self, there: NDArray[np.uint8]) -> NDArray[np.float32]:
        """[n, others, classes, rules] how many outputs of each rule hold."""
        applies = np.zeros((*there.shape[1:], self.hints.cells + 1, len(self.rules)), np.float32)
        for output, rule in enumerate(zip(self.hints.names, self._weights, strict=True)):
            applies[:, :, self.hints.about[output], self.rules.index(rule)] += there[output]
        return applies


def _copies(
    count: int, classes: NDArray[np.int64], known: Constraints, truth: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """[n, others, count] the log-odds without hints, and the copies that the facts leave open, by class of card."""
    rows, seats = np.ogrid[: len(classes), : truth.shape[1]]
    possible, copies = (np.zeros((*truth.shape[:2], count), np.float32) for _ in range(2))
    for card in range(truth.shape[2]):
        place = rows, seats, classes[:, card, None]
        copies[place] += truth[:, :, card] - known.at_least[:, :, card]
        possible[place] += known.at_most[:, :, card] > known.at_least[:, :, card]
    open_cards = known.left - known.at_least.sum(axis=2, dtype=np.float32)
    odds = np.log(np.maximum(open_cards, 1e-9))[:, :, None]
    return np.where(possible > 0, odds, np.float32(_IMPOSSIBLE)).astype(np.float32), copies


def collect(settings: Settings) -> Samples:
    """Replay the records and look at a share of their decisions."""
    engine: Engine = settings.engine_of("guandan")
    records = Records.of(settings.records, engine.game).without_last(settings.held_out)
    hints = hints_of(engine.rules)
    if hints is None:
        raise GameError("these rules believe nothing: there is no belief/3")
    watcher = _Watcher(hints, settings)
    records.watch(engine, watcher)
    applies, offset, copies = (np.concatenate(column) for column in zip(*watcher.parts, strict=True))
    return Samples(watcher.rules, applies, offset, copies)


def fit(samples: Samples, steps: int) -> tuple[NDArray[np.float32], float, float]:
    """[rules] the likeliest weights in points, and the mean log-likelihood of a copy with the file's and with these."""
    import torch

    applies, offset, copies = map(torch.from_numpy, (samples.applies, samples.offset, samples.copies))
    written = torch.tensor([weight for _, weight in samples.rules], dtype=torch.float32) / float(SCALE)

    def likelihood(weights: torch.Tensor) -> torch.Tensor:
        chances = torch.log_softmax(offset + applies @ weights, dim=1)
        return (copies * chances).sum() / copies.sum()

    found = written.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([found], max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = _PRIOR * (found**2).sum() - likelihood(found)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        points: NDArray[np.float32] = (found * float(SCALE)).numpy()
        return points, float(likelihood(written)), float(likelihood(found))


def found(settings: Settings, tell: Tell) -> dict[str, Any]:
    """Fit; plain values: the weights, and how likely the copies lie where they lay."""
    tell(0, "replaying")
    samples = collect(settings)
    tell(0, "fitting")
    points, before, after = fit(samples, settings.steps)
    weights = [[*samples.rules[row], float(points[row])] for row in np.argsort(-np.abs(points))]
    return {"copies": int(samples.copies.sum()), "likelihood": [before, after], "weights": weights}


def report(result: Mapping[str, Any]) -> Report:
    """The weights of the file beside the fitted ones."""
    before, after = result["likelihood"]
    note = f"{result['copies']:,} copies, log-likelihood {before:.4f} with the file's weights, {after:.4f} fitted."
    return Report([Table("weights", "Weights of the hints", ("hint", "rule file", "fit"), result["weights"], note)])


def run(settings: Settings, desk: Desk) -> Report:
    """Fit, or take what was fitted before."""
    engine = settings.engine_of("guandan")
    mark = Records.of(settings.records, engine.game).mark
    fitted = {key: value for key, value in plain(settings).items() if key not in ("kb", "profile")}
    what = {"fit": fitted | {"records": mark}, "rules": rules_mark(engine)}
    return report(desk.cell(what, lambda tell: found(settings, tell), "weights of the hints"))


EXPERIMENT = Experiment(
    "Weights of the hints about hidden hands, fitted to recorded games",
    Settings(),
    run,
    smoke={"share": 0.2, "held_out": 0, "steps": 3, "records": sample_records("guandan")},
)
