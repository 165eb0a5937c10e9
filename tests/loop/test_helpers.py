"""The other processes of a run: that none is missed, and none stays."""

from pathlib import Path

import pytest

from abl_cards.errors import GameError
from abl_cards.loop.helpers import Piped, hired
from abl_cards.loop.training import Report, Run
from learners.presets import PRESETS
from tests.effort import long
from tests.learners.tiny import TINY
from tests.loop.test_training import settings


def test_nobody_is_asked_where_nobody_is() -> None:
    with hired(0) as helpers:
        helpers.ask("turn")
        assert helpers.answers() == []


@long
def test_a_run_says_which_worker_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    run = Run(settings(tmp_path, workers=2))
    with pytest.raises(RuntimeError, match=r"run\.together"):
        run.advance()

    def kill(report: Report) -> None:
        killed = run._helpers.each[0]
        assert isinstance(killed, Piped)
        killed.process.kill()

    with pytest.raises(GameError, match="worker 1 ended by SIGKILL; the same command goes on"):
        run.go(kill)
    assert not len(run._helpers)


def begin(run: Run) -> None:
    with hired(1) as helpers:
        helpers.begin(run.settings, TINY, {}, [{}])


def test_a_worker_that_fails_says_why(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = Run(settings(tmp_path, preset="small"))
    with pytest.raises(GameError, match="worker 1 ended with status 1"):
        begin(run)
    assert "KeyError: 'networks'" in capfd.readouterr().err
