"""Play with an agent at a remote table."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError, derive_key, format_seed
from abl_cards.matches import WriteRecord
from abl_cards.protocols.common import ClientSession, JoinRejectedError, Message, SessionResult
from abl_cards.server.agent_threads import run_in_thread

MAX_FRAME_BYTES = 64 << 20
"""Limit of a frame in bytes; requests may list thousands of actions."""
_HANDSHAKE_TIMEOUT, _CLOSE_TIMEOUT = 20.0, 2.0  # seconds


@dataclass(frozen=True)
class JoinResult:
    """Result of a match at a remote table."""

    url: str
    agent: str  # specification of the agent
    outcome: SessionResult  # according to the messages of the table
    decisions: int  # number of answered requests
    problems: int  # requests answered by the default choice, and messages that could not be read
    median_time: float  # median seconds for a decision
    max_time: float  # maximal seconds for a decision

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values in a fixed order."""
        outcome = self.outcome
        return {
            "url": self.url, "agent": self.agent, "seat": outcome.seat, "games": outcome.games, "wins": outcome.wins,
            "draws": outcome.draws, "over": outcome.is_over, "decisions": self.decisions, "problems": self.problems,
            "typical": round(self.median_time, 6), "slowest": round(self.max_time, 6),
        }  # fmt: skip


async def join(
    url: str,
    client: ClientSession,
    name: str,
    agent: Agent,
    seed: int = 0,
    log: Callable[[str], None] = lambda line: None,
    write: WriteRecord | None = None,
) -> JoinResult:
    """Play at a remote table until it sends the result or closes the connection.

    Args:
        url: Address of the table, with scheme, port and path.
        client: Client of the table's protocol.
        name: Specification of the agent, for the result and the records.
        agent: Agent that decides.
        seed: Seed of the agent's random keys.
        log: Function that receives lines for the user.
        write: Function that receives the record of each finished episode, or None.

    Returns:
        Result, number of decisions and their times.

    Raises:
        GameError: No table responds at the address (code ``connection-failed``), or it rejects the client
            (JoinRejectedError).
        OSError: The connection is refused, or the host is unknown; its ``filename`` is the address.
    """
    heading = {"url": url, "agent": name, "seed": format_seed(seed)}
    runner = _ClientRunner(client, agent, seed, log, write and (lambda record: write({**record, **heading})))
    async with await _connect(url) as connection:
        await runner.play(connection)
    median_time, max_time = (median(runner.times), max(runner.times)) if runner.times else (0.0, 0.0)
    return JoinResult(url, name, client.result, runner.decisions, runner.problems, median_time, max_time)


async def _connect(url: str) -> ClientConnection:
    try:
        # No proxy: tables are on the loopback or the local network. No pings: not every server answers them.
        return await connect(
            url,
            compression=None,
            ping_interval=None,
            max_size=MAX_FRAME_BYTES,
            open_timeout=_HANDSHAKE_TIMEOUT,
            close_timeout=_CLOSE_TIMEOUT,
            proxy=None,
        )
    except (InvalidHandshake, InvalidURI, TimeoutError) as error:
        raise GameError(f"{url}: no table there: {str(error) or 'no answer'}", ErrorCode.CONNECTION_FAILED) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)
        text = f"no table there: {reason}; check host and port, and that the server is running"
        raise OSError(error.errno, text, url) from error


class _ClientRunner:
    """Loop that passes messages between a connection and a client."""

    def __init__(
        self, client: ClientSession, agent: Agent, seed: int, log: Callable[[str], None], write: WriteRecord | None
    ) -> None:
        self._client, self._agent, self._seed, self._log, self._write = client, agent, seed, log, write
        self.decisions = self.problems = 0
        self.times: list[float] = []  # seconds

    async def play(self, connection: ClientConnection) -> None:
        """Receive and answer messages until the match ends or the connection closes."""
        try:
            for message in self._client.opening_messages():
                await connection.send(json.dumps(message))
            async for frame in connection:
                answer = await self._answer(frame)
                if answer is not None:
                    await connection.send(json.dumps(answer))
                self._report_updates()
                if self._client.result.is_over:  # some tables leave the connection open
                    return
        except ConnectionClosed:
            pass
        close_reason = connection.close_reason or "no reason given"
        self._log(f"the table closed before it sent the result ({close_reason})")

    def _report_updates(self) -> None:
        """Log pending messages of the client and write its records."""
        for line in self._client.pop_user_messages():
            self._log(line)
        for record in self._client.pop_records():
            if self._write:
                self._write(record)

    async def _answer(self, frame: str | bytes) -> Message | None:
        """Return the answer to a frame, if it is a request; the agent decides in another thread."""
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._report_problem("a frame is not a JSON object")
        elif self._client.is_request(message):
            return await run_in_thread(lambda: self._choose(message))
        else:
            self._handle_message(message)
        return None

    def _handle_message(self, message: Message) -> None:
        try:
            self._client.handle_message(message)
        except JoinRejectedError:
            raise
        except GameError as error:
            self._report_problem(str(error))

    def _choose(self, message: Message) -> Message:
        start = time.perf_counter()
        reply = self._client.reply(message, self._agent, derive_key(self._seed, self.decisions))
        self.times.append(time.perf_counter() - start)
        self.decisions += 1
        if reply.problem:
            self._report_problem(reply.problem)
        return reply.message

    def _report_problem(self, problem: str) -> None:
        self.problems += 1
        self._log(f"decision {self.decisions}: {problem}")
