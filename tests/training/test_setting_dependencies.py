"""Settings that nothing reads: refused in new runs, accepted where a run stores them, reset for twins."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.training.run_settings import write_settings
from abl_cards.training.setting_dependencies import (
    SETTING_DEPENDENCIES,
    check_setting_dependencies,
    find_unused_settings,
    reset_unused_settings,
)
from abl_cards.training.settings import TrainConfig
from abl_cards.training.trainer import Trainer
from tests.cli_runs import run


@pytest.mark.parametrize(
    ("unread", "need", "own"),
    [
        ({"lookahead_value_share": 0.5}, {"lookahead_share": 0.1}, ()),
        ({"lookahead_deals": 2, "lookahead_temperature": 1.0}, {"lookahead_share": 0.1}, ()),
        ({"second_profile_share": 0.2}, {"second_profile": "contest"}, ()),
        ({"held_out_matches": 3, "policy_pretrain_steps": 5}, {"records": Path("x.jsonl")}, ()),
        ({"pretrain_agent": "kb", "preset": "quick"}, {"pretrain_episodes": 5}, ()),
        ({"pretrain_agent": "kb", "preset": "quick"}, {"preset": "small"}, ()),
        ({"pretrain_agent": "kb", "preset": "quick"}, {}, ("abln",)),
        ({"pretrain_decisions": 5, "abln_pretrain_steps": 5}, {"pretrain_agent": "kb"}, ()),
        ({"labelled_fraction": 0.5, "abln": False}, {"abln": True}, ()),
        ({"prior_scale": 0.5, "preset": "planes-small"}, {"preset": "planes-abl"}, ()),
        ({"critic_finetune_steps": 5}, {"critic_finetune_decisions": 5}, ()),
    ],
)
def test_settings_that_nothing_reads_are_refused(
    tmp_path: Path, unread: dict[str, Any], need: dict[str, Any], own: tuple[str, ...]
) -> None:
    settings = TrainConfig(tmp_path, game="president", **unread)
    assert set(find_unused_settings(settings)) == set(unread) - {"preset", "abln"}
    with pytest.raises(GameError) as error:
        Trainer.from_config(settings)
    assert error.value.code == ErrorCode.SETTING_CONFLICT
    assert not find_unused_settings(reset_unused_settings(settings))
    check_setting_dependencies(replace(settings, **need), own)


def test_needs_name_settings() -> None:
    names = [name for dependency in SETTING_DEPENDENCIES for name in dependency.names]
    assert len(names) == len(set(names))
    assert set(names) < {item.name for item in fields(TrainConfig)}


def test_settings_that_a_run_stores_are_accepted(tmp_path: Path) -> None:
    stored = TrainConfig(tmp_path, game="president", lookahead_deals=2)
    write_settings(stored)
    check_setting_dependencies(stored)
    with pytest.raises(GameError):
        check_setting_dependencies(replace(stored, lookahead_deals=3))


def test_train_command_reports_a_setting_that_nothing_reads_as_a_usage_error(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    shown = run("train", "president", "--dir", str(directory), "--set", "lookahead_value_share=0.5")
    assert shown.exit_code == 2
    assert "lookahead_share" in shown.stderr
    assert not directory.exists()
