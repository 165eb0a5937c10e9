"""Planted bugs: each is found by its test; edits are drawn, planted and restored."""

from __future__ import annotations

import ast
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from tests.effort import long
from tests.planted_bugs.__main__ import (
    FAILURE,
    NO_FAILURE,
    NO_TEST,
    Bug,
    find_missed,
    is_failure,
    planted,
    read_bugs,
    run_test,
)
from tests.planted_bugs.draw import PACKAGES, ROOT, draw


@long
def test_each_planted_bug_is_found_by_its_test() -> None:
    assert find_missed(range(len(read_bugs()))) == []


def test_list_has_bugs_of_all_packages() -> None:
    bugs = read_bugs()
    assert len(bugs) == 40
    assert not [package for package in PACKAGES if not any(bug.file.startswith(f"{package}/") for bug in bugs)]
    assert not [bug for bug in bugs if bug.old == bug.new or not (ROOT / bug.test.split("::")[0]).is_file()]


@pytest.mark.parametrize("bug", read_bugs(), ids=lambda bug: bug.file)
def test_text_of_each_bug_occurs_once(bug: Bug) -> None:
    """Its text still occurs once, so that a list that has aged is noticed before the long tests run."""
    source = (ROOT / bug.file).read_text("utf-8")
    assert bug.plant(source) != source


def test_drawn_edits_are_deterministic_and_parse() -> None:
    edits = list(islice(draw(5, 0), 3))
    assert edits == list(islice(draw(5, 0), 3)) != list(islice(draw(6, 0), 3))
    for package, edit in zip(PACKAGES, edits, strict=False):
        assert edit.file.startswith(f"{package}/")
        source = (ROOT / edit.file).read_text()
        edited = Bug(edit.file, "", edit.old, edit.new).plant(source)
        assert ast.dump(ast.parse(edited)) != ast.dump(ast.parse(source))


def test_planted_bug_is_restored_completely(tmp_path: Path) -> None:
    def contents() -> dict[str, tuple[str, int]]:
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        return {file.name: (file.read_text(), file.stat().st_mtime_ns if file.suffix == ".py" else 0) for file in files}

    file, caches = tmp_path / "adder.py", tmp_path / "__pycache__"
    caches.mkdir()
    file.write_text("add = njit(lambda a: a + 1)\n")
    for name in ("adder.add-1.py311.nbi", "adder.add-1.py311.1.nbc", "other.add-1.py311.nbi"):
        (caches / name).write_text(name)
    before = contents()
    with suppress(InterruptedError), planted(tmp_path, Bug("adder.py", "", "a + 1", "a - 1")):
        assert "a - 1" in file.read_text()
        for name in ("adder.add-1.py311.nbi", "adder.add-1.py311.1.nbc", "adder.add-1.py311.2.nbc"):
            (caches / name).write_text("with the bug")
        raise InterruptedError
    assert contents() == before
    with pytest.raises(ValueError, match="does not occur once"):
        Bug("adder.py", "", "a", "b").plant(file.read_text())


@pytest.mark.parametrize(
    ("test", "code"),
    [("assert True", NO_FAILURE), ("assert False", FAILURE), ("pytest.skip()", NO_TEST), ("os.abort()", -6), ("(", 4)],
)
def test_crash_is_a_failure_and_a_skip_is_not(tmp_path: Path, test: str, code: int) -> None:
    (tmp_path / "test_one.py").write_text(f"import os\nimport pytest\n\n\ndef test_one():\n    {test}\n")
    has_option = "def pytest_addoption(parser):\n    parser.addoption('--long', action='store_true')\n"
    (tmp_path / "conftest.py").write_text(has_option)
    assert run_test(tmp_path, "test_one.py::test_one") == code
    assert is_failure(code) == (code in (FAILURE, -6))
