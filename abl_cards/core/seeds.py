"""Seeds of random numbers: drawn in secret, written as text, and made 64 bits long."""

from __future__ import annotations

import secrets
from hashlib import blake2b
from operator import index
from typing import SupportsIndex

SECRET_SEED_BITS = 128
"""Bits of a seed that is drawn where nobody gives one."""
_MAX_SEED_DIGITS = 100  # characters of a seed as text


def seed64(seed: SupportsIndex) -> int:
    """The 64 bits by which generators are started: a seed of 64 bits as it is, any other one hashed by BLAKE2b.

    Args:
        seed: A whole number of any integer type and size, NumPy's types included.

    Raises:
        TypeError: The seed is no whole number.

    >>> seed64(7), seed64(-1) == seed64(2**64 - 1)
    (7, False)
    """
    try:
        number = index(seed)
    except TypeError:
        raise TypeError(f"a seed is a whole number, and not {seed!r:.60}") from None
    if 0 <= number < 1 << 64:
        return number
    signed = number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
    return int.from_bytes(blake2b(signed, digest_size=8).digest(), "little")


def secret_seed() -> int:
    """A seed that nobody can guess: 128 bits of the system's random numbers."""
    return secrets.randbits(SECRET_SEED_BITS)


def format_seed(seed: SupportsIndex) -> str:
    """A seed as JSON holds it: in decimal digits, since numbers of JSON lose bits in JavaScript."""
    return str(index(seed))


def parse_seed(value: object) -> int:
    """A seed out of JSON: decimal digits, or a whole number, as older files have it; raises ValueError.

    >>> parse_seed("340282366920938463463374607431768211455") == 2**128 - 1, parse_seed(7)
    (True, 7)
    """
    if type(value) is int:
        return value
    digits = value.removeprefix("-") if isinstance(value, str) else ""
    if not (isinstance(value, str) and len(value) <= _MAX_SEED_DIGITS and digits.isascii() and digits.isdigit()):
        raise ValueError("a seed is a whole number, or one in decimal digits")
    return int(value)
