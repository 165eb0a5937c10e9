"""Counter-based random numbers: every draw is a pure function of a key and a counter (splitmix64).

So a match deals the same cards whether it is played alone, in a batch of thousands, or over a network.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from functools import cache
from typing import SupportsIndex

import numpy as np
from numba import uint64, vectorize
from numpy.typing import NDArray

from abl_cards.core.jit import kernel
from abl_cards.core.seeds import seed64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)


# Compiled at the first call, not at import: commands that only read rules start faster.


@kernel
def splitmix64(key, counter):
    """Return 64 random bits for a key and a counter.

    Args:
        key: 64-bit integer.
        counter: Number of the draw.
    """
    z = np.uint64(key) + (np.uint64(counter) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MULTIPLIER_1
    z = (z ^ (z >> np.uint64(27))) * _MULTIPLIER_2
    return z ^ (z >> np.uint64(31))


@kernel
def scale_to_range(bits, bound):
    """Scale random bits to an integer in 0..bound-1; the bias is below 2**-32.

    Args:
        bits: 64 random bits.
        bound: Upper bound, exclusive, below 2**32.
    """
    return ((np.uint64(bits) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)


def _splitmix64_scalar(keys, counter):
    return splitmix64(keys, counter)


@cache
def _splitmix64_ufunc():
    return vectorize([uint64(uint64, uint64)], cache=True)(_splitmix64_scalar)


def splitmix64_array(keys: NDArray[np.uint64], counter: NDArray[np.integer] | SupportsIndex) -> NDArray[np.uint64]:
    """Return 64 random bits for each key.

    Args:
        keys: [n] keys.
        counter: [n] number of the draw of each key, or one number for all.

    Returns:
        [n] random bits.
    """
    counters = counter.astype(np.uint64) if isinstance(counter, np.ndarray) else np.uint64(seed64(counter))
    mixed: NDArray[np.uint64] = _splitmix64_ufunc()(keys, counters)
    return mixed


def scale_to_range_array(bits: NDArray[np.uint64], bound: int | NDArray[np.integer]) -> NDArray[np.int64]:
    """Scale random bits to integers in 0..bound-1.

    Args:
        bits: [n] random bits.
        bound: [n] exclusive upper bounds below 2**32, or one for all.

    Returns:
        [n] integers.
    """
    bounds = np.asarray(bound).astype(np.uint64)
    return (((bits >> np.uint64(32)) * bounds) >> np.uint64(32)).astype(np.int64)


def derive_key(seed: SupportsIndex, *parts: SupportsIndex) -> np.uint64:
    """Derive a key from a seed and integers that identify its use, as in ``derive_key(seed, match, seat)``.

    Args:
        seed: An integer of any size.
        parts: Integers; another order gives another key.
    """
    key = splitmix64_array(np.array([seed64(seed)], np.uint64), 0)
    for part in parts:
        key = splitmix64_array(key, part)
    return np.uint64(key[0])
