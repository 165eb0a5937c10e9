"""Find the protocol of a game: that of the platform that its folder names, or the plain one."""

from __future__ import annotations

from abl_cards.errors import GameError
from abl_cards.games import game, game_names
from abl_cards.games.reading.platforms import platform_attribute
from abl_cards.games.service import Service
from abl_cards.platforms.plain import SERVICE


def game_of(dialect: str) -> str | None:
    """The game that guests of a dialect play; None where every game may be; raises GameError for no dialect."""
    dialects: dict[str, str | None] = {
        each: name for name in game_names() if (own := _own(name)) for each in own.guest_dialects
    }
    dialects |= dict.fromkeys(SERVICE.guest_dialects)
    if dialect not in dialects:
        raise GameError(f"unknown dialect '{dialect}' (there are: {', '.join(dialects)})")
    return dialects[dialect]


def service(name: str) -> Service:
    """The protocol of a game: that of the platform that its folder names, or the plain one; raises GameError."""
    return _own(name) or SERVICE


def _own(name: str) -> Service | None:
    found: Service | None = platform_attribute(game(name).folder, "SERVICE")
    return found
