"""What our processes hand over through Ray: bytes of ``archive`` as arrays, which Ray passes on without looking inside.

Ray itself pickles its messages, among them the names of our functions and these arrays. What is in the arrays is data
with a checksum, and is never run: what comes from another process of ours is read like a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError, pack_archive, unpack_archive
from abl_cards.training import to_plain

PackedArray = NDArray[np.uint8]
"""Packed values."""

_ERROR_KEY = "problem"


def pack(value: Any) -> PackedArray:
    """A value, dataclasses and paths in it as plain ones."""
    return np.frombuffer(pack_archive(to_plain(value)), np.uint8)


def unpack(array: PackedArray) -> Any:
    """The reverse; raises ArchiveError, and GameError where the other process could not do it."""
    told = unpack_archive(array.data)  # type: ignore[arg-type]
    if isinstance(told, dict) and _ERROR_KEY in told:
        raise GameError(told[_ERROR_KEY], ErrorCode.WORKER_FAILED)
    return told


def pack_result(compute: Callable[[], Any]) -> PackedArray:
    """What an act gives, or what a user has to be told: errors of ours travel as text, for they may hold anything."""
    try:
        return pack(compute())
    except (GameError, KBError, OSError) as problem:
        return pack({_ERROR_KEY: str(problem)})
