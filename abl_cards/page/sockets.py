"""A browser at a table: it is shown the table whenever that changes, and what it sends is done or answered."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from abl_cards.agents import Reasoned
from abl_cards.games import GameError
from abl_cards.logic import KBError
from abl_cards.page import advice, frames
from abl_cards.page.bounds import FRAMES, FRAMES_AT_ONCE, LONGEST_FRAME, MOST_AT_A_TABLE, Bucket, printable
from abl_cards.page.chairs import Right
from abl_cards.page.seen import HERE, snapshot, welcome
from abl_cards.page.table import MOST_AT_ONCE, PageTable

if TYPE_CHECKING:
    from abl_cards.page.house import House

HANDSHAKE = 10.0
"""Seconds to say who one is."""
_PACES = 10_000
_BYE, _REFUSED, _CROWDED = 4404, 4401, 4429
log = logging.getLogger(__name__)

Answer = dict[str, Any] | None


class Visitor:
    """One connection."""

    def __init__(self, socket: WebSocket, house: House, table: PageTable) -> None:
        """Nobody yet: the first frame says who."""
        self._socket, self._house, self._table = socket, house, table
        self._token, self._rate = "", Bucket(FRAMES, FRAMES_AT_ONCE)
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._asked: set[asyncio.Task[None]] = set()

    async def stay(self) -> None:
        """Until the connection ends, however it ends."""
        table = self._table
        with suppress(WebSocketDisconnect, RuntimeError):
            if not await self._sit_down():
                return
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
                self._everybody_looks()

    # --- words -------------------------------------------------------------------------------------------------------

    async def _frame(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
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
        """Whether the first frame has a token of this table."""
        try:
            text = await asyncio.wait_for(self._frame(), HANDSHAKE)
            self._token = frames.word(frames.read_object(text[:LONGEST_FRAME]), "token")
        except (GameError, TimeoutError) as problem:
            await self._error(problem or "say who you are")
            await self._socket.close(_REFUSED)
            return False
        if self._table.right_of(self._token) is None:
            await self._error("this link is none of this table's")
            await self._socket.close(_REFUSED)
            return False
        if len(self._table.looking) >= MOST_AT_A_TABLE:
            await self._error("too many people look at this table")
            await self._socket.close(_CROWDED)
            return False
        await self._say(welcome(self._table, self._right))
        return True

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


async def attend(socket: WebSocket, house: House) -> None:
    """A browser comes to a table."""
    await socket.accept()
    try:
        table = await house.table(socket.path_params["table"])
    except (GameError, KBError) as problem:
        with suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_text(json.dumps({"type": "error", "text": str(problem)[:600], "n": None}))
            await socket.close(_BYE)
        return
    await Visitor(socket, house, table).stay()
