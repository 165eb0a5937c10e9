"""External program, run as Botzone runs bots: one line of JSON in, one line out, within a time limit.

It is started for every decision, reads all requests of its round and its own responses, and is finished at the end of
its output. With keep-running it is started once per round: it reads the same line first, then one request per line, and
answers each with a line. The line by which it requests to keep running is skipped.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from abl_cards.core import ErrorCode, GameError, escape_controls, parse_json_line
from abl_cards.protocols.botzone import faults
from abl_cards.protocols.botzone.faults import program_fault
from abl_cards.protocols.botzone.supervisor import BotStreams, BotSupervisor

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
_SKIPPED = re.compile(rb"\s*(?:" + KEEP_RUNNING + rb"[^\S\n]*(?:\n\s*|\Z))*")  # lines before an answer
MAX_OUTPUT_BYTES = 1 << 20
"""Limit of the output of a decision in bytes."""
_CHUNK_SIZE = 1 << 16
_EVENTS = selectors.EVENT_WRITE, selectors.EVENT_READ, selectors.EVENT_READ
_GRACE = 0.2  # seconds that a program may take to end after its answer
_POLL_INTERVAL = 0.05  # seconds of silence after which is checked whether the program still runs
_MAX_NESTING = 100  # levels of an answer; logs repeat answers, and must remain readable


class BotProcess:
    """External program that answers requests, one process per decision or per round."""

    def __init__(self, command: Sequence[str], time_limit: float, keep_running: bool) -> None:
        """Make a program without starting it.

        Args:
            command: Program and arguments.
            time_limit: Seconds per decision.
            keep_running: True to start the program once per round instead of once per decision.
        """
        self._command, self._time_limit, self._keep_running = list(command), time_limit, keep_running
        self._supervisor: BotSupervisor | None = None
        self._streams: BotStreams | None = None  # streams of the running program
        self._remainder = b""  # output of a program after its last answer

    @property
    def name(self) -> str:
        """Command as a shell reads it."""
        return shlex.join(self._command)

    def request(self, message: dict[str, Any]) -> Any:
        """Send a request and return the answer.

        Args:
            message: JSON object ``{"requests": […], "responses": […]}``.

        Returns:
            JSON value of the answer.

        Raises:
            Fault: The program gave no valid answer within the time limit.
            GameError: The program cannot be started.
        """
        if self._streams is None or not self._keep_running or len(message["requests"]) == 1:
            self._stop()
            self._start()
            content: Any = message
        else:
            content = message["requests"][-1]
        try:
            line = self._exchange(json.dumps(content, separators=(",", ":")).encode() + b"\n")
        except BaseException:
            self.close()
            raise
        if not self._keep_running:
            self._stop()
        try:
            answer = parse_json_line(line)
            if _is_nested_deeper(answer, _MAX_NESTING):
                raise GameError(f"nested in more than {_MAX_NESTING} levels", ErrorCode.INVALID_JSON)
        except GameError as problem:
            excerpt = line[:80].decode("utf-8", "replace")
            text = f"program '{self.name}' answered {excerpt!r}: {problem}"
            raise program_fault(faults.INVALID_JSON, text) from None
        return answer

    def close(self) -> None:
        """Kill the program and all its child processes, and end the supervisor process."""
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
        except OSError:  # the supervisor was killed; the next decision starts a new one
            self._supervisor = None

    def _start(self) -> None:
        try:
            self._supervisor = self._supervisor or BotSupervisor()
            self._streams = self._supervisor.start(self._command)
        except OSError as error:
            self.close()
            raise GameError(
                f"program '{self.name}' cannot be started: {error.strerror}", ErrorCode.PROGRAM_FAILED
            ) from None

    def _exchange(self, line: bytes) -> bytes:
        """Send a line and return the answer; raises Fault."""
        assert self._streams is not None
        reader = _OutputReader(self._streams, line, self._keep_running, self._remainder, self._has_ended)
        if not reader.read_until(time.monotonic() + self._time_limit):
            lack = "has answered, but not ended" if reader.has_answer else "has not answered"
            raise program_fault(
                faults.TIME_LIMIT_EXCEEDED, f"program '{self.name}' {lack} within {self._time_limit:g} seconds"
            )
        if reader.size > MAX_OUTPUT_BYTES:
            raise program_fault(
                faults.OUTPUT_LIMIT_EXCEEDED, f"program '{self.name}' wrote more than {MAX_OUTPUT_BYTES >> 20} MiB"
            )
        answer, self._remainder = reader.answer, reader.remainder
        keeps_running = reader.has_answer and reader.requests_keep_running
        if reader.ended and not keeps_running and (code := self._exit_code()):
            last_line = (reader.stderr_tail.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
            message = escape_controls(last_line[:200])
            raise program_fault(faults.RUNTIME_ERROR, f"program '{self.name}' ended with exit code {code}: {message}")
        return answer

    def _has_ended(self) -> bool:
        assert self._supervisor is not None
        return self._supervisor.wait(0) is not None

    def _exit_code(self) -> int:
        """Return the exit code; 0 for a program that has closed its output and still runs."""
        assert self._supervisor is not None
        return self._supervisor.wait(_GRACE) or 0


class _OutputReader:
    """Reader of a program's output that writes its input at the same time."""

    def __init__(
        self, streams: BotStreams, line: bytes, keep_running: bool, output: bytes, has_ended: Callable[[], bool]
    ) -> None:
        self._streams, self._unsent, self._keep_running = streams, memoryview(line), keep_running
        self._output, self.stderr_tail, self.ended, self._has_ended = output, b"", False, has_ended

    @property
    def size(self) -> int:
        return len(self._output)

    @property
    def requests_keep_running(self) -> bool:
        return KEEP_RUNNING in self._output

    @property
    def answer(self) -> bytes:
        """Return the first line that is not blank; empty if there is none."""
        return self._output[slice(*self._answer_span)].strip()

    @property
    def remainder(self) -> bytes:
        """Return the output after the answer."""
        return self._output[self._answer_span[1] :]

    @property
    def has_answer(self) -> bool:
        """Return whether a whole line of output is an answer."""
        return self._output[slice(*self._answer_span)].endswith(b"\n")

    @property
    def _answer_span(self) -> tuple[int, int]:
        """Return begin and end of the first line that is neither blank nor a request to keep running."""
        match = _SKIPPED.match(self._output)
        begin = match.end() if match else 0
        end = self._output.find(b"\n", begin) + 1
        return begin, end or len(self._output)

    @property
    def _is_complete(self) -> bool:
        """Return whether reading is finished; an early answer does not keep a running program from its request."""
        is_last = (self._keep_running and not self._unsent) or self.requests_keep_running
        return self.ended or self.size > MAX_OUTPUT_BYTES or (self.has_answer and is_last)

    def read_until(self, deadline: float) -> bool:
        """Read until the answer is complete; returns False at the deadline."""
        with selectors.DefaultSelector() as selector:
            for stream, event in zip(self._streams, _EVENTS, strict=True):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, event)
            has_ended = False
            while not self._is_complete:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                events = selector.select(0 if has_ended else min(left, _POLL_INTERVAL))
                for key, _ in events:
                    self._handle_event(selector, key.fileobj)
                if not events:  # a child of a program that has ended may hold its output open
                    self.ended, has_ended = self.ended or has_ended, self._has_ended()
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
        """Write more input; a program that does not read may still answer."""
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


def _is_nested_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects of a JSON value are nested in more than a number of levels."""
    values = [value]
    for _ in range(levels + 1):
        inner = [item.values() if isinstance(item, dict) else item for item in values if isinstance(item, dict | list)]
        values = [item for items in inner for item in items]
    return bool(values)
