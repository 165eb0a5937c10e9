"""The cache of compiled functions."""

from __future__ import annotations

import os
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from abl_cards.core import borrow_arrays
from abl_cards.core.jit_cache import hash_dependencies
from tests.effort import amount

MODULES = {
    "constants.py": "FACTOR = 3\n",
    "inner.py": """
from constants import FACTOR
from abl_cards.core import device_function

@device_function
def times_factor(value):
    return FACTOR * value
""",
    "outer.py": """
from abl_cards.core import kernel
from inner import times_factor

@kernel
def times_factor_of_next(value):
    return times_factor(value + 1)

print(times_factor_of_next(1), *times_factor_of_next.stats.cache_hits.values())
""",
}


def run_outer(folder: Path, **changed: str) -> list[str]:
    """Return what a process prints that calls a compiled function of other modules, after some modules changed."""
    for name, text in {**MODULES, **{f"{name}.py": text for name, text in changed.items()}}.items():
        (folder / name).write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, str(folder / "outer.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.split()


def test_changes_in_other_modules_are_compiled(tmp_path: Path) -> None:
    assert run_outer(tmp_path) == ["6"]
    assert run_outer(tmp_path) == ["6", "1"]  # from the cache
    assert run_outer(tmp_path, constants="FACTOR = 5\n") == ["10"]
    assert run_outer(tmp_path, inner=MODULES["inner.py"].replace("*", "-")) == ["1"]
    assert run_outer(tmp_path) == ["6", "1"]


class Size(IntEnum):
    SMALL = 1


def make_function(body: str, **names: Any) -> FunctionType:
    """Return a function with some names in its module."""
    namespace: dict[str, Any] = {"__name__": "some_module", **names}
    exec(f"def read(value=0):\n    return {body}", namespace)
    return namespace["read"]


def scale_twice(depth: int) -> int:
    return 2 * scale_twice(depth - 1) if depth else 1


@pytest.mark.parametrize(
    ("former", "value"),
    [
        (3, 4),
        ("ab", "ba"),
        ((1, (2, 3)), (1, (2, 4))),
        (np.arange(2000), np.roll(np.arange(2000), 1)),
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.int64(3), np.int32(3)),
        (np.dtype("u1"), np.dtype("u2")),
        (Size, IntEnum("Size", {"SMALL": 2})),
        (make_function("1"), make_function("2")),
        (make_function("K", K=make_function("J", J=1)), make_function("K", K=make_function("J", J=2))),
        (scale_twice, make_function("1")),
    ],
)
def test_digests_change_with_what_a_function_reads(former: Any, value: Any) -> None:
    digests = [hash_dependencies(make_function("K", K=entry)) for entry in (former, former, value)]
    assert digests[0] == digests[1] != digests[2]


def test_digests_are_equal_in_other_processes() -> None:
    text = "K in {'a', 'b', 'c'} and borrow_arrays(Size.SMALL) and [K for _ in range(2)]"
    program = (
        "from tests.core.test_jit_cache import *; import sys; "
        "print(hash_dependencies(make_function(sys.argv[1], K=Size, Size=Size, borrow_arrays=borrow_arrays)))"
    )
    command = [sys.executable, "-c", program, text]
    own = hash_dependencies(make_function(text, K=Size, Size=Size, borrow_arrays=borrow_arrays))
    for seed in ("1", "2")[: amount(1, 2)]:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
        assert done.stdout.strip() == own
