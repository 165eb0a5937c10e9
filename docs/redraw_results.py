"""Redraw the figures of docs/results from the measurements that are stored there; nothing is measured.

``python docs/redraw_results.py`` rebuilds the figures of every report from ``results.json`` and ``cells.jsonl`` with
the code of its experiment. It writes them into ``results.json``, as SVG files, and into ``report.md``, and draws
``docs/results/ladder.svg``, the ratings of the agents of Guandan.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.core import Axis, LinePlot, Plot, plot_from_json, save_figure, share_axis, write_text
from abl_cards.experiments import find_experiments
from abl_cards.experiments.abduction_training import curves_plot
from abl_cards.experiments.big2_agents import margins_plot
from abl_cards.experiments.big2_depth import times_plot
from abl_cards.experiments.big2_exact import solution_times_plot
from abl_cards.experiments.guandan_example import heat_maps
from abl_cards.experiments.guandan_expert import agreement_plots
from abl_cards.experiments.guandan_hidden_hands import SOURCES, error_plots, gap_plot
from abl_cards.experiments.guandan_tournament import wins_plot
from abl_cards.experiments.ladder import ladder_plot
from abl_cards.experiments.matches import MatchSummary
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.report import figure_markdown
from abl_cards.experiments.strength_tables import training_curves, win_bars
from abl_cards.matches import PairResult, fit_ratings

FOLDER = Path(__file__).resolve().parent / "results"
LADDER = "ladder"
"""Name of the figure of all agents of Guandan."""

Results = dict[str, Any]
Cells = list[tuple[Results, Any]]


def main() -> None:
    """Redraw the reports of which the names are given, or all."""
    names = sys.argv[1:] or sorted(file.parent.name for file in FOLDER.glob("*/results.json"))
    summaries = {name: experiment.summary for name, experiment in find_experiments().items()}
    for name in names:
        redraw(FOLDER / name, summaries)
    plot = guandan_ladder()
    save_figure(plot, FOLDER / f"{LADDER}.svg")
    write_text(FOLDER / f"{LADDER}.json", json.dumps(plot.to_json(), indent=1, ensure_ascii=False) + "\n")


def redraw(folder: Path, summaries: Mapping[str, str]) -> None:
    """Redraw the figures of a report."""
    results = json.loads((folder / "results.json").read_text("utf-8"))
    plots = build_plots(results, read_cells(folder))
    results["summary"] = summaries[results["experiment"]]
    results["plots"] = {plot.name: plot.to_json() for plot in plots}
    write_text(folder / "results.json", json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    write_text(folder / "report.md", with_pictures((folder / "report.md").read_text("utf-8"), plots))
    for file in [*folder.glob("*.png"), *folder.glob("*.svg")]:
        file.unlink()
    for plot in plots:
        save_figure(plot, folder / f"{plot.name}.svg")


def read_cells(folder: Path) -> Cells:
    """Return the inputs and results of the stored measurements."""
    file = folder / "cells.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [(value["cell"], value["result"]) for value in map(json.loads, lines)]


def with_pictures(report: str, plots: Sequence[Plot]) -> str:
    """Return the text of a report with other figures in the place of its figures."""
    pictures = "\n\n".join(figure_markdown(plot) for plot in plots)
    pattern = re.compile(r"(!\[[^\]]*\]\([^)\n]+\)\n*)+")
    return pattern.sub(lambda _: f"{pictures}\n\n", report, count=1)


# --- figures of each experiment --------------------------------------------------------------------------------------


def build_plots(results: Results, cells: Cells) -> list[Plot]:
    """Return the figures of a report."""
    build = _BUILDERS.get(results["experiment"])
    if build:
        return build(results, cells)
    return [plot for name, value in results["plots"].items() if (plot := plot_from_json(name, value))]


def _big2_agents(results: Results, cells: Cells) -> list[Plot]:
    margins = defaultdict[int, list[Any]](list)
    for inputs, result in cells:
        if inputs.get("timed"):
            margins[inputs["cards"]] += result
    searcher, opponent = next(iter(inputs["agents"] for inputs, _ in cells if inputs.get("timed")))
    return [margins_plot(searcher, opponent, margins)]


def _big2_depth(results: Results, cells: Cells) -> list[Plot]:
    by_depth = defaultdict[int, list[Any]](list)
    for inputs, result in cells:
        by_depth[inputs["depth"]] += result
    return [times_plot(results["tables"]["times"]["title"], by_depth)]


def _big2_exact(results: Results, cells: Cells) -> list[Plot]:
    series = defaultdict[tuple[int, str], list[Any]](list)
    for inputs, result in cells:
        series[inputs["cards"], inputs["solver"]] += result
    return [solution_times_plot(series, results["settings"]["seconds"])]


def _curves(measure: str) -> Callable[[Results, Cells], list[Plot]]:
    def build(results: Results, cells: Cells) -> list[Plot]:
        curves = {(inputs["method"], inputs["seed"]): result for inputs, result in cells}
        return [curves_plot(curves, measure, results["tables"]["methods"]["title"])]

    return build


def _guandan_abln(results: Results, cells: Cells) -> list[Plot]:
    (name, value), table = next(iter(results["plots"].items())), results["tables"]
    old = plot_from_json(name, value)
    if "seeds" in table:
        rows = table["seeds"]["rows"]
        counts = {f"seed {row['seed']}": row["episodes"] for row in rows[:-1]}
        counts |= {"seeds and deals": rows[-1]["episodes"]}
        n, what = f"{len(rows) - 1} seeds, {rows[-1]['episodes']:,} episodes", "episodes"
    else:
        games = {inputs["seed"]: inputs["games"] for inputs, _ in cells if inputs["match"][0] == "abl"}
        rounds = {f"round {number}": count for number, (_, count) in enumerate(sorted(games.items()), 1)}
        counts = {**rounds, "all rounds": sum(rounds.values())}
        n, what = f"{sum(rounds.values()):,} matches", "matches"
    return [_dots(old, f"share of the {what} won", counts, n)]


def _ablation(results: Results, cells: Cells) -> list[Plot]:
    rows = results["tables"]["parts"]["rows"]
    counts = {row["without"]: row["matches"] for row in rows}
    old = plot_from_json("parts", results["plots"]["parts"])
    axis = "share of the matches won with the part"
    return [_dots(old, axis, counts, numbers_text([*counts.values()], "matches each"))]


def _dots(old: Any, label: str, counts: Mapping[str, int], n: str) -> Plot:
    """Return dots of an older report with unit, sample sizes and the meaning of the intervals."""
    interval = "95 % intervals over deals" + (" and seeds in the last row" if "seeds and deals" in counts else "")
    return type(old)(old.name, old.title, share_axis(label), old.bars, 0.5, counts, n=n, interval=interval)


def _guandan_example(results: Results, cells: Cells) -> list[Plot]:
    _, decision = next((inputs, result) for inputs, result in cells if "hands" in result)
    return [*heat_maps(decision["hands"])]


def _guandan_expert(results: Results, cells: Cells) -> list[Plot]:
    marks = results["marks"]
    by_agent = {
        name: result
        for name in marks
        for inputs, result in cells
        if inputs.get("follow") == name and inputs["mark"] == marks[name]
    }
    return [*agreement_plots(by_agent)]


def _hidden_hands(results: Results, cells: Cells) -> list[Plot]:
    errors: dict[str, dict[str, Any]] = {source: {} for source in SOURCES}
    learning = {}
    for inputs, result in cells:
        if "error" in inputs:
            errors[inputs["place"]][inputs["error"]] = result
        else:
            learning[inputs["share"], inputs["abduce"]] = result
    return [*(plot for source in SOURCES for plot in error_plots(source, errors[source])), gap_plot(learning)]


def _tournament(results: Results, cells: Cells) -> list[Plot]:
    names = results["plots"]["wins"]["rows"]
    by_pair = {}
    for row in results["tables"]["intervals"]["rows"]:
        summary = MatchSummary(
            (row["agent"], row["against"]), row["matches"], row["won"], (row["from"], row["to"]),
            np.zeros(0, np.int8), np.zeros(0, np.int64),
        )  # fmt: skip
        by_pair |= {summary.names: summary, summary.names[::-1]: summary.swap_sides()}
    return [wins_plot(names, by_pair)]


def _splitting(results: Results, cells: Cells) -> list[Plot]:
    from abl_cards.experiments.splitting_report import make_plots

    found: dict[str, Any] = {inputs["what"]: result for inputs, result in cells}
    labels, loop = (
        {float(what.partition("-")[2]): run for what, run in found.items() if what.startswith(f"{kind}-")}
        for kind in ("labels", "loop")
    )
    unlabelled = {"rules alone": found["unlabelled-0"], "rules and few plays": found["unlabelled-12"]}
    return make_plots(found["baselines"], labels, loop, unlabelled)


def _strength(results: Results, cells: Cells) -> list[Plot]:
    (history,) = (result["history"] for inputs, result in cells if "training" in inputs and "history" in result)
    held_out = results["tables"]["network"]["rows"][0]["held-out deals"]
    rows = results["tables"]["wins"]["rows"]
    outcomes: list[dict[str, Any]] = [{} for _ in rows]
    marks = results["marks"]
    for inputs, result in cells:
        if "played" in inputs and inputs["mark"] == marks.get(inputs["played"], inputs["mark"]):
            outcomes[inputs["made"]][inputs["played"]] = result
    return [*win_bars(outcomes, [row["deals"] for row in rows]), *training_curves(history, held_out)]


def _tractor(results: Results, cells: Cells) -> list[Plot]:
    old = plot_from_json("steps", results["plots"]["steps"])
    assert isinstance(old, LinePlot)
    counts = [row["games"] for row in results["tables"]["kb"]["rows"]]
    return [
        LinePlot(
            "steps", "Against kb while learning", Axis("self-play", "decisions"), share_axis("share of the games won"),
            old.lines, {}, old.bands, n=numbers_text(counts, "games a point"), interval="95 % intervals over deals",
            reference=0.5,
        )
    ]  # fmt: skip


_BUILDERS: dict[str, Callable[[Results, Cells], list[Plot]]] = {
    "big2_agents": _big2_agents, "big2_depth": _big2_depth, "big2_exact": _big2_exact,
    "card_reading": _curves("plays read"), "digit_addition": _curves("digits read"),
    "doudizhu_splitting": _splitting, "doudizhu_strength": _strength, "guandan_abln": _guandan_abln,
    "guandan_example": _guandan_example, "guandan_expert": _guandan_expert, "guandan_hidden_hands": _hidden_hands,
    "guandan_kb_ablation": _ablation, "guandan_tournament": _tournament, "tractor_easy": _tractor,
}  # fmt: skip


# --- the ladder ------------------------------------------------------------------------------------------------------


def guandan_ladder() -> Plot:
    """Return the ratings of the agents of Guandan from the matches of the tournament."""
    results = json.loads((FOLDER / "guandan_tournament" / "results.json").read_text("utf-8"))
    pairs = [
        PairResult(row["agent"], row["against"], row["matches"], row["won"], (row["from"], row["to"]))
        for row in results["tables"]["intervals"]["rows"]
    ]
    count = numbers_text([pair.games for pair in pairs], "matches a pair")
    return ladder_plot(fit_ratings(pairs, "kb"), count, "Agents of Guandan: ratings from the tournament")


if __name__ == "__main__":
    main()
