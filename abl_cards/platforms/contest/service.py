"""The contest's protocol for tables where others sit down, and for those of others."""

from __future__ import annotations

from secrets import token_hex
from urllib.parse import quote

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.service import Dealer, Guest, Service, Visit, complete_url, read_index
from abl_cards.games.tables import Listener
from abl_cards.platforms.contest.dealer import ContestDealer
from abl_cards.platforms.contest.guest import ContestGuest
from abl_cards.platforms.contest.manners import Manners, Plain
from abl_cards.platforms.contest.protocol import PLAIN, WITH_LEVELS
from abl_cards.platforms.openguandan import InRooms

CONTEST, OPEN = "guandan", "openguandan"
_PORTS = {OPEN: 8181}
CONTEST_PORT = 23456


class ContestService:
    """The contest platform's protocol; see Service."""

    dialects = (PLAIN, WITH_LEVELS)
    guest_dialects = (CONTEST, OPEN)

    def dealer(self, engine: Engine, games: int, dialect: str, listener: Listener | None = None) -> Dealer:
        """A table for so many games; a listener hears what happens there."""
        return ContestDealer(engine, games, dialect, listener)

    def guest(self, engine: Engine, dialect: str, visit: Visit) -> Guest:
        """A seat at somebody else's table; raises GameError for wishes that such tables do not know."""
        return ContestGuest(engine, _in_rooms(visit) if dialect == OPEN else _plain(visit))

    def port(self, dialect: str) -> int:
        """23456 at the contest platform, 8181 at OpenGuanDan."""
        return _PORTS.get(dialect, CONTEST_PORT)

    def url(self, address: str, dialect: str, name: str) -> str:
        """Complete an address.

        >>> ContestService().url("127.0.0.1", "guandan", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        path = "" if dialect == OPEN else f"/game/{quote(name, safe='')}"
        return complete_url(address, self.port(dialect), path)

    def read_answer(self, frame: str | bytes, choices: int) -> int:
        """The choice of an answer; raises BadAnswer."""
        return read_index(frame, choices)


def _plain(visit: Visit) -> Manners:
    if (visit.room, visit.seat, visit.rounds) != (None, None, None):
        raise GameError(f"room, seat and rounds are for tables with rooms: add --dialect {OPEN}")
    return Plain()


def _in_rooms(visit: Visit) -> Manners:
    if visit.room is not None and visit.rounds is not None:
        raise GameError("rounds are said by who creates the room: leave out --rounds, or --room")
    return InRooms(visit.name or f"{visit.agent}-{token_hex(2)}", visit.room, visit.seat, visit.rounds)


SERVICE: Service = ContestService()
