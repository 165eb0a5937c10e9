"""``abl-cards kb solve``: rule files that have no circuit."""

import json
from pathlib import Path

import pytest

from tests.cli_runs import run
from tests.open_rules import planner

STATE = '{"hand":["S3","H3","C9","D9","H9"],"to_beat":null,"cards":[9,3,4]}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(planner(tmp_path_factory.mktemp("solve")))


def test_inputs_of_a_plain_folder_are_solved(tmp_path: Path) -> None:
    (tmp_path / "plan.lp").write_text(
        "#external held(R) : R = 1..3. { keep(R) } :- held(R). cost(lose(R), R) :- held(R), not keep(R)."
    )
    (tmp_path / "states.jsonl").write_text('{"inputs":["held(1)"]}\n\n{"inputs":["held(7)"]}\n')
    done = run("kb", "solve", str(tmp_path), str(tmp_path / "states.jsonl"))
    first, wrong = map(json.loads, done.stdout.splitlines())
    assert first == {"satisfiable": True, "optimum": True, "complete": False, "answers": [["keep(1)"]], "costs": [0]}
    assert "line 3: error: 'held(7)' is no input" in wrong["error"]
    assert done.exit_code == 1
    (tmp_path / "states.jsonl").write_bytes(b'\xff\n{"inputs":["held(1)"]}\n{\n')
    done = run("kb", "solve", str(tmp_path), str(tmp_path / "states.jsonl"))
    damaged, answered, broken = map(json.loads, done.stdout.splitlines())
    assert damaged["error"].startswith("line 1: not UTF-8")
    assert answered == first
    assert broken["error"].startswith("line 3: not JSON")
    assert done.exit_code == 1
    every = json.loads(
        run("kb", "solve", str(tmp_path), '{"inputs":["held(1)"]}', "--no-optimize", "--models", "0").stdout
    )
    assert sorted(every["costs"]) == [0, 1]
    assert 'give "inputs"' in json.loads(run("kb", "solve", str(tmp_path), STATE).stdout)["error"]


def test_moves_of_a_game_state_are_solved(folder: str) -> None:
    answer = json.loads(run("kb", "solve", folder, STATE, "--move", "S3 H3").stdout)
    assert answer["answers"] == [["later(1)"]]
    whole = json.loads(run("kb", "solve", folder, STATE, "--moves").stdout)["moves"]
    assert [move["move"] for move in whole if not move["satisfiable"]] == [["H3"], ["S3"]]
    assert whole[0]["cost"] <= whole[1]["cost"]
    assert (
        "not legal"
        in json.loads(run("kb", "solve", folder, '{"hand":["S3"],"to_beat":["C9"]}', "--move", "S3").stdout)["error"]
    )


@pytest.mark.parametrize("name", ["later", "later/x", "later/-1", "/1", "nope/1", "later/2", "latr/1"])
def test_only_derived_predicates_are_shown(folder: str, name: str) -> None:
    done = run("kb", "solve", folder, STATE, "--show", "later/1", "--show", name)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert ("did you mean 'later/1'?" in done.stderr) == (name in ("later/2", "latr/1"))


def test_show_option_accepts_inputs(folder: str) -> None:
    done = run("kb", "solve", folder, STATE, "--move", "S3 H3", "--show", "later/1", "--show", "left/2")
    assert "later(1)" in json.loads(done.stdout)["answers"][0]


def test_check_points_to_kb_solve_for_choice_rules(folder: str) -> None:
    done = run("kb", "check", folder)
    assert done.exit_code == 1
    assert "plan.lp:3:1-26: error: choice rules have no circuit" in done.stderr
    assert "kb solve, ClingoReasoner" in done.stderr


def test_agent_with_clingo_option_plays_and_explains(folder: str) -> None:
    done = run("match", "president", f"kb:clingo={folder}", "random", "--games", "2", "--json")
    assert json.loads(done.stdout)["games"] == 2
    why = run("explain", "president", "--agent", f"kb:clingo={folder}", stdin=STATE)
    assert "kb solve" in why.stderr  # names the command that shows the answer sets
