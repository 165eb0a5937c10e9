"""Reviews of whole records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.baselines import GreedyAgent, RandomAgent
from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.description import functor
from abl_cards.games.description.card_codes import cards_from_counts
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.matches.move_rollouts import ReviewConfig
from abl_cards.matches.record_review import review, review_record, summarise_seats
from abl_cards.matches.records import read_valid_records, sample_records_path
from abl_cards.matches.review_results import ReviewedDecision
from tests.cli_runs import run
from tests.effort import amount, long

DEALS = amount(4, 20)
"""Deals per reviewed decision."""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("president").engine()


def review_config(engine: Engine, **settings: Any) -> ReviewConfig:
    settings = {"n_deals": DEALS, "max_moves": amount(3, ReviewConfig.max_moves), **settings}
    return ReviewConfig(engine, make_agent("kb", engine), GreedyAgent(engine.label_traits), **settings)


def record_with_blunder(engine: Engine) -> tuple[dict[str, Any], int]:
    """Return a record in which one seat passes instead of playing its last cards, and the number of that act."""
    for key in range(16, 50):  # the first ones without such an act are left out
        recorder = engine.new_recorder(1)
        tables, player, blunder = (
            engine.start_matches(np.array([key], np.uint64), recorder),
            make_agent("kb", engine),
            0,
        )
        here, acts = np.zeros(1, np.int64), 0
        while tables.winner[0] == -1:
            decisions, acts = tables.decisions(here), acts + 1
            keys = splitmix64_array(tables.keys, tables.num_decisions)
            lists = decisions.moves()
            goes_out = (lists.cards != 255).sum(axis=1) == decisions.view.hand[0].sum()
            passes = decisions.labels_of(lists.form) == engine.label_traits.pass_label
            first = tables.state.seats_out[0] == 0
            if goes_out.any() and passes.any() and not blunder and first:
                blunder = acts
                tables.play(here, lists.select(np.flatnonzero(passes)[:1]))
            else:
                tables.play(here, player.play(decisions, keys))
        if blunder:
            (record,) = recorder.pop_records(0)
            return record, blunder
    raise AssertionError("nobody could go out")


@pytest.fixture(scope="module")
def blundered(engine: Engine) -> tuple[dict[str, Any], int]:
    return record_with_blunder(engine)


@pytest.fixture(scope="module")
def decisions(engine: Engine, blundered: tuple[dict[str, Any], int]) -> list[ReviewedDecision]:
    return review_record(review_config(engine), blundered[0])


@long
def test_blunder_is_a_mistake(decisions: list[ReviewedDecision], blundered: tuple[dict[str, Any], int]) -> None:
    (mine,) = [decision for decision in decisions if decision.act == blundered[1]]
    assert mine.is_mistake
    assert mine.loss > 0
    assert mine.decision_point.labels[mine.played_move.row] == "pass"
    assert len(mine.decision_point.actions[mine.best_move.row].to_json()) == len(
        mine.decision_point.state["hand"]
    )  # all its cards
    assert mine.reasons


def test_every_play_with_a_choice_is_reviewed(
    engine: Engine, decisions: list[ReviewedDecision], blundered: tuple[dict[str, Any], int]
) -> None:
    record, _ = blundered
    stride = amount(8, 1)
    for decision in decisions[::stride]:
        moment = engine.read_decision_point(record, decision.act)
        assert moment.chosen_move == decision.played_move.row
        assert len(moment.actions) > 1
        assert decision.loss == decision.error == 0 or decision.best_move != decision.played_move
        assert decision.evaluated_moves[0].points == pytest.approx(
            max(tried.points or 0 for tried in decision.evaluated_moves), abs=2
        )
        assert {decision.played_move, decision.agent_move} <= set(decision.evaluated_moves)
        lines, reasons = decision.reason_lines, decision.reasons
        assert sum(line.weight for line in lines) == sum(reason.cost_difference for reason in reasons)
        shares = {(functor(reason.name), reason.cost_difference) for reason in reasons}
        assert len(lines) == len(shares)  # one line for all instances of equal weight
    (acts,) = engine.find_play_acts([record])
    looked = {decision.act for decision in decisions}
    others = [act for act in acts if act not in looked]
    assert all(len(engine.read_decision_point(record, act).actions) == 1 for act in others[::stride])


def test_seat_summaries_count_the_decisions(
    engine: Engine, decisions: list[ReviewedDecision], blundered: tuple[dict[str, Any], int]
) -> None:
    summaries = summarise_seats(engine, blundered[0], decisions)
    assert [summary.seat for summary in summaries] == [0, 1, 2, 3]
    assert sum(summary.choices for summary in summaries) == len(decisions)
    assert sum(summary.mistakes for summary in summaries) == sum(decision.is_mistake for decision in decisions)
    assert all(summary.agreed <= summary.choices <= summary.plays for summary in summaries)


def test_review_of_one_seat_is_deterministic(engine: Engine, blundered: tuple[dict[str, Any], int]) -> None:
    one, again = (review_record(review_config(engine, n_deals=4), blundered[0], frozenset({1})) for _ in range(2))
    assert {decision.seat for decision in one} == {1}
    assert [decision.to_json() for decision in one] == [decision.to_json() for decision in again]


def test_platform_record_is_reviewed() -> None:
    """The plays and the moves made are read by the importer of the platform."""
    (record, *_) = read_valid_records(sample_records_path("guandan"))
    engine = load("guandan").engine()
    reviewed = review_record(review_config(engine, n_deals=amount(2, 4), max_moves=2), record, frozenset({1}))
    assert len(reviewed) > 3
    for decision in reviewed[:: amount(5, 1)]:
        read = engine.read_decision_point(record, decision.act)
        assert read.actions[read.chosen_move or 0] == decision.decision_point.actions[decision.played_move.row]


def test_review_does_not_depend_on_hidden_hands(engine: Engine) -> None:
    """Swapping the remaining cards of two other seats does not change the review."""
    for key in range(20):
        recorder = engine.new_recorder(1)
        tables, player = engine.start_matches(np.array([key], np.uint64), recorder), RandomAgent()
        here = np.zeros(1, np.int64)
        for _ in range(30):
            tables.play(here, player.play(tables.decisions(here), splitmix64_array(tables.keys, tables.num_decisions)))
        left = [set(engine.rules.card_codes.write(cards_from_counts(hand))) for hand in tables.state.hands[0]]
        while tables.winner[0] == -1:
            tables.play(here, make_agent("greedy", engine).play(tables.decisions(here), tables.keys))
        (record,) = recorder.pop_records(0)
        short = {**record, "acts": record["acts"][:30]}
        if all(left):
            break
    other = {**short, "hands": [list(hand) for hand in short["hands"]]}
    one, two = sorted(left[2])[0], sorted(left[3])[0]
    other["hands"][2][other["hands"][2].index(one)] = two
    other["hands"][3][other["hands"][3].index(two)] = one
    first, second = (
        review_record(review_config(engine, n_deals=amount(2, 4)), record, frozenset({0, 1}))
        for record in (short, other)
    )
    assert [decision.to_json() for decision in first] == [decision.to_json() for decision in second]


def test_review_accepts_all_forms_of_records(
    engine: Engine, blundered: tuple[dict[str, Any], int], decisions: list[ReviewedDecision], tmp_path: Path
) -> None:
    """Accept a record, a list of records or a file; read the game from the record where none is given."""
    record = blundered[0]
    (expected,) = review(engine, record, "kb", "greedy", n_deals=DEALS)
    assert [decision.to_json() for decision in expected.decisions] == [decision.to_json() for decision in decisions]
    assert list(expected.seats) == summarise_seats(engine, record, decisions)
    assert {decision.act for decision in expected.mistakes} == {
        decision.act for decision in decisions if decision.is_mistake
    }
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record) + "\n", "utf-8")
    for game, records in ((None, path), ("president", [record]), (load("president"), str(path))):
        (reviewed,) = review(game, records, make_agent("kb", engine), "greedy", seats=[1], n_deals=4)
        assert {decision.seat for decision in reviewed.decisions} == {1}
        assert json.loads(json.dumps(reviewed.to_json()))["seats"][0]["seat"] == 1


@pytest.mark.parametrize(
    ("game", "change", "options", "code"),
    [
        (None, {"game": None}, {}, ErrorCode.INVALID_RECORD),
        ("president", {}, {"n_deals": 2}, ErrorCode.INVALID_VALUE),
        ("president", {}, {"agent": "nobody"}, ErrorCode.UNKNOWN_AGENT),
    ],
)
def test_invalid_reviews_are_rejected(
    blundered: tuple[dict[str, Any], int], game: str | None, change: dict[str, Any], options: dict[str, Any],
    code: ErrorCode,
) -> None:  # fmt: skip
    with pytest.raises(GameError) as error:
        review(game, {**blundered[0], **change}, **options)
    assert error.value.code == code


def test_review_of_no_records_is_rejected() -> None:
    with pytest.raises(GameError) as error:
        review("president", [])
    assert error.value.code == ErrorCode.NO_RECORDS


def test_record_without_plays_is_rejected(engine: Engine, blundered: tuple[dict[str, Any], int]) -> None:
    with pytest.raises(GameError) as error:
        review_record(review_config(engine), {**blundered[0], "acts": []})
    assert error.value.code == ErrorCode.NO_RECORDS
    with pytest.raises(GameError):
        review_record(review_config(engine), {**blundered[0], "acts": [[0, ["C3", "D9"]]]})


def test_review_command_prints_text_and_json(tmp_path: Path, blundered: tuple[dict[str, Any], int]) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(blundered[0]) + "\n", "utf-8")
    seat = str(blundered[0]["acts"][blundered[1] - 1][0])
    printed = run("review", "president", str(file), "--deals", "4", "--rollout-agent", "greedy", "--seat", seat)
    assert printed.exit_code == 0, printed.stderr
    assert f"act {blundered[1]}: seat" in printed.stdout
    assert "points lost" in printed.stdout
    answer = json.loads(run("review", "president", str(file), "--deals", "4", "--seat", "0", "--json").stdout)
    assert list(answer) == ["game", "line", "agent", "rollout_agent", "deals", "seed", "seats", "decisions"]
    assert {decision["seat"] for decision in answer["decisions"]} == {0}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--seat", "7"], "the seats are 0 to 3"),
        (["--agent", "nobody"], "unknown agent"),
        (["--lang", "fr"], "unknown language"),
        (["--line", "5"], "line 5 is empty or missing"),
    ],
)
def test_review_command_reports_invalid_arguments(
    tmp_path: Path, blundered: tuple[dict[str, Any], int], arguments: list[str], problem: str
) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(blundered[0]) + "\n", "utf-8")
    answer = run("review", "president", str(file), *arguments)
    assert answer.exit_code in (1, 2)
    assert problem in answer.stderr


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"game":"guandan","profile":"standard"}', "line 1: game: 'guandan', but the rules are those of 'president'"),
        ('{"hands":3', "line 1: not JSON"),
    ],
)
def test_invalid_record_is_reported_with_its_line(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(line + "\n", "utf-8")
    answer = run("review", "president", str(file))
    assert answer.exit_code == 1
    assert problem in answer.stderr


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"seats": [4]}, ErrorCode.INVALID_VALUE),
        ({"seats": [-1]}, ErrorCode.INVALID_VALUE),
        ({"seats": ["0"]}, ErrorCode.INVALID_VALUE),
        ({"seats": "0"}, ErrorCode.INVALID_VALUE),
        ({"seats": 0}, ErrorCode.INVALID_VALUE),
        ({"min_loss": float("nan")}, ErrorCode.INVALID_VALUE),
        ({"min_loss": -1}, ErrorCode.INVALID_VALUE),
        ({"on_progress": None}, ErrorCode.INVALID_VALUE),
        ({"language": np.array(["en", "zh"])}, ErrorCode.UNKNOWN_LANGUAGE),
        ({"min_loss": "1"}, ErrorCode.INVALID_VALUE),
        ({"n_deals": float("nan")}, ErrorCode.INVALID_VALUE),
        ({"n_deals": 8.0}, ErrorCode.INVALID_VALUE),
        ({"max_moves": 1}, ErrorCode.INVALID_VALUE),
        ({"seed": "x"}, ErrorCode.INVALID_VALUE),
        ({"records": [1]}, ErrorCode.INVALID_RECORD),
        ({"records": None}, ErrorCode.INVALID_RECORD),
    ],
)
def test_arguments_of_wrong_type_or_range_are_rejected(
    settings: dict[str, Any], code: ErrorCode, blundered: tuple[dict[str, Any], int]
) -> None:
    with pytest.raises(GameError) as error:
        review("president", **({"records": [blundered[0]]} | settings))
    assert error.value.code == code


def test_agent_of_another_game_is_rejected(blundered: tuple[dict[str, Any], int]) -> None:
    with pytest.raises(GameError) as error:
        review("president", blundered[0], make_agent("kb", load("hearts").engine()))
    assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE


def test_errors_of_records_name_file_and_line(tmp_path: Path, blundered: tuple[dict[str, Any], int]) -> None:
    file = tmp_path / "games.jsonl"
    wrong = {**blundered[0], "acts": [5]}
    file.write_text(f"{json.dumps(blundered[0])}\n\n{json.dumps(wrong)}\n", "utf-8")
    given: list[Any] = [file, [blundered[0], wrong]]
    for records, place in zip(given, (r"games\.jsonl:3: act 1", "^record 2: act 1"), strict=True):
        with pytest.raises(GameError, match=place) as error:
            review("president", records, seats=[], n_deals=4)
        assert error.value.code == ErrorCode.INVALID_RECORD
