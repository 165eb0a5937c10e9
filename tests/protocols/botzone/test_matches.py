"""Matches with external programs: logs of Botzone, and faults that lose games."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.results import MatchResult
from abl_cards.protocols.botzone.judge import BotzoneJudge
from tests.cli_runs import run
from tests.effort import amount
from tests.games.doudizhu.decided import engine_of

SINGLES = """import json, sys
message = json.loads(sys.stdin.readline())
own = next(request["own"] for request in message["requests"] if "history" in request)
gone = sum(message["responses"], [])
left = [card for card in sorted(own, reverse=True) if card not in gone]
leads = message["requests"][-1]["history"] == [[], []]
print(json.dumps({"response": left[:1] if leads else []}))
"""
"""Program that leads single cards, the highest numbers first, and passes otherwise."""

KEPT = """import json
message = json.loads(input())
own = message["requests"][0]["own"]
request = message["requests"][0]
while True:
    leads = request["history"] == [[], []]
    chosen = [own.pop()] if leads else []
    print(json.dumps({"response": chosen}), flush=True)
    request = json.loads(input())
"""
"""Program that keeps running and leads the last card of its list, and passes otherwise."""

FIRST = """import json, sys
message = json.loads(sys.stdin.readline())
print(json.dumps({"response": %s}))
"""


def program(tmp_path: Path, source: str, options: str = ",seconds=60", name: str = "bot.py") -> str:
    file = tmp_path / name
    file.write_text(source, "utf-8")
    return f"program:run={sys.executable} {file}{options}"


Logs = list[dict[str, Any]]


def played(names: tuple[str, str], games: int = 2, profile: str = "botzone") -> tuple[MatchResult, Logs]:
    """Play a match; return the result and the logs, whose outputs another judge confirms."""
    engine, logs = engine_of(None, profile), list[dict[str, Any]]()
    result = play_match(engine, [make_agent(name, engine) for name in names], games, 0, names=names, log=logs.append)
    logs = json.loads(json.dumps(logs))
    for log in logs:
        assert BotzoneJudge(engine).next_output(log) == log["log"][-1]["output"]
    assert [log["match"] for log in logs] == list(range(games))
    return result, logs


def test_log_has_the_card_numbers_of_the_program(tmp_path: Path) -> None:
    """The program plays the highest of equal cards, and the log has these numbers."""
    name = program(tmp_path, SINGLES)
    result, logs = played((name, "greedy"), amount(1, 2))
    assert result.lapses == ()
    assert "lapses" not in result.to_json()
    assert logs[0]["players"] == [name, "greedy", "greedy"]
    own = sorted(logs[0]["log"][0]["output"]["content"]["0"]["own"])
    assert logs[0]["log"][1] == {"0": {"verdict": "OK", "response": own[-1:]}}


def test_two_programs_share_the_card_numbers(tmp_path: Path) -> None:
    """One program is started for each decision, one keeps running; card numbers are the same for both."""
    names = program(tmp_path, SINGLES), program(tmp_path, KEPT, ",seconds=60,keep-running", "kept.py")
    result, logs = played(names)
    assert result.lapses == ()
    assert {name for log in logs for name in log["players"]} == set(names)
    for log in logs:
        played_cards = [card for entry in log["log"][1::2] for answer in entry.values() for card in answer["response"]]
        assert len(played_cards) == len(set(played_cards))


def test_logs_are_written_without_programs() -> None:
    result, logs = played(("greedy", "random"), 3, "botzone_bidding")
    assert (len(logs), result.games) == (3, 3)


@pytest.mark.parametrize(
    ("response", "kind", "text"),
    [
        ("message['requests'][0]['own'][:1] * 2", "NOT_YOUR_POKER", "seat 0"),
        ("[99]", "INVALID_POKERID", "[99]"),
        ("'3'", "INVALID_FORMAT", '"3"'),
        ("[]", "ILLEGAL_MOVE", "[]"),
        ("1/0", "RE", "ZeroDivisionError"),
        ("exit()", "NJ", "''"),
    ],
)
def test_program_fault_loses_the_game(tmp_path: Path, response: str, kind: str, text: str) -> None:
    """The match continues, and the log ends with the scores of the judge."""
    name = program(tmp_path, FIRST % response)
    result, logs = played((name, "greedy"))
    lapse = result.lapses[0]
    assert (lapse.game, lapse.seat, lapse.agent, lapse.kind) == (0, 0, name, kind)
    assert text in lapse.text
    assert result.to_json()["lapses"][0]["kind"] == kind
    assert result.wins[1] >= 1
    assert logs[0]["log"][-1]["output"]["content"] == {"0": -3, "1": 1, "2": 1}
    assert result.roles[1].points > 0


def test_answer_without_response_is_an_invalid_format(tmp_path: Path) -> None:
    """A bare list of cards is not an answer, even if it is legal; the log has no response."""
    name = program(tmp_path, "import json; print(json.loads(input())['requests'][0]['own'][:1])")
    result, logs = played((name, "greedy"), 1)
    assert [lapse.kind for lapse in result.lapses] == ["INVALID_FORMAT"]
    assert logs[0]["log"][-2] == {"0": {"verdict": "OK", "response": None}}
    assert "null" in logs[0]["log"][-1]["output"]["display"]["event"]["text"]


def test_fault_of_a_peasant_costs_the_partner_nothing(tmp_path: Path) -> None:
    """The partner, here the same program, loses nothing, and the landlord wins."""
    name = program(tmp_path, FIRST % "[99]")
    result, logs = played(("greedy", name), 1)
    assert result.wins == (1, 0)
    assert logs[0]["log"][-1]["output"]["content"] == {"0": 1, "1": -3, "2": 0}


def test_slow_program_exceeds_the_time_limit(tmp_path: Path) -> None:
    name = program(tmp_path, "import time; time.sleep(100)", ",seconds=0.5")
    result, logs = played((name, "greedy"), 1)
    assert [lapse.kind for lapse in result.lapses] == ["TLE"]
    assert logs[0]["log"][-2] == {"0": {"verdict": "TLE", "response": None}}


def test_program_that_cannot_be_started_raises() -> None:
    """The error is not a fault of the round, and no game is played."""
    engine = engine_of(None, "botzone")
    name = "program:run=no-such-program"
    with pytest.raises(GameError, match="no-such-program") as error:
        play_match(engine, (make_agent(name, engine), make_agent("random", engine)), 1, 0, names=(name, "random"))
    assert error.value.code == ErrorCode.PROGRAM_FAILED


def test_program_agent_requires_command_and_protocol() -> None:
    engine: Any = engine_of(None, "botzone")
    for name, problem in (
        ("program", "program:run=COMMAND"),
        ("program:run=x,seconds=soon", "is no time for a decision"),
        ("program:run=x,seconds=0", "is no time for a decision"),
        ("program:run=x 'y", "run: "),
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


def test_match_command_reports_faults_and_writes_logs(tmp_path: Path) -> None:
    """The judge reads the log, one round per line."""
    name, log = program(tmp_path, FIRST % "[]"), tmp_path / "log.jsonl"
    arguments = ("match", "doudizhu", name, "greedy", "--profile", "botzone", "--games", "2", "--botzone-log", str(log))
    answer = run(*arguments)
    assert answer.exit_code == 0, answer.stderr
    assert f"game 0 lost by seat 0, {name}: ILLEGAL_MOVE, []" in answer.stdout
    judged = run("judge", "doudizhu", "--keep-running", stdin=log.read_bytes())
    assert judged.exit_code == 0, judged.stderr
    assert json.loads(judged.stdout.splitlines()[0])["content"] == {"0": -3, "1": 1, "2": 1}
