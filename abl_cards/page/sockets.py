"""A browser at a table: it is shown the table whenever that changes, and what it sends is done or answered."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from abl_cards.agents import Reasoned
from abl_cards.errors import GameError
from abl_cards.logic import KBError
from abl_cards.page import advice, frames
from abl_cards.page.bounds import (
    FRAMES,
    FRAMES_AT_ONCE,
    HANDSHAKE,
    IDLE,
    LONGEST_FRAME,
    MOST_AT_A_TABLE,
    MOST_SOCKETS,
    MOST_SOCKETS_EACH,
    Bucket,
    printable,
)
from abl_cards.page.chairs import Right
from abl_cards.page.fairness import Full, Holding, person_of, yielding
from abl_cards.page.seen import HERE, snapshot, welcome
from abl_cards.page.table import MOST_AT_ONCE, PageTable

if TYPE_CHECKING:
    from abl_cards.page.house import House

_PACES = 10_000
GONE, REFUSED, CROWDED, LATER = 4404, 4401, 4429, 4503
"""Codes by which sockets close: there is no such table, no token, no room, and a table that cannot be opened now."""
log = logging.getLogger(__name__)

Answer = dict[str, Any] | None


class Visitor:
    """One connection."""

    _table: PageTable
    _token = ""

    def __init__(self, socket: WebSocket, house: House) -> None:
        """Nobody yet, and at no table: the first frame says who."""
        self._socket, self._house, self._rate = socket, house, Bucket(FRAMES, FRAMES_AT_ONCE)
        self.person, self.used, self.named = person_of(socket.scope), time.monotonic(), False
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._asked: set[asyncio.Task[None]] = set()
        self._leaving: asyncio.Task[None] | None = None

    async def stay(self) -> None:
        """Until the connection ends, however it ends."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.accept()
            if not await self._sit_down():
                return
            table = self._table
            table.looking[self] = self._token
            self._everybody_looks()
            showing = asyncio.create_task(self._show())
            try:
                while True:
                    await self._take(await self._frame())
            finally:
                showing.cancel()
                for task in self._asked:
                    task.cancel()
                table.looking.pop(self, None)
                table.used = time.monotonic()
                self._everybody_looks()

    def leave(self, code: int) -> None:
        """Close the connection with this code; whoever sits there is not waited for."""
        self._leaving = asyncio.create_task(self._close(code))

    async def _close(self, code: int) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.close(code)

    # --- words -------------------------------------------------------------------------------------------------------

    async def _frame(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        self.used = time.monotonic()
        text = message.get("text")
        return text if text is not None else (message.get("bytes") or b"").decode("utf-8", "replace")

    async def _say(self, message: dict[str, Any]) -> None:
        await self._send(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    async def _send(self, text: str) -> None:
        async with self._sending:
            if self._socket.application_state == WebSocketState.CONNECTED:
                await self._socket.send_text(text)

    async def _error(self, text: object, number: Any = None) -> None:
        await self._say({"type": "error", "text": str(text)[:600], "n": number if type(number) is int else None})

    async def _sit_down(self) -> bool:
        """Whether there is such a table, and the first frame has a token of it; else the connection is closed."""
        name = self._socket.path_params["table"]
        if not self._house.known(name):
            return await self._refuse(GONE, "there is no such table: it was closed, or the page was started anew")
        try:
            text = await asyncio.wait_for(self._frame(), HANDSHAKE)
            self._token = frames.word(frames.read_object(text[:LONGEST_FRAME]), "token")
        except (GameError, TimeoutError) as problem:
            return await self._refuse(REFUSED, problem or "say who you are")
        try:
            table = await self._house.table(name, self._token, self.person)
        except (GameError, KBError) as problem:
            return await self._refuse(LATER, problem)
        except (OSError, RuntimeError):
            log.exception("table %s", name)
            return await self._refuse(LATER, "the table cannot be opened now; see the log of the page")
        if table is None:
            return await self._refuse(REFUSED, "this link is none of this table's")
        self._table, self.named = table, True
        if not self._find_room():
            return await self._refuse(CROWDED, "too many people look at this table")
        await self._say(welcome(self._table, self._right))
        return True

    async def _refuse(self, code: int, text: object) -> bool:
        await self._error(text)
        await self._socket.close(code)
        return False

    def _find_room(self) -> bool:
        """Whether one more may look at the table: who only looks on makes room for others, and for who sits there."""
        looking = [each for each in self._table.looking if isinstance(each, Visitor)]
        holdings = [Holding(each, each.person, each.sits, each.used) for each in looking]
        try:
            other = yielding(self.person, holdings, MOST_AT_A_TABLE, MOST_AT_A_TABLE, time.monotonic(), IDLE)
        except Full:
            return False
        if other is not None:
            self._table.looking.pop(other)
            other.leave(CROWDED)
        return True

    @property
    def sits(self) -> bool:
        """Whether a seat is theirs, or the table."""
        return self._right.owner or self._right.chair is not None

    @property
    def _right(self) -> Right:
        return self._table.right_of(self._token) or Right()

    # --- showing -----------------------------------------------------------------------------------------------------

    def _everybody_looks(self) -> None:
        for visitor in list(self._table.looking):
            assert isinstance(visitor, Visitor)
            visitor._changed.set()
        self._table.told = self._everybody_looks
        self._table.wake.set()

    async def _show(self) -> None:
        """Send the table as often as it changes, and no oftener than the browser takes it."""
        last = ""
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._changed.wait()
                self._changed.clear()
                try:
                    async with self._table.lock:
                        seen = await self._house.desk.ask(lambda: snapshot(self._table, self._right))
                except GameError as problem:
                    seen = {"type": "error", "text": str(problem)[:600], "n": None}
                text = json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
                if text != last:
                    last = text
                    await self._send(text)

    # --- doing -------------------------------------------------------------------------------------------------------

    async def _take(self, text: str) -> None:
        """Do what a frame says, or say what is wrong with it."""
        while not self._rate.take():  # the browser waits: nothing is lost, and nobody else is kept
            await asyncio.sleep(1 / FRAMES)
        if len(text.encode("utf-8", "replace")) > LONGEST_FRAME:
            await self._error(f"a frame has {LONGEST_FRAME} bytes at most")
            return
        number = None
        try:
            message = frames.read_object(text)
            number = message.get("n")
            do = _DOINGS.get(frames.word(message, "do"))
            if do is None:
                raise GameError(f"'{message['do'][:40]}' cannot be done; there are: {', '.join(_DOINGS)}")
        except GameError as problem:
            await self._error(problem, number)
            return
        if do in _SLOW:
            if len(self._asked) >= 2:
                await self._error("one question after the other", number)
                return
            task = asyncio.create_task(self._do(do, message, number))
            self._asked.add(task)
            task.add_done_callback(self._asked.discard)
        else:
            await self._do(do, message, number)

    async def _do(self, do: Doing, message: dict[str, Any], number: Any) -> None:
        try:
            answer = await do(self, message)
        except (GameError, KBError) as problem:
            await self._error(problem, number)
        except (WebSocketDisconnect, RuntimeError):
            return
        except Exception:
            log.exception("frame %s", str(message)[:200])
            await self._error("the page has failed at this; see its log", number)
        else:
            if answer is not None:
                await self._say(answer | {"n": number})

    async def _change(self, change: Callable[[], None]) -> None:
        """Change the table, and show it to everybody."""
        self._table.used = time.monotonic()
        async with self._table.lock:
            await self._house.desk.ask(change)
        self._everybody_looks()

    async def _play(self, message: dict[str, Any]) -> Answer:
        at = frames.number(message, "at", 0, 1 << 30)
        await self._change(lambda: self._table.play(self._right, message.get("value"), at))
        return None

    async def _choose(self, message: dict[str, Any]) -> Answer:
        at, values = frames.number(message, "at", 0, 1 << 30), frames.values(message, "values", MOST_AT_ONCE)
        await self._change(lambda: self._table.choose(self._right, values, at))
        return None

    async def _pick(self, message: dict[str, Any]) -> Answer:
        picked, at, table = frames.cards(message), frames.number(message, "at", 0, 1 << 30), self._table

        def look() -> dict[str, Any]:
            table.check_turn(self._right, at)
            if not table.tables.playing().size:
                raise GameError("nothing is played now, something is chosen")
            return table.picking().picked(picked)

        async with table.lock:
            return {"type": "picked", **await self._house.desk.ask(look)}

    async def _hint(self, message: dict[str, Any]) -> Answer:
        language, name = _language(message), frames.word(message, "agent", "kb")
        told = await self._advise(message, lambda player, moment: advice.hint(
            self._table.engine, player, moment, language, self._table.tables), name)  # fmt: skip
        return {"type": "hint", "agent": name, **told}

    async def _why(self, message: dict[str, Any]) -> Answer:
        language, name, value = _language(message), frames.word(message, "agent", "kb"), message.get("value")
        told = await self._advise(message, lambda player, moment: advice.why(
            self._table.engine, player, moment, value, language, self._table.tables), name)  # fmt: skip
        return {"type": "why", "agent": name, **told}

    async def _advise(
        self, message: dict[str, Any], ask: Callable[[Reasoned, Any], dict[str, Any]], name: str
    ) -> dict[str, Any]:
        table, at = self._table, frames.number(message, "at", 0, 1 << 30)

        def asked() -> dict[str, Any]:
            table.check_turn(self._right, at)
            player = self._house.desk.agent(name, table.engine)
            if not isinstance(player, Reasoned):
                raise GameError(f"agent '{name}' decides by no preferences: ask kb, or a variant of it")
            playing = table.tables.playing().size
            asked = table.tables.decisions(HERE) if playing else table.tables.choices(HERE)
            return ask(player, table.engine.look(asked))

        async with table.lock:
            return {"at": at, **await self._house.desk.ask(asked)}

    async def _back(self, message: dict[str, Any]) -> Answer:
        await self._change(lambda: self._table.take_back(self._right))
        return None

    async def _go(self, message: dict[str, Any]) -> Answer:
        await self._change(lambda: self._table.go_on(self._right))
        return None

    async def _again(self, message: dict[str, Any]) -> Answer:
        await self._change(lambda: self._table.again(self._right))
        return None

    async def _seat(self, message: dict[str, Any]) -> Answer:
        """Give a seat to an agent, or to a person."""
        seat, player = frames.number(message, "seat", 0, 63), frames.word(message, "player")
        table = self._table

        def change() -> None:
            if player == "person":
                table.seat_person(self._right, seat, printable(frames.word(message, "name", "")))
            else:
                table.seat_agent(self._right, seat, player[:80], self._house.desk.agent(player, table.engine))

        await self._change(change)
        return None

    async def _name(self, message: dict[str, Any]) -> Answer:
        name = printable(frames.word(message, "name"))
        await self._change(lambda: self._table.rename(self._right, name))
        return None

    async def _pace(self, message: dict[str, Any]) -> Answer:
        """How many milliseconds agents wait before they decide."""
        if self._right.seat is None and not self._right.owner:
            raise GameError("you only look on")
        self._table.pace = frames.number(message, "ms", 0, _PACES) / 1000
        self._everybody_looks()
        return None

    async def _record(self, message: dict[str, Any]) -> Answer:
        """The episodes that have ended."""
        async with self._table.lock:
            return {"type": "record", "records": await self._house.desk.ask(lambda: self._table.records(self._right))}


Doing = Callable[[Visitor, dict[str, Any]], Coroutine[Any, Any, Answer]]
_SLOW = {Visitor._hint, Visitor._why, Visitor._record}
_DOINGS: dict[str, Doing] = {
    "pick": Visitor._pick, "play": Visitor._play, "choose": Visitor._choose, "hint": Visitor._hint,
    "why": Visitor._why, "back": Visitor._back, "go": Visitor._go, "again": Visitor._again, "seat": Visitor._seat,
    "name": Visitor._name, "pace": Visitor._pace, "record": Visitor._record,
}  # fmt: skip


def _language(message: dict[str, Any]) -> str:
    language = frames.word(message, "lang", "en")
    if language not in ("en", "zh"):
        raise GameError("lang: en or zh is wanted")
    return language


class Doors:
    """The connections to all tables: where there are too many, others make room for who comes."""

    def __init__(self, house: House) -> None:
        """Nobody is there."""
        self._house, self._visitors = house, set[Visitor]()

    async def attend(self, socket: WebSocket) -> None:
        """A browser comes to a table, and stays until the connection ends."""
        visitor = Visitor(socket, self._house)
        holdings = [Holding(each, each.person, each.named, each.used) for each in self._visitors]
        try:
            other = yielding(visitor.person, holdings, MOST_SOCKETS, MOST_SOCKETS_EACH, visitor.used, IDLE)
        except Full:
            await socket.close(CROWDED)
            return
        if other is not None:
            self._visitors.discard(other)
            other.leave(CROWDED)
        self._visitors.add(visitor)
        try:
            await visitor.stay()
        finally:
            self._visitors.discard(visitor)
