"""Stored results: what cannot be read back is refused, and a line that was cut off is measured anew."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.result_file import append_result, find_stored_inputs, read_results, result_key


@pytest.mark.parametrize(
    ("inputs", "result"),
    [
        ({"seed": 1}, math.nan),
        ({"seed": 1}, {"rate": math.inf}),
        ({"seed": 1}, np.float32(0.5)),
        ({"seed": 1}, {1, 2}),
        ({"seed": 1}, "\ud800"),
        ({"seed": math.nan}, 1),
        ({"seed": np.int64(1)}, 1),
    ],
)
def test_results_that_cannot_be_read_back_are_not_stored(tmp_path: Path, inputs: dict[str, Any], result: Any) -> None:
    file = tmp_path / "cells.jsonl"
    append_result(file, {"seed": 0}, 0.5)
    with pytest.raises(GameError) as caught:
        append_result(file, find_stored_inputs({}, inputs), result)
    assert caught.value.code is ErrorCode.INVALID_RESULT
    assert read_results(file) == {result_key({"seed": 0}): 0.5}


def test_texts_may_hold_other_line_ends(tmp_path: Path) -> None:
    file, text = tmp_path / "cells.jsonl", "a\u2028b\x85c\x0c\r\x1c牌"
    append_result(file, {"name": text}, text)
    append_result(file, {"seed": 2}, 2)
    assert read_results(file) == {result_key({"name": text}): text, result_key({"seed": 2}): 2}


def test_a_line_may_be_cut_off_at_any_byte(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    append_result(file, {"name": "牌"}, 1)
    first = file.read_bytes()
    for length in range(len(first)):
        file.write_bytes(first + first[:length])
        assert len(read_results(file)) == 1
        assert file.read_bytes() == first


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    lines = (
        b"\xff\xfe",
        b"5",
        b"{}",
        b"",
        b"null",
        b"[1]",
        b'"x"',
        b'{"cell": [], "result": 1}',
        b'{"cell": {"a": NaN}, "result": 1}',
    )
    for line in (line + b"\n" for line in lines):
        file.write_bytes(b'{"cell": {}, "result": 1}\n' + line)
        with pytest.raises(GameError) as caught:
            read_results(file)
        assert caught.value.code is ErrorCode.INVALID_RESULT
        assert "line 2" in str(caught.value)
        assert "NoneType" not in str(caught.value)  # an error of Python
        assert "object" not in str(caught.value)
