"""Contest protocol for hosted and remote tables."""

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
    """Contest protocol; implements RemoteProtocol."""

    dialects = (PLAIN, WITH_LEVELS)
    client_dialects = (CONTEST_DIALECT, OPENGUANDAN_DIALECT)

    def create_host(
        self, engine: Engine, num_games: int, dialect: str, listener: Listener | None = None
    ) -> HostSession:
        """Make a table for a number of games; an additional listener is notified of its events."""
        return ContestDealer(engine, num_games, dialect, listener)

    def create_client(self, engine: Engine, dialect: str, request: JoinRequest) -> ClientSession:
        """Make a client; raises GameError for a room, a seat or matches on a dialect without rooms."""
        return ContestClient(
            engine, _room_handshake(request) if dialect == OPENGUANDAN_DIALECT else _contest_handshake(request)
        )

    def default_port(self, dialect: str) -> int:
        """Return 23456 for the contest platform, 8181 for OpenGuanDan."""
        return _PORTS.get(dialect, CONTEST_PORT)

    def complete_url(self, address: str, dialect: str, name: str) -> str:
        """Add scheme and port to an address that lacks them, and the contest's path ``/game/NAME``.

        >>> ContestService().complete_url("127.0.0.1", "guandan", "kb")
        'ws://127.0.0.1:23456/game/kb'
        """
        path = "" if dialect == OPENGUANDAN_DIALECT else f"/game/{quote(name, safe='')}"
        return complete_url(address, self.default_port(dialect), path)

    def read_answer(self, frame: str | bytes, num_choices: int) -> int:
        """Return the index of the choice of an answer; raises InvalidAnswerError."""
        return read_act_index(frame, num_choices)


def _contest_handshake(request: JoinRequest) -> Handshake:
    if (request.room, request.seat, request.num_matches) != (None, None, None):
        raise GameError(
            f"room, seat and rounds need tables with rooms: add --protocol {OPENGUANDAN_DIALECT}",
            ErrorCode.SETTING_CONFLICT,
        )
    return ContestHandshake()


def _room_handshake(request: JoinRequest) -> Handshake:
    if request.room is not None and request.num_matches is not None:
        raise GameError(
            "the creator of a room sets its rounds: leave out --rounds or --room", ErrorCode.SETTING_CONFLICT
        )
    return RoomHandshake(
        request.name or f"{request.agent}-{token_hex(2)}", request.room, request.seat, request.num_matches
    )


PROTOCOL: RemoteProtocol = ContestService()
