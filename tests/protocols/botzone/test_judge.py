"""Botzone's judge: whole rounds, step by step and at once; errors and their scores; arbitrary input."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.protocols.botzone.judge import NEXT_INITDATA_KEY, BotzoneJudge
from tests.cli_runs import run
from tests.effort import amount
from tests.games.doudizhu.decided import engine_of
from tests.protocols.botzone.transcripts import HERE_LIE, TRANSCRIPTS, lines, read


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts_equal_played_rounds(name: str) -> None:
    """Transcripts equal played rounds; ``python -m tests.protocols.botzone.transcripts`` writes them again."""
    assert lines(TRANSCRIPTS[name].make()) == (HERE_LIE / name).read_text("utf-8").splitlines()


def test_list_of_transcripts_is_complete() -> None:
    assert {path.name for path in HERE_LIE.glob("*.jsonl")} == set(TRANSCRIPTS)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_judge_outputs_equal_the_transcript(name: str) -> None:
    """A judge that keeps running does so at every step, and a new one at some steps."""
    initdata, log = read(name)
    engine = TRANSCRIPTS[name].engine()
    judge, interval = BotzoneJudge(engine), max(16, len(log) // amount(2, 5) // 2 * 2)
    for step in range(0, len(log), 2):
        judge_request = {"log": log[:step], "initdata": initdata}
        output = judge.next_output(judge_request)
        assert {key: _drop_initdata(key, output[key]) for key in log[step]["output"]} == log[step]["output"]
        if step % interval == 0 or step == len(log) - 1:
            assert BotzoneJudge(engine).next_output(judge_request) == output


def _drop_initdata(key: str, value: Any) -> Any:
    """Return an output field without the initdata of the next round, which only the judge adds."""
    return {name: value[name] for name in value if name != NEXT_INITDATA_KEY} if key == "display" else value


def test_judge_accepts_bare_outputs_and_responses() -> None:
    """A log without Botzone's frame has bare outputs and responses."""
    initdata, log = read("doudizhu.jsonl")
    bare = [{seat: answer["response"] for seat, answer in entry.items()} if index % 2 else entry["output"]
            for index, entry in enumerate(log)]  # fmt: skip
    assert (
        BotzoneJudge(engine_of(None, "botzone")).next_output({"log": bare, "initdata": initdata}) == log[-1]["output"]
    )


def test_judge_state_is_independent_of_earlier_requests() -> None:
    engine = engine_of(None, "botzone")
    judge = BotzoneJudge(engine)
    (first, log), (second, other) = read("doudizhu.jsonl"), read("doudizhu_random.jsonl")
    for initdata, entries in ((first, log), (second, other[:8]), (first, log[:4]), (first, log[:6]), (second, other)):
        judge_request = {"log": entries, "initdata": initdata}
        assert judge.next_output(judge_request) == BotzoneJudge(engine).next_output(judge_request)


# --- initdata ---------------------------------------------------------------------------------------------------------


def test_initdata_of_a_random_round() -> None:
    """Later calls pass the returned initdata, or have it in the first entry of the log."""
    engine = engine_of(None, "botzone")
    first = BotzoneJudge(engine).next_output({"log": []})
    assert set(first["initdata"]) == {"seed", "allocation", "publiccard"}
    card = min(first["content"]["0"]["own"])
    log = [{"output": first}, {"0": {"verdict": "OK", "response": [card]}}]
    second = BotzoneJudge(engine).next_output({"log": log})
    assert second["content"]["1"]["history"] == [[], [card]]
    assert "initdata" not in second
    assert second == BotzoneJudge(engine).next_output({"log": log, "initdata": first["initdata"]})
    with pytest.raises(GameError, match=r"^initdata: ") as error:
        BotzoneJudge(engine).next_output({"log": [{"output": {"command": "request"}}, {"0": [card]}]})
    assert error.value.code == ErrorCode.INVALID_MESSAGE


def test_deal_is_determined_by_the_seed() -> None:
    judge = BotzoneJudge(engine_of(None, "botzone"), {"seed": "spring"})
    one, two = judge.next_output({"log": []}), judge.next_output({"log": [], "initdata": {}})
    assert one == two
    other = judge.next_output({"log": [], "initdata": {"seed": 7}})
    assert other["initdata"]["publiccard"] == [47, 42, 0]  # the first three after random.seed(7), random.shuffle
    assert other != one


WHOLE = {"allocation": [list(range(17)), list(range(17, 34)), list(range(34, 51))], "publiccard": [51, 52, 53]}


@pytest.mark.parametrize(
    ("initdata", "values"),
    [
        (["x"], "initdata: "),
        ({"level": "2"}, "level"),
        ({"seed": 1.5}, "seed: "),
        ({"seed": "x" * 101}, "seed"),
        ({"publiccard": [1, 2, 3]}, "publiccard"),
        (WHOLE | {"allocation": [1, 2]}, "allocation: .* 3 hands of 17 cards"),
        (WHOLE | {"allocation": [[], [], []]}, "allocation: .* 3 hands of 17 cards"),
        (WHOLE | {"publiccard": [51, 52]}, "publiccard: .* 3 cards"),
        (WHOLE | {"publiccard": [51, 52, 52]}, "0 to 53"),
        (WHOLE | {"publiccard": [51, 52, [53]]}, "0 to 53"),
        (WHOLE | {"publiccard": [51, 52, 53.0]}, "0 to 53"),
    ],
)
def test_invalid_initdata(initdata: Any, values: str) -> None:
    with pytest.raises(GameError, match=values) as error:
        BotzoneJudge(engine_of(None, "botzone")).next_output({"log": [], "initdata": initdata})
    assert error.value.code == ErrorCode.INVALID_MESSAGE


# --- errors, and what they cost ---------------------------------------------------------------------------------------

FAULTS: list[tuple[str, Any, str, list[int]]] = [
    ("no card of the game", {"0": {"verdict": "OK", "response": [54]}}, "INVALID_POKERID", [-3, 1, 1]),
    ("somebody else's", {"0": {"verdict": "OK", "response": [17]}}, "NOT_YOUR_POKER", [-3, 1, 1]),
    ("twice the same", {"0": {"verdict": "OK", "response": [0, 0]}}, "NOT_YOUR_POKER", [-3, 1, 1]),
    ("no play", {"0": {"verdict": "OK", "response": [0, 4]}}, "INVALID_POKERTYPE", [-3, 1, 1]),
    ("a pass, leading", {"0": {"verdict": "OK", "response": []}}, "ILLEGAL_MOVE", [-3, 1, 1]),
    ("somebody else", {"2": {"verdict": "OK", "response": [34]}}, "NOT_YOUR_TURN", [1, 0, -3]),
    ("two at once", {"0": {"response": [0]}, "1": {"response": [17]}}, "NOT_YOUR_TURN", [1, -3, 0]),
    ("nobody", {}, "INVALID_FORMAT", [-3, 1, 1]),
    ("a word", {"0": {"verdict": "OK", "response": "pass"}}, "INVALID_FORMAT", [-3, 1, 1]),
    ("nothing", {"0": None}, "INVALID_FORMAT", [-3, 1, 1]),
    ("too slow", {"0": {"verdict": "TLE", "response": None}}, "TLE", [-3, 1, 1]),
    ("an end", {"0": {"verdict": "RE"}}, "RE", [-3, 1, 1]),
]


@pytest.mark.parametrize(("entry", "kind", "scores"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_faults_end_the_game_with_scores(entry: Any, kind: str, scores: list[int]) -> None:
    engine = engine_of(None, "botzone")
    output = BotzoneJudge(engine).next_output({"log": [{"output": {}}, entry], "initdata": WHOLE})
    assert output["command"] == "finish"
    assert output["content"] == {str(seat): score for seat, score in enumerate(scores)}
    assert output["display"]["event"]["error"] == kind
    with pytest.raises(GameError, match="entry 4: ") as error:
        BotzoneJudge(engine).next_output({"log": [{"output": {}}, entry] * 2, "initdata": WHOLE})
    assert error.value.code == ErrorCode.INVALID_MESSAGE


def test_play_that_does_not_beat_is_an_illegal_move() -> None:
    """Such a play is an ILLEGAL_MOVE, not an INVALID_POKERTYPE; a peasant's fault costs the partner nothing."""
    log = [{"output": {}}, {"0": [16]}, {"output": {}}, {"1": [20]}, {"output": {}}, {"2": [0]}]
    judge = BotzoneJudge(engine_of(None, "botzone"))
    assert judge.next_output({"log": log, "initdata": WHOLE})["display"]["event"]["error"] == "NOT_YOUR_POKER"
    log = [{"output": {}}, {"0": [51]}, {"output": {}}, {"1": [20]}]
    output = judge.next_output({"log": log, "initdata": WHOLE})
    assert (output["display"]["event"]["error"], output["content"]) == ("ILLEGAL_MOVE", {"0": 1, "1": -3, "2": 0})


def test_invalid_bid_costs_only_the_bidder() -> None:
    """There are no partners before a seat is the landlord."""
    log = [{"output": {}}, {"0": 2}, {"output": {}}, {"1": 1}]
    output = BotzoneJudge(engine_of(None, "botzone_bidding")).next_output({"log": log, "initdata": WHOLE})
    assert (output["display"]["event"]["error"], output["content"]) == ("ILLEGAL_MOVE", {"0": 1, "1": -3, "2": 1})


def test_redeal_is_unsupported() -> None:
    log: list[Any] = [{"output": {}}, {"0": 0}, {"output": {}}, {"1": 0}, {"output": {}}, {"2": 0}]
    with pytest.raises(GameError, match="contest") as error:
        BotzoneJudge(engine_of(None, "contest")).next_output({"log": log, "initdata": WHOLE})
    assert error.value.code == ErrorCode.UNSUPPORTED_GAME


# --- invalid logs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judge_request", "values"),
    [
        (None, "object"),
        ({}, "^log: "),
        ({"log": {}}, "^log: "),
        ({"log": [1] * 10_001}, "10,000"),
        ({"log": [1, 2], "initdata": WHOLE}, "^log: "),
        ({"log": [{}, []], "initdata": WHOLE}, "entry 2 "),
        ({"log": [{}, {"3": []}], "initdata": WHOLE}, "entry 2 "),
        ({"log": [{}, {"0": {"verdict": 1}}], "initdata": WHOLE}, "entry 2: "),
    ],
)
def test_invalid_logs(judge_request: Any, values: str) -> None:
    with pytest.raises(GameError, match=values) as error:
        BotzoneJudge(engine_of(None, "botzone")).next_output(judge_request)
    assert error.value.code == ErrorCode.INVALID_MESSAGE


def test_output_of_another_judge_is_rejected() -> None:
    log = [{"output": {"command": "finish", "content": {}}}]
    with pytest.raises(GameError, match=r'entry 1: command .*"finish"') as error:
        BotzoneJudge(engine_of(None, "botzone")).next_output({"log": log, "initdata": WHOLE})
    assert error.value.code == ErrorCode.JUDGES_DISAGREE


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 60) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("012x") | st.text(max_size=3), inner),
    max_leaves=6,
)
responses = st.fixed_dictionaries({}, optional={"0": values, "1": values, "verdict": values})


@given(st.lists(values | responses, max_size=5), st.sampled_from([WHOLE, {"seed": 3}]) | values)
def test_arbitrary_input_ends_in_an_answer_or_an_error(log: Any, initdata: Any) -> None:
    judge = BotzoneJudge(engine_of(None, "botzone"))
    log = [entry if index % 2 else {"output": {}} for index, entry in enumerate(log)]
    try:
        output = judge.next_output({"log": log, "initdata": initdata})
    except GameError:
        return
    assert output["command"] in ("request", "finish")
    json.dumps(output)


# --- the command ------------------------------------------------------------------------------------------------------


def test_judge_command_answers_one_line() -> None:
    initdata, log = read("doudizhu.jsonl")
    judge_request = json.dumps({"log": log[:2], "initdata": initdata}) + "\nmore"
    answer = run("judge", "doudizhu", stdin=judge_request)
    assert (answer.exit_code, json.loads(answer.stdout)) == (0, log[2]["output"])


def test_judge_command_keeps_running_after_invalid_lines() -> None:
    """Lines are answered one by one; an invalid line is reported, and the others are answered."""
    initdata, log = read("doudizhu.jsonl")
    judge_request = [json.dumps({"log": log[:step], "initdata": initdata}) for step in (2, 4, len(log))]
    answer = run(
        "judge",
        "doudizhu",
        "--keep-running",
        stdin="\n".join([judge_request[0], "{", "", judge_request[1], judge_request[2]]),
    )
    first, wrong, second, last = map(json.loads, answer.stdout.splitlines())
    assert (first, second, last) == (log[2]["output"], log[4]["output"], log[-1]["output"])
    assert wrong["error"].startswith("line 2: not JSON")
    assert answer.stderr.startswith("line 2: not JSON")
    assert answer.exit_code == 1


def test_judge_command_reads_initdata(tmp_path: Any) -> None:
    by_file = tmp_path / "initdata.json"
    by_file.write_text('{"seed": 7}', "utf-8")
    for initdata in ('{"seed": 7}', str(by_file)):
        answer = run("judge", "doudizhu", "--initdata", initdata, stdin='{"log":[]}')
        assert json.loads(answer.stdout)["display"]["publiccard"] == [47, 42, 0]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("guandan",), "Botzone has no judge of guandan"),
        (("doudizhu", "--initdata", "{"), "not JSON"),
        (("doudizhu", "--initdata", "{}x"), "not JSON"),
    ],
)
def test_judge_command_rejects_invalid_arguments(arguments: tuple[str, ...], problem: str) -> None:
    answer = run("judge", *arguments, stdin="")
    assert answer.exit_code == 2
    assert problem in answer.stderr


def test_too_long_initdata_file_is_rejected(tmp_path: Any) -> None:
    file = tmp_path / "long.json"
    with file.open("wb") as empty:
        empty.truncate(1 << 40)
    answer = run("judge", "doudizhu", "--initdata", str(file), stdin="")
    assert answer.exit_code == 2
    assert f"{file} is longer than 16 MiB" in answer.stderr.replace("\n", "")
