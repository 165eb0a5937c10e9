"""``python -m tests.fuzz``: draw random rule folders, check each, and print what differs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tests.fuzz.runner import bounds_checked, report, run, run_known, wrong


def main() -> int:
    """Run the checks and print the report; return 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--folders", type=int, default=20, help="how many folders")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first one; the others follow")
    parser.add_argument("--boundscheck", action="store_true", help="compile kernels that check array bounds")
    parser.add_argument("--out", type=Path, default=Path("runs/fuzz"), help="results and folders that differ")
    parser.add_argument("--known", action="store_true", help="check the games and folders that there are instead")
    chosen = parser.parse_args()
    if chosen.boundscheck:
        bounds_checked(chosen.out.resolve() / "numba")
    if chosen.known:
        known = run_known(_print_result)
        print(f"{len(known)} games, profiles and folders of tests, {len(wrong(known))} wrong")
        return 1 if wrong(known) else 0
    seeds = range(chosen.seed, chosen.seed + chosen.folders)
    results = run(seeds, chosen.out.resolve(), _print_result)
    print(report(results))
    return 1 if wrong(results) else 0


def _print_result(result: dict[str, Any]) -> None:
    message = result["said"][0].strip().replace("\n", " ")[-160:] if result["said"] else ""
    print(result["seed"], result["outcome"], result["flaw"] or result["edit"], message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
