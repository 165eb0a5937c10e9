"""``abl-cards kb describe``: rules in words."""

import json
from pathlib import Path

from tests.cli_runs import run


def test_rules_are_described_in_both_languages() -> None:
    english, chinese = run("kb", "describe", "president"), run("kb", "describe", "president", "--lang", "zh")
    assert english.stdout.startswith("The table\n  4 seats, in the order of play 0")
    assert "single cards from weak to strong: 3 4 5 6 7 8 9 T J Q K A 2" in english.stdout
    assert chinese.stdout.startswith("牌桌\n  4家")
    sections = json.loads(run("kb", "describe", "president", "--json").stdout)["sections"]
    assert [section["heading"] for section in sections] == [
        "The table", "Plays", "What beats what", "Scored", "What agent kb prefers",
    ]  # fmt: skip
    assert run("kb", "describe", "president", "--lang", "fr").exit_code == 2


def test_teams_decided_during_play_are_described() -> None:
    text = run("kb", "describe", "doudizhu").stdout
    assert "teams are decided in the course of play" in text
    assert "everybody plays for himself" not in text
    assert "everybody plays for himself" in run("kb", "describe", "president").stdout


def test_changing_order_and_wild_cards_are_described() -> None:
    text = run("kb", "describe", "guandan").stdout
    assert "when a match begins: 3 4 5 6 7 8 9 T J Q K A 2 small joker" in text  # the level is 2, and above the ace
    assert "wild cards when a match begins: H2\n" in text
    assert "depends on: level\n" in text
    constant = run("kb", "describe", "president").stdout
    assert "depends on" not in constant
    assert "wild" not in constant


def test_undealt_cards_are_counted() -> None:
    assert "3 set aside" in run("kb", "describe", "doudizhu").stdout
    assert "set aside" not in run("kb", "describe", "president").stdout


def test_labels_without_forms_are_not_listed_as_plays() -> None:
    sections = json.loads(run("kb", "describe", "doudizhu", "--profile", "openspiel", "--json").stdout)["sections"]
    plays = next(section["lines"] for section in sections if section["heading"] == "Plays")
    assert len(plays) > 10
    assert not [line for line in plays if line.startswith((":", " "))]


def test_plays_of_one_kind_are_summarised_per_size() -> None:
    sections = json.loads(run("kb", "describe", "president", "--json").stdout)["sections"]
    assert sections[1]["lines"] == [
        "set: one card (13 of them)", "set: 2 of a rank (13 of them)", "set: 3 of a rank (13 of them)",
        "set: 4 of a rank (13 of them)",
    ]  # fmt: skip
    assert sections[3]["lines"] == ["by place: from -2 to 2 points", "a match is one deal"]


def test_player_description_lists_beating_plays() -> None:
    text = run("kb", "describe", "president", "--for", "player").stdout
    assert "pair: 2 of a rank  ♣8 ♦8" in text
    assert "pair 8 ♣8 ♦8 is beaten by: pair from ♣9 ♦9 up" in text
    facts = json.loads(run("kb", "describe", "president", "--for", "player", "--json").stdout)
    assert facts["ladder"]["groups"]


def test_errors_in_lessons_fail_the_check(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert run("kb", "copy", "president", str(folder)).exit_code == 0
    (folder / "lessons").mkdir()
    (folder / "lessons" / "a.en.md").write_text("# A\n\n```picture\n{}\n```\n", encoding="utf-8")
    result = run("kb", "check", str(folder))
    assert result.exit_code == 1
    assert "a.en.md:3:1-1: error: unknown block 'picture'" in result.stderr
    (folder / "lessons" / "a.en.md").write_text("# A\n", encoding="utf-8")
    assert run("kb", "check", str(folder)).exit_code == 0
