"""Tests of the command ``ablate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli_runs import run


def test_ablate_writes_table_json_and_plot(tmp_path: Path) -> None:
    words = ["ablate", "president", "--parts", "kb:structure,kb:leading", "--games", "96", "--dir", str(tmp_path / "a")]
    answer = run(*words, "--plot", str(tmp_path / "parts.png"))
    assert answer.exit_code == 0, answer.stderr
    lines = answer.stdout.splitlines()[2:]
    assert [line.split()[0] for line in lines] == ["kb:structure", "kb:leading", "Intervals"]
    assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")
    result = json.loads(run(*words, "--json").stdout)
    assert [row["verdict"] for row in result["rows"]] == ["helps", "not decided"]
    assert (tmp_path / "a" / "shards.jsonl").is_file()


def test_list_option_prints_parts() -> None:
    answer = run("ablate", "president", "--list")
    assert "kb:structure" in answer.stdout
    parts = json.loads(run("ablate", "president", "--list", "--json").stdout)["parts"]
    assert {"part": "kb:control", "description": "4 preferences", "variant": "kb:without=control"} in parts


def test_list_option_prints_learned_parts() -> None:
    answer = run("ablate", "president", "--list", "--train", "1", "--set", "labelled_fraction=0", "--json")
    assert [part["part"] for part in json.loads(answer.stdout)["parts"]] == ["abln", "prior", "opponents"]


@pytest.mark.parametrize(
    "words",
    [
        ("president", "--parts", "nothing"),
        ("president", "--parts", " , "),
        ("president", "--agent", "greedy"),
        ("president", "--agent", "kb:wrong=1"),
        ("president", "--games", "2"),
        ("president", "--games", "0"),
        ("president", "--seeds", "3"),
        ("president", "--set", "gamma=0.9"),
        ("president", "--train", "1", "--agent", "kb"),
        ("president", "--train", "1", "--parts", "nothing"),
        ("president", "--train", "1", "--set", "seed=3"),
        ("president", "--train", "0"),
        ("president", "--variant", "kb"),
        ("president", "--variant", "nobody"),
        ("president", "--plot", "x.bmp"),
        ("president", "--plot", "x"),
        ("nowhere",),
    ],
)
def test_usage_errors(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run("ablate", *words)
    assert answer.exit_code == 2
    assert not answer.stdout
    assert answer.stderr.count("\n") <= 10
    assert not (tmp_path / "runs").exists()
