"""Checks of arguments."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core import arguments
from abl_cards.core.arguments import (
    check_flag,
    check_functions,
    check_integer,
    check_list,
    check_path,
    check_seed,
    is_one_of,
)
from abl_cards.core.errors import ErrorCode, GameError


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(arguments).failed == 0


@pytest.mark.parametrize("value", [2, np.int8(2), np.uint64(2)])
def test_check_integer_accepts_every_integer_type(value: Any) -> None:
    assert type(check_integer("games", value, 1, 2)) is int
    assert check_integer("games", value, 2) == 2


@pytest.mark.parametrize("value", [0, 3, 2.0, True, np.True_, "2", None, float("nan"), [2]])
def test_check_integer_rejects_other_values(value: Any) -> None:
    with pytest.raises(GameError) as error:
        check_integer("games", value, 1, 2)
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("seed", [True, np.True_, 1.0, "1", None])
def test_check_seed_rejects_what_is_no_integer(seed: Any) -> None:
    with pytest.raises(GameError) as error:
        check_seed(seed)
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("path", ["", "a\0b", Path("a\0b"), "x" * 256, "a/" + "掼" * 100, None, 1, b"a"])
def test_check_path_rejects_what_is_no_path(path: Any) -> None:
    with pytest.raises(GameError) as error:
        check_path("file", path)
    assert error.value.code == ErrorCode.INVALID_VALUE
    assert check_path("file", "a/b") == check_path("file", Path("a/b")) == Path("a/b")


def test_check_integer_without_bounds() -> None:
    assert check_integer("seed", -(2**70)) == -(2**70)


@pytest.mark.parametrize("value", ["kb", 5, None])
def test_check_list_rejects_values_without_items(value: Any) -> None:
    for is_ordered in (True, False):
        with pytest.raises(GameError) as error:
            check_list("agents", value, is_ordered)
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_check_list_accepts_sets_only_when_unordered() -> None:
    assert check_list("agents", ("kb", "abl")) == ["kb", "abl"]
    assert check_list("seats", {2}, is_ordered=False) == [2]
    with pytest.raises(GameError):
        check_list("agents", {"kb"})


@pytest.mark.parametrize("value", [True, np.True_, 1, np.int8(1), np.array(True)])
def test_check_flag_accepts_every_truth_value(value: Any) -> None:
    assert check_flag("copy", value) is True


@pytest.mark.parametrize("value", [None, "", "yes", 2, 0.5, [], np.array([1, 2]), np.array([]), float("nan"), object()])
def test_check_flag_rejects_other_values(value: Any) -> None:
    with pytest.raises(GameError) as error:
        check_flag("copy", value)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_arrays_are_no_words() -> None:
    words = ("en", "zh", None)
    assert is_one_of(None, words)
    assert is_one_of(np.str_("zh"), words)
    for value in (np.array(["en", "zh"]), np.array([]), ["en"], 3, "EN"):
        assert not is_one_of(value, words)


def test_check_functions_names_what_can_not_be_called() -> None:
    check_functions(on_progress=None, write_record=print)
    with pytest.raises(GameError, match="write_record") as error:
        check_functions(on_progress=print, write_record="games.jsonl")  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.INVALID_VALUE
    check_functions(is_optional=False, on_progress=print)
    with pytest.raises(GameError, match="on_progress"):
        check_functions(is_optional=False, on_progress=None)
