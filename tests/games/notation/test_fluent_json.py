"""What states say of what is remembered."""

from typing import Any

import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load


@pytest.fixture(scope="module")
def tractor() -> Engine:
    return load("tractor").engine(None, "botzone")


def state(**more: Any) -> dict[str, Any]:
    """Two cards, and one to follow."""
    return {
        "hand": ["H2", "H3"], "trick": [["HK"]], "cards": [2, 2, 1], "seat": 0, "aside": 8, "banker": 0, "level": "7",
        "trump": "H", "standing": ["7", "2"], "given": True, "taken_up": True, "buried": 8,
    } | more  # fmt: skip


@pytest.mark.parametrize("total", [-15, 0, 80])
def test_counts_may_be_below_zero(tractor: Engine, total: int) -> None:
    """Penalties bring them there, and what a table asks its seats must be read by who answers."""
    moment = tractor.read_decision_point(state(total=total))
    assert moment.state.get("total", 0) == total
    assert [str(action) for action in moment.actions]


@pytest.mark.parametrize("total", [-40_000, 40_000, True, "3", 1.0])
def test_what_is_no_count_is_refused(tractor: Engine, total: Any) -> None:
    with pytest.raises(GameError, match=r"total: .* is no whole number up to 30000, nor as much below 0"):
        tractor.read_decision_point(state(total=total))


def test_a_list_of_what_holds_is_no_mask() -> None:
    at = {"hand": ["S3"], "to_beat": None, "cards": [9, 9, 9], "seat": 0, "level": "2", "standing": ["2", "2"]}
    assert load("guandan").engine().read_decision_point({**at, "shown": [0, 3]}).state["shown"] == [0, 3]
    with pytest.raises(GameError, match=r"shown: 0 stands there twice"):
        load("guandan").engine().read_decision_point({**at, "shown": [0, 0, 0, 1]})
