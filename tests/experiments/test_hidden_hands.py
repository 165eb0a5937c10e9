"""The experiments on hidden hands, with a tiny budget: the sample of the tour."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import abl_cards
from experiments import hidden_hands, hint_weights

SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"


def test_every_step_of_the_rule_file_comes_nearer_to_recorded_hands() -> None:
    found = hidden_hands.run(hidden_hands.Settings(SAMPLE, last=2))
    error = {name: errors["all"] for name, errors in found.items()}
    assert error["counting"] > error["counting, projected"] > error["facts"] > error["facts, hints"] > 0
    assert "below counting" in hidden_hands.table(found)


def test_hands_of_an_agent_against_itself_are_measured_alike_each_time() -> None:
    settings = hidden_hands.Settings(player="random", decisions=300)
    found = hidden_hands.run(settings)
    assert found == hidden_hands.run(settings)
    assert found["counting"]["all"] > found["facts"]["all"] > 0


def test_a_fit_makes_the_true_hands_likelier_and_finds_what_the_file_says() -> None:
    samples = hint_weights.collect(hint_weights.Settings(SAMPLE, share=0.15, held_out=1))
    points, before, after = hint_weights.fit(samples, steps=15)
    assert after > before
    strong = np.array([abs(weight) >= 20 for _, weight in samples.rules])
    assert strong.sum() > 4
    assert (points[strong] < 0).mean() > 0.8
    assert "rest_of_single" in hint_weights.report(samples, points, before, after)
