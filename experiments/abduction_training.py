"""Training of an image classifier by abduction or by labels, as both experiments with pictures do it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import Axis, share_axis
from abl_cards.experiments.report import ExperimentReport, LinePlot, ReportTable
from abl_cards.matches import combine_seeds, paired_test

Curve = list[list[float]]
"""Points of a training: processor seconds so far, and a value from 0 to 1 for each measure."""


_SEGMENTS = 4  # of the examples, in each of which labels are abduced and trained once in a pass
_BATCH_SIZE = 32
_PRETRAINING_STEPS = 300


class ImageClassifier:
    """Small convolutional network in the form of scikit-learn, as ABLkit's models expect it."""

    def __init__(self, num_classes: int, size: tuple[int, int], seed: int, epochs: int = 2) -> None:
        """Make a network with random weights.

        Args:
            num_classes: Number of classes.
            size: Height and width of the images.
            seed: Seed of the weights and of the order of images.
            epochs: Passes over the images in each call of `fit`.
        """
        import torch
        from torch import nn

        torch.manual_seed(seed)
        height, width = size[0] // 4, size[1] // 4
        self.network = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * height * width, 128), nn.ReLU(), nn.Linear(128, num_classes),
        )  # fmt: skip
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=2e-3)
        self.epochs, self._random = epochs, np.random.default_rng(seed)

    def fit(self, X: Sequence[NDArray[np.float32]], y: Sequence[int]) -> float:
        """Train on images; ABLkit passes them by these names.

        Args:
            X: float32[height, width] for each image.
            y: Class of each image.

        Returns:
            Mean loss of the last pass.
        """
        import torch

        images, classes = self._tensor(X), torch.as_tensor(np.asarray(y, np.int64))
        losses: list[float] = []
        for _ in range(self.epochs):
            losses = []
            for rows in np.array_split(self._random.permutation(len(classes)), max(1, len(classes) // _BATCH_SIZE)):
                loss = torch.nn.functional.cross_entropy(self.network(images[rows]), classes[rows])
                self.optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                self.optimiser.step()
                losses.append(float(loss.detach()))
        return float(np.mean(losses))

    def pretrain(self, X: Sequence[NDArray[np.float32]], y: Sequence[int]) -> None:
        """Train on a few labelled images, float32[height, width], with many passes."""
        epochs = self.epochs
        if len(y):
            self.epochs = -(-_PRETRAINING_STEPS // max(1, len(y) // _BATCH_SIZE))
            self.fit(X, y)
        self.epochs = epochs

    def predict_proba(self, X: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
        """Return float64[images, classes] the probabilities of classes."""
        import torch

        with torch.no_grad():
            logits = torch.cat([self.network(part) for part in self._tensor(X).split(2048)])
            probabilities: NDArray[np.float64] = logits.softmax(dim=1).double().numpy()
            return probabilities

    def predict(self, X: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
        """Return int64[images] the most probable classes."""
        return self.predict_proba(X).argmax(axis=1)

    @staticmethod
    def _tensor(X: Sequence[NDArray[np.float32]]) -> Any:
        import torch

        return torch.as_tensor(np.asarray(X, np.float32))[:, None]


def train_by_abduction(
    model: ImageClassifier,
    reasoner: Any,
    examples: Sequence[Sequence[NDArray[np.float32]]],
    y: Sequence[Any],
    loops: int,
    evaluate: Callable[[ImageClassifier], Sequence[float]],
    on_progress: Callable[[int, str], None],
) -> Curve:
    """Train a model with ABLkit's bridge: predict, abduce labels that agree with y, fit, and repeat.

    Args:
        model: The model, which is changed.
        reasoner: Reasoner of ABLkit.
        examples: Images of each example.
        y: Result of each example.
        loops: Passes over all examples.
        evaluate: Measures the model; its time does not count.
        on_progress: Called after each pass.

    Returns:
        The curve, with a point before the first pass.
    """
    from ablkit.bridge import SimpleBridge
    from ablkit.data.structures import ListData
    from ablkit.learning import ABLModel

    bridge = SimpleBridge(ABLModel(model), reasoner, [])
    seconds, curve = 0.0, [[0.0, *evaluate(model)]]
    for loop in range(loops):
        began = time.process_time()
        for rows in np.array_split(np.arange(len(examples)), min(_SEGMENTS, len(examples))):
            data = ListData(X=[list(examples[row]) for row in rows], Y=[y[row] for row in rows])
            bridge.predict(data)  # the steps of SimpleBridge.train, without its lines of log
            bridge.idx_to_pseudo_label(data)
            bridge.abduce_pseudo_label(data)
            bridge.filter_pseudo_label(data)
            bridge.pseudo_label_to_idx(data)
            if len(data):
                bridge.model.train(data)
        seconds += time.process_time() - began
        curve.append([seconds, *evaluate(model)])
        on_progress(loop + 1, f"{curve[-1][1]:.1%}")
    return curve


def train_supervised(
    model: ImageClassifier,
    images: Sequence[NDArray[np.float32]],
    classes: Sequence[int],
    loops: int,
    evaluate: Callable[[ImageClassifier], Sequence[float]],
    on_progress: Callable[[int, str], None],
) -> Curve:
    """Train a model with the class of each image; arguments and result are those of `train_by_abduction`."""
    seconds, curve = 0.0, [[0.0, *evaluate(model)]]
    for loop in range(loops):
        began = time.process_time()
        model.fit(images, classes)
        seconds += time.process_time() - began
        curve.append([seconds, *evaluate(model)])
        on_progress(loop + 1, f"{curve[-1][1]:.1%}")
    return curve


def report_curves(
    curves: Mapping[tuple[str, int], Curve], measures: Sequence[str], title: str, note: str, label: str
) -> ExperimentReport:
    """Report trainings of methods by seeds.

    Args:
        curves: Curve of each method and seed.
        measures: Names of the measures.
        title: Title of the table.
        note: Note below the table.
        label: Quantity of the first measure on the axis of the plot.

    Returns:
        A table of the last values with intervals over seeds, paired tests against the first method, and a plot of the
        first measure over processor time with the range over seeds.
    """
    methods = list(dict.fromkeys(method for method, _ in curves))
    rows: list[list[Any]] = []
    for method in methods:
        runs = np.array([curve for (other, _), curve in curves.items() if other == method])  # [seeds, points, values]
        last = runs[:, -1]
        row: list[Any] = [method, len(runs)]
        for column in range(1, last.shape[1]):
            estimate = combine_seeds(last[:, column].tolist(), bounds=(0.0, 1.0))
            row += [estimate.mean, *(estimate.interval or (None, None))]
        rows.append([*row, float(last[:, 0].mean())])
    names = [name for measure in measures for name in (measure, f"{measure}, from", f"{measure}, to")]
    columns = ("method", "seeds", *names, "processor seconds")
    seeds = max(int(row[1]) for row in rows)
    coverage = f"Intervals of 95 % cover {seeds} seeds with their images (Student's t over seeds)." if seeds > 1 else ""
    table = ReportTable("methods", title, columns, rows, f"{coverage} {note}".strip(), frozenset(names))
    plot = curves_plot(curves, label, title)
    return ExperimentReport([table, *_paired_tests(curves, methods, measures[0])], [plot])


def curves_plot(curves: Mapping[tuple[str, int], Curve], label: str, title: str) -> LinePlot:
    """Plot the mean of the first measure over processor time by method, with the range over seeds."""
    lines, bands = {}, {}
    for method in dict.fromkeys(method for method, _ in curves):
        runs = np.array([curve for (other, _), curve in curves.items() if other == method])  # [seeds, points, values]
        mean, low, high = runs.mean(axis=0), runs[:, :, 1].min(axis=0), runs[:, :, 1].max(axis=0)
        lines[method] = [(float(x), float(value)) for x, value in zip(mean[:, 0], mean[:, 1], strict=True)]
        bands[method] = [(float(x), float(a), float(b)) for x, a, b in zip(mean[:, 0], low, high, strict=True)]
    seeds = len({seed for _, seed in curves})
    return LinePlot(
        "curves", title, Axis("processor time", "s"), share_axis(label), lines, bands=bands,
        n=f"means of {seeds} seeds", interval="bands: from the worst to the best seed",
    )  # fmt: skip


def _paired_tests(curves: Mapping[tuple[str, int], Curve], methods: Sequence[str], measure: str) -> list[ReportTable]:
    """Return the table of paired tests of each method against the first one, seed by seed."""
    last = {key: curve[-1][1] for key, curve in curves.items()}
    rows: list[list[Any]] = []
    for method in methods[1:]:
        seeds = [seed for name, seed in last if name == method and (methods[0], seed) in last]
        differences = [last[method, seed] - last[methods[0], seed] for seed in seeds]
        if len(differences) > 1:
            estimate = combine_seeds(differences)
            bounds = estimate.interval or (None, None)
            rows.append([method, methods[0], len(seeds), estimate.mean, *bounds, paired_test(differences)])
    columns = ("method", "against", "seeds", f"difference of {measure}", "from", "to", "p")
    note = "Student's paired t-test over seeds: all methods of a seed have equal images and first weights."
    table = ReportTable("paired", "Paired tests", columns, rows, note, frozenset(columns[3:6]), digits=4)
    return [table] if rows else []
