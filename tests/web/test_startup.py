"""Tests of server responses before the engine is loaded: the prewarmed table, and the files of the page."""

import asyncio
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abl_cards.web import startup_app
from abl_cards.web.config import WebConfig
from abl_cards.web.prewarmed_table import FILE_NAME, OFFER_TIMEOUT, PrewarmedTable
from abl_cards.web.startup_app import StartupApp
from tests.web.asgi import request
from tests.web.test_keeping import stable_fields

Run = Any


def test_prewarmed_table_requires_the_access_key(with_page: Run, tmp_path: Path) -> None:
    """After a restart an open page reads the access key anew; the page has no table, and only the key gets it."""

    async def test(page: Any) -> None:
        config = page.lobby.config
        page.lobby.prewarmed.store("t", "secret", ({}, {}), tmp_path)
        body = (await page.get("/?key")).body.decode()
        assert f'name="token" content="{config.token}"' in body
        assert "secret" not in body
        for headers in ({"x-token": "-"}, {"x-token": "wrong"}):
            refused = await page.post("/api/first", {}, **headers)
            assert (refused.status, b"secret" in refused.body) == (403, False)
        assert (await page.get("/api/first")).status in (404, 405)
        assert (await read_offer(page))["token"] == "secret"

    with_page(test, WebConfig(state_folder=tmp_path))


async def read_offer(page: Any, game: str = "") -> Any:
    answer = await page.post(f"/api/first?game={game}", {})
    assert answer.headers["content-type"].startswith("application/json")
    return answer.json() or None


async def wait_for_prewarmed(page: Any) -> None:
    while not page.lobby.prewarmed.table_name:
        await asyncio.sleep(0.02)


def test_prewarmed_table_is_offered_once(with_page: Run, tmp_path: Path) -> None:
    plan = WebConfig(game="president", state_folder=tmp_path, prewarm_table=True)
    known: list[str] = []

    async def first(page: Any) -> None:
        assert await read_offer(page) is None
        await page.get("/api/games")
        await wait_for_prewarmed(page)
        assert page.lobby.tables_json() == []

    async def then(page: Any) -> None:
        assert await read_offer(page, "hearts") is None  # the table is of another game
        laid = await read_offer(page, "president")
        assert await read_offer(page) is None
        assert laid["seen"]["hand"]
        assert page.lobby.tables == {}
        socket = await page.sit(laid["table"], laid["token"])
        assert stable_fields(socket.table) == stable_fields(laid["seen"]) | {
            "seats": socket.table["seats"]
        }  # a client is connected now
        assert socket.welcome == laid["welcome"]
        known.append(laid["table"])
        assert page.lobby.prewarmed.table_name != laid["table"]
        await wait_for_prewarmed(page)
        assert (await read_offer(page))["table"] == page.lobby.prewarmed.table_name != laid["table"]

    with_page(first, plan)
    with_page(then, plan)


def test_unclaimed_prewarmed_table_is_offered_again(tmp_path: Path) -> None:
    now = [0.0]
    laid = PrewarmedTable(WebConfig(state_folder=tmp_path, prewarm_table=True), lambda: now[0])
    assert laid.offer_json() == ""
    laid.store("t", "key", ({}, {}), tmp_path / "rules")
    assert json.loads(laid.offer_json())["table"] == "t"
    assert laid.offer_json() == ""
    now[0] += OFFER_TIMEOUT
    assert laid.offer_json()
    assert not laid.claim("other")
    assert PrewarmedTable(WebConfig(state_folder=tmp_path, prewarm_table=True)).table_name == "t"
    assert PrewarmedTable(WebConfig(state_folder=tmp_path, prewarm_table=True, game="other")).table_name == ""
    assert laid.claim("t")
    assert not laid.claim("t")
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 9999, '{"for":1,"rules":5}', '{"rules":"."}', "\0", '"x"'])
def test_damaged_prewarmed_file_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)  # small, where all files of the folder are read
    (tmp_path / FILE_NAME).write_text(text)
    assert PrewarmedTable(WebConfig(state_folder=tmp_path, prewarm_table=True)).table_name == ""


def test_changed_rules_invalidate_the_prewarmed_table(tmp_path: Path) -> None:
    rules, plan = tmp_path / "rules", WebConfig(state_folder=tmp_path / "kept", prewarm_table=True)
    rules.mkdir()
    (rules / "rules.lp").write_text("a.")
    PrewarmedTable(plan).store("t", "key", ({}, {}), rules)
    assert PrewarmedTable(plan).table_name == "t"
    (rules / "rules.lp").write_text("ab.")
    assert PrewarmedTable(plan).table_name == ""


def test_markup_of_a_prewarmed_table_is_escaped(tmp_path: Path) -> None:
    async def test() -> None:
        plan = WebConfig(state_folder=tmp_path, prewarm_table=True)
        laid = PrewarmedTable(plan)
        laid.store("t", "key", ({"title": ['"><script>alert(1)</script>', "{{token}}"]}, {}), tmp_path)

        async def never() -> Any:
            await asyncio.sleep(1e6)

        porch = StartupApp(plan, laid, never)
        assert "<script>alert" not in (await request(porch, "GET", "/")).body.decode()
        offer = await request(porch, "POST", "/api/first", headers={"x-token": plan.token})
        assert (offer.headers["content-type"], offer.headers["cache-control"]) == ("application/json", "no-store")
        assert offer.json()["welcome"]["title"] == ['"><script>alert(1)</script>', "{{token}}"]
        assert (await request(porch, "GET", "/static/main.js")).status == 200  # the app behind it is not started yet
        assert (await request(porch, "GET", "/api/home")).json()["games"]
        plan = WebConfig(host="0.0.0.0")
        far = await request(StartupApp(plan, laid, never), "GET", "/")
        assert plan.token not in far.body.decode()

    asyncio.run(test())


@pytest.mark.parametrize("wait", [0.0, 0.1], ids=["at once", "after a failure"])
def test_shutdown_during_startup_leaves_no_unretrieved_exception(
    wait: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cancelled or failed load leaves no exception that nobody has retrieved."""
    monkeypatch.setattr(startup_app, "ENGINE_LOAD_DELAY", 0.01)
    problems: list[dict[str, Any]] = []

    async def test() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: problems.append(context))
        plan = WebConfig(state_folder=tmp_path)

        async def fail() -> Any:
            raise ValueError

        messages, sent = iter(["lifespan.startup", "lifespan.shutdown"]), list[str]()

        async def receive() -> Any:
            if sent:
                await asyncio.sleep(wait)
            return {"type": next(messages)}

        async def send(message: Any) -> None:
            sent.append(message["type"])

        await StartupApp(plan, PrewarmedTable(plan), fail)({"type": "lifespan"}, receive, send)
        assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]

    gc.freeze()  # collecting the engines of all games would take seconds
    try:
        asyncio.run(test())
        gc.collect()
    finally:
        gc.unfreeze()
    assert not problems


def find_imported_modules(module: str) -> set[str]:
    """Return the names of all modules that importing one of them loads in a new process."""
    program = f"import sys, {module}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_the_port_answers_without_the_engine() -> None:
    """The server imports neither numba nor the engine before it listens; they load in a thread."""
    assert {"numba", "numpy", "clingo", "abl_cards.games"}.isdisjoint(find_imported_modules("abl_cards.web"))
