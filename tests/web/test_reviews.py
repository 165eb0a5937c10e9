"""Tests of reviews: frames, decisions and mistakes, of own and imported records."""

import asyncio
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.base import ExplainableAgent
from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.description.variants import KB_ROOT
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.records import sample_records_path
from abl_cards.web.config import WebConfig
from abl_cards.web.reviews import ReviewSession, parse_numbered_records
from tests.cli_runs import run
from tests.effort import long

SAMPLE = sample_records_path("guandan")
Run = Any


def played(name: str) -> list[dict[str, Any]]:
    engine, records = load(name).engine(), list[Any]()
    names = ("greedy", "random")
    play_match(
        engine,
        [make_agent(agent, engine) for agent in names],
        1,
        3,
        names=names,
        on_progress=lambda done, wins: None,
        write_record=records.append,
    )
    return records


async def open_review(page: Any, name: str, record: Any) -> dict[str, Any]:
    answer = await page.post("/api/reviews", {"game": name, "text": json.dumps(record)})
    assert answer.status == 200, answer.body
    sheet: dict[str, Any] = answer.json()
    return sheet


async def decision(page: Any, sheet: dict[str, Any], place: Any, query: str = "") -> Any:
    return await page.get(f"/api/reviews/{sheet['review']}/{place}{query}")


@pytest.mark.parametrize("name", ["president", "hearts"])
def test_review_has_frames_and_explained_decisions(with_page: Run, name: str) -> None:
    async def test(page: Any) -> None:
        (record, *_) = played(name)
        sheet = await open_review(page, name, record)
        assert not sheet["problem"]
        assert [picture["seat"] for picture in sheet["pictures"]] == [seat for seat, _ in record["acts"]]
        assert sheet["ended"]["points"] == record["points"]
        for place in (0, len(record["acts"]) // 2):
            judgement = (await decision(page, sheet, place)).json()
            assert sum(row["made"] for row in judgement["ranking"]) == 1
            assert judgement["best"]["place"] == 1
            assert len(judgement["state"]["hand"]) == len(sheet["pictures"][place]["hands"][record["acts"][place][0]])
            held = [len(hand) for hand in sheet["pictures"][place]["hands"]]
            if judgement["estimate"]:
                assert (
                    sum(map(sum, judgement["estimate"]["truth"])) == sum(held) - held[sheet["pictures"][place]["seat"]]
                )
        work = {"review": sheet["review"], "deals": 4, "onward": "greedy"}
        assert (await page.post("/api/reviews/work", work)).status == 200
        assert (await page.post("/api/reviews/work", work)).status == 400  # one job at a time
        while (progress := (await page.get(f"/api/reviews/{sheet['review']}/progress")).json())["state"] == "working":
            await asyncio.sleep(0.05)
        assert progress["state"] == "done"
        assert {row["place"] for row in progress["result"]["decisions"]} <= set(range(len(record["acts"])))
        assert (await page.get(f"/api/reviews/{sheet['review']}")).json()["result"] == progress["result"]

    with_page(test)


def test_page_review_equals_command_review(with_page: Run, tmp_path: Path) -> None:
    (record, *_) = played("president")
    (tmp_path / "games.jsonl").write_text(json.dumps(record))
    options = ("--deals", "8", "--agent", "kb", "--seed", "0", "--json")
    answer = run("review", "president", str(tmp_path / "games.jsonl"), *options)
    printed = json.loads(answer.stdout)

    async def test(page: Any) -> None:
        sheet = await open_review(page, "president", record)
        assert (await page.post("/api/reviews/work", {"review": sheet["review"], "deals": 8})).status == 200
        while (progress := (await page.get(f"/api/reviews/{sheet['review']}/progress")).json())["state"] == "working":
            await asyncio.sleep(0.05)
        result = progress["result"]
        method = {"agent": "kb", "rollout_agent": "kb", "deals": 8, "seed": "0", "language": "en"}
        assert result["method"] == method
        assert result["seats"] == printed["seats"]
        assert len(result["decisions"]) == len(printed["decisions"])
        for shown, one in zip(result["decisions"], printed["decisions"], strict=True):
            assert [round(shown["loss"], 4), round(shown["error"], 4)] == [one["loss"], one["error"]]
            assert (shown["seat"], shown["mistake"]) == (one["seat"], one["mistake"])
            assert shown["agreed"] == (one["agent"]["move"] == one["made"]["move"])
            assert [move["points"] for move in shown["tried"]] == [move["points"] for move in one["tried"]]

    with_page(test)


def test_record_opens_with_the_game_stored_in_it(with_page: Run) -> None:
    """The download of a table opens as it is, whatever game and profile are chosen."""

    async def test(page: Any) -> None:
        (record, *_) = played("president")
        assert record["game"] == "president"
        message = {"game": "guandan", "profile": "openguandan", "text": json.dumps(record)}
        sheet = (await page.post("/api/reviews", message)).json()
        assert sheet["game"] == "president"
        assert not sheet["problem"]
        nameless = {name: value for name, value in record.items() if name != "game"}
        message = {"game": "president", "text": json.dumps(nameless)}
        assert (await page.post("/api/reviews", message)).json()["game"] == "president"
        assert (await page.post("/api/reviews", {"text": json.dumps({"acts": []})})).status == 400

    with_page(test)


def test_records_of_an_offered_folder_open_with_it(with_page: Run, tmp_path: Path) -> None:
    """Records name a rule folder by the last part of its path, which may be that of a shipped game."""
    folders = [str(shutil.copytree(KB_ROOT / "president", tmp_path / name)) for name in ("mine", "president")]

    async def test(page: Any) -> None:
        (record, *_) = played("president")
        expected_games = [("mine", "", folders[0]), ("mine", "guandan", folders[0]),
                          ("president", "", "president"), ("president", folders[1], folders[1])]  # fmt: skip
        for named, chosen, expected in expected_games:
            message = {"game": chosen, "text": json.dumps(record | {"game": named})}
            sheet = (await page.post("/api/reviews", message)).json()
            assert (sheet["game"], sheet["problem"]) == (expected, "")
        answer = await page.post("/api/reviews", {"game": "", "text": json.dumps(record | {"game": "theirs"})})
        assert (answer.json()["code"], answer.json()["values"]) == ("unknown-game", ["theirs"])

    with_page(test, WebConfig(extra_games=tuple(folders)))


@long
def test_explanations_include_imagined_deals() -> None:
    engine, (record, *_) = load("doudizhu").engine(), played("doudizhu")
    sheet, player = ReviewSession("doudizhu", ["", ""], engine, [record], 1), make_agent("abl", engine)
    assert isinstance(player, ExplainableAgent)
    places = [place for place, frame in enumerate(sheet.replay_frames.frames) if frame["plays"]]
    explained = [(place, sheet.explain_decision(player, place, "en")["imagined"]) for place in places[:12]]
    assert any(deals for _, deals in explained)
    for place, deals in explained:
        picture = sheet.replay_frames.frames[place]
        held = [len(picture["hands"][(picture["seat"] + step) % 3]) for step in (1, 2)]
        assert all([len(hand) for hand in deal] == held for deal in deals or ())


@pytest.mark.parametrize(
    ("name", "file"),
    [("guandan", "guandan_contest_bots.jsonl.gz"), ("doudizhu", "doudizhu_douzero_selfplay.jsonl.gz")],
)
def test_external_records_can_be_reviewed(with_page: Run, shared_data: Path, name: str, file: str) -> None:
    if not (shared_data / file).is_file():
        pytest.skip(f"{file} is not here")
    with gzip.open(shared_data / file) as lines:
        record = json.loads(lines.readline())

    async def test(page: Any) -> None:
        sheet = await open_review(page, name, record)
        assert not sheet["problem"]
        place = next(place for place, picture in enumerate(sheet["pictures"]) if picture["plays"])
        judgement = (await decision(page, sheet, place)).json()
        assert judgement["made"]
        truth = judgement["estimate"]["truth"]
        seat, hands = sheet["pictures"][place]["seat"], sheet["pictures"][place]["hands"]
        assert [sum(row) for row in truth] == [len(hands[(seat + step) % len(hands)]) for step in range(1, len(hands))]

    with_page(test)


@pytest.mark.parametrize(("name", "file"), [("doudizhu", "doudizhu_bids.jsonl"), ("tractor", "tractor.jsonl")])
def test_botzone_logs_can_be_reviewed(with_page: Run, name: str, file: str) -> None:
    """Accept complete logs, truncated logs, and one that ends with a fault."""
    from tests.protocols.botzone.transcripts import TRANSCRIPTS, read

    initdata, log = read(file)
    profile = TRANSCRIPTS[file].engine().rules.profile

    async def opened(page: Any, entries: Any) -> Any:
        text = json.dumps({"log": entries, "initdata": initdata})
        return await page.post("/api/reviews", {"game": name, "text": text, "profile": profile})

    async def test(page: Any) -> None:
        whole = (await opened(page, log)).json()
        assert not whole["problem"]
        assert whole["ended"]["points"]
        place = next(
            place
            for place, picture in enumerate(whole["pictures"])
            if picture["plays"] and len(picture["hands"][0]) > 3
        )
        assert (await decision(page, whole, place)).json()["made"]
        begun = (await opened(page, log[: 2 * (len(log) // 4)])).json()
        assert 0 < len(begun["pictures"]) < len(whole["pictures"])
        assert [picture["act"]["text"] for picture in begun["pictures"]] == [
            picture["act"]["text"] for picture in whole["pictures"][: len(begun["pictures"])]
        ]
        seat = next(iter(log[-2]))
        wrong = [*log[:-2], {seat: {"verdict": "OK", "response": "nothing"}}]
        assert len((await opened(page, wrong)).json()["pictures"]) > 0
        strange: list[Any] = [[], {}, [5], [{}] * 20_000, [log[0], 7]]
        for entries in strange:
            answer = await opened(page, entries)
            assert answer.status == 400, answer.body
        other = {"game": "hearts", "text": json.dumps({"log": log})}
        assert "is not played on Botzone" in (await page.post("/api/reviews", other)).json()["error"]

    with_page(test)


def test_record_with_illegal_act_is_shown_up_to_it(with_page: Run) -> None:
    async def test(page: Any) -> None:
        (record, *_) = played("president")
        wrong = record | {"acts": [*record["acts"][:5], [record["acts"][5][0], ["XX"]]]}
        sheet = await open_review(page, "president", wrong)
        assert "act 6" in sheet["problem"]
        assert len(sheet["pictures"]) == 5
        assert (await decision(page, sheet, 4)).status == 200

    with_page(test)


async def find_mistakes(page: Any, sheet: dict[str, Any]) -> Any:
    """Return the progress at the end of the search."""
    work = {"review": sheet["review"], "deals": 4, "agent": "greedy", "onward": "greedy"}
    assert (await page.post("/api/reviews/work", work)).status == 200
    while (progress := (await page.get(f"/api/reviews/{sheet['review']}/progress")).json())["state"] == "working":
        await asyncio.sleep(0.02)
    return progress


def test_mistakes_are_found_up_to_an_illegal_act(with_page: Run) -> None:
    """Records of a platform too; theirs ended the replay with an IndexError."""

    async def test(page: Any) -> None:
        (record, *_) = played("president")
        shown = await open_review(page, "president", record | {"acts": [*record["acts"][:20], [0, ["XX"]]]})
        progress = await find_mistakes(page, shown)
        assert progress["state"] == "done"
        assert progress["result"]["decisions"][-1]["act"] <= 20
        with gzip.open(SAMPLE) as lines:
            contest = json.loads(lines.readline())
        contest["plays"][5][1] = ["Pair", "3", ["S3", "D3"]]
        sheet = await open_review(page, "guandan", contest)
        assert "play 6" in sheet["problem"]
        progress = await find_mistakes(page, sheet)
        assert (progress["state"], progress["result"]["decisions"][-1]["act"]) == ("done", 5)

    with_page(test)


def test_other_damaged_lines_of_a_file_are_named(with_page: Run) -> None:
    async def test(page: Any) -> None:
        line = json.dumps(played("president")[0])
        text = f'{line}\n{{"hands"\n\n{line}\n'
        for number in (1, 3):
            answer = await page.post("/api/reviews", {"game": "president", "text": text, "line": number})
            sheet = answer.json()
            assert (sheet["line"], sheet["lines"], len(sheet["damaged"])) == (number, 3, 1)
            assert sheet["damaged"][0].startswith("line 2: ")
        refused = await page.post("/api/reviews", {"game": "president", "text": text, "line": 2})
        assert (refused.status, refused.json()["values"]) == (400, [2])

    with_page(test)


@pytest.mark.parametrize(
    "text", ["", "x", "[]", '{"hands":5}', "{}", '{"hands":[["S3"]]}', "\ud800", '{"a":1}\nx', "[" * 9999]
)
def test_invalid_records_are_rejected(with_page: Run, text: str) -> None:
    async def test(page: Any) -> None:
        answer = await page.post("/api/reviews", {"game": "president", "text": text})
        assert answer.status == 400
        assert answer.json()["error"]

    with_page(test)


def test_invalid_review_requests_are_rejected(with_page: Run) -> None:
    async def test(page: Any) -> None:
        (record, *_) = played("president")
        sheet = await open_review(page, "president", record)
        for place in ("-1", "99999", "x", "9" * 30, "٣"):
            assert (await decision(page, sheet, place)).status == 400
        for path in ("/api/reviews/nothing", "/api/reviews/nothing/0", "/api/reviews/nothing/progress"):
            assert (await page.get(path)).status == 400
        for more in ({"deals": 0}, {"deals": 10**9}, {"agent": "program:run=x"}, {"lang": "fr"}, {"review": 5}):
            answer = await page.post("/api/reviews/work", {"review": sheet["review"]} | more)
            assert answer.status == 400
        assert (await page.post("/api/reviews", {"game": "president", "text": "{}"}, **{"x-token": ""})).status == 403
        assert (await page.get("/api/watch")).status == 403

    with_page(test)


def test_invalid_line_is_reported_with_its_number() -> None:
    for gap, line in (("\n", 2), ("\n\n \n", 4)):
        with pytest.raises(GameError, match=rf"^line {line}: ") as error:
            parse_numbered_records('{"hands":[]}' + gap + '{"hands"')
        assert (error.value.code, error.value.values) == (ErrorCode.INVALID_RECORD, (line,))


def test_review_runs_once_at_a_time(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(ReviewSession, "run_review", lambda session, *_: started.append(session.name))

    async def test(page: Any) -> None:
        sheet = await open_review(page, "president", played("president")[0])
        request = {"review": sheet["review"]}
        answers = await asyncio.gather(*(page.post("/api/reviews/work", request) for _ in range(3)))
        assert sorted(answer.status for answer in answers) == [200, 400, 400]
        while not started:
            await asyncio.sleep(0.01)
        assert started == [sheet["review"]]

    with_page(test)
