"""``python -m tests.planted_bugs``: plant each bug of bugs.toml in a copy, and run the test that must find it."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from tests.planted_bugs.draw import ROOT, draw

BUGS = Path(__file__).parent / "bugs.toml"
TIMEOUT_SECONDS = 900
TOPS = ("abl_cards", "learners", "reasoners", "experiments", "tests")


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
    bugs = tomllib.loads(BUGS.read_text())["bug"]
    missed = [number for number in options.numbers or range(len(bugs)) if not _is_found(number, bugs[number])]
    print(f"missed: {missed or 'none'}")
    return 1 if missed else 0


def _print_drawn(seed: int, count: int) -> None:
    for number, edit in enumerate(draw(seed, count)):
        print(f'[[bug]] # {number}\nfile = "{edit.file}"\ntest = ""')
        for name, text in (("old", edit.old), ("new", edit.new)):
            print(f"{name} = '''\n{text}'''")
        print()


def _is_found(number: int, bug: dict[str, Any]) -> bool:
    """Return whether the bug's test fails in a copy of the checkout where the bug is planted."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy = Path(folder) / "checkout"
        path = copy / bug["file"]
        source = (ROOT / bug["file"]).read_text()
        assert source.count(bug["old"]) == 1, f"bug {number}: its text does not occur once in {bug['file']}"
        is_kernel = "numba" in source  # numba does not notice an edit in a helper that another file compiles
        _copy_checkout(copy, with_caches=not is_kernel)
        path.write_text(source.replace(bug["old"], bug["new"]))
        failed = _run_test(copy, bug["test"]) == 1
    print(f"{number:>3} {'found ' if failed else 'MISSED'} {bug['file']}  {bug['test']}", flush=True)
    return failed


def _copy_checkout(copy: Path, with_caches: bool) -> None:
    """Copy the files that git tracks and, with caches, the compiled kernels beside them."""
    command = ["git", "ls-files", "-z"]
    files = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60).stdout.decode().split("\0")
    caches = [path.relative_to(ROOT).as_posix() for top in TOPS for path in (ROOT / top).rglob("*.nb[ic]")]
    for name in [*filter(None, files), *(caches if with_caches else ())]:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)


def _run_test(copy: Path, test: str) -> int:
    """Return pytest's exit code, which is 1 where a test failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *test.split()]
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=TIMEOUT_SECONDS)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
