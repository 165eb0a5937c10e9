"""Tables and curves of ``doudizhu_strength``: table 5, figures 5 and 6, table 7 and figure 7 of Xin and Li 2023."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from abl_cards.core import Axis, ErrorBarPlot, LinePlot, Plot, share_axis
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.strength_views import METHODS, PAPER_SILHOUETTES
from abl_cards.hand_analysis import DealClustering, DealSample
from abl_cards.matches import format_interval, wilson_interval

Results = Mapping[str, Any]


@dataclass
class StrengthFindings:
    """Results of all stages."""

    sample: DealSample
    silhouettes: dict[str, dict[str, Results]] = field(default_factory=dict)
    difficulty: DealClustering | None = None
    clusterings: Sequence[Results] = ()
    training: Results | None = None
    generated: list[Results] = field(default_factory=list)
    outcomes: list[Mapping[str, Results]] = field(default_factory=list)


def report(findings: StrengthFindings) -> ExperimentReport:
    """Make the tables and plots of the finished stages."""
    tables: list[ReportTable] = []
    plots: list[Plot] = []
    if findings.silhouettes:
        tables += [silhouette_table(findings.silhouettes)]
    if findings.difficulty:
        tables += [draw_table(findings.clusterings), class_table(findings.sample, findings.difficulty)]
    if findings.training:
        tables += [network_table(findings.training["shown"]), confusion_table(findings.training["shown"])]
        plots += training_curves(findings.training["history"], findings.training["shown"]["deals"])
    if findings.generated:
        tables += [deal_table(findings.generated)]
    if findings.outcomes:
        tables += [win_table(findings.generated[: len(findings.outcomes)], findings.outcomes)]
        plots[:0] = win_bars(findings.outcomes, [result["what"]["deals"] for result in findings.generated])
    return ExperimentReport(tables, plots)


def silhouette_table(views: Mapping[str, Mapping[str, Results]]) -> ReportTable:
    """Make table 5, in several views."""
    rows: list[list[Cell]] = [
        [source, view, *(values[name] for name in METHODS), values["clusters"]]
        for source, by_view in views.items()
        for view, values in by_view.items()
    ]
    rows.append(["the paper", "not said", *(PAPER_SILHOUETTES[name] for name in METHODS), None])
    note = (
        "A silhouette is measured in the view that is clustered; the last column counts the clusters of stage one. The "
        "statistical split makes equal parts by how much more the landlord's hand is worth than a peasant's."
    )
    return ReportTable("silhouettes", "Silhouettes", ("games", "view", *METHODS, "clusters"), rows, note, digits=3)


def draw_table(draws: Sequence[Results]) -> ReportTable:
    """Make the table of the clustered samples."""
    rows: list[list[Cell]] = [
        ["chosen" if draw["chosen"] else "", draw["first"], *draw["silhouettes"],
         " ".join(f"{share:.0%}" for share in draw["shares"]), " ".join(f"{won:.0%}" for won in draw["won"]),
         "; ".join(" ".join(f"{won:.0%}" for won in agent) for agent in draw["sure"])]
        for draw in draws
    ]  # fmt: skip
    columns = ("", "clusters", "silhouette, first", "silhouette", "shares by class", "won by class", "won where surest")
    note = (
        "Chosen is the sample whose neighbouring classes differ most in how often the landlord wins, over all and "
        "in the deals that are surest of their class at sight, for each agent that played in all seats."
    )
    return ReportTable("draws", "Two-stage clustering of random samples", columns, rows, note, digits=3)


def class_table(sample: DealSample, difficulty: DealClustering) -> ReportTable:
    """Make the table of the classes."""
    features, label = sample.features, difficulty.classes(sample.features)
    rows: list[list[Cell]] = []
    for number, (share, won) in enumerate(zip(difficulty.shares, difficulty.won, strict=True)):
        rows.append([str(number), share, won, *features[label == number].mean(axis=0).tolist()])
    columns = ("class", "share", "landlord wins", "his hand", "their hands", "his plays", "unit score", "plays")
    shares = frozenset(("share", "landlord wins", "his plays"))
    return ReportTable("classes", "Classes of deals, 0 the hardest for the landlord", columns, rows, "", shares)


def network_table(scores: Results) -> ReportTable:
    """Make the table of the accuracy of the network."""
    sure = scores["at_0.9"]
    columns = ("held-out deals", "right", "largest class", "above it", "macro-F1", "sure of 90 %", "right there")
    over = scores["accuracy"] - scores["majority"]
    row: list[Cell] = [
        scores["deals"], scores["accuracy"], scores["majority"], over, scores["macro_f1"], sure["share"], sure["right"],
    ]  # fmt: skip
    shares = frozenset(("right", "largest class", "above it", "sure of 90 %", "right there"))
    return ReportTable("network", "The class of a deal, told from the cards", columns, [row], "", shares, digits=3)


def confusion_table(scores: Results) -> ReportTable:
    """Make the confusion matrix of the network."""
    rows: list[list[Cell]] = [
        [str(number), *row, scores["f1"][number]] for number, row in enumerate(scores["confusion"])
    ]
    columns = ("class", *(f"told {number}" for number in range(len(rows))), "F1")
    return ReportTable("confusion", "Held-out deals by class and by what they were told to be", columns, rows)


def deal_table(generated: Sequence[Results]) -> ReportTable:
    """Make table 7."""
    rows: list[list[Cell]] = [
        [str(deal["class"]), deal["landlord"], deal["down"], deal["up"], deal["bottom"], deal["confidence"]]
        for result in generated
        for deal in result["first"]
    ]
    columns = ("class", "landlord", "down", "up", "bottom", "confidence")
    return ReportTable("deals", "Generated deals", columns, rows)


def win_table(generated: Sequence[Results], outcomes: Sequence[Mapping[str, Results]]) -> ReportTable:
    """Make the table of figure 7: the landlord's win rates by class and agent."""
    names = list(outcomes[0])
    rows: list[list[Cell]] = []
    for number, (result, by_agent) in enumerate(zip(generated, outcomes, strict=True)):
        row: list[Cell] = [str(number), result["what"]["deals"], float(result["milliseconds"])]
        for name in names:
            row += [by_agent[name]["won"], format_interval(by_agent[name]["interval"])]
        rows.append(row)
    columns = ["class", "deals", "ms a deal"]
    for name in names:
        columns += [f"landlord wins, {name}", f"95 %, {name}"]
    note = f"Neighbouring classes are in order, their intervals apart: {_separation_text(outcomes)}."
    shares = frozenset(column for column in columns if column.startswith("landlord"))
    return ReportTable("wins", "Generated deals played out, one agent in all seats", tuple(columns), rows, note, shares)


def _separation_text(played: Sequence[Mapping[str, Results]]) -> str:
    words = []
    for name in played[0]:
        pairs = pairwise(played)
        apart = sum(one[name]["interval"][1] < two[name]["interval"][0] for one, two in pairs)
        words.append(f"{name} {apart} of {len(played) - 1}")
    return ", ".join(words)


def training_curves(history: Sequence[Results], deals: int) -> list[Plot]:
    """Plot figures 5 and 6, with the number of held-out deals."""
    loss = {
        "learned from": [(epoch["epoch"], epoch["loss"]) for epoch in history],
        "held out": [(epoch["epoch"], epoch["tested"]) for epoch in history],
    }
    right = {"held out": [(epoch["epoch"], epoch["accuracy"]) for epoch in history]}
    dashed = {"paper": [(history[0]["epoch"], 0.71), (history[-1]["epoch"], 0.71)]}
    bands = {"held out": [(epoch["epoch"], *wilson_interval(epoch["accuracy"], deals)) for epoch in history]}
    across, count = Axis("training", "epochs", is_integer=True), f"{deals:,} held-out deals"
    return [
        LinePlot("loss", "Loss of the network", across, Axis("cross-entropy", "nats"), loss, n=count,
                 interval="no interval: losses were not stored by deal"),
        LinePlot("accuracy", "Deals whose class is recognised", across, share_axis("share of the deals"), right, dashed,
                 bands, n=count, interval="95 % intervals (Wilson) over deals; the paper gives none"),
    ]  # fmt: skip


def win_bars(outcomes: Sequence[Mapping[str, Results]], deals: Sequence[int]) -> list[Plot]:
    """Plot figure 7, with the number of deals of each class."""
    bars = {
        f"class {number}, {name}": (result["won"], *result["interval"])
        for name in outcomes[0]
        for number, result in enumerate(by_agent[name] for by_agent in outcomes)
    }
    groups = {
        f"class {number}, {name}": (name, f"class {number}") for name in outcomes[0] for number in range(len(outcomes))
    }
    plot = ErrorBarPlot(
        "wins", "Wins of the landlord by class of the deals, one agent in all seats", share_axis("share of the games"),
        bars, 0.5, groups=groups, n=numbers_text([*deals] or [0], "deals a class"),
        interval="95 % intervals (Wilson) over deals",
    )  # fmt: skip
    return [plot]
