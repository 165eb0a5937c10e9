"""The golden playthroughs are what is played."""

import pytest

from tests.games.playthroughs import HERE, PLAYTHROUGHS


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough(name: str) -> None:
    """The whole episode, line for line; ``python -m tests.games.playthroughs`` rewrites it."""
    assert PLAYTHROUGHS[name]().splitlines() == (HERE / name).read_text().splitlines()


def test_no_other_playthroughs() -> None:
    """Every text in the folder belongs to a playthrough."""
    assert {path.name for path in HERE.glob("*.txt")} == set(PLAYTHROUGHS)
