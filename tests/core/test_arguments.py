"""Checks of arguments."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest

from abl_cards.core import arguments
from abl_cards.core.arguments import check_integer, check_list
from abl_cards.core.errors import ErrorCode, GameError


def test_examples() -> None:
    assert doctest.testmod(arguments).failed == 0


@pytest.mark.parametrize("value", [2, np.int8(2), np.uint64(2)])
def test_integers_of_every_type(value: Any) -> None:
    assert type(check_integer("games", value, 1, 2)) is int
    assert check_integer("games", value, 2) == 2


@pytest.mark.parametrize("value", [0, 3, 2.0, True, np.True_, "2", None, float("nan"), [2]])
def test_what_is_no_integer_in_its_bounds(value: Any) -> None:
    with pytest.raises(GameError) as error:
        check_integer("games", value, 1, 2)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_without_bounds_every_integer_is_right() -> None:
    assert check_integer("seed", -(2**70)) == -(2**70)


@pytest.mark.parametrize("value", ["kb", 5, None])
def test_what_has_no_items(value: Any) -> None:
    for is_ordered in (True, False):
        with pytest.raises(GameError) as error:
            check_list("agents", value, is_ordered)
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_a_set_is_a_list_where_the_order_does_not_matter() -> None:
    assert check_list("agents", ("kb", "abl")) == ["kb", "abl"]
    assert check_list("seats", {2}, is_ordered=False) == [2]
    with pytest.raises(GameError):
        check_list("agents", {"kb"})
