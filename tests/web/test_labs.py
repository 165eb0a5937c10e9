"""Tests of the rule laboratory: edits of files and their results."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the page needs starlette: pip install 'abl-cards[web]'")

from abl_cards.asp.errors import KBError
from abl_cards.games.game import load
from abl_cards.rulelab.editor import comparison, draft, export
from abl_cards.web import labs
from abl_cards.web.config import WebConfig
from abl_cards.web.executor import EngineExecutor
from abl_cards.web.seats import Permission
from tests.cli_runs import run
from tests.effort import amount
from tests.web.conftest import Page
from tests.web.labs import open_lab, post, run_job

FOUR = {"hand": ["S5", "H5", "D5", "C5"], "to_beat": None}
Within = Callable[..., Any]


def test_edit_changes_legal_moves_of_the_draft_only(with_page: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison.find_smallest_difference, "__defaults__", (amount(100, 400), 0))

    async def play(page: Page) -> None:
        lab, session = await open_lab(page)
        assert {"name": "labels.lp", "own": False} in session["files"]
        assert all("hand" in state for state in session["states"])
        text = (await post(page, lab, "read", name="labels.lp"))["text"]
        result = await post(page, lab, "write", name="labels.lp", text=text.replace("1..4", "1..3"), states=[FOUR])
        assert {"name": "labels.lp", "own": True} in result["files"]
        (gone,) = result["pinned"][0]["gone"]
        assert gone["move"] == ["C5", "D5", "H5", "S5"]
        assert gone["text"][1].endswith("⟦C5⟧⟦D5⟧⟦H5⟧⟦S5⟧")
        assert result["pinned"][0]["new"] == []
        assert (await post(page, lab, "check"))["problems"] == []
        assert len((await run_job(page, lab, "smallest"))["result"]["state"]["hand"]) == 4
        moves = (await post(page, lab, "moves", state=FOUR))["moves"]
        assert ["H5", "S5"] in [move["move"] for move in moves]
        back = await post(page, lab, "revert", name="labels.lp", states=[FOUR])
        assert back["pinned"][0]["gone"] == []

    with_page(play)


def test_replay_counts_episodes_that_differ(with_page: Within, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    assert (
        run("match", "president", "random", "random", "--games", str(amount(1, 2)), "--record", str(file)).exit_code
        == 0
    )

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        result = await post(page, lab, "replay", text=file.read_text())
        assert (result["episodes"], result["different"]) == (len(file.read_text().splitlines()), 0)
        await post(page, lab, "write", name="more.lp", text="barred(set(R,1)) :- rank(R).")
        result = await post(page, lab, "replay", text=file.read_text())
        assert result["different"] > 0
        record = json.loads(file.read_text().splitlines()[0]) | {"players": ["\u2028", "", "", ""]}
        result = await post(page, lab, "replay", text="\n\n" + json.dumps(record, ensure_ascii=False))
        assert result["first"][0]["line"] == 3
        for text in ("", "\n\n{", "\n \n[]", "{}\n" * 3000):
            answer = await page.post(lab, {"do": "replay", "text": text})
            assert (answer.status, answer.json()["values"]) == (400, [3] if text.startswith("\n") else [])

    with_page(play)


def test_drafts_that_give_way_leave_no_folder(with_page: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft that cannot be opened leaves no folder either, and closes no other."""
    monkeypatch.setattr(labs, "MAX_LABS", 2)

    async def test(page: Page) -> None:
        first, *_ = await asyncio.gather(*(open_lab(page) for _ in range(3)))
        invalid = {"game": "president", "files": {"../x.lp": ""}}
        for _ in range(2):
            assert (await page.post("/api/labs", invalid)).status == 400
        manager = page.lobby.labs
        await manager._run(lambda: None)  # folders are deleted before it
        assert manager._temp_folder is not None
        assert len(list(manager._temp_folder.path.iterdir())) == len(manager._sessions) == 2
        assert (await page.post(first[0], {"do": "own"})).json()["code"] == "expired"

    with_page(test)


@pytest.mark.usefixtures("sandboxed", "low_limits")
def test_rule_errors_are_reported_with_file_and_line(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        result = await post(page, lab, "write", name="more.lp", text="x(R) :- hold(R,1).", states=[FOUR])
        (problem,) = [entry for entry in result["problems"] if entry["error"]]
        assert (problem["file"], problem["line"], problem["column"], problem["own"]) == ("more.lp", 1, 9, True)
        assert result["refused"]
        assert result["pinned"][0]["gone"] == []  # by the last version without errors
        assert problem["code"] == "unknown-predicate"
        (typed,) = (await post(page, lab, "typed", name="more.lp", text="x(R :-"))["problems"]
        assert typed["line"] == 1
        typed_cases = (await post(page, lab, "typed", name="cases.jsonl", text="{\n\n[]"))["problems"]
        assert [problem["line"] for problem in typed_cases] == [1, 3]
        result = await post(page, lab, "write", name="more.lp", text="n(1..200). m(A,B,C) :- n(A), n(B), n(C).")
        assert any("exceeded" in entry["text"] and entry["line"] == 1 for entry in result["problems"])

    with_page(play)


def test_completion_hover_definition_and_rename(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        text = "rich(R) :- held(R,3).\nplain :- not rich(3).\n"
        await post(page, lab, "write", name="more.lp", text=text)
        offered = await post(page, lab, "complete", name="more.lp", text=f"{text}x :- ric", offset=len(text) + 8)
        assert [offer["label"] for offer in offered["offers"]] == ["rich(R)"]
        assert offered["from"] == len(text) + 5
        assert "own hand" in (await post(page, lab, "hover", name="more.lp", text=text, offset=13))["text"]
        (place,) = (await post(page, lab, "define", name="more.lp", text=text, offset=36))["places"]
        assert (place["file"], place["line"]) == ("more.lp", 1)
        assert (await post(page, lab, "rename", name="more.lp", text=text, offset=1, to="wealthy"))["changed"] == [
            "more.lp"
        ]
        assert (await post(page, lab, "read", name="more.lp"))["text"] == text.replace("rich", "wealthy")

    with_page(play)


def test_draft_is_downloaded_or_saved_in_the_save_folder(with_page: Within, tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        lab, session = await open_lab(page)
        assert session["saves"]
        await post(page, lab, "write", name="profiles/mine.lp", text="quick(yes).")
        archive = zipfile.ZipFile(io.BytesIO((await page.get(f"{lab}/my-rules.zip")).body))
        assert sorted(archive.namelist()) == ["my-rules/profiles/mine.lp", "my-rules/variant.lp"]
        assert (await post(page, lab, "save", folder="my-rules")) == {"saved": "my-rules"}
        assert "parent(president)" in (tmp_path / "my-rules" / "variant.lp").read_text()
        for folder in ("my-rules", "../x", "/x", "", "A"):
            assert (await page.post(lab, {"do": "save", "folder": folder})).status == 400
        assert (await page.get(f"{lab}/..%2fx.zip")).status == 404

    with_page(play, WebConfig(save_folder=tmp_path))


def test_full_disk_is_reported_and_the_draft_stays(
    with_page: Within, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both where the draft is saved and where it is kept."""

    def write(file: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(file))

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        before = await post(page, lab, "own")
        for module in (export, draft):
            monkeypatch.setattr(module, "write_text", write)
        saved = await page.post(lab, {"do": "save", "folder": "my-rules"})
        written = await page.post(lab, {"do": "write", "name": "labels.lp", "text": "rank(3)."})
        monkeypatch.undo()
        for answer in (saved, written):
            assert answer.json()["code"] == "file-not-written"
            assert "No space left" in answer.json()["error"]
            assert str(tmp_path) not in answer.json()["error"]
        assert await post(page, lab, "own") == before
        assert not any(tmp_path.iterdir())

    with_page(play, WebConfig(save_folder=tmp_path))


def test_paths_outside_the_draft_are_rejected(with_page: Within) -> None:
    outside = ["../x.lp", "/etc/passwd", "x.py", "a/b.lp", "profiles/../../x.lp", "X.lp", "", "x.lp\0", "common/x.lp"]

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        for name, do in product(outside, ("read", "write", "revert", "complete")):
            answer = await page.post(lab, {"do": do, "name": name, "text": "x."})
            assert answer.status == 400, (do, name)

    with_page(play)


def test_rename_also_changes_the_test_cases(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        for name in ("labels.lp", "notions.lp"):
            if (await page.post(lab, {"do": "read", "name": name})).status == 200:
                text = (await post(page, lab, "read", name=name))["text"]
                await post(page, lab, "write", name=name, text=text)
        await post(page, lab, "write", name="mine.lp", text="stage(paint).\ncolour(paint).\n")
        case = '{"why": "paint", "state": {"hand": ["S5"], "stage": "paint"}, "labels": ["paint"]}\n'
        await post(page, lab, "write", name="cases.jsonl", text=case)
        mine = (await post(page, lab, "read", name="mine.lp"))["text"]
        result = await post(page, lab, "rename", name="mine.lp", text=mine, offset=7, to="dye")
        assert result["changed"] == ["mine.lp", "cases.jsonl"]
        assert (await post(page, lab, "read", name="cases.jsonl"))["text"] == case.replace(
            '"paint"}', '"dye"}'
        ).replace('["paint"]', '["dye"]')

    with_page(play)


@pytest.mark.usefixtures("low_limits")
def test_rules_of_a_link_are_loaded_into_a_draft(with_page: Within) -> None:
    """A link can add files to the laboratory's folder only, whatever their names and contents."""

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        await post(page, lab, "write", name="more.lp", text="barred(set(R,2)) :- rank(R).")
        own = await post(page, lab, "own")
        assert set(own["files"]) == {"more.lp", "variant.lp"}
        session = (await page.post("/api/labs", own)).json()
        result = await post(page, f"/api/labs/{session['lab']}", "look", states=[FOUR | {"hand": ["S5", "H5"]}])
        assert [change["move"] for change in result["pinned"][0]["gone"]] == [["H5", "S5"]]
        many = {f"x{number}.lp": "a." for number in range(200)}
        strange: list[Any] = [{"../x.lp": "a."}, {"x.py": "import os"}, {"a": 5}, [], {"/etc/x.lp": "a."}]
        for files in (*strange, {"x.lp": "\0"}, many, {"x.lp": "a" * (9 << 20)}):
            assert (await page.post("/api/labs", {"game": "president", "files": files})).status in (400, 413)
        hostile = {"variant.lp": "parent('../../etc').", "more.lp": "n(1..9999). m(A,B,C) :- n(A), n(B), n(C)."}
        session = (await page.post("/api/labs", {"game": "president", "files": hostile})).json()
        assert "error" in session or (await post(page, f"/api/labs/{session['lab']}", "look"))["problems"]

    with_page(play)


def test_invalid_lab_requests_are_rejected(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        for value in ({}, {"do": "x"}, {"do": 5}, {"do": "look", "states": [1]},
                      {"do": "why", "state": FOUR, "play": "ZZ"},
                      {"do": "write", "name": "x.lp", "text": 5}, {"do": "look", "states": [FOUR] * 99},
                      {"do": "write", "name": "x.lp", "text": "\ud800"},
                      {"do": "begin", "what": "balance", "games": 10**9},
                      {"do": "begin", "what": "balance", "player": "abl"}, {"do": "diff", "base": "x"},
                      {"do": "diff", "base": "parent"}, {"do": "restore", "files": {"../x.lp": ""}},
                      {"do": "moves", "state": 5},
                      {"do": "words", "language": "<script>"},
                      {"do": "hover", "name": "x.lp", "text": "a.", "offset": -1},
                      {"do": "revert", "name": "variant.lp"}, {"do": "save", "folder": "x"},
                      {"do": "begin"}, {"do": "begin", "what": "x"}, {"do": "begin", "what": "match", "games": 10**9},
                      {"do": "begin", "what": "match", "factors": {"x": "y"}},
                      {"do": "begin", "what": "cases", "seed": []}, {"do": "weigh", "states": [FOUR] * 99},
                      {"do": "weigh", "factors": {"nothing": 2}}, {"do": "weigh", "factors": {"lead_low": 1e99}},
                      {"do": "words", "language": "fr"}):  # fmt: skip
            answer = await page.post(lab, json.dumps(value).encode())
            assert answer.status == 400, (value, answer.body)
            assert "Traceback" not in answer.body.decode()
        assert (await page.post("/api/labs/none", {"do": "look"})).status == 400
        assert (await page.post("/api/labs", {"game": "nothing"})).status == 400
        assert (await page.post(lab, {"do": "look"}, **{"x-token": "wrong"})).status == 403

    with_page(play)


def test_custom_folder_is_copied_and_not_changed(with_page: Within, tmp_path: Path) -> None:
    from tests.open_rules import small_planner

    folder, _ = small_planner(tmp_path)
    before = (folder / "labels.lp").read_text()

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page, str(folder))
        result = await post(
            page, lab, "write", name="labels.lp", text=before + "barred(pair(5)).", states=[{"hand": ["S5", "H5"]}]
        )
        assert [problem for problem in result["problems"] if problem["error"]] == []
        assert [change["move"] for change in result["pinned"][0]["gone"]] == [["H5", "S5"]]
        assert (folder / "labels.lp").read_text() == before

    with_page(play, WebConfig(extra_games=(str(folder),)))


def test_requests_use_the_last_valid_rules_and_report_it(with_page: Within) -> None:
    """Requests use the last rules without errors while the current ones have errors."""

    async def play(page: Page) -> None:
        lab, session = await open_lab(page)
        await post(page, lab, "write", name="more.lp", text="barred(set(R,4)) :- rank(R).")
        assert "refused" not in await post(page, lab, "words")
        text = "barred(set(R,4)) :- rank(R).\nleads(S) :- seat(S).\n"
        result = await post(page, lab, "write", name="more.lp", text=text, states=[FOUR])
        (problem,) = [entry for entry in result["problems"] if entry["error"]]
        assert (problem["file"], problem["line"], result["pinned"][0]["num_gone"]) == ("more.lp", 2, 1)
        for do, more in (("words", {}), ("moves", {"state": FOUR}), ("why", {"state": FOUR, "play": "S5 H5 D5 C5"})):
            answer = await post(page, lab, do, **more)
            assert "more.lp:2" in answer["refused"]
        assert answer["now"]["readings"][0]["why"]["holds"] is False  # as in the last version without errors
        opened = (await page.post("/api/tables", {"game": f"lab:{session['lab']}", "seats": None})).json()
        table = page.lobby.tables[opened["table"]]
        assert table.rules_error.startswith("more.lp:2")
        job = await run_job(page, lab, "balance")
        refused = await page.post(lab, {"do": "reweigh", "factors": {}})
        for message in (answer["refused"], job["problem"], refused.json().get("error", "")):
            assert message.startswith("more.lp:2")  # without the folder of the draft
        assert "barred" in str(table.engine.rules.kb.ground.atoms)
        await post(page, lab, "write", name="more.lp", text="barred(set(R,3)) :- rank(R).")
        assert "refused" not in await post(page, lab, "words")

    with_page(play)


def test_games_at_tables_of_a_draft_are_reviewed_by_its_rules(with_page: Within) -> None:
    """Only the owner gets the name of the draft, with which its files can be read."""

    async def test(page: Page) -> None:
        lab, session = await open_lab(page)
        await post(page, lab, "write", name="more.lp", text="barred(set(R,4)) :- rank(R).")
        name = f"lab:{session['lab']}"
        table, token = await page.open(game=name, seats=["greedy"] * 4)
        owner = await page.sit(table, token)
        guest = await page.sit(table, owner.welcome["watch"])
        assert [socket.welcome["rules"] for socket in (owner, guest)] == [name, "president"]
        web_table = page.lobby.tables[table]
        web_table.agent_delay = 0
        while not web_table.is_over:
            await asyncio.sleep(0.01)
        (record,) = web_table.records(Permission(is_owner=True))
        review = (await page.post("/api/reviews", {"game": owner.welcome["rules"], "text": json.dumps(record)})).json()
        assert (review["game"], review["title"], review["problem"]) == (name, owner.welcome["title"], "")

    with_page(test)


def test_last_valid_engine_is_used_when_a_folder_breaks(tmp_path: Path) -> None:
    made = tmp_path / "mine"
    assert run("kb", "new", str(made)).exit_code == 0
    desk, game = EngineExecutor(), load(str(made))
    sound = desk.valid_engine(game, None)
    assert sound.rules_error == ""
    (made / "more.lp").write_text("deals(0,20).\n")
    again = desk.valid_engine(game, None)
    assert again.engine is sound.engine
    assert "more.lp:1" in again.rules_error
    with pytest.raises(KBError):
        EngineExecutor().valid_engine(game, None)
    (made / "more.lp").unlink()
    assert desk.valid_engine(game, None).rules_error == ""
    desk.close()


UNREADABLE = [
    "aa(1)。",
    "#const 名 = 1.",
    'a("名).',
    f"p({'(' * 20_000}1{')' * 20_000}).",
    "a(1) b.",
    "p(" * 8000,
    "a.\x0bb.",
]


@pytest.mark.usefixtures("sandboxed")
def test_text_that_crashes_clingo_is_reported_as_an_error(with_page: Within) -> None:
    """Report the errors of drafts, saved files and links, also in variant.lp; the server keeps running."""

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        for text in UNREADABLE:
            here = {"name": "mine.lp", "text": text, "offset": len(text)}
            assert (await post(page, lab, "typed", **here))["problems"], text[:20]
            assert "offers" in await post(page, lab, "complete", **here)
            assert "text" in await post(page, lab, "hover", **here)
            written = await post(page, lab, "write", name="mine.lp", text=text)
            assert any(problem["error"] and problem["file"] == "mine.lp" for problem in written["problems"]), text[:20]
        await post(page, lab, "revert", name="mine.lp")
        for name in ("mine.lp", "variant.lp"):
            files = {name: "parent(president). aa(1)。"}
            opened = await page.post("/api/labs", {"game": "president", "files": files})
            problems = (await post(page, f"/api/labs/{opened.json()['lab']}", "look"))["problems"]
            assert any("unexpected '。'" in problem["text"] for problem in problems)
        assert (await post(page, lab, "write", name="mine.lp", text="\ufeffaa(1). #show aa/1."))["problems"] == []

    with_page(play)


def test_reasons_of_both_versions_mark_differing_rules(with_page: Within) -> None:
    """Mark the rules that one side lacks, and the lines of the draft that have them."""

    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        await post(page, lab, "write", name="more.lp", text="% mine\nbarred(set(R,2)) :- rank(R).\n")
        pair = {"hand": ["S5", "H5"], "to_beat": None}
        reasons = await post(page, lab, "why", state=pair, play='["H5","S5"]')
        assert [reasons[side]["readings"][0]["legal"] for side in ("before", "now")] == [True, False]
        assert reasons["marks"] == [{"file": "more.lp", "line": 2}]
        assert '"differs": true' in json.dumps(reasons["now"])
        assert '"differs": true' not in json.dumps(reasons["before"])
        assert str(Path.cwd()) not in json.dumps(reasons)
        assert (await page.post(lab, {"do": "why", "state": pair, "play": "S9"})).status == 400

    with_page(play)


def test_drafts_are_diffed_and_restored(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, session = await open_lab(page, "fifteen")
        assert session["parent"]
        first = await post(page, lab, "own")
        result = await post(page, lab, "write", name="more.lp", text="a(1).\nb(2).\n")
        (more,) = (await post(page, lab, "diff"))["files"]
        assert (more["name"], more["added"], more["removed"]) == ("more.lp", 2, 0)
        assert more["hunks"][0][1] == ["+", None, 2, "b(2)."]
        assert {file["name"] for file in (await post(page, lab, "diff", base="parent"))["files"]} > {"more.lp"}
        back = await post(page, lab, "restore", files=first["files"])
        assert back["version"] == first["version"] != result["version"]
        assert (await post(page, lab, "diff"))["files"] == []

    with_page(play)


def test_requests_use_the_given_profile(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        await post(page, lab, "write", name="profiles/mine.lp", text="barred(set(R,4)) :- rank(R).\n")
        await post(page, lab, "write", name="profiles/open.lp", text="quick(yes).\n")
        for profile, lost in (("open", 0), ("mine", 1)):
            (pinned,) = (await post(page, lab, "look", states=[FOUR], profile=profile))["pinned"]
            assert pinned["num_gone"] == lost

    with_page(play)


def test_state_of_a_table_can_be_pinned_in_a_lab(with_page: Within) -> None:
    async def play(page: Page) -> None:
        socket = await page.begin()
        view = await socket.wait_for_turn()
        socket.send(do="state", at=view["at"], n=1)
        state = (await socket.until("state"))["state"]
        lab, _ = await open_lab(page)
        (pinned,) = (await post(page, lab, "look", states=[state]))["pinned"]
        assert sorted(pinned["drawn"]["hand"]) == sorted(view["hand"])
        assert pinned["before"] == pinned["after"] > 0

    with_page(play)
