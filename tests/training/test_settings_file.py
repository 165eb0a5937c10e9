"""Damaged files of a run are reported by name and not overwritten."""

from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.settings import check_settings
from abl_cards.training.metrics import read_metrics
from abl_cards.training.settings import SETTINGS_FILE, TrainConfig, read_config

DAMAGED = {
    "deep": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "a list": b"[]",
    "a number": b"1",
    "cut": b'{"game": "hea',
    "no text": b"\xff\xfe",
    "no number": b'{"tables": NaN}',
    "digits": b'{"tables": ' + b"1" * 5000 + b"}",
    "another type": b'{"tables": {"a": 1}}',
    "unknown": b'{"nothing of this name": 1}',
    "negative": b'{"tables": -1}',
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_damaged_settings_are_reported_and_kept(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / SETTINGS_FILE).write_bytes(damage)
    with pytest.raises(GameError, match=SETTINGS_FILE) as error:
        read_config(tmp_path)
    assert error.value.code == ErrorCode.INVALID_JSON
    assert (tmp_path / SETTINGS_FILE).read_bytes() == damage


@pytest.mark.parametrize("damage", [b"[" * 100_000, b'{"update": 1', b"\xff", b"[1]", b'{"a": [1]}'])
def test_damaged_metrics_are_reported_with_line_number(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "metrics.jsonl").write_bytes(b'{"update": 1}\n' + damage + b"\n")
    with pytest.raises(GameError, match="line 2") as error:
        read_metrics(tmp_path)
    assert error.value.code == ErrorCode.INVALID_JSON


def test_settings_accept_paths_as_strings(tmp_path: Path) -> None:
    given: dict[str, Any] = {"directory": str(tmp_path), "init_from": "some.safetensors"}
    config = TrainConfig(**given)
    assert (config.directory, config.init_from, config.preset) == (tmp_path, Path("some.safetensors"), "small")
    assert read_config(str(tmp_path)) is None


@pytest.mark.parametrize("name", ["directory", "init_from", "records", "kb", "clingo"])
def test_an_empty_text_is_no_path(name: str) -> None:
    given: dict[str, Any] = {name: ""}
    with pytest.raises(GameError) as error:
        TrainConfig(**given)
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("name", ["profile", "second_profile", "pretrain_agent"])
def test_an_empty_text_is_no_name(name: str) -> None:
    with pytest.raises(GameError, match=f"{name}=") as error:
        check_settings(TrainConfig(**{name: ""}))  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.INVALID_SETTING
