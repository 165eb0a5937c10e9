"""Process that runs a bot for its parent and kills whatever the bot has started, even when the parent is killed.

`supervisor.py` starts this file with one end of a socket as its argument. The standard library is all it needs: it runs
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
_PARENT_CHECK_INTERVAL = 1.0  # seconds between two looks at who the parent is
_POLL_INTERVAL = 0.0005  # seconds between two looks at a process that is to end
_KILL_TIMEOUT = 10.0  # seconds; a process in an uninterruptible sleep may outlive SIGKILL for a while


class BotRunner:
    """The bot that runs, and its descendants."""

    def __init__(self) -> None:
        self.bot: subprocess.Popen[bytes] | None = None

    def start(self, command: list[str], streams: list[int]) -> str | None:
        """Start a bot; returns why it cannot be started."""
        self.kill()
        try:
            self.bot = subprocess.Popen(
                command, stdin=streams[0], stdout=streams[1], stderr=streams[2], start_new_session=True,
                preexec_fn=_die_with_parent,
            )  # fmt: skip
        except (OSError, ValueError) as problem:
            return getattr(problem, "strerror", None) or str(problem)
        finally:
            for stream in streams:
                os.close(stream)
        return None

    def wait(self, seconds: float) -> int | None:
        """Return the bot's exit code, None if it still runs after so many seconds."""
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
    """Call prctl(2) where there is one."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def _die_with_parent() -> None:
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _reap() -> bool:
    """Collect children that have ended; returns whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _descendants(root: int) -> list[int]:
    """Return the processes beneath one, by /proc; empty where there is none."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found, todo = list[int](), [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _requests(channel: socket.socket, parent: int) -> Any:
    """Yield requests with their descriptors until the parent is gone."""
    unread, streams = b"", list[int]()
    while os.getppid() == parent:
        if not select.select([channel], [], [], _PARENT_CHECK_INTERVAL)[0]:
            continue
        piece, more, _, _ = socket.recv_fds(channel, 1 << 16, 3)
        if not piece:
            return
        unread, streams = unread + piece, streams + more
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
    """Serve one parent until it is gone."""
    channel, parent, supervisor = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), BotRunner()
    _prctl(_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _exit_on_signal)
    try:
        for request, streams in _requests(channel, parent):
            channel.sendall(json.dumps(_handle_request(supervisor, request, streams)).encode() + b"\n")
    except OSError:
        pass  # the parent has gone while it was being answered
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        supervisor.kill()


if __name__ == "__main__":
    main()
