"""Classes: one code, a table of the same deal for each pupil or group, and the place that all reviews follow.

Tables of a class are ordinary tables of the lobby. The class has their owner tokens, so no pupil owns a table.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError, atomic_write
from abl_cards.web import schemas
from abl_cards.web.event_log import RETENTION, restrict_permissions
from abl_cards.web.fairness import LOCAL_CLIENT, CapacityError, ClientRateLimiter, choose_eviction
from abl_cards.web.limits import (
    CLASS_GUESS_BURST,
    CLASS_GUESS_RATE,
    GLOBAL_RATE_FACTOR,
    MAX_CLASSES,
    MAX_CLASSES_PER_CLIENT,
    MAX_STORED_RESULTS,
)

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters of codes, without those that look alike."""
CODE_LENGTH = 6
FOLDER_NAME = "classes"
_VERSION, _MAX_BYTES = 1, 4 << 20
log = logging.getLogger(__name__)


@dataclass
class Pupil:
    """Pupil of a class, who plays one seat of one table.

    Attributes:
        name: Name of the pupil.
        table: Name of the table.
        seat_token: Token of the seat at the table.
        token: Token of the pupil in the class.
    """

    name: str
    table: str
    seat_token: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))


@dataclass
class ClassSession:
    """A class.

    Attributes:
        code: Code by which pupils join.
        game: Name of the game.
        profile: Profile of the rules; empty for the default one.
        title: Title of the game in both languages.
        seed: Seed of all tables, as text.
        num_people: Number of pupils at each table.
        agent: Agent of the other seats.
        is_practice: Whether plays can be taken back.
        teacher_token: Token of the teacher.
        pupils: Pupils in the order in which they came.
        owner_tokens: Token of the owner by table.
        past_results: Results of the deals of earlier matches.
        place: Address within the page that all reviews follow; empty for none.
        revision: Number of changes of ``place``.
    """

    code: str
    game: str
    profile: str
    title: list[str]
    seed: str
    num_people: int
    agent: str
    is_practice: bool
    teacher_token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    pupils: list[Pupil] = field(default_factory=list)
    owner_tokens: dict[str, str] = field(default_factory=dict)
    past_results: list[dict[str, Any]] = field(default_factory=list)
    place: str = ""
    revision: int = 0

    def __post_init__(self) -> None:
        """Set what is not stored."""
        self.lock, self.client_id, self.last_used = asyncio.Lock(), LOCAL_CLIENT, time.monotonic()
        self._changed = asyncio.Event()

    def is_teacher(self, token: str) -> bool:
        """Return whether a token is that of the teacher."""
        return secrets.compare_digest(token.encode(), self.teacher_token.encode())

    def find_pupil(self, token: str) -> Pupil | None:
        """Return the pupil of a token; None for another token."""
        matches = [pupil for pupil in self.pupils if secrets.compare_digest(token.encode(), pupil.token.encode())]
        return matches[0] if matches else None

    def pupils_at(self, table: str) -> list[Pupil]:
        """Return the pupils at a table."""
        return [pupil for pupil in self.pupils if pupil.table == table]

    def lead_to(self, place: str) -> None:
        """Set the place that all reviews follow."""
        self.place, self.revision = place, self.revision + 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_for_change(self, revision: int, timeout: float) -> None:
        """Wait until the place differs from that of a revision, at most ``timeout`` seconds."""
        if self.revision == revision:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), timeout)

    def add_results(self, results: list[dict[str, Any]]) -> None:
        """Add results of a match that another one follows."""
        self.past_results = [*self.past_results, *results][-MAX_STORED_RESULTS:]

    def to_json(self) -> dict[str, Any]:
        """Return what is stored."""
        return {"version": _VERSION, **asdict(self)}


def read_class(value: Any) -> ClassSession:
    """Read a stored class; raises GameError, KeyError or TypeError for damaged data."""
    if not isinstance(value, dict) or value.pop("version", None) != _VERSION:
        raise GameError("not a class of this version", ErrorCode.FILE_NOT_READABLE)
    for name in ("code", "game", "profile", "agent", "seed", "teacher_token", "place"):
        schemas.get_text(value, name)
    if not isinstance(value["owner_tokens"], dict) or not isinstance(value["past_results"], list):
        raise GameError("the class is damaged", ErrorCode.FILE_NOT_READABLE)
    return ClassSession(**{**value, "pupils": [Pupil(**pupil) for pupil in value["pupils"]]})


class ClassStore:
    """Classes by code, each stored in a file when it changes."""

    def __init__(self, state_folder: Path | None) -> None:
        """Read the stored classes; those that have not changed for 30 days are deleted."""
        self._folder = state_folder / FOLDER_NAME if state_folder is not None else None
        self._sessions: dict[str, ClassSession] = {}
        self._guess_limiter = ClientRateLimiter(CLASS_GUESS_RATE, CLASS_GUESS_BURST, GLOBAL_RATE_FACTOR)
        if self._folder is not None:
            for file in sorted(self._folder.glob("*.json")):
                self._read(file)

    def _read(self, file: Path) -> None:
        try:
            stat = file.stat()
            if time.time() - stat.st_mtime > RETENTION or stat.st_size > _MAX_BYTES:
                file.unlink()
                return
            session = read_class(json.loads(file.read_text(encoding="utf-8")))
            self._sessions[session.code] = session
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("%s: %s; this class is not read", file.name, str(error)[:200])

    def create(self, fields: Mapping[str, Any], client_id: str) -> tuple[ClassSession, list[ClassSession]]:
        """Add a class, and remove older ones beyond the limits.

        Returns:
            The class, and the removed classes, whose tables are to be deleted.

        Raises:
            GameError: There are too many classes that are in use.
        """
        try:
            removed = choose_eviction(client_id, self._sessions.values(), MAX_CLASSES, MAX_CLASSES_PER_CLIENT)
        except CapacityError:
            raise GameError("there are too many classes: close one", ErrorCode.TOO_MANY_REQUESTS) from None
        if removed is not None:
            self.delete(removed)
        code = ""
        while not code or code in self._sessions:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        session = ClassSession(code, **fields)
        session.client_id = client_id
        self._sessions[code] = session
        self.save(session)
        return session, [removed] if removed is not None else []

    def find(self, code: str, client_id: str) -> ClassSession:
        """Return a class by its code, in any case; raises GameError for an unknown one, and for too many guesses."""
        session = self._sessions.get(code.strip().upper())
        if session is None:
            if client_id != LOCAL_CLIENT and not self._guess_limiter.try_acquire(client_id):
                raise GameError("too many wrong codes: wait a moment", ErrorCode.TOO_MANY_REQUESTS)
            raise GameError("there is no class of this code", ErrorCode.NOT_FOUND)
        session.last_used = time.monotonic()
        return session

    def save(self, session: ClassSession) -> None:
        """Write the file of a class."""
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with atomic_write(self._folder / f"{session.code}.json", durable=False) as stream:
                restrict_permissions(stream)
                stream.write(json.dumps(session.to_json(), ensure_ascii=False).encode())
        except OSError as error:
            log.warning("class: %s; it is not stored", error.strerror or error)

    def delete(self, session: ClassSession) -> None:
        """Remove a class and its file."""
        self._sessions.pop(session.code, None)
        if self._folder is not None:
            with suppress(OSError):
                (self._folder / f"{session.code}.json").unlink(missing_ok=True)
