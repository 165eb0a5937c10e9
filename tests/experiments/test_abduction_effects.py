"""Effects of abduction: priors by counting, facts and hints, and candidates at each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abl_cards.experiments.abduction_effects import AbductionEffectsConfig, count_candidates
from abl_cards.experiments.experiment import run_experiment
from abl_cards.games.game import load


def test_report_has_estimate_errors_and_candidates(tiny_agent: str, tmp_path: Path) -> None:
    settings = AbductionEffectsConfig(agents=(tiny_agent,), decisions=100, positions=50)
    results = run_experiment("abduction_effects", settings, tmp_path)
    rows: dict[str, dict[str, Any]] = {row["estimate"]: row for row in results["tables"]["errors"]["rows"]}
    assert len(rows) == 5
    assert rows["counting"]["below counting"] == 0
    for row in rows.values():
        assert row["from"] < row["squared error"] < row["to"]
    before, after = (row for name, row in rows.items() if "projection" in name)
    assert after["squared error"] <= before["squared error"]  # truth is consistent, and projection comes nearer to it
    assert after["cards that do not add up"] < 0.01 < before["cards that do not add up"]
    assert rows["counting"]["cards that do not add up"] < 0.01
    candidates = results["tables"]["candidates"]["rows"]
    assert candidates[0]["candidates"] == "labels of the game"
    assert candidates[1]["dropped"] > 0


def test_candidates_shrink_at_each_step() -> None:
    counts = count_candidates(load("president").engine(), 60, 1)
    game, legal, card_sets, consistent, cheapest = counts.values()
    assert game > legal
    assert card_sets >= consistent >= cheapest
    assert cheapest <= legal
