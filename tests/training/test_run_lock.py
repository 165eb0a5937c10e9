"""The lock of a run folder: one process at a time."""

import os
import signal
from pathlib import Path

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.training.run_lock import lock_run_folder


def test_lock_is_exclusive_per_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for _ in range(2):
        with lock_run_folder(folder):
            with pytest.raises(GameError, match=str(os.getpid())) as error:
                lock_run_folder(folder).__enter__()
            assert error.value.code == ErrorCode.RUN_LOCKED
            with lock_run_folder(tmp_path / "other"):
                pass


def test_lock_of_a_killed_process_is_released(tmp_path: Path) -> None:
    read, write = os.pipe()
    process = os.fork()
    if not process:  # takes the lock, says so, and stays until it is killed
        with lock_run_folder(tmp_path):
            os.write(write, b"!")
            signal.pause()
    os.close(write)
    os.read(read, 1)
    with pytest.raises(GameError, match=str(process)) as error:
        lock_run_folder(tmp_path).__enter__()
    assert error.value.code == ErrorCode.RUN_LOCKED
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    with lock_run_folder(tmp_path):
        pass
