"""Errors as JSON values."""

from __future__ import annotations

from abl_cards.core.errors import GameError
from abl_cards.web.error_json import error_line


def test_error_line_is_the_first_line() -> None:
    assert [error_line(error) for error in (GameError("one\ntwo"), ValueError(), None)] == ["one", "", ""]
