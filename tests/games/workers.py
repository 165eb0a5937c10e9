"""A process that plays by edited rules, started again where it crashes or hangs."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from pathlib import Path

from tests.games.edited_play import PLAYED, REFUSED, STOPPED
from tests.games.rule_edits import RuleEdit

PATIENCE = 300.0
"""Seconds for an edit on the busiest of machines; it takes one or two."""
AT_ONCE = 50
"""Edits a process: engines are kept as long as it lives."""
FINE = {REFUSED, STOPPED, PLAYED}


class Worker:
    """Tries edits in a folder, one after the other."""

    def __init__(self, home: Path) -> None:
        """Nothing runs until the first edit."""
        self._home, self._tried = home, 0
        self._process: subprocess.Popen[bytes] | None = None

    def attempt(self, edit: RuleEdit) -> tuple[str, str]:
        """What comes of an edit, and what is said about it: one of the fine outcomes, or what went wrong."""
        if self._process is None or self._tried == AT_ONCE:
            self.close()
            self._start()
        self._tried += 1
        assert self._process
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(edit).encode() + b"\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            answered = selector.select(PATIENCE)
        line = self._process.stdout.readline() if answered else b""
        if line:
            came, said = json.loads(line)
            return came, said
        return self._lost("crashed" if answered else f"not over after {PATIENCE:g} seconds")

    def _lost(self, what: str) -> tuple[str, str]:
        assert self._process
        if what != "crashed":
            self._process.kill()
        self._process.communicate()
        status = self._process.returncode
        self._process = None
        return what, signal.Signals(-status).name if status < 0 else f"exit code {status}"

    def _start(self) -> None:
        folder = self._home / str(len(list(self._home.iterdir())))
        folder.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.games.edited_play", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "ABL_CARDS_CACHE": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._tried = 0

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.communicate()
            self._process = None
