"""Seeds of random numbers: draw, format and parse them, and reduce them to 64 bits."""

from __future__ import annotations

import secrets
from hashlib import blake2b
from operator import index
from typing import SupportsIndex

SECRET_SEED_BITS = 128
"""Bits of a seed that is drawn by default."""
_MAX_SEED_DIGITS = 100  # characters of a seed as text


def integer_seed(seed: SupportsIndex) -> int:
    """Return an integer of any type as an ``int``; raises TypeError for all else, a truth value included."""
    if isinstance(seed, bool):
        raise TypeError("a truth value is no seed")
    return index(seed)


def seed64(seed: SupportsIndex) -> int:
    """Reduce a seed to the 64 bits that generators start from.

    Args:
        seed: An integer of any type and size, NumPy's types included.

    Returns:
        The seed itself where it has 64 bits, else its BLAKE2b hash.

    Raises:
        TypeError: The seed is not an integer, or it is a truth value.

    >>> seed64(7), seed64(-1) == seed64(2**64 - 1)
    (7, False)
    """
    try:
        value = integer_seed(seed)
    except TypeError:
        raise TypeError(f"a seed is a whole number, and not {seed!r:.60}") from None
    if 0 <= value < 1 << 64:
        return value
    signed = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return int.from_bytes(blake2b(signed, digest_size=8).digest(), "little")


def secret_seed() -> int:
    """Draw an unpredictable seed: 128 bits from the system's random numbers."""
    return secrets.randbits(SECRET_SEED_BITS)


def format_seed(seed: SupportsIndex) -> str:
    """Return a seed in decimal digits, its form in JSON, since JavaScript rounds large numbers.

    Args:
        seed: An integer of any type and size.
    """
    return str(index(seed))


def parse_seed(value: object) -> int:
    """Read a seed from JSON.

    Args:
        value: Decimal digits, at most 100 characters, or an integer, as older files have it.

    Raises:
        ValueError: The value is neither.

    >>> parse_seed("340282366920938463463374607431768211455") == 2**128 - 1, parse_seed(7)
    (True, 7)
    """
    if type(value) is int:
        return value
    digits = value.removeprefix("-") if isinstance(value, str) else ""
    if not (isinstance(value, str) and len(value) <= _MAX_SEED_DIGITS and digits.isascii() and digits.isdigit()):
        raise ValueError("a seed is a whole number, or one in decimal digits")
    return int(value)
