"""Botzone's judge: whole rounds, step by step and at once; every error and what it costs; whatever a line may hold."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.core.errors import GameError
from abl_cards.protocols.botzone.judge import NEXT_INITDATA_KEY, BotzoneJudge
from tests.cli_runs import run
from tests.games.doudizhu.decided import engine_of
from tests.protocols.botzone.transcripts import HERE_LIE, TRANSCRIPTS, lines, read


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts(name: str) -> None:
    """They are what is played; ``python -m tests.protocols.botzone.transcripts`` writes them anew."""
    assert lines(TRANSCRIPTS[name].make()) == (HERE_LIE / name).read_text("utf-8").splitlines()


def test_no_other_transcripts() -> None:
    assert {path.name for path in HERE_LIE.glob("*.jsonl")} == set(TRANSCRIPTS)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_judge_says_what_the_transcript_says(name: str) -> None:
    """At every step: one that is kept running, and, some steps apart, one that has just been started."""
    initdata, log = read(name)
    engine = TRANSCRIPTS[name].engine()
    kept, often = BotzoneJudge(engine), max(16, len(log) // 5 // 2 * 2)
    for step in range(0, len(log), 2):
        asked = {"log": log[:step], "initdata": initdata}
        said = kept.next_output(asked)
        assert {key: _alike(key, said[key]) for key in log[step]["output"]} == log[step]["output"]
        if step % often == 0 or step == len(log) - 1:
            assert BotzoneJudge(engine).next_output(asked) == said


def _alike(key: str, value: Any) -> Any:
    """But for what the judge alone says: what the next round begins with."""
    return {each: value[each] for each in value if each != NEXT_INITDATA_KEY} if key == "display" else value


def test_bare_outputs_and_responses_do_too() -> None:
    """As a log without Botzone's frame has them."""
    initdata, log = read("doudizhu.jsonl")
    bare = [{seat: entry["response"] for seat, entry in each.items()} if place % 2 else each["output"]
            for place, each in enumerate(log)]  # fmt: skip
    assert (
        BotzoneJudge(engine_of(None, "botzone")).next_output({"log": bare, "initdata": initdata}) == log[-1]["output"]
    )


def test_a_judge_goes_back_and_to_other_rounds() -> None:
    engine = engine_of(None, "botzone")
    judge = BotzoneJudge(engine)
    (first, log), (second, other) = read("doudizhu.jsonl"), read("doudizhu_random.jsonl")
    for initdata, entries in ((first, log), (second, other[:8]), (first, log[:4]), (first, log[:6]), (second, other)):
        asked = {"log": entries, "initdata": initdata}
        assert judge.next_output(asked) == BotzoneJudge(engine).next_output(asked)


# --- initdata ---------------------------------------------------------------------------------------------------------


def test_a_round_is_drawn_and_told() -> None:
    """Whoever plays on says what was told, or has it in the first entry of the log."""
    engine = engine_of(None, "botzone")
    first = BotzoneJudge(engine).next_output({"log": []})
    assert set(first["initdata"]) == {"seed", "allocation", "publiccard"}
    card = min(first["content"]["0"]["own"])
    log = [{"output": first}, {"0": {"verdict": "OK", "response": [card]}}]
    second = BotzoneJudge(engine).next_output({"log": log})
    assert second["content"]["1"]["history"] == [[], [card]]
    assert "initdata" not in second
    assert second == BotzoneJudge(engine).next_output({"log": log, "initdata": first["initdata"]})
    with pytest.raises(GameError, match="nothing says with which cards"):
        BotzoneJudge(engine).next_output({"log": [{"output": {"command": "request"}}, {"0": [card]}]})


def test_a_seed_gives_the_cards() -> None:
    judge = BotzoneJudge(engine_of(None, "botzone"), {"seed": "spring"})
    one, two = judge.next_output({"log": []}), judge.next_output({"log": [], "initdata": {}})
    assert one == two
    other = judge.next_output({"log": [], "initdata": {"seed": 7}})
    assert other["initdata"]["publiccard"] == [47, 42, 0]  # the first three after random.seed(7), random.shuffle
    assert other != one


WHOLE = {"allocation": [list(range(17)), list(range(17, 34)), list(range(34, 51))], "publiccard": [51, 52, 53]}


@pytest.mark.parametrize(
    ("initdata", "problem"),
    [
        (["x"], "initdata: there must be an object"),
        ({"level": "2"}, "unknown key 'level'"),
        ({"seed": 1.5}, "seed: a whole number or a short text"),
        ({"seed": "x" * 101}, "seed"),
        ({"publiccard": [1, 2, 3]}, "publiccard alone says too little"),
        (WHOLE | {"allocation": [1, 2]}, "allocation: a list of 3 hands of 17 cards"),
        (WHOLE | {"allocation": [[], [], []]}, "allocation: a list of 3 hands of 17 cards"),
        (WHOLE | {"publiccard": [51, 52]}, "publiccard: a list of 3 cards"),
        (WHOLE | {"publiccard": [51, 52, 52]}, "each of the cards 0 to 53 once"),
        (WHOLE | {"publiccard": [51, 52, [53]]}, "each of the cards 0 to 53 once"),
        (WHOLE | {"publiccard": [51, 52, 53.0]}, "each of the cards 0 to 53 once"),
    ],
)
def test_wrong_initdata(initdata: Any, problem: str) -> None:
    with pytest.raises(GameError, match=problem):
        BotzoneJudge(engine_of(None, "botzone")).next_output({"log": [], "initdata": initdata})


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
def test_faults(entry: Any, kind: str, scores: list[int]) -> None:
    engine = engine_of(None, "botzone")
    said = BotzoneJudge(engine).next_output({"log": [{"output": {}}, entry], "initdata": WHOLE})
    assert said["command"] == "finish"
    assert said["content"] == {str(seat): score for seat, score in enumerate(scores)}
    assert said["display"]["event"]["error"] == kind
    with pytest.raises(GameError, match="entry 4: the round was over before"):
        BotzoneJudge(engine).next_output({"log": [{"output": {}}, entry] * 2, "initdata": WHOLE})


def test_a_play_that_does_not_beat() -> None:
    """It is one, so it is no INVALID_POKERTYPE; a peasant who errs costs his partner nothing."""
    log = [{"output": {}}, {"0": [16]}, {"output": {}}, {"1": [20]}, {"output": {}}, {"2": [0]}]
    judge = BotzoneJudge(engine_of(None, "botzone"))
    assert judge.next_output({"log": log, "initdata": WHOLE})["display"]["event"]["error"] == "NOT_YOUR_POKER"
    log = [{"output": {}}, {"0": [51]}, {"output": {}}, {"1": [20]}]
    said = judge.next_output({"log": log, "initdata": WHOLE})
    assert (said["display"]["event"]["error"], said["content"]) == ("ILLEGAL_MOVE", {"0": 1, "1": -3, "2": 0})


def test_a_wrong_bid_costs_everybody_else_nothing() -> None:
    """As long as nobody is the landlord there are no partners."""
    log = [{"output": {}}, {"0": 2}, {"output": {}}, {"1": 1}]
    said = BotzoneJudge(engine_of(None, "botzone_bidding")).next_output({"log": log, "initdata": WHOLE})
    assert (said["display"]["event"]["error"], said["content"]) == ("ILLEGAL_MOVE", {"0": 1, "1": -3, "2": 1})


def test_cards_that_are_dealt_anew() -> None:
    log: list[Any] = [{"output": {}}, {"0": 0}, {"output": {}}, {"1": 0}, {"output": {}}, {"2": 0}]
    with pytest.raises(GameError, match="profile contest deals anew"):
        BotzoneJudge(engine_of(None, "contest")).next_output({"log": log, "initdata": WHOLE})


# --- what is no log ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (None, "no object"),
        ({}, "log: there must be a list"),
        ({"log": {}}, "log: there must be a list"),
        ({"log": [1] * 10_001}, "at most 10,000 entries"),
        ({"log": [1, 2], "initdata": WHOLE}, "an entry with an odd number is what a judge says"),
        ({"log": [{}, []], "initdata": WHOLE}, "entry 2 is no response"),
        ({"log": [{}, {"3": []}], "initdata": WHOLE}, "entry 2 is no response"),
        ({"log": [{}, {"0": {"verdict": 1}}], "initdata": WHOLE}, "the verdict is no word"),
        (
            {"log": [{"output": {"command": "finish", "content": {}}}], "initdata": WHOLE},
            'entry 1: command is "finish"',
        ),
    ],
)
def test_what_is_no_log(asked: Any, problem: str) -> None:
    with pytest.raises(GameError, match=problem):
        BotzoneJudge(engine_of(None, "botzone")).next_output(asked)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 60) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("012x") | st.text(max_size=3), inner),
    max_leaves=6,
)
responses = st.fixed_dictionaries({}, optional={"0": values, "1": values, "verdict": values})


@given(st.lists(values | responses, max_size=5), st.sampled_from([WHOLE, {"seed": 3}]) | values)
def test_whatever_comes_ends_in_an_answer_or_an_error(log: Any, initdata: Any) -> None:
    judge = BotzoneJudge(engine_of(None, "botzone"))
    log = [each if place % 2 else {"output": {}} for place, each in enumerate(log)]
    try:
        said = judge.next_output({"log": log, "initdata": initdata})
    except GameError:
        return
    assert said["command"] in ("request", "finish")
    json.dumps(said)


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_answers_a_line() -> None:
    initdata, log = read("doudizhu.jsonl")
    asked = json.dumps({"log": log[:2], "initdata": initdata}) + "\nmore"
    answer = run("judge", "doudizhu", stdin=asked)
    assert (answer.exit_code, json.loads(answer.stdout)) == (0, log[2]["output"])


def test_the_command_keeps_running() -> None:
    """Line by line; what is wrong is told, and the others are answered."""
    initdata, log = read("doudizhu.jsonl")
    asked = [json.dumps({"log": log[:step], "initdata": initdata}) for step in (2, 4, len(log))]
    answer = run("judge", "doudizhu", "--keep-running", stdin="\n".join([asked[0], "{", "", asked[1], asked[2]]))
    first, wrong, second, last = map(json.loads, answer.stdout.splitlines())
    assert (first, second, last) == (log[2]["output"], log[4]["output"], log[-1]["output"])
    assert wrong["error"].startswith("line 2: not JSON")
    assert answer.stderr.startswith("line 2: not JSON")
    assert answer.exit_code == 1


def test_the_command_begins_rounds_with_what_it_is_given(tmp_path: Any) -> None:
    by_file = tmp_path / "initdata.json"
    by_file.write_text('{"seed": 7}', "utf-8")
    for given_so in ('{"seed": 7}', str(by_file)):
        answer = run("judge", "doudizhu", "--initdata", given_so, stdin='{"log":[]}')
        assert json.loads(answer.stdout)["display"]["publiccard"] == [47, 42, 0]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("guandan",), "Botzone has no judge of guandan"),
        (("doudizhu", "--initdata", "{"), "not JSON"),
        (("doudizhu", "--initdata", "{}x"), "not JSON"),
    ],
)
def test_the_command_refuses(arguments: tuple[str, ...], problem: str) -> None:
    answer = run("judge", *arguments, stdin="")
    assert answer.exit_code == 2
    assert problem in answer.stderr


def test_a_file_that_is_too_long_does_not_fill_the_memory(tmp_path: Any) -> None:
    file = tmp_path / "long.json"
    with file.open("wb") as empty:
        empty.truncate(1 << 40)
    answer = run("judge", "doudizhu", "--initdata", str(file), stdin="")
    assert answer.exit_code == 2
    assert f"{file} is longer than 16 MiB" in answer.stderr.replace("\n", "")
