"""Process that runs a bot for its parent and kills all descendants of the bot, even when the parent is killed.

`supervisor.py` starts this file with one end of a socket as its argument. It needs only the standard library and runs
under ``python -I -S``. Requests are lines of JSON:

    {"start": [program, …]}  with three descriptors: the bot's stdin, stdout, stderr -> {"error": text or null}
    {"wait": seconds}                                                                -> {"code": exit code or null}
    {"kill": true}                                                                   -> {"code": null}

The end of the socket, or a new parent, means that the parent has died. On Linux orphans of the bot, those that called
``setsid`` among them, become children of this process (PR_SET_CHILD_SUBREAPER); elsewhere only the bot's process group
is killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36  # prctl(2)
_PARENT_CHECK_INTERVAL = 1.0  # seconds between two checks of the parent process
_POLL_INTERVAL = 0.0005  # seconds between two checks of an ending process
_KILL_TIMEOUT = 10.0  # seconds; a process in an uninterruptible sleep may outlive SIGKILL for a while


class BotRunner:
    """Running bot and its descendants."""

    def __init__(self) -> None:
        self.bot: subprocess.Popen[bytes] | None = None

    def start(self, command: list[str], streams: list[int]) -> str | None:
        """Start a bot; return the reason if it cannot be started."""
        self.kill()
        try:
            self.bot = subprocess.Popen(
                command, stdin=streams[0], stdout=streams[1], stderr=streams[2], start_new_session=True,
                preexec_fn=_die_with_parent,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            return getattr(error, "strerror", None) or str(error)
        finally:
            for stream in streams:
                os.close(stream)
        return None

    def wait(self, seconds: float) -> int | None:
        """Return the bot's exit code; None if it still runs after a number of seconds."""
        deadline = time.monotonic() + seconds
        while self.bot is not None and self.bot.poll() is None and time.monotonic() < deadline:
            time.sleep(_POLL_INTERVAL)
        return None if self.bot is None else self.bot.returncode

    def kill(self) -> None:
        """Kill the bot and its descendants, and wait until they have ended."""
        if self.bot is None:
            return
        deadline = time.monotonic() + _KILL_TIMEOUT
        while _reap() and time.monotonic() < deadline:
            self._kill_once()
            time.sleep(_POLL_INTERVAL)
        self.bot = None

    def _kill_once(self) -> None:
        assert self.bot is not None
        with suppress(OSError):
            os.killpg(self.bot.pid, signal.SIGKILL)
        for pid in _descendants(os.getpid()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _prctl(option: int, argument: int) -> None:
    """Call prctl(2) if the system has it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def _die_with_parent() -> None:
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _reap() -> bool:
    """Collect ended children; return whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _descendants(root: int) -> list[int]:
    """Return the descendants of a process by /proc; empty without /proc."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    processes, pending = list[int](), [root]
    while pending:
        child_ids = children.get(pending.pop(), [])
        processes += child_ids
        pending += child_ids
    return processes


def _requests(channel: socket.socket, parent: int) -> Any:
    """Yield requests with their descriptors until the parent has ended."""
    unread, streams = b"", list[int]()
    while os.getppid() == parent:
        if not select.select([channel], [], [], _PARENT_CHECK_INTERVAL)[0]:
            continue
        piece, new_streams, _, _ = socket.recv_fds(channel, 1 << 16, 3)
        if not piece:
            return
        unread, streams = unread + piece, streams + new_streams
        while b"\n" in unread:
            line, _, unread = unread.partition(b"\n")
            yield json.loads(line), streams
            streams = []


def _handle_request(supervisor: BotRunner, request: dict[str, Any], streams: list[int]) -> dict[str, Any]:
    if "start" in request:
        return {"error": supervisor.start(request["start"], streams)}
    if "wait" in request:
        return {"code": supervisor.wait(request["wait"])}
    supervisor.kill()
    return {"code": None}


def _exit_on_signal(*_: object) -> None:
    raise SystemExit


def main() -> None:
    """Serve one parent until it has ended."""
    channel, parent, supervisor = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), BotRunner()
    _prctl(_SET_CHILD_SUBREAPER, 1)
    for signal_number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(signal_number, _exit_on_signal)
    try:
        for request, streams in _requests(channel, parent):
            channel.sendall(json.dumps(_handle_request(supervisor, request, streams)).encode() + b"\n")
    except OSError:
        pass  # the parent ended before its answer
    finally:
        for signal_number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(signal_number, signal.SIG_IGN)
        supervisor.kill()


if __name__ == "__main__":
    main()
