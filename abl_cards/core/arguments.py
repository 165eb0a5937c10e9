"""Checks of arguments that people give in Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.seeds import integer_seed

_MAX_NAME_BYTES = 255
"""Longest name of a file on the usual file systems."""


def check_integer(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """Convert an integer of any integer type to ``int``; truth values are rejected.

    >>> check_integer("games", 3, 1)
    3

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        least: Smallest value; None for no bound.
        most: Greatest value; None for no bound.

    Raises:
        GameError: The value is no integer, or lies outside of the bounds.
    """
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if is_integer and (least is None or value >= least) and (most is None or value <= most):
        return int(value)
    bounds = "" if least is None else f" from {least:,} on" if most is None else f" from {least:,} to {most:,}"
    raise GameError(f"{name} is a whole number{bounds}, not {value!r:.60}", ErrorCode.INVALID_VALUE)


def check_number(name: str, value: Any, least: float = 0.0) -> float:
    """Convert a finite number of any type to ``float``; truth values are rejected.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        least: Smallest value.

    Raises:
        GameError: The value is no number, is not finite, or is too small.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) < inf:
        raise GameError(f"{name} is a number from {least:g} on, not {value!r:.60}", ErrorCode.INVALID_VALUE)
    return float(value)


def check_seed(seed: Any) -> int:
    """Return a seed as an ``int``: any integer, of any size.

    Args:
        seed: The argument.

    Raises:
        GameError: The seed is no integer, or it is a truth value.
    """
    try:
        return integer_seed(seed)
    except TypeError:
        raise GameError(f"seed is a whole number, not {seed!r:.60}", ErrorCode.INVALID_VALUE) from None


def check_flag(name: str, value: Any) -> bool:
    """Convert a truth value, also of NumPy, or one of the numbers 0 and 1 to ``bool``.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Raises:
        GameError: The value is none of these, such as a text or an array.
    """
    plain = value.item() if getattr(value, "ndim", None) == 0 else value  # of NumPy, which takes long to import
    if isinstance(plain, int) and plain in (0, 1):
        return bool(plain)
    raise GameError(f"{name} is True or False, not {value!r:.60}", ErrorCode.INVALID_VALUE)


def is_one_of(value: Any, words: Iterable[str | None]) -> bool:
    """Return whether a value is one of several words; an array of words is none.

    >>> is_one_of("deal", ("deal", "match")), is_one_of(["deal"], ("deal", "match"))
    (True, False)
    """
    return any(value is word or (isinstance(value, str) and value == word) for word in words)


def check_path(name: str, value: Any) -> Path:
    """Convert an argument to a path.

    An empty text, which would be the working directory, is rejected, and so are texts with NUL or too long for a path,
    such as the contents of a file.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Raises:
        GameError: The value is no path.
    """
    if isinstance(value, str | Path) and str(value) and "\0" not in str(value):
        if all(len(os.fsencode(part)) <= _MAX_NAME_BYTES for part in Path(value).parts):
            return Path(value)
        message = f"{name}={str(value)!r:.60}: too long for a path; give the path of a file, not its contents"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    raise GameError(f"{name}={value!r:.60}: give a path", ErrorCode.INVALID_VALUE)


def check_list(name: str, value: Any, is_ordered: bool = True) -> list[Any]:
    """Convert an argument to a list; a text is rejected, since its letters would be the items.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        is_ordered: Whether it must be a sequence; otherwise a set is accepted too.

    Raises:
        GameError: The value is a text, or has no items.
    """
    if isinstance(value, str) or not isinstance(value, Sequence if is_ordered else Iterable):
        raise GameError(f"{name}={value!r:.60}: give a list of {name}", ErrorCode.INVALID_VALUE)
    return list(value)


def check_functions(is_optional: bool = True, **values: Callable[..., Any] | None) -> None:
    """Check that arguments are functions, before they are called at the end of long work.

    Args:
        is_optional: Whether None stands for no function.
        **values: The arguments by name.

    Raises:
        GameError: An argument can not be called.
    """
    for name, value in values.items():
        if not (callable(value) or (is_optional and value is None)):
            remedy = "give a function, or None" if is_optional else "give a function, or leave it out"
            raise GameError(f"{name}={value!r:.60}: {remedy}", ErrorCode.INVALID_VALUE)
