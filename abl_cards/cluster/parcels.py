"""What our processes hand over through Ray: bytes of ``archive`` as arrays, which Ray passes on without looking inside.

Ray itself pickles its messages, among them the names of our functions and these arrays. What is in the arrays is data
with a checksum, and is never run: what comes from another process of ours is read like a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards import archive
from abl_cards.errors import GameError
from abl_cards.logic import KBError
from abl_cards.loop.messages import plain

Parcel = NDArray[np.uint8]
"""Packed values."""

_PROBLEM = "problem"


def packed(what: Any) -> Parcel:
    """A value, dataclasses and paths in it as plain ones."""
    return np.frombuffer(archive.pack(plain(what)), np.uint8)


def opened(parcel: Parcel) -> Any:
    """The reverse; raises archive.Damaged, and GameError where the other process could not do it."""
    told = archive.unpack(parcel.data)  # type: ignore[arg-type]
    if isinstance(told, dict) and _PROBLEM in told:
        raise GameError(told[_PROBLEM])
    return told


def answering(act: Callable[[], Any]) -> Parcel:
    """What an act gives, or what a user has to be told: errors of ours travel as text, for they may hold anything."""
    try:
        return packed(act())
    except (GameError, KBError, OSError) as problem:
        return packed({_PROBLEM: str(problem)})
