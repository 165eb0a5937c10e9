"""The fit of the weights of preferences with a tiny budget, on the sample of the package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.experiments import preference_weights
from abl_cards.experiments.workspace import ExperimentWorkspace
from tests.effort import amount
from tests.experiments.conftest import SAMPLE


def test_fit_keeps_signs_and_training_agreement() -> None:
    samples = preference_weights.collect_samples(
        preference_weights.PreferenceWeightsConfig(SAMPLE, share=amount(2, 5) / 10, held_out=1)
    )
    fitted = preference_weights.fit_weights(samples, steps=amount(15, 25))
    assert (np.sign(fitted) == np.sign(samples.weights)).all()
    before, after = (preference_weights.agreement(samples, weights, False) for weights in (samples.weights, fitted))
    assert after is not None
    assert before is not None
    assert after > before - 0.05


def test_report_has_original_and_fitted_weights(tmp_path: Path) -> None:
    settings = preference_weights.PreferenceWeightsConfig(SAMPLE, share=0.2, held_out=1, steps=2)
    agreed, weights = preference_weights.run(settings, ExperimentWorkspace(tmp_path)).tables
    assert [row[0] for row in agreed.rows] == ["rule file", "fit, rounded"]
    assert len(weights.rows) > 10


def test_damaged_records_are_reported_with_file_and_line(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("{}\nno record\n", "utf-8")
    with pytest.raises(GameError, match=r"damaged\.jsonl:2"):
        preference_weights.run(preference_weights.PreferenceWeightsConfig(damaged), ExperimentWorkspace(tmp_path))


def test_too_few_records_are_rejected(tmp_path: Path) -> None:
    config = preference_weights.PreferenceWeightsConfig(SAMPLE, share=0.2, held_out=40)
    for settings in (config, replace(config, held_out=1, share=0.0)):
        with pytest.raises(GameError, match=SAMPLE.name) as error:
            preference_weights.run(settings, ExperimentWorkspace(tmp_path))
        assert error.value.code == ErrorCode.NO_RECORDS
