"""Find the protocol of a game: that of the platform that its folder names, or the plain one."""

from __future__ import annotations

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import game_names, load
from abl_cards.games.description import platform_attribute
from abl_cards.protocols.common import RemoteProtocol
from abl_cards.protocols.plain import PROTOCOL


def game_of_dialect(dialect: str) -> str | None:
    """The game that guests of a dialect play; None where every game may be; raises GameError for no dialect."""
    dialects: dict[str, str | None] = {
        each: name for name in game_names() if (own := _platform_protocol(name)) for each in own.client_dialects
    }
    dialects |= dict.fromkeys(PROTOCOL.client_dialects)
    if dialect not in dialects:
        raise GameError(f"unknown dialect '{dialect}' (there are: {', '.join(dialects)})", ErrorCode.UNKNOWN_PROTOCOL)
    return dialects[dialect]


def find_protocol(name: str) -> RemoteProtocol:
    """The protocol of a game: that of the platform that its folder names, or the plain one; raises GameError."""
    return _platform_protocol(name) or PROTOCOL


def _platform_protocol(name: str) -> RemoteProtocol | None:
    found: RemoteProtocol | None = platform_attribute(load(name).folder, "PROTOCOL")
    return found
