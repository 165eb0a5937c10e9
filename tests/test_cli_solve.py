"""``abl-cards solve``: values, lines, and what it says when it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli_runs import invoke


def test_json_has_the_documented_keys() -> None:
    result = invoke("solve", "big2", "3344566789", "45577TJQKA", "--json")
    found = json.loads(result.stdout)
    assert list(found) == ["value", "line", "nodes", "seconds"]
    assert found["value"] == -1
    assert found["line"][:2] == ["3344", ""]


def test_following_and_text() -> None:
    result = invoke("solve", "big2", "46", "55", "--to-beat", "3")
    assert result.exit_code == 0
    assert "value +2: HAND1 wins 2 cards" in result.stdout
    assert result.stdout.splitlines()[1:3] == ["  HAND1  6", "  HAND2  pass"]


DOUDIZHU = ["334567K2", "45JJ", "99A2", "--state", '{"landlord":0}']


def test_two_parties() -> None:
    result = invoke("solve", "doudizhu", *DOUDIZHU, "--json")
    found = json.loads(result.stdout)
    assert list(found) == ["value", "line", "moves", "nodes", "seconds"]
    assert found["value"] == max(each["value"] for each in found["moves"]) in (2, -2)
    assert found["line"][0] == [0, found["moves"][0]["move"]]
    text = invoke("solve", "doudizhu", *DOUDIZHU).stdout
    assert text.startswith(f"value {found['value']:+g}: seat 0 ")


def test_before_an_act_of_a_record(tmp_path: Path) -> None:
    """The second last play of an episode is solved as it was won."""
    file = tmp_path / "games.jsonl"
    invoke("match", "doudizhu", "greedy", "random", "--games", "1", "--record", str(file))
    acts = json.loads(file.read_text().splitlines()[0])["acts"]
    result = invoke("solve", "doudizhu", str(file), "--move", str(len(acts)), "--json")
    found = json.loads(result.stdout)
    assert found["line"] == [acts[-1]]
    assert found["value"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["guandan", "3", "4"], "2 hands, where 4 seats play"),
        (["guandan", "S3", "S4", "S5", "S6"], 'give "level"'),
        (["president", "S3", "S4", "S5", "S6"], "there are 4 parties, and not two"),
        (["doudizhu", "3", "4", "5"], "every end of this position is worth the same: nobody says bid/2, landlord/1"),
        (["doudizhu", "3", "4", "5", "--state", "7"], "--state '7' is no JSON object"),
        (["doudizhu", *DOUDIZHU, "--nodes", "1"], "not solved"),
        (["doudizhu", "games.jsonl", "--to-beat", "3"], "a file tells everything"),
        (["big2", "3", "4", "--move", "2"], "--line and --move go with a file"),
        (["big2", "3X", "4"], "the first hand: 'X' is no card"),
        (["big2", "3", ""], "the second hand"),
        (["big2", "33333", "4"], "not that many 3"),
        (["big2", "3", "4", "--to-beat", "35"], "35 are no play"),
        (["big2", "3345667889TJJQKKA2", "3456677899TTJQQA22", "--seconds", "0"], "not solved in 0 s"),
    ],
)
def test_problems_are_said_in_a_line(arguments: list[str], says: str) -> None:
    result = invoke("solve", *arguments)
    assert result.exit_code in (1, 2)
    assert says in result.stderr
    assert "Traceback" not in result.stderr
