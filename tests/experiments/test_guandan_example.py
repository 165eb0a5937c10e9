"""One decision of a record, shown from the estimate to the cards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli_runs import run


def test_example_decision_is_selected_and_reported(untrained: str, tmp_path: Path) -> None:
    words = ["run", "guandan_example", "--set", f"agent={untrained}", "--set", "last=2", "--dir", str(tmp_path)]
    shown = run(*words, "--json")
    assert shown.exit_code == 0, shown.stderr
    tables = {name: table["rows"] for name, table in json.loads(shown.stdout)["tables"].items()}
    assert set(tables) == {"state", "estimate", "labels", "card_sets"}
    assert len(tables["labels"]) >= 6
    assert sum(row["probability"] or 0 for row in tables["labels"]) == pytest.approx(1, abs=0.05)
    costs = [row["cost"] for row in tables["card_sets"]]
    assert costs == sorted(costs)
    for row in tables["estimate"]:
        assert len(row["what it holds, with the copies that were expected"].split(", ")) <= row["cards"]
        assert 0 <= row["share misplaced"] <= 1
    assert "chosen:" in (tmp_path / "report.md").read_text("utf-8")
    none = run(*words, "--set", "index=100000")
    assert none.exit_code == 1
    assert "such decisions; ask for one of them" in none.stderr
