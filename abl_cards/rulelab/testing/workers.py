"""Worker processes that are restarted after a crash or a timeout.

A worker, ``python -m MODULE FOLDER`` with a folder of its own, reads requests as lines of JSON and writes one line for
each. Rules that crash a process crash only a worker.
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
    """Error for a worker process that crashed, or exceeded its time limit."""


class SubprocessWorker:
    """Worker process with a temporary folder of its own."""

    def __init__(self, module: str, timeout: float, max_requests: int) -> None:
        """Make a worker; its process starts with the first request.

        Args:
            module: Module that is run as the process.
            timeout: Time limit of a request in seconds.
            max_requests: Requests per process; then it is replaced.
        """
        self._module, self._timeout, self._max_requests = module, timeout, max_requests
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._num_requests = 0

    def request(self, payload: Any) -> Any:
        """Send a request and return the JSON response; raises WorkerProcessError."""
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

    def _describe_exit(self, reason: str) -> str:
        assert self._process
        if reason != "crashed":
            self._process.kill()
        self._process.communicate()
        status = self._process.returncode
        self._process = None
        return f"{reason} ({signal.Signals(-status).name if status < 0 else f'exit code {status}'})"

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
