"""Tests of the home screen, invitations and QR codes, as JSON."""

import asyncio
import json
import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from abl_cards.games.game import game_names
from abl_cards.web import event_replay
from abl_cards.web.config import WebConfig
from abl_cards.web.game_tiles import FILE_NAME, GameTiles
from abl_cards.web.lan import network_json
from abl_cards.web.qr import QUIET_ZONE, make_qr
from abl_cards.web.static_files import STATIC_FOLDER
from tests.effort import amount, long
from tests.web.asgi import request
from tests.web.test_keeping import run_twice
from tests.web.test_scripts import run_script

Run = Any
INVENTED = """
title(en,"Highest card"). title(zh,"比大小").
seat(0..1).
#include <ace_high>.
#include <seats>.
"""


def test_every_game_has_a_tile_before_engine_load(with_page: Run) -> None:
    async def test(page: Any) -> None:
        answer = await page.get("/api/home")
        tiles = {tile["name"]: tile for tile in answer.json()["games"]}
        assert sorted(tiles) == game_names()
        assert next(iter(tiles)) == answer.json()["first"]
        for tile in tiles.values():
            english, chinese = tile["title"]
            assert english
            assert re.search("[\u4e00-\u9fff]", chinese)
            assert 2 <= tile["seats"] <= 8
        assert answer.json()["local"]

    with_page(test)


def test_custom_folder_has_a_tile_even_with_unfinished_rules(tmp_path: Path) -> None:
    folder = tmp_path / "highest"
    folder.mkdir()
    (folder / "game.lp").write_text(INVENTED, encoding="utf-8")
    tiles = GameTiles([str(folder)], tmp_path)
    known = {"name": str(folder), "title": ["Highest card", "比大小"], "seats": 2, "cards": []}
    assert tiles.read()[-1] == known
    tiles._folders = lambda: list(GameTiles._folders(tiles))[-1:]  # type: ignore[method-assign]
    (folder / "more.lp").write_text("rank(", encoding="utf-8")
    tiles.complete()
    assert tiles.read() == [known]
    (folder / "more.lp").unlink()
    tiles.complete()  # there is no play in these rules, but there are cards
    assert [card["rank"] for card in tiles.read()[0]["cards"]] == ["Q", "K", "A"]


def test_game_given_on_the_command_line_has_the_first_tile(with_page: Run, tmp_path: Path) -> None:
    folder = tmp_path / "highest"
    folder.mkdir()
    (folder / "game.lp").write_text(INVENTED, encoding="utf-8")

    async def test(page: Any) -> None:
        home = (await page.get("/api/home")).json()
        assert home["first"] == home["games"][0]["name"] == str(folder)
        assert len({tile["name"] for tile in home["games"]}) == len(home["games"])

    with_page(test, WebConfig(game=str(folder), extra_games=("whist",)))


def test_tile_cards_are_cached_until_the_rules_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from abl_cards.games.game import load

    monkeypatch.setattr(GameTiles, "_folders", lambda self: [("whist", load("whist").folder)])
    tiles = GameTiles([], tmp_path)
    tiles.complete()
    (tile,) = tiles.read()
    assert [card["rank"] + card["suit"] for card in tile["cards"]] == ["QD", "KH", "AS"]
    assert [card["symbol"] for card in tile["cards"]] == ["♦", "♥", "♠"]
    assert GameTiles([], tmp_path).read() == [tile]
    stored = json.loads((tmp_path / FILE_NAME).read_text(encoding="utf-8"))
    stored["tiles"]["whist"]["for"][0][1] += 1
    (tmp_path / FILE_NAME).write_text(json.dumps(stored), encoding="utf-8")
    assert GameTiles([], tmp_path).read()[0]["cards"] == []


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version":1}', "\0", '{"version":"0","tiles":5}', "[" * 9999])
def test_damaged_tile_cache_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    assert GameTiles([], tmp_path)._stored == {}


@pytest.mark.parametrize(
    ("host", "is_local", "lan"),
    [("127.0.0.1", True, ""), ("localhost", True, ""), ("192.168.1.7", False, "http://192.168.1.7:80"),
     ("fd00::7", False, "http://[fd00::7]:80")],
)  # fmt: skip
def test_network_json_returns_the_lan_address(host: str, is_local: bool, lan: str) -> None:
    network = network_json(WebConfig(game="whist", host=host), ("x", 80))
    assert (network["local"], network["lan"]) == (is_local, lan)
    assert network["command"] == "abl-cards web whist --host 0.0.0.0"


def test_lan_address_is_never_a_loopback_address() -> None:
    assert not re.search(r"//(127\.|0\.|localhost)", network_json(WebConfig(host="0.0.0.0"), ("x", 80))["lan"])


@pytest.mark.parametrize("text", ["a", "http://192.168.1.20:8765/#/join/GPZzdpqTSknj/UeMIT2wdLebiQ0hJ", "打牌" * 40])
def test_qr_code_modules_equal_those_of_segno(text: str) -> None:
    segno = pytest.importorskip("segno", reason="no segno: pip install 'abl-cards[web]'")
    code, dark = make_qr(text), set()
    for x, y, width, back in re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", code["path"]):
        assert width == back
        dark |= {(int(x) + step - QUIET_ZONE, int(y) - QUIET_ZONE) for step in range(int(width))}
    matrix = segno.make(text, error="m", micro=False).matrix
    assert dark == {(x, y) for y, row in enumerate(matrix) for x, module in enumerate(row) if module}
    assert code["size"] == len(matrix) + 2 * QUIET_ZONE


def test_qr_codes_require_the_token_and_limit_the_text(with_page: Run) -> None:
    async def test(page: Any) -> None:
        assert (await page.post("/api/qr", {"text": "x"}, **{"x-token": "-"})).status == 403
        assert (await page.post("/api/qr", {"text": "x" * 601})).status == 400

    with_page(test)


# --- invitations -----------------------------------------------------------------------------------------------------


async def join(page: Any, table: str, token: str, name: str) -> Any:
    return await page.post(f"/api/tables/{table}/join", {"token": token, "name": name}, **{"x-token": "-"})


def test_guests_take_free_seats_in_order(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seats=["person", "greedy", "person", "person"], name="Ann")
        owner = await page.sit(table, token)
        invitation = owner.table["join"]
        guests = [(await join(page, table, invitation, name)).json() for name in ("Bo", "<b>Cy", "Di")]
        assert [guest["seated"] for guest in guests] == [True, True, False]
        sockets = [await page.sit(table, guest["token"]) for guest in guests]
        assert [socket.table["me"] for socket in sockets] == [2, 3, None]
        assert [socket.table["join"] for socket in sockets] == [None] * 3  # only the owner invites
        assert [seat["name"] for seat in sockets[0].table["seats"]] == ["Ann", "greedy", "Bo", "<b>Cy"]
        assert "hand" not in sockets[2].table

    with_page(test)


def test_invitation_token_gives_no_seat(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seats=["person", "person", "greedy", "greedy"])
        web_table = page.lobby.tables[table]
        for wrong in (web_table.watch_token, token, "", "x"):
            assert (await join(page, table, wrong, "Bo")).json()["code"] == "not-found"
        assert (await join(page, "nowhere", web_table.join_token, "Bo")).json()["code"] == "not-found"
        socket = await page.sit(table, web_table.join_token)
        assert (socket.table["me"], socket.table["chair"], socket.table["owner"]) == (None, None, False)

    with_page(test)


def test_taken_seats_are_restored_after_a_restart(with_page: Run, tmp_path: Path) -> None:
    async def first(page: Any) -> Any:
        table, token = await page.open(game="president", seats=["person", "person", "person", "greedy"])
        owner = await page.sit(table, token)
        await join(page, table, owner.table["join"], "Bo")
        return table, token, owner.table["join"]

    async def then(page: Any, saved: Any) -> None:
        table, token, invitation = saved
        guests = [(await join(page, table, invitation, name)).json() for name in ("Cy", "Di")]
        assert [guest["seated"] for guest in guests] == [True, False]
        socket = await page.sit(table, token)
        assert [seat["name"] for seat in socket.table["seats"]] == ["", "Bo", "Cy", "greedy"]

    run_twice(with_page, tmp_path, first, then)


def test_own_tables_are_returned_only_with_valid_tokens(with_page: Run, tmp_path: Path) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seats=["greedy", "person", "person", "greedy"])
        other, other_token = await page.open(game="president")
        page.lobby.suspend_table(other)
        web_table = page.lobby.tables[table]
        seat_token, watch_token = web_table.seats[2].token, web_table.watch_token
        pairs = [[table, token], [table, seat_token], [table, watch_token], [table, "x"],
                 [other, other_token], [other, "x"], ["nowhere", "x"]]  # fmt: skip
        answer = await page.post("/api/tables/own", {"tables": pairs}, **{"x-token": "-"})
        found = answer.json()["tables"]
        assert [one["state"] for one in found] == ["open", "open", "open", "gone", "asleep", "gone", "gone"]
        assert [one["view"]["me"] for one in found[:3]] == [1, 2, None]
        assert ["hand" in one["view"] for one in found[:3]] == [True, True, False]
        assert other in page.lobby.log_store.suspended  # it was not opened for this
        for wrong in ([], "x", [[1, 2]], [["a"]], [["a", "b"]] * 25, [["\ud800", "b"]]):
            refused = await page.post("/api/tables/own", {"tables": wrong})
            assert refused.json()["code"] == "invalid-request"

    with_page(test, WebConfig(state_folder=tmp_path))


def test_tables_that_are_being_restored_are_not_gone(
    with_page: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser forgets the token of a table that is gone; a class that closes deletes the table all the same."""
    may_restore, restore = Event(), event_replay.restore_table

    def restore_late(*arguments: Any) -> Any:
        may_restore.wait(20)
        return restore(*arguments)

    monkeypatch.setattr(event_replay, "restore_table", restore_late)

    async def test(page: Any) -> None:
        table, token = await page.open(game="president")
        unreadable, unreadable_token = await page.open(game="president")
        page.lobby.suspend_table(table)
        page.lobby.suspend_table(unreadable)
        (tmp_path / f"{unreadable}.jsonl").write_text("{")
        guest = asyncio.create_task(page.sit(table, token))
        while table in page.lobby.log_store.suspended:
            await asyncio.sleep(0)
        answer = await page.post("/api/tables/own", {"tables": [[table, token], [unreadable, unreadable_token]]})
        assert [one["state"] for one in answer.json()["tables"]] == ["asleep", "asleep"]
        page.lobby.delete_table(table)
        may_restore.set()
        await asyncio.gather(guest, return_exceptions=True)  # it may find the table, or none
        assert not page.lobby.has_table(table)
        assert not (tmp_path / f"{table}.jsonl").exists()

    with_page(test, WebConfig(state_folder=tmp_path))


@pytest.mark.parametrize(
    "address",
    [pytest.param("127.0.0.1", id="here"), pytest.param("192.168.1.9", id="one school", marks=long),
     pytest.param("10.0.{}.7", id="everywhere", marks=long)],
)  # fmt: skip
def test_many_new_clients_each_get_a_table(with_page: Run, address: str) -> None:
    """Nobody sees a limit, also where all come from one address; those on this machine are all connected."""
    people = amount(30, 100)

    async def test(page: Any) -> None:
        opened = []
        for number in range(people):
            body = json.dumps({"game": "president"}).encode()
            client = address.format(number)
            answer = await request(page.app, "POST", "/api/tables", body, page.headers, client)
            assert answer.status == 200, answer.body
            opened.append((answer.json()["table"], answer.json()["token"]))
        assert len({table for table, _ in opened}) == people
        assert {table for table, _ in opened} <= set(page.lobby.tables)  # none gave way to another one
        if address == "127.0.0.1":
            sockets = await asyncio.gather(*(page.sit(*one) for one in opened))
            assert [socket.closed for socket in sockets] == [None] * people

    with_page(test)


# --- scripts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "has_table", "game"),
    [("", False, None), ("#/", False, None), ("#/play", False, ""), ("#/play", True, None), ("#/review", False, None),
     ("#/play/abc/key", False, None), ("#/play/new/hearts", True, "hearts"), ("#/play/new", True, ""),
     ("#/play/new/%2Fhome%2Fx", False, "/home/x"), ("#/play/new/%E4%BD", False, "%E4%BD")],
)  # fmt: skip
def test_address_selects_the_game_of_the_early_request(address: str, has_table: bool, game: str | None) -> None:
    script = "import { wantedGame } from './early_requests.js';---print(wantedGame(input.address, input.hasTable));"
    assert run_script(script, address=address, hasTable=has_table) == game


@pytest.mark.parametrize(
    ("address", "parts"),
    [("#/rules/%2Fhome%2Fmy%20game/copy-1", ["rules", "/home/my game", "copy-1"]), ("#key=a", []),
     ("#/learn/%", ["learn", "%"]), ("", [])],
)  # fmt: skip
def test_addresses_are_decoded_once_for_all_sections(address: str, parts: list[str]) -> None:
    """The section *Rules* compared the encoded name of a rule folder; half an escape left the page empty."""
    script = "import { addressParts } from './early_requests.js';---print(addressParts(input.address));"
    assert run_script(script, address=address) == parts
    for file in STATIC_FOLDER.rglob("*.js"):
        assert file.name == "early_requests.js" or "decodeURIComponent" not in file.read_text(), file


def test_friends_are_seated_as_partners_first() -> None:
    script = """import { friendSeats, shareBase } from './home/home_data.js';
    ---
    const share = (hostname, network) =>
      shareBase({ hostname, origin: `http://${hostname}:8765`, pathname: '/' }, network);
    print([friendSeats([0, 1, 0, 1], 2, 'kb'), friendSeats([0, 1, 0, 1], 3, 'kb'), friendSeats([0, 1, 2], 2, 'kb'),
      share('127.0.0.1', { local: true, lan: '' }), share('127.0.0.1', { local: false, lan: 'http://10.0.0.7:8765' }),
      share('10.0.0.7', { local: false, lan: '' })]);"""
    partners, three, opponents, local, replaced, remote = run_script(script)
    assert partners == ["person", "kb", "person", "kb"]
    assert three == ["person", "person", "person", "kb"]
    assert opponents == ["person", "person", "kb"]
    assert local == {"base": "http://127.0.0.1:8765/", "isReachable": False}
    assert replaced == {"base": "http://10.0.0.7:8765/", "isReachable": True}
    assert remote == {"base": "http://10.0.0.7:8765/", "isReachable": True}


def test_own_tables_are_stored_latest_first() -> None:
    script = """import { entryOf, forgetTable, keepTable, ownTables, standing } from './own_tables.js';
    ---
    const store = new Map();
    globalThis.localStorage = {
      getItem: (key) => store.get(key) ?? null,
      setItem: (key, text) => store.set(key, text),
    };
    const seats = [{ kind: 'person' }, { kind: 'agent' }];
    const view = { phase: 'play', turn: 0, me: 0, episode: 1, owner: true, seats };
    const keep = (table, changes = {}) =>
      keepTable(entryOf('k', { ...view, ...changes }, { table, title: ['a', 'b'] }));
    for (let number = 0; number < 30; number++) keep(`t${number}`);
    keep('t20', { turn: 1 });
    forgetTable('t29');
    const kept = ownTables();
    store.set('abl-cards-tables', '[{"table":5},{"table":"a","key":"b","title":["x","y"]},7]');
    const damaged = ownTables();
    store.set('abl-cards-tables', '{');
    print([kept.length, kept[0].table, kept[0].state, kept[0].people, kept[1].table, damaged.length, ownTables().length,
      ['end', 'over'].map((phase) => standing({ ...view, phase }))]);"""
    assert run_script(script) == [23, "t20", "others", 1, "t28", 1, 0, ["end", "over"]]
