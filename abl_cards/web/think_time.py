"""Time to think of the agents of a table: a limit for those that look ahead, in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from abl_cards.agents import AblAgent, Agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.tables import Listener

if TYPE_CHECKING:
    from abl_cards.web.table import WebTable

THINK_CHOICES = (0, 50, 100, 250, 1000)
"""Milliseconds that a client may choose; 0 for the search of the agent without a limit."""


class TableAgentFactory(Protocol):
    """Function that makes an agent from its name and the time to think of the table."""

    def __call__(self, name: str, *, think_ms: int) -> Agent:
        """Make an agent; raises GameError for an agent that is not allowed."""


def get_think_ms(message: dict[str, Any], field: str = "think") -> int:
    """Return the field with the time to think in milliseconds, by default 0.

    Raises:
        GameError: The value is not in THINK_CHOICES; the error has the value and the choices as its values.
    """
    value = message.get(field, 0)
    if type(value) is not int or value not in THINK_CHOICES:
        given, choices = str(value)[:20], ", ".join(map(str, THINK_CHOICES))
        raise GameError(f"{field}: {given} is none of {choices}", ErrorCode.INVALID_VALUE, [given, choices])
    return value


def limit_thinking(agent: Agent, think_ms: int) -> Agent:
    """Return an agent with a time to think; the agent itself if it does not look ahead or has a time of its own."""
    return agent.with_time_limit(think_ms / 1000) if isinstance(agent, AblAgent) else agent


def set_think_ms(table: WebTable, think_ms: int, make_agent: TableAgentFactory) -> None:
    """Set the time to think of the agents of a table, and note it in its event log.

    An agent that follows the table keeps its time, because another one would not know the deal.
    """
    if table.think_ms == think_ms:
        return
    table.think_ms = think_ms
    for seat in table.seats:
        if isinstance(seat.agent, AblAgent) and not isinstance(seat.agent, Listener):
            seat.agent = make_agent(seat.agent_name, think_ms=think_ms)
    table.write_event("think", {"ms": think_ms})
