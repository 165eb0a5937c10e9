"""Tests of stored tables, restored after a restart, and of the prewarmed table."""

import asyncio
import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp.errors import KBError, make_error
from abl_cards.core.atomic_files import lock_folder
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.web import startup_app
from abl_cards.web.config import WebConfig
from abl_cards.web.event_log import EventLog, EventLogStore
from abl_cards.web.prewarmed_table import FILE_NAME, OFFER_TIMEOUT, PrewarmedTable
from abl_cards.web.seats import Permission
from abl_cards.web.server import _with_state_folder
from abl_cards.web.startup_app import StartupApp
from abl_cards.web.websocket import CLOSE_UNAUTHORIZED, CLOSE_UNAVAILABLE
from tests.web.asgi import Socket, request
from tests.web.test_tables import decide

Run = Any
CHANGES = ("revision", "since", "log")
OWNER = Permission(is_owner=True)


def seen(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in CHANGES}


async def play_some(socket: Socket, decisions: int) -> None:
    for _ in range(decisions):
        if socket.table["phase"] == "end":
            socket.send(do="go")
        else:
            await decide(socket, socket.table)
        await socket.next()


def run_twice(with_page: Run, keep: Path, first: Callable[[Any], Any], then: Callable[[Any, Any], Any]) -> None:
    """Run a function on one server, and another one on a server started after it."""
    results: list[Any] = []

    async def one(page: Any) -> None:
        results.append(await first(page))

    async def two(page: Any) -> None:
        await then(page, results[0])

    with_page(one, WebConfig(state_folder=keep))
    with_page(two, WebConfig(state_folder=keep))


@pytest.mark.parametrize(
    ("wishes", "decisions"),
    [
        ({"game": "doudizhu", "profile": "botzone_bidding", "seed": 5}, 6),
        ({"game": "tractor", "seed": 3, "seats": ["person", "kb", "greedy", "random"]}, 5),
        ({"game": "president", "seed": 4, "seats": ["person", "person", "greedy", "kb"], "name": "<b>Ann"}, 4),
    ],
    ids=lambda value: value.get("game") if isinstance(value, dict) else "",
)
def test_a_table_is_there_again(with_page: Run, tmp_path: Path, wishes: dict[str, Any], decisions: int) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(**wishes)
        socket = await page.sit(table, token)
        socket.send(do="pace", ms=0)
        other = next((seat["token"] for seat in socket.table["seats"][1:] if seat["kind"] == "person"), None)
        if other:  # an agent takes this seat, so that the match continues
            socket.send(do="seat", seat=1, player="greedy")
        await socket.wait_for_turn()
        await play_some(socket, decisions)
        socket.send(do="back")
        await socket.next()
        await socket.leave()
        web_table = page.house.tables[table]
        return table, token, socket.table, [seat.to_json() for seat in web_table.seats], web_table.records(OWNER)

    async def then(page: Any, saved: Any) -> None:
        table, token, before, chairs, records = saved
        assert [summary["table"] for summary in page.house.tables_json()] == [table]
        socket = await page.sit(table, token)
        assert seen(socket.table) | {"pace": 0} == seen(before) | {"pace": 0}
        web_table = page.house.tables[table]
        assert ([seat.to_json() for seat in web_table.seats], web_table.records(OWNER)) == (chairs, records)
        await play_some(socket, 2)

    run_twice(with_page, tmp_path, first, then)


def test_a_guest_whose_seat_was_given_up_looks_on_after_a_restart(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president", seats=["person", "person", "greedy", "greedy"])
        owner = await page.sit(table, token)
        link = owner.table["seats"][1]["token"]
        owner.send(do="seat", seat=1, player="greedy")
        while owner.table["seats"][1]["kind"] == "person":
            await owner.receive()
        owner.send(do="again")  # writes the log anew
        revision = owner.table["revision"]
        while owner.table["revision"] == revision:
            await owner.receive()
        return table, link

    async def then(page: Any, saved: Any) -> None:
        guest = await page.sit(*saved)
        assert guest.table["me"] is None
        assert "hand" not in guest.table

    run_twice(with_page, tmp_path, first, then)


def test_a_closed_table_is_not_there_again(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president")
        owner = await page.sit(table, token)
        owner.send(do="close")
        while await owner.receive():
            pass
        return table

    async def then(page: Any, table: str) -> None:
        assert not list(tmp_path.glob("*.jsonl"))
        assert not page.house.has_table(table)

    run_twice(with_page, tmp_path, first, then)


def test_a_page_has_the_key_and_the_prepared_table_needs_it(with_page: Run, tmp_path: Path) -> None:
    """After a restart an open page reads the access key anew; the page has no table, and only the key gets it."""

    async def test(page: Any) -> None:
        config = page.house.config
        page.house.prewarmed.store("t", "secret", ({}, {}), tmp_path)
        body = (await page.ask("/?key")).body.decode()
        assert f'name="token" content="{config.token}"' in body
        assert "secret" not in body
        for headers in ({"x-token": "-"}, {"x-token": "wrong"}):
            refused = await page.post("/api/first", {}, **headers)
            assert (refused.status, b"secret" in refused.body) == (403, False)
        assert (await page.ask("/api/first")).status in (404, 405)
        assert (await read_offer(page))["token"] == "secret"

    with_page(test, WebConfig(state_folder=tmp_path))


def test_what_a_killed_process_was_writing_is_not_there(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        socket = await page.begin(seats=["person", "greedy", "greedy", "greedy"])
        await play_some(socket, 2)
        web_table = page.house.tables[socket.welcome["table"]]
        return socket.welcome["table"], web_table.owner_token, len(web_table.decisions)

    async def then(page: Any, saved: Any) -> None:
        table, token, decisions = saved
        await page.sit(table, token)
        assert len(page.house.tables[table].decisions) >= decisions
        assert b"half" not in (tmp_path / f"{table}.jsonl").read_bytes()

    async def between(page: Any) -> Any:
        result = await first(page)
        with (tmp_path / f"{result[0]}.jsonl").open("ab") as stream:
            stream.write(b'{"do":"act","half')
        return result

    run_twice(with_page, tmp_path, between, then)


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b'{"do":"steal"}', b'{"do":"act","seat":0,"person":true,"value":["XX"]}', b'{"do":"back"}',
             b'{"do":"act","seat":77,"person":false,"form":"x","cards":[]}', b'{"do":"chair","seat":0,"chair":5}',
             b'{"do":"act","seat":0,"person":false,"form":"single(5)","cards":["S9"]}', b"[" * 9000],
)  # fmt: skip
def test_a_damaged_ledger_is_one_table_less_and_is_kept(with_page: Run, tmp_path: Path, line: bytes) -> None:
    async def first(page: Any) -> Any:
        whole, damaged = await page.open(game="president"), await page.open(game="president")
        return whole, damaged

    async def then(page: Any, saved: Any) -> None:
        (whole, token), (damaged, key) = saved
        before = (tmp_path / f"{damaged}.jsonl").read_bytes()
        for _ in range(2):
            socket = Socket(page.app, f"/api/tables/{damaged}")
            socket.send(token=key)
            assert (await socket.receive())["type"] == "error"
            assert await socket.receive() == {}
            assert socket.closed == CLOSE_UNAVAILABLE
        assert (tmp_path / f"{damaged}.jsonl").read_bytes() == before
        await page.sit(whole, token)

    async def between(page: Any) -> Any:
        result = await first(page)
        with (tmp_path / f"{result[1][0]}.jsonl").open("ab") as stream:
            stream.write(line + b"\n")
        return result

    run_twice(with_page, tmp_path, between, then)


def test_rules_that_fail_for_a_moment_lose_no_table(
    with_page: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def first(page: Any) -> Any:
        return await page.open(game="president", seed=3)

    async def then(page: Any, saved: Any) -> None:
        table, token = saved
        real = page.house.executor.engine
        for problem in (
            GameError("broken"),
            KBError([make_error(None, "broken")]),
            FileNotFoundError("gone"),
            RuntimeError("odd"),
        ):

            def fail(game: Any, profile: Any, problem: Exception = problem) -> Any:
                raise problem

            monkeypatch.setattr(page.house.executor, "engine", fail)
            socket = Socket(page.app, f"/api/tables/{table}")
            socket.send(token=token)
            assert (await socket.receive())["type"] == "error"
            assert await socket.receive() == {}
            assert socket.closed == CLOSE_UNAVAILABLE  # the browser tries again
            assert (tmp_path / f"{table}.jsonl").exists()
            assert [summary["table"] for summary in page.house.tables_json()] == [table]
        monkeypatch.setattr(page.house.executor, "engine", real)
        again = await page.sit(table, token)
        assert again.welcome["seed"] == "3"

    run_twice(with_page, tmp_path, first, then)


@pytest.mark.parametrize("key", ["", "x", "é", "0" * 4000])
def test_nothing_is_loaded_for_who_has_no_token(with_page: Run, tmp_path: Path, key: str) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president", seats=["person", "person", "greedy", "greedy"])
        socket, web_table = await page.sit(table, token), page.house.tables[table]
        socket.send(do="seat", seat=1, player="greedy")
        while socket.table["seats"][1]["kind"] == "person":
            await socket.receive()
        return web_table.name, web_table.watch_token, web_table.seats[0].token

    async def then(page: Any, saved: Any) -> None:
        name, *tokens = saved

        def fail(game: Any, profile: Any) -> Any:
            raise AssertionError("nobody has a right to this")

        real, page.house.executor.engine = page.house.executor.engine, fail
        socket = Socket(page.app, f"/api/tables/{name}")
        socket.send(token=key)
        assert (await socket.receive())["type"] == "error"
        assert await socket.receive() == {}
        assert socket.closed == CLOSE_UNAUTHORIZED
        page.house.executor.engine = real
        for token in tokens:
            await page.sit(name, token)

    run_twice(with_page, tmp_path, first, then)


def test_ledgers_of_before_have_numbers_as_seeds(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president", seed=2**31 - 2)
        file = tmp_path / f"{table}.jsonl"
        entry = json.loads(file.read_text())
        assert (entry.pop("drawn"), entry["seed"]) == (False, str(2**31 - 2))
        file.write_text(json.dumps(entry | {"seed": int(entry["seed"])}) + "\n")
        return table, token, page.house.tables[table].tables.state.hands.tolist()

    async def then(page: Any, saved: Any) -> None:
        table, token, hands = saved
        assert (await page.sit(table, token)).welcome["seed"] == str(2**31 - 2)
        assert page.house.tables[table].tables.state.hands.tolist() == hands

    run_twice(with_page, tmp_path, first, then)


def test_files_of_tables_are_their_owners_alone(with_page: Run, tmp_path: Path) -> None:
    async def test(page: Any) -> None:
        table, _ = await page.open(game="president")
        assert (tmp_path / f"{table}.jsonl").stat().st_mode & 0o077 == 0

    with_page(test, WebConfig(state_folder=tmp_path))


def test_the_latest_are_kept_and_the_others_forgotten(tmp_path: Path) -> None:
    for number in range(5):
        EventLog(tmp_path / f"t{number}.jsonl").start({"name": number})
    assert len(EventLogStore(tmp_path, 3).suspended) == 3
    assert len(list(tmp_path.iterdir())) == 3
    old = tmp_path / "t4.jsonl"
    os.utime(old, (0, 0))
    assert len(EventLogStore(tmp_path, 3).suspended) == 2
    assert not old.exists()
    assert EventLogStore(tmp_path, 3).summaries() == []  # the logs have headings only
    assert EventLogStore(None, 3).create_log("x") is None
    with pytest.raises(GameError, match=r"none\.jsonl") as error:
        EventLog(tmp_path / "none.jsonl").read()
    assert error.value.code == ErrorCode.FILE_NOT_READABLE


# --- the prewarmed table ---------------------------------------------------------------------------------------------


async def read_offer(page: Any, game: str = "") -> Any:
    answer = await page.post(f"/api/first?game={game}", {})
    assert answer.headers["content-type"].startswith("application/json")
    return answer.json() or None


async def wait_for_prewarmed(page: Any) -> None:
    while not page.house.prewarmed.table_name:
        await asyncio.sleep(0.02)


def test_a_table_lies_ready_and_is_given_once(with_page: Run, tmp_path: Path) -> None:
    plan = WebConfig(game="president", state_folder=tmp_path, prewarm_table=True)
    known: list[str] = []

    async def first(page: Any) -> None:
        assert await read_offer(page) is None
        await page.ask("/api/games")
        await wait_for_prewarmed(page)
        assert page.house.tables_json() == []

    async def then(page: Any) -> None:
        assert await read_offer(page, "hearts") is None  # the table is of another game
        laid = await read_offer(page, "president")
        assert await read_offer(page) is None
        assert laid["seen"]["hand"]
        assert page.house.tables == {}
        socket = await page.sit(laid["table"], laid["token"])
        assert seen(socket.table) == seen(laid["seen"]) | {"seats": socket.table["seats"]}  # a client is connected now
        assert socket.welcome == laid["welcome"]
        known.append(laid["table"])
        assert page.house.prewarmed.table_name != laid["table"]
        await wait_for_prewarmed(page)
        assert (await read_offer(page))["table"] == page.house.prewarmed.table_name != laid["table"]

    with_page(first, plan)
    with_page(then, plan)


def test_a_table_that_lies_ready_is_given_again_when_nobody_sits_down(tmp_path: Path) -> None:
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
def test_a_damaged_picture_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)  # small, where all files of the folder are read
    (tmp_path / FILE_NAME).write_text(text)
    assert PrewarmedTable(WebConfig(state_folder=tmp_path, prewarm_table=True)).table_name == ""


def test_changed_rules_have_no_picture(tmp_path: Path) -> None:
    rules, plan = tmp_path / "rules", WebConfig(state_folder=tmp_path / "kept", prewarm_table=True)
    rules.mkdir()
    (rules / "rules.lp").write_text("a.")
    PrewarmedTable(plan).store("t", "key", ({}, {}), rules)
    assert PrewarmedTable(plan).table_name == "t"
    (rules / "rules.lp").write_text("ab.")
    assert PrewarmedTable(plan).table_name == ""


def test_markup_of_a_table_that_lies_ready_is_text(tmp_path: Path) -> None:
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
def test_a_page_that_is_closed_while_it_starts_reports_nothing(
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


def test_one_page_in_a_folder(tmp_path: Path) -> None:
    from contextlib import ExitStack

    messages: list[str] = []
    with ExitStack() as stack, lock_folder(tmp_path):
        assert _with_state_folder(WebConfig(state_folder=tmp_path), stack, messages.append).state_folder is None
    assert str(tmp_path) in messages[0]
    with ExitStack() as stack:
        assert _with_state_folder(WebConfig(state_folder=tmp_path), stack, messages.append).state_folder == tmp_path
    (tmp_path / "file").write_text("")
    with ExitStack() as stack:
        assert (
            _with_state_folder(WebConfig(state_folder=tmp_path / "file" / "x"), stack, messages.append).state_folder
            is None
        )
    assert len(messages) == 2


def test_the_port_answers_without_the_engine() -> None:
    """The server imports neither numba nor the engine before it listens; they load in a thread."""
    import subprocess
    import sys

    program = "import sys, abl_cards.web; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {"numba", "numpy", "clingo", "abl_cards.games"}.isdisjoint(loaded)
