"""Tests of stored tables, restored after a restart."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from abl_cards.asp.errors import KBError, make_error
from abl_cards.core.atomic_files import lock_folder
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games import load
from abl_cards.web.config import WebConfig
from abl_cards.web.event_log import EventLog, EventLogStore
from abl_cards.web.seats import Permission
from abl_cards.web.server import _with_state_folder
from abl_cards.web.table_history import TableHistory
from abl_cards.web.websocket import CLOSE_UNAUTHORIZED, CLOSE_UNAVAILABLE
from tests.web.asgi import Socket
from tests.web.test_tables import decide

Run = Any
CHANGES = ("revision", "since", "log")
OWNER = Permission(is_owner=True)
LONG_NAME = "kb:without=plays_to_go,without=break_set,without=spend_two,without=low_cards_stay,without=unbeatable"


def stable_fields(table: dict[str, Any]) -> dict[str, Any]:
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
        ({"game": "president", "seed": 4, "seats": ["person", "random", LONG_NAME, "greedy"]}, 1),
    ],
    ids=lambda value: value.get("game") if isinstance(value, dict) else "",
)
def test_table_is_restored_after_a_restart(
    with_page: Run, tmp_path: Path, wishes: dict[str, Any], decisions: int
) -> None:
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
        web_table = page.lobby.tables[table]
        return table, token, socket.table, [seat.to_json() for seat in web_table.seats], web_table.records(OWNER)

    async def then(page: Any, saved: Any) -> None:
        table, token, before, chairs, records = saved
        assert [summary["table"] for summary in page.lobby.tables_json()] == [table]
        socket = await page.sit(table, token)
        assert stable_fields(socket.table) | {"pace": 0} == stable_fields(before) | {"pace": 0}
        web_table = page.lobby.tables[table]
        web_table.agent_delay = 0
        assert ([seat.to_json() for seat in web_table.seats], web_table.records(OWNER)) == (chairs, records)
        await play_some(socket, 2)

    run_twice(with_page, tmp_path, first, then)


def test_guest_of_a_released_seat_spectates_after_a_restart(with_page: Run, tmp_path: Path) -> None:
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


def test_closed_table_is_not_restored(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president")
        owner = await page.sit(table, token)
        owner.send(do="close")
        while await owner.receive():
            pass
        return table

    async def then(page: Any, table: str) -> None:
        assert not list(tmp_path.glob("*.jsonl"))
        assert not page.lobby.has_table(table)

    run_twice(with_page, tmp_path, first, then)


def test_incomplete_last_line_of_the_log_is_dropped(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        socket = await page.begin(seats=["person", "greedy", "greedy", "greedy"])
        await play_some(socket, 2)
        web_table = page.lobby.tables[socket.welcome["table"]]
        return socket.welcome["table"], web_table.owner_token, len(web_table.decisions)

    async def then(page: Any, saved: Any) -> None:
        table, token, decisions = saved
        await page.sit(table, token)
        assert len(page.lobby.tables[table].decisions) >= decisions
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
def test_damaged_log_is_kept_and_affects_only_its_table(with_page: Run, tmp_path: Path, line: bytes) -> None:
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


def test_temporary_rule_errors_lose_no_table(with_page: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def first(page: Any) -> Any:
        return await page.open(game="president", seed=3)

    async def then(page: Any, saved: Any) -> None:
        table, token = saved
        real = page.lobby.executor.engine
        for problem in (
            GameError("broken"),
            KBError([make_error(None, "broken")]),
            FileNotFoundError("gone"),
            RuntimeError("odd"),
        ):

            def fail(game: Any, profile: Any, problem: Exception = problem) -> Any:
                raise problem

            monkeypatch.setattr(page.lobby.executor, "engine", fail)
            socket = Socket(page.app, f"/api/tables/{table}")
            socket.send(token=token)
            assert (await socket.receive())["type"] == "error"
            assert await socket.receive() == {}
            assert socket.closed == CLOSE_UNAVAILABLE  # the browser tries again
            assert (tmp_path / f"{table}.jsonl").exists()
            assert [summary["table"] for summary in page.lobby.tables_json()] == [table]
        monkeypatch.setattr(page.lobby.executor, "engine", real)
        again = await page.sit(table, token)
        assert again.welcome["seed"] == "3"

    run_twice(with_page, tmp_path, first, then)


@pytest.mark.parametrize("key", ["", "x", "é", "0" * 4000])
def test_invalid_token_does_not_restore_a_table(with_page: Run, tmp_path: Path, key: str) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president", seats=["person", "person", "greedy", "greedy"])
        socket, web_table = await page.sit(table, token), page.lobby.tables[table]
        socket.send(do="seat", seat=1, player="greedy")
        while socket.table["seats"][1]["kind"] == "person":
            await socket.receive()
        return web_table.name, web_table.watch_token, web_table.seats[0].token

    async def then(page: Any, saved: Any) -> None:
        name, *tokens = saved

        def fail(game: Any, profile: Any) -> Any:
            raise AssertionError("nobody has a right to this")

        real, page.lobby.executor.engine = page.lobby.executor.engine, fail
        socket = Socket(page.app, f"/api/tables/{name}")
        socket.send(token=key)
        assert (await socket.receive())["type"] == "error"
        assert await socket.receive() == {}
        assert socket.closed == CLOSE_UNAUTHORIZED
        page.lobby.executor.engine = real
        for token in tokens:
            await page.sit(name, token)

    run_twice(with_page, tmp_path, first, then)


def test_old_logs_with_numeric_seeds_are_read(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president", seed=2**31 - 2)
        file = tmp_path / f"{table}.jsonl"
        entry = json.loads(file.read_text())
        assert (entry.pop("drawn"), entry["seed"]) == (False, str(2**31 - 2))
        file.write_text(json.dumps(entry | {"seed": int(entry["seed"])}) + "\n")
        return table, token, page.lobby.tables[table].tables.state.hands.tolist()

    async def then(page: Any, saved: Any) -> None:
        table, token, hands = saved
        assert (await page.sit(table, token)).welcome["seed"] == str(2**31 - 2)
        assert page.lobby.tables[table].tables.state.hands.tolist() == hands

    run_twice(with_page, tmp_path, first, then)


def test_log_files_are_readable_by_the_owner_only(with_page: Run, tmp_path: Path) -> None:
    async def test(page: Any) -> None:
        table, _ = await page.open(game="president")
        assert (tmp_path / f"{table}.jsonl").stat().st_mode & 0o077 == 0

    with_page(test, WebConfig(state_folder=tmp_path))


def test_store_keeps_latest_logs_and_deletes_others(tmp_path: Path) -> None:
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


def test_no_event_is_written_once_a_table_has_stopped_writing() -> None:
    history = TableHistory(load("president").engine(), seed=1)
    events: list[str] = []
    has_begun, may_write = Event(), Event()

    def write_slowly(kind: str, data: dict[str, Any]) -> None:
        has_begun.set()
        assert may_write.wait(30)
        events.append(kind)

    history.event_writer = write_slowly
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(history.write_event, "go", {})
        assert has_begun.wait(30)
        stopping = pool.submit(history.stop_writing)
        with pytest.raises(TimeoutError):  # waits for the event that is being written
            stopping.result(0.1)
        may_write.set()
        writing.result(30)
        stopping.result(30)
    history.write_event("back", {})
    assert events == ["go"]


def test_locked_or_invalid_state_folder_is_not_used(tmp_path: Path) -> None:
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
