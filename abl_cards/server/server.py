"""Server of tables: one port, several tables, seats in the order in which clients connect."""

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

from abl_cards.agents import HumanAgent, SubprocessAgent, make_agent
from abl_cards.core import ErrorCode, GameError, report_exhaustion, secret_seed
from abl_cards.games import Engine
from abl_cards.games.tables import Listener, ListenerList
from abl_cards.matches import RecordWriter, WriteRecord
from abl_cards.protocols import find_protocol
from abl_cards.server.client import CLOSE_TIMEOUT, Client
from abl_cards.server.results import ServedResult
from abl_cards.server.table import ServedTable

MAX_ANSWER_BYTES = 1 << 16
"""Limit of a frame in bytes; an answer has about 20. A longer frame ends its connection."""
_HANDSHAKE_TIMEOUT = 5.0  # seconds


@dataclass(frozen=True)
class ServeConfig:
    """Configuration of a server."""

    game: str
    engine: Engine
    agents: Mapping[int, str] = field(default_factory=dict)  # agents by seat; the other seats are for clients
    games: int = 1  # number of games at each table
    seed: int = field(default_factory=secret_seed)  # secret until all games are over
    tables: int = 1  # number of tables
    dialect: str = ""  # empty for the default of the game
    think_time: float | None = None  # seconds for an answer; None for no limit
    start_delay: float = 1.0  # seconds from the last handshake to the first message; some clients need a pause
    host: str = "127.0.0.1"
    port: int | None = None  # None for the default of the dialect; 0 for any free port
    origins: tuple[str, ...] = ()  # origins of web pages that may connect, or ANY_ORIGIN; programs send no origin


ANY_ORIGIN = "*"
"""Value of ``origins`` that allows every web page."""
ListenerFactory = Callable[[int], Listener]
"""Function that makes the listener of a table from the table's number."""


async def serve(
    config: ServeConfig, log: Callable[[str], None] = lambda line: None, write: WriteRecord | None = None
) -> ServedResult:
    """Open a server, play all games, and close it.

    Args:
        config: Configuration of the server.
        log: Function that receives lines for the user.
        write: Function that receives the record of each finished episode, or None.

    Returns:
        Result of all tables.

    Raises:
        GameError: The configuration is invalid.
        OSError: The port is in use.
    """
    return await GameServer(config, log, write).serve()


class GameServer:
    """Server of tables on one port; open inside its ``async with`` block."""

    def __init__(
        self, config: ServeConfig, log: Callable[[str], None] = lambda line: None, write: WriteRecord | None = None,
        listener_factory: ListenerFactory | None = None,
    ) -> None:  # fmt: skip
        """Make a server.

        Args:
            config: Configuration of the server.
            log: Function that receives lines for the user.
            write: Function that receives the record of each finished episode, or None.
            listener_factory: Function that makes an additional listener for each table, or None.

        Raises:
            GameError: The dialect, a seat or an agent is unknown.
        """
        self._config, self._log, self._write, self._service = config, log, write, find_protocol(config.game)
        self._listener_factory = listener_factory
        self._dialect = config.dialect or self._service.dialects[0]
        if self._dialect not in self._service.dialects:
            raise GameError(
                f"unknown dialect '{self._dialect}'; known: {', '.join(self._service.dialects)}",
                ErrorCode.UNKNOWN_PROTOCOL,
            )
        self._teams: list[int] = config.engine.teams.tolist()
        unknown_seats = [seat for seat in config.agents if not 0 <= seat < len(self._teams)]
        if unknown_seats:
            raise GameError(
                f"unknown seat {unknown_seats[0]}; known: 0 to {len(self._teams) - 1}", ErrorCode.INVALID_VALUE
            )
        self.tables = [self._make_table(table) for table in range(config.tables)]
        self._server: Server | None = None
        self._connections: set[ServerConnection] = set()

    async def __aenter__(self) -> GameServer:
        port = self._service.default_port(self._dialect) if self._config.port is None else self._config.port
        try:
            self._server = await listen(
                self._on_connect, self._config.host, port, origins=_accepted_origins(self._config.origins),
                compression=None, ping_interval=None, max_size=MAX_ANSWER_BYTES, open_timeout=_HANDSHAKE_TIMEOUT,
                close_timeout=CLOSE_TIMEOUT, logger=_silent_logger(),
            )  # fmt: skip
        except OSError as problem:
            text = f"{problem.strerror or problem}; choose another address or port"
            raise OSError(problem.errno, text, f"{_bracket_ipv6(self._config.host)}:{port}") from problem
        report_exhaustion(asyncio.get_running_loop(), self._log)
        self._log(f"Ready for connect. {self.url}")
        return self

    async def __aexit__(self, *problem: object) -> None:
        if self._server:
            self._server.close()
            await asyncio.wait([asyncio.ensure_future(self._server.wait_closed())], timeout=CLOSE_TIMEOUT)
            for connection in self._connections:  # wait_closed would wait for clients that read nothing
                connection.transport.abort()
            await self._server.wait_closed()

    @property
    def port(self) -> int:
        """Port of the open server."""
        assert self._server
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def url(self) -> str:
        """Address for clients, with ``NAME`` in place of the client's name."""
        return self._service.complete_url(f"ws://{_bracket_ipv6(self._config.host)}:{self.port}", "", "NAME")

    async def serve(self) -> ServedResult:
        """Open the server, play all games, and close it; returns the result."""
        async with self:
            return await self.play_games()

    async def play_games(self) -> ServedResult:
        """Play the games of all tables of an open server; returns the result."""
        config = self._config
        playing = (
            table.play_games(
                config.seed, table.number * config.games, config.games, config.think_time, config.start_delay
            )
            for table in self.tables
        )
        return ServedResult(config.game, self._dialect, config.seed, tuple(await asyncio.gather(*playing)))

    async def wait_until_full(self) -> None:
        """Wait until all seats of all tables are taken."""
        await asyncio.gather(*(table.wait_until_full() for table in self.tables))

    def _make_table(self, table_number: int) -> ServedTable:
        config = self._config
        agents = {seat: (name, make_agent(name, config.engine)) for seat, name in config.agents.items()}
        for seat, (name, agent) in agents.items():
            if isinstance(agent, HumanAgent):
                text = f"seat {seat}: all tables would wait for the human at this terminal; join the table instead"
                raise GameError(f"{text} (abl-cards join URL --agent human)", ErrorCode.AGENT_NOT_APPLICABLE)
            if isinstance(agent, SubprocessAgent):
                text = f"seat {seat}: '{name}' plays in matches only (abl-cards match); a client may join a table"
                raise GameError(text, ErrorCode.AGENT_NOT_APPLICABLE)
        heading: dict[str, Any] = {}
        dealer = self._service.create_host(
            config.engine, config.games, self._dialect, self._make_listener(table_number, heading)
        )
        return ServedTable(table_number, dealer, agents, self._teams, self._log, heading)

    def _make_listener(self, table_number: int, heading: Mapping[str, Any]) -> Listener | None:
        """Return the listener of spectators and of records with a heading, if there is one."""
        listeners: list[Listener] = [] if self._listener_factory is None else [self._listener_factory(table_number)]
        if self._write is not None:
            recorder = self._config.engine.new_recorder(1)
            listeners += [recorder, RecordWriter(recorder, self._write, lambda table: heading)]
        return ListenerList(tuple(listeners)) if listeners else None

    async def _on_connect(self, connection: ServerConnection) -> None:
        self._connections.add(connection)
        try:
            await self._serve_client(connection)
        finally:
            self._connections.remove(connection)

    async def _serve_client(self, connection: ServerConnection) -> None:
        client = Client(connection, self._service.read_answer, self._log)
        free_table = next((free_table for free_table in self.tables if free_table.add_client(client)), None)
        if free_table is None:
            await connection.close(CloseCode.TRY_AGAIN_LATER, "no seat is free")
        else:
            await client.run()
            free_table.remove_client(client)


def _accepted_origins(allowed: Sequence[str]) -> list[Origin | None] | None:
    """Return the accepted origins of connections, with None for connections without one; None to accept all.

    Browsers send the origin of the page whose script connects, programs send none. Therefore no arbitrary web page that
    a user visits can take a seat.
    """
    return None if ANY_ORIGIN in allowed else [None, *map(Origin, allowed)]


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _silent_logger() -> logging.Logger:
    """Return a logger without output: the library logs a traceback for every broken handshake of any client."""
    logger = logging.getLogger("abl_cards.server.websockets")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
