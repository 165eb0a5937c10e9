"""A game that is being edited, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.errors import GameError
from abl_cards.games import game
from abl_cards.lab.comparing import compare, telling
from abl_cards.lab.packing import packed, save
from abl_cards.lab.worded import rules_in_words
from abl_cards.lab.workbench import Workbench

FOUR = {"hand": ["S5", "H5", "D5", "C5"], "to_beat": None}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """President without sets of four."""
    made = Workbench.begin(game("president"), tmp_path_factory.mktemp("lab") / "edited")
    made.write("labels.lp", made.read("labels.lp").replace("1..4", "1..3"))
    return made


def test_the_folder_is_what_kb_copy_makes(bench: Workbench, tmp_path: Path) -> None:
    assert "replaces(labels)." in bench.read("variant.lp")
    assert [file.name for file in bench.files if file.own] == ["variant.lp", "labels.lp"]
    made = save(bench, tmp_path, "no-fours")
    assert "set(9,4)" not in game(str(made)).engine().labels
    with pytest.raises(GameError, match="nothing is overwritten"):
        save(bench, tmp_path, "no-fours")
    assert packed(bench, "x") == packed(bench, "x")


def test_positions_are_compared(bench: Workbench) -> None:
    (pinned,) = compare(bench.before, bench.after, [FOUR])
    assert pinned.to_json()["gone"] == [["C5", "D5", "H5", "S5"]]
    least = telling(bench.before, bench.after)
    assert least is not None
    assert len(least["hand"]) == 4


def test_the_engine_is_made_once_for_the_same_files(bench: Workbench) -> None:
    first = bench.after
    assert bench.after is first
    bench.write("more.lp", "% nothing\nx(R) :- held(R,1).\n")
    assert bench.after is not first
    bench.revert("more.lp")
    assert [file.name for file in bench.files if file.own] == ["variant.lp", "labels.lp"]


@pytest.mark.parametrize("name", ["president", "guandan"])
def test_rules_in_words(name: str) -> None:
    engine = game(name).engine()
    english, chinese = (rules_in_words(engine, language) for language in ("en", "zh"))
    assert len(english) == len(chinese)
    assert [len(section.lines) for section in english] == [len(section.lines) for section in chinese]
    assert "{" not in str(english)
    order = next(line for section in english for line in section.lines if line.startswith("Single cards"))
    assert "3 4 5 6" in order
