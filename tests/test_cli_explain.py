"""The command explain."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import abl_cards
from abl_cards.cli import app

STATE = {"level": "8", "hand": ["H4", "H4", "C4", "H8", "D9", "S9", "SA"], "to_beat": ["Pair", "3", ["S3", "D3"]]}
SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"


def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["explain", "guandan", *arguments], input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.stdout, result.stderr


def record(line: int = 0) -> dict[str, Any]:
    with gzip.open(SAMPLE, "rt") as file:
        lines = file.readlines()
    value: dict[str, Any] = json.loads(lines[line])
    return value


def test_a_state_from_stdin() -> None:
    code, out, _ = run(given=json.dumps(STATE) + "\n")
    assert code == 0
    head, chosen, runner_up, why, candidates = out.strip().split("\n\n")
    assert head.startswith("level 8, hand of 7: H4 H4 C4 S9 D9 SA H8\n")
    assert chosen.startswith("chosen: ")
    assert runner_up.startswith("runner-up: ")
    assert why.startswith("why not ")
    assert candidates.startswith("candidates of ")
    assert run("-", given=json.dumps(STATE)) == (code, out, "")


def test_json_is_stable() -> None:
    code, out, _ = run("--json", "--lang", "zh", given=json.dumps(STATE))
    found = json.loads(out)
    assert code == 0
    assert list(found) == [
        "game", "state", "language", "moves", "chosen", "runner_up", "difference", "candidates", "dropped", "made"
    ]  # fmt: skip
    assert list(found["chosen"]) == ["place", "move", "label", "cost", "reasons"]
    assert list(found["chosen"]["reasons"][0]) == ["name", "group", "weight", "words"]
    assert list(found["difference"][0]) == ["name", "group", "chosen", "other", "words"]
    shares = sum(each["other"] - each["chosen"] for each in found["difference"])
    assert shares == found["runner_up"]["cost"] - found["chosen"]["cost"]
    assert found["made"] is None
    assert found["moves"] >= len(found["candidates"])


def test_a_play_of_a_record(tmp_path: Path) -> None:
    """What was played is judged; the record as far as it goes, with the other hands null, explains the same."""
    value = record(1)
    number = next(n for n, (_, action) in enumerate(value["plays"], 1) if n > 12 and action[0] != "PASS")
    code, out, _ = run(str(SAMPLE), "--line", "2", "--move", str(number), "--json")
    full = json.loads(out)
    assert code == 0
    assert sorted(full["made"]["move"][2]) == sorted(value["plays"][number - 1][1][2])
    seat = value["plays"][number - 1][0]
    value["hands"] = [hand if other == seat else None for other, hand in enumerate(value["hands"])]
    value |= {"seat": seat, "plays": value["plays"][: number - 1]}
    file = tmp_path / "open.jsonl"
    file.write_text(json.dumps(value) + "\n", "utf-8")
    code, out, _ = run(str(file), "--json")
    assert code == 0
    assert json.loads(out) == full | {"made": None}
    text = run(str(SAMPLE), "--line", "2", "--move", str(number))[1]
    assert "the move that was made" in text


def test_variants_of_the_agent() -> None:
    groups = []
    for name in ("kb", "kb:without=structure"):
        found = json.loads(run("--json", "--agent", name, given=json.dumps(STATE))[1])
        groups.append({reason["group"] for reason in found["chosen"]["reasons"]})
    assert "structure" in groups[0]
    assert "structure" not in groups[1]


@pytest.mark.parametrize(
    ("arguments", "given", "code", "message"),
    [
        ([], "", 1, "nothing to explain"),
        (["--line", "2"], json.dumps(STATE), 1, "line 2 is empty"),
        ([], "[]", 1, "no JSON object"),
        ([], "{", 1, "not JSON"),
        (["--move", "2"], json.dumps(STATE), 1, "goes with a record"),
        (["--lang", "fr"], json.dumps(STATE), 2, "unknown language"),
        (["--agent", "greedy"], json.dumps(STATE), 2, "decides by no preferences"),
        (["--agent", "kb:without=x"], json.dumps(STATE), 2, "unknown group"),
        (["--profile", "x"], json.dumps(STATE), 1, "unknown profile"),
        (["nowhere.json"], "", 1, "nowhere.json"),
        ([str(SAMPLE)], "", 1, "say which of the"),
        ([str(SAMPLE), "--move", "999"], "", 1, "there is no play 999"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments: list[str], given: str, code: int, message: str) -> None:
    found, out, err = run(*arguments, given=given)
    assert (found, out) == (code, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_a_state_may_name_its_profile() -> None:
    code, out, _ = run("--json", given=json.dumps({**STATE, "profile": "platform"}))
    assert code == 0
    assert json.loads(out)["chosen"]["move"]
