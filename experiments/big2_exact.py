"""Time of the exact solution by the number of cards: ``python -m experiments.big2_exact``.

Figure 4.1 of Tan et al. 2020. Measured side by side with a plain Python negamax of the paper's design, on the same
deals and in the same process, by the seconds of the processor. A deal that takes longer than the limit counts as not
solved.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from abl_cards.cli.console import progress
from experiments.big2_deals import deal, engine, keep, kept, race_of
from experiments.big2_plain import PlainNegamax
from reasoners.search import Search, Stopped
from reasoners.search_tables import SearchTables


@dataclass(frozen=True)
class Settings:
    """What is solved, and where the results go."""

    cards: tuple[int, ...] = tuple(range(6, 21))
    deals: int = 100
    seconds: float = 30.0
    plain_up_to: int = 11  # cards up to which the plain Python negamax solves the same deals
    plain_deals: int = 20
    seed: int = 0
    out: Path = Path("runs/big2_exact")


def run(settings: Settings, solvers: Sequence[str] = ("ours", "plain")) -> list[dict[str, Any]]:
    """Solve what has not been solved yet; a result a deal and a solver. Raises ValueError where two values differ."""
    rules = engine()
    tables, plain = SearchTables(rules.combinations), PlainNegamax(rules.combinations)
    file, marks = settings.out / "times.jsonl", {"seed": settings.seed, "limit": settings.seconds}
    known = {
        (each["cards"], each["deal"], each["solver"]): each for each in kept(file) if marks.items() <= each.items()
    }
    _warm_up(tables)
    wanted = [
        (cards, number, solver)
        for cards in settings.cards
        for number in range(settings.deals)
        for solver in solvers
        if solver == "ours" or (cards <= settings.plain_up_to and number < settings.plain_deals)
    ]
    with progress("solving", len(wanted)) as tell:
        for done, (cards, number, solver) in enumerate(wanted):
            if (cards, number, solver) not in known:
                race = race_of(deal(settings.seed, cards, number))
                begun = process_time()
                watch = _until(begun + settings.seconds)
                value: int | None
                try:
                    value = (
                        Search(tables, race).best(watch=watch).value if solver == "ours" else plain.value(race, watch)
                    )
                except Stopped:
                    value = None
                result = {"solver": solver, "value": value, "seconds": round(process_time() - begun, 6)}
                known[cards, number, solver] = keep(file, marks | {"cards": cards, "deal": number} | result)
            tell(done + 1, f"{cards} cards, {solver}")
    return [known[key] for key in wanted]


def _warm_up(tables: SearchTables) -> None:
    """Compile before anything is measured."""
    for number in range(3):
        Search(tables, race_of(deal(1, 8, number))).best()


def _until(end: float) -> Callable[[int], bool]:
    return lambda nodes: process_time() < end


def table(results: Sequence[dict[str, Any]]) -> str:
    """The results in Markdown; the ratio is that of the medians on the deals that both have tried."""
    lines = ["| cards each | solved | median | 90 % | longest | plain Python, solved | median | ratio |"]
    lines += ["|---" * 8 + "|"]
    for cards in sorted({each["cards"] for each in results}):
        ours = {each["deal"]: each for each in results if each["cards"] == cards and each["solver"] == "ours"}
        plain = {each["deal"]: each for each in results if each["cards"] == cards and each["solver"] == "plain"}
        times = [each["seconds"] for each in ours.values()]
        middle, most, longest = (f"{1e3 * np.quantile(times, share):,.1f} ms" for share in (0.5, 0.9, 1))
        row = f"| {cards} + {cards} | {_solved(ours)} | {middle} | {most} | {longest} |"
        if plain:
            same = np.median([ours[number]["seconds"] for number in plain])
            theirs = np.median([each["seconds"] for each in plain.values()])
            row += f" {_solved(plain)} | {1e3 * theirs:,.0f} ms | {theirs / same:,.0f} |"
        else:
            row += " – | – | – |"
        lines.append(row)
    return "\n".join(lines) + "\n"


def _solved(results: dict[int, dict[str, Any]]) -> str:
    return f"{sum(each['value'] is not None for each in results.values())} of {len(results)}"


def disagreements(results: Sequence[dict[str, Any]]) -> int:
    """Deals for which the two solvers find different values."""
    values: dict[tuple[int, int], set[int]] = {}
    for each in results:
        if each["value"] is not None:
            values.setdefault((each["cards"], each["deal"]), set()).add(each["value"])
    return sum(len(found) > 1 for found in values.values())


def main() -> int:
    """The command; exit 1 where the solvers differ."""
    parser = argparse.ArgumentParser(prog="python -m experiments.big2_exact", description=__doc__)
    parser.add_argument("--cards", nargs="+", type=int, default=list(Settings.cards))
    parser.add_argument("--deals", type=int, default=Settings.deals)
    parser.add_argument("--seconds", type=float, default=Settings.seconds)
    parser.add_argument("--plain-deals", type=int, default=Settings.plain_deals)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--out", type=Path, default=Settings.out)
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args()
    results = run(
        Settings(
            tuple(chosen.cards), chosen.deals, chosen.seconds, plain_deals=chosen.plain_deals, seed=chosen.seed,
            out=chosen.out,
        )
    )  # fmt: skip
    (chosen.out / "table.md").write_text(table(results), "utf-8")
    print(json.dumps(results) if chosen.as_json else table(results))
    if differ := disagreements(results):
        print(f"error: the solvers differ on {differ} deals", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
