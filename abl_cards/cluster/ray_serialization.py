"""Serialization of values for Ray: archives as byte arrays.

Ray pickles its own messages, including names of functions and these arrays. The arrays hold data with a checksum,
which is parsed like a file and never executed.
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
"""Bytes of an archive."""

_ERROR_KEY = "problem"


def pack(value: Any) -> PackedArray:
    """Pack a value, with dataclasses and paths in plain form."""
    return np.frombuffer(pack_archive(to_plain(value)), np.uint8)


def unpack(array: PackedArray) -> Any:
    """Unpack a value; raises ArchiveError, and GameError where the other process sent an error."""
    value = unpack_archive(array.data)  # type: ignore[arg-type]
    if isinstance(value, dict) and _ERROR_KEY in value:
        raise GameError(value[_ERROR_KEY], ErrorCode.WORKER_FAILED)
    return value


def pack_result(compute: Callable[[], Any]) -> PackedArray:
    """Pack the result of a function, or the message of its error for the user."""
    try:
        return pack(compute())
    except (GameError, KBError, OSError) as problem:
        return pack({_ERROR_KEY: str(problem)})
