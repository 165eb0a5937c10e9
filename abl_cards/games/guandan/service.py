"""Guandan's protocol for tables where others sit down (rules/guandan.md), and for those of others."""

from __future__ import annotations

from typing import cast
from urllib.parse import quote, urlsplit, urlunsplit

from abl_cards.games.game import Engine, GameError
from abl_cards.games.guandan.dealer import GuandanDealer
from abl_cards.games.guandan.engine import GuandanEngine
from abl_cards.games.guandan.guest import GuandanGuest
from abl_cards.games.guandan.manners import InRooms, Plain
from abl_cards.games.guandan.protocol import PLAIN, WITH_LEVELS, read_answer
from abl_cards.games.service import Dealer, Guest, Service
from abl_cards.games.tables import Listener

CONTEST, OPEN = "guandan", "openguandan"
_PORTS = {OPEN: 8181}
CONTEST_PORT = 23456


class GuandanService:
    """The contest platform's protocol; see Service."""

    dialects = (PLAIN, WITH_LEVELS)
    guest_dialects = (CONTEST, OPEN)

    def dealer(self, engine: Engine, games: int, dialect: str, listener: Listener | None = None) -> Dealer:
        """A table for so many games; a listener hears what happens there."""
        return GuandanDealer(cast(GuandanEngine, engine), games, dialect, listener)

    def guest(self, engine: Engine, dialect: str, name: str, room: str | None) -> Guest:
        """A seat at somebody else's table."""
        return GuandanGuest(cast(GuandanEngine, engine), InRooms(name, room) if dialect == OPEN else Plain())

    def port(self, dialect: str) -> int:
        """23456 at the contest platform, 8181 at OpenGuanDan."""
        return _PORTS.get(dialect, CONTEST_PORT)

    def url(self, address: str, dialect: str, name: str) -> str:
        """Complete an address.

        >>> GuandanService().url("127.0.0.1", "guandan", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        try:
            parts = urlsplit(address if "://" in address else f"ws://{address}")
            place = parts.netloc if parts.port else f"{parts.netloc}:{self.port(dialect)}"
        except ValueError as problem:
            raise GameError(f"{address!r} is no address: {problem}") from None
        if parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise GameError(f"{address!r} is no address: write ws://HOST:PORT")
        path = parts.path if parts.path.strip("/") or dialect == OPEN else f"/game/{quote(name, safe='')}"
        return urlunsplit(parts._replace(netloc=place, path=path))

    def read_answer(self, frame: str | bytes, choices: int) -> int:
        """The choice of an answer; raises BadAnswer."""
        return read_answer(frame, choices)


SERVICE: Service = GuandanService()
