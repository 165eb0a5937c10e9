"""Functions of users: their errors name the function and the line."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.user_code import call_user_function


def fails(number: int) -> int:
    return 1 // number


class Failing:
    def __call__(self, number: int) -> int:
        return 1 // number

    def method(self, number: int) -> int:
        return 1 // number


@pytest.mark.parametrize(
    ("function", "name"),
    [(fails, "fails"), (Failing(), "Failing"), (Failing().method, "Failing.method"), (partial(fails), "partial")],
)
def test_a_function_that_raises_is_named(function: Any, name: str) -> None:
    with pytest.raises(GameError) as error:
        call_user_function("callback", function, 0)
    assert error.value.code == ErrorCode.FUNCTION_FAILED
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    assert str(error.value).startswith(f"callback {name}: {__file__}:")
    assert call_user_function("callback", function, 1) == 1


def test_an_error_of_ours_stays_as_it_is() -> None:
    def refuses() -> None:
        raise GameError("no", ErrorCode.INVALID_CARDS)

    with pytest.raises(GameError) as error:
        call_user_function("callback", refuses)
    assert error.value.code == ErrorCode.INVALID_CARDS
