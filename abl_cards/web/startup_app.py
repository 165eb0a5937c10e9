"""ASGI app that serves static files, the home screen and a prepared table while the engine is still importing.

Other requests wait for the engine. This module imports nothing of it. Starlette's StaticFiles and GZipMiddleware are
not used: they would read and compress each file once more for every request, while the engine loads.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, QueryParams
from starlette.responses import JSONResponse, Response

from abl_cards.web.config import WebConfig
from abl_cards.web.error_json import refuse_request
from abl_cards.web.game_tiles import GameTiles
from abl_cards.web.lan import network_json
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.start_progress import StartProgress
from abl_cards.web.static_files import TOKEN_PLACEHOLDER, read_files

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PROGRESS_PATH, HOME_PATH, FIRST_TABLE_PATH = "/api/start", "/api/home", "/api/first"
STATIC_PREFIX = "/static/"
INDEX_FILE = "index.html"
ENGINE_LOAD_DELAY = 0.25
"""Seconds in which only static files are served before the engine is loaded, unless another request arrives."""
_SWITCH_INTERVAL = 0.0005  # seconds; thread switch interval while the engine is loaded
_NO_STORE = {"cache-control": "no-store"}
_REVALIDATE_HEADERS = {"cache-control": "no-cache", "vary": "accept-encoding"}

AppFactory = Callable[[], Awaitable["ASGIApp"]]


class StartupApp:
    """ASGI app that serves static files and loads the main app once."""

    def __init__(
        self,
        config: WebConfig,
        prewarmed: PrewarmedTable,
        app_factory: AppFactory,
        on_close: Callable[[], None] = lambda: None,
        progress: StartProgress | None = None,
        tiles: GameTiles | None = None,
    ) -> None:
        """Make the app.

        Args:
            config: Configuration of the server.
            prewarmed: Prepared first table.
            app_factory: Loads the main app, which answers all other requests.
            on_close: Called when the server stops.
            progress: Progress of the first start, that a page without a table shows.
            tiles: Tiles of the games on the home screen.
        """
        self._config, self._prewarmed, self._app_factory, self._on_close = config, prewarmed, app_factory, on_close
        self._files, self._progress = read_files(), progress or StartProgress({})
        self._tiles = tiles or GameTiles(config.requested_games, config.state_folder)
        self._app_task: asyncio.Task[ASGIApp] | None = None

    def load_app(self) -> asyncio.Task[ASGIApp]:
        """Start to load the main app, and return the task."""
        if self._app_task is None:
            self._app_task = asyncio.create_task(self._load_app())
        return self._app_task

    async def load_app_delayed(self) -> ASGIApp:
        """Load the app after a short delay."""
        await asyncio.sleep(ENGINE_LOAD_DELAY)
        return await asyncio.shield(self.load_app())

    async def _load_app(self) -> ASGIApp:
        interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_INTERVAL)
        try:
            return await self._app_factory()
        finally:
            sys.setswitchinterval(interval)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a static file, or pass the request to the main app."""
        path = scope.get("path", "")
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "http" and path == PROGRESS_PATH:
            await JSONResponse(self._progress.to_json(), headers=_NO_STORE)(scope, receive, send)
        elif scope["type"] == "http" and path == HOME_PATH:
            await JSONResponse(await self._home_json(scope), headers=_NO_STORE)(scope, receive, send)
        elif scope["type"] == "http" and path == FIRST_TABLE_PATH and scope["method"] == "POST":
            await self._offer_table(scope)(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and self._is_static(path):
            await self._find_response(scope, path)(scope, receive, send)
        else:
            await (await asyncio.shield(self.load_app()))(scope, receive, send)

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        """Start to load the main app after startup, and close it at shutdown."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        load_task = asyncio.create_task(self.load_app_delayed())
        load_task.add_done_callback(lambda task: task.cancelled() or task.exception())
        await receive()
        load_task.cancel()
        self._on_close()
        await send({"type": "lifespan.shutdown.complete"})

    # --- the home screen ---------------------------------------------------------------------------------------------

    async def _home_json(self, scope: Scope) -> dict[str, Any]:
        """Return the tiles of the games, and how other machines reach this server."""
        tiles = await asyncio.get_running_loop().run_in_executor(None, self._tiles.read)
        network = network_json(self._config, scope.get("server"))
        first_game = self._prewarmed.game_name or self._config.game or self._tiles.default_game
        tiles.sort(key=lambda tile: tile["name"] != first_game)  # the game of the command comes first
        return {"games": tiles, "first": first_game, "ready": self._progress.is_ready, **network}

    def _offer_table(self, scope: Scope) -> Response:
        """Return the prepared table of the given game to a client with the access key; an empty object without one."""
        token = Headers(scope=scope).get("x-token", "")
        if not secrets.compare_digest(token.encode(), self._config.token.encode()):
            return refuse_request(FIRST_TABLE_PATH, 403, "invalid access key")
        game = QueryParams(scope.get("query_string", b"")).get("game", "")
        offer = self._prewarmed.offer_json() if game in ("", self._prewarmed.game_name) else ""
        return Response(offer or "{}", 200, _NO_STORE, "application/json")

    # --- files -------------------------------------------------------------------------------------------------------

    def _is_static(self, path: str) -> bool:
        return path in ("/", "/favicon.ico") or path.startswith(STATIC_PREFIX)

    def _find_response(self, scope: Scope, path: str) -> Response:
        if path == "/":
            return Response(self._index_body(), 200, _NO_STORE, "text/html")
        name = "icon.svg" if path == "/favicon.ico" else path.removeprefix(STATIC_PREFIX)
        file = self._files.get(name) if name != INDEX_FILE else None
        if file is None:
            return refuse_request(path, 404, "no such file")
        request_headers, headers = Headers(scope=scope), {"etag": file.etag, **_REVALIDATE_HEADERS}
        if request_headers.get("if-none-match") == file.etag:
            return Response(None, 304, headers)
        if "gzip" in request_headers.get("accept-encoding", ""):
            return Response(file.gzipped, 200, {**headers, "content-encoding": "gzip"}, file.content_type)
        return Response(file.body, 200, headers, file.content_type)

    def _index_body(self) -> bytes:
        """Return the page; with the access key if only this machine can connect."""
        token = self._config.token.encode() if self._config.is_local else b""
        return self._files[INDEX_FILE].body.replace(TOKEN_PLACEHOLDER, token)
