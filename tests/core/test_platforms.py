"""Systems other than Linux: a missing function is an error of one line, and all else works."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs  # noqa: F401 - its functions are chosen when it is imported, before the platform is patched
import pytest

from abl_cards.core import ErrorCode, GameError, parallel
from abl_cards.core.platforms import require_posix
from abl_cards.protocols.botzone.supervisor import BotSupervisor
from tests.cli_runs import run


def test_require_posix_accepts_linux_and_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    for platform in ("linux", "darwin"):
        monkeypatch.setattr(sys, "platform", platform)
        require_posix("this")


def test_bots_raise_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(GameError) as error:
        BotSupervisor()
    assert error.value.code == ErrorCode.UNSUPPORTED_PLATFORM
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("match", "doudizhu", f"program:run={sys.executable}", "random", "--games", "1"),
        pytest.param(("kb", "test", "president", "--only", "mutations", "--edits", "1"), marks=pytest.mark.long),
    ],
)
def test_commands_end_with_one_line_on_windows(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("ABL_CARDS_CACHE", str(tmp_path))
    done = run(*words)
    assert done.exit_code in (1, 2)
    assert "Linux or macOS" in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_number_of_threads_without_sched_getaffinity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count processors on macOS and Windows, where Python gives no list of usable ones."""
    monkeypatch.delenv("ABL_CARDS_THREADS", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert parallel._num_threads() == os.cpu_count()
    for threads in (3, 1):
        monkeypatch.setenv("ABL_CARDS_THREADS", str(threads))
        assert parallel._num_threads() == threads
