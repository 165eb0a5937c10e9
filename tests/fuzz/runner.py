"""A run over random folders in child processes; its results are lines of JSON, so it goes on where it ended."""

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
"""Folders a process: engines are kept as long as it lives."""


def run(seeds: Iterable[int], out: Path, tell: Callable[[dict[str, Any]], None], **more: int) -> list[dict[str, Any]]:
    """Check the folders of these numbers, but for those that have a result in out/results.jsonl; all results."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "results.jsonl"
    known = {each["seed"]: each for each in _read(file)}
    worker = SubprocessWorker("tests.fuzz.child", PATIENCE, AT_ONCE)
    try:
        with file.open("a", encoding="utf-8") as lines:
            for seed in seeds:
                if seed not in known:
                    known[seed] = _ask(worker, seed, out / "folders" / str(seed), more)
                    lines.write(json.dumps(known[seed]) + "\n")
                    lines.flush()
                    tell(known[seed])
    finally:
        worker.close()
    return [known[seed] for seed in seeds]


def run_known(tell: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """Check the games that come with the package by every profile, and the folders of the tests."""
    worker, results = SubprocessWorker("tests.fuzz.child", PATIENCE, AT_ONCE), []
    folders = sorted(each for each in VOCABULARY.iterdir() if any(each.glob("*.lp")))
    try:
        for name, naive in [*((name, False) for name in game_names()), *((str(folder), True) for folder in folders)]:
            for profile in load(name).folder.profiles or (None,):
                asked = {"game": name, "profile": profile, "naive": naive}
                try:
                    results.append(worker.request(asked))
                except (WorkerProcessError, BrokenPipeError) as problem:
                    results.append({"seed": f"{name} {profile or ''}", "outcome": LOST, "said": [str(problem)]})
                tell({**results[-1], "flaw": "", "edit": ""})
    finally:
        worker.close()
    return results


def _read(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)


def _ask(worker: SubprocessWorker, seed: int, folder: Path, more: dict[str, int]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = worker.request({"seed": seed, "folder": str(folder), **more})
    except (WorkerProcessError, BrokenPipeError) as problem:
        draw = drawn(seed)
        found = {"seed": seed, "constructs": sorted(draw.constructs), "flaw": draw.flaw, "edit": ""}
        found |= {"outcome": LOST, "said": [str(problem)]}
    return found


def wrong(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The folders where something differs or crashes."""
    return [each for each in results if each["outcome"] not in FINE]


def report(results: list[dict[str, Any]]) -> str:
    """The table of constructs, and how many folders came to what."""
    sound = [each for each in results if each["outcome"] != "refused"]
    outcomes = Counter(each["outcome"] for each in results)
    plain = [each for each in results if not each["edit"] and not each["flaw"]]
    lines = [
        "constructs and pairs of constructs in all folders:",
        table(count(each["constructs"] for each in results)),
        "in those that pass `kb check`:",
        table(count(each["constructs"] for each in sound)),
        f"{len(results)} folders, {len(sound)} pass `kb check` ({100 * len(sound) / max(1, len(results)):.1f} %)",
        "outcomes: " + ", ".join(f"{name} {number}" for name, number in outcomes.most_common()),
        f"stopped without an edit: {[each['seed'] for each in plain if each['outcome'] == 'stopped']}",
    ]
    flaws = Counter((each["flaw"], each["outcome"]) for each in results if each["flaw"])
    lines += [f"{flaw}: {name} {number}" for (flaw, name), number in sorted(flaws.items())]
    for each in wrong(results):
        cause = each["flaw"] or each["edit"]
        lines.append(f"{each['seed']} {each['outcome']} {cause}: {each['said'][0].strip()[-300:]}")
    return "\n".join(lines)


def bounds_checked(cache: Path) -> None:
    """From now on child processes compile kernels that check the bounds of arrays, into a cache of their own."""
    os.environ["NUMBA_BOUNDSCHECK"] = "1"
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
