"""Find the protocol of a game: that of the platform that its folder names, or the plain one."""

from __future__ import annotations

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import game_names, load
from abl_cards.games.description import platform_attribute
from abl_cards.protocols.common import RemoteProtocol
from abl_cards.protocols.plain import PROTOCOL


def game_of_dialect(dialect: str) -> str | None:
    """Return the game of a client dialect.

    Args:
        dialect: Name of a dialect of clients, such as ``"plain"`` or ``"guandan"``.

    Returns:
        Name of the game, or None for a dialect that serves every game.

    Raises:
        GameError: No protocol has this dialect (code ``unknown-protocol``).
    """
    dialects: dict[str, str | None] = {
        client_dialect: name
        for name in game_names()
        if (protocol := _platform_protocol(name))
        for client_dialect in protocol.client_dialects
    }
    dialects |= dict.fromkeys(PROTOCOL.client_dialects)
    if dialect not in dialects:
        raise GameError(f"unknown dialect '{dialect}'; known: {', '.join(dialects)}", ErrorCode.UNKNOWN_PROTOCOL)
    return dialects[dialect]


def find_protocol(name: str) -> RemoteProtocol:
    """Return the protocol of a game.

    Args:
        name: Name of a shipped game, or path of a rule folder.

    Returns:
        The protocol of the platform that the folder names, or else the plain protocol.

    Raises:
        GameError: The game does not exist, or its folder is not valid.
    """
    return _platform_protocol(name) or PROTOCOL


def _platform_protocol(name: str) -> RemoteProtocol | None:
    """Return the protocol of the platform that a folder names, if any."""
    protocol: RemoteProtocol | None = platform_attribute(load(name).folder, "PROTOCOL")
    return protocol
