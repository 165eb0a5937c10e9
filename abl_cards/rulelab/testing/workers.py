"""Processes that do one thing after the other, started again where one crashes or hangs.

A worker reads a line of JSON and answers with one: `python -m MODULE FOLDER`, where the folder is its own. What rules
may do to a process they do to a worker.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from abl_cards.core import require_posix


class WorkerProcessError(Exception):
    """The process crashed, or was not over in time."""


class SubprocessWorker:
    """Asks a process, with a folder of its own that goes with it."""

    def __init__(self, module: str, timeout: float, max_requests: int) -> None:
        """Nothing runs until the first question; a process answers so many, each in so many seconds."""
        self._module, self._timeout, self._max_requests = module, timeout, max_requests
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._num_requests = 0

    def request(self, payload: Any) -> Any:
        """The answer, as JSON; raises Lost."""
        if self._process is None or self._num_requests == self._max_requests:
            self.close()
            self._start_process()
        self._num_requests += 1
        assert self._process
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(payload).encode() + b"\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            answered = selector.select(self._timeout)
        line = self._process.stdout.readline() if answered else b""
        if line:
            return json.loads(line)
        raise WorkerProcessError(
            self._describe_exit("crashed" if answered else f"not over after {self._timeout:g} seconds")
        )

    def _describe_exit(self, what: str) -> str:
        assert self._process
        if what != "crashed":
            self._process.kill()
        self._process.communicate()
        status = self._process.returncode
        self._process = None
        return f"{what} ({signal.Signals(-status).name if status < 0 else f'exit code {status}'})"

    def _start_process(self) -> None:
        require_posix("abl-cards kb test")
        self._folder = tempfile.TemporaryDirectory(prefix="abl-cards-")
        cache = Path(self._folder.name) / "cache"
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module, self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "ABL_CARDS_CACHE": str(cache), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._num_requests = 0

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.communicate()
            self._process = None
        if self._folder:
            self._folder.cleanup()
            self._folder = None
