"""Files of weights and their cards."""

from pathlib import Path

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners import presets, weights_files


def test_default_preset_prefers_small_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights_files, "WEIGHTS_FOLDER", tmp_path)
    monkeypatch.setattr(presets, "WEIGHTS_FOLDER", tmp_path)
    (tmp_path / "whist-planes-abl.safetensors").touch()
    assert weights_files.find_shipped_weights("whist", None).stem == "whist-planes-abl"
    (tmp_path / "whist-small.safetensors").touch()
    assert weights_files.find_shipped_weights("whist", None).stem == "whist-small"


def test_folders_of_rules_have_no_shipped_weights(tmp_path: Path) -> None:
    """Not even where a file beside the folder is named as its weights would be."""
    (tmp_path / "mine-small.safetensors").touch()
    for game in (tmp_path / "mine", tmp_path / "[1"):
        assert presets.list_shipped_presets(str(game)) == []
        with pytest.raises(GameError) as caught:
            weights_files.find_shipped_weights(str(game), "small")
        assert caught.value.code == ErrorCode.UNKNOWN_WEIGHTS


def test_missing_weights_error_suggests_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not suggest weights of other networks of the game, such as splitters."""
    monkeypatch.setattr(weights_files, "WEIGHTS_FOLDER", tmp_path)
    monkeypatch.setattr(presets, "WEIGHTS_FOLDER", tmp_path)
    (tmp_path / "doudizhu-splitter-small.safetensors").touch()
    with pytest.raises(GameError) as caught:
        weights_files.find_shipped_weights("doudizhu", "small")
    assert str(caught.value) == (
        "agent 'abl' has no weights for doudizhu: play kb or greedy, or train some (abl-cards train doudizhu --dir "
        "runs/mine) and name their file, abl:weights=runs/mine/doudizhu-small.safetensors"
    )
