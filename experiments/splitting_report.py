"""Report of the experiment on splitting: tables of methods and budgets, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abl_cards.core import Axis, LinePlot, Plot, share_axis
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable

LEARNER_NAME = "BiLSTM-CRF + rules and preferences"
"""The learner as it splits hands for others."""
PAPER_ACCURACY, PAPER_GAMES = 0.8916, 4_300_000  # human games; figure 2 and the text above it

_HELD_OUT_TEXT = "one training a line, measured on the held-out hands"
_NO_INTERVAL_TEXT = "no interval: the cards of a hand are dependent, and hands were not stored one by one"


def build_report(
    baselines: Mapping[str, Any], label_runs: Mapping[float, Any],
    loop_runs: Mapping[float, Any], unlabelled_runs: Mapping[str, Any], judge_results: Mapping[str, Mapping[str,
    float]],
) -> ExperimentReport:  # fmt: skip
    """Make the report from the scores by baseline, the runs by share of the labels, and the runs without labels."""
    tables = [
        _methods(baselines, label_runs, loop_runs),
        _budgets(label_runs, loop_runs),
        *([_judged_table(judge_results)] if judge_results else []),
        *([_unlabelled_table(unlabelled_runs)] if unlabelled_runs else []),
    ]
    return ExperimentReport(tables, make_plots(baselines, label_runs, loop_runs, unlabelled_runs))


def _methods(baselines: Mapping[str, Any], taught: Mapping[float, Any], looped: Mapping[float, Any]) -> ReportTable:
    """Make table 5 of the paper with accuracies; the learners are those with the most labels."""
    columns = ("split by", "cards right", "hands consistent", "first plays found")
    rows: list[list[Cell]] = [_row(name, scores) for name, scores in baselines.items()]
    for title, runs in (("BiLSTM-CRF", taught), ("abduction loop", looped)):
        if runs:
            scores = runs[max(runs)]["scores"]
            rows.append(_row(title, scores["alone"]))
            rows.append(_row(f"{title} + rules", scores["by the rules"]))
            rows.append(_row(f"{title} + rules and preferences", scores["repaired"]))
    note = (
        f"The paper reports {PAPER_ACCURACY:.2%} of cards with {PAPER_GAMES:,} human games. First plays: the share of "
        "the pieces of each seat's first five active plays that are in the split of its hand as dealt (Ph, Pg)."
    )
    return ReportTable("methods", "Ways to split a hand", columns, rows, note, frozenset(columns[1:]))


def _judged_table(judged: Mapping[str, Mapping[str, float]]) -> ReportTable:
    """Make table 5 by the paper's own method: recall of the first active plays of agents on random deals."""
    names = list(judged)
    rows: list[list[Cell]] = [[way, *(judged[name][way] for name in names)] for way in judged[names[0]]]
    columns = ("split by", *(f"plays of {name}" for name in names))
    note = "Random deals. The paper's table compares the traditional split with the learner's by the games of XGBoost."
    return ReportTable("judged", "Splits judged by games", columns, rows, note, frozenset(columns[1:]))


def _row(name: str, scores: Mapping[str, float]) -> list[Cell]:
    return [name, scores["accuracy"], scores["consistent"], scores.get("first plays")]


def _budgets(taught: Mapping[float, Any], looped: Mapping[float, Any]) -> ReportTable:
    columns = ("share of the labels", "hands with labels", "learned by", "learner alone", "repaired", "consistent")
    rows: list[list[Cell]] = []
    for share in sorted({*taught, *looped}):
        for by, runs in (("labels", taught), ("loop", looped)):
            if share in runs:
                scores = runs[share]["scores"]
                rows.append([f"{share:.1%}", runs[share]["hands"], by, scores["alone"]["accuracy"],
                             scores["repaired"]["accuracy"], scores["repaired"]["consistent"]])  # fmt: skip
    return ReportTable("budgets", "Few labels and many", columns, rows, "", frozenset(columns[3:]))


def _unlabelled_table(collapse: Mapping[str, Any]) -> ReportTable:
    columns = ("the reasoner heeds", "learner alone", "tagged single", "hands consistent")
    rows: list[list[Cell]] = [
        [name, run["scores"]["alone"]["accuracy"], run["path"][-1]["singles"], run["scores"]["alone"]["consistent"]]
        for name, run in collapse.items()
    ]
    note = "Where all that counts is that tags are consistent, everything becomes a single card."
    return ReportTable("unlabelled", "The loop without any labels", columns, rows, note, frozenset(columns[1:]))


def make_plots(
    baselines: Mapping[str, Any], taught: Mapping[float, Any],
    looped: Mapping[float, Any], collapse: Mapping[str, Any],
) -> list[Plot]:  # fmt: skip
    """Plot the accuracy by the number of hands with labels, and the loop without any."""
    curves: dict[str, Sequence[tuple[float, float]]] = {}
    for by, runs in (("labels", taught), ("loop", looped)):
        for kind in ("alone", "repaired") if runs else ():
            points = [(run["hands"], run["scores"][kind]["accuracy"]) for run in runs.values()]
            curves[f"{by}, {'learner alone' if kind == 'alone' else 'repaired'}"] = sorted(points)
    hands = [run["hands"] for run in taught.values()] or [0]
    level = baselines["fewest pieces"]["accuracy"]
    dashed = {"fewest pieces": [(min(hands), level), (max(hands), level)],
              "paper, human games": [(PAPER_GAMES, PAPER_ACCURACY)]}  # fmt: skip
    plots: list[Plot] = [] if not taught else [
        LinePlot("games", "Accuracy by the number of hands with labels", Axis("hands with labels", "hands"),
                 share_axis("cards tagged right"), curves, dashed, log_x=True, n=_HELD_OUT_TEXT,
                 interval=_NO_INTERVAL_TEXT),
    ]  # fmt: skip
    for key, title in (("accuracy", "cards tagged right"), ("singles", "cards tagged single")):
        lines = {name: [(line["update"], line[key]) for line in run["path"]] for name, run in collapse.items()}
        if lines:
            plots.append(
                LinePlot(
                    f"collapse_{key}", "The loop without any labels", Axis("training", "rounds", is_integer=True),
                    share_axis(title), lines, n=_HELD_OUT_TEXT, interval=_NO_INTERVAL_TEXT,
                )
            )  # fmt: skip
    return plots
