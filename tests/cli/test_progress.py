"""Progress where stderr is no terminal: lines in intervals, and none for short work."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from numba import njit
from numba.extending import overload

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


def test_long_work_prints_one_line_per_interval(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
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


def test_status_prints_the_current_step(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    with show_status("measuring") as show:
        show("play")
        clock.seconds = LINE_SECONDS
        show("circuits")
        show("training")
    assert capfd.readouterr() == ("", "circuits, 0:10\n")


def test_lines_are_printed_without_progress_reports(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    with show_progress("games", 100):
        deadline = time.monotonic() + 10
        while not (text := capfd.readouterr().err) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert text.startswith("games: 0 of 100, 0:0")


def _called(number: int) -> int:
    return number + 1


@overload(_called)
def _compile_called(number: int) -> Callable[[int], int]:
    time.sleep(0.2)  # while it is compiled

    def called(number: int) -> int:
        return number + 1

    return called


def test_lines_show_kernel_compilation(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    changes: list[bool] = []
    with show_progress("games", 100) as show, progress.watch_compilations(changes.append):
        assert njit(lambda number: _called(number))(2) == 3
        during = capfd.readouterr().err
        time.sleep(0.1)
        show(1, "kb leads")
        time.sleep(0.1)
    after = capfd.readouterr().err
    assert f"games: 0 of 100, {progress.COMPILING}, 0:0" in during
    assert "games: 1 of 100, kb leads, 0:0" in after.splitlines()[-1]
    assert progress.COMPILING not in "".join(after.splitlines()[1:])
    assert changes == [True, False]  # what a kernel calls is compiled with it


def test_no_remaining_time_before_parallel_games_end(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    with show_progress("games", 400, side_by_side=4096) as show:
        for second in range(231):  # the games end between 200 and 240 seconds after they began
            clock.seconds = second
            show(max(0, 10 * (second - 200)), "")
    lines = capfd.readouterr().err.splitlines()
    assert [line for line in lines if "left" in line] == [
        "games: 100 of 400, 3:30, about 0:30 left",
        "games: 200 of 400, 3:40, about 0:20 left",
        "games: 300 of 400, 3:50, about 0:10 left",
    ]


def test_remaining_time_of_several_rounds_counts_from_the_start(
    clock: Clock, capfd: pytest.CaptureFixture[str]
) -> None:
    with show_progress("games", 300, side_by_side=100) as show:
        for second, done in ((10, 60), (20, 100), (30, 130), (40, 200)):
            clock.seconds = second
            show(done, "")
    assert capfd.readouterr().err.splitlines() == [
        "games: 60 of 300, 0:10",
        "games: 100 of 300, 0:20, about 0:40 left",
        "games: 130 of 300, 0:30, about 0:39 left",
        "games: 200 of 300, 0:40, about 0:20 left",
    ]


def test_no_remaining_time_when_games_end_together(clock: Clock, capfd: pytest.CaptureFixture[str]) -> None:
    with show_progress("games", 8, side_by_side=8) as show:
        clock.seconds = LINE_SECONDS
        show(6, "")
    assert capfd.readouterr().err == "games: 6 of 8, 0:10\n"


def test_remaining_time_of_resumed_work_counts_what_was_done_since(
    clock: Clock, capfd: pytest.CaptureFixture[str]
) -> None:
    with show_progress("training", 500, done=300) as show:
        clock.seconds = LINE_SECONDS
        show(340, "")
        clock.seconds = 2 * LINE_SECONDS
        show(400, "")
    assert capfd.readouterr().err.splitlines() == [
        "training: 340 of 500, 0:10, about 0:40 left",
        "training: 400 of 500, 0:20, about 0:20 left",
    ]


@pytest.mark.parametrize("total", [400, 401])
def test_remaining_time_counts_from_the_beginning_of_each_part(
    clock: Clock, capfd: pytest.CaptureFixture[str], total: int
) -> None:
    with show_progress("kb", None) as show:
        for seconds, done, remark in ((0, 0, "a"), (100, 400, "a"), (100, 100, "b"), (110, 200, "b"), (120, 300, "b")):
            clock.seconds = seconds
            show(done, remark, 400 if remark == "a" else total)
    assert capfd.readouterr().err.splitlines()[1:] == [
        f"kb: 200 of {total}, b, 1:50, about 0:20 left",
        f"kb: 300 of {total}, b, 2:00, about 0:10 left",
    ]
