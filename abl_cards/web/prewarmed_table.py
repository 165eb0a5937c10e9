"""A table prepared for the next visitor: its first snapshot is sent with the page itself.

It is one of the stored tables, with the snapshot that the engine wrote when it was opened. So the first table of a
freshly started server can be seen while the engine is still loading; then the browser receives the current snapshot.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from abl_cards import __version__
from abl_cards.core import atomic_write
from abl_cards.web.config import WebConfig

FILE_NAME = "first.json"
OFFER_TIMEOUT = 15.0
"""Seconds until a table that was offered to a browser and not claimed is offered again."""
_MAX_BYTES = 1 << 20
log = logging.getLogger(__name__)


class PrewarmedTable:
    """Prepared table, or none."""

    def __init__(self, config: WebConfig, clock: Callable[[], float] = time.monotonic) -> None:
        """Read the stored table, if the rules have not changed since."""
        self._config, self._clock, self._offered_at = config, clock, float("-inf")
        self._file = config.state_folder / FILE_NAME if config.state_folder is not None else None
        self.data = self._read() if config.prewarm_table else None

    @property
    def table_name(self) -> str:
        """Name of the table; empty if there is none."""
        return str(self.data["table"]) if self.data else ""

    @property
    def game_name(self) -> str:
        """Name of the game of the table; empty if there is none."""
        return str(self.data["welcome"].get("game", "")) if self.data else ""

    def offer_json(self) -> str:
        """Return the table as JSON; empty if there is none, or if it was offered within OFFER_TIMEOUT."""
        now = self._clock()
        if self.data is None or now - self._offered_at < OFFER_TIMEOUT:
            return ""
        self._offered_at = now
        snapshot = self.data["seen"] | {"since": time.time()}
        return json.dumps({**self.data, "seen": snapshot}, ensure_ascii=False, separators=(",", ":"))

    def store(self, table: str, token: str, messages: tuple[dict[str, Any], dict[str, Any]], rules: Path) -> None:
        """Store a prepared table: its name, the owner's token, and its welcome and snapshot messages."""
        self.data = {"table": table, "token": token, "welcome": messages[0], "seen": messages[1]}
        self._offered_at = float("-inf")
        if self._file is not None:
            stored = {"for": _fingerprint(self._config, rules), "rules": str(rules), **self.data}
            try:
                with atomic_write(self._file) as stream:
                    os.chmod(stream.name, 0o600)  # contains the token of the table
                    stream.write(json.dumps(stored, ensure_ascii=False).encode())
            except OSError as error:  # only the start is slower
                log.warning("%s", error)

    def claim(self, table: str) -> bool:
        """Take the prepared table for a visitor; returns whether it was this one."""
        if not self.data or self.data["table"] != table:
            return False
        self.clear()
        return True

    def clear(self) -> None:
        """Remove the table."""
        self.data = None
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any] | None:
        if self._file is None:
            return None
        try:
            if self._file.stat().st_size > _MAX_BYTES:
                return None
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            if not isinstance(stored, dict) or stored.pop("for", None) != _fingerprint(
                self._config, Path(stored.pop("rules"))
            ):
                return None
            types = {"table": str, "token": str, "welcome": dict, "seen": dict}
            is_valid = set(stored) == set(types) and all(isinstance(stored[name], kind) for name, kind in types.items())
            return stored if is_valid else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # missing or damaged; another one is prepared


def _fingerprint(config: WebConfig, rules: Path) -> list[Any]:
    """Return the values on which the snapshot depends, as far as they are known without the engine."""
    files = []
    for folder, _, names in os.walk(rules):
        for name in names:
            stat = os.stat(os.path.join(folder, name))
            files.append([os.path.relpath(os.path.join(folder, name), rules), stat.st_size, stat.st_mtime_ns])
    return [__version__, config.game, list(config.extra_agents), sorted(files)]
