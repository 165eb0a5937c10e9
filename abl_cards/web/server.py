"""Web server that listens at once and loads the engine in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from abl_cards.core import FolderLockedError, lock_folder, report_exhaustion
from abl_cards.web.config import WebConfig
from abl_cards.web.game_tiles import GameTiles
from abl_cards.web.limits import MAX_CONNECTIONS, MAX_FRAME_BYTES
from abl_cards.web.middleware import LOCAL_HOSTS, SecurityMiddleware
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.start_progress import StartProgress, is_first_start, observe_kernels, read_weights
from abl_cards.web.startup_app import StartupApp

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from abl_cards.web.lobby import Lobby

MessageCallback = Callable[[str], None]


class ApiLoader:
    """Loads the lobby in a thread while the server answers."""

    def __init__(self, config: WebConfig, prewarmed: PrewarmedTable, progress: StartProgress, tiles: GameTiles) -> None:
        """Make a loader; the engine is imported when it is called."""
        self._config, self._prewarmed, self._progress, self._tiles = config, prewarmed, progress, tiles
        self.lobby: Lobby | None = None

    async def __call__(self) -> ASGIApp:
        """Load the lobby and return the API app; raises GameError for an unknown game, KBError for invalid rules."""
        self.lobby = await asyncio.get_running_loop().run_in_executor(None, self._make_lobby)
        from abl_cards.web.routes import create_api

        await self.lobby.start()
        return create_api(self.lobby)

    def _make_lobby(self) -> Lobby:
        from abl_cards.web import lobby, routes, websocket  # noqa: F401 - slow imports, done in this thread

        self._progress.end_imports()
        observe_kernels(self._progress)
        loaded = lobby.Lobby(self._config, self._prewarmed, self._tiles)
        self._progress.set_game(loaded.default_game)
        loaded.on_first_view = self._progress.finish
        return loaded

    def close(self) -> None:
        """Close the lobby, if it is loaded."""
        if self.lobby is not None:
            self.lobby.close()


def add_security(app: StartupApp, config: WebConfig) -> SecurityMiddleware:
    """Wrap an app with the request checks for the configured hosts."""
    return SecurityMiddleware(
        app,
        {*LOCAL_HOSTS, *config.host_names, *([] if config.is_local else [config.host])},
        allow_any_address=not config.is_local,
    )


async def serve(
    web_config: WebConfig,
    on_ready: MessageCallback = lambda address: None,
    on_message: MessageCallback = lambda line: None,
) -> None:
    """Run the web server until it is interrupted.

    Args:
        web_config: Configuration.
        on_ready: Called with the address of the page.
        on_message: Called with messages for the user.

    Raises:
        OSError: The port is in use.
        GameError: A game or an agent is unknown.
        KBError: The rules of the first game have errors.
    """
    import uvicorn

    from abl_cards.web.connections import HeaderTimeoutProtocol

    with ExitStack() as stack:
        web_config = _with_state_folder(web_config, stack, on_message)
        prewarmed = PrewarmedTable(web_config)
        progress = StartProgress(read_weights())
        if is_first_start():
            progress.expect_kernels()
        tiles = GameTiles(web_config.requested_games, web_config.state_folder)
        api_loader = ApiLoader(web_config, prewarmed, progress, tiles)
        startup_app = StartupApp(web_config, prewarmed, api_loader, api_loader.close, progress, tiles)
        config = uvicorn.Config(
            add_security(startup_app, web_config), http=HeaderTimeoutProtocol, log_level="warning", access_log=False,
            ws_max_size=2 * MAX_FRAME_BYTES, ws_ping_interval=20.0, h11_max_incomplete_event_size=1 << 16,
            server_header=False, date_header=False, timeout_graceful_shutdown=2,
            limit_concurrency=4 * MAX_CONNECTIONS,
        )  # fmt: skip
        listening_socket = stack.enter_context(open_listening_socket(web_config.host, web_config.port))
        on_ready(page_url(web_config, listening_socket.getsockname()[1]))
        report_exhaustion(asyncio.get_running_loop(), on_message)
        server = uvicorn.Server(config)
        server_task = asyncio.create_task(server.serve(sockets=[listening_socket]))
        load_task = asyncio.create_task(startup_app.load_app_delayed())
        await asyncio.wait([server_task, load_task], return_when=asyncio.FIRST_COMPLETED)
        if load_task.done() and not load_task.cancelled() and load_task.exception() is not None:
            server.should_exit = True
        await server_task
        if load_task.done() and not load_task.cancelled():
            load_task.result()


def _with_state_folder(config: WebConfig, stack: ExitStack, on_message: MessageCallback) -> WebConfig:
    """Lock the state folder; return the configuration without it if another server uses it."""
    from dataclasses import replace

    if config.state_folder is None:
        return config
    try:
        config.state_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        stack.enter_context(lock_folder(config.state_folder))
    except FolderLockedError:
        on_message(
            f"{config.state_folder}: in use by another server; tables of this server are not stored "
            "(or name a --state-dir DIR)"
        )
    except OSError as error:
        on_message(f"{config.state_folder}: {error.strerror or error}; tables are not stored")
    else:
        return config
    return replace(config, state_folder=None)


def page_url(config: WebConfig, port: int) -> str:
    """Return the address of the page, with the access key if other machines can connect."""
    host = config.host
    displayed_host = "127.0.0.1" if host in ("0.0.0.0", "localhost") else f"[{host}]" if ":" in host else host
    return (
        f"http://{displayed_host}:{port}/" if config.is_local else f"http://{displayed_host}:{port}/#key={config.token}"
    )


def open_listening_socket(host: str, port: int) -> Any:
    """Open a listening socket; raises OSError."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=128)
    # Accepted sockets inherit the option. asyncio sets it only for sockets with a named protocol; without it the body
    # of a response would wait 40 ms for the acknowledgement of its header.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.setblocking(False)
    return listener
