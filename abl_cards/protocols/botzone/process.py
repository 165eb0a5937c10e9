"""A program of somebody else, run as Botzone runs bots: a line of JSON in, a line out, within a time.

It is started for every decision, reads all the requests of its round and its own responses, and is done when its output
ends. One that is kept running is started once a round: it reads the same line first, then one request a line, and
answers each with a line; the line by which it would tell Botzone to keep it is no answer.
"""

from __future__ import annotations

import json
import os
import selectors
import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.protocols.botzone import faults
from abl_cards.protocols.botzone.faults import program_fault
from abl_cards.protocols.botzone.supervisor import BotStreams, BotSupervisor

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
MAX_OUTPUT_BYTES = 1 << 20
"""Bytes that a program may say at a decision."""
_CHUNK_SIZE = 1 << 16
_EVENTS = selectors.EVENT_WRITE, selectors.EVENT_READ, selectors.EVENT_READ
_GRACE = 0.2  # seconds for a program that has answered to end


class BotProcess:
    """A program that answers requests in one long-running process."""

    def __init__(self, command: Sequence[str], time_limit: float, keep_running: bool) -> None:
        """Nothing is started yet; a decision may take so many seconds."""
        self._command, self._time_limit, self._keep_running = list(command), time_limit, keep_running
        self._supervisor: BotSupervisor | None = None
        self._streams: BotStreams | None = None  # of the program that runs
        self._remainder = b""  # what a program that is kept running has said behind its answer

    @property
    def name(self) -> str:
        """The command as a shell reads it."""
        return shlex.join(self._command)

    def request(self, message: dict[str, Any]) -> Any:
        """Return the answer to a request; raises Fault, and GameError if the program cannot be started."""
        if self._streams is None or not self._keep_running or len(message["requests"]) == 1:
            self._stop()
            self._start()
            asked: Any = message
        else:
            asked = message["requests"][-1]
        try:
            line = self._exchange(json.dumps(asked, separators=(",", ":")).encode() + b"\n")
        except BaseException:
            self.close()
            raise
        if not self._keep_running:
            self._stop()
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            shown = line[:80].decode("utf-8", "replace")
            raise program_fault(
                faults.INVALID_JSON, f"program '{self.name}' answered {shown!r}, which is no JSON"
            ) from None

    def close(self) -> None:
        """Kill the program where it runs, and what it has started; end the process that supervises it."""
        self._stop()
        if self._supervisor is not None:
            self._supervisor.close()
        self._supervisor = None

    def _stop(self) -> None:
        if self._streams is None or self._supervisor is None:
            return
        streams, self._streams, self._remainder = self._streams, None, b""
        streams.close()
        try:
            self._supervisor.kill()
        except OSError:  # somebody has killed the supervisor: the next decision starts another one
            self._supervisor = None

    def _start(self) -> None:
        try:
            self._supervisor = self._supervisor or BotSupervisor()
            self._streams = self._supervisor.start(self._command)
        except OSError as problem:
            self.close()
            raise GameError(
                f"program '{self.name}' cannot be started: {problem.strerror}", ErrorCode.PROGRAM_FAILED
            ) from None

    def _exchange(self, line: bytes) -> bytes:
        """Write a line and hear the answer; raises Fault."""
        assert self._streams is not None
        heard = _OutputReader(self._streams, line, self._keep_running, self._remainder)
        if not heard.read_until(time.monotonic() + self._time_limit):
            raise program_fault(
                faults.TIME_LIMIT_EXCEEDED,
                f"program '{self.name}' has not answered within {self._time_limit:g} seconds",
            )
        if heard.size > MAX_OUTPUT_BYTES:
            raise program_fault(
                faults.OUTPUT_LIMIT_EXCEEDED, f"program '{self.name}' said more than {MAX_OUTPUT_BYTES >> 20} MiB"
            )
        answer, self._remainder = heard.answer, heard.remainder
        if heard.ended and not heard.requests_keep_running and (code := self._exit_code()):
            told = (heard.stderr_tail.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
            raise program_fault(
                faults.RUNTIME_ERROR, f"program '{self.name}' ended with exit code {code}: {told[:200]}"
            )
        return answer

    def _exit_code(self) -> int:
        """Return the exit code; 0 for a program that has closed its output and runs on: it is ended with its answer."""
        assert self._supervisor is not None
        return self._supervisor.wait(_GRACE) or 0


class _OutputReader:
    """Reads the output of a program while its input is written."""

    def __init__(self, streams: BotStreams, line: bytes, keep_running: bool, output: bytes) -> None:
        self._streams, self._unsent, self._keep_running = streams, memoryview(line), keep_running
        self._output, self.stderr_tail, self.ended = output, b"", False

    @property
    def size(self) -> int:
        return len(self._output)

    @property
    def requests_keep_running(self) -> bool:
        return KEEP_RUNNING in self._output

    @property
    def answer(self) -> bytes:
        """Return the first line that is not blank; empty if there is none."""
        lines = (line.strip() for line in self._output.split(b"\n"))
        return next((line for line in lines if line and line != KEEP_RUNNING), b"")

    @property
    def remainder(self) -> bytes:
        """Return the output after the answer."""
        return self._output.partition(self.answer)[2].partition(b"\n")[2] if self.answer else b""

    @property
    def _is_complete(self) -> bool:
        """Return whether reading is finished."""
        whole = b"\n" in self._output.lstrip() and bool(self.answer)
        return (
            self.ended or self.size > MAX_OUTPUT_BYTES or (whole and (self._keep_running or self.requests_keep_running))
        )

    def read_until(self, deadline: float) -> bool:
        """Hear until there is an answer; whether there is one in time."""
        with selectors.DefaultSelector() as selector:
            for stream, event in zip(self._streams, _EVENTS, strict=True):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, event)
            while not self._is_complete:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                for key, _ in selector.select(left):
                    self._handle_event(selector, key.fileobj)
        return True

    def _handle_event(self, selector: selectors.BaseSelector, stream: Any) -> None:
        if stream is self._streams.stdin:
            self._write(selector, stream)
            return
        piece = os.read(stream.fileno(), _CHUNK_SIZE)
        if not piece:
            selector.unregister(stream)
        if stream is self._streams.stderr:
            self.stderr_tail = (self.stderr_tail + piece)[-_CHUNK_SIZE:]
            return
        self._output += piece
        self.ended = self.ended or not piece

    def _write(self, selector: selectors.BaseSelector, stream: Any) -> None:
        """Write on. A program that does not read ends, or answers all the same."""
        try:
            self._unsent = self._unsent[os.write(stream.fileno(), self._unsent) :]
        except BlockingIOError:
            return
        except OSError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            selector.unregister(stream)
            if not self._keep_running:
                with suppress(OSError):
                    stream.close()
