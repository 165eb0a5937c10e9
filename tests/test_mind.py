"""The path of a decision through networks and knowledge base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.mind import Mind
from abl_cards.games import game
from learners.networks import UNIT, GameShape, Networks
from tests.learners.tiny import TINY


@pytest.fixture(scope="module")
def engine() -> Any:
    return game("guandan").engine()


@pytest.mark.parametrize("tables", [1, UNIT - 1, UNIT + 5])
def test_half_precision_says_nearly_the_same_of_as_many_decisions(engine: Any, tables: int) -> None:
    """Its batches have some rows more, which nobody sees."""
    networks = Networks(TINY, GameShape.of(engine))
    mind = Mind(engine, engine.judge(), networks)
    dealt = engine.tables(np.arange(tables, dtype=np.uint64))
    decisions = dealt.decisions(dealt.playing())

    def answers() -> list[np.ndarray[Any, Any]]:
        view = mind.look(decisions)
        opened = mind.lay_open(dealt, decisions.which[view.choice], decisions.context[view.choice])
        return [view.estimate, mind.weigh(view)[view.legal], mind.value(view, opened)]

    full = answers()
    networks.precision = "bfloat16"
    for whole, half in zip(full, answers(), strict=True):
        assert len(whole) == len(half) > 0
        np.testing.assert_allclose(half, whole, atol=0.06)


def test_no_decision_is_no_trouble_in_half_precision(engine: Any) -> None:
    networks = Networks(TINY, GameShape.of(engine))
    networks.precision = "bfloat16"
    mind = Mind(engine, engine.judge(), networks)
    dealt = engine.tables(np.arange(2, dtype=np.uint64))
    nothing = dealt.decisions(dealt.playing()[:0])
    view = mind.look(nothing)
    assert mind.weigh(view).shape == (0, len(engine.labels))
    assert mind.value(view, mind.lay_open(dealt, nothing.which, nothing.context)).shape == (0,)
