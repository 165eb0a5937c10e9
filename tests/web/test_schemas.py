"""Tests of request schemas: invalid JSON is rejected."""

from __future__ import annotations

import pytest

from abl_cards.core import ErrorCode, GameError
from abl_cards.web import schemas


@pytest.mark.parametrize("text", ["{", '{"a": NaN}', '{"a": [-Infinity]}', '{"a": 1e999}', "[" * 100_000, "1" * 5000])
def test_parse_object_rejects_invalid_json(text: str) -> None:
    """The answer may repeat a number of the request, and NaN cannot be sent."""
    with pytest.raises(GameError) as error:
        schemas.parse_object(text)
    assert error.value.code == ErrorCode.INVALID_REQUEST
