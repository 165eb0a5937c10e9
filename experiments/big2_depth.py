"""Figure 4.2 of Tan et al. 2020: time of a first search by its depth, with all cards dealt, in processor seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from abl_cards.agents import rules_fingerprint
from abl_cards.core import SEED_RANGE, Axis, LinePlot, setting
from abl_cards.experiments.big2_deals import (
    DealRange,
    deal_hands,
    group_by_series,
    load_engine,
    make_race,
    measure_deals,
    range_namer,
    split_deals,
)
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.plot_data import median_interval, numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.reasoners.search import RaceSearch, SearchStopped, SearchTables


@dataclass(frozen=True)
class Big2DepthConfig(RulesConfig):
    """Searched deals and depths."""

    depths: tuple[int, ...] = setting((4, 5, 6, 7, 8), "depths of the search, in moves", is_required=True)
    cards: int = setting(26, "cards in each hand")
    deals: int = setting(100, "random deals for each depth")
    seconds: float = setting(60.0, "processor seconds after which a search is stopped")
    seed: int = setting(0, "seed of the deals", SEED_RANGE)


def run(settings: Big2DepthConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Search every deal afresh for every depth."""
    from abl_cards.games.endgame import build_race

    rules = load_engine(settings)
    tables = SearchTables(build_race(rules.rules).combinations)
    RaceSearch(tables, make_race(deal_hands(1, 8, 0))).best(4)  # compile before anything is measured
    every = [portion for depth in settings.depths for portion in split_deals(depth, settings.deals)]
    workspace.plan_cells(len(every))

    def measure(portion: DealRange) -> list[dict[str, Any]]:
        depth = int(str(portion.series))
        what = {
            "depth": depth, "cards": settings.cards, "seconds": settings.seconds, "seed": settings.seed,
            "marks": [rules_fingerprint(rules)],
        }  # fmt: skip
        return measure_deals(
            workspace, what, portion, lambda number: _timed_search(settings, tables, depth, number), _series_name(depth)
        )

    def make_report(results_by_range: Mapping[DealRange, list[dict[str, Any]]]) -> ExperimentReport:
        return report(settings, group_by_series(results_by_range))

    return make_report(workspace.measure_each(every, measure, make_report, range_namer(_series_name)))


def _series_name(depth: object) -> str:
    return f"depth {depth}"


def _timed_search(settings: Big2DepthConfig, tables: SearchTables, depth: int, number: int) -> dict[str, Any]:
    """Run the first search of a deal under the time limit, and measure it."""
    begun = process_time()
    searching = RaceSearch(tables, make_race(deal_hands(settings.seed, settings.cards, number)))
    finished = False
    with suppress(SearchStopped):
        searching.best(depth, should_continue=lambda nodes: process_time() < begun + settings.seconds)
        finished = True
    seconds = round(process_time() - begun, 6)
    return {"finished": finished, "nodes": searching.nodes, "seconds": seconds}


def report(settings: Big2DepthConfig, results_by_depth: Mapping[int, Sequence[dict[str, Any]]]) -> ExperimentReport:
    """Make the table of search times by depth, and the plot."""
    columns = ("depth", "deals", "finished", "median (ms)", "90 % (ms)", "longest (ms)", "positions, median")
    rows: list[list[Cell]] = []
    for depth, results in sorted(results_by_depth.items()):
        middle, most, longest = (
            float(np.quantile([result["seconds"] for result in results], share)) for share in (0.5, 0.9, 1)
        )
        nodes = int(np.median([result["nodes"] for result in results]))
        finished = sum(result["finished"] for result in results)
        rows.append([depth, len(results), finished, 1e3 * middle, 1e3 * most, 1e3 * longest, nodes])
    title = f"Time of a first search, {settings.cards} + {settings.cards} cards"
    table = ReportTable("times", title, columns, rows, note="Seconds of the processor.")
    return ExperimentReport([table], [times_plot(title, results_by_depth)])


def times_plot(title: str, results_by_depth: Mapping[int, Sequence[Mapping[str, Any]]]) -> LinePlot:
    """Plot the median, 90th percentile and longest of the search times by depth."""
    lines: dict[str, list[tuple[float, float]]] = {"longest": [], "90th percentile": [], "median": []}
    band: list[tuple[float, float, float]] = []
    for depth, results in sorted(results_by_depth.items()):
        seconds = [result["seconds"] for result in results]
        for name, share in (("median", 0.5), ("90th percentile", 0.9), ("longest", 1)):
            lines[name].append((depth, float(np.quantile(seconds, share))))
        band.append((depth, *median_interval(seconds)))
    return LinePlot(
        "times", title, Axis("depth", "moves", is_integer=True), Axis("processor time", "s"), lines,
        bands={"median": band}, log_y=True,
        n=numbers_text([len(results) for results in results_by_depth.values()], "deals each"),
        interval="band: 95 % interval of the median over deals; quantiles of few deals have no upper bound",
    )  # fmt: skip


EXPERIMENT = Experiment(
    "Figure 4.2: time of a first search of Big2 by its depth, with all cards dealt",
    Big2DepthConfig(),
    run,
    smoke={"depths": (2, 3), "deals": 3},
)
