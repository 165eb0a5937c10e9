"""The rules lab: folders that are being edited in the browser, each in a folder of its own that goes with the page."""

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
from abl_cards.web.fairness import LOCAL_CLIENT, Allocation, choose_eviction
from abl_cards.web.lab_jobs import LabJob
from abl_cards.web.limits import IDLE_TIMEOUT, MAX_BODY_BYTES

MAX_LABS = 12
LAB_NOT_FOUND = "there is no such folder: it was closed, or the page was started anew"
MAX_GAMES = 2000
MAX_RECORDS = 2000
NUM_PINNED = 4
LANGUAGES = ("en", "zh")
_Handler = Callable[[RuleDraft, dict[str, Any]], dict[str, Any]]


@dataclass
class LabSession:
    """A folder that somebody edits; one thing is done there at a time."""

    draft: RuleDraft
    client_id: str = LOCAL_CLIENT  # who has opened it
    last_used: float = field(default_factory=time.monotonic)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    job: LabJob | None = None  # what takes longer

    def cancel_job(self) -> None:
        """Nobody wants what takes longer any more."""
        if self.job is not None:
            self.job.cancel()


class LabManager:
    """All of them, by names that nobody guesses."""

    def __init__(self, save_folder: Path | None = None) -> None:
        """Folders may be saved beneath a home, if there is one."""
        self._save_folder, self._sessions = save_folder, dict[str, LabSession]()
        self._temp_folder: tempfile.TemporaryDirectory[str] | None = None
        self._short_pool, self._job_pool = ThreadPoolExecutor(1, "lab"), ThreadPoolExecutor(1, "lab-job")

    def close(self) -> None:
        """Forget all."""
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
        """A new folder, made from a game, with files that somebody brings along; raises GameError, KBError."""
        holdings = [Allocation(name, lab.client_id, False, lab.last_used) for name, lab in self._sessions.items()]
        other = choose_eviction(client_id, holdings, MAX_LABS, MAX_LABS, time.monotonic(), IDLE_TIMEOUT)
        if other is not None:
            self._sessions.pop(other).cancel_job()
        self._temp_folder = self._temp_folder or tempfile.TemporaryDirectory(prefix="abl-cards-lab-")
        name = secrets.token_urlsafe(9)
        folder = Path(self._temp_folder.name) / name.strip("-_").lower() / "edited"

        def begin() -> tuple[RuleDraft, list[Any]]:
            bench = RuleDraft.create(game, folder, profile)
            for file, text in (files or {}).items():
                bench.write(file, text)
            return bench, list(islice(sample_states(bench.original_engine, NUM_PINNED, 1), NUM_PINNED))

        bench, states = await self._run(begin)
        self._sessions[name] = LabSession(bench, client_id)
        saves = self._save_folder is not None
        return {"lab": name, "game": game.name, "files": _files_json(bench), "states": states, "saves": saves}

    async def handle_request(self, name: str, message: Mapping[str, Any]) -> dict[str, Any]:
        """Handle a request for a folder; raises GameError, KBError."""
        lab = self._sessions.get(name)
        if lab is None:
            raise GameError(LAB_NOT_FOUND, ErrorCode.NOT_FOUND)
        lab.last_used = time.monotonic()
        asked = dict(message)
        if schemas.get_text(asked, "do") in _JOB_ACTIONS:
            return self._handle_job(lab, asked)
        do = _HANDLERS.get(schemas.get_text(asked, "do"))
        if do is None:
            raise GameError(f"do: one of {', '.join((*_HANDLERS, *_JOB_ACTIONS))}", ErrorCode.INVALID_REQUEST)
        async with lab.lock:
            return await self._run(lambda: _with_rules_error(lab.draft, lambda: _run_handler(do, lab.draft, asked)))

    async def valid_engine(self, name: str, profile: str | None) -> ValidEngine:
        """The last sound version of a folder, to be played; raises GameError, KBError."""
        lab = self._sessions.get(name)
        if lab is None:
            raise GameError(LAB_NOT_FOUND, ErrorCode.NOT_FOUND)

        def find() -> ValidEngine:
            engine = lab.draft.last_valid_engine_for(profile)
            return ValidEngine(
                engine, "" if lab.draft.compile_error is None else str(lab.draft.compile_error).splitlines()[0]
            )

        async with lab.lock:
            found: ValidEngine = await self._run(find)
            return found

    def _handle_job(self, lab: LabSession, request: dict[str, Any]) -> dict[str, Any]:
        """Begin what takes longer, in place of what was begun before; stop it; or tell how far it has come."""
        if request["do"] == "begin":
            what, work = lab_jobs.parse_job(lab.draft, request)
            lab.cancel_job()
            lab.job = job = LabJob(what)
            self._job_pool.submit(job.run, work)
        elif request["do"] == "stop":
            lab.cancel_job()
        return {"job": None if lab.job is None else lab.job.to_json()}

    def game(self, name: str) -> Game:
        """A folder as it is now, to be played; raises GameError."""
        if name not in self._sessions:
            raise GameError(LAB_NOT_FOUND, ErrorCode.NOT_FOUND)
        return Game(Folder(self._sessions[name].draft.folder))

    async def save(self, name: str, folder: str) -> dict[str, Any]:
        """Save a folder beneath the home; raises GameError."""
        home, lab = self._save_folder, self._sessions.get(name)
        if home is None or lab is None:
            raise GameError(
                "saving is disabled: start the server with abl-cards web --save-dir DIR, or download a zip",
                ErrorCode.NOT_ALLOWED,
            )
        made = await self._run(lambda: export_folder(lab.draft, home, folder))
        return {"saved": made.name}

    async def to_zip(self, name: str, folder: str) -> bytes:
        """A folder as a zip; raises GameError."""
        lab = self._sessions.get(name)
        if lab is None:
            raise GameError("there is no such folder", ErrorCode.NOT_FOUND)
        found: bytes = await self._run(lambda: export_zip(lab.draft, folder))
        return found


# --- what may be asked ------------------------------------------------------------------------------------------------


def _with_rules_error(draft: RuleDraft, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return an answer, marked if the current files have errors and the last valid version was used."""
    draft.compile_error = None
    found = call()
    return found | ({"refused": str(draft.compile_error).splitlines()[0]} if draft.compile_error is not None else {})


def _run_handler(do: _Handler, draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Run a handler; all rule files that it loads share one budget, and editor requests have a short time limit."""
    with editor_time_limit() if do in _EDITOR_HANDLERS else shared_budget():
        return do(draft, request)


def _files_json(draft: RuleDraft) -> list[dict[str, Any]]:
    return [file.to_json() for file in draft.files]


def _diagnostic_json(draft: RuleDraft, problem: Diagnostic) -> dict[str, Any]:
    """A diagnostic; a file of the folder goes by its name there, one of others by its own."""
    where = display_location(problem, draft.folder)
    path = Path(where.file)
    own = path.is_relative_to(draft.folder)
    return {
        "file": path.relative_to(draft.folder).as_posix() if own else path.name, "own": own,
        "line": where.line, "column": where.column, "end_line": where.end_line, "end_column": where.end_column,
        "error": is_error(problem), "text": problem.message, "remedy": problem.remedy,
    }  # fmt: skip


def _comparison_json(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the errors of the folder, or, without errors, the changes in the given positions."""
    states, begun = request.get("states", []), time.perf_counter()
    if not isinstance(states, list) or not all(isinstance(each, dict) for each in states):
        raise GameError("states: expected a list of positions", ErrorCode.INVALID_REQUEST)
    after = draft.last_valid_engine
    if draft.compile_error is None:
        problems, pinned = list(after.rules.kb.warnings), compare_positions(draft.original_engine, after, states)
    else:
        problems, pinned = list(draft.compile_error.diagnostics), []
    return {
        "files": _files_json(draft), "problems": [_diagnostic_json(draft, each) for each in problems[:200]],
        "pinned": [each.to_json() for each in pinned], "seconds": round(time.perf_counter() - begun, 3),
    }  # fmt: skip


def _own_files(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """The files that were written here, to be taken along in a link."""
    return {
        "game": draft.original_game.name,
        "files": {each.name: draft.read(each.name) for each in draft.files if each.is_own},
    }


def _read(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    return {"text": draft.read(schemas.get_text(request, "name"))}


def _write(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    draft.write(schemas.get_text(request, "name"), get_long_text(request, "text"))
    return _comparison_json(draft, request)


def _revert(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    draft.revert(schemas.get_text(request, "name"))
    return _comparison_json(draft, request)


def _check(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    return {"problems": [_diagnostic_json(draft, each) for each in draft.check()[:200]]}


def _explain_play(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Why a play is legal, or is not, by the rules before or after."""
    state, engine = (
        request.get("state"),
        draft.original_engine if schemas.get_bool(request, "before") else draft.last_valid_engine,
    )
    if not isinstance(state, dict):
        raise GameError("state: expected a position", ErrorCode.INVALID_REQUEST)
    moment = engine.read_decision_point(state)
    return {"readings": [each.to_json() for each in engine.derive_readings(moment, schemas.get_text(request, "play"))]}


def _find_difference(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    found = find_smallest_difference(
        draft.original_engine, draft.last_valid_engine, seed=schemas.get_int(request, "seed", 0, 10**6, 0)
    )
    return {"state": found}


def _coverage(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Rules that never fire in some games, with their lines."""
    from abl_cards.rulelab.testing import measure_coverage

    found = measure_coverage(
        draft.last_valid_engine, schemas.get_int(request, "games", 1, MAX_GAMES, 200), 0, lambda done: None
    )
    silent = []
    for each in found.unfired_rules:
        path = Path(each.rule.location.file)
        if path.is_relative_to(draft.folder):
            name = path.relative_to(draft.folder).as_posix()
            silent.append({"file": name, "line": each.rule.location.line, "rule": each.rule.text})
    return {"games": found.num_games, "rules": found.num_rules, "silent": silent}


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

    lines = [line for line in get_long_text(request, "text").splitlines() if line.strip()]
    if not 0 < len(lines) <= MAX_RECORDS:
        raise GameError(f"text: expected 1 to {MAX_RECORDS} records, one a line", ErrorCode.INVALID_REQUEST)
    records: list[dict[str, Any]] = []
    for line in lines:
        record = parse_json_line(line.encode())
        if not isinstance(record, dict):
            raise GameError(f"line {len(records) + 1} is not a record", ErrorCode.INVALID_RECORD)
        records.append({name: value for name, value in record.items() if name != "game"})  # the folder's name is new
    found = draft.last_valid_engine.replay(normalise_records(draft.last_valid_engine, records))
    told = [{"line": each.line, "text": each.text} for each in found.mismatches[:50]]
    return {"episodes": found.episodes, "plays": found.plays, "different": len(found.mismatches), "first": told}


def _rules_text(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    language = schemas.get_text(request, "language", "en")
    if language not in LANGUAGES:
        raise GameError("language: en or zh", ErrorCode.INVALID_REQUEST)
    return {"sections": [each.to_json() for each in describe_rules(draft.last_valid_engine, language)]}


def get_files(request: dict[str, Any]) -> dict[str, str]:
    """Rule files that somebody brings along, by name; raises GameError."""
    files = request.get("files", {})
    if not isinstance(files, dict) or len(files) > MAX_DRAFT_FILES:
        raise GameError(f"files: texts by name are wanted, {MAX_DRAFT_FILES} at most", ErrorCode.INVALID_REQUEST)
    return {name: get_long_text(files, name) for name in files}


def get_long_text(request: dict[str, Any], field: str) -> str:
    """A file's text; raises GameError."""
    value = request.get(field)
    if not isinstance(value, str) or len(value) > MAX_BODY_BYTES or "\0" in value:
        raise GameError(f"{field}: expected a text", ErrorCode.INVALID_REQUEST)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise GameError(f"{field}: half a letter", ErrorCode.INVALID_REQUEST) from None
    return value


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
