"""Tests of invalid and forbidden requests to tables: they are answered, and no game is lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import amount
from tests.web.asgi import Socket

Run = Any


@pytest.mark.parametrize(
    "wish",
    [{"game": "../kb"}, {"game": "/"}, {"game": 5}, {"game": "president", "seats": ["kb"]}, {"seats": 3}, {"seed": -1},
     {"seed": True}, {"game": "president", "profile": "../x"}, {"practice": 1},
     {"game": "president", "seats": [[]] * 4}, {"think": "\ud800"}],
)  # fmt: skip
def test_invalid_table_requests_are_rejected(with_page: Run, wish: dict[str, Any]) -> None:
    async def test(page: Any) -> None:
        answer = await page.post("/api/tables", {"game": "president"} | wish)
        assert answer.status == 400
        assert answer.json()["error"]

    with_page(test)


def test_lone_surrogates_and_deep_values_get_an_answer(with_page: Run) -> None:
    """A request whose number is not whole is answered without one."""

    async def test(page: Any) -> None:
        socket = await page.begin(seats=["person", "greedy", "greedy", "greedy"])
        at, deep = socket.table["at"], json.loads("[" * 400 + "]" * 400)
        requests: list[dict[str, Any]] = [
            {"do": "hint", "at": at, "n": "\ud800"},
            {"do": "think", "ms": "\ud800", "n": 1},
            {"do": "play", "value": deep, "at": at, "n": 2},
            {"do": "why", "value": deep, "at": at, "n": 3},
        ]
        for fields in requests:
            socket.send(**fields)
            while (answer := await socket.receive())["type"] == "table":
                pass
            assert answer["type"] == ("hint" if fields["do"] == "hint" else "error")
            assert answer["n"] == (fields["n"] if type(fields["n"]) is int else None)

    with_page(test)


def test_markup_in_names_is_sent_unchanged(with_page: Run) -> None:
    """Names are sent unchanged; the page inserts them as text only (tests/web/test_static.py)."""

    async def test(page: Any) -> None:
        socket = await page.begin(name="<img src=x onerror=alert(1)>")
        assert socket.table["seats"][0]["name"] == "<img src=x onerror=alert"
        socket.send(do="name", name="\u202e\x07<b>")
        while socket.table["seats"][0]["name"] != "<b>":
            await socket.receive()

    with_page(test)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
DOINGS = ["pick", "play", "choose", "hint", "why", "go", "seat", "name", "pace", "record", "fly", ""]
FRAMES = st.one_of(
    st.text(max_size=40),
    st.binary(max_size=40),
    JSON.map(json.dumps),
    st.fixed_dictionaries(
        {"do": st.sampled_from(DOINGS) | JSON},
        optional=dict.fromkeys(
            ("at", "n", "cards", "value", "values", "lang", "agent", "seat", "player", "ms", "name"), JSON
        ),
    ).map(json.dumps),
)


def test_malformed_frames_do_not_affect_the_game(with_page: Run) -> None:
    async def test(page: Any) -> None:
        from abl_cards.web import websocket

        patch = pytest.MonkeyPatch()
        patch.setattr(websocket, "FRAME_BURST", 1e9)
        socket = await page.begin(seats=["person", "greedy", "greedy", "greedy"])
        before = socket.table
        examples = amount(40, 260)
        sent: list[Any] = []

        @settings(max_examples=examples, database=None)
        @given(st.lists(FRAMES, min_size=4, max_size=5))
        def collect(frames: list[Any]) -> None:
            sent.extend(frames)

        collect()
        assert len(sent) >= 1000 * examples // 260
        for frame in sent:
            socket.raw(frame)
        socket.raw("x" * 70_000)
        socket.raw('{"do":' * 20_000)
        socket.send(do="pick", cards=before["hand"][:1], at=before["at"], n=123456)
        errors = 0
        while (message := await socket.receive()).get("n") != 123456:
            errors += message["type"] == "error"
            assert "failed" not in message.get("text", "")
        assert errors > 600 * examples // 260
        assert message["type"] == "picked"
        patch.undo()

    with_page(test)


@pytest.mark.parametrize(
    "first", ["", "{}", '{"token":5}', '{"token":"x"}', "[]", '{"token":"\\ud800"}', "x" * 100_000]
)
def test_connections_without_a_valid_token_are_closed(with_page: Run, first: str) -> None:
    async def test(page: Any) -> None:
        table, _ = await page.open(game="president")
        socket = Socket(page.app, f"/api/tables/{table}")
        socket.raw(first)
        assert (await socket.receive())["type"] == "error"
        assert await socket.receive() == {}
        assert socket.closed == 4401
        stranger = Socket(page.app, "/api/tables/nowhere")
        assert (await stranger.receive())["type"] == "error"
        assert await stranger.receive() == {}
        assert stranger.closed == 4404

    with_page(test)


def test_number_of_tables_is_limited(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from abl_cards.web import fairness, lobby

    monkeypatch.setattr(lobby, "MAX_TABLES", 2)

    async def test(page: Any) -> None:
        one = await page.begin()
        second, _ = await page.open(game="president")
        third, token = await page.open(game="president")  # the table without viewers is evicted
        assert list(page.lobby.tables) == [one.welcome["table"], third]
        await page.sit(third, token)
        assert (await page.post("/api/tables", {"game": "president"})).status == 400
        monkeypatch.setattr(fairness, "IDLE_TIMEOUT", -1.0)
        await page.open(game="president")
        assert len(page.lobby.tables) == 2
        assert third in page.lobby.tables
        assert second not in page.lobby.tables

    with_page(test)
