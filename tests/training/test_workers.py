"""Worker processes of a run: failures are noticed, and no process remains."""

import os
import signal
import sys
from pathlib import Path

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners.presets import PRESETS
from abl_cards.training.abduction import OUR_REASONER
from abl_cards.training.callbacks import Metrics
from abl_cards.training.trainer import Trainer
from abl_cards.training.workers import ForkWorker, PipeWorker, WorkerPool, fork_local, spawn
from tests.effort import long
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings


def test_empty_worker_pool_returns_no_results() -> None:
    with spawn(0) as helpers:
        helpers.call_method("run_iteration")
        assert helpers.collect_results() == []


@long
def test_killed_worker_is_reported_with_its_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    run = Trainer.from_config(settings(tmp_path, workers=2))
    with pytest.raises(RuntimeError, match=r"trainer\.start_workers"):
        run.step()

    def kill(metrics: Metrics) -> None:
        killed = run.worker_group.worker_pool.workers[0]
        assert isinstance(killed, PipeWorker)
        killed.process.kill()

    with pytest.raises(GameError, match="SIGKILL") as error:
        run.fit(callbacks=[kill])
    assert error.value.code == ErrorCode.WORKER_LOST
    assert not len(run.worker_group.worker_pool)


def start_worker(run: Trainer) -> None:
    with spawn(1) as helpers:
        helpers.start(run.settings, TINY, {}, [{}])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_failed_fork_reports_its_traceback(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = Trainer.from_config(settings(tmp_path, preset="small"))
    with pytest.raises(GameError, match="status 1") as error, spawn(1, fork_first_worker) as helpers:
        helpers.start(run.settings, TINY, {}, [{}])
    assert error.value.code == ErrorCode.WORKER_LOST
    assert "KeyError: 'rules'" in capfd.readouterr().err


def fork_first_worker(num_workers: int) -> WorkerPool:
    return fork_local(num_workers, None, OUR_REASONER)


def test_failed_worker_reports_its_traceback(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = Trainer.from_config(settings(tmp_path, preset="small"))
    with pytest.raises(GameError, match="status 1") as error:
        start_worker(run)
    assert error.value.code == ErrorCode.WORKER_LOST
    assert "KeyError: 'rules'" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_killed_fork_reports_the_signal() -> None:
    worker = ForkWorker(lambda init: pytest.fail("no settings arrive"), [])
    try:
        os.kill(worker.pid, signal.SIGKILL)
        reasons = [worker.exit_reason() for _ in range(2)]
    finally:
        worker.terminate()
    assert all(reason and "SIGKILL" in reason for reason in reasons)
