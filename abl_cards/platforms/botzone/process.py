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

from abl_cards.errors import GameError
from abl_cards.platforms.botzone import faults
from abl_cards.platforms.botzone.faults import failed
from abl_cards.platforms.botzone.supervisor import Streams, Supervisor

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
LONGEST = 1 << 20
"""Bytes that a program may say at a decision."""
_PIECE = 1 << 16
_EVENTS = selectors.EVENT_WRITE, selectors.EVENT_READ, selectors.EVENT_READ
_GRACE = 0.2  # seconds for a program that has answered to end


class BotProcess:
    """One program, asked again and again."""

    def __init__(self, command: Sequence[str], seconds: float, kept: bool) -> None:
        """Nothing is started yet; a decision may take so many seconds."""
        self._command, self._seconds, self._kept = list(command), seconds, kept
        self._supervisor: Supervisor | None = None
        self._streams: Streams | None = None  # of the program that runs
        self._left = b""  # what a program that is kept running has said behind its answer

    @property
    def name(self) -> str:
        """The command as a shell reads it."""
        return shlex.join(self._command)

    def ask(self, message: dict[str, Any]) -> Any:
        """The answer to what a seat was asked; raises Fault, and GameError where the program cannot be started."""
        if self._streams is None or not self._kept or len(message["requests"]) == 1:
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
        if not self._kept:
            self._stop()
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            shown = line[:80].decode("utf-8", "replace")
            raise failed(faults.NO_JSON, f"program '{self.name}' answered {shown!r}, which is no JSON") from None

    def close(self) -> None:
        """Kill the program where it runs, and what it has started; end the process that supervises it."""
        self._stop()
        if self._supervisor is not None:
            self._supervisor.close()
        self._supervisor = None

    def _stop(self) -> None:
        if self._streams is None or self._supervisor is None:
            return
        streams, self._streams, self._left = self._streams, None, b""
        streams.close()
        try:
            self._supervisor.kill()
        except OSError:  # somebody has killed the supervisor: the next decision starts another one
            self._supervisor = None

    def _start(self) -> None:
        try:
            self._supervisor = self._supervisor or Supervisor()
            self._streams = self._supervisor.start(self._command)
        except OSError as problem:
            self.close()
            raise GameError(f"program '{self.name}' cannot be started: {problem.strerror}") from None

    def _exchange(self, line: bytes) -> bytes:
        """Write a line and hear the answer; raises Fault."""
        assert self._streams is not None
        heard = _Heard(self._streams, line, self._kept, self._left)
        if not heard.until(time.monotonic() + self._seconds):
            raise failed(faults.TOO_SLOW, f"program '{self.name}' has not answered within {self._seconds:g} seconds")
        if heard.size > LONGEST:
            raise failed(faults.TOO_LONG, f"program '{self.name}' said more than {LONGEST >> 20} MiB")
        answer, self._left = heard.answer, heard.left
        if heard.over and not heard.asks_to_stay and (code := self._code()):
            told = (heard.complaint.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
            raise failed(faults.BROKEN, f"program '{self.name}' ended with exit code {code}: {told[:200]}")
        return answer

    def _code(self) -> int:
        """Return the exit code; 0 for a program that has closed its output and runs on: it is ended with its answer."""
        assert self._supervisor is not None
        return self._supervisor.wait(_GRACE) or 0


class _Heard:
    """What a program says while it is written to."""

    def __init__(self, streams: Streams, line: bytes, kept: bool, said: bytes) -> None:
        self._streams, self._rest, self._kept = streams, memoryview(line), kept
        self._said, self.complaint, self.over = said, b"", False

    @property
    def size(self) -> int:
        return len(self._said)

    @property
    def asks_to_stay(self) -> bool:
        return KEEP_RUNNING in self._said

    @property
    def answer(self) -> bytes:
        """The first line that says something; empty where there is none."""
        lines = (line.strip() for line in self._said.split(b"\n"))
        return next((line for line in lines if line and line != KEEP_RUNNING), b"")

    @property
    def left(self) -> bytes:
        """What has come behind the answer."""
        return self._said.partition(self.answer)[2].partition(b"\n")[2] if self.answer else b""

    @property
    def _answered(self) -> bool:
        """Whether nothing more is to be waited for."""
        whole = b"\n" in self._said.lstrip() and bool(self.answer)
        return self.over or self.size > LONGEST or (whole and (self._kept or self.asks_to_stay))

    def until(self, deadline: float) -> bool:
        """Hear until there is an answer; whether there is one in time."""
        with selectors.DefaultSelector() as selector:
            for stream, event in zip(self._streams, _EVENTS, strict=True):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, event)
            while not self._answered:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                for key, _ in selector.select(left):
                    self._attend(selector, key.fileobj)
        return True

    def _attend(self, selector: selectors.BaseSelector, stream: Any) -> None:
        if stream is self._streams.stdin:
            self._write(selector, stream)
            return
        piece = os.read(stream.fileno(), _PIECE)
        if not piece:
            selector.unregister(stream)
        if stream is self._streams.stderr:
            self.complaint = (self.complaint + piece)[-_PIECE:]
            return
        self._said += piece
        self.over = self.over or not piece

    def _write(self, selector: selectors.BaseSelector, stream: Any) -> None:
        """Write on. A program that does not read ends, or answers all the same."""
        try:
            self._rest = self._rest[os.write(stream.fileno(), self._rest) :]
        except BlockingIOError:
            return
        except OSError:
            self._rest = self._rest[:0]
        if not self._rest:
            selector.unregister(stream)
            if not self._kept:
                with suppress(OSError):
                    stream.close()
