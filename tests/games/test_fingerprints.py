"""Matches of the shipped games have the stored fingerprints."""

import json

import pytest

from tests.effort import long
from tests.games.fingerprints import FILE, PROFILES, fingerprint

WITH_PLAYTHROUGHS = ("guandan",)
"""Games with golden episodes of every kind, line for line."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[long] if name in WITH_PLAYTHROUGHS else []) for name in PROFILES]
)
def test_fingerprints_equal_the_stored_ones(name: str) -> None:
    """Five matches of the first profile; ``python -m tests.games.fingerprints`` compares fifty of every profile."""
    known = json.loads(FILE.read_text())[f"{name} {PROFILES[name][0]} short"]
    assert fingerprint(name, PROFILES[name][0], share=10) == known
