"""Progress where stderr is no terminal: lines in intervals, and none for short work."""

from __future__ import annotations

import time

import pytest

from abl_cards.cli import progress
from abl_cards.cli.progress import show_progress, show_status

LINE_SECONDS = 10.0


class Clock:
    """A clock that tests set."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    monkeypatch.setattr(progress, "LINE_SECONDS", LINE_SECONDS)
    return clock


def test_short_work_prints_nothing(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    with show_progress("games", 100) as show:
        clock.seconds = LINE_SECONDS - 1
        show(100, "done")
    assert capfd.readouterr() == ("", "")


def test_long_work_prints_a_line_in_each_interval(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    with show_progress("games", None) as show:
        for second in range(66):
            clock.seconds = second
            show(1000 * second, "kb leads", 200_000 if second > 30 else None)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 6
    assert lines[0] == "games: 10,000, kb leads, 0:10"
    assert lines[-1] == "games: 60,000 of 200,000, kb leads, 1:00, about 2:20 left"


def test_a_status_prints_what_is_being_done(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    with show_status("measuring") as show:
        show("play")
        clock.seconds = LINE_SECONDS
        show("circuits")
        show("training")
    assert capfd.readouterr() == ("", "circuits, 0:10\n")


def test_work_that_reports_nothing_prints_lines_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    with show_progress("games", 100):
        deadline = time.monotonic() + 10
        while not (text := capfd.readouterr().err) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert text.startswith("games: 0 of 100, 0:0")
