"""ASGI client: sends requests and web socket messages to the app without a port."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

HOST = "127.0.0.1:8765"
PATIENCE = 60.0


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def _headers(more: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    headers = {"host": HOST, **more}
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items() if value != "-"]


async def request(
    app: Any, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None,
    client: str = "127.0.0.1", leaves_after: float | None = None,
) -> Answer:  # fmt: skip
    """Send one request; a header with the value "-" is left out.

    With ``leaves_after`` the body has no end, and the client leaves after so many seconds.
    """
    path, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": query.encode(), "scheme": "http", "client": (client, 1),
        "server": ("127.0.0.1", 8765), "headers": _headers(headers or {}), "root_path": "",
    }  # fmt: skip
    pieces = [body[at : at + (1 << 20)] for at in range(0, max(1, len(body)), 1 << 20)]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if pieces:
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces) or leaves_after is not None}
        await asyncio.sleep(PATIENCE if leaves_after is None else leaves_after)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await asyncio.wait_for(app(scope, receive, send), PATIENCE)
    answer_headers = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], answer_headers, b"".join(part.get("body", b"") for part in sent[1:]))


class Socket:
    """Web socket of a browser at a table."""

    def __init__(self, app: Any, path: str, headers: Mapping[str, str] | None = None) -> None:
        self._to: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._from: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        scope = {
            "type": "websocket", "asgi": {"version": "3.0"}, "http_version": "1.1", "path": path, "scheme": "ws",
            "raw_path": path.encode(), "query_string": b"", "client": ("127.0.0.1", 1), "subprotocols": [],
            "server": ("127.0.0.1", 8765), "headers": _headers(headers or {}), "root_path": "",
        }  # fmt: skip
        self._to.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(app(scope, self._to.get, self._from.put))
        self.table: dict[str, Any] = {}
        self.welcome: dict[str, Any] = {}
        self.closed: int | None = None
        self._seen = 0  # the revision of the last request

    def raw(self, text: str | bytes) -> None:
        key = "text" if isinstance(text, str) else "bytes"
        self._to.put_nowait({"type": "websocket.receive", key: text})

    def send(self, **message: Any) -> None:
        self.raw(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        """Return the next message; {} when the socket is closed."""
        while True:
            message = await asyncio.wait_for(self._from.get(), PATIENCE)
            if message["type"] == "websocket.close":
                self.closed = message.get("code")
                return {}
            if message["type"] == "websocket.send":
                data: dict[str, Any] = json.loads(message["text"].encode())
                if data["type"] == "table":
                    self.table = data
                elif data["type"] == "welcome":
                    self.welcome = data
                return data

    async def until(self, kind: str) -> dict[str, Any]:
        """Return the next message of a kind."""
        while (message := await self.receive()) and message["type"] != kind:
            assert message["type"] != "error", message
        return message

    async def wait_for_turn(self) -> dict[str, Any]:
        """Return the table when this seat is to decide, an episode has ended, or the match is over."""
        while not self._has_turn():
            message = await self.receive()
            assert message.get("type") != "error", message
            if not message:
                break
        return self.table

    def _has_turn(self) -> bool:
        table = self.table
        return table.get("revision", 0) > self._seen and bool(
            table.get("asked") or table["phase"] in ("over", "end") or table["problem"]
        )

    async def next(self) -> dict[str, Any]:
        """Return the next such table after a request."""
        self._seen = self.table["revision"]
        return await self.wait_for_turn()

    async def leave(self) -> None:
        self._to.put_nowait({"type": "websocket.disconnect", "code": 1001})
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait_for(self._task, PATIENCE)
