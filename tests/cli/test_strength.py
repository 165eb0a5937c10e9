"""``deal`` and ``strength``, and matches on the deals they make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.hand_analysis.classifier import find_classifier_weights, load_classifier
from abl_cards.hand_analysis.deal_requests import predict_class_probabilities
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deals import deal_to_json
from tests.cli_runs import run
from tests.effort import amount
from tests.games.doudizhu.decided import engine_of, read_hand

HAND = "334466788999TTTQKKKX"


def list_deals(*words: str) -> list[dict[str, Any]]:
    shown = run("deal", "doudizhu", *words, "--json")
    assert shown.exit_code == 0, shown.stderr
    return [json.loads(line) for line in shown.stdout.splitlines()]


def test_deals_have_the_confidence_and_are_deterministic() -> None:
    count = amount(2, 6)
    words = ["--class", "1", "--count", str(count), "--confidence", "0.8"]
    deals = list_deals(*words, "--seed", "7")
    assert [list(deal) for deal in deals] == [["class", "confidence", "landlord", "down", "up", "bottom"]] * count
    rules = DealRules.from_engine(engine_of())
    judge, _ = load_classifier("doudizhu", rules.hand_scorer, find_classifier_weights("doudizhu"))
    for deal in deals:
        rules.deal_sampler.read_deal(deal)
        odds = predict_class_probabilities(rules, judge, [read_hand(deal[part]) for part in ("landlord", "down", "up")])
        assert odds is not None
        assert odds[1] == pytest.approx(deal["confidence"], abs=1e-3)
        assert deal["confidence"] >= 0.8 - 1e-4
    assert list_deals(*words, "--seed", "7") == deals
    assert list_deals(*words, "--seed", "8") != deals


def test_deals_are_printed_written_and_played(tmp_path: Path) -> None:
    file, words = tmp_path / "deals.jsonl", ["--class", "2", "--count", "3", "--confidence", "0.5"]
    shown = run("deal", "doudizhu", *words, "--seed", "1", "--out", str(file))
    assert shown.exit_code == 0
    assert "3 deals of class 2" in shown.stdout
    deals = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(deal["landlord"] in shown.stdout for deal in deals)
    again = list_deals(*words, "--seed", "1", "--exclude", str(file))
    assert not {deal["landlord"] for deal in again} & {deal["landlord"] for deal in deals}
    record = tmp_path / "games.jsonl"
    match = run("match", "doudizhu", "greedy", "random", "--deals", str(file), "--record", str(record), "--json")
    assert json.loads(match.stdout)["games"] == 6
    hands = [json.loads(line)["hands"] for line in record.read_text().splitlines()]
    assert [seats[1:] for seats in hands] == [
        [deal[part] for part in ("down", "up")] for deal in deals for _ in range(2)
    ]


def test_random_seed_is_drawn_and_printed() -> None:
    words = ["deal", "doudizhu", "--class", "1", "--count", "1", "--confidence", "0.5", "--json"]
    first, second = run(*words), run(*words)
    seed = first.stderr.split("seed ")[1].split()[0]
    assert first.stdout != second.stdout
    assert run(*words, "--seed", seed).stdout == first.stdout


def test_strength_command_scores_a_hand() -> None:
    report = json.loads(run("strength", HAND, "--json").stdout)
    (hand,) = report["hands"]
    assert (hand["points"], hand["plays"]) == (37, 7)
    assert sorted("".join(group["cards"] for group in hand["groups"])) == sorted(HAND)
    assert sum(report["classes"]) == pytest.approx(1, abs=1e-3)
    shown = run("strength", HAND).stdout
    assert "37 points, 7 plays" in shown
    assert "rather hard" in shown
    assert json.loads(run("strength", "34567", "--json").stdout)["classes"] is None


def test_strength_command_scores_a_deal() -> None:
    dealer = DealRules.from_engine(engine_of()).deal_sampler
    texts = deal_to_json(dealer.letters, dealer.complete_deals(read_hand(HAND), np.zeros(1, np.uint64)), 0)
    hands = [texts[part] for part in ("landlord", "down", "up")]
    report = json.loads(run("strength", *hands, "--json").stdout)
    assert [hand["hand"] for hand in report["hands"]] == hands
    assert sum(report["classes"]) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "problem", "code"),
    [
        (["strength", "33333"], "there are not that many 3", 1),
        (["strength", ""], "at least one card", 1),
        (["strength", "3", "4"], "one hand, or the three hands of a deal", 2),
        (["strength", "3", "4", "5"], "no deal: copies(3)", 1),
        (["strength", "33", "4", "5"], "the hands have 2 + 1 + 1 cards", 1),
        (["strength", "3", "4", "5", "6"], "3, 4, 5, 6", 2),
        (["strength", "3", "--game", "guandan"], "guandan has no classes of deals; doudizhu has", 2),
        (["deal", "guandan", "--class", "1"], "guandan has no classes of deals", 2),
        (["deal", "doudizhu", "--class", "7"], "less than or equal to 4", 2),
        (
            ["deal", "doudizhu", "--class", "1", "--weights", "none.safetensors"],
            "none.safetensors: there is no such file",
            1,
        ),
        (["match", "doudizhu", "kb", "kb", "--deals", "none.jsonl"], "none.jsonl", 1),
    ],
)
def test_errors_are_one_line(words: list[str], problem: str, code: int) -> None:
    shown = run(*words)
    assert shown.exit_code == code
    assert problem in shown.stderr


def test_invalid_deal_is_reported_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text('{"landlord":"3","down":"4","up":"5"}\n')
    shown = run("match", "doudizhu", "greedy", "greedy", "--deals", str(file))
    assert shown.exit_code == 1
    assert f"{file}: line 1: no deal: copies(3)" in shown.stderr.replace("\n", " ")
    assert run("match", "doudizhu", "greedy", "greedy", "--deals", str(file), "--games", "4").exit_code == 2
