"""The rules lab of the page: files are edited, and what comes of it is told at once."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the page needs starlette: pip install 'abl-cards[page]'")

from abl_cards.page.plan import Plan
from tests.cli_runs import run
from tests.page.conftest import Page

FOUR = {"hand": ["S5", "H5", "D5", "C5"], "to_beat": None}
Within = Callable[..., Any]


async def begin(page: Page, game: str = "president") -> tuple[str, dict[str, Any]]:
    told = (await page.post("/api/labs", {"game": game})).json()
    return f"/api/labs/{told['lab']}", told


async def ask(page: Page, lab: str, do: str, **more: Any) -> Any:
    answer = await page.post(lab, {"do": do, **more})
    assert answer.status == 200, answer.body
    return answer.json()


def test_an_edit_changes_legal_moves_and_nothing_of_the_game(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, told = await begin(page)
        assert {"name": "labels.lp", "own": False} in told["files"]
        assert all("hand" in state for state in told["states"])
        text = (await ask(page, lab, "read", name="labels.lp"))["text"]
        found = await ask(page, lab, "write", name="labels.lp", text=text.replace("1..4", "1..3"), states=[FOUR])
        assert {"name": "labels.lp", "own": True} in found["files"]
        assert found["pinned"][0]["gone"] == [["C5", "D5", "H5", "S5"]]
        assert found["pinned"][0]["new"] == []
        assert (await ask(page, lab, "check"))["problems"] == []
        assert len((await ask(page, lab, "smallest"))["state"]["hand"]) == 4
        readings = (await ask(page, lab, "why", state=FOUR, play="S5 H5"))["readings"]
        assert readings[0]["why"]["holds"] is True
        back = await ask(page, lab, "revert", name="labels.lp", states=[FOUR])
        assert back["pinned"][0]["gone"] == []

    with_page(play)


def test_old_records_are_played_again(with_page: Within, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    assert run("match", "president", "random", "random", "--games", "2", "--record", str(file)).exit_code == 0

    async def play(page: Page) -> None:
        lab, _ = await begin(page)
        found = await ask(page, lab, "replay", text=file.read_text())
        assert (found["episodes"], found["different"]) == (len(file.read_text().splitlines()), 0)
        await ask(page, lab, "write", name="more.lp", text="barred(set(R,1)) :- rank(R).")
        found = await ask(page, lab, "replay", text=file.read_text())
        assert found["different"] > 0
        for text in ("", "{", "[]", "{}\n" * 3000):
            assert (await page.post(lab, {"do": "replay", "text": text})).status == 400

    with_page(play)


def test_errors_come_in_their_line(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await begin(page)
        found = await ask(page, lab, "write", name="more.lp", text="x(R) :- hold(R,1).", states=[FOUR])
        (problem,) = [each for each in found["problems"] if each["error"]]
        assert (problem["file"], problem["line"], problem["column"], problem["own"]) == ("more.lp", 1, 9, True)
        assert found["pinned"] == []
        (typed,) = (await ask(page, lab, "typed", name="more.lp", text="x(R :-"))["problems"]
        assert typed["line"] == 1
        found = await ask(page, lab, "write", name="more.lp", text="n(1..200). m(A,B,C) :- n(A), n(B), n(C).")
        assert any("exceeded" in each["text"] and each["line"] == 1 for each in found["problems"])

    with_page(play)


def test_names_are_completed_explained_found_and_changed(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await begin(page)
        text = "rich(R) :- held(R,3).\nplain :- not rich(3).\n"
        await ask(page, lab, "write", name="more.lp", text=text)
        offered = await ask(page, lab, "complete", name="more.lp", text=f"{text}x :- ric", offset=len(text) + 8)
        assert [each["label"] for each in offered["offers"]] == ["rich(R)"]
        assert offered["from"] == len(text) + 5
        assert "own hand" in (await ask(page, lab, "hover", name="more.lp", text=text, offset=13))["text"]
        (place,) = (await ask(page, lab, "define", name="more.lp", text=text, offset=36))["places"]
        assert (place["file"], place["line"]) == ("more.lp", 1)
        assert (await ask(page, lab, "rename", name="more.lp", text=text, offset=1, to="wealthy"))["changed"] == [
            "more.lp"
        ]
        assert (await ask(page, lab, "read", name="more.lp"))["text"] == text.replace("rich", "wealthy")

    with_page(play)


def test_rules_are_told_in_words_balanced_and_covered(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await begin(page)
        english = (await ask(page, lab, "words"))["sections"]
        chinese = (await ask(page, lab, "words", language="zh"))["sections"]
        assert english[0]["lines"][0].startswith("4 seats")
        assert chinese[0]["lines"][0].startswith("4家")
        before, after = (await ask(page, lab, "balance", games=20, player="greedy"))["balance"]
        assert before == after
        await ask(page, lab, "write", name="more.lp", text="never(R) :- held(R,4), held(R,1), not held(R,2).")
        found = await ask(page, lab, "coverage", games=6)
        assert [each["file"] for each in found["silent"]] == ["more.lp"]

    with_page(play)


def test_a_folder_is_taken_along_or_saved_where_it_may_be(with_page: Within, tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        lab, told = await begin(page)
        assert told["saves"]
        await ask(page, lab, "write", name="profiles/mine.lp", text="quick(yes).")
        archive = zipfile.ZipFile(io.BytesIO((await page.ask(f"{lab}/my-rules.zip")).body))
        assert sorted(archive.namelist()) == ["my-rules/profiles/mine.lp", "my-rules/variant.lp"]
        assert (await ask(page, lab, "save", folder="my-rules")) == {"saved": "my-rules"}
        assert "parent(president)" in (tmp_path / "my-rules" / "variant.lp").read_text()
        for folder in ("my-rules", "../x", "/x", "", "A"):
            assert (await page.post(lab, {"do": "save", "folder": folder})).status == 400
        assert (await page.ask(f"{lab}/..%2fx.zip")).status == 404

    with_page(play, Plan(save=tmp_path))


@pytest.mark.parametrize(
    "name", ["../x.lp", "/etc/passwd", "x.py", "a/b.lp", "profiles/../../x.lp", "X.lp", "", "x.lp\0", "common/x.lp"]
)
def test_no_path_leaves_the_folder(with_page: Within, name: str) -> None:
    async def play(page: Page) -> None:
        lab, _ = await begin(page)
        for do in ("read", "write", "revert", "complete"):
            answer = await page.post(lab, {"do": do, "name": name, "text": "x."})
            assert answer.status == 400, (do, name)

    with_page(play)


def test_strange_requests_are_answered(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await begin(page)
        for value in ({}, {"do": "x"}, {"do": 5}, {"do": "look", "states": [1]},
                      {"do": "why", "state": FOUR, "play": "ZZ"},
                      {"do": "write", "name": "x.lp", "text": 5}, {"do": "look", "states": [FOUR] * 99},
                      {"do": "write", "name": "x.lp", "text": "\ud800"}, {"do": "balance", "games": 10**9},
                      {"do": "words", "language": "<script>"},
                      {"do": "hover", "name": "x.lp", "text": "a.", "offset": -1},
                      {"do": "revert", "name": "variant.lp"}, {"do": "save", "folder": "x"}):  # fmt: skip
            answer = await page.post(lab, json.dumps(value).encode())
            assert answer.status == 400, (value, answer.body)
            assert "Traceback" not in answer.body.decode()
        assert (await page.post("/api/labs/none", {"do": "look"})).status == 400
        assert (await page.post("/api/labs", {"game": "nothing"})).status == 400
        assert (await page.post(lab, {"do": "look"}, **{"x-token": "wrong"})).status == 403

    with_page(play)


def test_a_folder_of_somebodys_is_copied(with_page: Within, tmp_path: Path) -> None:
    from tests.open_rules import small_planner

    folder, _ = small_planner(tmp_path)
    before = (folder / "labels.lp").read_text()

    async def play(page: Page) -> None:
        lab, _ = await begin(page, str(folder))
        found = await ask(
            page, lab, "write", name="labels.lp", text=before + "barred(pair(5)).", states=[{"hand": ["S5", "H5"]}]
        )
        assert [each for each in found["problems"] if each["error"]] == []
        assert found["pinned"][0]["gone"] == [["H5", "S5"]]
        assert (folder / "labels.lp").read_text() == before

    with_page(play, Plan(games=(str(folder),)))
