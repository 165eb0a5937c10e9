"""The tour of ``make run``, without the measuring."""

import pytest

from abl_cards.bench.figures import Figure
from abl_cards.demo import DATA, middle_of_a_game
from abl_cards.games import game
from abl_cards.records import read_records
from tests.cli_runs import run


def test_the_tour_shows_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.bench.measure", lambda *arguments: [Figure("steps", 12_345.6, "a/s")])
    shown = run("demo")
    assert shown.exit_code == 0
    commands = [line.split()[2] for line in shown.stdout.splitlines() if line.startswith("$ abl-cards ")]
    assert commands == ["kb", "replay", "match", "bench"]
    for words in ("no errors", " 0 disagreements", "95 % interval", "legal labels", "12,346 a/s"):
        assert words in shown.stdout


def test_a_failing_step_ends_the_tour(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make run` must not look well when the replay found a disagreement."""
    sample = DATA / "guandan_contest_sample.jsonl.gz"
    spoilt = [{**record, "level": "3"} for record in read_records(sample, 2) if isinstance(record, dict)]
    monkeypatch.setattr("abl_cards.records.read_records", lambda *arguments: spoilt)
    shown = run("demo")
    assert shown.exit_code == 1
    assert "95 % interval" not in shown.stdout


def test_the_drawn_table_follows_a_play() -> None:
    text = middle_of_a_game(game("guandan").engine())
    assert "to beat: " in text
    assert text == middle_of_a_game(game("guandan").engine())


def test_the_tour_of_an_unknown_game() -> None:
    assert run("demo", "--game", "mahjong").exit_code != 0
