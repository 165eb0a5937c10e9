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

from abl_cards.agents import ExplainableAgent
from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.web import hints, schemas
from abl_cards.web.fairness import Allocation, CapacityError, choose_eviction, get_client_id
from abl_cards.web.limits import (
    FRAME_BURST,
    FRAME_RATE,
    HANDSHAKE_TIMEOUT,
    IDLE_TIMEOUT,
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_CLIENT,
    MAX_CONNECTIONS_PER_TABLE,
    MAX_FRAME_BYTES,
    TokenBucket,
    sanitise_name,
)
from abl_cards.web.seats import Permission
from abl_cards.web.snapshot import ONLY_TABLE, make_snapshot, make_welcome
from abl_cards.web.table import MAX_CHOICES_PER_FRAME, WebTable

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby

_MAX_DELAY_MS = 10_000
CLOSE_NOT_FOUND, CLOSE_UNAUTHORIZED, CLOSE_CAPACITY, CLOSE_UNAVAILABLE = 4404, 4401, 4429, 4503
"""Codes by which sockets close: there is no such table, no token, no room, and a table that cannot be opened now."""
log = logging.getLogger(__name__)

Reply = dict[str, Any] | None


class BrowserConnection:
    """One connection."""

    _table: WebTable
    _token = ""

    def __init__(self, socket: WebSocket, lobby: Lobby) -> None:
        """Make a connection without a table; its first frame authenticates it."""
        self._socket, self._lobby, self._rate_limiter = socket, lobby, TokenBucket(FRAME_RATE, FRAME_BURST)
        self.client_id, self.last_used, self.is_authenticated = get_client_id(socket.scope), time.monotonic(), False
        self._change_event = asyncio.Event()
        self._send_lock = asyncio.Lock()
        self._slow_tasks: set[asyncio.Task[None]] = set()
        self._close_task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Until the connection ends, however it ends."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.accept()
            if not await self._authenticate():
                return
            table = self._table
            table.viewers[self] = self._token
            self._notify_all()
            showing = asyncio.create_task(self._send_snapshots())
            try:
                while True:
                    await self._handle_frame(await self._receive_frame())
            finally:
                showing.cancel()
                for task in self._slow_tasks:
                    task.cancel()
                table.viewers.pop(self, None)
                table.last_used = time.monotonic()
                self._notify_all()

    def close(self, code: int) -> None:
        """Close the connection with this code without waiting for the client."""
        self._close_task = asyncio.create_task(self._close_socket(code))

    async def _close_socket(self, code: int) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.close(code)

    # --- words -------------------------------------------------------------------------------------------------------

    async def _receive_frame(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        self.last_used = time.monotonic()
        text = message.get("text")
        return text if text is not None else (message.get("bytes") or b"").decode("utf-8", "replace")

    async def _send_json(self, message: dict[str, Any]) -> None:
        await self._send(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    async def _send(self, text: str) -> None:
        async with self._send_lock:
            if self._socket.application_state == WebSocketState.CONNECTED:
                await self._socket.send_text(text)

    async def _send_error(self, text: object, number: Any = None) -> None:
        await self._send_json({"type": "error", "text": str(text)[:600], "n": number if type(number) is int else None})

    async def _authenticate(self) -> bool:
        """Return whether the table exists and the first frame has a valid token; otherwise the connection is closed."""
        name = self._socket.path_params["table"]
        if not self._lobby.has_table(name):
            return await self._reject(
                CLOSE_NOT_FOUND, "there is no such table: it was closed, or the page was started anew"
            )
        try:
            text = await asyncio.wait_for(self._receive_frame(), HANDSHAKE_TIMEOUT)
            self._token = schemas.get_text(schemas.parse_object(text[:MAX_FRAME_BYTES]), "token")
        except (GameError, TimeoutError) as problem:
            return await self._reject(CLOSE_UNAUTHORIZED, problem or "say who you are")
        try:
            table = await self._lobby.find_table(name, self._token, self.client_id)
        except (GameError, KBError) as problem:
            return await self._reject(CLOSE_UNAVAILABLE, problem)
        except (OSError, RuntimeError):
            log.exception("table %s", name)
            return await self._reject(CLOSE_UNAVAILABLE, "the table cannot be opened now; see the log of the page")
        if table is None:
            return await self._reject(CLOSE_UNAUTHORIZED, "this link is none of this table's")
        self._table, self.is_authenticated = table, True
        if not self._evict_spectator():
            return await self._reject(CLOSE_CAPACITY, "too many people look at this table")
        await self._send_json(make_welcome(self._table, self._permission))
        return True

    async def _reject(self, code: int, text: object) -> bool:
        await self._send_error(text)
        await self._socket.close(code)
        return False

    def _evict_spectator(self) -> bool:
        """Disconnect a spectator to free a place for a player or another spectator; returns whether one was found."""
        looking = [each for each in self._table.viewers if isinstance(each, BrowserConnection)]
        holdings = [Allocation(each, each.client_id, each.is_seated, each.last_used) for each in looking]
        try:
            other = choose_eviction(
                self.client_id,
                holdings,
                MAX_CONNECTIONS_PER_TABLE,
                MAX_CONNECTIONS_PER_TABLE,
                time.monotonic(),
                IDLE_TIMEOUT,
            )
        except CapacityError:
            return False
        if other is not None:
            self._table.viewers.pop(other)
            other.close(CLOSE_CAPACITY)
        return True

    @property
    def is_seated(self) -> bool:
        """Whether the client has a seat or owns the table."""
        return self._permission.is_owner or self._permission.own_seat is not None

    @property
    def _permission(self) -> Permission:
        return self._table.permission_of(self._token) or Permission()

    # --- showing -----------------------------------------------------------------------------------------------------

    def _notify_all(self) -> None:
        for visitor in list(self._table.viewers):
            assert isinstance(visitor, BrowserConnection)
            visitor._change_event.set()
        self._table.on_change = self._notify_all
        self._table.wake.set()

    async def _send_snapshots(self) -> None:
        """Send the table as often as it changes, and no oftener than the browser takes it."""
        last = ""
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._change_event.wait()
                self._change_event.clear()
                try:
                    async with self._table.lock:
                        seen = await self._lobby.executor.run(lambda: make_snapshot(self._table, self._permission))
                except GameError as problem:
                    seen = {"type": "error", "text": str(problem)[:600], "n": None}
                text = json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
                if text != last:
                    last = text
                    await self._send(text)

    # --- doing -------------------------------------------------------------------------------------------------------

    async def _handle_frame(self, text: str) -> None:
        """Handle a frame, or report its error."""
        while not self._rate_limiter.try_acquire():  # the browser waits: nothing is lost, and nobody else is kept
            await asyncio.sleep(1 / FRAME_RATE)
        if len(text.encode("utf-8", "replace")) > MAX_FRAME_BYTES:
            await self._send_error(f"a frame has {MAX_FRAME_BYTES} bytes at most")
            return
        number = None
        try:
            message = schemas.parse_object(text)
            number = message.get("n")
            do = _HANDLERS.get(schemas.get_text(message, "do"))
            if do is None:
                raise GameError(
                    f"'{message['do'][:40]}' cannot be done; there are: {', '.join(_HANDLERS)}",
                    ErrorCode.INVALID_REQUEST,
                )
        except GameError as problem:
            await self._send_error(problem, number)
            return
        if do in _SLOW_HANDLERS:
            if len(self._slow_tasks) >= 2:
                await self._send_error("one question after the other", number)
                return
            task = asyncio.create_task(self._run_handler(do, message, number))
            self._slow_tasks.add(task)
            task.add_done_callback(self._slow_tasks.discard)
        else:
            await self._run_handler(do, message, number)

    async def _run_handler(self, do: Handler, message: dict[str, Any], number: Any) -> None:
        try:
            answer = await do(self, message)
        except (GameError, KBError) as problem:
            await self._send_error(problem, number)
        except (WebSocketDisconnect, RuntimeError):
            return
        except Exception:
            log.exception("frame %s", str(message)[:200])
            await self._send_error("the page has failed at this; see its log", number)
        else:
            if answer is not None:
                await self._send_json(answer | {"n": number})

    async def _change_table(self, change: Callable[[], None]) -> None:
        """Change the table, and show it to everybody."""
        self._table.last_used = time.monotonic()
        async with self._table.lock:
            await self._lobby.executor.run(change)
        self._notify_all()

    async def _play(self, message: dict[str, Any]) -> Reply:
        at = schemas.get_int(message, "at", 0, 1 << 30)
        await self._change_table(lambda: self._table.play(self._permission, message.get("value"), at))
        return None

    async def _choose(self, message: dict[str, Any]) -> Reply:
        at, values = (
            schemas.get_int(message, "at", 0, 1 << 30),
            schemas.get_list(message, "values", MAX_CHOICES_PER_FRAME),
        )
        await self._change_table(lambda: self._table.choose(self._permission, values, at))
        return None

    async def _pick(self, message: dict[str, Any]) -> Reply:
        picked, at, table = schemas.get_cards(message), schemas.get_int(message, "at", 0, 1 << 30), self._table

        def look() -> dict[str, Any]:
            table.check_turn(self._permission, at)
            if not table.tables.rows_to_play().size:
                raise GameError("the current decision is a choice, not a play", ErrorCode.OUT_OF_TURN)
            return table.get_selection().interpret(picked)

        async with table.lock:
            return {"type": "picked", **await self._lobby.executor.run(look)}

    async def _hint(self, message: dict[str, Any]) -> Reply:
        language, name = _get_language(message), schemas.get_text(message, "agent", "kb")
        told = await self._run_advice(message, lambda player, moment: hints.compute_hint(
            self._table.engine, player, moment, language, self._table.tables), name)  # fmt: skip
        return {"type": "hint", "agent": name, **told}

    async def _why(self, message: dict[str, Any]) -> Reply:
        language, name, value = _get_language(message), schemas.get_text(message, "agent", "kb"), message.get("value")
        told = await self._run_advice(message, lambda player, moment: hints.explain_move(
            self._table.engine, player, moment, value, language, self._table.tables), name)  # fmt: skip
        return {"type": "why", "agent": name, **told}

    async def _run_advice(
        self, message: dict[str, Any], ask: Callable[[ExplainableAgent, Any], dict[str, Any]], name: str
    ) -> dict[str, Any]:
        table, at = self._table, schemas.get_int(message, "at", 0, 1 << 30)

        def asked() -> dict[str, Any]:
            table.check_turn(self._permission, at)
            player = self._lobby.executor.agent(name, table.engine)
            if not isinstance(player, ExplainableAgent):
                raise GameError(
                    f"agent '{name}' has no preferences to explain: use kb or a variant",
                    ErrorCode.AGENT_NOT_APPLICABLE,
                )
            playing = table.tables.rows_to_play().size
            asked = table.tables.decisions(ONLY_TABLE) if playing else table.tables.choices(ONLY_TABLE)
            return ask(player, table.engine.decision_point_at(asked))

        async with table.lock:
            return {"at": at, **await self._lobby.executor.run(asked)}

    async def _take_back(self, message: dict[str, Any]) -> Reply:
        await self._change_table(lambda: self._table.take_back(self._permission))
        return None

    async def _continue_match(self, message: dict[str, Any]) -> Reply:
        await self._change_table(lambda: self._table.continue_match(self._permission))
        return None

    async def _start_next_match(self, message: dict[str, Any]) -> Reply:
        await self._change_table(lambda: self._table.start_next_match(self._permission))
        return None

    async def _assign_seat(self, message: dict[str, Any]) -> Reply:
        """Give a seat to an agent, or to a person."""
        seat, player = schemas.get_int(message, "seat", 0, 63), schemas.get_text(message, "player")
        table = self._table

        def change() -> None:
            if player == "person":
                table.seat_person(self._permission, seat, sanitise_name(schemas.get_text(message, "name", "")))
            else:
                table.seat_agent(self._permission, seat, player[:80], self._lobby.executor.agent(player, table.engine))

        await self._change_table(change)
        return None

    async def _rename(self, message: dict[str, Any]) -> Reply:
        name = sanitise_name(schemas.get_text(message, "name"))
        await self._change_table(lambda: self._table.rename(self._permission, name))
        return None

    async def _set_agent_delay(self, message: dict[str, Any]) -> Reply:
        """Set the delay of agents before they decide, in milliseconds."""
        if self._permission.seat is None and not self._permission.is_owner:
            raise GameError("spectators cannot act", ErrorCode.NOT_ALLOWED)
        self._table.agent_delay = schemas.get_int(message, "ms", 0, _MAX_DELAY_MS) / 1000
        self._notify_all()
        return None

    async def _get_records(self, message: dict[str, Any]) -> Reply:
        """The episodes that have ended."""
        async with self._table.lock:
            return {
                "type": "record",
                "records": await self._lobby.executor.run(lambda: self._table.records(self._permission)),
            }


Handler = Callable[[BrowserConnection, dict[str, Any]], Coroutine[Any, Any, Reply]]
_SLOW_HANDLERS = {BrowserConnection._hint, BrowserConnection._why, BrowserConnection._get_records}
_HANDLERS: dict[str, Handler] = {
    "pick": BrowserConnection._pick, "play": BrowserConnection._play, "choose": BrowserConnection._choose,
    "hint": BrowserConnection._hint,
    "why": BrowserConnection._why, "back": BrowserConnection._take_back, "go": BrowserConnection._continue_match,
    "again": BrowserConnection._start_next_match, "seat": BrowserConnection._assign_seat,
    "name": BrowserConnection._rename, "pace": BrowserConnection._set_agent_delay,
    "record": BrowserConnection._get_records,
}  # fmt: skip


def _get_language(message: dict[str, Any]) -> str:
    language = schemas.get_text(message, "lang", "en")
    if language not in ("en", "zh"):
        raise GameError("lang: expected en or zh", ErrorCode.INVALID_REQUEST)
    return language


class ConnectionManager:
    """The connections to all tables: where there are too many, others make room for who comes."""

    def __init__(self, lobby: Lobby) -> None:
        """Nobody is there."""
        self._lobby, self._connections = lobby, set[BrowserConnection]()

    async def serve_socket(self, socket: WebSocket) -> None:
        """A browser comes to a table, and stays until the connection ends."""
        visitor = BrowserConnection(socket, self._lobby)
        holdings = [
            Allocation(each, each.client_id, each.is_authenticated, each.last_used) for each in self._connections
        ]
        try:
            other = choose_eviction(
                visitor.client_id,
                holdings,
                MAX_CONNECTIONS,
                MAX_CONNECTIONS_PER_CLIENT,
                visitor.last_used,
                IDLE_TIMEOUT,
            )
        except CapacityError:
            await socket.close(CLOSE_CAPACITY)
            return
        if other is not None:
            self._connections.discard(other)
            other.close(CLOSE_CAPACITY)
        self._connections.add(visitor)
        try:
            await visitor.run()
        finally:
            self._connections.discard(visitor)
