"""Shared parts of protocols: cards, the interface of remote tables, the interface of programs as agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.protocols.common.cards import (
        CARD_NAMES,
        Card,
        CardTextError,
        Hand,
        format_card,
        hand_from_cards,
        hand_to_cards,
        parse_card,
    )
    from abl_cards.protocols.common.programs import ProgramSession, WriteLog
    from abl_cards.protocols.common.remote_protocol import (
        DEFAULT_CHOICE,
        ChoiceRequest,
        ClientSession,
        DecisionMaker,
        HostSession,
        InvalidAnswerError,
        JoinRejectedError,
        JoinRequest,
        Message,
        Notification,
        RemoteProtocol,
        Reply,
        SessionResult,
        complete_url,
        read_act_index,
    )

__all__ = [
    "CARD_NAMES",
    "DEFAULT_CHOICE",
    "Card",
    "CardTextError",
    "ChoiceRequest",
    "ClientSession",
    "DecisionMaker",
    "Hand",
    "HostSession",
    "InvalidAnswerError",
    "JoinRejectedError",
    "JoinRequest",
    "Message",
    "Notification",
    "ProgramSession",
    "RemoteProtocol",
    "Reply",
    "SessionResult",
    "WriteLog",
    "complete_url",
    "format_card",
    "hand_from_cards",
    "hand_to_cards",
    "parse_card",
    "read_act_index",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
