"""Handshake of OpenGuanDan: rooms are created or joined, and answers are the actions themselves in an envelope.

``{"type": "CREATE_ROOM", "data": {"userId": "u0", "round": 1, "seatNum": 0}}`` is answered by a ``code``, 200 for
success, and ``data`` with the ``roomId``. The contest's requests and notifications follow. ``gameOver`` and
``gameResult`` end a match, in either order; the table stays open until the client leaves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.protocols.common import JoinRejectedError, Message, SessionResult
from abl_cards.protocols.contest.fields import read_number

_CODE_OK = 200
_CREATE, _JOIN = "CREATE_ROOM", "JOIN_ROOM"
_ENVELOPES = {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}
_REPEATED_FIELDS = ("tributePos", "tribute")  # fields of a request that its answer repeats


class RoomHandshake:
    """Handshake of a user in a room; implements Handshake."""

    def __init__(self, user: str, room: str | None = None, seat: int | None = None, rounds: int | None = None) -> None:
        """Make a handshake that joins a room, or creates one for a number of matches; seat None requests any seat."""
        self._user, self._seat, self._rounds = user, seat, rounds or 1
        self._requested_room: int | str | None = int(room) if room and room.isascii() and room.isdigit() else room
        self._room: Any = self._requested_room
        self._joined = False
        self._end_messages: set[str] = set()  # received messages of the end of the current match

    def opening_messages(self) -> list[Message]:
        """Return the request to create or join the room."""
        seat = {} if self._seat is None else {"seatNum": self._seat}
        if self._requested_room is None:
            return [{"type": _CREATE, "data": {"userId": self._user, "round": self._rounds} | seat}]
        return [{"type": _JOIN, "data": {"userId": self._user, "roomId": self._requested_room} | seat}]

    def handle_message(self, message: Message) -> str | None:
        """Store the room of a response; messages without a code or of an unknown kind are ignored."""
        if message.get("stage") == "beginning":
            self._joined, self._end_messages = True, set()
        if "code" not in message or "stage" in message:
            return None
        kind, data = str(message.get("type"))[:20], message.get("data")
        if message["code"] != _CODE_OK:
            self._raise_error(
                kind, f"{kind} is answered with code {str(message['code'])[:20]}: {_refusal_reason(message)}"
            )
        if message["code"] != _CODE_OK or kind not in (_CREATE, _JOIN):
            return None
        self._joined = True
        self._room = data.get("roomId", self._room) if isinstance(data, dict) else self._room
        return f"room {self._room}: the others join with --room {self._room}" if kind == _CREATE else None

    def _raise_error(self, kind: str, text: str) -> None:
        """Raise JoinRejectedError before the room is joined, GameError later; an unknown kind is then ignored."""
        if not self._joined:
            raise JoinRejectedError(text)
        if kind in (_CREATE, _JOIN, *_ENVELOPES.values()):
            raise GameError(text, ErrorCode.INVALID_MESSAGE)

    def format_answer(self, request: Message, choice: int, seat: int) -> Message:
        """Return the chosen action in the envelope of its stage."""
        offered = request.get("actionList")
        act = offered[choice] if isinstance(offered, list) and offered else ["PASS"] * 3
        stage = str(request.get("stage"))
        repeated = {name: request.get(name) for name in _REPEATED_FIELDS} if stage == "back" else {}
        data = {"roomId": self._room, "player": seat} | repeated | {"act": act}
        return {"type": _ENVELOPES.get(stage, "PLAY"), "data": data}

    def update_outcome(self, message: Message, outcome: SessionResult) -> SessionResult:
        """Count finished matches; the session is over after both messages of the last match."""
        stage = str(message.get("stage"))
        self._end_messages.add(stage)
        if stage == "gameOver":
            outcome = replace(outcome, games=outcome.games + 1)
            self._rounds = read_number(message, "settingTimes") if "settingTimes" in message else self._rounds
        elif "victory" in message:
            outcome = replace(outcome, wins=outcome.wins + (read_number(message, "victory") == (outcome.seat or 0) % 2))
        is_last = outcome.games >= self._rounds
        return replace(outcome, is_over=is_last and self._end_messages >= {"gameOver", "gameResult"})


def _refusal_reason(message: Message) -> str:
    """Return the reason in a rejection besides its code."""
    fields = {name: value for name, value in message.items() if name not in ("type", "code")}
    return str(fields["data"] if list(fields) == ["data"] else fields)[:200]
