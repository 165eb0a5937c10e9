"""Platform Botzone: judge, external bots, and export of agents as bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

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

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
