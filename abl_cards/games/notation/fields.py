"""Fields of JSON objects, and errors that name them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abl_cards.core import GameError


@contextmanager
def error_context(field: str) -> Iterator[None]:
    """Prefix the message of a GameError with a field; its code stays.

    Args:
        field: Name or path of the field.

    Raises:
        GameError: The error raised inside, with the field in its message.
    """
    try:
        yield
    except GameError as error:
        raise GameError(f"{field}: {error}", error.code) from None
