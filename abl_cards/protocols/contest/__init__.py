"""The platform of the Chinese Guandan contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core.lazy import lazy_exports

if TYPE_CHECKING:
    from abl_cards.protocols.contest.importer import RECORD_IMPORTER
    from abl_cards.protocols.contest.service import PROTOCOL

__all__ = [
    "PROTOCOL",
    "RECORD_IMPORTER",
]

__getattr__ = lazy_exports(__name__)
