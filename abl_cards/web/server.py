"""The port: open at once; what is behind it loads meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from abl_cards.core import FolderLockedError, lock_folder
from abl_cards.web.config import WebConfig
from abl_cards.web.limits import MAX_CONNECTIONS, MAX_FRAME_BYTES
from abl_cards.web.middleware import LOCAL_HOSTS, SecurityMiddleware
from abl_cards.web.prewarmed_table import PrewarmedTable
from abl_cards.web.startup_app import StartupApp

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from abl_cards.web.lobby import Lobby

MessageCallback = Callable[[str], None]


class ApiLoader:
    """A house that is made in a thread, while the port answers."""

    def __init__(self, config: WebConfig, prewarmed: PrewarmedTable) -> None:
        """Nothing of the engine is there yet."""
        self._config, self._prewarmed = config, prewarmed
        self.lobby: Lobby | None = None

    async def __call__(self) -> ASGIApp:
        """The rooms; raises GameError for a game that there is none of, KBError for rules that are wrong."""
        self.lobby = await asyncio.get_running_loop().run_in_executor(None, self._make_lobby)
        from abl_cards.web.routes import create_api

        await self.lobby.start()
        return create_api(self.lobby)

    def _make_lobby(self) -> Lobby:
        from abl_cards.web import lobby, routes, websocket  # noqa: F401 - what takes long is imported here, in a thread

        return lobby.Lobby(self._config, self._prewarmed)

    def close(self) -> None:
        """Forget all."""
        if self.lobby is not None:
            self.lobby.close()


def add_security(app: StartupApp, config: WebConfig) -> SecurityMiddleware:
    """The porch behind the door."""
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
        OSError: If the port is taken.
        GameError, KBError: If a game cannot be played.
    """
    import uvicorn

    from abl_cards.web.connections import HeaderTimeoutProtocol

    with ExitStack() as stack:
        web_config = _with_state_folder(web_config, stack, on_message)
        laid = PrewarmedTable(web_config)
        opening = ApiLoader(web_config, laid)
        porch = StartupApp(web_config, laid, opening, opening.close)
        config = uvicorn.Config(
            add_security(porch, web_config), http=HeaderTimeoutProtocol, log_level="warning", access_log=False,
            ws_max_size=2 * MAX_FRAME_BYTES, ws_ping_interval=20.0, h11_max_incomplete_event_size=1 << 16,
            server_header=False, date_header=False, timeout_graceful_shutdown=2,
            limit_concurrency=4 * MAX_CONNECTIONS,
        )  # fmt: skip
        listening = stack.enter_context(open_listening_socket(web_config.host, web_config.port))
        on_ready(page_url(web_config, listening.getsockname()[1]))
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        rooms = asyncio.create_task(porch.load_app_delayed())
        await asyncio.wait([serving, rooms], return_when=asyncio.FIRST_COMPLETED)
        if rooms.done() and not rooms.cancelled() and rooms.exception() is not None:
            server.should_exit = True
        await serving
        if rooms.done() and not rooms.cancelled():
            rooms.result()


def _with_state_folder(config: WebConfig, stack: ExitStack, on_message: MessageCallback) -> WebConfig:
    """The plan, without a folder for tables where another page is at work in it."""
    from dataclasses import replace

    if config.state_folder is None:
        return config
    try:
        config.state_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        stack.enter_context(lock_folder(config.state_folder))
    except FolderLockedError:
        on_message(
            f"{config.state_folder}: another page keeps its tables here; those of this one end with it "
            "(or name a --state-dir DIR)"
        )
    except OSError as problem:
        on_message(f"{config.state_folder}: {problem.strerror or problem}; tables end with the page")
    else:
        return config
    return replace(config, state_folder=None)


def page_url(config: WebConfig, port: int) -> str:
    """Return the address of the page, with the access key if other machines can connect."""
    host = config.host
    shown = "127.0.0.1" if host in ("0.0.0.0", "localhost") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" if config.is_local else f"http://{shown}:{port}/#key={config.token}"


def open_listening_socket(host: str, port: int) -> Any:
    """A socket that listens; raises OSError."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family, backlog=128)
    # Those that it accepts do likewise. asyncio sees to that where the protocol is named, which it is not here: the
    # body of an answer would wait forty milliseconds until the browser acknowledges its head.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setblocking(False)
    return made
