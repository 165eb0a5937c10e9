"""The policy: decisions from networks and knowledge base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.decision import PolicyNetwork
from abl_cards.learners.networks import BF16_ROW_MULTIPLE, GameShape, Networks
from tests.learners.tiny import TINY


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("guandan").engine()


@pytest.mark.parametrize("tables", [1, BF16_ROW_MULTIPLE - 1, BF16_ROW_MULTIPLE + 5])
def test_half_precision_outputs_are_close(engine: Any, tables: int) -> None:
    """Return nearly the same values in half precision, without the rows of padding."""
    networks = Networks(TINY, GameShape.of(engine))
    neural_policy = NeuroSymbolicPolicy(engine, engine.preference_model(), networks)
    dealt = engine.start_matches(np.arange(tables, dtype=np.uint64))
    decisions = dealt.decisions(dealt.rows_to_play())

    def answers() -> list[np.ndarray[Any, Any]]:
        view = neural_policy.features(decisions)
        opened = neural_policy.privileged_inputs(
            dealt, decisions.rows[view.open_rows], decisions.context[view.open_rows]
        )
        return [view.estimate, neural_policy.log_probs(view)[view.legal], neural_policy.value(view, opened)]

    full = answers()
    networks.precision = "bfloat16"
    for whole, half in zip(full, answers(), strict=True):
        assert len(whole) == len(half) > 0
        np.testing.assert_allclose(half, whole, atol=0.06)


def test_half_precision_accepts_an_empty_batch(engine: Any) -> None:
    networks = Networks(TINY, GameShape.of(engine))
    networks.precision = "bfloat16"
    neural_policy = NeuroSymbolicPolicy(engine, engine.preference_model(), networks)
    dealt = engine.start_matches(np.arange(2, dtype=np.uint64))
    nothing = dealt.decisions(dealt.rows_to_play()[:0])
    view = neural_policy.features(nothing)
    assert neural_policy.log_probs(view).shape == (0, len(engine.labels))
    assert neural_policy.value(view, neural_policy.privileged_inputs(dealt, nothing.rows, nothing.context)).shape == (
        0,
    )


def test_no_weights_make_a_label_that_is_not_legal_likely(engine: Any) -> None:
    """Such a label would be an index out of bounds in compiled functions."""
    networks = Networks(TINY, GameShape.of(engine))
    neural_policy = NeuroSymbolicPolicy(engine, engine.preference_model(), networks)
    dealt = engine.start_matches(np.arange(4, dtype=np.uint64))
    view = neural_policy.features(dealt.decisions(dealt.rows_to_play()))
    assert isinstance(networks.decision, PolicyNetwork)
    bias = networks.decision.policy.bias
    bias.data.fill_(-1e20)
    assert np.exp(neural_policy.log_probs(view))[~view.legal].max() == 0
    bias.data.fill_(np.nan)
    with pytest.raises(GameError) as error:
        neural_policy.log_probs(view)
    assert error.value.code == ErrorCode.MODEL_OUTPUT_NOT_FINITE


def test_hands_that_are_not_finite_are_refused(engine: Any) -> None:
    networks = Networks(TINY, GameShape.of(engine))
    assert networks.abln is not None
    next(networks.abln.parameters()).data.fill_(np.nan)
    dealt = engine.start_matches(np.arange(4, dtype=np.uint64))
    with pytest.raises(GameError) as error:
        NeuroSymbolicPolicy(engine, engine.preference_model(), networks).features(dealt.decisions(dealt.rows_to_play()))
    assert error.value.code == ErrorCode.MODEL_OUTPUT_NOT_FINITE
