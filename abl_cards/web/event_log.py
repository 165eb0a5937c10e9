"""Open tables on the disk: a heading, then a line for whatever happens, written as it happens.

So a page that is started anew has the tables that were open; of a process that is killed the move in flight is lost.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from abl_cards.core import ErrorCode, GameError, atomic_write

MAX_BYTES = 8 << 20
RETENTION = 30 * 86400.0
"""Seconds after which a table that nobody has come back to is forgotten."""
_SUFFIX = ".jsonl"
_MAX_HEADER_BYTES = 1 << 16
log = logging.getLogger(__name__)


class EventLog:
    """The file of one table."""

    def __init__(self, file: Path) -> None:
        """A file that may not be there yet."""
        self.file = file

    def start(self, header: Mapping[str, Any]) -> None:
        """Write the heading; what was there before is gone."""
        self._log_os_errors(lambda: self._write([header]))

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line; a line that cannot be written is logged and dropped."""

        def append() -> None:
            with self.file.open("ab") as stream:
                stream.write(_to_line(line))

        self._log_os_errors(append)

    def read(self) -> list[dict[str, Any]]:
        """The heading and the lines, without one that was only begun; raises GameError for what is none of ours."""
        try:
            if self.file.stat().st_size > MAX_BYTES:
                raise GameError(f"{self.file.name}: larger than {MAX_BYTES >> 20} MiB", ErrorCode.TOO_LARGE)
            body = self.file.read_bytes()
        except OSError as problem:
            raise GameError(f"{self.file.name}: {problem.strerror}", ErrorCode.FILE_NOT_READABLE) from None
        found = []
        for number, line in enumerate(body.split(b"\n")[:-1], 1):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise GameError(f"{self.file.name}, line {number}: damaged", ErrorCode.FILE_NOT_READABLE)
            found.append(value)
        if not found:
            raise GameError(f"{self.file.name}: nothing is in it", ErrorCode.FILE_NOT_READABLE)
        if not body.endswith(b"\n"):  # a process was killed while it wrote
            self._log_os_errors(lambda: self._write(found))
        return found

    @cached_property
    def summary(self) -> dict[str, Any] | None:
        """Return the summary of the table for a list of tables; None if the file is damaged."""
        try:
            with self.file.open("rb") as stream:
                told = json.loads(stream.readline(_MAX_HEADER_BYTES))
            players = [str(chair["name"]) for chair in told["chairs"]]
            title = [str(each) for each in told["title"]]
            return {"table": str(told["name"]), "title": title, "players": players, "episode": 0,
                    "watch": str(told["watch"]), "looking": 0}  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def delete(self) -> None:
        """Remove the file."""
        self._log_os_errors(lambda: self.file.unlink(missing_ok=True))

    def _write(self, lines: list[Any]) -> None:
        with atomic_write(self.file, durable=False) as stream:
            restrict_permissions(stream)
            stream.writelines(map(_to_line, lines))

    def _log_os_errors(self, write: Any) -> None:
        try:
            write()
        except OSError as problem:
            log.warning("%s: %s; this table ends with the page", self.file, problem.strerror or problem)


def restrict_permissions(stream: IO[bytes]) -> None:
    """Let nobody else on this machine read a file that holds the seed and the tokens of a table."""
    with suppress(OSError):
        os.chmod(stream.name, 0o600)


def _to_line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class EventLogStore:
    """The ledgers of a folder, by table; or none, where nothing is kept."""

    def __init__(self, folder: Path | None, capacity: int) -> None:
        """Open the latest event logs of a folder, at most ``capacity``, and none that are too old."""
        self._folder, self._capacity = folder, capacity
        self.suspended: dict[str, EventLog] = {}  # that nobody has come back to yet, the oldest first
        if folder is None:
            return
        files = [(file.stat().st_mtime, file) for file in folder.glob(f"*{_SUFFIX}") if file.is_file()]
        for when, file in sorted(files):
            if time.time() - when > RETENTION:
                EventLog(file).delete()
            else:
                self.add(file.name.removesuffix(_SUFFIX), EventLog(file))

    def add(self, table: str, event_log: EventLog) -> None:
        """Let a table wait until somebody comes back to it; of too many the oldest is forgotten."""
        self.suspended[table] = event_log
        while len(self.suspended) > self._capacity:
            self.suspended.pop(next(iter(self.suspended))).delete()

    def summaries(self) -> list[dict[str, Any]]:
        """The tables that nobody has come back to yet, as far as their headings say."""
        return [each for each in (ledger.summary for ledger in reversed(self.suspended.values())) if each is not None]

    def create_log(self, table: str) -> EventLog | None:
        """The ledger of a new table."""
        return None if self._folder is None else EventLog(self._folder / f"{table}{_SUFFIX}")
