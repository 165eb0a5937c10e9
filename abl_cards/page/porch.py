"""What is answered at once, before the engine is there: the page's files, and the table that lies ready.

All else waits until the rooms behind are open. Nothing of the engine is imported here.
"""

from __future__ import annotations

import asyncio
import html
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from abl_cards.page.files import LAID, TOKEN, File, read_files
from abl_cards.page.laid import Laid
from abl_cards.page.plan import Plan

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

STATIC = "/static/"
INDEX = "index.html"
HEAD_START = 0.25
"""Seconds that the page's files have for themselves before the engine is loaded, unless somebody asks for more."""
_SWITCHING = 0.0005  # seconds; so long a thread may keep others waiting while the engine is being loaded
_KEPT = (b"cache-control", b"no-cache"), (b"vary", b"accept-encoding")

Opening = Callable[[], Awaitable["ASGIApp"]]


class Porch:
    """Stands before the rooms, which are opened once."""

    def __init__(self, plan: Plan, laid: Laid, opening: Opening, closing: Callable[[], None] = lambda: None) -> None:
        """``opening`` gives what answers all else, or raises."""
        self._plan, self._laid, self._opening, self._closing = plan, laid, opening, closing
        self._files = read_files()
        self._rooms: asyncio.Task[ASGIApp] | None = None

    def open(self) -> asyncio.Task[ASGIApp]:
        """The rooms behind, when they are open."""
        if self._rooms is None:
            self._rooms = asyncio.create_task(self._open())
        return self._rooms

    async def soon(self) -> ASGIApp:
        """The same, begun a little later."""
        await asyncio.sleep(HEAD_START)
        return await asyncio.shield(self.open())

    async def _open(self) -> ASGIApp:
        usual = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCHING)
        try:
            return await self._opening()
        finally:
            sys.setswitchinterval(usual)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file, or pass on."""
        path = scope.get("path", "")
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and self._known(path):
            await self._answer(scope, path, send)
        else:
            await (await asyncio.shield(self.open()))(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Begin to open the rooms when the port is there, and close them with it."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        opening = asyncio.create_task(self.soon())
        opening.add_done_callback(lambda done: done.cancelled() or done.exception())
        await receive()
        opening.cancel()
        self._closing()
        await send({"type": "lifespan.shutdown.complete"})

    # --- files -------------------------------------------------------------------------------------------------------

    def _known(self, path: str) -> bool:
        return path in ("/", "/favicon.ico") or path.startswith(STATIC)

    async def _answer(self, scope: Scope, path: str, send: Send) -> None:
        headers = dict(scope["headers"])
        if path == "/":
            await _send(send, 200, self._index(), [(b"content-type", b"text/html; charset=utf-8"), _NOT_KEPT])
            return
        name = "icon.svg" if path == "/favicon.ico" else path.removeprefix(STATIC)
        found = self._files.get(name) if name != INDEX else None
        if found is None:
            await _send(send, 404, b"no such file", [(b"content-type", b"text/plain; charset=utf-8")])
        elif headers.get(b"if-none-match") == found.tag.encode():
            await _send(send, 304, b"", [(b"etag", found.tag.encode()), *_KEPT])
        else:
            await _send_file(send, found, b"gzip" in headers.get(b"accept-encoding", b""))

    def _index(self) -> bytes:
        """The page, with the token and the table that lies ready where only this machine can ask for it."""
        body = self._files[INDEX].body
        if not self._plan.local:
            return body.replace(TOKEN, b"").replace(LAID, b"")
        laid = html.escape(self._laid.give()).encode()
        return body.replace(TOKEN, self._plan.token.encode()).replace(LAID, laid)


_NOT_KEPT = (b"cache-control", b"no-store")


async def _send_file(send: Send, found: File, packed: bool) -> None:
    headers = [(b"content-type", found.kind.encode()), (b"etag", found.tag.encode()), *_KEPT]
    more = [(b"content-encoding", b"gzip")] if packed else []
    await _send(send, 200, found.packed if packed else found.body, [*headers, *more])


async def _send(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    length = [] if status == 304 else [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": body})
