"""The ablation of groups of preferences, with a tiny budget."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from abl_cards.games import game
from experiments import preference_ablation
from experiments.preference_ablation import Settings, main, run
from tests.edited import edited


def budget(out: Path, **more: Any) -> Settings:
    return Settings(games=6, groups=("passing", "exchange"), out=out, **more)


def no_match(*arguments: Any, **more: Any) -> None:
    raise AssertionError("a match was played")


def test_a_group_that_matters_wins_and_the_table_says_so(tmp_path: Path) -> None:
    best, other = run(budget(tmp_path))
    assert (best["group"], other["group"]) == ("passing", "exchange")
    assert best["rate"] == 1.0 > other["rate"]
    assert best["preferences"] > 1
    rows = (tmp_path / "table.md").read_text("utf-8").splitlines()
    assert len(rows) == 4
    assert rows[2].startswith("| `passing` |")
    assert "| 6 | 100.0% |" in rows[2]


def test_what_is_known_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(budget(tmp_path))
    kept = tmp_path / "results.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(preference_ablation, "play_match", no_match)
        assert run(budget(tmp_path)) == first
        with pytest.raises(AssertionError):
            run(budget(tmp_path, seed=1))
    whole, last = kept.read_text("utf-8").splitlines()
    kept.write_text(f"{whole}\n{last[:20]}\n", "utf-8")  # killed while it was writing
    assert run(budget(tmp_path)) == first


def test_edited_rules_are_measured_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = edited(tmp_path / "kb", more='preference(none, passing). says(none, en, "Nothing."). cost(none, 1).')
    common = ["--games", "2", "--groups", "passing", "--out", str(tmp_path / "out"), "--json"]
    digests = set()
    for more in ([], ["--kb", str(rules)]):
        assert main([*common, *more]) == 0
        (result,) = json.loads(capsys.readouterr().out)
        digests.add(result["rules"])
    assert len(digests) == len((tmp_path / "out" / "results.jsonl").read_text("utf-8").splitlines()) == 2


def test_a_group_that_is_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--groups", "pasing", "--out", str(tmp_path)]) == 1
    assert "did you mean 'passing'" in capsys.readouterr().err


def test_the_documents_know_every_group_and_each_pays_its_way() -> None:
    """Both tables of the document, and the bar: the lower bounds lie above one half."""
    text = (Path(__file__).parents[2] / "docs" / "preferences.md").read_text("utf-8")
    groups = sorted(set(game("guandan").knowledge().groups.values()))
    measured = re.findall(r"^\| `(\w+)` \| \d+ \| 2,000 \| \S+% \| (\S+)% – ", text, re.MULTILINE)
    explained = re.findall(r"^\| `(\w+)` \| [a-z]", text, re.MULTILINE)
    assert sorted(group for group, _ in measured) == sorted(explained) == groups
    assert all(float(low) > 50 for _, low in measured)
