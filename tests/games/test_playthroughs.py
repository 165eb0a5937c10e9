"""Episodes equal the golden playthroughs."""

import pytest

from tests.games.playthroughs import HERE, PLAYTHROUGHS


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthroughs_equal_the_stored_text(name: str) -> None:
    """The whole episode, line for line; ``python -m tests.games.playthroughs`` rewrites it."""
    assert PLAYTHROUGHS[name]().splitlines() == (HERE / name).read_text().splitlines()


def test_every_stored_text_belongs_to_a_playthrough() -> None:
    """Every text in the folder belongs to a playthrough."""
    assert {path.name for path in HERE.glob("*.txt")} == set(PLAYTHROUGHS)
