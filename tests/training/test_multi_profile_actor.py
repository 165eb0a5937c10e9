"""Runs with two profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError

pytest.importorskip("torch")

from abl_cards.learners.presets import PRESETS
from abl_cards.training.multi_profile_actor import load_engines
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY


def settings(directory: Path, **more: Any) -> TrainConfig:
    values: dict[str, Any] = {
        "game": "doudizhu", "preset": "tiny", "num_envs": 8, "rollout_size": 32, "minibatch_size": 16, "workers": 1,
        "threads": 1,
        "critic_warmup_updates": 0, "second_profile": "contest", "second_profile_share": 0.25, "choice_epsilon": 0.5,
        "total_decisions": 1,
    }  # fmt: skip
    return TrainConfig(directory, **(values | more))


def test_profiles_with_different_labels_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="second_profile=botzone") as error:
        load_engines(settings(tmp_path, second_profile="botzone"))
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    with pytest.raises(GameError) as error:
        load_engines(settings(tmp_path, num_envs=1))
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_run_with_two_profiles_trains_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    run = Trainer.from_config(settings(tmp_path))
    one, two = run.actor.actors
    assert (len(one.self_play.tables), len(two.self_play.tables)) == (6, 2)
    run.fit()
    assert run.decisions > 32
    again = Trainer.from_config(settings(tmp_path, total_decisions=run.decisions + 1))
    for before, now in zip(run.actor.actors, again.actor.actors, strict=True):
        for name, array in before.self_play.tables.arrays().items():
            np.testing.assert_array_equal(array, now.self_play.tables.arrays()[name])
    again.fit()
    assert again.decisions > run.decisions
