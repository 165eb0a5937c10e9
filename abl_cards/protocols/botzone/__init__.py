"""Botzone: its judge, its bots, and bots of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core.lazy import lazy_exports

if TYPE_CHECKING:
    from abl_cards.protocols.botzone.faults import Fault
    from abl_cards.protocols.botzone.judge import BotzoneJudge
    from abl_cards.protocols.botzone.log_record import convert_log, find_missing_result, find_profile
    from abl_cards.protocols.botzone.process import BotProcess
    from abl_cards.protocols.botzone.registry import PLATFORM, BotzoneGame

__all__ = [
    "PLATFORM",
    "BotProcess",
    "BotzoneGame",
    "BotzoneJudge",
    "Fault",
    "convert_log",
    "find_missing_result",
    "find_profile",
]

__getattr__ = lazy_exports(__name__)
