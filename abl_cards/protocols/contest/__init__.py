"""Network protocol and records of the Chinese Guandan contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.protocols.contest.importer import RECORD_IMPORTER
    from abl_cards.protocols.contest.service import PROTOCOL

__all__ = [
    "PROTOCOL",
    "RECORD_IMPORTER",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
