"""Tests of the JSON form of fluents."""

from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load


@pytest.fixture(scope="module")
def tractor() -> Engine:
    return load("tractor").engine(None, "botzone")


def state(**more: Any) -> dict[str, Any]:
    """Return a state with two cards in the hand and one card in the trick."""
    return {
        "hand": ["H2", "H3"], "trick": [["HK"]], "cards": [2, 2, 1], "seat": 0, "aside": 8, "banker": 0, "level": "7",
        "trump": "H", "standing": ["7", "2"], "given": True, "taken_up": True, "buried": 8,
    } | more  # fmt: skip


@pytest.mark.parametrize("total", [-15, 0, 80])
def test_counts_may_be_negative(tractor: Engine, total: int) -> None:
    """Penalties make counts negative, and a state that was written must be readable."""
    decision_point = tractor.read_decision_point(state(total=total))
    assert decision_point.state.get("total", 0) == total
    assert [str(action) for action in decision_point.actions]


@pytest.mark.parametrize("total", [-40_000, 40_000, True, "3", 1.0])
def test_invalid_counts_are_rejected(tractor: Engine, total: Any) -> None:
    with pytest.raises(GameError, match=r"^total: .*30000") as error:
        tractor.read_decision_point(state(total=total))
    assert error.value.code == ErrorCode.INVALID_STATE


def test_fluent_lists_hold_arguments_not_flags() -> None:
    given = {"hand": ["S3"], "to_beat": None, "cards": [9, 9, 9], "seat": 0, "level": "2", "standing": ["2", "2"]}
    assert load("guandan").engine().read_decision_point({**given, "shown": [0, 3]}).state["shown"] == [0, 3]
    with pytest.raises(GameError, match=r"^shown: 0 ") as error:
        load("guandan").engine().read_decision_point({**given, "shown": [0, 0, 0, 1]})
    assert error.value.code == ErrorCode.INVALID_STATE
