"""Long jobs of the rule laboratory: cases, mutations, matches with other weights; one per folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.rulelab.editor import (
    MAX_PINNED,
    RuleDraft,
    ablate_preferences,
    compare_choice,
    find_failing_cases,
    find_surviving_edits,
    list_weights,
    match_original,
    reweight_preferences,
    write_weights,
)
from abl_cards.web import schemas

MAX_EDITS, DEFAULT_EDITS = 200, 24
MAX_GAMES, DEFAULT_GAMES = 4000, 400
MAX_FAILURES_SHOWN = 60
log = logging.getLogger(__name__)


class JobCancelled(Exception):
    """The job was cancelled."""


@dataclass
class LabJob:
    """Long job of a laboratory with its progress."""

    kind: str
    state: str = "waiting"  # waiting, working, done, failed or stopped
    done: int = 0
    total: int = 0
    result: Any = None
    problem: str = ""
    _cancel_event: Event = field(default_factory=Event)

    def to_json(self) -> dict[str, Any]:
        """Return the progress and the results so far."""
        return {"what": self.kind, "state": self.state, "done": self.done, "total": self.total,
                "result": self.result, "problem": self.problem}  # fmt: skip

    def report_progress(self, done: int, total: int) -> None:
        """Record the progress; raises JobCancelled after a cancellation."""
        self.done, self.total = done, total
        if self._cancel_event.is_set():
            raise JobCancelled

    def cancel(self) -> None:
        """Cancel the job at its next progress report."""
        self._cancel_event.set()
        if self.state == "waiting":
            self.state = "stopped"

    def run(self, work: Callable[[LabJob], Any]) -> None:
        """Run the job in the current thread and record its result or error."""
        if self._cancel_event.is_set():
            return
        self.state = "working"
        try:
            self.result = work(self)
            self.state = "done"
        except JobCancelled:
            self.state = "stopped"
        except (GameError, KBError) as error:
            self.state, self.problem = "failed", str(error)[:2000]
        except Exception:
            log.exception("%s in the rules lab", self.kind)
            self.state, self.problem = "failed", "internal error; see the log of the server"


JobFunction = Callable[[LabJob], Any]


def parse_job(draft: RuleDraft, request: Mapping[str, Any]) -> tuple[str, JobFunction]:
    """Validate a request; returns the name of the job and its function; raises GameError."""
    message = dict(request)
    kind = schemas.get_text(message, "what")
    seed = schemas.get_int(message, "seed", 0, 10**6, 0)
    games = schemas.get_int(message, "games", 2, MAX_GAMES, DEFAULT_GAMES)
    if kind == "cases":
        return kind, lambda job: _run_cases(draft, job)
    if kind == "mutations":
        edits = schemas.get_int(message, "edits", 1, MAX_EDITS, DEFAULT_EDITS)
        return kind, lambda job: find_surviving_edits(draft, edits, job.report_progress, seed)
    if kind == "match":
        factors = get_factors(message)
        return kind, lambda job: match_original(draft, factors, games, seed, job.report_progress)
    if kind == "ablation":
        return kind, lambda job: ablate_preferences(
            draft, games, seed, job.report_progress, lambda results: _set_result(job, results)
        )
    raise GameError("what: cases, mutations, match or ablation", ErrorCode.INVALID_REQUEST)


def get_factors(message: Mapping[str, Any]) -> dict[str, float]:
    """Return the factors of weights by preference; raises GameError."""
    factors = message.get("factors", {})
    if not isinstance(factors, dict) or not all(type(factor) in (int, float) for factor in factors.values()):
        raise GameError("factors: expected a number for each preference", ErrorCode.INVALID_REQUEST)
    return factors


def get_states(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the positions of a request; raises GameError."""
    states = request.get("states", [])
    if not isinstance(states, list) or not all(isinstance(item, dict) for item in states):
        raise GameError("states: expected a list of positions", ErrorCode.INVALID_REQUEST)
    return states


def _set_result(job: LabJob, result: Any) -> None:
    job.result = result


def _run_cases(draft: RuleDraft, job: LabJob) -> dict[str, Any]:
    shown: list[dict[str, Any]] = []
    num_failed = 0
    for failure in _failed_cases(draft, job):
        num_failed += 1
        if len(shown) < MAX_FAILURES_SHOWN:
            shown.append(failure)
        job.result = {"wrong": num_failed, "first": list(shown)}
    return {"cases": job.total, "wrong": num_failed, "first": shown}


def _failed_cases(draft: RuleDraft, job: LabJob) -> Iterator[dict[str, Any]]:
    return (failure.to_json() for failure in find_failing_cases(draft, job.report_progress))


# --- short requests ---------------------------------------------------------------------------------------------------


def weights_json(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the preferences with their weights."""
    return {"preferences": [weight.to_json() for weight in list_weights(draft.last_valid_engine)]}


def save_weights(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Write scaled weights into the rules."""
    return {"changed": write_weights(draft, get_factors(request))}


def compare_weights(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the chosen moves in pinned positions, before and with the given weights."""
    states, language = get_states(request), schemas.get_language(request)
    if len(states) > MAX_PINNED:
        raise GameError(f"states: expected at most {MAX_PINNED} positions", ErrorCode.INVALID_REQUEST)
    factors = get_factors(request)
    reweight_preferences(draft.last_valid_engine.preference_model(), factors)  # raises errors of the factors once

    def compare(state: dict[str, Any]) -> dict[str, Any]:
        try:
            return compare_choice(draft, factors, state, language)
        except (GameError, KBError) as error:
            return {"problem": str(error)[:600]}

    return {"decisions": [compare(item) for item in states]}
