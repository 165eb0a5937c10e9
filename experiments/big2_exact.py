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

from abl_cards.games.race import Race
from abl_cards.settings import SEEDS, setting
from experiments.big2_deals import Portion, by_deal, deal, engine, joined, named, portions, race_of
from experiments.big2_plain import PlainNegamax
from experiments.desk import Desk
from experiments.experiment import Experiment
from experiments.players import rules_mark
from experiments.report import Cell, Curves, Report, Table
from experiments.rules import ByRules
from reasoners.search import Search, Stopped
from reasoners.search_tables import SearchTables

OURS, PLAIN = "our search", "plain Python negamax"

Results = Mapping[tuple[int, str], Sequence[dict[str, Any]]]
"""By cards and solver: value (none where it was not found) and seconds of each deal."""


@dataclass(frozen=True)
class Settings(ByRules):
    """What is solved."""

    cards: tuple[int, ...] = setting(tuple(range(6, 21)), "cards each")
    deals: int = setting(100, "random deals for each number of cards")
    seconds: float = setting(30.0, "of the processor, after which a deal counts as not solved")
    plain_up_to: int = setting(11, "cards each up to which the plain Python negamax solves the same deals")
    plain_deals: int = setting(20, "how many of them")
    seed: int = setting(0, "of the deals", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Solve the deals."""
    rules = engine(settings)
    combinations = rules.as_race().combinations
    tables, plain = SearchTables(combinations), PlainNegamax(combinations)
    solvers: dict[str, Callable[[Race, Callable[[int], bool]], int]] = {
        OURS: lambda race, watch: Search(tables, race).best(watch=watch).value,
        PLAIN: plain.value,
    }
    wanted = [(cards, OURS, settings.deals) for cards in settings.cards]
    compared = min(settings.deals, settings.plain_deals)
    wanted += [(cards, PLAIN, compared) for cards in settings.cards if cards <= settings.plain_up_to and compared]
    every = [portion for cards, solver, deals in sorted(wanted) for portion in portions(Solved(cards, solver), deals)]
    desk.plan(len(every))
    Search(tables, race_of(deal(1, 8, 0))).best()  # compile before anything is measured

    def measure(portion: Portion) -> list[dict[str, Any]]:
        cards, solver = cast(Solved, portion.series)
        what = {
            "cards": cards, "solver": solver, "seconds": settings.seconds, "seed": settings.seed,
            "marks": [rules_mark(rules)],
        }  # fmt: skip

        def solve(number: int) -> dict[str, Any]:
            return _timed(solvers[solver], race_of(deal(settings.seed, cards, number)), settings.seconds)

        return by_deal(desk, what, portion, solve, str(portion.series))

    def told(found: Mapping[Portion, list[dict[str, Any]]]) -> Report:
        return report(settings, joined(found))

    return told(desk.each(every, measure, told, named(str)))


class Solved(NamedTuple):
    """How many cards each, and who solves."""

    cards: int
    solver: str

    def __str__(self) -> str:
        return f"{self.cards} + {self.cards} cards, {self.solver}"


def _timed(solver: Callable[[Race, Callable[[int], bool]], int], race: Race, seconds: float) -> dict[str, Any]:
    begun = process_time()
    try:
        value: int | None = solver(race, lambda nodes: process_time() < begun + seconds)
    except Stopped:
        value = None
    return {"value": value, "seconds": round(process_time() - begun, 6)}


def report(settings: Settings, found: Results) -> Report:
    """A table by the number of cards, and the figure."""
    columns = (
        "cards each", "deals", "solved", "median (ms)", "90 % (ms)", "longest (ms)", "plain: deals", "plain: solved",
        "plain: median (ms)", "ratio", "values that differ",
    )  # fmt: skip
    table = Table(
        "times", f"Time of the exact solution, at most {settings.seconds:g} s", columns,
        [
            _row(cards, found[cards, OURS], found.get((cards, PLAIN), ()))
            for cards in sorted(settings.cards)
            if (cards, OURS) in found
        ],
        note="Seconds of the processor. The ratio is that of the medians on the deals that both have tried.",
    )  # fmt: skip
    lines: dict[str, list[tuple[float, float]]] = {}
    for (cards, solver), results in sorted(found.items()):
        for word, share in (("median", 0.5), ("90 %", 0.9)):
            seconds = float(np.quantile([each["seconds"] for each in results], share))
            lines.setdefault(f"{solver}, {word}", []).append((cards, seconds))
    title = "Time of the exact solution"
    return Report([table], [Curves("times", title, "cards each", "seconds", lines, magnitudes=True)])


def _row(cards: int, ours: Sequence[dict[str, Any]], plain: Sequence[dict[str, Any]]) -> list[Cell]:
    times = [each["seconds"] for each in ours]
    row: list[Cell] = [cards, len(ours), _solved(ours)]
    row += [1e3 * float(np.quantile(times, share)) for share in (0.5, 0.9, 1)]
    if not plain:
        return [*row, None, None, None, None, None]
    both = list(zip(ours, plain, strict=False))
    same, theirs = (float(np.median([pair[which]["seconds"] for pair in both])) for which in (0, 1))
    differ = sum(None not in (one["value"], two["value"]) and one["value"] != two["value"] for one, two in both)
    return [*row, len(plain), _solved(plain), 1e3 * theirs, theirs / same if same else None, differ]


def _solved(results: Sequence[dict[str, Any]]) -> int:
    return sum(each["value"] is not None for each in results)


EXPERIMENT = Experiment(
    "Figure 4.1: time of the exact solution of Big2 by the number of cards, beside a plain Python negamax",
    Settings(),
    run,
    smoke={"cards": (4, 5, 6), "deals": 5, "plain_deals": 3},
)
