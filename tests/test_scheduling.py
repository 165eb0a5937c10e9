"""Workers of pytest-xdist run whole files."""

import re
import subprocess
import sys
from pathlib import Path

from tests.scheduling import APART, FORM, work_unit

FILES = ("tests/asp/test_lexer.py", "tests/asp/test_argument_types.py")


def test_files_of_a_group_exist() -> None:
    for file in (*FORM, *APART):
        assert (Path(__file__).parent / file).is_file()


def test_long_files_are_split_and_others_are_not() -> None:
    names = [f"tests/{file}::{test}" for file in (APART[0], FORM[1], "asp/test_lexer.py") for test in ("a", "b")]
    assert [work_unit(name) for name in names] == [
        *names[:2],
        FORM[0],
        FORM[0],
        "asp/test_lexer.py",
        "asp/test_lexer.py",
    ]


def test_worker_runs_all_tests_of_a_file() -> None:
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "-p", "no:cacheprovider", *FILES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    runs = re.findall(r"^\[(gw\d)\].* (tests/\S+)::", done.stdout, re.MULTILINE)
    assert {file for _, file in runs} == {*FILES}
    assert len(runs) > len(set(runs)) == len(FILES)
