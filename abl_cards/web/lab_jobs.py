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
LANGUAGES = ("en", "zh")
log = logging.getLogger(__name__)


class JobCancelled(Exception):
    """Somebody wants it no more."""


@dataclass
class LabJob:
    """One of them, and how far it has come."""

    kind: str
    state: str = "waiting"  # then working; at last done, failed or stopped
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
        """So many of so many are done; raises Stopped where nobody wants the rest."""
        self.done, self.total = done, total
        if self._cancel_event.is_set():
            raise JobCancelled

    def cancel(self) -> None:
        """Nobody wants it any more."""
        self._cancel_event.set()
        if self.state == "waiting":
            self.state = "stopped"

    def run(self, work: Callable[[LabJob], Any]) -> None:
        """Do it, in a thread of its own."""
        if self._cancel_event.is_set():
            return
        self.state = "working"
        try:
            self.result = work(self)
            self.state = "done"
        except JobCancelled:
            self.state = "stopped"
        except (GameError, KBError) as problem:
            self.state, self.problem = "failed", str(problem)[:2000]
        except Exception:
            log.exception("%s in the rules lab", self.kind)
            self.state, self.problem = "failed", "the page has failed at this; see its log"


JobFunction = Callable[[LabJob], Any]


def parse_job(draft: RuleDraft, request: Mapping[str, Any]) -> tuple[str, JobFunction]:
    """Validate a request; returns the name of the job and its function; raises GameError."""
    message = dict(request)
    what = schemas.get_text(message, "what")
    seed = schemas.get_int(message, "seed", 0, 10**6, 0)
    games = schemas.get_int(message, "games", 2, MAX_GAMES, DEFAULT_GAMES)
    if what == "cases":
        return what, lambda job: _run_cases(draft, job)
    if what == "mutations":
        edits = schemas.get_int(message, "edits", 1, MAX_EDITS, DEFAULT_EDITS)
        return what, lambda job: find_surviving_edits(draft, edits, job.report_progress, seed)
    if what == "match":
        factors = get_factors(message)
        return what, lambda job: match_original(draft, factors, games, seed, job.report_progress)
    if what == "ablation":
        return what, lambda job: ablate_preferences(
            draft, games, seed, job.report_progress, lambda some: _set_result(job, some)
        )
    raise GameError("what: cases, mutations, match or ablation", ErrorCode.INVALID_REQUEST)


def get_factors(message: Mapping[str, Any]) -> dict[str, float]:
    """By preference, how many times its weight; raises GameError."""
    factors = message.get("factors", {})
    if not isinstance(factors, dict) or not all(type(each) in (int, float) for each in factors.values()):
        raise GameError("factors: expected a number for each preference", ErrorCode.INVALID_REQUEST)
    return factors


def _set_result(job: LabJob, result: Any) -> None:
    job.result = result


def _run_cases(draft: RuleDraft, job: LabJob) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    wrong = 0
    for each in _failed_cases(draft, job):
        wrong += 1
        if len(found) < MAX_FAILURES_SHOWN:
            found.append(each)
        job.result = {"wrong": wrong, "first": list(found)}
    return {"cases": job.total, "wrong": wrong, "first": found}


def _failed_cases(draft: RuleDraft, job: LabJob) -> Iterator[dict[str, Any]]:
    return (each.to_json() for each in find_failing_cases(draft, job.report_progress))


# --- what is known at once --------------------------------------------------------------------------------------------


def weights_json(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """The preferences that can be weighed."""
    return {"preferences": [each.to_json() for each in list_weights(draft.last_valid_engine)]}


def save_weights(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Write these weights into the rules."""
    return {"changed": write_weights(draft, get_factors(request))}


def compare_weights(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the chosen moves in pinned positions, before and with the given weights."""
    states, language = request.get("states", []), schemas.get_text(request, "language", "en")
    if not isinstance(states, list) or not all(isinstance(each, dict) for each in states):
        raise GameError("states: expected a list of positions", ErrorCode.INVALID_REQUEST)
    if language not in LANGUAGES:
        raise GameError("language: en or zh", ErrorCode.INVALID_REQUEST)
    if len(states) > MAX_PINNED:
        raise GameError(f"{MAX_PINNED} positions at most", ErrorCode.INVALID_REQUEST)
    factors = get_factors(request)
    reweight_preferences(draft.last_valid_engine.preference_model(), factors)  # what is wrong with them is said once

    def told(state: dict[str, Any]) -> dict[str, Any]:
        try:
            return compare_choice(draft, factors, state, language)
        except (GameError, KBError) as problem:
            return {"problem": str(problem)[:600]}

    return {"decisions": [told(each) for each in states]}
