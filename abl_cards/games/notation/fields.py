"""Fields of JSON objects, and errors that name them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abl_cards.core import GameError


@contextmanager
def error_context(field: str) -> Iterator[None]:
    """Name the field in an error."""
    try:
        yield
    except GameError as problem:
        raise GameError(f"{field}: {problem}", problem.code) from None
