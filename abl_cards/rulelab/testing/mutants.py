"""Mutation tests: apply single edits to a rule folder and check whether its cases detect them."""

from __future__ import annotations

import os
from collections import Counter
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
"""Outcomes: the rules are refused; a case fails; no case fails but the rules differ; the rules are proved equal; the
comparison was not decided in time; the process crashed or did not end."""
OUTCOMES = (REFUSED, NOTICED, MISSED, SAME, UNCLEAR, LOST)
CAUGHT = (REFUSED, NOTICED)

TIMEOUT_SECONDS = 300.0
"""Time limit of an edit in seconds."""
EDITS_PER_PROCESS = 40
"""Edits per process; bounds memory, because a process keeps its engines."""


@dataclass(frozen=True)
class Mutant:
    """Outcome of an edit."""

    edit: Edit
    edit_text: str  # description of the edit
    outcome: str  # one of OUTCOMES
    message: str  # error, failed case, or difference
    case: dict[str, Any] | None = None  # a new case that detects the edit

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        fields = {"edit": self.edit_text, "kind": self.edit.kind, "outcome": self.outcome, "said": self.message}
        return fields | ({"case": self.case} if self.case else {})


@dataclass
class MutationRun:
    """Mutation test of a rule folder.

    Attributes:
        folder: Rule folder.
        profile: Profile whose rules are compared; None for all.
        proof_seconds: Time limit of a comparison in seconds.
        found_cases: Cases that detect edits missed by the cases of the folder.
    """

    folder: Path
    profile: str | None
    proof_seconds: float
    found_cases: list[dict[str, Any]] = field(default_factory=list)

    def try_edit(self, worker: SubprocessWorker, edit: Edit, edit_text: str) -> Mutant:
        """Test an edit.

        Args:
            worker: Process that tests edits.
            edit: Edit of a file of the folder.
            edit_text: Description of the edit.

        Returns:
            Outcome; a new case of it is added to ``found_cases``.
        """
        request = {"folder": str(self.folder), "profile": self.profile, "seconds": self.proof_seconds}
        try:
            result = worker.request({**request, "edit": edit, "found": self.found_cases})
        except WorkerProcessError as error:
            return Mutant(edit, edit_text, LOST, str(error))
        mutant = Mutant(edit, edit_text, *result)
        if mutant.case is not None:
            self.found_cases.append({**mutant.case, "why": f"notices {edit_text}"})
        return mutant


def try_edits(
    run: MutationRun, edits: Sequence[Edit], on_result: Callable[[Mutant], None], max_jobs: int | None = None
) -> list[Mutant]:
    """Test edits of a folder in parallel processes.

    Args:
        run: Folder and limits of the test.
        edits: Edits to test.
        on_result: Called with each outcome; an exception ends the test after the current edits.
        max_jobs: Largest number of processes; by default the number of processors.

    Returns:
        Outcomes in the order of the edits.
    """
    folder = run.folder
    texts = {file: (folder / file).read_text("utf-8") for file in {edit.file for edit in edits}}
    jobs = max(1, min(len(edits), max_jobs or os.cpu_count() or 1))
    is_cancelled = Event()
    with _WorkerPool(jobs) as free_workers, ThreadPoolExecutor(jobs) as pool:

        def try_one(edit: Edit) -> Mutant:
            if is_cancelled.is_set():
                return Mutant(edit, "", LOST, "not tried")
            worker = free_workers.get()
            try:
                mutant = run.try_edit(worker, edit, edit.describe(texts[edit.file]))
            finally:
                free_workers.put(worker)
            try:
                on_result(mutant)
            except BaseException:
                is_cancelled.set()
                raise
            return mutant

        return list(pool.map(try_one, edits))


class _WorkerPool:
    """Context manager that yields a queue of free worker processes."""

    def __init__(self, jobs: int) -> None:
        self._workers = [
            SubprocessWorker("abl_cards.rulelab.testing.worker", TIMEOUT_SECONDS, EDITS_PER_PROCESS)
            for _ in range(jobs)
        ]

    def __enter__(self) -> SimpleQueue[SubprocessWorker]:
        free_workers: SimpleQueue[SubprocessWorker] = SimpleQueue()
        for worker in self._workers:
            free_workers.put(worker)
        return free_workers

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()


def mutants_to_json(mutants: Sequence[Mutant]) -> dict[str, Any]:
    """Return the number of mutants by outcome, the share of detected ones, and those not detected, as JSON.

    Args:
        mutants: Outcomes of edits.

    Returns:
        Plain values.
    """
    counts = Counter(mutant.outcome for mutant in mutants)
    return {
        "edits": len(mutants),
        **{name: counts[name] for name in sorted(counts)},
        "noticed_share": round(compute_caught_share(mutants), 4),
        "not_noticed": [mutant.to_json() for mutant in mutants if mutant.outcome not in CAUGHT],
    }


def compute_caught_share(mutants: Sequence[Mutant]) -> float:
    """Compute the share of detected edits among those that change the rules.

    Args:
        mutants: Outcomes of edits.

    Returns:
        Share from 0 to 1; 1 if no edit changes the rules.
    """
    differing = [mutant for mutant in mutants if mutant.outcome != SAME]
    caught = sum(mutant.outcome in CAUGHT for mutant in differing)
    return caught / len(differing) if differing else 1.0


def filter_by_outcome(mutants: Sequence[Mutant], outcome: str) -> Iterator[Mutant]:
    """Yield the mutants with one outcome.

    Args:
        mutants: Outcomes of edits.
        outcome: One of OUTCOMES.

    Returns:
        Iterator in the order of the mutants.
    """
    return (mutant for mutant in mutants if mutant.outcome == outcome)
