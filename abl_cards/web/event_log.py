"""Event logs of open tables on disk: a header, then one line for each event, written at once.

A restarted server restores the open tables. If the process is killed, at most the current move is lost.
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
"""Seconds after which the log of a suspended table is deleted."""
_SUFFIX = ".jsonl"
_MAX_HEADER_BYTES = 1 << 16
log = logging.getLogger(__name__)


class EventLog:
    """Event log of one table."""

    def __init__(self, file: Path) -> None:
        """Make the log of a file, which need not exist."""
        self.file = file

    def start(self, header: Mapping[str, Any]) -> None:
        """Write the header; replaces an existing file."""
        self._log_os_errors(lambda: self._write([header]))

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line; a line that cannot be written is logged and dropped."""

        def append() -> None:
            with self.file.open("ab") as stream:
                stream.write(_to_line(line))

        self._log_os_errors(append)

    def read(self) -> list[dict[str, Any]]:
        """Read the header and the events, without an incomplete last line; raises GameError for invalid files."""
        try:
            if self.file.stat().st_size > MAX_BYTES:
                raise GameError(f"{self.file.name}: larger than {MAX_BYTES >> 20} MiB", ErrorCode.TOO_LARGE)
            body = self.file.read_bytes()
        except OSError as error:
            raise GameError(f"{self.file.name}: {error.strerror}", ErrorCode.FILE_NOT_READABLE) from None
        values = []
        for line_number, line in enumerate(body.split(b"\n")[:-1], 1):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise GameError(f"{self.file.name}, line {line_number}: damaged", ErrorCode.FILE_NOT_READABLE)
            values.append(value)
        if not values:
            raise GameError(f"{self.file.name}: empty", ErrorCode.FILE_NOT_READABLE)
        if not body.endswith(b"\n"):  # the process was killed while writing
            self._log_os_errors(lambda: self._write(values))
        return values

    @cached_property
    def summary(self) -> dict[str, Any] | None:
        """Return the summary of the table for a list of tables; None if the file is damaged."""
        try:
            with self.file.open("rb") as stream:
                header = json.loads(stream.readline(_MAX_HEADER_BYTES))
            players = [{"name": str(seat["name"]), "kind": str(seat["kind"]), "taken": bool(seat.get("taken"))}
                       for seat in header["chairs"]]  # fmt: skip
            title = [str(text) for text in header["title"]]
            return {"table": str(header["name"]), "title": title, "game": str(header["game"]),
                    "profile": str(header["profile"]), "players": players, "state": "asleep", "turn": None,
                    "since": self.file.stat().st_mtime, "episode": 0, "watch": str(header["watch"]),
                    "looking": 0}  # fmt: skip
        except (AttributeError, OSError, ValueError, KeyError, TypeError, RecursionError):
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
        except OSError as error:
            log.warning("%s: %s; this table is not stored", self.file, error.strerror or error)


def restrict_permissions(stream: IO[bytes]) -> None:
    """Make a file with the seed and tokens of a table readable by its owner only."""
    with suppress(OSError):
        os.chmod(stream.name, 0o600)


def _to_line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class EventLogStore:
    """Event logs of a folder by table; stores nothing without a folder."""

    def __init__(self, folder: Path | None, capacity: int) -> None:
        """Open the latest event logs of a folder, at most ``capacity``, and none that are too old."""
        self._folder, self._capacity = folder, capacity
        self.suspended: dict[str, EventLog] = {}  # logs of tables that are not open, oldest first
        if folder is None:
            return
        files = [(file.stat().st_mtime, file) for file in folder.glob(f"*{_SUFFIX}") if file.is_file()]
        for modified_at, file in sorted(files):
            if time.time() - modified_at > RETENTION:
                EventLog(file).delete()
            else:
                self.add(file.name.removesuffix(_SUFFIX), EventLog(file))

    def add(self, table: str, event_log: EventLog) -> None:
        """Add a suspended table; the oldest ones beyond the capacity are deleted."""
        self.suspended[table] = event_log
        while len(self.suspended) > self._capacity:
            self.suspended.pop(next(iter(self.suspended))).delete()

    def summaries(self) -> list[dict[str, Any]]:
        """Return summaries of the suspended tables with readable headers, newest first."""
        return [
            summary
            for summary in (event_log.summary for event_log in reversed(self.suspended.values()))
            if summary is not None
        ]

    def create_log(self, table: str) -> EventLog | None:
        """Make the event log of a new table; None if nothing is stored."""
        return None if self._folder is None else EventLog(self._folder / f"{table}{_SUFFIX}")
