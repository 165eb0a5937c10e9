"""Matches with programs of others: what they are asked and answer is a log of Botzone's, and faults cost games."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import GameError
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.results import MatchResult
from abl_cards.protocols.botzone.judge import BotzoneJudge
from tests.cli_runs import run
from tests.games.doudizhu.decided import engine_of

SINGLES = """import json, sys
asked = json.loads(sys.stdin.readline())
own, gone = next(each["own"] for each in asked["requests"] if "history" in each), sum(asked["responses"], [])
left = [card for card in sorted(own, reverse=True) if card not in gone]
leads = asked["requests"][-1]["history"] == [[], []]
print(json.dumps({"response": left[:1] if leads else []}))
"""
"""Leads single cards, the highest numbers first, and passes."""

KEPT = """import json
asked = json.loads(input())
own = asked["requests"][0]["own"]
request = asked["requests"][0]
while True:
    leads = request["history"] == [[], []]
    chosen = [own.pop()] if leads else []
    print(json.dumps({"response": chosen}), flush=True)
    request = json.loads(input())
"""
"""The same by its own memory, the last card of its list first."""

FIRST = """import json, sys
asked = json.loads(sys.stdin.readline())
print(json.dumps({"response": %s}))
"""


def program(tmp_path: Path, source: str, options: str = ",seconds=60", name: str = "bot.py") -> str:
    file = tmp_path / name
    file.write_text(source, "utf-8")
    return f"program:run={sys.executable} {file}{options}"


Logs = list[dict[str, Any]]


def played(names: tuple[str, str], games: int = 2, profile: str = "botzone") -> tuple[MatchResult, Logs]:
    """The result, and the logs; another judge says of each log what is said there."""
    engine, logs = engine_of(None, profile), list[dict[str, Any]]()
    result = play_match(engine, [make_agent(name, engine) for name in names], games, 0, names=names, log=logs.append)
    logs = json.loads(json.dumps(logs))
    for log in logs:
        assert BotzoneJudge(engine).next_output(log) == log["log"][-1]["output"]
    assert [log["match"] for log in logs] == list(range(games))
    return result, logs


def test_a_program_is_heard_in_its_own_words(tmp_path: Path) -> None:
    """It has the highest of equal cards, and the next request says that it has laid down these."""
    name = program(tmp_path, SINGLES)
    result, logs = played((name, "greedy"))
    assert result.lapses == ()
    assert "lapses" not in result.to_json()
    assert logs[0]["players"] == [name, "greedy", "greedy"]
    own = sorted(logs[0]["log"][0]["output"]["content"]["0"]["own"])
    assert logs[0]["log"][1] == {"0": {"verdict": "OK", "response": own[-1:]}}


def test_two_programs_share_the_cards(tmp_path: Path) -> None:
    """One that is started for each decision, and one that is kept running; a card has one number for both."""
    names = program(tmp_path, SINGLES), program(tmp_path, KEPT, ",seconds=60,keep-running", "kept.py")
    result, logs = played(names)
    assert result.lapses == ()
    assert {name for log in logs for name in log["players"]} == set(names)
    for log in logs:
        laid = [card for entry in log["log"][1::2] for said in entry.values() for card in said["response"]]
        assert len(laid) == len(set(laid))


def test_a_log_needs_no_program() -> None:
    result, logs = played(("greedy", "random"), 3, "botzone_bidding")
    assert (len(logs), result.games) == (3, 3)


@pytest.mark.parametrize(
    ("response", "kind", "text"),
    [
        ("asked['requests'][0]['own'][:1] * 2", "NOT_YOUR_POKER", "are not cards that seat 0 holds"),
        ("[99]", "INVALID_POKERID", "are not all cards"),
        ("'3'", "INVALID_FORMAT", "is no list of cards"),
        ("[]", "ILLEGAL_MOVE", "is no legal move of seat 0"),
        ("1/0", "RE", "exit code 1: ZeroDivisionError"),
        ("exit()", "NJ", "no JSON"),
    ],
)
def test_a_fault_costs_the_game(tmp_path: Path, response: str, kind: str, text: str) -> None:
    """The match goes on; the log ends with the judge's scores."""
    name = program(tmp_path, FIRST % response)
    result, logs = played((name, "greedy"))
    lapse = result.lapses[0]
    assert (lapse.game, lapse.seat, lapse.agent, lapse.kind) == (0, 0, name, kind)
    assert text in lapse.text
    assert result.to_json()["lapses"][0]["kind"] == kind
    assert result.wins[1] >= 1
    assert logs[0]["log"][-1]["output"]["content"] == {"0": -3, "1": 1, "2": 1}
    assert result.roles[1].points > 0


def test_an_answer_without_a_response(tmp_path: Path) -> None:
    """Cards alone are none, though they be legal: the log has no response, and the judge says so."""
    name = program(tmp_path, "import json; print(json.loads(input())['requests'][0]['own'][:1])")
    result, logs = played((name, "greedy"), 1)
    assert [(lapse.kind, "is no answer like" in lapse.text) for lapse in result.lapses] == [("INVALID_FORMAT", True)]
    assert logs[0]["log"][-1]["output"]["display"]["event"]["text"] == "null is no response"


def test_a_peasant_s_fault(tmp_path: Path) -> None:
    """His partner, the same program here, loses nothing, and the landlord has won."""
    name = program(tmp_path, FIRST % "[99]")
    result, logs = played(("greedy", name), 1)
    assert result.wins == (1, 0)
    assert logs[0]["log"][-1]["output"]["content"] == {"0": 1, "1": -3, "2": 0}


def test_a_program_that_is_too_slow(tmp_path: Path) -> None:
    name = program(tmp_path, "import time; time.sleep(100)", ",seconds=0.5")
    result, logs = played((name, "greedy"), 1)
    assert [lapse.kind for lapse in result.lapses] == ["TLE"]
    assert logs[0]["log"][-2] == {"0": {"verdict": "TLE", "response": None}}


def test_programs_that_cannot_be_started() -> None:
    """That is no fault of a program: nothing is played."""
    engine = engine_of(None, "botzone")
    name = "program:run=no-such-program"
    with pytest.raises(GameError, match="cannot be started"):
        play_match(engine, (make_agent(name, engine), make_agent("random", engine)), 1, 0, names=(name, "random"))


def test_a_program_needs_a_command_and_a_protocol() -> None:
    engine: Any = engine_of(None, "botzone")
    for name, problem in (
        ("program", "program:run=COMMAND"),
        ("program:run=x,seconds=soon", "is no time for a decision"),
        ("program:run=x,seconds=0", "is no time for a decision"),
    ):
        with pytest.raises(GameError, match=problem):
            make_agent(name, engine)
    guandan = load("guandan").engine()
    with pytest.raises(GameError, match="no protocol for programs"):
        make_agent("program:run=x", guandan)
    with pytest.raises(GameError, match="no log of it"):
        play_match(
            guandan,
            [make_agent(name, guandan) for name in ("random", "greedy")],
            1,
            0,
            names=("random", "greedy"),
            log=print,
        )


def test_the_command_tells_faults_and_writes_logs(tmp_path: Path) -> None:
    """The judge reads what was written, a round a line."""
    name, log = program(tmp_path, FIRST % "[]"), tmp_path / "log.jsonl"
    arguments = ("match", "doudizhu", name, "greedy", "--profile", "botzone", "--games", "2", "--botzone-log", str(log))
    answer = run(*arguments)
    assert answer.exit_code == 0, answer.stderr
    assert f"game 0 lost by seat 0, {name}: ILLEGAL_MOVE, [] is no legal move of seat 0" in answer.stdout
    judged = run("judge", "doudizhu", "--keep-running", stdin=log.read_bytes())
    assert judged.exit_code == 0, judged.stderr
    assert json.loads(judged.stdout.splitlines()[0])["content"] == {"0": -3, "1": 1, "2": 1}
