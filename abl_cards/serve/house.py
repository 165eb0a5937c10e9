"""The house: one port, several tables, seats in the order in which clients come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.frames import CloseCode
from websockets.typing import Origin

from abl_cards.agents import agent
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.audience import Audience
from abl_cards.games.tables import Listener
from abl_cards.platforms.services import service
from abl_cards.recording import Scribe, Write
from abl_cards.seeds import secret_seed
from abl_cards.serve.client import CLOSING, Client
from abl_cards.serve.results import ServedResult
from abl_cards.serve.table import Table

LONGEST_FRAME = 1 << 16
"""Bytes; an answer has about 20. A longer frame ends its connection."""
_HANDSHAKE = 5.0  # seconds


@dataclass(frozen=True)
class Plan:
    """What is to be served."""

    game: str
    engine: Engine
    agents: Mapping[int, str] = field(default_factory=dict)  # by seat; the other seats are for clients
    games: int = 1  # at each table
    seed: int = field(default_factory=secret_seed)  # nobody is sent it before all games are over
    tables: int = 1
    dialect: str = ""  # the game's usual one
    think_time: float | None = None  # seconds for an answer; None to wait for ever
    start_delay: float = 1.0  # seconds from the last handshake to the first message, for clients that need them
    host: str = "127.0.0.1"
    port: int | None = None  # the game's usual one; 0 for any
    origins: tuple[str, ...] = ()  # of web pages whose scripts may sit down, or ANY; programs name none


ANY = "*"
"""The origin that stands for all."""
Onlooker = Callable[[int], Listener]
"""Gives who hears what happens at the table of a number."""


async def serve(plan: Plan, log: Callable[[str], None] = lambda line: None, write: Write | None = None) -> ServedResult:
    """Play all games of a plan; ``write`` is given the record of every episode as it ends.

    Raises GameError for a plan that cannot be, OSError where the port is taken.
    """
    return await House(plan, log, write).serve()


class House:
    """Tables behind a port, open as long as the context lasts."""

    def __init__(
        self, plan: Plan, log: Callable[[str], None] = lambda line: None, write: Write | None = None,
        onlooker: Onlooker | None = None,
    ) -> None:  # fmt: skip
        """A house for this plan; raises GameError for one that cannot be. The log is told what happens."""
        self._plan, self._log, self._write, self._service = plan, log, write, service(plan.game)
        self._onlooker = onlooker
        self._dialect = plan.dialect or self._service.dialects[0]
        if self._dialect not in self._service.dialects:
            raise GameError(f"unknown dialect '{self._dialect}' (there are: {', '.join(self._service.dialects)})")
        self._teams: list[int] = plan.engine.teams.tolist()
        odd = [seat for seat in plan.agents if not 0 <= seat < len(self._teams)]
        if odd:
            raise GameError(f"there is no seat {odd[0]} (there are 0 to {len(self._teams) - 1})")
        self.tables = [self._table(number) for number in range(plan.tables)]
        self._server: Server | None = None
        self._visitors: set[ServerConnection] = set()

    async def __aenter__(self) -> House:
        port = self._service.port(self._dialect) if self._plan.port is None else self._plan.port
        self._server = await listen(
            self._welcome, self._plan.host, port, origins=_origins(self._plan.origins), compression=None,
            ping_interval=None, max_size=LONGEST_FRAME, open_timeout=_HANDSHAKE, close_timeout=CLOSING,
            logger=_silence(),
        )  # fmt: skip
        self._log(f"Ready for connect. {self.url}")
        return self

    async def __aexit__(self, *problem: object) -> None:
        if self._server:
            self._server.close()
            await asyncio.wait([asyncio.ensure_future(self._server.wait_closed())], timeout=CLOSING)
            for connection in self._visitors:  # who reads nothing would be waited for
                connection.transport.abort()
            await self._server.wait_closed()

    @property
    def port(self) -> int:
        """Where clients connect."""
        assert self._server
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def url(self) -> str:
        """What clients connect to."""
        return self._service.url(f"ws://{_bracketed(self._plan.host)}:{self.port}", "", "NAME")

    async def serve(self) -> ServedResult:
        """Open, play all games, close."""
        async with self:
            return await self.play()

    async def play(self) -> ServedResult:
        """Play the games of all tables."""
        plan = self._plan
        playing = (
            table.play(plan.seed, table.number * plan.games, plan.games, plan.think_time, plan.start_delay)
            for table in self.tables
        )
        return ServedResult(plan.game, self._dialect, plan.seed, tuple(await asyncio.gather(*playing)))

    async def full(self) -> None:
        """Wait until the seats at all tables are taken."""
        await asyncio.gather(*(table.full() for table in self.tables))

    def _table(self, number: int) -> Table:
        plan = self._plan
        agents = {seat: (name, agent(name, plan.engine)) for seat, name in plan.agents.items()}
        heading: dict[str, Any] = {}
        dealer = self._service.dealer(plan.engine, plan.games, self._dialect, self._listener(number, heading))
        return Table(number, dealer, agents, self._teams, self._log, heading)

    def _listener(self, number: int, heading: Mapping[str, Any]) -> Listener | None:
        """Who looks on at a table, and who writes its episodes down under a heading."""
        heard: list[Listener] = [] if self._onlooker is None else [self._onlooker(number)]
        if self._write is not None:
            recorder = self._plan.engine.recorder(1)
            heard += [recorder, Scribe(recorder, self._write, lambda table: heading)]
        return Audience(tuple(heard)) if heard else None

    async def _welcome(self, connection: ServerConnection) -> None:
        self._visitors.add(connection)
        try:
            await self._attend(connection)
        finally:
            self._visitors.remove(connection)

    async def _attend(self, connection: ServerConnection) -> None:
        client = Client(connection, self._service.read_answer, self._log)
        table = next((table for table in self.tables if table.sit_down(client)), None)
        if table is None:
            await connection.close(CloseCode.TRY_AGAIN_LATER, "no seat is free")
        else:
            await client.attend()
            table.stand_up(client)


def _origins(allowed: Sequence[str]) -> list[Origin | None] | None:
    """Origins by which a connection is accepted, None for none named; no list where any will do.

    A browser names the origin of the page whose script connects, a program none. So no web page that its user happens
    to visit takes a seat.
    """
    return None if ANY in allowed else [None, *map(Origin, allowed)]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _silence() -> logging.Logger:
    """The library logs every broken handshake with a traceback; anybody can cause as many as he likes."""
    logger = logging.getLogger("abl_cards.serve.websockets")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
