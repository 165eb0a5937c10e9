"""Tests of classes: the same deal for everybody, the teacher's wall, results, leading, secrets, and a restart."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.web import class_requests, class_views, classes
from abl_cards.web.class_views import merge_results
from abl_cards.web.classes import CODE_LENGTH, CODE_LETTERS, ClassStore
from abl_cards.web.config import WebConfig
from tests.web.asgi import Socket, request
from tests.web.test_keeping import run_twice
from tests.web.test_scripts import run_script
from tests.web.test_tables import decide

Run = Any
NAMES = ("Bo", "Cy", "Di")


async def call(page: Any, code: str, **message: Any) -> Any:
    return await page.post(f"/api/classes/{code}", message, **{"x-token": "-"})


async def open_class(page: Any, **wishes: Any) -> tuple[str, str]:
    answer = await page.post("/api/classes", {"game": "president", "agent": "greedy", **wishes})
    assert answer.status == 200, answer.body
    return answer.json()["code"], answer.json()["token"]


async def join(page: Any, code: str, *names: str) -> list[Any]:
    return [(await call(page, code, do="join", name=name)).json() for name in names]


async def play_deal(page: Any, pupil: Any) -> Socket:
    """Play a deal as a pupil, without a delay of agents."""
    page.lobby.tables[pupil["table"]].agent_delay = 0
    socket: Socket = await page.sit(pupil["table"], pupil["seat"])
    await socket.wait_for_turn()
    while socket.table["phase"] not in ("end", "over"):
        await decide(socket, socket.table)
        await socket.next()
    return socket


def test_pupils_get_the_same_cards_at_separate_tables(with_page: Run) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page)
        assert len(code) == CODE_LENGTH
        assert set(code) <= set(CODE_LETTERS)
        pupils = await join(page, code.lower(), *NAMES)
        sockets = [await page.sit(pupil["table"], pupil["seat"]) for pupil in pupils]
        assert len({pupil["table"] for pupil in pupils}) == len(NAMES)
        assert len({json.dumps(socket.table["hand"]) for socket in sockets}) == 1
        assert [(socket.table["me"], socket.table["owner"]) for socket in sockets] == [(0, False)] * 3
        wall = (await call(page, code, do="state", token=token)).json()
        assert [table["pupils"] for table in wall["tables"]] == [[name] for name in NAMES]
        assert wall["tables"][0]["view"]["seats"][0]["face"] == sockets[0].table["hand"]
        known = {table["table"]: table["revision"] for table in wall["tables"]}
        again = (await call(page, code, do="state", token=token, known=known)).json()
        assert [table["view"] for table in again["tables"]] == [None] * 3

    with_page(test)


def test_groups_fill_a_table_before_the_next(with_page: Run) -> None:
    async def test(page: Any) -> None:
        code, _ = await open_class(page, people=2)
        pupils = await join(page, code, *NAMES)
        tables = [pupil["table"] for pupil in pupils]
        assert tables[0] == tables[1] != tables[2]
        sockets = [await page.sit(pupil["table"], pupil["seat"]) for pupil in pupils]
        assert [socket.table["me"] for socket in sockets] == [0, 1, 0]
        assert sockets[0].table["hand"] == sockets[2].table["hand"] != sockets[1].table["hand"]

    with_page(test)


def test_results_of_one_deal_are_grouped(with_page: Run) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page, seed="5")
        pupils = await join(page, code, *NAMES)
        before = (await call(page, code, do="state", token=pupils[2]["token"])).json()
        sockets = [await play_deal(page, pupil) for pupil in pupils[:2]]
        wall = (await call(page, code, do="state", token=token)).json()
        (deal,) = wall["results"]
        assert sorted(row["name"] for row in deal["rows"]) == ["Bo", "Cy"]
        points = {socket.table["ended"]["points"][0] for socket in sockets}
        assert {row["points"] for row in deal["rows"]} == points
        assert len(deal["dealt"]) == 13
        own = (await call(page, code, do="state", token=pupils[0]["token"])).json()
        assert [len(deal["rows"]) for deal in own["results"]] == [2]
        late = (await call(page, code, do="state", token=pupils[2]["token"])).json()
        assert late["results"] == before["results"] == []  # this pupil has not ended the deal
        opened = (await call(page, code, do="review", token=token, table=pupils[0]["table"], episode=0)).json()
        assert (await page.get(f"/api/reviews/{opened['review']}")).json()["players"][0] == "Bo"
        unfinished = await call(page, code, do="review", token=token, table=pupils[2]["table"], episode=0)
        assert unfinished.json()["code"] == "not-found"

    with_page(test)


def test_next_match_deals_the_same_cards_at_all_tables(with_page: Run) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page, game="big2")
        pupils = await join(page, code, "Bo", "Cy")
        sockets = [await play_deal(page, pupil) for pupil in pupils]
        while any(socket.table["phase"] != "over" for socket in sockets):
            for socket in sockets:
                if socket.table["phase"] == "end":
                    socket.send(do="go")
                    await socket.next()
                elif socket.table["phase"] != "over":
                    await decide(socket, socket.table)
                    await socket.next()
        before = len((await call(page, code, do="state", token=token)).json()["results"])
        assert (await call(page, code, do="again", token=token)).json() == {"started": 2}
        assert [page.lobby.tables[pupil["table"]].match_number for pupil in pupils] == [1, 1]
        seen = [await page.sit(pupil["table"], pupil["seat"]) for pupil in pupils]
        assert seen[0].table["hand"] == seen[1].table["hand"]
        wall = (await call(page, code, do="state", token=token)).json()
        assert len(wall["results"]) == before >= 1

    with_page(test)


def test_rows_are_grouped_by_deal_and_seat() -> None:
    rows = [
        {"match": 0, "episode": episode, "seat": seat, "name": name, "table": name, "points": points, "place": None,
         "left": 0, "dealt": [str(seat)]}
        for episode, seat, name, points in [(1, 0, "a", 1), (0, 0, "a", -2), (0, 0, "b", 3), (0, 1, "c", 9)]
    ]  # fmt: skip
    merged = merge_results(rows)
    assert [(deal["episode"], deal["seat"], [row["name"] for row in deal["rows"]]) for deal in merged] == [
        (0, 0, ["b", "a"]), (0, 1, ["c"]), (1, 0, ["a"]),
    ]  # fmt: skip


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_pupils_get_no_hands_seeds_or_tokens_of_others(with_page: Run) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page, seed="77777777777777777777", people=2)
        pupils = await join(page, code, *NAMES)
        sockets = [await page.sit(pupil["table"], pupil["seat"]) for pupil in pupils]
        me, others = pupils[0], pupils[1:]
        received = [me, sockets[0].welcome, sockets[0].table]
        for do in ("state", "wait"):
            received.append((await call(page, code, do=do, token=me["token"], revision=-1)).json())
        tables = [page.lobby.tables[pupil["table"]] for pupil in pupils]
        secrets = {token, "77777777777777777777", *(table.owner_token for table in tables)}
        secrets |= {table.join_token for table in tables}
        secrets |= {pupil[name] for pupil in others for name in ("token", "seat")}
        text = json.dumps(received)
        assert not [secret for secret in secrets if secret in text]
        hands = [seat.get("face") for seat in sockets[0].table["seats"]]
        assert hands == [None] * 4
        foreign = set(sockets[1].table["hand"]) - set(sockets[0].table["hand"])
        assert len(foreign) == 13
        shown = [sockets[0].table["hand"], sockets[0].table["seats"], sockets[0].table["log"]]
        assert not [card for card in foreign if f'"{card}"' in json.dumps(shown)]

    with_page(test)


@pytest.mark.parametrize("action", ["lead", "review", "again", "close"])
def test_class_actions_require_the_teacher_token(with_page: Run, action: str) -> None:
    async def test(page: Any) -> None:
        code, _ = await open_class(page)
        (pupil,) = await join(page, code, "Bo")
        for token in (pupil["token"], pupil["seat"], "", "x"):
            refused = await call(page, code, do=action, token=token, place="", table=pupil["table"], episode=0)
            assert refused.json()["code"] == "not-allowed"
        for token in ("", "x", pupil["seat"]):
            assert (await call(page, code, do="state", token=token)).json()["code"] == "not-allowed"
            assert (await call(page, code, do="wait", token=token)).json()["code"] == "not-allowed"
        assert pupil["table"] in page.lobby.tables

    with_page(test)


def test_pupils_do_not_own_their_table(with_page: Run) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page)
        (pupil,) = await join(page, code, "Bo")
        socket = await page.sit(pupil["table"], pupil["seat"])
        codes = []
        for number, do in enumerate(("close", "again", "back")):
            socket.send(do=do, n=number)
            reply = await socket.receive()
            while reply["type"] != "error":
                reply = await socket.receive()
            codes.append(reply["code"])
        assert codes == ["not-owner", "not-owner", "no-practice"]
        wall = (await call(page, code, do="state", token=token)).json()
        teacher = await page.sit(pupil["table"], wall["tables"][0]["token"])
        assert (teacher.table["me"], teacher.table["owner"]) == (None, True)  # looks on, without a seat

    with_page(test)


@pytest.mark.parametrize(
    "wish",
    [{"game": "chess"}, {"people": 0}, {"people": 5}, {"people": "2"}, {"agent": "model:x"}, {"agent": "kb:file=x"},
     {"seed": "x"}, {"practice": 1}, {"profile": "x"}],
    ids=str,
)  # fmt: skip
def test_invalid_class_requests_are_rejected(with_page: Run, wish: dict[str, Any]) -> None:
    async def test(page: Any) -> None:
        assert (await page.post("/api/classes", {"game": "president", **wish})).status == 400
        assert (await page.post("/api/classes", {"game": "president"}, **{"x-token": "-"})).status == 403

    with_page(test)


def test_names_and_codes_are_checked(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(page: Any) -> None:
        code, _ = await open_class(page)
        for name in ("", "  ", "\u202e", 5, None):
            assert (await call(page, code, do="join", name=name)).json()["code"] == "invalid-request"
        for do in ("", "x", 5):
            assert (await call(page, code, do=do)).json()["code"] == "invalid-request"
        monkeypatch.setattr(class_requests, "MAX_PUPILS", 1)
        assert [pupil.get("code") for pupil in await join(page, code, "Bo", "Cy")] == [code, "too-large"]
        body = json.dumps({"do": "join", "name": "x"}).encode()
        headers = {"content-type": "application/json"}
        guesses = [
            (await request(page.app, "POST", f"/api/classes/{number:06}", body, headers, "10.0.0.7")).json()["code"]
            for number in range(30)
        ]
        assert guesses[0] == "not-found"
        assert guesses[-1] == "too-many-requests"

    with_page(test)


# --- leading ---------------------------------------------------------------------------------------------------------


def test_waiting_pupils_get_the_place_set_by_the_teacher(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page)
        pupils = await join(page, code, *NAMES)
        revision = (await call(page, code, do="wait", token=pupils[0]["token"])).json()["revision"]
        waiting = [
            asyncio.create_task(call(page, code, do="wait", token=pupil["token"], revision=revision))
            for pupil in pupils
        ]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in waiting)
        assert (await call(page, code, do="lead", token=token, place="review/abc_-1/7")).status == 200
        answers = [(await asyncio.wait_for(task, 5)).json() for task in waiting]
        assert {(answer["place"], answer["revision"]) for answer in answers} == {("review/abc_-1/7", revision + 1)}
        late = (await call(page, code, do="wait", token=pupils[0]["token"], revision=revision)).json()
        assert late == answers[0]  # whoever comes late is led at once
        monkeypatch.setattr(class_requests, "FOLLOW_TIMEOUT", 0.05)
        assert (await call(page, code, do="wait", token=pupils[0]["token"], revision=revision + 1)).json() == late
        for place in ("play/x/y", "review/a?b", "https://x", "review/" + "a" * 90, "//x", 5):
            refused = await call(page, code, do="lead", token=token, place=place)
            assert refused.json()["code"] == "invalid-request"

    with_page(test)


def test_addresses_are_parsed_and_class_tables_counted() -> None:
    script = """import { countTables, mergeViews, placeOf } from './class/class_data.js';
    ---
    const seats = [{ kind: 'person', taken: true, here: false }, { kind: 'agent' }];
    const tables = [{ table: 'a', pupils: ['x'], view: { phase: 'play', turn: 0, seats } },
      { table: 'b', pupils: ['y', 'z'], view: { phase: 'end', turn: null, seats } }, { table: 'c', pupils: [] }];
    print([input.hashes.map(placeOf), countTables(tables),
      mergeViews([{ table: 'a', view: null }, { table: 'n', view: null }], new Map([['a', tables[0]]]))
        .map((table) => table.view?.phase ?? null)]);"""
    hashes = ["#/review/abc/7", "#/review/abc", "#/review", "#/play/a/b", "", "#/review/a/../../x y"]
    places, counts, phases = run_script(script, hashes=hashes)
    assert places == ["review/abc/7", "review/abc", "", "", "", ""]
    assert counts == {"pupils": 3, "waiting": 1, "ended": 1, "away": 2}
    assert phases == ["play", None]


# --- closing and restarts --------------------------------------------------------------------------------------------


def test_class_is_restored_after_a_restart(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        code, token = await open_class(page)
        pupils = await join(page, code, "Bo", "Cy")
        socket = await play_deal(page, pupils[0])
        wall = (await call(page, code, do="state", token=token)).json()
        return code, token, pupils, socket.table["ended"]["points"], wall["results"]

    async def then(page: Any, saved: Any) -> None:
        code, token, pupils, _, results = saved
        assert page.lobby.tables == {}
        wall = (await call(page, code, do="state", token=token)).json()
        assert wall["results"] == results
        assert [table["state"] for table in wall["tables"]] == ["open", "open"]
        own = (await call(page, code, do="state", token=pupils[1]["token"])).json()
        assert (own["table"], own["token"]) == (pupils[1]["table"], pupils[1]["seat"])
        (late,) = await join(page, code, "Di")
        sockets = [await page.sit(pupil["table"], pupil["seat"]) for pupil in (pupils[1], late)]
        assert sockets[0].table["hand"] == sockets[1].table["hand"]

    run_twice(with_page, tmp_path, first, then)


def test_class_tables_are_restored_one_per_request(
    with_page: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_views, "MAX_RESTORED_AT_ONCE", 1)

    async def first(page: Any) -> Any:
        code, token = await open_class(page)
        await join(page, code, *NAMES)
        return code, token

    async def then(page: Any, saved: Any) -> None:
        code, token = saved
        numbers = []
        for _ in range(4):
            wall = (await call(page, code, do="state", token=token)).json()
            numbers.append(sum(table["state"] == "open" for table in wall["tables"]))
        assert numbers == [1, 2, 3, 3]

    run_twice(with_page, tmp_path, first, then)


def test_closing_a_class_deletes_its_tables(with_page: Run, tmp_path: Path) -> None:
    async def test(page: Any) -> None:
        code, token = await open_class(page)
        pupils = await join(page, code, "Bo", "Cy")
        page.lobby.suspend_table(pupils[1]["table"])
        assert len(list(tmp_path.glob("classes/*.json"))) == 1
        assert (await call(page, code, do="close", token=token)).json() == {"closed": True}
        assert (await call(page, code, do="state", token=token)).json()["code"] == "not-found"
        assert not any(page.lobby.has_table(pupil["table"]) for pupil in pupils)
        assert not list(tmp_path.glob("**/*.json*"))

    with_page(test, WebConfig(state_folder=tmp_path))


def test_oldest_class_is_evicted_at_the_limit(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "MAX_CLASSES", 2)

    async def test(page: Any) -> None:
        opened = [await open_class(page) for _ in range(2)]
        (pupil,) = await join(page, opened[0][0], "Bo")
        await join(page, opened[1][0], "Cy")
        opened.append(await open_class(page))
        codes = [(await call(page, code, do="state", token=token)).json().get("code") for code, token in opened]
        assert codes == ["not-found", opened[1][0], opened[2][0]]
        assert not page.lobby.has_table(pupil["table"])

    with_page(test)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version":1}', '{"version":1,"code":5}', "[" * 9999])
def test_damaged_class_files_are_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "classes").mkdir()
    (tmp_path / "classes" / "ABCDEF.json").write_text(text)
    assert ClassStore(tmp_path)._sessions == {}
