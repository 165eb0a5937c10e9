"""Turns of agents at a table of the web server, with pauses so that viewers can follow them."""

from __future__ import annotations

import asyncio
import logging

from abl_cards.web.executor import EngineExecutor
from abl_cards.web.replay_frames import is_trick_over
from abl_cards.web.table import WebTable

TRICK_REST = 1.7
"""Pause after a full trick, in pauses of an agent."""
log = logging.getLogger(__name__)


async def run_agents(table: WebTable, executor: EngineExecutor) -> None:
    """Run the agents of a table at their turns, until the task is cancelled.

    Args:
        table: Table, which is waked when a turn may have come.
        executor: Threads in which agents decide.
    """
    while True:
        has_changed = True
        try:
            while table.is_agents_turn:
                if has_changed and table.viewers:
                    await asyncio.sleep(agent_pause(table))
                async with table.lock:
                    has_changed = await executor.run_agent(table.run_agent)
                table.on_change()
        except Exception:  # an error of a user's agent stops the table
            log.exception("table %s", table.name)
            table.problem = "the agent has failed; see the log of the server"
            table.on_change()
        await table.wake.wait()
        table.wake.clear()


def agent_pause(table: WebTable) -> float:
    """Return the seconds before an agent acts: longer after a full trick, so that it can be seen; none in a hurry."""
    if table.is_fast:
        return 0.0
    return table.agent_delay * (TRICK_REST if is_trick_over(table.engine, table.tables) else 1.0)
