"""The contest's protocol for tables where others sit down, and for those of others."""

from __future__ import annotations

from secrets import token_hex
from urllib.parse import quote

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import Listener
from abl_cards.protocols.common import (
    ClientSession,
    HostSession,
    JoinRequest,
    RemoteProtocol,
    complete_url,
    read_act_index,
)
from abl_cards.protocols.contest.client import ContestClient
from abl_cards.protocols.contest.dealer import ContestDealer
from abl_cards.protocols.contest.handshake import ContestHandshake, Handshake
from abl_cards.protocols.contest.openguandan import RoomHandshake
from abl_cards.protocols.contest.protocol import PLAIN, WITH_LEVELS

CONTEST_DIALECT, OPENGUANDAN_DIALECT = "guandan", "openguandan"
_PORTS = {OPENGUANDAN_DIALECT: 8181}
CONTEST_PORT = 23456


class ContestService:
    """The contest platform's protocol; see RemoteProtocol."""

    dialects = (PLAIN, WITH_LEVELS)
    client_dialects = (CONTEST_DIALECT, OPENGUANDAN_DIALECT)

    def create_host(self, engine: Engine, games: int, dialect: str, listener: Listener | None = None) -> HostSession:
        """Make a table for a number of games; a listener is notified of its events."""
        return ContestDealer(engine, games, dialect, listener)

    def create_client(self, engine: Engine, dialect: str, visit: JoinRequest) -> ClientSession:
        """A seat at somebody else's table; raises GameError for wishes that such tables do not know."""
        return ContestClient(
            engine, _room_handshake(visit) if dialect == OPENGUANDAN_DIALECT else _contest_handshake(visit)
        )

    def default_port(self, dialect: str) -> int:
        """23456 at the contest platform, 8181 at OpenGuanDan."""
        return _PORTS.get(dialect, CONTEST_PORT)

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """Complete an address.

        >>> ContestService().complete_url("127.0.0.1", "guandan", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        path = "" if dialect == OPENGUANDAN_DIALECT else f"/game/{quote(name, safe='')}"
        return complete_url(address, self.default_port(dialect), path)

    def read_answer(self, frame: str | bytes, choices: int) -> int:
        """The choice of an answer; raises InvalidAnswerError."""
        return read_act_index(frame, choices)


def _contest_handshake(visit: JoinRequest) -> Handshake:
    if (visit.room, visit.seat, visit.num_matches) != (None, None, None):
        raise GameError(
            f"room, seat and rounds are for tables with rooms: add --protocol {OPENGUANDAN_DIALECT}",
            ErrorCode.SETTING_CONFLICT,
        )
    return ContestHandshake()


def _room_handshake(visit: JoinRequest) -> Handshake:
    if visit.room is not None and visit.num_matches is not None:
        raise GameError(
            "rounds are said by who creates the room: leave out --rounds, or --room", ErrorCode.SETTING_CONFLICT
        )
    return RoomHandshake(visit.name or f"{visit.agent}-{token_hex(2)}", visit.room, visit.seat, visit.num_matches)


PROTOCOL: RemoteProtocol = ContestService()
