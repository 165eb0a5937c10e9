"""Features that an old Python lacks are found; the exported bots have none."""

import pytest

from abl_cards.protocols.botzone.plain_python import strip_annotations
from tests.protocols.botzone.old_python import too_new


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations", "import dataclasses", "from importlib.resources import files",
        "import zoneinfo", "from functools import cached_property", "import math\nmath.prod([1])",
        "''.removeprefix('a')", "zip([], [], strict=True)", "(1).bit_count()", "found: list[int] = []",
        "a = {} | {}", "f(n := 1)", "match a:\n    case 1:\n        pass", "def f(a, /):\n    pass",
        "from typing import Protocol", "import subprocess\nsubprocess.run([], capture_output=True)",
        "from itertools import pairwise", "with (a as b, c as d):\n    pass",
        "try:\n    f()\nexcept* OSError:\n    pass",
    ],
)  # fmt: skip
def test_new_features_are_found(source: str) -> None:
    assert too_new(source)


@pytest.mark.parametrize(
    "source",
    [
        "import json, zlib, base64", "def prod(a):\n    return a\nprod(1)", "found = {}\nfound[1] = 2",
        "a = f'{1}'", "a = 1 | 2", "x: int = 1", "from typing import Any",
    ],
)  # fmt: skip
def test_old_features_are_not_reported(source: str) -> None:
    assert too_new(source) == []


def test_annotations_are_removed() -> None:
    """Imports for annotations are removed, too; texts and comments stay."""
    source = '''from __future__ import annotations
import json
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    Name = dict[str, int]


class Thing:
    kept: int = 1  # größer
    bare: int

    def go(
        self, größe: list[int] | None = None, *rest: int,
        name: str = "->", **more: dict[str, int],
    ) -> dict[str, int]:
        """Says -> so."""
        found: dict[str, int] = {}
        return found
'''
    plain = strip_annotations(source)
    assert too_new(plain) == []
    assert '"""Says -> so."""' in plain
    assert "kept = 1  # größer" in plain
    assert 'name = "->", **more' in plain
    assert "annotations" not in plain
    compile(plain, "plain", "exec")
