"""The experiment on equal strength with the smallest budget, from games to generated deals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.experiments.experiment import get_experiment
from abl_cards.experiments.strength_views import METHODS, VIEWS, coin_features, compute_silhouettes, min_max_scaled
from tests.cli_runs import run
from tests.experiments.conftest import partial_results


def test_smoke_settings_produce_all_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("ABL_CARDS_DATA", str(tmp_path))  # no recorded games here
    words = ["run", "doudizhu_strength", "--smoke", "--dir", str(tmp_path / "out"), "--json"]
    first = run(*words)
    assert first.exit_code == 0, first.stderr
    report = json.loads(first.stdout)
    tables = report["tables"]
    assert report["marks"].keys() == {"rules", "kb", "greedy", "random"}  # other weights would be measured anew
    wins = tables["wins"]["rows"]
    assert [row["class"] for row in wins] == list("01234")
    assert all(0 <= row["landlord wins, kb"] <= 1 for row in wins)
    assert len(tables["silhouettes"]["rows"]) == len(VIEWS) + 1
    assert sum(row["share"] for row in tables["classes"]["rows"]) == pytest.approx(1)
    for name in ("loss.svg", "accuracy.svg", "doudizhu-strength-small.safetensors", "deals-4.jsonl"):
        assert (tmp_path / "out" / name).stat().st_size > 0
    assert run(*words).stdout == first.stdout  # all of it kept
    settings = get_experiment("doudizhu_strength").make_settings(smoke=True)
    parts = partial_results("doudizhu_strength", settings, tmp_path / "out", tmp_path)
    assert [len(part["tables"]) for part in parts] == sorted(len(part["tables"]) for part in parts)
    assert "silhouettes" in parts[1]["tables"]
    assert [row["class"] for row in parts[-1]["tables"]["wins"]["rows"]] == list("0123")


def test_silhouettes_of_feature_views() -> None:
    random = np.random.default_rng(0)
    units = random.choice([-3.0, -1.0, 1.0, 2.0], 200)
    features = np.column_stack([random.normal(30, 8, 200), random.normal(50, 9, 200), random.random(200), units,
                                random.integers(5, 30, 200)]).astype(float)  # fmt: skip
    assert set(coin_features(features)[:, 4]) == {-400.0, -100.0, 100.0, 200.0}
    assert np.ptp(min_max_scaled(features), axis=0).tolist() == [1] * 5
    silhouettes = compute_silhouettes(features, 5, coin_features)
    assert set(silhouettes) == {"clusters", *METHODS}
    assert silhouettes["K-Means"] is not None
    assert silhouettes["statistical"] is not None
    assert silhouettes["K-Means"] > silhouettes["statistical"]
