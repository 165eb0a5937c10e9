"""Abnormal ends of tables: no wait is unlimited, and every finished episode is recorded."""

from __future__ import annotations

import base64
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from abl_cards.core.errors import GameError
from abl_cards.matches.records import read_records
from abl_cards.server.results import ServedResult
from abl_cards.server.server import GameServer
from tests.cli_runs import ROOT, run
from tests.effort import long
from tests.forked import Forked
from tests.server.servers import Log, serve_config
from tests.server.servers import run as run_task

COMMAND = (sys.executable, "-c", "from abl_cards.cli import main; main()")
HANDSHAKE = (
    b"GET /game/deaf HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: " + base64.b64encode(b"x" * 16) + b"\r\n\r\n"
)


@contextmanager
def connect_without_reading(port: int) -> Iterator[socket.socket]:
    """Open a client that takes a seat and never reads."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", port))
        client.sendall(HANDSHAKE)
        yield client


def shrink_send_buffers(server: GameServer) -> None:
    """Make the send buffers small, so that one game fills them."""
    assert server._server
    next(iter(server._server.sockets)).setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)


def test_client_that_never_reads_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection is aborted after the games; the server closes, and all records are written."""
    monkeypatch.setattr("abl_cards.server.client.CLOSE_TIMEOUT", 0.05)
    records: list[Any] = []

    async def scene() -> ServedResult:
        config = serve_config(dict.fromkeys(range(3), "greedy"), seed=1, think_time=0.0005)
        async with GameServer(config, write=records.append) as server:
            shrink_send_buffers(server)
            with connect_without_reading(server.port):
                return await server.play_games()

    result = run_task(scene(), 40)
    assert len(records) == result.tables[0].episodes > 0
    assert result.tables[0].seats[3].faults["late"] > 0


def test_failing_server_closes_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server closes without waiting for a client that never reads."""
    monkeypatch.setattr("abl_cards.server.server.CLOSE_TIMEOUT", 0.05)
    log = Log()

    def fail(record: Any) -> None:
        raise GameError("the disk is full")

    async def scene() -> None:
        config = serve_config(dict.fromkeys(range(3), "greedy"), seed=1, think_time=0.0005)
        with ExitStack() as outside:
            async with GameServer(config, log, write=fail) as server:
                shrink_send_buffers(server)
                outside.enter_context(connect_without_reading(server.port))
                await server.play_games()

    with pytest.raises(GameError, match="the disk is full"):
        run_task(scene(), 40)
    assert any("seat 3: deaf" in line for line in log.lines)


# --- killed ----------------------------------------------------------------------------------------------------------


def killed(*arguments: str, file: Path) -> None:
    """Start a command in a fork, and kill it when the file grows."""
    process = Forked(lambda: run(*arguments))
    try:
        for _ in range(6000):
            assert process.is_running()
            if file.is_file() and file.stat().st_size > 4096:
                break
            sleep(0.01)
    finally:
        process.kill()


def killed_from_a_shell(*arguments: str, file: Path) -> None:
    """Start a command in a process of its own, and kill it when the file grows."""
    with subprocess.Popen([*COMMAND, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as it:
        try:
            for _ in range(3000):
                with suppress(subprocess.TimeoutExpired):
                    it.wait(0.02)
                if it.returncode is not None or (file.is_file() and file.stat().st_size > 4096):
                    break
        finally:
            it.kill()
    assert it.returncode == -signal.SIGKILL


AGENTS = [f"--seat={seat}={name}" for seat, name in enumerate(["greedy", "random"] * 2)]


@pytest.mark.parametrize(
    ("kill", "command", "name"),
    [
        (killed, ["match", "guandan", "greedy", "random", "--games", "300"], "games.jsonl.gz"),
        pytest.param(
            killed_from_a_shell,
            ["serve", "guandan", "--port", "0", *AGENTS, "--games", "1000", "--tables", "2"],
            "games.jsonl",
            marks=long,
        ),
    ],
)
def test_killed_recording_keeps_finished_episodes(
    tmp_path: Path, kill: Callable[..., None], command: list[str], name: str
) -> None:
    """The file has its name from the first episode on, and finished episodes can be replayed."""
    path = tmp_path / name
    kill(*command, "--record", str(path), file=path)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    answer = run("replay", "guandan", str(path), "--json")
    result = json.loads(answer.stdout)
    assert result["disagreements"] == []
    assert result["episodes"] == len(read_records(path)) - ("cut" in result)
    assert 0 < result["episodes"] < 300  # not one a match
