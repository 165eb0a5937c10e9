"""Ranges of work that are shared among threads."""

import os
import subprocess
import sys
from threading import current_thread

import pytest

from abl_cards.core.parallel import limit_thread_spinning, map_ranges, single_threaded


def test_single_threaded_uses_one_thread() -> None:
    shared = [(0, 500), (500, 1000)]
    assert map_ranges(1000, lambda lo, hi: (lo, hi), threads=2) == shared
    with single_threaded():
        assert map_ranges(1000, lambda lo, hi: (lo, hi), threads=2) == [(0, 1000)]
    assert map_ranges(1000, lambda lo, hi: (lo, hi), threads=2) == shared


def test_nested_map_ranges_runs_in_one_thread() -> None:
    def work(lo: int, hi: int) -> tuple[str, list[tuple[int, int]]]:
        return current_thread().name, map_ranges(hi - lo, lambda lo, hi: (lo, hi), threads=2)

    (mine, first), (other, second) = map_ranges(2000, work, threads=2)
    assert (first, second) == ([(0, 1000)], [(0, 1000)])
    assert mine == current_thread().name != other


@pytest.mark.parametrize("wrong", [0, 500])
def test_error_is_raised_after_all_threads_ended(wrong: int) -> None:
    ended = []

    def work(lo: int, hi: int) -> None:
        ended.append(lo)
        if lo == wrong:
            raise ValueError(f"at {lo}")

    with pytest.raises(ValueError, match=f"at {wrong}"):
        map_ranges(1000, work, threads=2)
    assert sorted(ended) == [0, 500]
    with single_threaded():
        pass
    assert len(map_ranges(1000, lambda lo, hi: lo, threads=2)) == 2


FORKS = """
import os
from abl_cards.core.parallel import map_ranges
map_ranges(1000, lambda lo, hi: hi, threads=2)
child = os.fork()
if not child:
    os._exit(map_ranges(1000, lambda lo, hi: hi, threads=2) != [500, 1000])
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_forked_child_has_its_own_threads() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(
    ("given", "spins"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, None)],
)
def test_threads_spin_briefly_unless_the_environment_says_how_long(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], spins: str | None
) -> None:
    """Spinning threads made matches of networks ten times as slow on a busy machine."""
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")  # so that it is restored
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    limit_thread_spinning()
    assert os.environ.get("GOMP_SPINCOUNT") == spins
