"""Digits are learned from sums alone: abduction by a program, by plain ABLkit, and supervised learning beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import SEED_RANGE, ErrorCode, GameError, require_extra, setting, settings_to_json
from abl_cards.experiments.abduction_training import (
    Curve,
    ImageClassifier,
    report_curves,
    train_by_abduction,
    train_supervised,
)
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback

METHODS = ("program", "ablkit", "few labels", "supervised")
_TEST_SHARE = 3  # one image in so many is for the test


@dataclass(frozen=True)
class DigitAdditionConfig:
    """Amount of data and training."""

    methods: tuple[str, ...] = setting(METHODS, f"methods to compare: {', '.join(METHODS)}", is_required=True)
    digits: int = setting(3, "digits of a sum", range(1, 7))
    examples: int = setting(600, "sums to learn from")
    labelled: int = setting(2, "labelled images of each digit", range(100))
    loops: int = setting(10, "passes over the sums")
    seeds: int = setting(3, "trainings of each method")
    seed: int = setting(0, "seed of the first training", SEED_RANGE)


def load_images() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return float32[n, 8, 8] the digits of scikit-learn, from 0 to 1, and int64[n] their classes."""
    from sklearn.datasets import load_digits

    data = load_digits()
    return (data.images / 16).astype(np.float32), data.target.astype(np.int64)


def train(settings: DigitAdditionConfig, method: str, seed: int, on_progress: ProgressCallback) -> Curve:
    """Train by one method; returns processor seconds and the accuracy on images that are not trained on."""
    from ablkit.reasoning import KBBase, Reasoner

    from abl_cards.reasoners import EXAMPLE_PROGRAMS, ProbabilityReasoner, ProgramKB

    class SumByAblkit(KBBase):  # type: ignore[misc]  # ablkit has no types
        """Sum of digits in Python."""

        def logic_forward(self, pseudo_label: list[int]) -> int:
            return sum(pseudo_label)

    images, classes = load_images()
    random = np.random.default_rng(seed)
    order = random.permutation(len(images))
    test, training = order[::_TEST_SHARE], np.delete(order, np.s_[::_TEST_SHARE])
    rows = random.choice(training, (settings.examples, settings.digits))
    model = ImageClassifier(10, (8, 8), seed)

    def evaluate(model: ImageClassifier) -> list[float]:
        return [float((model.predict(list(images[test])) == classes[test]).mean())]

    labelled = np.concatenate([training[classes[training] == digit][: settings.labelled] for digit in range(10)])
    model.pretrain(list(images[labelled]), classes[labelled].tolist())
    if method in ("few labels", "supervised"):
        flat = rows.ravel() if method == "supervised" else labelled
        return train_supervised(
            model, list(images[flat]), classes[flat].tolist(), settings.loops, evaluate, on_progress
        )
    digits = list(range(10))
    reasoner: Any = (
        ProbabilityReasoner(ProgramKB(EXAMPLE_PROGRAMS / "digit_sum.lp", digits))
        if method == "program"
        else Reasoner(SumByAblkit(digits, use_cache=False))
    )
    examples = [[images[row] for row in example] for example in rows]
    y = classes[rows].sum(axis=1).tolist()
    return train_by_abduction(model, reasoner, examples, y, settings.loops, evaluate, on_progress)


def report(curves: Mapping[tuple[str, int], Curve]) -> ExperimentReport:
    """Report accuracy by method."""
    note = (
        "All begin with a few labelled images of each digit. program: the most probable digits that add up, by "
        "ProgramKB; ablkit: KBBase, which compares the digits with the fewest changes; few labels: nothing else; "
        "supervised: all digits are given. All train equal networks on equal images."
    )
    return report_curves(curves, ("accuracy",), "Digits read after learning from sums", note, "digits read")


def run(settings: DigitAdditionConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Train all methods by seeds, or use stored results."""
    require_extra("learning")
    if unknown := [method for method in settings.methods if method not in METHODS]:
        raise GameError(f"methods: {unknown[0]!r} is none of {', '.join(METHODS)}", ErrorCode.INVALID_SETTING)
    seeds = range(settings.seed, settings.seed + settings.seeds)
    items = [(method, seed) for seed in seeds for method in settings.methods]
    workspace.plan_cells(len(items))
    same = {
        name: value for name, value in settings_to_json(settings).items() if name not in ("methods", "seeds", "seed")
    }

    def measure(item: tuple[str, int]) -> Curve:
        what = {"digit_addition": same, "method": item[0], "seed": item[1]}
        text = f"{item[0]}, seed {item[1]}"
        curve: Curve = workspace.measure_cell(what, lambda tell: train(settings, *item, tell), text, settings.loops)
        return curve

    return report(workspace.measure_each(items, measure, report, lambda item: f"{item[0]} {item[1]}"))


EXPERIMENT = Experiment(
    "Digits learned from sums alone: a program and plain ABLkit, beside supervised learning",
    DigitAdditionConfig(),
    run,
    smoke={"examples": 40, "loops": 1, "seeds": 1},
)
