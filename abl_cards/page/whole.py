"""What an agent would lay down as a whole, where plays are laid card by card."""

from __future__ import annotations

import numpy as np

from abl_cards.agents import Agent
from abl_cards.games import GameError, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.snapshots import copy_rows

HERE = np.array([0])
MOST_STEPS = 64
KEY = np.zeros(1, np.uint64)


class _Ear(Quiet):
    """Hears the first play."""

    heard: Moves | None = None

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Keep it."""
        self.heard = self.heard or moves


def whole_play(tables: Tables, agent: Agent) -> Moves:
    """The play that an agent makes at one table, at a copy of it; raises GameError."""
    ear = _Ear()
    copy = Tables(tables.rules, 1, ear)
    copy_rows(tables.state, HERE, copy.state)
    copy.endless, copy.keys[:] = False, tables.keys
    for _ in range(MOST_STEPS):
        copy.play(HERE, agent.play(copy.decisions(HERE), KEY))
        if ear.heard is not None:
            return ear.heard
    raise GameError("the agent comes to no end")
