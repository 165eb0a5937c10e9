"""Tests of the think time: only agents with look-ahead use it, and it is stored with the table."""

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.abl_agent import AblAgent
from abl_cards.agents.registry import make_agent
from abl_cards.web.config import WebConfig
from abl_cards.web.think_time import THINK_CHOICES
from tests.web.test_keeping import run_twice
from tests.web.test_scripts import run_script
from tests.web.test_tables import decide

pytest.importorskip("torch")
Run = Any
GAME = "doudizhu"
CHOICES = ", ".join(map(str, THINK_CHOICES))


def seconds_of(page: Any, table: str) -> list[float | None]:
    """Return the time limits of the seats of a table."""
    agents = [seat.agent for seat in page.lobby.tables[table].seats]
    return [agent.think_seconds if isinstance(agent, AblAgent) else None for agent in agents]


async def wait_for(socket: Any, think_ms: int) -> None:
    while socket.table["think"] != think_ms:
        assert (await socket.receive())["type"] != "error"


def test_lookahead_agents_get_the_think_time_of_the_table(with_page: Run) -> None:
    async def test(page: Any) -> None:
        limited, _ = await page.open(game=GAME, seats=["person", "abl", "kb"], think=250)
        usual, _ = await page.open(game=GAME, seats=["person", "abl", "kb"])
        assert seconds_of(page, limited) == [None, 0.25, None]
        assert seconds_of(page, usual) == [None, None, None]
        first, second = (page.lobby.tables[table].seats for table in (limited, usual))
        assert first[1].agent.policy is second[1].agent.policy  # the networks are loaded once
        assert first[2].agent is second[2].agent

    with_page(test)


def test_agents_without_lookahead_get_no_think_time(with_page: Run) -> None:
    async def test(page: Any) -> None:
        for name in ("abl:supervised", "abl:no-lookahead", "greedy"):
            table, _ = await page.open(game=GAME, seats=["person", name, "kb"], think=1000)
            assert seconds_of(page, table) == [None, None, None]

    with_page(test)


def test_think_time_in_the_agent_name_takes_precedence(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game=GAME, seats=["person", "abl:think=500", "abl"], think=50)
        assert seconds_of(page, table) == [None, 0.5, 0.05]
        socket = await page.sit(table, token)
        socket.send(do="think", ms=1000)
        await wait_for(socket, 1000)
        assert seconds_of(page, table) == [None, 0.5, 1.0]

    with_page(test, WebConfig(extra_agents=("abl:think=500",)))


@pytest.mark.parametrize("value", [75, -1, 10**9, "100", True, None, 50.0, []])
def test_invalid_think_time_is_rejected(with_page: Run, value: Any) -> None:
    async def test(page: Any) -> None:
        answer = await page.post("/api/tables", {"game": GAME, "think": value})
        assert (answer.status, answer.json()["code"]) == (400, "invalid-value")
        assert answer.json()["values"] == [str(value), CHOICES]
        socket = await page.begin(game=GAME)
        socket.send(do="think", ms=value)
        error = await socket.receive()
        assert (error["code"], error["values"]) == ("invalid-value", [str(value), CHOICES])
        assert socket.table["think"] == 0

    with_page(test)


def test_only_the_owner_changes_the_think_time(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game=GAME, seats=["person", "person", "abl"])
        owner = await page.sit(table, token)
        guest = await page.sit(table, owner.table["seats"][1]["token"])
        guest.send(do="think", ms=50)
        while (message := await guest.receive())["type"] != "error":
            pass
        assert (message["code"], seconds_of(page, table)) == ("not-owner", [None, None, None])
        owner.send(do="think", ms=50)
        await wait_for(owner, 50)
        assert seconds_of(page, table) == [None, None, 0.05]
        owner.send(do="seat", seat=1, player="abl")
        while owner.table["seats"][1]["kind"] == "person":
            await owner.receive()
        assert seconds_of(page, table) == [None, 0.05, 0.05]
        owner.send(do="think", ms=0)
        await wait_for(owner, 0)
        assert seconds_of(page, table) == [None, None, None]

    with_page(test)


@pytest.mark.parametrize("is_changed", [False, True], ids=["as opened", "as changed"])
def test_restored_table_keeps_its_think_time(with_page: Run, tmp_path: Path, is_changed: bool) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game=GAME, seats=["person", "abl", "kb"], think=1000)
        socket = await page.sit(table, token)
        if is_changed:
            socket.send(do="think", ms=50)
            await wait_for(socket, 50)
            socket.send(do="seat", seat=2, player="abl")
            while socket.table["seats"][2]["agent"] != "abl":
                await socket.receive()
        await socket.leave()
        return table, token

    async def then(page: Any, saved: Any) -> None:
        socket = await page.sit(*saved)
        assert socket.table["think"] == (50 if is_changed else 1000)
        assert seconds_of(page, saved[0]) == ([None, 0.05, 0.05] if is_changed else [None, 1.0, None])

    run_twice(with_page, tmp_path, first, then)


def test_old_logs_restore_without_think_time(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        return await page.open(game=GAME, seats=["person", "kb", "kb"], think=100)

    async def then(page: Any, saved: Any) -> None:
        assert (await page.sit(*saved)).table["think"] == 0

    def forget(saved: Any) -> None:
        file = tmp_path / f"{saved[0]}.jsonl"
        header, *events = file.read_text("utf-8").splitlines()
        fields = json.loads(header)
        del fields["think"]
        file.write_text("\n".join([json.dumps(fields), *events, ""]), "utf-8")

    async def one(page: Any) -> Any:
        saved = await first(page)
        page.lobby.close()
        forget(saved)
        return saved

    run_twice(with_page, tmp_path, one, then)


class SlowAgent:
    """Agent that plays as another one, after a while or once an event is set."""

    def __init__(self, agent: Any, pause: float = 0.0, event: threading.Event | None = None) -> None:
        self._agent, self._pause, self._event, self.is_playing = agent, pause, event, threading.Event()

    def play(self, decisions: Any, keys: Any) -> Any:
        self.is_playing.set()
        time.sleep(self._pause)
        if self._event is not None:
            self._event.wait(60)
        return self._agent.play(decisions, keys)

    def choose(self, choices: Any, keys: Any) -> Any:
        return self._agent.choose(choices, keys)


def test_every_move_of_slow_agents_is_shown(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president", seats=["person", "kb", "kb", "kb"])
        table = page.lobby.tables[socket.welcome["table"]]
        for seat in table.seats[1:]:
            seat.agent = SlowAgent(seat.agent, 0.03)
        shown = [socket.table["at"]]
        await decide(socket, socket.table)
        while not (socket.table["asked"] and socket.table["at"] > shown[0]):
            if (await socket.receive())["type"] == "table":
                shown.append(socket.table["at"])
        assert sorted(set(shown)) == list(range(shown[0], shown[-1] + 1))
        assert len(set(shown)) > 2

    with_page(test)


def test_tables_do_not_wait_for_agents_of_other_tables(with_page: Run) -> None:
    async def test(page: Any) -> None:
        event = threading.Event()
        try:
            for _ in range(2):
                table, _ = await page.open(game="president", seats=["person", "kb", "kb", "kb"], seed=1)
                engine = page.lobby.tables[table].engine
                slow = SlowAgent(make_agent("greedy", engine), event=event)
                page.lobby.tables[table].seats[0].agent = slow  # it leads
                page.lobby.tables[table].wake.set()
                while not slow.is_playing.is_set():
                    await asyncio.sleep(0.01)
            other = await page.sit(*await page.open(game="president", seats=["person"] * 4))
            other.send(do="groups")
            assert (await other.until("groups"))["groups"]
        finally:
            event.set()

    with_page(test)


def test_page_offers_and_sends_the_server_think_times() -> None:
    script = """---
    globalThis.navigator = { language: 'en' };
    globalThis.document = { documentElement: { dataset: {} }, querySelector: () => ({ content: 'key' }) };
    globalThis.location = { hash: '' };
    globalThis.sessionStorage = { getItem: () => null };
    globalThis.localStorage = { getItem: () => JSON.stringify(input.stored), setItem: () => {} };
    globalThis.fetch = async (path, { body }) => ({ ok: true, json: async () => ({ path, body: JSON.parse(body) }) });
    const { THINK_CHOICES, settings } = await import('./settings.js');
    const { requestTable } = await import('./request_table.js');
    print([THINK_CHOICES, settings().think, await requestTable({ game: 'g' })]);"""
    choices, default, sent = run_script(script, stored={"name": "Ann", "think": 75})
    assert (choices, default) == (list(THINK_CHOICES), 100)
    assert sent == {"path": "/api/tables", "body": {"name": "Ann", "think": 100, "game": "g"}}
    assert run_script(script, stored={"think": 1000})[1] == 1000
