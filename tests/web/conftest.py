"""Fixtures with a lobby and a client that opens tables."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest

from abl_cards.web.config import WebConfig
from abl_cards.web.lobby import Lobby
from tests.in_process import edits_in_process, grounding, low_limits, sandboxed, short_matches  # noqa: F401
from tests.web.asgi import Answer, Socket, request
from tests.web.browser import Watched, chromium, served
from tests.web.node import stop_node

T = TypeVar("T")


class Page:
    """Client of the app of one lobby."""

    def __init__(self, lobby: Lobby) -> None:
        from abl_cards.web.routes import create_app

        self.lobby, self.app = lobby, create_app(lobby)

    @property
    def headers(self) -> dict[str, str]:
        return {"x-token": self.lobby.config.token, "content-type": "application/json"}

    async def get(self, path: str, **headers: str) -> Answer:
        return await request(self.app, "GET", path, headers=headers)

    async def post(self, path: str, value: Any, **headers: str) -> Answer:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return await request(self.app, "POST", path, body, self.headers | headers)

    async def open(self, **wishes: Any) -> tuple[str, str]:
        answer = await self.post("/api/tables", wishes)
        assert answer.status == 200, answer.body
        return answer.json()["table"], answer.json()["token"]

    async def sit(self, table: str, token: str, **headers: str) -> Socket:
        socket = Socket(self.app, f"/api/tables/{table}", headers)
        socket.send(token=token)
        await socket.until("table")
        return socket

    async def begin(self, **wishes: Any) -> Socket:
        """Open a table without a delay of agents."""
        table, token = await self.open(**{"game": "president", "seed": 1, **wishes})
        self.lobby.tables[table].agent_delay = 0  # by a request it would begin after the first move
        socket = await self.sit(table, token)
        await socket.wait_for_turn()
        return socket


Play = Callable[[Page], Awaitable[T]]


@pytest.fixture(scope="session")
def with_page() -> Callable[[Callable[[Page], Coroutine[Any, Any, T]]], T]:
    """Return a function that runs a test with a client, and closes the lobby after it."""
    pytest.importorskip("starlette", reason="the page needs starlette: pip install 'abl-cards[web]'")

    def run(test: Callable[[Page], Coroutine[Any, Any, T]], plan: WebConfig | None = None) -> T:
        async def within() -> T:
            lobby = Lobby(plan or WebConfig())
            try:
                return await asyncio.wait_for(test(Page(lobby)), 240)
            finally:
                lobby.close()

        return asyncio.run(within())

    return run


@pytest.fixture(autouse=True, scope="session")
def _end_of_node() -> Iterator[None]:
    """End the process that runs scripts of the page."""
    yield
    stop_node()


@pytest.fixture(scope="module")
def web_server() -> Iterator[Any]:
    chromium()
    with served() as (address, lobby):
        yield address, lobby


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        running = player.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_browser(browser: Any, web_server: Any) -> Iterator[Any]:
    """Open pages with separate cookies and storage; check afterwards that they had no errors."""
    opened: list[tuple[Any, Watched]] = []

    def make(width: int = 1280, height: int = 860, locale: str = "en-US", **more: Any) -> Watched:
        context = browser.new_context(viewport={"width": width, "height": height}, locale=locale, **more)
        context.add_init_script(
            "localStorage.getItem('abl-cards') || localStorage.setItem('abl-cards', '{\"pace\":0}')"
        )
        watched = Watched(context.new_page(), web_server[0])
        opened.append((context, watched))
        return watched

    yield make
    for context, watched in opened:
        assert watched.trouble == []
        context.close()
