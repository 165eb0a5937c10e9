"""Long jobs of the rule laboratory: cases, mutations, coverage, balance, matches with other weights; one per folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
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
    find_smallest_difference,
    find_surviving_edits,
    list_weights,
    match_original,
    reweight_preferences,
    write_weights,
)
from abl_cards.web import schemas
from abl_cards.web.error_json import error_text
from abl_cards.web.lab_positions import move_words

MAX_EDITS, DEFAULT_EDITS = 200, 24
MAX_GAMES, DEFAULT_GAMES = 4000, 400
MAX_FAILURES_SHOWN = 60
AGENTS = ("kb", "greedy", "random")
"""Agents whose self-play is measured."""
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
    code: str = ""  # kind of the problem
    _cancel_event: Event = field(default_factory=Event)

    def to_json(self) -> dict[str, Any]:
        """Return the progress and the results so far."""
        return {"what": self.kind, "state": self.state, "done": self.done, "total": self.total,
                "result": self.result, "problem": self.problem, "code": self.code}  # fmt: skip

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
            self.state, self.problem, self.code = "failed", error_text(error), str(error.code)
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
    agent_name = schemas.get_text(message, "player", "kb")
    if agent_name not in AGENTS:
        raise GameError(f"player: one of {', '.join(AGENTS)}", ErrorCode.INVALID_REQUEST)
    if kind == "cases":
        return kind, lambda job: _run_cases(draft, job)
    if kind == "mutations":
        edits = schemas.get_int(message, "edits", 1, MAX_EDITS, DEFAULT_EDITS)
        with_parents = schemas.get_bool(message, "parents")
        return kind, lambda job: find_surviving_edits(draft, edits, job.report_progress, seed, with_parents)
    if kind == "match":
        factors = get_factors(message)
        return kind, lambda job: match_original(draft, factors, games, seed, job.report_progress)
    if kind == "ablation":
        return kind, lambda job: ablate_preferences(
            draft, games, seed, job.report_progress, lambda results: _set_result(job, results)
        )
    if kind == "coverage":
        return kind, lambda job: _measure_coverage(draft, games, seed, job)
    if kind == "balance":
        return kind, lambda job: _measure_balance(draft, games, seed, job, agent_name)
    if kind == "smallest":
        return kind, lambda job: _find_difference(draft, seed)
    raise GameError("what: cases, mutations, match, ablation, coverage, balance or smallest", ErrorCode.INVALID_REQUEST)


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


def _measure_coverage(draft: RuleDraft, games: int, seed: int, job: LabJob) -> dict[str, Any]:
    """Return the rules, labels and preferences that never occurred in some games; rules with their lines."""
    from abl_cards.rulelab.testing import measure_coverage

    coverage = measure_coverage(
        draft.current_engine, games, seed, lambda done: job.report_progress(min(done, games), games)
    )
    unfired = []
    for rule in coverage.unfired_rules:
        path = Path(rule.rule.location.file)
        is_own = path.is_relative_to(draft.folder)
        if is_own or not rule.is_common:
            name = path.relative_to(draft.folder).as_posix() if is_own else path.name
            unfired.append(
                {"file": name, "own": is_own, "line": rule.rule.location.line, "rule": rule.rule.text,
                 "verdict": rule.verdict}
            )  # fmt: skip
    unfired.sort(key=lambda rule: (not rule["own"], rule["file"], rule["line"]))
    return {"games": coverage.num_games, "rules": coverage.num_rules, "silent": unfired,
            "labels": list(coverage.unplayed_labels), "preferences": list(coverage.unfired_preferences)}  # fmt: skip


def _measure_balance(draft: RuleDraft, games: int, seed: int, job: LabJob, agent_name: str) -> dict[str, Any]:
    """Measure self-play of an agent, before and after the edit."""
    from abl_cards.rulelab.testing import measure_balance

    sides = list[dict[str, Any]]()
    for index, engine in enumerate((draft.original_engine, draft.current_engine)):

        def report_progress(done: int, offset: int = index * games) -> None:
            job.report_progress(offset + min(done, games), 2 * games)

        sides.append(measure_balance(engine, games, seed, report_progress, agent_name).to_json())
    return {"balance": sides, "agent": agent_name, "seed": seed}


def _find_difference(draft: RuleDraft, seed: int) -> dict[str, Any]:
    """Return a small position whose legal moves differ, or None."""
    return {"state": find_smallest_difference(draft.original_engine, draft.current_engine, seed=seed)}


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
    states = get_states(request)
    if len(states) > MAX_PINNED:
        raise GameError(f"states: expected at most {MAX_PINNED} positions", ErrorCode.INVALID_REQUEST)
    factors = get_factors(request)
    reweight_preferences(draft.last_valid_engine.preference_model(), factors)  # raises errors of the factors once

    def compare(state: dict[str, Any]) -> dict[str, Any]:
        try:
            return compare_choice(draft, factors, state, move_words)
        except (GameError, KBError) as error:
            return {"problem": error_text(error)[:600]}

    return {"decisions": [compare(item) for item in states]}
