"""Tests in long_tests.toml exist, and no shorter test is itself a long one."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.long_tests import GROUPS, LONG_TESTS
from tests.syntax_trees import syntax_tree

TESTS = Path(__file__).parent
SHORTER = sorted({name for group in GROUPS for name in group["shorter"]})


@cache
def function_names(file: Path) -> frozenset[str]:
    """Return the names of the functions of a module."""
    return frozenset(node.name for node in ast.walk(syntax_tree(file)) if isinstance(node, ast.FunctionDef))


def has_test(name: str) -> bool:
    """Return whether the file exists and defines the function, if one is named."""
    file, _, function = name.partition("[")[0].partition("::")
    return (TESTS / file).is_file() and (not function or function in function_names(TESTS / file))


@pytest.mark.parametrize("name", sorted(LONG_TESTS))
def test_long_tests_exist(name: str) -> None:
    assert has_test(name)


@pytest.mark.parametrize("name", SHORTER)
def test_shorter_tests_exist_and_run_every_time(name: str) -> None:
    assert has_test(name)
    assert name not in LONG_TESTS
