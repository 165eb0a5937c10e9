"""``abl-cards solve``: values, lines, and what it says when it cannot."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from abl_cards.cli import app


def test_json_has_the_documented_keys() -> None:
    result = CliRunner().invoke(app, ["solve", "big2", "3344566789", "45577TJQKA", "--json"])
    found = json.loads(result.stdout)
    assert list(found) == ["value", "line", "nodes", "seconds"]
    assert found["value"] == -1
    assert found["line"][:2] == ["3344", ""]


def test_following_and_text() -> None:
    result = CliRunner().invoke(app, ["solve", "big2", "46", "55", "--to-beat", "3"])
    assert result.exit_code == 0
    assert "value +2: HAND1 wins 2 cards" in result.stdout
    assert result.stdout.splitlines()[1:3] == ["  HAND1  6", "  HAND2  pass"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["guandan", "3", "4"], "no race of two open hands"),
        (["big2", "3X", "4"], "the first hand: 'X' is no card"),
        (["big2", "3", ""], "the second hand"),
        (["big2", "33333", "4"], "not that many 3"),
        (["big2", "3", "4", "--to-beat", "35"], "35 are no play"),
        (["big2", "3345667889TJJQKKA2", "3456677899TTJQQA22", "--seconds", "0"], "not solved in 0 s"),
    ],
)
def test_problems_are_said_in_a_line(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code in (1, 2)
    assert says in result.stderr
    assert "Traceback" not in result.stderr
