"""Tests of request checks and response headers."""

from typing import Any

import pytest

from abl_cards.web.config import WebConfig
from abl_cards.web.fairness import ClientRateLimiter
from abl_cards.web.limits import MAX_BODY_BYTES, REQUEST_BURST, TokenBucket, sanitise_name
from tests.web.asgi import Socket, request

Run = Any


def test_responses_have_a_strict_content_security_policy(with_page: Run) -> None:
    async def test(page: Any) -> None:
        for path in ("/", "/static/main.js", "/api/games", "/nothing", "/static/../server.py"):
            answer = await page.get(path)
            policy = answer.headers["content-security-policy"]
            assert "script-src 'self';" in policy
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"

    with_page(test)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "192.168.0.7", "", "-"]
)
def test_foreign_hosts_are_rejected(with_page: Run, host: str) -> None:
    async def test(page: Any) -> None:
        assert (await page.get("/", host=host)).status == 421
        table, _ = await page.open(game="president")
        socket = Socket(page.app, f"/api/tables/{table}", {"host": host})
        assert await socket.receive() == {}
        assert socket.closed == 4403

    with_page(test)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost:8765"])
def test_foreign_origins_are_rejected(with_page: Run, origin: str) -> None:
    async def test(page: Any) -> None:
        assert (await page.post("/api/tables", {"game": "president"}, origin=origin)).status == 403
        table, _ = await page.open(game="president")
        socket = Socket(page.app, f"/api/tables/{table}", {"origin": origin})
        assert await socket.receive() == {}

    with_page(test)


@pytest.mark.parametrize(
    ("site", "mode", "status"),
    [("cross-site", "no-cors", 403), ("same-site", "cors", 403), ("cross-site", "navigate", 200),
     ("same-origin", "cors", 200), ("none", "navigate", 200)],
)  # fmt: skip
def test_cross_site_subresources_are_rejected(with_page: Run, site: str, mode: str, status: int) -> None:
    """Images have no origin and could exhaust the rate limit of the client; links to the page work."""

    async def test(page: Any) -> None:
        answer = await page.get("/", **{"sec-fetch-site": site, "sec-fetch-mode": mode})
        assert answer.status == status

    with_page(test)


def test_same_origin_is_accepted(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president")
        await page.sit(table, token, origin="http://127.0.0.1:8765")
        assert (await page.get("/", host="localhost:9999", origin="http://localhost:9999")).status == 200

    with_page(test)


def test_post_requires_token_json_and_bounded_body(with_page: Run) -> None:
    async def test(page: Any) -> None:
        wish: Any = {"game": "president"}
        for token in ("", "x", "Ω".encode().decode("latin-1")):
            assert (await page.post("/api/tables", wish, **{"x-token": token})).status == 403
        assert (await page.post("/api/tables", wish, **{"content-type": "text/plain"})).status == 415
        assert (await page.post("/api/tables", b"{" * 50_000)).status == 400
        assert (await page.post("/api/tables", b" " * (MAX_BODY_BYTES + 2))).status == 413
        assert (await request(page.app, "GET", "/api/tables", headers=page.headers)).status == 405
        assert page.lobby.tables == {}

    with_page(test)


def test_access_token_is_sent_to_local_hosts_only(with_page: Run) -> None:
    async def near(page: Any) -> None:
        assert page.lobby.config.token in (await page.get("/")).body.decode()

    async def far(page: Any) -> None:
        assert page.lobby.config.token not in (await page.get("/", host="192.168.0.7:8765")).body.decode()
        assert (await page.get("/", host="evil.example")).status == 421
        assert (await page.get("/", host="cards.example")).status == 200

    with_page(near)
    with_page(far, WebConfig(host="0.0.0.0", host_names=("cards.example",)))


@pytest.mark.parametrize(
    "path", ["/static/../../cli/web.py", "/static/..%2f..%2fcli/web.py", "/static//etc/passwd",
             "/static/vendor/fetch.sh",
             "/static/index.html", "/static/", "/static/vendor", "/static/%00"],
)  # fmt: skip
def test_static_paths_outside_the_folder_return_404(with_page: Run, path: str) -> None:
    async def test(page: Any) -> None:
        assert (await page.get(path)).status == 404

    with_page(test)


def test_too_many_requests_return_429(with_page: Run) -> None:
    async def test(page: Any) -> None:
        assert {(await page.get("/static/icon.svg")).status for _ in range(2 * int(REQUEST_BURST))} == {200, 429}

    with_page(test)


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "code"),
    [
        ("GET", "/api/nothing", {}, 404, "not-found"),
        ("GET", "/api/tables", {}, 405, "invalid-request"),
        ("POST", "/api/games", {}, 405, "invalid-request"),
        ("GET", "/api/labs/none/rules.zip", {}, 404, "not-found"),
        ("POST", "/api/first", {"x-token": "wrong"}, 403, "invalid-key"),
        ("GET", "/api/games", {"origin": "http://evil.example"}, 403, "invalid-request"),
        ("GET", "/api/games", {"host": "evil.example"}, 421, "invalid-request"),
    ],
)
def test_paths_of_the_api_answer_errors_as_json(
    with_page: Run, method: str, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    async def test(page: Any) -> None:
        answer = await request(page.app, method, path, headers=page.headers | headers)
        assert (answer.status, answer.json()["code"], answer.json()["values"]) == (status, code, [])
        assert answer.json()["error"]
        if status == 404:
            plain = await page.get(path.replace("/api/", "/other/"))
            assert (plain.status, plain.body[:1] == b"{") == (404, False)

    with_page(test)


def test_too_many_requests_of_the_api_answer_json(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClientRateLimiter, "try_acquire", lambda self, client: False)

    async def test(page: Any) -> None:
        answer = await page.get("/api/games")
        assert (answer.status, answer.json()["code"]) == (429, "too-many-requests")

    with_page(test)


def test_token_bucket_refills() -> None:
    now = [0.0]
    bucket = TokenBucket(2, 3, lambda: now[0])
    assert [bucket.try_acquire() for _ in range(4)] == [True, True, True, False]
    now[0] = 1.0
    assert [bucket.try_acquire() for _ in range(3)] == [True, True, False]


def test_names_are_shortened_and_printable() -> None:
    assert sanitise_name("  A\u202e\x00" + "b" * 40) == "A" + "b" * 23
