"""A Python with the package and its dependencies but no extras, as after ``pip install abl-cards``."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tests.conftest import ROOT

_START = "import sys; sys.path[:0] = {paths!r}; sys.argv = ['abl-cards', *{words!r}]; "
_RUN = "from abl_cards.__main__ import main; main()"


def needed(extras: Iterable[str] = ()) -> set[str]:
    """Return the distributions that the package and some extras need, including indirect dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    todo = [
        *project["dependencies"],
        *(requirement for extra in extras for requirement in project["optional-dependencies"][extra]),
    ]
    names: set[str] = set()
    while todo:
        line, _, marker = todo.pop().partition(";")
        name = re.split(r"[^A-Za-z0-9._-]", line.strip())[0].lower()
        if "extra" in marker or name in names:
            continue
        try:
            todo += distribution(name).requires or ()
        except PackageNotFoundError:  # for another platform or Python
            continue
        names.add(name)
    return names


def make_environment(folder: Path, extras: Iterable[str] = ()) -> list[str]:
    """Link the needed distributions into a folder; return the paths for a Python without site-packages."""
    folder.mkdir()
    for name in needed(extras):
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top != ".." and not (folder / top).exists():
                (folder / top).symlink_to(Path(str(file.locate())).parents[len(file.parts) - 1] / top)
    return [str(ROOT), str(folder)]


def run_in(paths: list[str], *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of the package with only these paths to import from."""
    code = _START.format(paths=paths, words=list(words)) + _RUN
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=cwd, capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
