"""Figure 4.2 of Tan et al. 2020: time of a first search by its depth, with all cards dealt, in processor seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from abl_cards.settings import SEEDS, setting
from experiments.big2_deals import Portion, by_deal, deal, engine, joined, named, portions, race_of
from experiments.desk import Desk
from experiments.experiment import Experiment
from experiments.players import rules_mark
from experiments.report import Cell, Curves, Report, Table
from experiments.rules import ByRules
from reasoners.search import Search, Stopped
from reasoners.search_tables import SearchTables


@dataclass(frozen=True)
class Settings(ByRules):
    """What is searched."""

    depths: tuple[int, ...] = setting((4, 5, 6, 7, 8), "moves that are looked ahead")
    cards: int = setting(26, "cards each")
    deals: int = setting(100, "random deals for each depth")
    seconds: float = setting(60.0, "of the processor, after which a search is stopped")
    seed: int = setting(0, "of the deals", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Search every deal afresh for every depth."""
    rules = engine(settings)
    tables = SearchTables(rules.as_race().combinations)
    Search(tables, race_of(deal(1, 8, 0))).best(4)  # compile before anything is measured
    every = [portion for depth in settings.depths for portion in portions(depth, settings.deals)]
    desk.plan(len(every))

    def measure(portion: Portion) -> list[dict[str, Any]]:
        depth = int(str(portion.series))
        what = {
            "depth": depth, "cards": settings.cards, "seconds": settings.seconds, "seed": settings.seed,
            "marks": [rules_mark(rules)],
        }  # fmt: skip
        return by_deal(desk, what, portion, lambda number: _search(settings, tables, depth, number), _text(depth))

    def told(found: Mapping[Portion, list[dict[str, Any]]]) -> Report:
        return report(settings, joined(found))

    return told(desk.each(every, measure, told, named(_text)))


def _text(depth: object) -> str:
    return f"depth {depth}"


def _search(settings: Settings, tables: SearchTables, depth: int, number: int) -> dict[str, Any]:
    """The first search of a deal, for as long as it may take."""
    begun = process_time()
    searching = Search(tables, race_of(deal(settings.seed, settings.cards, number)))
    finished = False
    with suppress(Stopped):
        searching.best(depth, watch=lambda nodes: process_time() < begun + settings.seconds)
        finished = True
    seconds = round(process_time() - begun, 6)
    return {"finished": finished, "nodes": searching.nodes, "seconds": seconds}


def report(settings: Settings, found: Mapping[int, Sequence[dict[str, Any]]]) -> Report:
    """A table by depth, and the figure."""
    columns = ("depth", "deals", "finished", "median (ms)", "90 % (ms)", "longest (ms)", "positions, median")
    rows: list[list[Cell]] = []
    lines: dict[str, list[tuple[float, float]]] = {"median": [], "90 %": []}
    for depth, results in sorted(found.items()):
        middle, most, longest = (
            float(np.quantile([each["seconds"] for each in results], share)) for share in (0.5, 0.9, 1)
        )
        nodes = int(np.median([each["nodes"] for each in results]))
        finished = sum(each["finished"] for each in results)
        rows.append([depth, len(results), finished, 1e3 * middle, 1e3 * most, 1e3 * longest, nodes])
        lines["median"].append((depth, middle))
        lines["90 %"].append((depth, most))
    title = f"Time of a first search, {settings.cards} + {settings.cards} cards"
    table = Table("times", title, columns, rows, note="Seconds of the processor.")
    return Report([table], [Curves("times", title, "depth", "seconds", lines, magnitudes=True)])


EXPERIMENT = Experiment(
    "Figure 4.2: time of a first search of Big2 by its depth, with all cards dealt",
    Settings(),
    run,
    smoke={"depths": (2, 3), "deals": 3},
)
