"""Time of a first search by its depth, with 26 + 26 cards: ``python -m experiments.big2_depth``.

Figure 4.2 of Tan et al. 2020: depths of 4 to 8, a hundred deals each, by the seconds of the processor.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from abl_cards.cli.console import progress
from experiments.big2_deals import deal, engine, keep, kept, race_of
from reasoners.search import Search, Stopped
from reasoners.search_tables import SearchTables


@dataclass(frozen=True)
class Settings:
    """What is searched, and where the results go."""

    depths: tuple[int, ...] = (4, 5, 6, 7, 8)
    cards: int = 26
    deals: int = 100
    seconds: float = 60.0
    seed: int = 0
    out: Path = Path("runs/big2_depth")


def run(settings: Settings) -> list[dict[str, Any]]:
    """Search what has not been searched yet; a result a deal and a depth."""
    tables = SearchTables(engine().combinations)
    file = settings.out / "times.jsonl"
    marks = {"seed": settings.seed, "cards": settings.cards, "limit": settings.seconds}
    known = {(each["depth"], each["deal"]): each for each in kept(file) if marks.items() <= each.items()}
    Search(tables, race_of(deal(1, 8, 0))).best(4)  # compile before anything is measured
    wanted = [(depth, number) for depth in settings.depths for number in range(settings.deals)]
    with progress("searching", len(wanted)) as tell:
        for done, (depth, number) in enumerate(wanted):
            if (depth, number) not in known:
                begun = process_time()
                end = begun + settings.seconds
                search = Search(tables, race_of(deal(settings.seed, settings.cards, number)))
                with suppress(Stopped):
                    search.best(depth, watch=lambda nodes, end=end: process_time() < end)  # type: ignore[misc]
                result = {"depth": depth, "deal": number, "nodes": search.nodes}
                known[depth, number] = keep(file, marks | result | {"seconds": round(process_time() - begun, 6)})
            tell(done + 1, f"depth {depth}")
    return [known[key] for key in wanted]


def table(results: Sequence[dict[str, Any]]) -> str:
    """The results in Markdown."""
    lines = ["| depth | deals | median | 90 % | longest | nodes, median |", "|---|---|---|---|---|---|"]
    for depth in sorted({each["depth"] for each in results}):
        mine = [each for each in results if each["depth"] == depth]
        times = [f"{1e3 * np.quantile([each['seconds'] for each in mine], share):,.1f} ms" for share in (0.5, 0.9, 1)]
        nodes = np.median([each["nodes"] for each in mine])
        lines.append(f"| {depth} | {len(mine)} | {' | '.join(times)} | {nodes:,.0f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m experiments.big2_depth", description=__doc__)
    parser.add_argument("--depths", nargs="+", type=int, default=list(Settings.depths))
    parser.add_argument("--deals", type=int, default=Settings.deals)
    parser.add_argument("--seconds", type=float, default=Settings.seconds)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--out", type=Path, default=Settings.out)
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args()
    results = run(
        Settings(tuple(chosen.depths), deals=chosen.deals, seconds=chosen.seconds, seed=chosen.seed, out=chosen.out)
    )
    (chosen.out / "table.md").write_text(table(results), "utf-8")
    print(json.dumps(results) if chosen.as_json else table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
