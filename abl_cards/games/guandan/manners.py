"""How a guest talks: plainly at the contest platform, in rooms and envelopes at OpenGuanDan.

What is known of OpenGuanDan's envelopes: messages ``CREATE_ROOM``, ``JOIN_ROOM``, ``PLAY``, ``TRIBUTE`` and
``PAYTRIBUTE`` go out as ``{"type": …, "data": …}`` and are answered with a ``code``, 200 when all is well; requests and
notifications are those of the contest platform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from abl_cards.games.game import GameError
from abl_cards.games.service import Message

_WELL = 200
_ENVELOPES = {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}


class Manners(Protocol):
    """What is said around the game's own messages."""

    def greeting(self) -> list[Message]:
        """What is said first."""

    def open(self, message: Message) -> Message:
        """The request or notification inside a message."""

    def react(self, message: Message) -> list[Message]:
        """What is said to a message that is neither; raises GameError where the table refuses."""

    def answer(self, stage: str, index: int) -> Message:
        """A choice."""


@dataclass(frozen=True)
class Plain:
    """The contest platform: nothing but choices is said."""

    def greeting(self) -> list[Message]:
        """Nothing."""
        return []

    def open(self, message: Message) -> Message:
        """The message itself."""
        return message

    def react(self, message: Message) -> list[Message]:
        """Nothing."""
        return []

    def answer(self, stage: str, index: int) -> Message:
        """The number alone."""
        return {"actIndex": index}


@dataclass(frozen=True)
class InRooms:
    """OpenGuanDan: a room is created or joined, and everything comes in an envelope."""

    name: str
    room: str | None = None  # None to create one

    def greeting(self) -> list[Message]:
        """Ask for the room."""
        if self.room is None:
            return [{"type": "CREATE_ROOM", "data": {"user": self.name}}]
        return [self._join(self.room)]

    def open(self, message: Message) -> Message:
        """The data of an envelope that holds a request or notification, else the message itself."""
        data = message.get("data")
        return data if "stage" not in message and isinstance(data, dict) and "stage" in data else message

    def react(self, message: Message) -> list[Message]:
        """Join the room that was created for us."""
        if "code" not in message:
            return []
        data = message.get("data")
        if message["code"] != _WELL:
            raise GameError(f"the table answers code {str(message['code'])[:20]}: {str(data)[:200]}")
        room = data.get("room") if isinstance(data, dict) and message.get("type") == "CREATE_ROOM" else None
        return [] if room is None else [self._join(str(room))]

    def answer(self, stage: str, index: int) -> Message:
        """The number in the envelope of its stage."""
        return {"type": _ENVELOPES.get(stage, "PLAY"), "data": {"actIndex": index}}

    def _join(self, room: str) -> Message:
        return {"type": "JOIN_ROOM", "data": {"user": self.name, "room": room}}
