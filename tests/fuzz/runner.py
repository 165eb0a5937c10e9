"""Runs over random folders in child processes; results are lines of JSON, so that a run can be resumed."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from abl_cards.games.game import game_names, load
from abl_cards.rulelab.testing.workers import SubprocessWorker, WorkerProcessError
from tests.fuzz.child import FINE, LOST
from tests.fuzz.counts import count, table
from tests.fuzz.generator import drawn

VOCABULARY = Path(__file__).resolve().parents[1] / "games" / "vocabulary"
PATIENCE = 900.0
"""Seconds for a folder: kernels may have to be compiled, on a busy machine."""
AT_ONCE = 60
"""Folders per process, because a process keeps its engines."""


def run(
    seeds: Iterable[int], out: Path, on_result: Callable[[dict[str, Any]], None], **more: int
) -> list[dict[str, Any]]:
    """Check the folders of seeds that have no result in out/results.jsonl; return all results."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "results.jsonl"
    known = {result["seed"]: result for result in _read(file)}
    worker = SubprocessWorker("tests.fuzz.child", PATIENCE, AT_ONCE)
    try:
        with file.open("a", encoding="utf-8") as lines:
            for seed in seeds:
                if seed not in known:
                    known[seed] = _check_folder(worker, seed, out / "folders" / str(seed), more)
                    lines.write(json.dumps(known[seed]) + "\n")
                    lines.flush()
                    on_result(known[seed])
    finally:
        worker.close()
    return [known[seed] for seed in seeds]


def run_known(on_result: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """Check the shipped games by every profile, and the folders of the tests."""
    worker, results = SubprocessWorker("tests.fuzz.child", PATIENCE, AT_ONCE), []
    folders = sorted(path for path in VOCABULARY.iterdir() if any(path.glob("*.lp")))
    try:
        for name, naive in [*((name, False) for name in game_names()), *((str(folder), True) for folder in folders)]:
            for profile in load(name).folder.profiles or (None,):
                request = {"game": name, "profile": profile, "naive": naive}
                try:
                    results.append(worker.request(request))
                except (WorkerProcessError, BrokenPipeError) as problem:
                    results.append({"seed": f"{name} {profile or ''}", "outcome": LOST, "said": [str(problem)]})
                on_result({**results[-1], "flaw": "", "edit": ""})
    finally:
        worker.close()
    return results


def _read(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)


def _check_folder(worker: SubprocessWorker, seed: int, folder: Path, more: dict[str, int]) -> dict[str, Any]:
    try:
        result: dict[str, Any] = worker.request({"seed": seed, "folder": str(folder), **more})
    except (WorkerProcessError, BrokenPipeError) as problem:
        draw = drawn(seed)
        result = {"seed": seed, "constructs": sorted(draw.constructs), "flaw": draw.flaw, "edit": ""}
        result |= {"outcome": LOST, "said": [str(problem)]}
    return result


def wrong(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results that differ or crash."""
    return [result for result in results if result["outcome"] not in FINE]


def report(results: list[dict[str, Any]]) -> str:
    """Return the table of constructs, and the number of folders by outcome."""
    sound = [result for result in results if result["outcome"] != "refused"]
    outcomes = Counter(result["outcome"] for result in results)
    plain = [result for result in results if not result["edit"] and not result["flaw"]]
    lines = [
        "constructs and pairs of constructs in all folders:",
        table(count(result["constructs"] for result in results)),
        "in those that pass `kb check`:",
        table(count(result["constructs"] for result in sound)),
        f"{len(results)} folders, {len(sound)} pass `kb check` ({100 * len(sound) / max(1, len(results)):.1f} %)",
        "outcomes: " + ", ".join(f"{name} {number}" for name, number in outcomes.most_common()),
        f"stopped without an edit: {[result['seed'] for result in plain if result['outcome'] == 'stopped']}",
    ]
    flaws = Counter((result["flaw"], result["outcome"]) for result in results if result["flaw"])
    lines += [f"{flaw}: {name} {number}" for (flaw, name), number in sorted(flaws.items())]
    for result in wrong(results):
        cause = result["flaw"] or result["edit"]
        lines.append(f"{result['seed']} {result['outcome']} {cause}: {result['said'][0].strip()[-300:]}")
    return "\n".join(lines)


def bounds_checked(cache: Path) -> None:
    """Make child processes compile kernels with checks of array bounds, in a separate cache."""
    os.environ["NUMBA_BOUNDSCHECK"] = "1"
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
