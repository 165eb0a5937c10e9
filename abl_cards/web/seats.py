"""Seats of a table with their players, permissions and decisions."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from abl_cards.agents import Agent
from abl_cards.games.types import Moves

PERSON = "person"
_MAX_AGENT_NAME_SHOWN = 80


@dataclass(frozen=True)
class Permission:
    """Permissions of a client at a table: a seat, and ownership of the table."""

    seat: int | None = None  # seat that the client plays; None for spectators
    is_owner: bool = False
    own_seat: int | None = None  # seat of the client, also while an agent plays it
    sees_hands: bool = False  # the client sees all hands, where `may_see_hands` allows it


@dataclass
class TableSeat:
    """Seat of a table with its player, a person or an agent."""

    kind: str  # PERSON or "agent"
    name: str
    agent_name: str = ""
    agent: Agent | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    is_taken: bool = False  # a person has been connected to this seat

    def to_json(self) -> dict[str, Any]:
        """Return the player of the seat, with the token that gives access."""
        fields = {"kind": self.kind, "name": self.name, "agent": self.agent_name, "token": self.token}
        return fields | ({"taken": True} if self.is_taken else {})


def make_agent_seat(name: str, agent: Agent) -> TableSeat:
    """Return the seat of an agent; tables show the beginning of its name, by which it is made again after a restart."""
    return TableSeat("agent", name[:_MAX_AGENT_NAME_SHOWN], name, agent)


@dataclass(frozen=True)
class TableDecision:
    """Decision that was made: a play, or a choice if ``moves`` is None."""

    moves: Moves | None
    option: int = -1
    seat: int = -1
    by_person: bool = False
