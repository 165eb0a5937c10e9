"""Opening a house on the loopback, and having clients come to it one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
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

T = TypeVar("T")
Comer = Callable[[str], Coroutine[Any, Any, Any]]
"""Somebody who plays at the table of a URL until he has enough."""


def engine() -> Engine:
    return load("guandan").engine()


def plan(agents: dict[int, str] | None = None, **settings: Any) -> ServeConfig:
    return ServeConfig("guandan", engine(), agents or {}, **({"port": 0, "start_delay": 0.0, "seed": 0} | settings))


def run(task: Coroutine[Any, Any, T], seconds: float = 60) -> T:
    """Run to the end; fails instead of hanging."""

    async def bounded() -> T:
        return await asyncio.wait_for(task, seconds)

    return asyncio.run(bounded())


class Log:
    """The lines of a house's log; somebody may wait for one."""

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


async def visit(wanted: ServeConfig, comers: Sequence[Comer]) -> tuple[ServedResult, list[Any], list[str]]:
    """Open the house, let them come in this order, play; gives the result, what they say, and the log."""
    log = Log()
    async with GameServer(wanted, log) as house:
        playing = asyncio.create_task(house.play_games())
        visits = []
        for number, comer in enumerate(comers):
            visits.append(asyncio.create_task(_come(comer, house.port, number)))
            await log.until(lambda lines, number=number: sum(", seat " in line for line in lines) > number)  # type: ignore[misc]
        said = await asyncio.gather(*visits, return_exceptions=True)
        failures = [each for each in said if isinstance(each, AssertionError)]
        if failures:
            raise failures[0]
        return await playing, said, log.lines


async def _come(comer: Comer, port: int, number: int) -> Any:
    return await comer(f"ws://127.0.0.1:{port}/game/client{number}")


def guest(
    player: str, dialect: str = "guandan", room: str | None = None, write: WriteRecord | None = None, **wishes: Any
) -> Comer:
    """One of our agents, by ``join``; it writes its own records if it is given something to write by."""

    async def come(url: str) -> JoinResult:
        seat = find_protocol("guandan").create_client(engine(), dialect, JoinRequest(player, room=room, **wishes))
        return await join(url, seat, player, make_agent(player, engine()), write=write)

    return come
