"""The experiments on recorded games, with a tiny budget: the sample of the tour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import abl_cards
from abl_cards.games import GameError
from experiments import preference_weights, record_agreement

SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"


def test_the_rules_choose_what_was_played_more_often_than_chance() -> None:
    found = record_agreement.run(record_agreement.Settings(SAMPLE, ("kb", "random"), last=1))
    assert found["kb"]["decisions"] == found["random"]["decisions"] > 100
    assert found["kb"]["share"] > 2 * found["random"]["share"] > 0


def test_a_fit_keeps_the_signs_and_does_not_fall_behind_where_it_was_fitted() -> None:
    samples = preference_weights.collect(preference_weights.Settings(SAMPLE, share=0.5, held_out=1))
    fitted = preference_weights.fit(samples, steps=25)
    assert (np.sign(fitted) == np.sign(samples.weights)).all()
    before, after = (preference_weights.agreement(samples, weights, False) for weights in (samples.weights, fitted))
    assert after > before - 0.05
    assert "held out" in preference_weights.report(samples, fitted)


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("{}\nno record\n", "utf-8")
    with pytest.raises(GameError, match=r"damaged\.jsonl:2"):
        record_agreement.run(record_agreement.Settings(damaged))
