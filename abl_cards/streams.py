"""Random numbers that depend on what they are for, not on when they are drawn.

Every draw is a pure function of a key and a counter (splitmix64), so a match deals the same cards whether it is played
alone, in a batch of thousands, or over a network.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from functools import cache
from typing import SupportsIndex

import numpy as np
from numba import njit, uint64, vectorize
from numpy.typing import NDArray

from abl_cards.seeds import seed64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


# Nothing is compiled when the module is imported: who only reads rules does not wait for it.


@njit(cache=True, nogil=True)
def mix(key, counter):
    """64 random bits for this key and counter."""
    z = np.uint64(key) + (np.uint64(counter) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def below(bits, bound):
    """Random bits to a number in 0..bound-1 (bound < 2**32; the bias is below 2**-32)."""
    return ((np.uint64(bits) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)


def _mix_one(keys, counter):
    return mix(keys, counter)


@cache
def _mix_all():
    return vectorize([uint64(uint64, uint64)], cache=True)(_mix_one)


def mix_all(keys: NDArray[np.uint64], counter: NDArray[np.integer] | SupportsIndex) -> NDArray[np.uint64]:
    """``mix`` over an array of keys, with a counter for each or one for all."""
    counters = counter.astype(np.uint64) if isinstance(counter, np.ndarray) else np.uint64(seed64(counter))
    mixed: NDArray[np.uint64] = _mix_all()(keys, counters)
    return mixed


def below_all(bits: NDArray[np.uint64], bound: int | NDArray[np.integer]) -> NDArray[np.int64]:
    """``below`` over an array of random bits, with a bound for each or one for all."""
    bounds = np.asarray(bound).astype(np.uint64)
    return (((bits >> np.uint64(32)) * bounds) >> np.uint64(32)).astype(np.int64)


def key_of(seed: SupportsIndex, *parts: SupportsIndex) -> np.uint64:
    """A key from a seed and what it is for: ``key_of(seed, match, seat)``."""
    key = mix_all(np.array([seed64(seed)], np.uint64), 0)
    for part in parts:
        key = mix_all(key, part)
    return np.uint64(key[0])
