"""The command and the inputs of a report."""

from __future__ import annotations

import doctest
import json
import shlex
from pathlib import Path

from abl_cards.experiments import provenance
from abl_cards.experiments.provenance import find_fingerprints
from tests.cli_runs import run

MARKS = ("0123456789abcdef", "123456789abcdef0", "23456789abcdef01")


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(provenance).failed == 0


def test_fingerprints_are_found_in_nested_values() -> None:
    what = {"share": 0.1, "players": [["kb", MARKS[0]], ["abl", MARKS[1]]], "sizes": {"rules": MARKS[2]}}
    assert dict(find_fingerprints(what)) == {"kb": MARKS[0], "abl": MARKS[1], "rules": MARKS[2]}
    assert dict(find_fingerprints({"depth": 4, "marks": [MARKS[0]]})) == {"rules": MARKS[0]}
    assert not dict(find_fingerprints({"games": 3, "name": "0123", "mark": None}))


def test_report_command_reproduces_the_results(tmp_path: Path) -> None:
    """Print a command that reproduces the results without a new measurement."""
    words = ["--set", "agents=greedy kb", "--set", "games=2", "--set", "game=president", "--dir", str(tmp_path)]
    first = run("run", "guandan_tournament", *words, "--json")
    assert first.exit_code == 0, first.stderr
    results = json.loads(first.stdout)
    assert set(results["marks"]) == {"greedy", "kb"}
    assert results["command"] in (tmp_path / "report.md").read_text("utf-8")
    cells = (tmp_path / "cells.jsonl").read_text("utf-8")
    again = run(*shlex.split(results["command"])[1:], "--dir", str(tmp_path), "--json")
    assert json.loads(again.stdout) == results
    assert (tmp_path / "cells.jsonl").read_text("utf-8") == cells
