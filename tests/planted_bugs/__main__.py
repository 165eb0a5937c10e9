"""``python -m tests.planted_bugs``: plant each bug of bugs.toml in a copy, and run the test that must find it."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.planted_bugs.draw import ROOT, draw

BUGS = Path(__file__).parent / "bugs.toml"
TIMEOUT_SECONDS = 600  # for a test
TOPS = ("abl_cards", "learners", "reasoners", "experiments")
NO_FAILURE, FAILURE, NO_TEST = 0, 1, 5  # exit codes of pytest
TIMED_OUT = 124  # as of timeout(1)


@dataclass(frozen=True)
class Bug:
    """One edit: in ``file``, the text ``old``, which occurs once, becomes ``new``; ``test`` finds it."""

    file: str
    test: str
    old: str
    new: str

    def plant(self, source: str) -> str:
        """Return the edited source; raise ValueError where the text does not occur once."""
        if source.count(self.old) != 1:
            raise ValueError(f"{self.file}: the text to edit does not occur once:\n{self.old}")
        return source.replace(self.old, self.new)


def main() -> int:
    """Run the bugs that are chosen, or print drawn edits; return 1 if a bug is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted_bugs", description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="numbers of bugs to plant (default: all)")
    parser.add_argument("--draw", type=int, metavar="COUNT", help="print drawn edits as TOML instead")
    parser.add_argument("--seed", type=int, default=37, help="seed of --draw (default 37)")
    options = parser.parse_args()
    if options.draw:
        _print_drawn(options.seed, options.draw)
        return 0
    missed = find_missed(options.numbers or range(len(read_bugs())))
    print(f"missed: {missed or 'none'}")
    return 1 if missed else 0


def read_bugs() -> list[Bug]:
    """Read the list of bugs."""
    return [Bug(**bug) for bug in tomllib.loads(BUGS.read_text("utf-8"))["bug"]]


def find_missed(numbers: Sequence[int]) -> list[int]:
    """Plant bugs in a copy of the checkout, and return the numbers of those that their tests miss.

    A test that fails or is skipped without the bug finds nothing.
    """
    bugs, missed = read_bugs(), list[int]()
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy = Path(folder).resolve() / "checkout"
        _copy_checkout(copy)
        useless = _find_useless(copy, list(dict.fromkeys(bugs[number].test for number in numbers)))
        for number in numbers:
            bug, begin = bugs[number], time.monotonic()
            with planted(copy, bug):
                code = run_test(copy, bug.test)
            is_found = bug.test not in useless and is_failure(code)
            outcome = "found " if is_found else "MISSED"
            print(f"{number:>3} {outcome} {time.monotonic() - begin:4.0f} s {bug.file}  {bug.test}", flush=True)
            if not is_found:
                missed.append(number)
    return missed


def _find_useless(copy: Path, tests: Sequence[str]) -> list[str]:
    """Return the tests that do not pass where no bug is planted, and print them."""
    if run_test(copy, *tests) == NO_FAILURE:
        return []
    useless = [test for test in tests if run_test(copy, test) != NO_FAILURE]
    for test in useless:
        print(f"fails or is skipped without a bug: {test}", flush=True)
    return useless


def is_failure(code: int) -> bool:
    """Return whether an exit code says that a test failed, or that a wrong access to memory ended it."""
    return code in (FAILURE, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)


@contextmanager
def planted(copy: Path, bug: Bug) -> Iterator[None]:
    """Plant a bug in a copy; afterwards restore the file and its compiled functions."""
    path = copy / bug.file
    source, status = path.read_text("utf-8"), path.stat()
    edited = bug.plant(source)
    caches = {cache: cache.read_bytes() for cache in _find_caches(path)}
    path.write_text(edited, "utf-8")
    try:
        yield
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # Python compares it
        for cache in _find_caches(path):
            cache.unlink()
        for cache, data in caches.items():
            cache.write_bytes(data)


def _find_caches(path: Path) -> list[Path]:
    """Return the files in which numba keeps the compiled functions of a source file."""
    return list((path.parent / "__pycache__").glob(f"{path.stem}.*.nb[ic]"))


def run_test(copy: Path, *tests: str) -> int:
    """Run tests in a copy until one fails, and return pytest's exit code; it is negative where a signal ended it."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "--long", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy)}
    seconds = TIMEOUT_SECONDS * len(tests)
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return TIMED_OUT
    if done.returncode == NO_FAILURE and (b" passed" not in done.stdout or b" skipped" in done.stdout):
        return NO_TEST
    return done.returncode


def _print_drawn(seed: int, count: int) -> None:
    for number, edit in enumerate(draw(seed, count)):
        print(f'[[bug]] # {number}\nfile = "{edit.file}"\ntest = ""')
        for name, text in (("old", edit.old), ("new", edit.new)):
            print(f"{name} = '''\n{text}'''")
        print()


def _copy_checkout(copy: Path) -> None:
    """Copy the files that git tracks, and the compiled kernels beside them, with their times."""
    command = ["git", "ls-files", "-z"]
    files = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60).stdout.decode().split("\0")
    caches = [path.relative_to(ROOT).as_posix() for top in TOPS for path in (ROOT / top).rglob("*.nb[ic]")]
    for name in filter(None, [*files, *caches]):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)


if __name__ == "__main__":
    sys.exit(main())
