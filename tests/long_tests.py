"""The tests of ``long_tests.toml``, which run with ``--long`` only."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

FILE = Path(__file__).with_suffix(".toml")
GROUPS = tomllib.loads(FILE.read_text("utf-8"))["long"]
LONG_TESTS = frozenset(name for group in GROUPS for name in group["tests"])


def names_of(item: pytest.Item) -> set[str]:
    """Return the names by which the list may give a test: with and without its parameters."""
    name = f"{item.path.relative_to(FILE.parent).as_posix()}::{item.nodeid.partition('::')[2]}"
    return {name, name.partition("[")[0]}
