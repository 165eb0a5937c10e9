"""Requests for deals that cannot be met."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.hand_analysis import deal_generator
from abl_cards.hand_analysis.deal_requests import DealRequest, generate_deals
from abl_cards.hand_analysis.deals import DealBatch


@pytest.mark.parametrize("confidence", [0.0, 0.5])
def test_a_lower_confidence_is_advised_where_there_is_one(monkeypatch: pytest.MonkeyPatch, confidence: float) -> None:
    monkeypatch.setattr(deal_generator, "BASE_MAX_DEALS", 1)
    sampler = SimpleNamespace(
        deal=lambda keys: DealBatch(np.zeros((len(keys), 3), np.uint64), np.zeros(len(keys), np.uint64)),
        is_valid=lambda deals: np.zeros(len(deals.bottom_keys), bool),
    )
    rules, classifier = SimpleNamespace(deal_sampler=sampler), lambda deals: np.ones((len(deals.bottom_keys), 5))
    with pytest.raises(GameError) as error:
        generate_deals(cast(Any, rules), cast(Any, classifier), DealRequest(0, 2, confidence, 1))
    assert error.value.code == ErrorCode.NOT_ENOUGH_DEALS
    assert ("a lower confidence" in str(error.value)) == (confidence > 0)
