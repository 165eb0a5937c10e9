"""How a guest talks at OpenGuanDan: rooms are created or joined, and a choice is the action itself, in an envelope.

``{"type": "CREATE_ROOM", "data": {"userId": "u0", "round": 1, "seatNum": 0}}`` is answered with a ``code``, 200 when
all is well, and ``data`` that hold the ``roomId``. Then come the contest's requests and notifications. The end of a
match is told by ``gameOver`` and ``gameResult``, in either order; the table stays open, and it is for us to leave.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games.service import Message, Outcome, Refused
from abl_cards.platforms.contest.fields import number_of

_WELL = 200
_CREATE, _JOIN = "CREATE_ROOM", "JOIN_ROOM"
_ENVELOPES = {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}
_REPEATED = ("tributePos", "tribute")  # fields of a request that its answer repeats


class InRooms:
    """A user in a room; see Manners."""

    def __init__(self, user: str, room: str | None = None, seat: int | None = None, rounds: int | None = None) -> None:
        """Join a room, or create one for so many matches; the seat is theirs to give unless one is wanted."""
        self._user, self._seat, self._rounds = user, seat, rounds or 1
        self._wanted: int | str | None = int(room) if room and room.isascii() and room.isdigit() else room
        self._room: Any = self._wanted
        self._inside = False
        self._ended: set[str] = set()  # what has been told of the end of the match at hand

    def greeting(self) -> list[Message]:
        """Ask for the room."""
        seat = {} if self._seat is None else {"seatNum": self._seat}
        if self._wanted is None:
            return [{"type": _CREATE, "data": {"userId": self._user, "round": self._rounds} | seat}]
        return [{"type": _JOIN, "data": {"userId": self._user, "roomId": self._wanted} | seat}]

    def note(self, message: Message) -> str | None:
        """Remember the room we are given. What has no code, or is of a kind unknown, is none of our business."""
        if message.get("stage") == "beginning":
            self._inside, self._ended = True, set()
        if "code" not in message or "stage" in message:
            return None
        kind, data = str(message.get("type"))[:20], message.get("data")
        if message["code"] != _WELL:
            self._complain(kind, f"{kind} is answered with code {str(message['code'])[:20]}: {_reason(message)}")
        if message["code"] != _WELL or kind not in (_CREATE, _JOIN):
            return None
        self._inside = True
        self._room = data.get("roomId", self._room) if isinstance(data, dict) else self._room
        return f"room {self._room}: the others join with --room {self._room}" if kind == _CREATE else None

    def _complain(self, kind: str, text: str) -> None:
        """Before we are inside it is a refusal, later at most a problem: an unknown kind ends no game."""
        if not self._inside:
            raise Refused(text)
        if kind in (_CREATE, _JOIN, *_ENVELOPES.values()):
            raise GameError(text)

    def answer(self, request: Message, choice: int, seat: int) -> Message:
        """The chosen action as it was offered, in the envelope of its stage."""
        offered = request.get("actionList")
        act = offered[choice] if isinstance(offered, list) and offered else ["PASS"] * 3
        stage = str(request.get("stage"))
        repeated = {name: request.get(name) for name in _REPEATED} if stage == "back" else {}
        data = {"roomId": self._room, "player": seat} | repeated | {"act": act}
        return {"type": _ENVELOPES.get(stage, "PLAY"), "data": data}

    def conclude(self, told: Message, outcome: Outcome) -> Outcome:
        """A match is over when both messages have come, and all is when that was the last one."""
        stage = str(told.get("stage"))
        self._ended.add(stage)
        if stage == "gameOver":
            outcome = replace(outcome, games=outcome.games + 1)
            self._rounds = number_of(told, "settingTimes") if "settingTimes" in told else self._rounds
        elif "victory" in told:
            outcome = replace(outcome, wins=outcome.wins + (number_of(told, "victory") == (outcome.seat or 0) % 2))
        last = outcome.games >= self._rounds
        return replace(outcome, over=last and self._ended >= {"gameOver", "gameResult"})


def _reason(message: Message) -> str:
    """What a refusal says besides its code."""
    more = {name: value for name, value in message.items() if name not in ("type", "code")}
    return str(more["data"] if list(more) == ["data"] else more)[:200]
