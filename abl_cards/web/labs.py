"""Rule laboratory: drafts edited in the browser, each in a temporary folder that is deleted with the server."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from abl_cards.asp import Diagnostic
from abl_cards.core import ErrorCode, GameError, shared_budget
from abl_cards.games import Game
from abl_cards.games.description import Folder
from abl_cards.games.notation import derive_readings, include_play
from abl_cards.rulelab.editor import (
    MAX_DRAFT_FILES,
    RuleDraft,
    compare_positions,
    describe_rules,
    display_location,
    editor_time_limit,
    export_folder,
    export_zip,
    find_smallest_difference,
    is_error,
    sample_states,
)
from abl_cards.web import lab_editor, lab_jobs, schemas
from abl_cards.web.executor import ValidEngine
from abl_cards.web.fairness import LOCAL_CLIENT, choose_eviction
from abl_cards.web.lab_jobs import LabJob
from abl_cards.web.lab_positions import position_json
from abl_cards.web.limits import MAX_BODY_BYTES
from abl_cards.web.texts import deck_json

MAX_LABS = 12
LAB_NOT_FOUND = "unknown folder: it was closed, or the server was restarted"
MAX_GAMES = 2000
MAX_RECORDS = 2000
NUM_PINNED = 4
_Handler = Callable[[RuleDraft, dict[str, Any]], dict[str, Any]]


@dataclass
class LabSession:
    """Draft that is edited by a client; its lock serialises the requests."""

    name: str
    draft: RuleDraft
    client_id: str = LOCAL_CLIENT  # client that opened it
    last_used: float = field(default_factory=time.monotonic)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    job: LabJob | None = None  # long job in the background

    def cancel_job(self) -> None:
        """Cancel the long job, if there is one."""
        if self.job is not None:
            self.job.cancel()


class LabManager:
    """Laboratory sessions by secret names."""

    def __init__(self, save_folder: Path | None = None) -> None:
        """Make a manager; drafts can be saved in a folder if one is given."""
        self._save_folder, self._sessions = save_folder, dict[str, LabSession]()
        self._temp_folder: tempfile.TemporaryDirectory[str] | None = None
        self._short_pool, self._job_pool = ThreadPoolExecutor(1, "lab"), ThreadPoolExecutor(1, "lab-job")

    def close(self) -> None:
        """Cancel all jobs and delete all drafts."""
        for lab in self._sessions.values():
            lab.cancel_job()
        for pool in (self._short_pool, self._job_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        if self._temp_folder is not None:
            self._temp_folder.cleanup()

    async def _run(self, call: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._short_pool, call)

    async def open_lab(
        self, game: Game, profile: str | None, files: Mapping[str, str] | None = None, client_id: str = LOCAL_CLIENT
    ) -> dict[str, Any]:  # fmt: skip
        """Create a draft of a game with the given files; raises GameError, KBError."""
        evicted = choose_eviction(client_id, self._sessions.values(), MAX_LABS)
        if evicted is not None:
            self._sessions.pop(evicted.name).cancel_job()
        self._temp_folder = self._temp_folder or tempfile.TemporaryDirectory(prefix="abl-cards-lab-")
        name = secrets.token_urlsafe(9)
        folder = Path(self._temp_folder.name) / name.strip("-_").lower() / "edited"

        def begin() -> tuple[RuleDraft, list[Any]]:
            draft = RuleDraft.create(game, folder, profile)
            for file, text in (files or {}).items():
                draft.write(file, text)
            return draft, list(islice(sample_states(draft.original_engine, NUM_PINNED, 1), NUM_PINNED))

        draft, states = await self._run(begin)
        self._sessions[name] = LabSession(name, draft, client_id)
        saves = self._save_folder is not None
        return {"lab": name, "game": game.name, "files": _files_json(draft), "states": states, "saves": saves}

    def _find(self, name: str) -> LabSession:
        if name not in self._sessions:
            raise GameError(LAB_NOT_FOUND, ErrorCode.NOT_FOUND)
        return self._sessions[name]

    async def handle_request(self, name: str, message: Mapping[str, Any]) -> dict[str, Any]:
        """Handle a request for a folder; raises GameError, KBError."""
        lab = self._find(name)
        lab.last_used = time.monotonic()
        request = dict(message)
        if schemas.get_text(request, "do") in _JOB_ACTIONS:
            return self._handle_job(lab, request)
        handler = _HANDLERS.get(schemas.get_text(request, "do"))
        if handler is None:
            raise GameError(f"do: one of {', '.join((*_HANDLERS, *_JOB_ACTIONS))}", ErrorCode.INVALID_REQUEST)
        async with lab.lock:
            return await self._run(
                lambda: _with_rules_error(lab.draft, lambda: _run_handler(handler, lab.draft, request))
            )

    async def valid_engine(self, name: str, profile: str | None) -> ValidEngine:
        """Return the engine of the last rules of a draft without errors; raises GameError, KBError."""
        lab = self._find(name)

        def find() -> ValidEngine:
            engine = lab.draft.last_valid_engine_for(profile)
            return ValidEngine(
                engine, "" if lab.draft.compile_error is None else str(lab.draft.compile_error).splitlines()[0]
            )

        async with lab.lock:
            valid_engine: ValidEngine = await self._run(find)
            return valid_engine

    def _handle_job(self, lab: LabSession, request: dict[str, Any]) -> dict[str, Any]:
        """Start a long job in place of the previous one, stop it, or return its progress."""
        if request["do"] == "begin":
            kind, work = lab_jobs.parse_job(lab.draft, request)
            lab.cancel_job()
            lab.job = job = LabJob(kind)
            self._job_pool.submit(job.run, work)
        elif request["do"] == "stop":
            lab.cancel_job()
        return {"job": None if lab.job is None else lab.job.to_json()}

    def game(self, name: str) -> Game:
        """Return the game of a draft; raises GameError."""
        return Game(Folder(self._find(name).draft.folder))

    async def save(self, name: str, folder: str) -> dict[str, Any]:
        """Save a draft in the folder for saved drafts; raises GameError."""
        home, lab = self._save_folder, self._sessions.get(name)
        if home is None or lab is None:
            raise GameError(
                "saving is disabled: start the server with abl-cards web --save-dir DIR, or download a zip",
                ErrorCode.NOT_ALLOWED,
            )
        saved = await self._run(lambda: export_folder(lab.draft, home, folder))
        return {"saved": saved.name}

    async def to_zip(self, name: str, folder: str) -> bytes:
        """Return a draft as a zip archive; raises GameError."""
        lab = self._find(name)
        archive: bytes = await self._run(lambda: export_zip(lab.draft, folder))
        return archive


# --- requests ---------------------------------------------------------------------------------------------------------


def _with_rules_error(draft: RuleDraft, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return an answer, marked if the current files have errors and the last valid version was used."""
    draft.compile_error = None
    answer = call()
    return answer | ({"refused": str(draft.compile_error).splitlines()[0]} if draft.compile_error is not None else {})


def _run_handler(handler: _Handler, draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Run a handler; all rule files that it loads share one budget, and editor requests have a short time limit."""
    with editor_time_limit() if handler in _EDITOR_HANDLERS else shared_budget():
        return handler(draft, request)


def _files_json(draft: RuleDraft) -> list[dict[str, Any]]:
    return [file.to_json() for file in draft.files]


def _diagnostic_json(draft: RuleDraft, problem: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as JSON; files of the draft by relative path, others by name."""
    location = display_location(problem, draft.folder)
    path = Path(location.file)
    is_own = path.is_relative_to(draft.folder)
    return {
        "file": path.relative_to(draft.folder).as_posix() if is_own else path.name, "own": is_own,
        "line": location.line, "column": location.column, "end_line": location.end_line,
        "end_column": location.end_column, "error": is_error(problem), "text": problem.message,
        "remedy": problem.remedy,
    }  # fmt: skip


def _comparison_json(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the errors of the folder, or, without errors, the changes in the given positions."""
    states, started_at = lab_jobs.get_states(request), time.perf_counter()
    after = draft.last_valid_engine
    if draft.compile_error is None:
        problems, pinned = list(after.rules.kb.warnings), compare_positions(draft.original_engine, after, states)
    else:
        problems, pinned = list(draft.compile_error.diagnostics), []
    return {
        "files": _files_json(draft), "problems": [_diagnostic_json(draft, item) for item in problems[:200]],
        "pinned": [item.to_json() | {"drawn": position_json(after, item.state)} for item in pinned],
        "deck": deck_json(after.rules), "seconds": round(time.perf_counter() - started_at, 3),
    }  # fmt: skip


def _own_files(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the own files of a draft, for a link that contains them."""
    return {
        "game": draft.original_game.name,
        "files": {file.name: draft.read(file.name) for file in draft.files if file.is_own},
    }


def _read(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    return {"text": draft.read(schemas.get_text(request, "name"))}


def _write(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    draft.write(schemas.get_text(request, "name"), schemas.get_text(request, "text", max_length=MAX_BODY_BYTES))
    return _comparison_json(draft, request)


def _revert(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    draft.revert(schemas.get_text(request, "name"))
    return _comparison_json(draft, request)


def _check(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    return {"problems": [_diagnostic_json(draft, problem) for problem in draft.check()[:200]]}


def _explain_play(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Explain why a play is legal or not, by the original or the edited rules."""
    state, engine = (
        request.get("state"),
        draft.original_engine if schemas.get_bool(request, "before") else draft.last_valid_engine,
    )
    if not isinstance(state, dict):
        raise GameError("state: expected a position", ErrorCode.INVALID_REQUEST)
    play = schemas.get_text(request, "play")
    decision_point = include_play(engine.rules, engine.read_decision_point(state), play)
    return {"readings": [reading.to_json() for reading in derive_readings(engine.rules, decision_point, play)]}


def _find_difference(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    smallest = find_smallest_difference(
        draft.original_engine, draft.last_valid_engine, seed=schemas.get_int(request, "seed", 0, 10**6, 0)
    )
    return {"state": smallest}


def _coverage(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the rules that never fired in some games, with their lines."""
    from abl_cards.rulelab.testing import measure_coverage

    coverage = measure_coverage(
        draft.last_valid_engine, schemas.get_int(request, "games", 1, MAX_GAMES, 200), 0, lambda done: None
    )
    unfired = []
    for rule in coverage.unfired_rules:
        path = Path(rule.rule.location.file)
        if path.is_relative_to(draft.folder):
            name = path.relative_to(draft.folder).as_posix()
            unfired.append({"file": name, "line": rule.rule.location.line, "rule": rule.rule.text})
    return {"games": coverage.num_games, "rules": coverage.num_rules, "silent": unfired}


def _balance(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Measure self-play of an agent, before and after the edit."""
    from abl_cards.rulelab.testing import measure_balance

    games, player = schemas.get_int(request, "games", 1, MAX_GAMES, 1000), schemas.get_text(request, "player", "kb")
    if player not in ("kb", "greedy", "random"):
        raise GameError("player: kb, greedy or random", ErrorCode.INVALID_REQUEST)
    sides = (draft.original_engine, draft.last_valid_engine)
    return {"balance": [measure_balance(engine, games, 0, lambda done: None, player).to_json() for engine in sides]}


def _replay(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Replay records under the edited rules; returns how many agree, and the first lines that do not."""
    from abl_cards.core import parse_json_line
    from abl_cards.matches import normalise_records

    lines = [line for line in schemas.get_text(request, "text", max_length=MAX_BODY_BYTES).splitlines() if line.strip()]
    if not 0 < len(lines) <= MAX_RECORDS:
        raise GameError(f"text: expected 1 to {MAX_RECORDS} records, one a line", ErrorCode.INVALID_REQUEST)
    records: list[dict[str, Any]] = []
    for line in lines:
        record = parse_json_line(line.encode())
        if not isinstance(record, dict):
            raise GameError(f"line {len(records) + 1} is not a record", ErrorCode.INVALID_RECORD)
        records.append({name: value for name, value in record.items() if name != "game"})  # the draft has another name
    result = draft.last_valid_engine.replay(normalise_records(draft.last_valid_engine, records))
    mismatches = [{"line": mismatch.line, "text": mismatch.text} for mismatch in result.mismatches[:50]]
    return {
        "episodes": result.episodes,
        "plays": result.plays,
        "different": len(result.mismatches),
        "first": mismatches,
    }


def _rules_text(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    language = schemas.get_language(request)
    return {"sections": [section.to_json() for section in describe_rules(draft.last_valid_engine, language)]}


def get_files(request: dict[str, Any]) -> dict[str, str]:
    """Return the rule files of a request by name; raises GameError."""
    files = request.get("files", {})
    if not isinstance(files, dict) or len(files) > MAX_DRAFT_FILES:
        raise GameError(f"files: expected at most {MAX_DRAFT_FILES} texts by name", ErrorCode.INVALID_REQUEST)
    return {name: schemas.get_text(files, name, max_length=MAX_BODY_BYTES) for name in files}


_HANDLERS: Mapping[str, _Handler] = {
    "look": _comparison_json, "read": _read, "own": _own_files, "write": _write, "revert": _revert, "check": _check,
    "why": _explain_play,
    "replay": _replay, "smallest": _find_difference, "coverage": _coverage, "balance": _balance, "words": _rules_text,
    "typed": lab_editor.check_syntax, "complete": lab_editor.complete, "hover": lab_editor.hover,
    "define": lab_editor.find_definitions, "rename": lab_editor.rename, "weights": lab_jobs.weights_json,
    "weigh": lab_jobs.compare_weights,
    "reweigh": lab_jobs.save_weights,
}  # fmt: skip
_EDITOR_HANDLERS = (
    lab_editor.check_syntax,
    lab_editor.complete,
    lab_editor.hover,
    lab_editor.find_definitions,
    lab_editor.rename,
)
_JOB_ACTIONS = ("begin", "job", "stop")
