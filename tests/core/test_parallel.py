"""Work in shares."""

import subprocess
import sys
from threading import current_thread

import pytest

from abl_cards.core.parallel import map_ranges, single_threaded


def test_a_process_among_others_keeps_to_one_thread() -> None:
    shared = [(0, 500), (500, 1000)]
    assert map_ranges(1000, lambda lo, hi: (lo, hi), threads=2) == shared
    with single_threaded():
        assert map_ranges(1000, lambda lo, hi: (lo, hi), threads=2) == [(0, 1000)]
    assert map_ranges(1000, lambda lo, hi: (lo, hi), threads=2) == shared


def test_work_within_work_is_not_shared_again() -> None:
    def work(lo: int, hi: int) -> tuple[str, list[tuple[int, int]]]:
        return current_thread().name, map_ranges(hi - lo, lambda lo, hi: (lo, hi), threads=2)

    (mine, first), (other, second) = map_ranges(2000, work, threads=2)
    assert (first, second) == ([(0, 1000)], [(0, 1000)])
    assert mine == current_thread().name != other


@pytest.mark.parametrize("wrong", [0, 500])
def test_an_error_comes_when_all_have_ended(wrong: int) -> None:
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
def test_a_child_that_was_forked_has_threads_of_its_own() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], timeout=60, check=False).returncode == 0
