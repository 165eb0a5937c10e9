"""Calls of functions in the text of modules; parsing whole modules would take ten times as long."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress


def find_calls(text: str, names: Iterable[str]) -> Iterator[tuple[int, ast.Call]]:
    """Yield the line and the call of each ``name(…)`` that is no definition or attribute."""
    for found in re.finditer(rf"(?<![\w.])(?<!class )(?<!def )(?:{'|'.join(names)})\(", text):
        yield text.count("\n", 0, found.start()) + 1, call_at(text, found.start())


def call_at(text: str, begin: int) -> ast.Call:
    """Return the call that begins at a position: the shortest text from there that is an expression."""
    end = begin
    while end := text.find(")", end) + 1:
        with suppress(SyntaxError):
            call = ast.parse(text[begin:end], mode="eval").body
            assert isinstance(call, ast.Call)
            return call
    raise AssertionError(text[begin : begin + 80])
