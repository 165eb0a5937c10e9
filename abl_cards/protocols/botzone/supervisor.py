"""Start bots through a supervisor process that kills them when this process ends (``supervisor_process.py``)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple
from weakref import finalize

from abl_cards.core import require_posix

_PROGRAM = Path(__file__).with_name("supervisor_process.py")
_ANSWER_TIMEOUT = 30.0  # seconds; killing takes ten at most


class BotStreams(NamedTuple):
    """Parent's ends of a bot's pipes."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def close(self) -> None:
        """Close all streams."""
        for stream in self:
            with suppress(OSError):
                stream.close()


class BotSupervisor:
    """Supervisor of one bot at a time; the bot ends with this object or this process."""

    def __init__(self) -> None:
        """Start the supervisor process; raises OSError, and GameError on Windows."""
        require_posix("a program that plays as a bot")
        channel, process_end = socket.socketpair()
        with process_end:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), str(process_end.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[process_end.fileno()],
                start_new_session=True,
            )  # fmt: skip
        channel.settimeout(_ANSWER_TIMEOUT)
        self._channel = channel
        self.close = finalize(self, _shut_down, self._process, channel)
        """Kill the bot and end the supervisor process."""

    def start(self, command: Sequence[str]) -> BotStreams:
        """Start a bot in place of the last one; raises OSError if it cannot be started.

        A bot that kills the supervisor process before that has answered counts as started: its output ends.
        """
        pipes = [os.pipe() for _ in range(3)]
        (stdin, to_bot), (from_bot, stdout), (errors, stderr) = pipes
        try:
            line = json.dumps({"start": list(command)}).encode() + b"\n"
            sent = socket.send_fds(self._channel, [line], [stdin, stdout, stderr])
            self._channel.sendall(line[sent:])
        finally:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)
        streams = BotStreams(*(os.fdopen(end, mode, 0) for end, mode in ((to_bot, "wb"), (from_bot, "rb"),
                                                                      (errors, "rb"))))  # fmt: skip
        try:
            error = self._read_line()["error"]
        except ConnectionError:
            return streams
        if error is not None:
            streams.close()
            raise OSError(0, error)
        return streams

    def wait(self, seconds: float) -> int | None:
        """Return the bot's exit code; None if it still runs after a number of seconds."""
        try:
            return self._send_request({"wait": seconds})
        except OSError:  # the supervisor process was killed, and the bot with it
            return -signal.SIGKILL

    def kill(self) -> None:
        """Kill the bot and all its descendants."""
        self._send_request({"kill": True})

    def _send_request(self, request: dict[str, Any]) -> int | None:
        self._channel.sendall(json.dumps(request).encode() + b"\n")
        code: int | None = self._read_line()["code"]
        return code

    def _read_line(self) -> dict[str, Any]:
        """Read an answer; raises ConnectionError if the supervisor process was killed."""
        line = b""
        while not line.endswith(b"\n"):
            piece = self._channel.recv(1 << 16)
            if not piece:
                raise ConnectionError(0, "the process that runs it has ended")
            line += piece
        answer: dict[str, Any] = json.loads(line)
        return answer


def _shut_down(process: subprocess.Popen[bytes], channel: socket.socket) -> None:
    """Close the socket, which ends the supervisor process, and wait for its end."""
    channel.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ANSWER_TIMEOUT)
