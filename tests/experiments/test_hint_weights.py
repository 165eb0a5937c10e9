"""The fit of the hints with a tiny budget, on the sample records of the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import abl_cards
from abl_cards.experiments import hint_weights

SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"


def test_fit_increases_likelihood_and_keeps_signs_of_strong_rules() -> None:
    samples = hint_weights.collect_samples(hint_weights.HintWeightsConfig(SAMPLE, share=0.15, held_out=1))
    points, before, after = hint_weights.fit_weights(samples, steps=15)
    assert after > before
    strong = np.array([abs(weight) >= 20 for _, weight in samples.rules])
    assert strong.sum() > 4
    assert (points[strong] < 0).mean() > 0.8
    assert any("rest_of_single" in str(name) for name, _ in samples.rules)
