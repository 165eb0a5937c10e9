"""Tests of evictions: no client can exhaust the limits for others."""

import asyncio
import doctest
import json
import secrets
import socket as sockets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.web import connections, fairness, middleware
from abl_cards.web.config import WebConfig
from abl_cards.web.fairness import LOCAL_CLIENT, CapacityError, ClientRateLimiter, choose_eviction
from abl_cards.web.limits import REQUEST_BURST, REQUEST_RATE, TokenBucket
from abl_cards.web.websocket import CLOSE_CAPACITY
from tests.effort import amount
from tests.web.asgi import Socket, request

Run = Any


def test_doctests_pass() -> None:
    assert doctest.testmod(fairness).failed == 0


class Held(NamedTuple):
    number: int
    client_id: str
    busy: bool
    last_used: float


def held(*entries: tuple[str, bool, float]) -> list[Held]:
    return [Held(number, *entry) for number, entry in enumerate(entries)]


def evicted(person: str, holdings: list[Held], most: int, per_client: int, **times: float) -> int | None:
    item = choose_eviction(person, holdings, most, per_client, lambda item: item.busy, **times)
    return None if item is None else item.number


@pytest.mark.parametrize(
    ("holdings", "person", "most", "per_client", "expected"),
    [
        ([("a", False, 1.0)], "b", 2, 2, None),
        ([("a", False, 2.0), ("a", False, 1.0)], "b", 2, 9, 1),  # the oldest
        ([("b", False, 1.0), ("a", False, 2.0), ("a", False, 3.0)], "c", 3, 9, 1),  # of the client with most
        ([("b", False, 1.0), ("a", True, 0.0), ("d", True, 0.0)], "c", 3, 9, 0),  # an idle one
        ([("b", True, 0.0), ("a", True, 2.0), ("a", True, 1.0)], "c", 3, 9, 2),  # of a client with more than its share
        ([("b", False, 0.0), ("a", True, 2.0), ("a", True, 1.0), ("a", True, 3.0)], "c", 4, 9, 2),  # not the idle one
        ([("b", False, -99.0), ("a", True, 2.0), ("a", True, 1.0), ("a", True, 3.0)], "c", 4, 9, 0),  # idle for long
        ([("a", False, 1.0), ("b", False, 0.0)], "a", 9, 1, 0),  # the client's own, at its limit
        ([(LOCAL_CLIENT, False, 1.0)], LOCAL_CLIENT, 9, 1, None),  # a proxy has many clients
    ],
)
def test_evicted_returns_the_expected_holding(
    holdings: Any, person: str, most: int, per_client: int, expected: int | None
) -> None:
    assert evicted(person, held(*holdings), most, per_client, now=10.0, idle_timeout=60.0) == expected


def test_busy_holdings_are_evicted_only_after_the_idle_timeout() -> None:
    both = held(("a", True, 1.0), ("b", True, 2.0))
    with pytest.raises(CapacityError):
        evicted("c", both, 2, 2, now=10.0, idle_timeout=60.0)
    assert evicted("c", both, 2, 2, now=100.0, idle_timeout=60.0) == 0
    others = held(("b", False, 1.0), ("a", True, 1.0), ("a", True, 2.0))
    with pytest.raises(CapacityError):  # a client with most cannot evict others
        evicted("a", others, 3, 9, now=10.0, idle_timeout=60.0)
    assert evicted("a", others, 3, 9, now=100.0, idle_timeout=60.0) == 0
    with pytest.raises(CapacityError):  # a client with all cannot evict its own
        evicted("a", held(("a", True, 1.0), ("a", True, 2.0)), 2, 9, now=10.0, idle_timeout=60.0)


def test_rate_limit_of_one_client_does_not_affect_others(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    burst = int(amount(60, int(REQUEST_BURST)))
    monkeypatch.setattr(middleware, "REQUEST_BURST", float(burst))
    monkeypatch.setattr(middleware, "REQUEST_RATE", REQUEST_RATE * burst / REQUEST_BURST)
    rates = ClientRateLimiter(1e-9, 3, 4.0)
    assert [rates.try_acquire("a") for _ in range(5)] == [True] * 3 + [False] * 2
    assert [rates.try_acquire("b") for _ in range(4)] == [True] * 3 + [False]
    assert isinstance(rates._shared_bucket, TokenBucket)

    async def test(page: Any) -> None:
        statuses = {(await page.get("/static/icon.svg")).status for _ in range(2 * burst)}
        assert statuses == {200, 429}
        other = await request(page.app, "GET", "/static/icon.svg", client="10.0.0.9")
        assert other.status == 200

    with_page(test)


async def opened(page: Any, client: str) -> Any:
    body = json.dumps({"game": "president"}).encode()
    return await request(page.app, "POST", "/api/tables", body, page.headers, client)


def test_new_clients_get_a_table_when_one_client_holds_all(with_page: Run, tmp_path: Any, monkeypatch: Any) -> None:
    from abl_cards.web import lobby

    monkeypatch.setattr(lobby, "MAX_TABLES", 4)

    async def test(page: Any) -> None:
        hog = [(await opened(page, "10.0.0.1")).json() for _ in range(4)]
        for table in hog:  # the client views all of them
            await page.sit(table["table"], table["token"])
        mine = (await opened(page, "10.0.0.2")).json()
        assert (await opened(page, "10.0.0.3")).status == 200
        assert mine["table"] in page.lobby.tables
        assert len(page.lobby.tables) == 4
        gone = next(table for table in hog if table["table"] not in page.lobby.tables)
        again = await page.sit(gone["table"], gone["token"])  # it was suspended, and is restored
        assert again.table["hand"]

    with_page(test, WebConfig(state_folder=tmp_path))


def test_oldest_unwatched_tables_are_evicted_at_the_limit(with_page: Run, monkeypatch: Any) -> None:
    """Tables without viewers are evicted at once, the oldest first; each client has a limit."""
    from abl_cards.web import lobby

    monkeypatch.setattr(lobby, "MAX_TABLES", 3)
    monkeypatch.setattr(lobby, "MAX_TABLES_PER_CLIENT", 2)

    async def test(page: Any) -> None:
        names = [(await opened(page, "127.0.0.1")).json()["table"] for _ in range(4)]
        assert list(page.lobby.tables) == names[1:]
        far = [(await opened(page, "10.0.0.2")).json()["table"] for _ in range(3)]
        assert list(page.lobby.tables) == [names[3], *far[1:]]

    with_page(test)


def test_silent_sockets_are_closed_at_the_limit(with_page: Run, monkeypatch: Any) -> None:
    from abl_cards.web import websocket as module

    monkeypatch.setattr(module, "MAX_CONNECTIONS", 3)

    async def test(page: Any) -> None:
        table, token = await page.open(game="president")
        silent = [Socket(page.app, f"/api/tables/{table}") for _ in range(3)]
        await asyncio.sleep(0.05)
        seated = await page.sit(table, token)
        assert await silent[0].receive() == {}
        assert silent[0].closed == CLOSE_CAPACITY
        for _ in range(5):
            silent.append(Socket(page.app, f"/api/tables/{table}"))
            await asyncio.sleep(0.01)
        assert seated.closed is None
        seated.send(do="pace", ms=0)
        await seated.wait_for_turn()

    with_page(test)


def test_spectators_are_disconnected_for_the_owner(with_page: Run, monkeypatch: Any) -> None:
    from abl_cards.web import websocket as module

    monkeypatch.setattr(module, "MAX_CONNECTIONS_PER_TABLE", 2)

    async def test(page: Any) -> None:
        table, token = await page.open(game="president")
        looking = [await page.sit(table, page.lobby.tables[table].watch_token) for _ in range(3)]
        assert len(page.lobby.tables[table].viewers) == 2
        owner = await page.sit(table, token)
        assert owner.table["hand"]
        assert await looking[0].receive() == {}

    with_page(test)


def test_reviews_and_labs_of_one_client_do_not_evict_others(with_page: Run, monkeypatch: Any) -> None:
    from abl_cards.web import labs, reviews

    monkeypatch.setattr(labs, "MAX_LABS", 3)
    monkeypatch.setattr(reviews, "MAX_REVIEWS", 3)

    def sheet(client_id: str, state: str = "idle") -> Any:
        return SimpleNamespace(name=secrets.token_hex(4), client_id=client_id, state=state, last_used=time.monotonic())

    async def test(page: Any) -> None:
        president = page.lobby.game("president")
        mine = (await page.lobby.labs.open_lab(president, None, client_id="10.0.0.2"))["lab"]
        for _ in range(4):
            await page.lobby.labs.open_lab(president, None, client_id="10.0.0.1")
        assert mine in page.lobby.labs._sessions
        shelf, own = reviews.ReviewCache(), sheet("10.0.0.2")
        shelf.add(own)
        for _ in range(2):
            shelf.add(sheet("10.0.0.1", "working"))
        with pytest.raises(GameError) as error:
            shelf.add(sheet("10.0.0.1"))
        assert error.value.code == ErrorCode.REVIEWS_RUNNING
        assert own.name in shelf.sessions
        shelf.check_capacity("10.0.0.2")
        shelf.check_capacity(LOCAL_CLIENT)
        with pytest.raises(GameError, match=r"^2 ") as error:
            shelf.check_capacity("10.0.0.1")
        assert error.value.code == ErrorCode.REVIEWS_RUNNING

    with_page(test)


def test_connections_that_send_nothing_are_closed(monkeypatch: Any) -> None:
    """Uvicorn has no time limit for the first request, so silent connections could exhaust the limit."""
    uvicorn = pytest.importorskip("uvicorn")
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    monkeypatch.setattr(connections, "HANDSHAKE_TIMEOUT", 0.3)

    async def test() -> None:
        async with _serving(uvicorn) as port:
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(6)]
            silent[5][1].write(b"G")  # the head of a request that never ends
            for reader, _ in silent[:3]:  # the first are closed at once, the others after the timeout
                await asyncio.wait_for(_end(reader), 10)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await asyncio.wait_for(reader.readline(), 10)).split()[1] == b"204"
            for late_reader, _ in silent[3:]:
                await asyncio.wait_for(_end(late_reader), 10)

    asyncio.run(test())


def test_incomplete_later_request_is_closed_after_the_timeout(monkeypatch: Any) -> None:
    """A request in time, however its header is cut, ends the timeout."""
    uvicorn = pytest.importorskip("uvicorn")
    monkeypatch.setattr(connections, "HANDSHAKE_TIMEOUT", 0.5)

    async def test() -> None:
        async with _serving(uvicorn) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for pieces in ((b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",), (b"GET / HTTP/1.1\r\n", b"Host: x\r\n\r\n")):
                for piece in pieces:
                    writer.write(piece)
                    await asyncio.sleep(0.1)
                assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).split()[1] == b"204"
            await asyncio.sleep(0.6)
            writer.write(b"G")
            await asyncio.wait_for(_end(reader), 4)  # less than the five seconds of an idle connection

    asyncio.run(test())


@asynccontextmanager
async def _serving(uvicorn: Any) -> AsyncIterator[int]:
    """Serve an empty page; the value is the port."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(answer, http=connections.HeaderTimeoutProtocol, lifespan="off", log_level="warning")
    server, listening = uvicorn.Server(config), sockets.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving


async def _end(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        assert await reader.read(1) == b""
