"""The command kb diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import abl_cards
from abl_cards.cli import app
from tests.edited import edited

SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"
NEVER_PASS = """preference(never_pass, passing).
says(never_pass, en, "Never pass.").
says(never_pass, zh, "不要过牌。").
cost(never_pass, 1000) :- play(pass).
"""
GENEROUS = """preference(generous, exchange).
says(generous, en, "Return the {1}.").
says(generous, zh, "还{1}。").
moved :- lays(_).
cost(generous(R), -50*R) :- rank(R), held(R,N), not left(R,N), not moved.
"""


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["kb", "diff", "guandan", str(folder), "--states", "120", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.stdout, result.stderr


def difference(folder: Path, *arguments: str) -> dict[str, Any]:
    code, out, _ = run(folder, "--json", *arguments)
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture(scope="module")
def keen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rules with a preference more."""
    return edited(tmp_path_factory.mktemp("rules") / "keen", more=NEVER_PASS)


def test_no_difference(tmp_path: Path) -> None:
    code, out, _ = run(edited(tmp_path / "same"))
    assert code == 0
    assert "no difference" in out
    assert "120 states compared, 12 of them a card to give or a bid" in out


def test_a_preference_that_changes_decisions(keen: Path) -> None:
    found = difference(keen)
    assert list(found) == [
        "game", "directory", "seed", "states", "exchanges", "left_out", "labels", "weights", "changed", "causes",
        "preferences", "examples",
    ]  # fmt: skip
    assert found["labels"] == {"added": [], "removed": [], "gained": [], "lost": []}
    assert found["weights"] == [{"name": "never_pass", "before": [], "after": [1000]}]
    assert found["preferences"] == [
        {"name": "never_pass", "group": "passing", "share": 1000 * found["changed"], "decisions": found["changed"]}
    ]
    assert found["causes"]["preferences"] == found["changed"] > 0
    for example in found["examples"]:
        assert example["before"] == ["PASS", "PASS", "PASS"]
        assert example["after"] != example["before"]
        assert example["preferences"] == [{"name": "never_pass", "share": 1000}]
    code, out, _ = run(keen)
    assert code == 0
    assert "weight of never_pass: none → 1000" in out
    assert "before: PASS" in out
    assert "+1000 never_pass" in out


def test_a_preference_that_changes_what_is_returned(tmp_path: Path) -> None:
    """The highest card goes back instead of a low one; nothing else changes."""
    found = difference(folder := edited(tmp_path / "generous", more=GENEROUS))
    assert (found["states"], found["exchanges"]) == (120, 12)
    assert [weight["name"] for weight in found["weights"]] == ["generous"]
    assert 0 < found["changed"] <= 12
    assert found["preferences"][0]["name"] == "generous"
    for example in found["examples"]:
        assert example["state"]["stage"] == example["before"][0] == example["after"][0] == "back"
        assert example["before"][2] != example["after"][2]
    out = run(folder)[1]
    assert "before: back" in out
    assert "labels: the same are legal in every state" in out


def test_an_example_is_a_state_that_can_be_explained(keen: Path) -> None:
    (example, *_) = difference(keen, "--records", str(SAMPLE))["examples"]
    assert sum(example["state"]["cards"]) == len(example["state"]["unseen"])


def test_a_rule_that_changes_labels(tmp_path: Path) -> None:
    rules = {"labels.lp": ("wilds(F,2) :- kind(F,straight).", "wilds(F,0) :- kind(F,straight).")}
    folder = edited(tmp_path / "tame", rules)
    found = difference(folder, "--states", "600")
    assert found["labels"]["gained"] == []
    assert {lost["label"].partition("(")[0] for lost in found["labels"]["lost"]} == {"straight"}
    assert found["weights"] == []
    assert "label lost: straight(" in run(folder, "--states", "600")[1]


def test_a_constraint_that_drops_moves(tmp_path: Path) -> None:
    found = difference(edited(tmp_path / "strict", more=":- play(pass), not leading.\n"))
    assert found["causes"]["constraint"] == found["changed"] > 0
    assert found["preferences"] == []


def test_the_same_seed_says_the_same(keen: Path) -> None:
    first, again, other = (difference(keen, "--seed", seed) for seed in "445")
    assert first == again != other


@pytest.mark.parametrize("what", ["nowhere", "empty"])
def test_what_is_wrong_is_said(tmp_path: Path, what: str) -> None:
    if what == "empty":
        (tmp_path / what).mkdir()
    code, _, err = run(tmp_path / what)
    assert code == 1
    assert "error" in err
