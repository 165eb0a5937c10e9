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
from abl_cards.errors import GameError
from abl_cards.games.service import Guest, Message, Outcome, Refused
from abl_cards.recording import Write
from abl_cards.seeds import seed_text
from abl_cards.streams import key_of

LONGEST_FRAME = 64 << 20
"""Bytes; lists of thousands of actions come."""
_HANDSHAKE, _CLOSING = 20.0, 2.0  # seconds


@dataclass(frozen=True)
class GuestResult:
    """What came of a seat."""

    url: str
    agent: str
    outcome: Outcome
    decisions: int
    problems: int  # questions answered by the default choice, messages not understood
    typical: float  # seconds for a decision, the median
    slowest: float

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        heard = self.outcome
        return {
            "url": self.url, "agent": self.agent, "seat": heard.seat, "games": heard.games, "wins": heard.wins,
            "draws": heard.draws, "over": heard.over, "decisions": self.decisions, "problems": self.problems,
            "typical": round(self.typical, 6), "slowest": round(self.slowest, 6),
        }  # fmt: skip


async def join(
    url: str,
    guest: Guest,
    name: str,
    agent: Agent,
    seed: int = 0,
    log: Callable[[str], None] = lambda line: None,
    write: Write | None = None,
) -> GuestResult:
    """Play at a table until it has told the result or closes; ``write`` is given the record of each episode as it ends.

    Raises GameError where there is no table or none that wants us, OSError where nobody listens.
    """
    heading = {"url": url, "agent": name, "seed": seed_text(seed)}
    seat = _Seat(guest, agent, seed, log, write and (lambda record: write({**record, **heading})))
    try:
        # No proxy: tables stand on the loopback or in the same room. No pings: not every server answers them.
        async with connect(
            url,
            compression=None,
            ping_interval=None,
            max_size=LONGEST_FRAME,
            open_timeout=_HANDSHAKE,
            close_timeout=_CLOSING,
            proxy=None,
        ) as connection:
            await seat.play(connection)
    except (InvalidHandshake, InvalidURI, TimeoutError) as problem:
        raise GameError(f"{url}: no table there: {str(problem) or 'no answer'}") from None
    typical, slowest = (median(seat.times), max(seat.times)) if seat.times else (0.0, 0.0)
    return GuestResult(url, name, guest.outcome, seat.decisions, seat.problems, typical, slowest)


class _Seat:
    """The connection's side of a guest."""

    def __init__(self, guest: Guest, agent: Agent, seed: int, log: Callable[[str], None], write: Write | None) -> None:
        self._guest, self._agent, self._seed, self._log, self._write = guest, agent, seed, log, write
        self.decisions = self.problems = 0
        self.times: list[float] = []  # seconds

    async def play(self, connection: ClientConnection) -> None:
        """Hear and answer until all is told or the connection ends."""
        try:
            for message in self._guest.greeting():
                await connection.send(json.dumps(message))
            async for frame in connection:
                answer = await self._answer(frame)
                if answer is not None:
                    await connection.send(json.dumps(answer))
                self._pass_on()
                if self._guest.outcome.over:  # not every table closes by itself
                    return
        except ConnectionClosed:
            pass
        reason = connection.close_reason or "no reason given"
        self._log(f"the table closed before it told the result ({reason})")

    def _pass_on(self) -> None:
        """What the guest has to tell the user."""
        for line in self._guest.remarks():
            self._log(line)
        for record in self._guest.records():
            if self._write:
                self._write(record)

    async def _answer(self, frame: str | bytes) -> Message | None:
        """What is to be said to a frame; the agent may take its time."""
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._report("a frame is no JSON object")
        elif self._guest.asks(message):
            return await asyncio.to_thread(self._choose, message)
        else:
            self._hear(message)
        return None

    def _hear(self, message: Message) -> None:
        try:
            self._guest.hear(message)
        except Refused:
            raise
        except GameError as problem:
            self._report(str(problem))

    def _choose(self, message: Message) -> Message:
        began = time.perf_counter()
        reply = self._guest.reply(message, self._agent, key_of(self._seed, self.decisions))
        self.times.append(time.perf_counter() - began)
        self.decisions += 1
        if reply.problem:
            self._report(reply.problem)
        return reply.message

    def _report(self, problem: str) -> None:
        self.problems += 1
        self._log(f"decision {self.decisions}: {problem}")
