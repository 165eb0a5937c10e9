"""The list of long tests names tests that exist, and none as the shorter one that is long itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.long_tests import GROUPS, LONG_TESTS

TESTS = Path(__file__).parent
SHORTER = sorted({name for group in GROUPS for name in group["shorter"]})


def has_test(name: str) -> bool:
    """Return whether the file exists and defines the function, if one is named."""
    file, _, function = name.partition("[")[0].partition("::")
    if not (TESTS / file).is_file():
        return False
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return not function or any(isinstance(node, ast.FunctionDef) and node.name == function for node in ast.walk(tree))


@pytest.mark.parametrize("name", sorted(LONG_TESTS))
def test_long_tests_exist(name: str) -> None:
    assert has_test(name)


@pytest.mark.parametrize("name", SHORTER)
def test_shorter_tests_exist_and_run_every_time(name: str) -> None:
    assert has_test(name)
    assert name not in LONG_TESTS
