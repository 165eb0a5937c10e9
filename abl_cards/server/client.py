"""Connection of an external program at a seat of a hosted table.

No fault of a program stops the game. Answers have no number, so they are matched to requests in order. After a request
has timed out, the next answer counts as the late one. If no second answer follows, the program has skipped the
timed-out request, and the answer counts for the current one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import unquote

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from abl_cards.core import escape_controls
from abl_cards.protocols.common import ChoiceRequest, InvalidAnswerError, Message
from abl_cards.server.results import SeatResult

MAX_QUEUED_CHARS = 8 << 20
"""Limit of the characters in a client's queue; a connection that exceeds it is aborted."""
CLOSE_TIMEOUT = 2.0
"""Timeout in seconds for sending the queued messages, and again for the closing handshake."""
_MAX_NAME_LENGTH = 40

Frame = str | bytes
AnswerReader = Callable[[Frame, int], int]
"""Function that reads the choice of a frame among a number of choices; raises InvalidAnswerError."""


class Client:
    """Connection of a program at a seat."""

    def __init__(self, connection: ServerConnection, read_answer: AnswerReader, log: Callable[[str], None]) -> None:
        """Make a client of a connection; the first fault of each kind is logged."""
        path = connection.request.path if connection.request else ""
        self.name = client_name(path)
        self.result = SeatResult(-1, self.name, is_client=True)
        self._connection, self._read, self._log = connection, read_answer, log
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._queued_chars = 0  # characters in the outbox
        self._pending_answer: asyncio.Future[Frame | None] | None = None
        self._late_answers = 0  # timed-out requests whose answers may still arrive
        self._held_answer: Frame | None = None  # answer that may belong to a timed-out request
        self._alive, self._closing = True, False

    async def run(self) -> None:
        """Send and receive until the connection ends or is lost."""
        writing = asyncio.create_task(self._write())
        with suppress(ConnectionClosed):
            async for frame in self._connection:
                self._on_frame(frame)
        writing.cancel()
        self._alive = False
        if not self._closing:
            self._add_fault("lost")
        self._resolve_answer(None)

    def send(self, message: Message) -> None:
        """Queue a message; does nothing after the end of the connection."""
        if not self._alive:
            return
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._queued_chars += len(text)
        self._outbox.put_nowait(text)
        if self._queued_chars > MAX_QUEUED_CHARS:
            self._connection.transport.abort()

    async def request_choice(self, request: ChoiceRequest, timeout: float | None) -> int:
        """Send a request and wait for the answer.

        Args:
            request: Request to the client.
            timeout: Seconds to wait; None for no limit.

        Returns:
            Index of the choice; the default of the request without a valid answer.
        """
        self.result.decisions += 1
        frame = await self._await_answer(request.message, timeout)
        try:
            if frame is not None:
                return self._read(frame, request.num_choices)
        except InvalidAnswerError as error:
            self._add_fault(error.fault)
        self.result.defaults += 1
        return request.default

    async def close(self) -> None:
        """Send the queued messages and close; the connection is aborted after a timeout."""
        self._closing = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wait_until_sent(), CLOSE_TIMEOUT)
            await asyncio.wait_for(self._connection.close(), CLOSE_TIMEOUT)
        self._connection.transport.abort()

    async def _wait_until_sent(self) -> None:
        if self._alive:
            await self._outbox.join()

    async def _await_answer(self, request: Message, timeout: float | None) -> Frame | None:
        if not self._alive:
            return None
        self._pending_answer = asyncio.get_running_loop().create_future()
        self.send(request)
        try:
            return await asyncio.wait_for(self._pending_answer, timeout)
        except TimeoutError:
            return self._on_timeout()
        finally:
            self._pending_answer = self._held_answer = None

    def _on_timeout(self) -> Frame | None:
        if self._held_answer is not None:
            self._late_answers = 0
            return self._held_answer
        self._add_fault("late")
        self._late_answers += 1
        return None

    def _on_frame(self, frame: Frame) -> None:
        if self._late_answers:
            self._late_answers -= 1
            self._held_answer = frame if self._pending_answer else None
        elif self._pending_answer is None or self._pending_answer.done():
            self._add_fault("turn")
        else:
            self._resolve_answer(frame)

    def _resolve_answer(self, frame: Frame | None) -> None:
        if self._pending_answer and not self._pending_answer.done():
            self._pending_answer.set_result(frame)

    def _add_fault(self, kind: str) -> None:
        self.result.faults[kind] += 1
        if self.result.faults[kind] == 1:
            self._log(f"{self.name}: first fault of kind {kind}")

    async def _write(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                text = await self._outbox.get()
                await self._connection.send(text)
                self._queued_chars -= len(text)
                self._outbox.task_done()


def client_name(path: str) -> str:
    """Return the name at the end of a path ``/game/NAME``, shortened and with control characters escaped."""
    name = unquote(path.partition("?")[0]).rstrip("/").rpartition("/")[2]
    return escape_controls(name, one_line=True)[:_MAX_NAME_LENGTH] or "client"
