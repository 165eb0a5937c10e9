"""``abl-cards split``: splits, repairs and error messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from abl_cards.learners.presets import SPLITTER_PRESETS
from abl_cards.learners.splitter import SplitterCard, SplitterNetwork, save_splitter
from tests.cli_runs import run


@pytest.fixture
def bomb_splitter(tmp_path: Path) -> str:
    """Return a splitter that tags every card as part of a bomb."""
    torch.manual_seed(0)
    network, file = SplitterNetwork(SPLITTER_PRESETS["small"]), tmp_path / "careless.safetensors"
    with torch.no_grad():
        network.tag.weight.zero_()
        network.tag.bias.copy_(torch.tensor([0.0, 0.0, 0.0, 3.0]))
    save_splitter(file, network, SplitterCard("doudizhu", "small", 0, 2.0))
    return str(file)


def test_json_has_the_documented_keys(bomb_splitter: str) -> None:
    report = json.loads(run("split", "XD2244443", "--weights", bomb_splitter, "--json").stdout)
    assert list(report) == ["hand", "tags", "plays", "probability", "repaired", "minimum"]
    assert report["hand"] == "3444422XD"
    assert report["tags"] == "033331133"
    assert report["plays"] == ["3", "4444", "22", "XD"]
    assert report["minimum"] == report["plays"]
    assert 0 < report["probability"] < 0.01
    assert [change["rank"] for change in report["repaired"]] == ["3", "2"]
    assert report["repaired"][0] == {
        "rank": "3",
        "was": "3",
        "tags": "0",
        "why": "the 3s tagged bomb are no whole groups",
    }


def test_text_in_both_languages(bomb_splitter: str) -> None:
    shown = run("split", "3444422XD", "--weights", bomb_splitter, "--lang", "zh").stdout.splitlines()
    assert shown[0] == "手牌  3444422XD"
    assert "4 手" in shown[2]
    assert "标为炸弹的3凑不成整组" in shown[3]
    assert shown[-1] == "最少  同上"
    shown = run("split", "3444422XD", "--weights", bomb_splitter).stdout.splitlines()
    assert shown[0] == "hand   3444422XD"
    assert "4 plays" in shown[2]
    assert shown[-1] == "fewest the same"


def test_shipped_splitter_splits_a_hand() -> None:
    report = json.loads(run("split", "34445556789TA22XD", "--json").stdout)
    assert sum(len(cards) for cards in report["plays"]) == 17
    assert report["plays"][-1] == "XD"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["33333"], 2, "not that many 3"),
        (["3Y"], 2, "'Y' is no card"),
        ([""], 2, "a hand has 1 to 20"),
        (["3344556677889TJQKA22X"], 2, "a hand has 1 to 20"),
        (["3", "--lang", "fr"], 1, "unknown language 'fr'"),
        (["3", "--weights", "nowhere.safetensors"], 1, "nowhere.safetensors: there is no such file"),
    ],
)
def test_errors_are_one_line(arguments: list[str], code: int, says: str) -> None:
    answer = run("split", *arguments)
    assert answer.exit_code == code
    assert says in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
