"""The platform of the Chinese Guandan contest: its messages, its records, and its tables as those of the engine."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {"ARCHIVE": "archive", "SERVICE": "service"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
