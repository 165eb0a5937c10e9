"""Single episodes between two agents, on duplicate deals: quicker than matches, and they show what is learned sooner.

All are the first of a match. Whole matches of two that are equal take long, and one that plays a little better wins
nearly all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.arena import decision_keys, interval, match_keys
from abl_cards.games import Engine, Indices, Tables
from abl_cards.games.audience import Quiet
from experiments.desk import Desk, Tell
from experiments.players import Player


@dataclass(frozen=True)
class Episodes:
    """What came of some episodes, from the eyes of the first player."""

    count: int
    won: float  # share, a draw as half
    bounds: tuple[float, float]  # 95 %, of the share
    points: float  # an episode


def episodes(desk: Desk, engine: Engine, pair: tuple[Player, Player], count: int, seed: int) -> Episodes:
    """Play so many, or take what was played before; every deal is played once for each way to seat the two."""
    what = {
        "episodes": [player.name for player in pair], "marks": [player.mark for player in pair], "count": count,
        "seed": seed,
    }  # fmt: skip

    def work(tell: Tell) -> dict[str, Any]:
        points = play(engine, (pair[0].agent, pair[1].agent), count, seed, tell)
        shares = (1 + np.sign(points)) / 2
        bounds = interval(shares, len(engine.seatings))
        return {"won": float(shares.mean()), "bounds": bounds, "points": float(points.mean())}

    found = desk.cell(what, work, f"{pair[0].name} : {pair[1].name}", count)
    low, high = found["bounds"]
    return Episodes(count, found["won"], (low, high), found["points"])


def play(engine: Engine, agents: tuple[Agent, Agent], count: int, seed: int, tell: Tell) -> NDArray[np.float64]:
    """[count] what the first agent won."""
    games = np.arange(count)
    seating = engine.seatings[games % len(engine.seatings)]
    ends = _Ends(engine, seating)
    tables: Tables = engine.tables(match_keys(seed, games, len(engine.seatings)), ends)
    tables.patient = True
    while (running := ~ends.over).any():
        for agent, mine in _by_agent(agents, seating, tables, tables.choosing(), running):
            tables.choose(mine, agent.choose(tables.choices(mine), decision_keys(tables, mine, mine)))
        for agent, mine in _by_agent(agents, seating, tables, tables.playing(), running):
            tables.play(mine, agent.play(tables.decisions(mine), decision_keys(tables, mine, mine)))
        tell(int(ends.over.sum()), "episodes")
    return ends.points


def _by_agent(
    agents: tuple[Agent, Agent], seating: NDArray[np.int8], tables: Tables, which: Indices, running: NDArray[np.bool_]
) -> Iterator[tuple[Agent, Indices]]:
    """Of some tables those that are still running, by who decides there."""
    which = which[running[which]]
    turn = seating[which, tables.seat[which]]
    for number, agent in enumerate(agents):
        mine = which[turn == number]
        if mine.size:
            yield agent, mine


class _Ends(Quiet):
    """Hears the ends of episodes; of each table the first one counts."""

    def __init__(self, engine: Engine, seating: NDArray[np.int8]) -> None:
        self._engine, self._seat = engine, (seating == 0).argmax(axis=1)
        self.over = np.zeros(len(seating), np.bool_)
        self.points = np.zeros(len(seating))

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """What a seat of the first agent has won."""
        first = ~self.over[which]
        won = self._engine.rewards(tables, which)[np.arange(len(which)), self._seat[which]]
        self.points[which[first]] = won[first]
        self.over[which[first]] = True
