"""A seat at somebody else's table, taken by one of our agents."""

from __future__ import annotations

import asyncio
import json
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

MAX_FRAME_BYTES = 64 << 20
"""Bytes; lists of thousands of actions come."""
_HANDSHAKE_TIMEOUT, _CLOSE_TIMEOUT = 20.0, 2.0  # seconds


@dataclass(frozen=True)
class JoinResult:
    """Result of a match at a remote table."""

    url: str
    agent: str
    outcome: SessionResult
    decisions: int
    problems: int  # questions answered by the default choice, messages not understood
    median_time: float  # seconds for a decision, the median
    max_time: float

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        heard = self.outcome
        return {
            "url": self.url, "agent": self.agent, "seat": heard.seat, "games": heard.games, "wins": heard.wins,
            "draws": heard.draws, "over": heard.is_over, "decisions": self.decisions, "problems": self.problems,
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
    """Play at a table until it sends the result or closes; ``write`` gets the record of each episode as it ends.

    Raises GameError if there is no table or it rejects the player, OSError if nothing listens at the address.
    """
    heading = {"url": url, "agent": name, "seed": format_seed(seed)}
    seat = _ClientRunner(client, agent, seed, log, write and (lambda record: write({**record, **heading})))
    try:
        # No proxy: tables stand on the loopback or in the same room. No pings: not every server answers them.
        async with connect(
            url,
            compression=None,
            ping_interval=None,
            max_size=MAX_FRAME_BYTES,
            open_timeout=_HANDSHAKE_TIMEOUT,
            close_timeout=_CLOSE_TIMEOUT,
            proxy=None,
        ) as connection:
            await seat.play(connection)
    except (InvalidHandshake, InvalidURI, TimeoutError) as problem:
        raise GameError(f"{url}: no table there: {str(problem) or 'no answer'}", ErrorCode.CONNECTION_FAILED) from None
    typical, slowest = (median(seat.times), max(seat.times)) if seat.times else (0.0, 0.0)
    return JoinResult(url, name, client.result, seat.decisions, seat.problems, typical, slowest)


class _ClientRunner:
    """The connection's side of a guest."""

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
                self._report_news()
                if self._client.result.is_over:  # not every table closes by itself
                    return
        except ConnectionClosed:
            pass
        reason = connection.close_reason or "no reason given"
        self._log(f"the table closed before it told the result ({reason})")

    def _report_news(self) -> None:
        """Report pending messages of the client to the user."""
        for line in self._client.pop_user_messages():
            self._log(line)
        for record in self._client.pop_records():
            if self._write:
                self._write(record)

    async def _answer(self, frame: str | bytes) -> Message | None:
        """Return the answer to a frame, if it needs one; the agent may take its time."""
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._report_problem("a frame is no JSON object")
        elif self._client.is_request(message):
            return await asyncio.to_thread(self._choose, message)
        else:
            self._handle_message(message)
        return None

    def _handle_message(self, message: Message) -> None:
        try:
            self._client.handle_message(message)
        except JoinRejectedError:
            raise
        except GameError as problem:
            self._report_problem(str(problem))

    def _choose(self, message: Message) -> Message:
        began = time.perf_counter()
        reply = self._client.reply(message, self._agent, derive_key(self._seed, self.decisions))
        self.times.append(time.perf_counter() - began)
        self.decisions += 1
        if reply.problem:
            self._report_problem(reply.problem)
        return reply.message

    def _report_problem(self, problem: str) -> None:
        self.problems += 1
        self._log(f"decision {self.decisions}: {problem}")
