"""Web socket of a browser at a table: sends snapshots when the table changes, and handles requests."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.web import schemas
from abl_cards.web.advice_requests import AdviceRequests, Reply, get_clock
from abl_cards.web.error_json import error_json
from abl_cards.web.fairness import CapacityError, choose_eviction, get_client_id
from abl_cards.web.hand_groups import group_seat
from abl_cards.web.limits import (
    FRAME_BURST,
    FRAME_RATE,
    HANDSHAKE_TIMEOUT,
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_CLIENT,
    MAX_CONNECTIONS_PER_TABLE,
    MAX_FRAME_BYTES,
    TokenBucket,
    sanitise_name,
)
from abl_cards.web.seats import Permission
from abl_cards.web.snapshot import make_snapshot, make_welcome, may_see_hands
from abl_cards.web.table import MAX_CHOICES_PER_FRAME
from abl_cards.web.think_time import get_think_ms, set_think_ms

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby

_MAX_DELAY_MS = 10_000
_MAX_SLOW_REQUESTS = 3
"""Requests of one client that are computed at once, such as a hint, a judgement and the groups of the hand."""
CLOSE_NOT_FOUND, CLOSE_UNAUTHORIZED, CLOSE_CAPACITY, CLOSE_UNAVAILABLE = 4404, 4401, 4429, 4503
"""Close codes of web sockets: unknown table, invalid token, capacity reached, table cannot be restored."""
log = logging.getLogger(__name__)


class BrowserConnection(AdviceRequests):
    """Connection of one browser to a table."""

    _token = ""
    _opens_hands = False

    def __init__(self, socket: WebSocket, lobby: Lobby) -> None:
        """Make a connection without a table; its first frame authenticates it."""
        self._socket, self._lobby, self._rate_limiter = socket, lobby, TokenBucket(FRAME_RATE, FRAME_BURST)
        self.client_id, self.last_used, self.is_authenticated = get_client_id(socket.scope), time.monotonic(), False
        self._change_event = asyncio.Event()
        self._send_lock = asyncio.Lock()
        self._slow_tasks: set[asyncio.Task[None]] = set()
        self._close_task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve the connection until it ends."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.accept()
            if not await self._authenticate():
                return
            table = self._table
            table.viewers[self] = self._token
            table.mark_taken(self._token)
            self._notify_all()
            snapshot_task = asyncio.create_task(self._send_snapshots())
            try:
                while True:
                    await self._handle_frame(await self._receive_frame())
            finally:
                snapshot_task.cancel()
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

    # --- messages -----------------------------------------------------------------------------------------------------

    async def _receive_frame(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        self.last_used = time.monotonic()
        text = message.get("text")
        return text if text is not None else (message.get("bytes") or b"").decode("utf-8", "replace")

    async def _send_json(self, message: dict[str, Any]) -> None:
        await self._send(schemas.encode_json(message).decode())

    async def _send(self, text: str) -> None:
        async with self._send_lock:
            if self._socket.application_state == WebSocketState.CONNECTED:
                await self._socket.send_text(text)

    async def _send_error(self, text: object, number: int | None = None) -> None:
        await self._send_json(_error_json(text, number))

    async def _authenticate(self) -> bool:
        """Return whether the table exists and the first frame has a valid token; otherwise the connection is closed."""
        name = self._socket.path_params["table"]
        if not self._lobby.has_table(name):
            return await self._reject(CLOSE_NOT_FOUND, "unknown table: it was closed, or the server was restarted")
        try:
            text = await asyncio.wait_for(self._receive_frame(), HANDSHAKE_TIMEOUT)
            self._token = schemas.get_text(schemas.parse_object(text[:MAX_FRAME_BYTES]), "token")
        except (GameError, TimeoutError) as error:
            return await self._reject(CLOSE_UNAUTHORIZED, error or "no token in time")
        try:
            table = await self._lobby.find_table(name, self._token, self.client_id)
        except (GameError, KBError) as error:
            return await self._reject(CLOSE_UNAVAILABLE, error)
        except (OSError, RuntimeError):
            log.exception("table %s", name)
            return await self._reject(CLOSE_UNAVAILABLE, "the table cannot be restored; see the log of the server")
        if table is None:
            return await self._reject(CLOSE_UNAUTHORIZED, "the link is not valid for this table")
        self._table, self.is_authenticated = table, True
        if not self._evict_spectator():
            return await self._reject(CLOSE_CAPACITY, "too many spectators at this table")
        await self._send_json(make_welcome(self._table, self._permission))
        return True

    async def _reject(self, code: int, text: object) -> bool:
        await self._send_error(text)
        await self._socket.close(code)
        return False

    def _evict_spectator(self) -> bool:
        """Disconnect a spectator to free a place for a player or another spectator; returns whether one was found."""
        viewers = self._table.viewers
        try:
            evicted = choose_eviction(
                self.client_id, viewers, MAX_CONNECTIONS_PER_TABLE, is_busy=lambda item: item.is_seated
            )
        except CapacityError:
            return False
        if evicted is not None:
            viewers.pop(evicted)
            evicted.close(CLOSE_CAPACITY)
        return True

    @property
    def is_seated(self) -> bool:
        """True if the client has a seat or owns the table."""
        return self._permission.is_owner or self._permission.own_seat is not None

    @property
    def _permission(self) -> Permission:
        permission = self._table.permission_of(self._token) or Permission()
        return replace(permission, sees_hands=self._opens_hands and may_see_hands(self._table, permission))

    # --- snapshots ----------------------------------------------------------------------------------------------------

    def _notify_all(self) -> None:
        for viewer in list(self._table.viewers):
            viewer._change_event.set()
        self._table.on_change = self._notify_all
        self._table.wake.set()

    async def _send_snapshots(self) -> None:
        """Send a snapshot after each change, not faster than the browser receives them."""
        last = ""
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._change_event.wait()
                self._change_event.clear()
                try:
                    async with self._table.lock:
                        snapshot = await self._lobby.executor.run(lambda: make_snapshot(self._table, self._permission))
                except GameError as error:
                    snapshot = _error_json(error, None)
                text = schemas.encode_json(snapshot).decode()
                if text != last:
                    last = text
                    await self._send(text)
                    self._lobby.on_first_view()

    # --- requests -----------------------------------------------------------------------------------------------------

    async def _handle_frame(self, text: str) -> None:
        """Handle a frame, or report its error."""
        while not self._rate_limiter.try_acquire():  # delays this client only; no frame is lost
            await asyncio.sleep(1 / FRAME_RATE)
        if len(text.encode("utf-8", "replace")) > MAX_FRAME_BYTES:
            too_large = f"the frame is larger than {MAX_FRAME_BYTES} bytes"
            await self._send_error(GameError(too_large, ErrorCode.TOO_LARGE))
            return
        request_number = None
        try:
            message = schemas.parse_object(text)
            request_number = message["n"] if type(message.get("n")) is int else None
            handler = _HANDLERS.get(schemas.get_text(message, "do"))
            if handler is None:
                raise GameError(
                    f"unknown request '{message['do'][:40]}'; known: {', '.join(_HANDLERS)}",
                    ErrorCode.INVALID_REQUEST,
                )
        except GameError as error:
            await self._send_error(error, request_number)
            return
        if handler in _SLOW_HANDLERS:
            if len(self._slow_tasks) >= _MAX_SLOW_REQUESTS:
                problem = GameError("too many requests at once: wait for an answer", ErrorCode.TOO_MANY_REQUESTS)
                await self._send_error(problem, request_number)
                return
            task = asyncio.create_task(self._run_handler(handler, message, request_number))
            self._slow_tasks.add(task)
            task.add_done_callback(self._slow_tasks.discard)
        else:
            await self._run_handler(handler, message, request_number)

    async def _run_handler(self, handler: Handler, message: dict[str, Any], request_number: int | None) -> None:
        try:
            answer = await handler(self, message)
            if answer is not None:
                await self._send_json(answer | {"n": request_number})
        except (GameError, KBError) as error:
            await self._send_error(error, request_number)
        except (WebSocketDisconnect, RuntimeError):
            return
        except Exception:
            log.exception("frame %s", str(message)[:200])
            problem = GameError("internal error; see the log of the server", ErrorCode.INTERNAL_ERROR)
            await self._send_error(problem, request_number)

    async def _change_table(self, change: Callable[[], None]) -> Reply:
        """Change the table and notify all viewers."""
        self._table.last_used = time.monotonic()
        async with self._table.lock:
            await self._lobby.executor.run(change)
        self._notify_all()
        return None

    async def _play(self, message: dict[str, Any]) -> Reply:
        clock = get_clock(message)
        return await self._change_table(lambda: self._table.play(self._permission, message.get("value"), clock))

    async def _choose(self, message: dict[str, Any]) -> Reply:
        clock, values = get_clock(message), schemas.get_list(message, "values", MAX_CHOICES_PER_FRAME)
        return await self._change_table(lambda: self._table.choose(self._permission, values, clock))

    async def _pick(self, message: dict[str, Any]) -> Reply:
        picked, clock, table = schemas.get_cards(message), get_clock(message), self._table

        def interpret() -> dict[str, Any]:
            table.check_turn(self._permission, clock)
            if not table.tables.rows_to_play().size:
                raise GameError("the current decision is a choice, not a play", ErrorCode.OUT_OF_TURN)
            return table.get_selection().interpret(picked)

        async with table.lock:
            return {"type": "picked", **await self._lobby.executor.run(interpret)}

    async def _groups(self, message: dict[str, Any]) -> Reply:
        """Return the hand of the client in groups."""
        table, seat = self._table, self._permission.seat
        async with table.lock:
            groups = await self._lobby.executor.run(lambda: group_seat(table.engine, table.tables, seat))
        return {"type": "groups", "groups": groups}

    async def _skip(self, message: dict[str, Any]) -> Reply:
        """Let the agents play at once until the end of the episode."""
        return await self._change_table(lambda: self._table.skip_to_end(self._permission))

    async def _open_hands(self, message: dict[str, Any]) -> Reply:
        """Show all hands to this client, or hide them."""
        if not may_see_hands(self._table, self._permission):
            raise GameError("only the one player of a practice table may open all hands", ErrorCode.NOT_ALLOWED)
        self._opens_hands = schemas.get_bool(message, "open")
        self._change_event.set()
        return None

    async def _take_back(self, message: dict[str, Any]) -> Reply:
        return await self._change_table(lambda: self._table.take_back(self._permission))

    async def _continue_match(self, message: dict[str, Any]) -> Reply:
        return await self._change_table(lambda: self._table.continue_match(self._permission))

    async def _start_next_match(self, message: dict[str, Any]) -> Reply:
        return await self._change_table(lambda: self._table.start_next_match(self._permission))

    async def _assign_seat(self, message: dict[str, Any]) -> Reply:
        """Give a seat to an agent, or to a person."""
        seat, player = schemas.get_int(message, "seat", 0, 63), schemas.get_text(message, "player")
        table = self._table

        def change() -> None:
            if player == "person":
                table.seat_person(self._permission, seat, sanitise_name(schemas.get_text(message, "name", "")))
            else:
                agent = self._lobby.executor.agent(player, table.engine, table.think_ms)
                table.seat_agent(self._permission, seat, player, agent)

        return await self._change_table(change)

    async def _rename(self, message: dict[str, Any]) -> Reply:
        name = sanitise_name(schemas.get_text(message, "name"))
        return await self._change_table(lambda: self._table.rename(self._permission, name))

    async def _set_agent_delay(self, message: dict[str, Any]) -> Reply:
        """Set the delay of agents before they decide, in milliseconds."""
        if self._permission.seat is None and not self._permission.is_owner:
            raise GameError("spectators cannot act", ErrorCode.NOT_SEATED)
        self._table.agent_delay = schemas.get_int(message, "ms", 0, _MAX_DELAY_MS) / 1000
        self._notify_all()
        return None

    async def _set_think_time(self, message: dict[str, Any]) -> Reply:
        """Set the time to think of agents that look ahead, in milliseconds; only the owner of the table may."""
        if not self._permission.is_owner:
            raise GameError("only the owner of the table may set the time to think", ErrorCode.NOT_OWNER)
        table, think_ms = self._table, get_think_ms(message, "ms")
        make_agent = partial(self._lobby.executor.agent, engine=table.engine)
        return await self._change_table(lambda: set_think_ms(table, think_ms, make_agent))

    async def _close_table(self, message: dict[str, Any]) -> Reply:
        """Close the table for everybody; only its owner may."""
        if not self._permission.is_owner:
            raise GameError("only the owner of the table may close it", ErrorCode.NOT_OWNER)
        async with self._table.lock:
            if self._table.name in self._lobby.tables:
                self._lobby.close_table(self._table.name)
        return None

    async def _get_records(self, message: dict[str, Any]) -> Reply:
        """Return the records of ended episodes."""
        async with self._table.lock:
            records = await self._lobby.executor.run(lambda: self._table.records(self._permission))
        return {"type": "record", "records": records}


Handler = Callable[[BrowserConnection, dict[str, Any]], Coroutine[Any, Any, Reply]]
_SLOW_HANDLERS = {
    BrowserConnection._groups,
    BrowserConnection._hint,
    BrowserConnection._why,
    BrowserConnection._coach,
    BrowserConnection._explain_past,
    BrowserConnection._get_records,
}
_HANDLERS: dict[str, Handler] = {
    "pick": BrowserConnection._pick, "play": BrowserConnection._play, "choose": BrowserConnection._choose,
    "groups": BrowserConnection._groups, "hint": BrowserConnection._hint,
    "coach": BrowserConnection._coach, "past": BrowserConnection._explain_past,
    "skip": BrowserConnection._skip, "open": BrowserConnection._open_hands,
    "why": BrowserConnection._why, "back": BrowserConnection._take_back, "go": BrowserConnection._continue_match,
    "again": BrowserConnection._start_next_match, "seat": BrowserConnection._assign_seat,
    "name": BrowserConnection._rename, "pace": BrowserConnection._set_agent_delay,
    "record": BrowserConnection._get_records, "close": BrowserConnection._close_table,
    "state": BrowserConnection._state, "think": BrowserConnection._set_think_time,
}  # fmt: skip


def _error_json(error: object, number: int | None) -> dict[str, Any]:
    """Return an error for the browser, which words its code; ``number`` is that of the request."""
    return {"type": "error", **error_json(error), "n": number}


class ConnectionManager:
    """Manages the connections to all tables; at the capacity, others are closed for a new one."""

    def __init__(self, lobby: Lobby) -> None:
        """Make a manager without connections."""
        self._lobby, self._connections = lobby, set[BrowserConnection]()

    async def serve_socket(self, socket: WebSocket) -> None:
        """Serve the web socket of a browser until the connection ends."""
        connection, capacities = BrowserConnection(socket, self._lobby), (MAX_CONNECTIONS, MAX_CONNECTIONS_PER_CLIENT)
        try:
            evicted = choose_eviction(
                connection.client_id, self._connections, *capacities, lambda item: item.is_authenticated
            )
        except CapacityError:
            await socket.close(CLOSE_CAPACITY)
            return
        if evicted is not None:
            self._connections.discard(evicted)
            evicted.close(CLOSE_CAPACITY)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)
