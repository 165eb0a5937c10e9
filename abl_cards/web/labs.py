"""Rule laboratory: drafts edited in the browser, each in a temporary folder that is deleted with the server."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Game
from abl_cards.games.description import Folder
from abl_cards.rulelab.editor import RuleDraft, export_folder, export_zip, own_texts
from abl_cards.web import lab_diff, lab_jobs, lab_requests, schemas
from abl_cards.web.error_json import error_line
from abl_cards.web.executor import ValidEngine
from abl_cards.web.fairness import LOCAL_CLIENT, choose_eviction
from abl_cards.web.lab_folder import LabFolder, remove_stale_folders
from abl_cards.web.lab_jobs import LabJob
from abl_cards.web.lab_positions import first_positions

MAX_LABS = 12
_JOB_ACTIONS = ("begin", "job", "stop")
LAB_NOT_FOUND = "unknown folder: it was closed, or the server was restarted"


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
        self._temp_folder: LabFolder | None = None
        self._short_pool, self._job_pool = ThreadPoolExecutor(1, "lab"), ThreadPoolExecutor(1, "lab-job")
        self._short_pool.submit(remove_stale_folders)

    def close(self) -> None:
        """Cancel all jobs and delete all drafts."""
        for lab in self._sessions.values():
            lab.cancel_job()
        for pool in (self._short_pool, self._job_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        if self._temp_folder is not None:
            self._temp_folder.close()

    async def _run(self, call: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._short_pool, call)

    async def open_lab(
        self, game: Game, profile: str | None, files: Mapping[str, str] | None = None, client_id: str = LOCAL_CLIENT
    ) -> dict[str, Any]:  # fmt: skip
        """Create a draft of a game with the given files; raises GameError, KBError."""
        self._temp_folder = self._temp_folder or LabFolder()
        name = secrets.token_urlsafe(9)
        folder = self._temp_folder.path / name.strip("-_").lower() / "edited"

        def begin() -> tuple[RuleDraft, list[Any]]:
            try:
                draft = RuleDraft.create(game, folder, profile)
                for file, text in (files or {}).items():
                    draft.write(file, text)
                draft.opened_files = own_texts(draft)
                return draft, first_positions(draft.original_engine)
            except BaseException:
                _delete_draft(folder)
                raise

        draft, states = await self._run(begin)
        evicted = choose_eviction(client_id, self._sessions.values(), MAX_LABS)
        if evicted is not None:
            self._sessions.pop(evicted.name).cancel_job()
            self._short_pool.submit(_delete_draft, evicted.draft.folder)  # after the requests that wait for it
        self._sessions[name] = LabSession(name, draft, client_id)
        return {
            "lab": name, "game": game.name, "profile": profile or "", "files": lab_requests.files_json(draft),
            "states": states, "saves": self._save_folder is not None, "parent": lab_diff.parent_name(draft),
        }  # fmt: skip

    def _find(self, name: str) -> LabSession:
        if name not in self._sessions:
            raise GameError(LAB_NOT_FOUND, ErrorCode.EXPIRED)
        return self._sessions[name]

    async def handle_request(self, name: str, message: Mapping[str, Any]) -> dict[str, Any]:
        """Handle a request for a folder; raises GameError, KBError."""
        lab = self._find(name)
        lab.last_used = time.monotonic()
        request = dict(message)
        action, profile = schemas.get_text(request, "do"), schemas.get_text(request, "profile", "") or None
        draft = lab.draft if profile is None else lab.draft.for_profile(profile)
        if action in _JOB_ACTIONS:
            return self._handle_job(lab, draft, request)
        if action not in lab_requests.ACTIONS:
            raise GameError(
                f"do: one of {', '.join((*lab_requests.ACTIONS, *_JOB_ACTIONS))}", ErrorCode.INVALID_REQUEST
            )
        async with lab.lock:
            answer: dict[str, Any] = await self._run(lambda: lab_requests.handle(action, draft, request))
            return answer

    async def valid_engine(self, name: str, profile: str | None) -> ValidEngine:
        """Return the engine of the last rules of a draft without errors; raises GameError, KBError."""
        lab = self._find(name)

        def find() -> ValidEngine:
            engine = lab.draft.last_valid_engine_for(profile)
            return ValidEngine(engine, error_line(lab.draft.compile_error))

        async with lab.lock:
            valid_engine: ValidEngine = await self._run(find)
            return valid_engine

    def _handle_job(self, lab: LabSession, draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
        """Start a long job in place of the previous one, stop it, or return its progress."""
        if request["do"] == "begin":
            kind, work = lab_jobs.parse_job(draft, request)
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


def _delete_draft(folder: Path) -> None:
    """Delete the folder of a draft; its open tables have the compiled rules."""
    shutil.rmtree(folder.parent, ignore_errors=True)
