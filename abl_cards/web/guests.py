"""Requests of browsers without the access key: a guest takes a free seat, and a browser lists its own tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.web import event_replay, schemas
from abl_cards.web.limits import MAX_NAME_LENGTH, sanitise_name
from abl_cards.web.seats import PERSON
from abl_cards.web.snapshot import make_view, make_welcome

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby
    from abl_cards.web.table import WebTable

MAX_LISTED_TABLES = 24
"""Largest number of own tables in one request of a browser."""


async def join_table(lobby: Lobby, name: str, message: dict[str, Any], client_id: str) -> dict[str, Any]:
    """Give a free seat of a table to a guest.

    Args:
        lobby: Lobby with the table.
        name: Name of the table.
        message: ``token``, the token of the invitation, and ``name``, that of the guest.
        client_id: Client of the guest.

    Returns:
        The table, and the token of the seat, or the token to look on where no seat is free.

    Raises:
        GameError: The table does not exist, or the token is not that of its invitation.
        KBError: The table is stored and its rules have errors.
    """
    token = schemas.get_text(message, "token")
    guest_name = sanitise_name(schemas.get_text(message, "name", "", 4 * MAX_NAME_LENGTH))
    table = await lobby.find_table(name, token, client_id) if lobby.has_table(name) else None
    if table is None or token != table.join_token:
        raise GameError("the invitation is not valid any more", ErrorCode.NOT_FOUND)
    async with table.lock:
        seat_token = take_free_seat(table, guest_name)
    table.on_change()
    return {"table": table.name, "token": seat_token, "seated": seat_token != table.watch_token}


def take_free_seat(table: WebTable, name: str) -> str:
    """Give the first free seat of a person to a guest; return its token, or that to look on if there is none."""
    for seat, table_seat in enumerate(table.seats):
        if table_seat.kind == PERSON and not table_seat.is_taken and seat != table.owner_seat:
            table.take_seat(seat, name)
            return table_seat.token
    return table.watch_token


async def list_own_tables(lobby: Lobby, message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return how tables stand, each as its token allows to see it.

    Args:
        lobby: Lobby with the tables.
        message: ``tables``, a list of pairs of name and token.

    Returns:
        For each table its ``state``: "open" with ``welcome`` and ``view``, "asleep" for one that is stored or
        being restored, or "gone".
    """
    pairs = schemas.get_list(message, "tables", MAX_LISTED_TABLES)
    if not all(isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
               and all(map(schemas.is_encodable, pair)) for pair in pairs):  # fmt: skip
        raise GameError("tables: expected pairs of name and token", ErrorCode.INVALID_REQUEST)
    return [{"table": name, **await _glance(lobby, name, token)} for name, token in pairs]


async def _glance(lobby: Lobby, name: str, token: str) -> dict[str, Any]:
    """Return the state of a table without opening it."""
    table, event_log = lobby.tables.get(name), lobby.log_store.suspended.get(name)
    if table is not None:
        return await _glance_at_open(lobby, table, token)
    if event_log is not None:
        try:
            is_valid = await lobby.executor.run(lambda: event_replay.accepts_token(event_log.read(), token))
        except GameError:  # the file cannot be read now; a browser forgets its token if the table is gone
            is_valid = True
        return {"state": "asleep" if is_valid else "gone"}
    return {"state": "asleep" if lobby.is_asleep(name) else "gone"}


async def _glance_at_open(lobby: Lobby, table: WebTable, token: str) -> dict[str, Any]:
    permission = table.permission_of(token)
    if permission is None:
        return {"state": "gone"}
    async with table.lock:
        welcome, view = await lobby.executor.run(
            lambda: (make_welcome(table, permission), make_view(table, permission))
        )
    return {"state": "open", "welcome": welcome, "view": view | {"log": []}}
