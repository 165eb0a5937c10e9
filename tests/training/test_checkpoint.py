"""Checkpoints: atomic writes, no execution of code, and errors for other files."""

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.core import archive
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.training.checkpoint import CheckpointFile, load_checkpoint, save_checkpoint, translate_restore_errors
from tests.core.test_atomic_files import files_end_after

STATE = {"weights": torch.arange(3.0), "order": np.arange(1000), "update": 3}


class MaliciousPickle:
    """An object that creates a file when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.trace),))


def write_malicious_pickle(file: Path) -> Path:
    """Replace a file by a pickle that runs code; return the path that the code would create."""
    trace = file.parent / "it ran"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(MaliciousPickle(trace)))
    return trace


def test_checkpoint_round_trips(tmp_path: Path) -> None:
    file = tmp_path / "a" / "run.state"
    assert load_checkpoint(file) is None
    save_checkpoint(file, STATE)
    state = load_checkpoint(file)
    assert state
    assert torch.equal(state["weights"], STATE["weights"])  # type: ignore[arg-type]


def test_load_does_not_execute_pickles(tmp_path: Path) -> None:
    trace = write_malicious_pickle(tmp_path / "run.state")
    with pytest.raises(GameError, match=r"run\.state") as error:
        load_checkpoint(tmp_path / "run.state")
    assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE
    assert not trace.exists()


def test_damaged_file_raises_one_line_error(tmp_path: Path) -> None:
    file, random = tmp_path / "run.state", np.random.default_rng(1)
    save_checkpoint(file, STATE)
    whole = file.read_bytes()
    flipped = bytearray(whole)
    for place in random.permutation(len(whole))[:64]:
        flipped[place] ^= 255
    for damaged in (bytes(flipped), whole[:-1], whole[:10], b"", whole + b"\0"):
        file.write_bytes(damaged)
        with pytest.raises(GameError, match=r"run\.state") as error:
            load_checkpoint(file)
        assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE
        assert "\n" not in str(error.value)


def test_invalid_state_and_fifo_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "run.state"
    file.write_bytes(archive.pack_archive([1, 2]))
    with pytest.raises(GameError) as error:
        load_checkpoint(file)
    assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE
    file.unlink()
    os.mkfifo(file)  # opening it for reading would block
    with pytest.raises(GameError) as error:
        load_checkpoint(file)
    assert error.value.code == ErrorCode.CHECKPOINT_NOT_READABLE


@pytest.mark.parametrize(
    ("take_up", "message"),
    [
        (lambda state: state["parts"], r"\(no 'parts'\)"),
        (lambda state: state["update"]["x"], "not subscriptable"),
        (lambda state: state["weights"].copy_(torch.zeros(2)), "must match"),
        (lambda state: np.zeros(2).__setitem__(..., state["order"]), "could not broadcast"),
    ],
)
def test_mismatched_state_raises_one_line_error(tmp_path: Path, take_up: Any, message: str) -> None:
    file = tmp_path / "run.state"
    message = rf"run\.state: of other settings, or another version.*{message}"
    with pytest.raises(GameError, match=message) as error, translate_restore_errors(file):
        take_up(STATE)
    assert "\n" not in str(error.value)


def test_failed_save_keeps_the_old_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "run.state"
    save_checkpoint(file, STATE)
    before = file.read_bytes()
    with files_end_after(2000), pytest.raises(OSError, match=r"File too large.*run\.state"):
        save_checkpoint(file, STATE)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == before


def test_checkpoint_of_another_process_is_not_overwritten(tmp_path: Path) -> None:
    mine, other = (CheckpointFile(tmp_path / "run.state") for _ in range(2))
    mine.save(STATE)
    mine.check_unchanged()
    other.load()
    other.save(STATE | {"update": 4})
    other.check_unchanged()
    with pytest.raises(GameError, match=r"run\.state") as error:
        mine.check_unchanged()
    assert error.value.code == ErrorCode.RUN_LOCKED
    mine.load()
    mine.check_unchanged()
