"""Figure 4.1 of Tan et al. 2020: time of the exact solution by the number of cards.

Measured beside a plain Python negamax of the paper's design, on the same deals and in the same process, by the seconds
of the processor. A deal that takes longer than the limit counts as not solved, and with the limit in the quantiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, NamedTuple, cast

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
from abl_cards.experiments.big2_python_negamax import PythonNegamax
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.plot_data import SECONDS_FLOOR, median_interval, numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games.endgame import RacePosition
from abl_cards.reasoners.search import RaceSearch, SearchStopped, SearchTables

OUR_SEARCH, PYTHON_NEGAMAX = "our search", "plain Python negamax"

ResultsBySeries = Mapping[tuple[int, str], Sequence[dict[str, Any]]]
"""Value (None if not solved) and seconds of each deal, by cards and solver."""


@dataclass(frozen=True)
class Big2ExactConfig(RulesConfig):
    """Solved deals."""

    cards: tuple[int, ...] = setting(tuple(range(6, 21)), "cards in each hand", is_required=True)
    deals: int = setting(100, "random deals for each number of cards")
    seconds: float = setting(30.0, "processor seconds after which a deal counts as unsolved")
    plain_up_to: int = setting(11, "most cards in each hand for the plain Python negamax")
    plain_deals: int = setting(20, "deals for the plain Python negamax, per number of cards")
    seed: int = setting(0, "seed of the deals", SEED_RANGE)


def run(settings: Big2ExactConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Solve the deals."""
    from abl_cards.games.endgame import build_race

    rules = load_engine(settings)
    combinations = build_race(rules.rules).combinations
    tables, plain = SearchTables(combinations), PythonNegamax(combinations)
    solvers: dict[str, Callable[[RacePosition, Callable[[int], bool]], int]] = {
        OUR_SEARCH: lambda race, watch: RaceSearch(tables, race).best(should_continue=watch).value,
        PYTHON_NEGAMAX: plain.value,
    }
    solver_runs = [(cards, OUR_SEARCH, settings.deals) for cards in settings.cards]
    compared = min(settings.deals, settings.plain_deals)
    solver_runs += [
        (cards, PYTHON_NEGAMAX, compared) for cards in settings.cards if cards <= settings.plain_up_to and compared
    ]
    every = [
        portion
        for cards, solver, deals in sorted(solver_runs)
        for portion in split_deals(SolverSeries(cards, solver), deals)
    ]
    workspace.plan_cells(len(every))
    RaceSearch(tables, make_race(deal_hands(1, 8, 0))).best()  # compile before anything is measured

    def measure(portion: DealRange) -> list[dict[str, Any]]:
        cards, solver = cast(SolverSeries, portion.series)
        what = {
            "cards": cards, "solver": solver, "seconds": settings.seconds, "seed": settings.seed,
            "marks": [rules_fingerprint(rules)],
        }  # fmt: skip

        def solve(number: int) -> dict[str, Any]:
            return _solve_timed(solvers[solver], make_race(deal_hands(settings.seed, cards, number)), settings.seconds)

        return measure_deals(workspace, what, portion, solve, str(portion.series))

    def make_report(results_by_range: Mapping[DealRange, list[dict[str, Any]]]) -> ExperimentReport:
        return report(settings, group_by_series(results_by_range))

    return make_report(workspace.measure_each(every, measure, make_report, range_namer(str)))


class SolverSeries(NamedTuple):
    """Cards per hand, and the solver."""

    cards: int
    solver: str

    def __str__(self) -> str:
        return f"{self.cards} + {self.cards} cards, {self.solver}"


def _solve_timed(
    solver: Callable[[RacePosition, Callable[[int], bool]], int], race: RacePosition, seconds: float
) -> dict[str, Any]:
    begun = process_time()
    try:
        value: int | None = solver(race, lambda nodes: process_time() < begun + seconds)
    except SearchStopped:
        value = None
    return {"value": value, "seconds": round(process_time() - begun, 6)}


def report(settings: Big2ExactConfig, results_by_series: ResultsBySeries) -> ExperimentReport:
    """Make the table of solution times by number of cards, and the plot."""
    columns = (
        "cards each", "deals", "solved", "median (ms)", "90 % (ms)", "longest (ms)", "plain: deals", "plain: solved",
        "plain: median (ms)", "ratio", "values that differ",
    )  # fmt: skip
    table = ReportTable(
        "times", f"Time of the exact solution, at most {settings.seconds:g} s", columns,
        [
            _row(cards, results_by_series[cards, OUR_SEARCH], results_by_series.get((cards, PYTHON_NEGAMAX), ()))
            for cards in sorted(settings.cards)
            if (cards, OUR_SEARCH) in results_by_series
        ],
        note="Seconds of the processor. The ratio is that of the medians on the deals that both have tried.",
    )  # fmt: skip
    return ExperimentReport([table], [solution_times_plot(results_by_series, settings.seconds)])


def solution_times_plot(results_by_series: ResultsBySeries, limit: float) -> LinePlot:
    """Plot the median and 90th percentile of the solution times of each solver by the number of cards."""
    lines: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for (cards, solver), results in sorted(results_by_series.items()):
        seconds = [max(result["seconds"], SECONDS_FLOOR) for result in results]
        for word, share in (("median", 0.5), ("90th percentile", 0.9)):
            lines.setdefault(f"{solver}, {word}", []).append((cards, float(np.quantile(seconds, share))))
        bands.setdefault(f"{solver}, median", []).append((cards, *median_interval(seconds)))
    return LinePlot(
        "times", "Time of the exact solution", Axis("hand size", "cards", is_integer=True), Axis("processor time", "s"),
        lines, bands=bands, log_y=True,
        n=numbers_text([len(results) for results in results_by_series.values()], "deals each"),
        interval=f"bands: 95 % intervals of the medians over deals; a search ends after {limit:g} s, solved or not",
    )  # fmt: skip


def _row(cards: int, ours: Sequence[dict[str, Any]], plain: Sequence[dict[str, Any]]) -> list[Cell]:
    times = [result["seconds"] for result in ours]
    row: list[Cell] = [cards, len(ours), _count_solved(ours)]
    row += [1e3 * float(np.quantile(times, share)) for share in (0.5, 0.9, 1)]
    if not plain:
        return [*row, None, None, None, None, None]
    both = list(zip(ours, plain, strict=False))
    same, theirs = (float(np.median([pair[side]["seconds"] for pair in both])) for side in (0, 1))
    differ = sum(None not in (one["value"], two["value"]) and one["value"] != two["value"] for one, two in both)
    return [*row, len(plain), _count_solved(plain), 1e3 * theirs, theirs / same if same else None, differ]


def _count_solved(results: Sequence[dict[str, Any]]) -> int:
    return sum(result["value"] is not None for result in results)


EXPERIMENT = Experiment(
    "Figure 4.1: time of the exact solution of Big2 by the number of cards, beside a plain Python negamax",
    Big2ExactConfig(),
    run,
    smoke={"cards": (4, 5, 6), "deals": 5, "plain_deals": 3},
)
