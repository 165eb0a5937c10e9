"""Open a server on the loopback, and let clients connect one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from abl_cards.agents.registry import make_agent
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.matches.recorder import WriteRecord
from abl_cards.protocols.common.remote_protocol import JoinRequest
from abl_cards.protocols.registry import find_protocol
from abl_cards.server.guest import JoinResult, join
from abl_cards.server.results import ServedResult
from abl_cards.server.server import GameServer, ServeConfig
from tests.edited import edited
from tests.effort import amount

T = TypeVar("T")
ClientFunction = Callable[[str], Coroutine[Any, Any, Any]]
"""Coroutine function that plays at the table of a URL."""


TEMP_FOLDER = TemporaryDirectory(prefix="abl-cards-")
_SHORT = {"promotion.lp": ("base_level(2).", f"base_level({amount(14, 2)}).")}


@cache
def short_rules() -> Path:
    """Return a folder of Guandan with matches that begin at A instead of 2 without --long."""
    return edited(Path(TEMP_FOLDER.name) / "short" / "guandan", _SHORT)


@cache
def engine() -> Engine:
    """Return the rules of Guandan, with short matches without --long."""
    return load("guandan").engine(short_rules())


def serve_config(agents: dict[int, str] | None = None, game: str = "guandan", **settings: Any) -> ServeConfig:
    rules = engine() if game == "guandan" else load(game).engine()
    return ServeConfig(game, rules, agents or {}, **({"port": 0, "start_delay": 0.0, "seed": 0} | settings))


def run(task: Coroutine[Any, Any, T], seconds: float = 60) -> T:
    """Run a coroutine with a timeout."""

    async def bounded() -> T:
        return await asyncio.wait_for(task, seconds)

    return asyncio.run(bounded())


class Log:
    """Log of a server, with a method that waits for a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changed = asyncio.Event()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        self._changed.set()

    async def until(self, done: Callable[[list[str]], bool]) -> None:
        while not done(self.lines):
            self._changed.clear()
            await self._changed.wait()


async def play_with_clients(
    config: ServeConfig, clients: Sequence[ClientFunction]
) -> tuple[ServedResult, list[Any], list[str]]:
    """Open a server, connect clients in order, play; return the result, the clients' results, and the log."""
    log = Log()
    async with GameServer(config, log) as server:
        playing = asyncio.create_task(server.play_games())
        tasks = []
        for number, client in enumerate(clients):
            tasks.append(asyncio.create_task(_connect(client, server.port, number)))
            await log.until(lambda lines, number=number: sum(", seat " in line for line in lines) > number)  # type: ignore[misc]
        results = await asyncio.gather(*tasks, return_exceptions=True)
        failures = [result for result in results if isinstance(result, AssertionError)]
        if failures:
            raise failures[0]
        return await playing, results, log.lines


async def _connect(client: ClientFunction, port: int, number: int) -> Any:
    return await client(f"ws://127.0.0.1:{port}/game/client{number}")


def guest(
    player: str, dialect: str = "guandan", room: str | None = None, write: WriteRecord | None = None, **fields: Any
) -> ClientFunction:
    """Return a client that plays with an agent by ``join``, and passes its records to ``write``."""
    rules = engine() if dialect == "guandan" else load("guandan").engine()

    async def play(url: str) -> JoinResult:
        client = find_protocol("guandan").create_client(rules, dialect, JoinRequest(player, room=room, **fields))
        return await join(url, client, player, make_agent(player, rules), write=write)

    return play
