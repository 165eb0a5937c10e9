"""The games go on as they were when each had a package of its own."""

import json

import pytest

from tests.games.fingerprints import FILE, PROFILES, fingerprint


@pytest.mark.parametrize("name", PROFILES)
def test_a_game_is_as_it_was(name: str) -> None:
    """Five matches of the first profile; ``python -m tests.games.fingerprints`` compares fifty of every profile."""
    known = json.loads(FILE.read_text())[f"{name} {PROFILES[name][0]} short"]
    assert fingerprint(name, PROFILES[name][0], share=10) == known
