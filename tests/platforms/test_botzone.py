"""Botzone: a bot of ours in one file plays what the agent kb plays, and programs of others are heard and checked."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import agent
from abl_cards.arena import play_match
from abl_cards.games import GameError, Moves
from abl_cards.platforms.botzone import bot_file
from abl_cards.platforms.botzone.script import BotzoneScript, _data, rank_of
from tests.cli_runs import run
from tests.games.doudizhu.decided import LETTERS, engine_of
from tests.games.random_play import match_keys

HERE = np.arange(1)
FIRST = """import json, sys
asked = json.loads(sys.stdin.readline())
print(json.dumps({"response": %s}))
"""


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_the_bot_plays_what_kb_plays(profile: str) -> None:
    """In whole games, every decision and bid of all three seats."""
    engine = engine_of(None, profile)
    rules, kb = json.loads(json.dumps(_data(engine.rules, engine.judge()))), agent("kb", engine)
    script = BotzoneScript(engine.rules)
    tables = engine.tables(match_keys(1, 31), script)
    for game in range(3):
        if game:
            tables.begin_match(HERE, match_keys(1, 31 + game))
        while tables.winner[0] < 0:
            answer = {"response": bot_file.answer(rules, json.loads(json.dumps(script.message())))}
            if tables.choosing().size:
                choice = kb.choose(tables.choices(HERE), np.zeros(1, np.uint64))
                assert script.choose(tables.choices(HERE), answer) == choice[0]
                tables.choose(HERE, choice)
                continue
            decisions = tables.decisions(HERE)
            moves: Moves = kb.play(decisions, np.zeros(1, np.uint64))
            row = script.choose(decisions, answer)
            assert decisions.moves().cards[row].tobytes() == moves.cards[0].tobytes()
            tables.play(HERE, moves)


def test_the_first_requests() -> None:
    """The landlord has 20 cards and an empty history; the next seat sees what he led."""
    engine = engine_of(None, "botzone")
    script = BotzoneScript(engine.rules)
    tables = engine.tables(match_keys(1, 8), script)
    (request,) = script.message()["requests"]
    assert len(request["own"]) == 20
    assert request["history"] == [[], []]
    assert set(request["publiccard"]) <= set(request["own"])
    assert script.message()["responses"] == []
    tables.play(HERE, tables.decisions(HERE).moves().rows(np.array([0])))
    (following,) = script.message()["requests"]
    assert [len(cards) for cards in following["history"]] == [0, 1]
    assert following["publiccard"] == request["publiccard"]
    assert LETTERS[rank_of(52)] + LETTERS[rank_of(53)] + LETTERS[rank_of(51)] == "XD2"


def test_one_file_is_all_it_needs(tmp_path: Path) -> None:
    """Written by the command, run by a Python that sees nothing else, seated in a match."""
    file = tmp_path / "bot.py"
    assert run("bot", "doudizhu", str(file), "--profile", "botzone").exit_code == 0
    asked = {
        "requests": [{"own": [0, 4, 8, 12, 16, 53], "publiccard": [0, 4, 8], "history": [[], [2]]}],
        "responses": [],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(file)], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    response = json.loads(done.stdout)["response"]
    assert set(response) <= {4, 8, 12, 16, 53}
    answer = run(
        "match", "doudizhu", "random", f"program:run={sys.executable} {file}", "--profile", "botzone", "--games", "2"
    )
    assert answer.exit_code == 0, answer.stderr
    assert "landlord" in answer.stdout


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        ("asked['requests'][0]['own'][:1] * 2", "are not cards that seat 0 holds"),
        ("[99]", "are not cards that seat 0 holds"),
        ("'3'", "are not cards that seat 0 holds"),
        ("[]", "is no legal move of seat 0"),
    ],
)
def test_what_a_program_may_not_do(tmp_path: Path, response: str, problem: str) -> None:
    engine = engine_of(None, "botzone")
    file = tmp_path / "theirs.py"
    file.write_text(FIRST % response, "utf-8")
    name = f"program:run={sys.executable} {file}"
    with pytest.raises(GameError, match=problem):
        play_match(engine, (name, "random"), (agent(name, engine), agent("random", engine)), 1)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("no-such-program", "cannot be started"),
        (f"{sys.executable} -c pass", "no JSON"),
        (f"{sys.executable} -c 1/0", "exit code 1"),
    ],
)
def test_programs_that_do_not_answer(command: str, problem: str) -> None:
    engine = engine_of(None, "botzone")
    name = f"program:run={command}"
    with pytest.raises(GameError, match=problem):
        play_match(engine, (name, "random"), (agent(name, engine), agent("random", engine)), 1)


def test_a_program_needs_a_command_and_a_protocol() -> None:
    from abl_cards.games import game

    engine: Any = engine_of(None, "botzone")
    with pytest.raises(GameError, match="program:run=COMMAND"):
        agent("program", engine)
    with pytest.raises(GameError, match="no protocol for programs"):
        agent("program:run=x", game("guandan").engine())
