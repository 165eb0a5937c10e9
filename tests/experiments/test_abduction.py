"""Experiments with pictures: small budgets, reports, and deterministic pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ablkit", reason="ablkit is not installed (pip install 'abl-cards[learning]')")
pytest.importorskip("torch", reason="torch is not installed (pip install 'abl-cards[learning]')")
pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'abl-cards[plots]')")

from abl_cards.core import ErrorCode, GameError
from abl_cards.experiments import abduction_training
from abl_cards.experiments.card_pictures import SIZE, draw_cards
from abl_cards.experiments.experiment import get_experiment, run_experiment
from tests.effort import amount, long


@pytest.fixture
def pretraining(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Pretrain by fewer steps, which take most of the time."""
    monkeypatch.setattr(abduction_training, "_PRETRAINING_STEPS", amount(request.param, 300))


@pytest.mark.parametrize("pretraining", [100], indirect=True)
@pytest.mark.usefixtures("pretraining")
def test_digits_are_learned_from_sums(tmp_path: Path) -> None:
    experiment = get_experiment("digit_addition")
    settings = replace(experiment.make_settings(smoke=True), examples=150, loops=3)
    results = run_experiment("digit_addition", settings, tmp_path)
    accuracy = {row["method"]: row["accuracy"] for row in results["tables"]["methods"]["rows"]}
    assert set(accuracy) == {"program", "ablkit", "few labels", "supervised"}
    assert accuracy["program"] > 0.6  # one in ten by chance
    assert run_experiment("digit_addition", settings, tmp_path)["tables"] == results["tables"]


@pytest.mark.parametrize("pretraining", [10], indirect=True)
@pytest.mark.usefixtures("pretraining")
@pytest.mark.parametrize("feedback", ["label", pytest.param("beats", marks=long)])
def test_cards_are_learned_from_plays(tmp_path: Path, feedback: str) -> None:
    settings = replace(get_experiment("card_reading").make_settings(smoke=True), feedback=feedback)
    results = run_experiment("card_reading", settings, tmp_path)
    methods = [row["method"] for row in results["tables"]["methods"]["rows"]]
    assert methods == ["rules", *(["ablkit"] if feedback == "label" else []), "few labels", "supervised"]


@pytest.mark.parametrize(("name", "change"), [("digit_addition", "methods"), ("card_reading", "feedback")])
def test_unknown_settings_are_refused(tmp_path: Path, name: str, change: str) -> None:
    value = ("magic",) if change == "methods" else "magic"
    settings = replace(get_experiment(name).make_settings(smoke=True), **{change: value})
    with pytest.raises(GameError) as error:
        run_experiment(name, settings, tmp_path)
    assert error.value.code == ErrorCode.INVALID_SETTING


def test_pictures_of_cards_are_deterministic() -> None:
    pictures = [draw_cards(["S3", "HT", "HR"], np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert pictures[0].shape == (3, *SIZE)
    assert pictures[0].min() >= 0
    assert pictures[0].max() <= 1
    assert (pictures[0] == pictures[1]).all()
    assert (pictures[0] != pictures[2]).any()
