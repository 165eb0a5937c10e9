"""Operating systems: which functions need Linux or macOS."""

from __future__ import annotations

import sys

from abl_cards.core.errors import ErrorCode, GameError


def require_posix(feature: str) -> None:
    """Raise an error on Windows, before a function of the system is missing.

    Args:
        feature: The feature that needs Linux or macOS, as the subject of the message.

    Raises:
        GameError: The system is Windows.
    """
    if sys.platform == "win32":
        remedy = "run abl-cards in the Windows Subsystem for Linux (wsl --install)"
        raise GameError(f"{feature} needs Linux or macOS; {remedy}", ErrorCode.UNSUPPORTED_PLATFORM)
