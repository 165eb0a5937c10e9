"""Arguments of the engine: rows, forms, contexts, hands, deals, records and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.tables import FixedDeals

STATE = {"hand": ["H3", "D3"], "to_beat": None}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("president").engine()


def calls(engine: Engine) -> dict[str, Any]:
    """Return calls by name, each with one wrong value."""
    decisions = engine.start_matches(np.arange(2, dtype=np.uint64)).decisions(np.arange(2))
    hands, contexts = decisions.view.hand, decisions.context
    deals = FixedDeals(np.zeros((1, 4, 52), np.uint8), np.zeros((1, 52), np.uint8))
    return {
        "label of a negative form": lambda: engine.label_of(-1),
        "label of no form": lambda: engine.label_of(53),
        "label of a fraction": lambda: engine.label_of(1.5),  # type: ignore[arg-type]
        "negative row": lambda: engine.decision_point_at(decisions, -1),
        "row": lambda: engine.decision_point_at(decisions, 2),
        "wide hands": lambda: engine.min_plays(contexts, np.zeros((2, 53), np.uint8)),
        "narrow hands": lambda: engine.min_plays(contexts, hands[:, :3]),
        "too many copies": lambda: engine.min_plays(contexts, hands + np.uint8(4)),
        "negative copies": lambda: engine.min_plays(contexts, -hands.astype(np.int8)),
        "no hands": lambda: engine.min_plays(contexts, None),  # type: ignore[arg-type]
        "contexts": lambda: engine.min_plays(contexts + 99, hands),
        "negative contexts": lambda: engine.min_plays(contexts - 1, hands),
        "a context for two": lambda: engine.min_plays(contexts[:1], hands),
        "no deals": lambda: engine.with_deals(None),  # type: ignore[arg-type]
        "deals without hands": lambda: engine.with_deals(FixedDeals(deals.hands[:0], deals.aside[:0])),
        "deals of other seats": lambda: engine.with_deals(FixedDeals(deals.hands[:, :3], deals.aside)),
        "deals of other cards": lambda: engine.with_deals(FixedDeals(deals.hands, deals.aside[:, 1:])),
        "a state": lambda: engine.legal_moves(STATE),  # type: ignore[arg-type]
        "no states": lambda: engine.legal_moves(None),  # type: ignore[arg-type]
        "a record": lambda: engine.replay(STATE),  # type: ignore[arg-type]
        "no records": lambda: engine.replay(None),  # type: ignore[arg-type]
        "a record of acts": lambda: engine.find_play_acts(STATE),  # type: ignore[arg-type]
        "no tables": lambda: engine.new_recorder(-1),
        "more tables than memory holds": lambda: engine.new_recorder(10**12),
        "half a table": lambda: engine.new_recorder(0.5),  # type: ignore[arg-type]
        "negative states": lambda: engine.sample_decisions(-1, 0),
        "more states than memory holds": lambda: engine.sample_decisions(10**9, 0),
        "half a state": lambda: engine.sample_decisions(0.5, 0),  # type: ignore[arg-type]
        "half a seed": lambda: engine.sample_decisions(1, 0.5),  # type: ignore[arg-type]
        "a name": lambda: engine.preference_model("bombs"),
        "no folder": lambda: engine.preference_model((), 3),  # type: ignore[arg-type]
    }


def test_wrong_arguments_are_rejected(engine: Engine) -> None:
    for name, call in calls(engine).items():
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == ErrorCode.INVALID_VALUE, name


def test_names_to_exclude_are_texts(engine: Engine) -> None:
    with pytest.raises(GameError) as error:
        engine.preference_model([3])  # type: ignore[list-item]
    assert error.value.code == ErrorCode.UNKNOWN_PREFERENCE


def test_numbers_of_numpy_are_numbers(engine: Engine) -> None:
    one: Any = np.int16(1)
    assert engine.label_of(one) == engine.label_of(1)
    assert len(engine.sample_decisions(one, one).rows) == 1
