"""Folders with one edit: does a case notice it, and if none does, is there anything to notice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

from abl_cards.rulelab.testing.edits import Edit
from abl_cards.rulelab.testing.workers import SubprocessWorker, WorkerProcessError

REFUSED, NOTICED, MISSED, SAME, UNCLEAR, LOST = "refused", "noticed", "missed", "same", "unclear", "lost"
"""An error of check; a case fails; none does and something differs; it is proved that nothing differs; it could not be
decided in time; the process crashed or did not end."""
OUTCOMES = (REFUSED, NOTICED, MISSED, SAME, UNCLEAR, LOST)
CAUGHT = (REFUSED, NOTICED)

TIMEOUT_SECONDS = 300.0
"""Seconds for an edit on a busy machine."""
EDITS_PER_PROCESS = 40
"""Edits a process: engines are kept as long as it lives."""


@dataclass(frozen=True)
class Mutant:
    """Outcome of an edit."""

    edit: Edit
    edit_text: str  # the edit in words
    outcome: str  # one of OUTCOMES
    message: str  # the error, the case, or where it differs
    case: dict[str, Any] | None = None  # a case that would notice it

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        found = {"edit": self.edit_text, "kind": self.edit.kind, "outcome": self.outcome, "said": self.message}
        return found | ({"case": self.case} if self.case else {})


@dataclass
class MutationRun:
    """A folder whose edits are tried, and the cases that were found to notice what its own do not."""

    folder: Path
    profile: str | None
    proof_seconds: float  # that a proof may take
    found_cases: list[dict[str, Any]] = field(default_factory=list)

    def try_edit(self, worker: SubprocessWorker, edit: Edit, edit_text: str) -> Mutant:
        """Test an edit; a case that detects it is kept."""
        about = {"folder": str(self.folder), "profile": self.profile, "seconds": self.proof_seconds}
        try:
            answer = worker.request({**about, "edit": edit, "found": self.found_cases})
        except WorkerProcessError as problem:
            return Mutant(edit, edit_text, LOST, str(problem))
        mutant = Mutant(edit, edit_text, *answer)
        if mutant.case is not None:
            self.found_cases.append({**mutant.case, "why": f"notices {edit_text}"})
        return mutant


def try_edits(
    run: MutationRun, edits: Sequence[Edit], on_result: Callable[[Mutant], None], max_jobs: int | None = None
) -> list[Mutant]:
    """Try edits of a folder in processes of their own, one a processor; in the order in which they were given.

    What ``on_result`` raises ends it, when the edits that are being tried are done.
    """
    folder = run.folder
    texts = {file: (folder / file).read_text("utf-8") for file in {edit.file for edit in edits}}
    jobs = max(1, min(len(edits), max_jobs or os.cpu_count() or 1))
    ended = Event()
    with _WorkerPool(jobs) as free, ThreadPoolExecutor(jobs) as pool:

        def one(edit: Edit) -> Mutant:
            if ended.is_set():
                return Mutant(edit, "", LOST, "not tried")
            worker = free.get()
            try:
                found = run.try_edit(worker, edit, edit.describe(texts[edit.file]))
            finally:
                free.put(worker)
            try:
                on_result(found)
            except BaseException:
                ended.set()
                raise
            return found

        return list(pool.map(one, edits))


class _WorkerPool:
    """Workers that are free."""

    def __init__(self, jobs: int) -> None:
        self._workers = [
            SubprocessWorker("abl_cards.rulelab.testing.worker", TIMEOUT_SECONDS, EDITS_PER_PROCESS)
            for _ in range(jobs)
        ]

    def __enter__(self) -> SimpleQueue[SubprocessWorker]:
        free: SimpleQueue[SubprocessWorker] = SimpleQueue()
        for worker in self._workers:
            free.put(worker)
        return free

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()


def compute_caught_share(mutants: Sequence[Mutant]) -> float:
    """Return the share of detected edits among those that change something, from 0 to 1; 1 if none does."""
    differing = [each for each in mutants if each.outcome != SAME]
    caught = sum(each.outcome in CAUGHT for each in differing)
    return caught / len(differing) if differing else 1.0


def filter_by_outcome(mutants: Sequence[Mutant], outcome: str) -> Iterator[Mutant]:
    """Yield the mutants with one outcome."""
    return (each for each in mutants if each.outcome == outcome)
