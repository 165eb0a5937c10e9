"""Network protocols and record formats of other platforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.protocols.douzero import convert_douzero_record
    from abl_cards.protocols.registry import find_protocol, game_of_dialect

__all__ = [
    "convert_douzero_record",
    "find_protocol",
    "game_of_dialect",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
