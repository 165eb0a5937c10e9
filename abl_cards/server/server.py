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

from abl_cards.agents import make_agent
from abl_cards.core import ErrorCode, GameError, secret_seed
from abl_cards.games import Engine
from abl_cards.games.tables import Listener, ListenerList
from abl_cards.matches import RecordWriter, WriteRecord
from abl_cards.protocols import find_protocol
from abl_cards.server.client import CLOSE_TIMEOUT, Client
from abl_cards.server.results import ServedResult
from abl_cards.server.table import ServedTable

MAX_ANSWER_BYTES = 1 << 16
"""Bytes; an answer has about 20. A longer frame ends its connection."""
_HANDSHAKE_TIMEOUT = 5.0  # seconds


@dataclass(frozen=True)
class ServeConfig:
    """Configuration of a server."""

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
    origins: tuple[str, ...] = ()  # of web pages whose scripts may sit down, or ANY_ORIGIN; programs name none


ANY_ORIGIN = "*"
"""The origin that stands for all."""
ListenerFactory = Callable[[int], Listener]
"""Makes the listener of a table by its number."""


async def serve(
    config: ServeConfig, log: Callable[[str], None] = lambda line: None, write: WriteRecord | None = None
) -> ServedResult:
    """Play all games of a plan; ``write`` is given the record of every episode as it ends.

    Raises GameError for a plan that cannot be, OSError where the port is taken.
    """
    return await GameServer(config, log, write).serve()


class GameServer:
    """Tables behind a port, open as long as the context lasts."""

    def __init__(
        self, config: ServeConfig, log: Callable[[str], None] = lambda line: None, write: WriteRecord | None = None,
        listener_factory: ListenerFactory | None = None,
    ) -> None:  # fmt: skip
        """Make a server for a configuration; raises GameError for an invalid one. Events go to the log."""
        self._config, self._log, self._write, self._service = config, log, write, find_protocol(config.game)
        self._listener_factory = listener_factory
        self._dialect = config.dialect or self._service.dialects[0]
        if self._dialect not in self._service.dialects:
            raise GameError(
                f"unknown dialect '{self._dialect}' (there are: {', '.join(self._service.dialects)})",
                ErrorCode.UNKNOWN_PROTOCOL,
            )
        self._teams: list[int] = config.engine.teams.tolist()
        odd = [seat for seat in config.agents if not 0 <= seat < len(self._teams)]
        if odd:
            raise GameError(
                f"there is no seat {odd[0]} (there are 0 to {len(self._teams) - 1})", ErrorCode.INVALID_VALUE
            )
        self.tables = [self._make_table(number) for number in range(config.tables)]
        self._server: Server | None = None
        self._connections: set[ServerConnection] = set()

    async def __aenter__(self) -> GameServer:
        port = self._service.default_port(self._dialect) if self._config.port is None else self._config.port
        self._server = await listen(
            self._on_connect, self._config.host, port, origins=_accepted_origins(self._config.origins),
            compression=None, ping_interval=None, max_size=MAX_ANSWER_BYTES, open_timeout=_HANDSHAKE_TIMEOUT,
            close_timeout=CLOSE_TIMEOUT, logger=_silent_logger(),
        )  # fmt: skip
        self._log(f"Ready for connect. {self.url}")
        return self

    async def __aexit__(self, *problem: object) -> None:
        if self._server:
            self._server.close()
            await asyncio.wait([asyncio.ensure_future(self._server.wait_closed())], timeout=CLOSE_TIMEOUT)
            for connection in self._connections:  # who reads nothing would be waited for
                connection.transport.abort()
            await self._server.wait_closed()

    @property
    def port(self) -> int:
        """Port for clients."""
        assert self._server
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def url(self) -> str:
        """URL for clients."""
        return self._service.complete_url(f"ws://{_bracket_ipv6(self._config.host)}:{self.port}", "", "NAME")

    async def serve(self) -> ServedResult:
        """Open, play all games, close."""
        async with self:
            return await self.play_games()

    async def play_games(self) -> ServedResult:
        """Play the games of all tables."""
        plan = self._config
        playing = (
            table.play_games(plan.seed, table.number * plan.games, plan.games, plan.think_time, plan.start_delay)
            for table in self.tables
        )
        return ServedResult(plan.game, self._dialect, plan.seed, tuple(await asyncio.gather(*playing)))

    async def wait_until_full(self) -> None:
        """Wait until the seats at all tables are taken."""
        await asyncio.gather(*(table.wait_until_full() for table in self.tables))

    def _make_table(self, number: int) -> ServedTable:
        plan = self._config
        agents = {seat: (name, make_agent(name, plan.engine)) for seat, name in plan.agents.items()}
        heading: dict[str, Any] = {}
        dealer = self._service.create_host(plan.engine, plan.games, self._dialect, self._make_listener(number, heading))
        return ServedTable(number, dealer, agents, self._teams, self._log, heading)

    def _make_listener(self, number: int, heading: Mapping[str, Any]) -> Listener | None:
        """Return the listener of spectators and of records with a heading, if there is one."""
        heard: list[Listener] = [] if self._listener_factory is None else [self._listener_factory(number)]
        if self._write is not None:
            recorder = self._config.engine.new_recorder(1)
            heard += [recorder, RecordWriter(recorder, self._write, lambda table: heading)]
        return ListenerList(tuple(heard)) if heard else None

    async def _on_connect(self, connection: ServerConnection) -> None:
        self._connections.add(connection)
        try:
            await self._serve_client(connection)
        finally:
            self._connections.remove(connection)

    async def _serve_client(self, connection: ServerConnection) -> None:
        client = Client(connection, self._service.read_answer, self._log)
        table = next((table for table in self.tables if table.add_client(client)), None)
        if table is None:
            await connection.close(CloseCode.TRY_AGAIN_LATER, "no seat is free")
        else:
            await client.run()
            table.remove_client(client)


def _accepted_origins(allowed: Sequence[str]) -> list[Origin | None] | None:
    """Origins by which a connection is accepted, None for none named; no list where any will do.

    A browser names the origin of the page whose script connects, a program none. So no web page that its user happens
    to visit takes a seat.
    """
    return None if ANY_ORIGIN in allowed else [None, *map(Origin, allowed)]


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _silent_logger() -> logging.Logger:
    """The library logs every broken handshake with a traceback; anybody can cause as many as he likes."""
    logger = logging.getLogger("abl_cards.server.websockets")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
