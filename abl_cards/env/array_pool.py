"""A pool of arrays that are reused when no reference to them is left outside the pool.

New memory of some megabytes comes from the system page by page, which takes as long as filling it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAX_ARRAYS = 4  # a caller usually holds the last step during the next one


class ArrayPool:
    """Pool of arrays of one shape.

    An array is reused when its reference count shows that only the pool holds it. Views, tensors and buffers that share
    its memory all hold a reference, so the caller cannot distinguish it from a new array.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], fresh: bool) -> None:
        """Describe the arrays; without ``fresh`` there is one array, which ``take`` returns every time."""
        self._shape, self._dtype, self._fresh = shape, dtype, fresh
        self._arrays: list[NDArray[Any]] = []
        self._count_when_unused = _count_references([np.empty(0)], 0)

    def take(self) -> NDArray[Any]:
        """Return an array [shape] with any content, C-contiguous."""
        for index in range(len(self._arrays)):
            if not self._fresh or _count_references(self._arrays, index) <= self._count_when_unused:
                return self._arrays[index]
        array = np.empty(self._shape, self._dtype)
        if len(self._arrays) == _MAX_ARRAYS:
            self._arrays.pop(0)  # held by the caller
        self._arrays.append(array)
        return array


def _count_references(arrays: list[NDArray[Any]], index: int) -> int:
    """Return the reference count of one array of a list."""
    return sys.getrefcount(arrays[index])
