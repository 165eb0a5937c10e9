"""The order of the tests, and what a worker of pytest-xdist runs at a time: a file, or a test of a long file.

A file stays with a worker, since its module fixtures, a compiled knowledge base, say, are built once then.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

COMPILES_MOST = "ablation/test_parts.py"
"""First, in one worker, since the other would wait for the same kernels."""
FORM = ("test_project.py", "test_glossary.py", "test_compiled_functions.py", "test_packaging.py")
"""In one worker, since they share what is made once: the syntax trees and the wheel."""
QUICK = (COMPILES_MOST, *FORM, "asp/", "circuit/", "protocols/test_cards.py", "brute_force/", "kb/", "core/", "docs/")
"""Next, in the other worker: these need few kernels."""
SLOW = (
    "games/test_edits.py",
    "fuzz/",
    "server/",
    "experiments/",
    "training/test_joint_loop.py",
    "cli/test_kb.py",
    "test_docs.py",
)
APART = (SLOW[0], *SLOW[-3:])
"""Last, and each test for itself: what is left to do in the end is small, so that no worker waits for long."""


def run_order(place: str) -> int:
    """Return when the tests of a file run; place: its path in the folder of tests."""
    for number, beginning in enumerate(QUICK, -len(QUICK)):
        if place.startswith(beginning):
            return number
    return next((number for number, beginning in enumerate(SLOW, 1) if place.startswith(beginning)), 0)


def work_unit(nodeid: str) -> str:
    """Return what a worker runs at a time for a test: its file, or the test alone."""
    place = nodeid.partition("::")[0].removeprefix("tests/")
    return FORM[0] if place in FORM else nodeid if place in APART else place


class FileScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Send the tests of a file to the same worker, and files in the order of their first tests."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return work_unit(nodeid)
