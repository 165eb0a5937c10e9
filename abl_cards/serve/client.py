"""Somebody else's program on one of our seats: it may die, stall, talk out of turn, or talk nonsense.

Nothing it does stops the game. Answers carry no number, so they are taken in order: after a question was given up,
the next answer is held to belong to it. Where no second answer comes, the client had skipped the question, and the one
that did come is taken.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import unquote

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from abl_cards.games.service import BadAnswer, Message, Request
from abl_cards.serve.results import SeatResult

MOST_WAITING = 8 << 20
"""Characters that may wait to be sent; a client that reads none is let go."""
CLOSING = 2.0
"""Seconds to say what is left to say, and as many to say good-bye."""
_LONGEST_NAME = 40

Frame = str | bytes
Read = Callable[[Frame, int], int]
"""The choice of an answer among so many; raises BadAnswer."""


class Client:
    """A connection on a seat."""

    def __init__(self, connection: ServerConnection, read: Read, log: Callable[[str], None]) -> None:
        """A client whose answers are read so; the log is told of its first fault of each kind."""
        path = connection.request.path if connection.request else ""
        self.name = client_name(path)
        self.result = SeatResult(-1, self.name, client=True)
        self._connection, self._read, self._log = connection, read, log
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._waiting = 0  # characters in the outbox
        self._asked: asyncio.Future[Frame | None] | None = None
        self._owed = 0  # questions given up whose answers may still come
        self._held: Frame | None = None  # an answer that may belong to one of them
        self._alive, self._leaving = True, False

    async def attend(self) -> None:
        """Send and receive until the connection ends, however it ends."""
        writing = asyncio.create_task(self._write())
        with suppress(ConnectionClosed):
            async for frame in self._connection:
                self._take(frame)
        writing.cancel()
        self._alive = False
        if not self._leaving:
            self._fault("lost")
        self._settle(None)

    def tell(self, message: Message) -> None:
        """Send a message when the client is ready for it."""
        if not self._alive:
            return
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._waiting += len(text)
        self._outbox.put_nowait(text)
        if self._waiting > MOST_WAITING:
            self._connection.transport.abort()

    async def ask(self, request: Request, patience: float | None) -> int:
        """Its choice; the default one where it makes none."""
        self.result.decisions += 1
        frame = await self._await_answer(request.message, patience)
        try:
            if frame is not None:
                return self._read(frame, request.choices)
        except BadAnswer as problem:
            self._fault(problem.fault)
        self.result.defaults += 1
        return request.default

    async def leave(self) -> None:
        """Say what is left to say, and good-bye; who reads neither is not waited for."""
        self._leaving = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._drained(), CLOSING)
            await asyncio.wait_for(self._connection.close(), CLOSING)
        self._connection.transport.abort()

    async def _drained(self) -> None:
        if self._alive:
            await self._outbox.join()

    async def _await_answer(self, question: Message, patience: float | None) -> Frame | None:
        if not self._alive:
            return None
        self._asked = asyncio.get_running_loop().create_future()
        self.tell(question)
        try:
            return await asyncio.wait_for(self._asked, patience)
        except TimeoutError:
            return self._give_up()
        finally:
            self._asked = self._held = None

    def _give_up(self) -> Frame | None:
        if self._held is not None:
            self._owed = 0
            return self._held
        self._fault("late")
        self._owed += 1
        return None

    def _take(self, frame: Frame) -> None:
        if self._owed:
            self._owed -= 1
            self._held = frame if self._asked else None
        elif self._asked is None or self._asked.done():
            self._fault("turn")
        else:
            self._settle(frame)

    def _settle(self, frame: Frame | None) -> None:
        if self._asked and not self._asked.done():
            self._asked.set_result(frame)

    def _fault(self, kind: str) -> None:
        self.result.faults[kind] += 1
        if self.result.faults[kind] == 1:
            self._log(f"{self.name}: first fault of kind {kind}")

    async def _write(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                text = await self._outbox.get()
                await self._connection.send(text)
                self._waiting -= len(text)
                self._outbox.task_done()


def client_name(path: str) -> str:
    """The name at the end of ``/game/NAME``, fit to be printed."""
    name = unquote(path.partition("?")[0]).rstrip("/").rpartition("/")[2][:_LONGEST_NAME]
    return "".join(letter if letter.isprintable() else "?" for letter in name) or "client"
