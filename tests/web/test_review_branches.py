"""Tests of variations, grades and estimates of reviews."""

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import game_names, load
from abl_cards.matches import ReviewConfig, grade_move, review, review_record
from abl_cards.web.review_branches import BranchList
from abl_cards.web.review_estimates import calibrate
from abl_cards.web.review_positions import ReviewPosition
from abl_cards.web.review_samples import read_samples
from abl_cards.web.reviews import ReviewSession
from tests.cli_runs import run
from tests.effort import amount, long
from tests.web.test_reviews import open_review, played

Run = Any
KB = "kb"


def keep_first_acts(record: Any) -> Any:
    """Return a record of the first acts, which is reviewed sooner; the whole one with --long."""
    if amount(0, 1):
        return record
    return {name: value for name, value in record.items() if name not in ("points", "finish")} | {
        "acts": record["acts"][:16]
    }


def open_session(name: str, record: Any) -> ReviewSession:
    return ReviewSession(name, ["", ""], load(name).engine(), [record], 1)


def play_on(session: ReviewSession, line: int | None, index: int, **more: Any) -> int:
    branches, options = session.branch_list, {"decide": None, "seed": 0, "to_end": False, **more}
    return branches.play_on(line, index, agent=make_agent(KB, session.engine), agent_name=KB, **options)


def check_variations(name: str, record: Any, places: list[int]) -> None:
    """Play variations to the end, and check them by a replay of the acts as a record of its own."""
    session = open_session(name, record)
    for place in places:
        line = play_on(session, None, place)
        branch = session.branch_list.branches[line]
        assert branch.frames[0]["hands"] == session.replay_frames.frames[place]["hands"]
        assert [frame["act"] is None for frame in branch.frames] == [False] * len(branch.acts) + [True] * (
            len(branch.frames) - len(branch.acts)
        )
        line = play_on(session, line, place + len(branch.acts), to_end=True) if branch.episode_result is None else line
        ended = session.branch_list.branches[line]
        assert ended.acts[: len(branch.acts)] == branch.acts
        assert ended.episode_result is not None
        if "acts" not in record:
            continue
        varied = {**record, "acts": [*record["acts"][: ended.act - 1], *ended.acts]}
        replayed = open_session(name, {key: value for key, value in varied.items() if key not in ("points", "finish")})
        assert replayed.replay_frames.frames[-1]["hands"] == ended.frames[-1]["hands"]
        assert replayed.replay_frames.episode_result is not None
        assert replayed.replay_frames.episode_result["points"] == ended.episode_result["points"]
    stored = session.branch_list.to_record()
    assert stored["branches"]
    again = open_session(name, stored)
    assert again.branch_list.to_record() == stored
    assert again.branch_list.to_json() == session.branch_list.to_json()


@pytest.mark.parametrize("name", ["president", "hearts"])
def test_variations_follow_the_rules(name: str) -> None:
    (record, *_) = played(name)
    check_variations(name, record, [len(record["acts"]) * 2 // 3 if name == "president" else 0])


@long
@pytest.mark.parametrize("name", game_names())
def test_variations_of_all_games_follow_the_rules(name: str) -> None:
    (record, *_) = played(name)
    count = len(open_session(name, record).replay_frames.frames)
    check_variations(name, record, sorted({0, 1, count // 3, 2 * count // 3, count - 1}))


@long
def test_variations_of_contest_records_follow_the_rules() -> None:
    from abl_cards.matches import read_valid_records, sample_records_path

    (record, *_) = read_valid_records(sample_records_path("guandan"))
    session = open_session("guandan", record)
    places = [index for index, number in enumerate(session.decision_numbers) if number]
    check_variations("guandan", record, [places[0], places[len(places) // 2]])
    assert session.decision_numbers[places[0]] == 1


def test_equal_moves_share_one_variation() -> None:
    (record, *_) = played("president")
    session = open_session("president", record)
    place = next(index for index, frame in enumerate(session.replay_frames.frames) if len(frame["trick"]) == 1)
    seat = session.replay_frames.frames[place]["seat"]

    def pass_now(position: ReviewPosition) -> None:
        position.play("pass")

    first = play_on(session, None, place, decide=pass_now)
    branch = session.branch_list.branches[first]
    assert branch.acts[0] == [seat, "pass"]
    assert branch.frames[-1]["seat"] == seat  # the seat decides again
    assert all(acting != seat for acting, _ in branch.acts[1:])
    assert play_on(session, None, place, decide=pass_now) == first
    middle = place + 1
    second = play_on(
        session, first, middle, decide=lambda position: position.let_agent_act(make_agent("random", session.engine), 5)
    )
    assert session.branch_list.branches[second].acts[:1] == branch.acts[:1]
    session.branch_list.remove(second if second != first else first)
    with pytest.raises(GameError) as error:
        session.branch_list.remove(9)
    assert error.value.code == ErrorCode.NOT_FOUND


def test_invalid_variations_are_kept_but_not_read() -> None:
    (record, *_) = played("president")
    seat, _ = record["acts"][3]
    wrong: list[Any] = [
        5, {}, {"act": 4}, {"act": 4, "acts": []},
        {"act": 9999, "acts": [[0, "pass"]]}, {"act": "4", "acts": [[seat, 1]]},
        {"act": 4, "acts": [[seat, ["XX"]]]}, {"act": 4, "acts": [[(seat + 1) % 4, "pass"]]}, {"act": 4, "acts": [7]},
    ]  # fmt: skip
    session = open_session("president", {**record, "branches": wrong})
    assert session.branch_list.branches == []
    assert session.branch_list.to_record()["branches"] == wrong
    assert session.explain_decision(make_agent(KB, session.engine), 3, "en")["made"]  # type: ignore[arg-type]
    assert open_session("president", {**record, "branches": "x"}).branch_list.to_json() == []


def test_review_and_replay_ignore_variations(tmp_path: Path) -> None:
    (record, *_) = played("president")
    session = open_session("president", record)
    play_on(session, None, 4)
    plain, varied = tmp_path / "plain.jsonl", tmp_path / "varied.jsonl"
    plain.write_text(json.dumps(keep_first_acts(record)) + "\n")
    varied.write_text(json.dumps(keep_first_acts(session.branch_list.to_record())) + "\n")
    if amount(0, 1):
        printed = [run("review", "president", str(file), "--deals", "4").stdout for file in (plain, varied)]
        assert printed[0] == printed[1]
    reviews = [review(None, file, rollout_agent="greedy", n_deals=4, seats=[0]) for file in (plain, varied)]
    assert [item.to_json() for item in reviews[0]] == [item.to_json() for item in reviews[1]]
    assert not session.engine.replay([session.branch_list.to_record()]).mismatches


# --- grades -----------------------------------------------------------------------------------------------------------


def test_grade_move_equals_review_record() -> None:
    engine, (record, *_) = load("president").engine(), played("president")
    agent = make_agent(KB, engine)
    config = ReviewConfig(engine, agent, make_agent("greedy", engine), 4, seed=3)
    reviewed = review_record(config, record)
    for decision in reviewed[:: amount(20, 3)]:
        value = record["acts"][decision.act - 1][1]
        grade = grade_move(config, record, decision.act, value)
        assert (grade.loss, grade.error) == (decision.loss, decision.error)
        assert [move.points for move in grade.evaluated_moves] == [move.points for move in decision.evaluated_moves]
        best = decision.decision_point.actions[decision.best_move.row].to_json()
        assert grade_move(config, record, decision.act, best).loss == 0
        for row, action in list(enumerate(decision.decision_point.actions))[:3]:
            own = grade_move(config, record, decision.act, action.to_json())
            assert own.played_move.row == row
            assert own.played_move.error is not None
            assert own.loss <= 2 * own.error or own.is_mistake
    with pytest.raises(GameError) as error:
        grade_move(config, record, reviewed[0].act, ["XX"])
    assert error.value.code


def test_requests_grade_and_continue_positions(with_page: Run) -> None:
    async def test(page: Any) -> None:
        (record, *_) = played("president")
        sheet = await open_review(page, "president", record)
        place = next(index for index, picture in enumerate(sheet["pictures"]) if picture["plays"])
        at = {"review": sheet["review"], "place": place}
        position = (await page.post("/api/reviews/position", at)).json()
        assert position["seat"] == sheet["pictures"][place]["seat"]
        assert sorted(position["hand"]) == sorted(sheet["pictures"][place]["hands"][position["seat"]])
        assert position["asked"]["kind"] == "play"
        picked = (await page.post("/api/reviews/pick", at | {"cards": sheet["pictures"][place]["act"]["cards"]})).json()
        value = picked["readings"][0]["value"]
        graded = at | {"value": value, "deals": 4, "onward": "greedy"}
        grade = (await page.post("/api/reviews/grade", graded)).json()
        assert sum(move["made"] for move in grade["tried"]) == 1
        assert grade["place"] == place
        played_on = (await page.post("/api/reviews/branch", at | {"value": value})).json()
        assert played_on["played"] == 0
        branch = played_on["branches"][0]
        assert branch["start"] == place
        tip = place + len(branch["pictures"]) - 1
        advice = await page.get(f"/api/reviews/{sheet['review']}/{tip}?line=0")
        assert advice.json()["made"] is None
        advice = await page.get(f"/api/reviews/{sheet['review']}/{place}?line=0")
        assert advice.json()["made"]["value"] == value
        kept = (await page.get(f"/api/reviews/{sheet['review']}/record")).json()
        assert kept["branches"][0]["acts"][0] == [position["seat"], value]
        assert (await page.get(f"/api/reviews/{sheet['review']}")).json()["branches"] == played_on["branches"]
        left = (await page.post("/api/reviews/remove-branch", {"review": sheet["review"], "line": 0})).json()
        assert left["branches"] == []
        wrong: list[tuple[str, Any]] = [
            ("position", {"place": 9999}), ("position", {"line": 3}), ("position", {"place": -1}),
            ("pick", {"cards": ["XX"]}), ("pick", {"cards": 5}), ("grade", {"value": ["XX"]}), ("grade", {"deals": 1}),
            ("branch", {"value": ["XX"]}), ("branch", {"values": [5]}),
            ("branch", {"values": []}), ("branch", {"agent": "program:run=x"}),
            ("branch", {"end": 1}), ("remove-branch", {"line": 0}), ("position", {"review": "nothing"}),
        ]  # fmt: skip
        for path, fields in wrong:
            answer = await page.post(f"/api/reviews/{path}", at | fields)
            assert answer.status == 400, (path, fields)
            assert answer.json()["code"]
        assert (await page.post("/api/reviews/branch", at, **{"x-token": ""})).status == 403

    with_page(test)


# --- estimates and samples --------------------------------------------------------------------------------------------


def test_calibration_compares_predictions_with_the_truth() -> None:
    copies = np.array([[[0.5, 1.0, 0.0], [0.5, 1.0, 0.0]]])
    truth = np.array([[[1, 2, 0], [0, 0, 0]]])
    unseen = np.array([[1, 2, 0]])
    assert calibrate(copies, truth, unseen) == [{"predicted": 0.5, "observed": 0.5, "n": 6}]
    sure = calibrate(np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[[1, 0], [0, 1]]]), np.array([[1, 1]]))
    assert sure == [{"predicted": 0.0, "observed": 0.0, "n": 2}, {"predicted": 1.0, "observed": 1.0, "n": 2}]


def test_calibration_covers_all_hidden_cards(with_page: Run) -> None:
    async def test(page: Any) -> None:
        record = keep_first_acts(played("president")[0])
        sheet = await open_review(page, "president", record)
        await page.post("/api/reviews/work", {"review": sheet["review"], "deals": 4, "onward": "greedy"})
        while (progress := (await page.get(f"/api/reviews/{sheet['review']}/progress")).json())["state"] == "working":
            await asyncio.sleep(0.05)
        plays = [picture for picture in sheet["pictures"] if picture["plays"]]
        hidden = [sum(map(len, picture["hands"])) - len(picture["hands"][picture["seat"]]) for picture in plays]
        bins = progress["result"]["calibration"]
        assert sum(row["n"] for row in bins) == 3 * sum(hidden)  # each hidden card has a probability at three seats
        held = sum(row["n"] * row["observed"] for row in bins)
        assert held == pytest.approx(sum(hidden), rel=0.01)
        errors = [move["error"] for row in progress["result"]["decisions"] for move in row["tried"]]
        assert all(error >= 0 for error in errors)

    with_page(test)


def test_sample_records_open_without_problems(with_page: Run) -> None:
    async def test(page: Any) -> None:
        samples = (await page.get("/api/reviews/samples")).json()
        assert len(samples) == 3
        assert len({sample["title"][0] for sample in samples}) == 3
        for sample in samples[: amount(1, 3)]:
            opened = (await page.post("/api/reviews/sample", {"sample": sample["sample"]})).json()
            assert opened["problem"] == ""
            assert opened["ended"]["points"] == json.loads(opened["text"])["points"]
        assert (await page.post("/api/reviews/sample", {"sample": 3})).status == 400

    with_page(test)


@long
def test_sample_records_equal_the_output_of_their_commands(tmp_path: Path) -> None:
    from abl_cards.core import DATA

    for line in (DATA / "review_samples.jsonl").read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        command, _, place = value["command"].partition(" --record FILE, line ")
        file = tmp_path / f"{place}.jsonl"
        run(*command.split()[1:], "--record", str(file))
        assert json.loads(file.read_text().splitlines()[int(place) - 1]) == value["record"]
    assert all(sample.words[0] != sample.words[1] for sample in read_samples())


def test_branch_list_reads_at_most_max_branches() -> None:
    from abl_cards.web import review_branches

    (record, *_) = played("president")
    session = open_session("president", record)
    branch = {"act": 1, "acts": record["acts"][:1]}
    many = [branch] * (review_branches.MAX_BRANCHES + 2)
    frames, numbers = session.replay_frames.frames, session.decision_numbers
    branches = BranchList(session.engine, {**record, "branches": many}, frames, numbers)
    assert len(branches.branches) == review_branches.MAX_BRANCHES
    assert len(branches.to_record()["branches"]) == len(many)
